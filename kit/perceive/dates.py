"""The times a prompt speaks of, in English and Chinese, as ranges.

Law: pure, `now` is handed in. What has neither year nor mark of the future is the most recent past one; words that
only look like dates (may, march on, versions, times of day) give nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kit.perceive.clock import Clock
from kit.perceive.date_rules import rules
from kit.text import is_cjk

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

_DIGIT = re.compile(r"\d")


class TimeRange(NamedTuple):
    """A time spoken of, half-open, in the zone of `now`, and the words that said so."""

    start: datetime
    end: datetime
    words: str


def time_ranges(text: str, now: datetime) -> tuple[TimeRange, ...]:
    """Find the times a text speaks of, in the order of the text; where two overlap, the longer words count.

    `now` must carry a zone; the ranges are in it.
    """
    return _ranges(text, now, now.tzinfo)


@lru_cache(maxsize=8)  # whoever perceives a prompt asks for its times, and whoever recalls for it asks again
def _ranges(text: str, now: datetime, _zone: tzinfo | None) -> tuple[TimeRange, ...]:
    low = text.lower()
    clock = Clock(now)
    found: list[tuple[int, int, TimeRange]] = []
    for rule in rules(digits=_DIGIT.search(low) is not None, chinese=is_cjk(low)):
        for hint in rule.hints:
            if hint in low:
                break
        else:
            if rule.hints:
                continue
        for match in rule.pattern.finditer(text):
            try:
                start, end = rule.make(clock, match)
            except (ValueError, OverflowError):  # 30 February, 900 years ago: no such time
                continue
            found.append((match.start(), match.end(), TimeRange(start, end, match.group().strip())))
    found.sort(key=lambda one: (one[0] - one[1], one[0]))
    kept: list[tuple[int, int, TimeRange]] = []
    for one in found:
        if all(one[1] <= other[0] or one[0] >= other[1] for other in kept):
            kept.append(one)
    return tuple(one[2] for one in sorted(kept))
