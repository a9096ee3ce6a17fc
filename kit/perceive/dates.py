"""The times a prompt speaks of, in English and Chinese, as ranges.

Law: pure, `now` is handed in. What has neither year nor mark of the future is the most recent past one; words that
only look like dates (may, march on, versions, times of day) give nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit.perceive.clock import Clock
from kit.perceive.date_rules import rules
from kit.text import is_cjk

if TYPE_CHECKING:
    from datetime import datetime

    from kit.perceive.date_rules import Rule

_WHEN = re.compile(
    r"^when\b(?! (?:i|you|we|it|the|a|an|there|this|that)\b)|\bwhen (?:did|was|were|do|does|is|will|have|has|had|are)\b"
    r"|\b(?:tell me|remember|know|find out|recall|remind me|check) when\b"
    r"|\b(?:what|which) (?:date|day|month|year|week)\b|\b(?:what|which) time (?:did|was|is|do|does|will)\b"
    r"|\bsince when\b|\bhow long ago\b|\bat what time\b"
    r"|什么时候|什么时间|何时|哪[一]?天|哪[一]?年|哪个?月|哪个(?:星期|礼拜|季度)|几号|几月|几点|星期几|周几|礼拜几|哪一?日|多久(?:以|之)?前|啥时候"
    r"|いつ|언제",
    re.IGNORECASE | re.MULTILINE,
)


class TimeRange(NamedTuple):
    """A time spoken of, half-open, in the zone of `now`, and the words that said so."""

    start: datetime
    end: datetime
    words: str


def _hinted(rule: Rule, low: str) -> bool:
    for hint in rule.hints:
        if hint in low:
            return True
    return not rule.hints


def time_ranges(text: str, now: datetime) -> list[TimeRange]:
    """Find the times a text speaks of, in the order of the text; where two overlap, the longer words count.

    `now` must carry a zone; the ranges are in it.
    """
    low = text.lower()
    clock = Clock(now)
    found: list[tuple[int, int, TimeRange]] = []
    for rule in rules(digits=any(char.isdigit() for char in low), chinese=is_cjk(low)):
        if not _hinted(rule, low):
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
    return [one[2] for one in sorted(kept)]


def asks_when(text: str) -> bool:
    """Tell whether a text asks for a time: "when did…", 什么时候, 几号."""
    return bool(_WHEN.search(text))
