"""What the turns beside a card say: a share of their full text, and of their whole topic's, counts for it too.

Law: pure reading; only cards of one topic stand beside each other, in the order they were made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from array import array
    from collections.abc import Mapping

    from kit.index.features import Features
    from kit.index.reflection import Index

LONGEST = 2_000
"""Cards of a topic up to which it is one talk; a longer one is a drawer."""
TOLD = 3
"""Best turns of a topic that speak for all of it."""


class Beside(NamedTuple):
    """What speaks for a card besides its own words."""

    near: float
    """what the turns right before and after it gain by their words"""
    topic: float
    """what the best turns of its topic gain, on average"""


class _Talk(NamedTuple):
    """The cards of a topic in their order."""

    cards: array[int]
    """as the password book lists them: another list is another talk"""
    order: tuple[int, ...]
    place: Mapping[int, int]


_talks: WeakKeyDictionary[Index, dict[str, _Talk]] = WeakKeyDictionary()


def beside(index: Index, gains: Mapping[int, float], steps: tuple[float, ...]) -> dict[int, Beside]:
    """Spread what cards gain to those beside them; `steps` is the share by distance, the nearest first."""
    rows = index.features.rows()
    talks: dict[str, list[int]] = {}
    for num in gains:
        row = rows.get(num)
        if row is not None and row.topic:
            talks.setdefault(row.topic, []).append(num)
    found: dict[int, Beside] = {}
    for topic, nums in talks.items():
        talk = _talk(index, rows, topic)
        if 1 < len(talk.order) <= LONGEST:
            best = sorted((gains[num] for num in nums), reverse=True)[:TOLD]
            found |= _spread(talk, gains, nums, steps, sum(best) / TOLD)
    return found


def _spread(
    talk: _Talk, gains: Mapping[int, float], nums: list[int], steps: tuple[float, ...], whole: float
) -> dict[int, Beside]:
    near: dict[int, float] = dict.fromkeys(nums, 0.0)
    for num in nums:
        at = talk.place.get(num)
        if at is None:
            continue
        for distance, share in enumerate(steps, 1):
            for other in (at - distance, at + distance):
                if 0 <= other < len(talk.order):
                    near[talk.order[other]] = near.get(talk.order[other], 0.0) + share * gains[num]
    return {num: Beside(gain, whole) for num, gain in near.items()}


def _talk(index: Index, rows: Mapping[int, Features], topic: str) -> _Talk:
    held = _talks.setdefault(index, {})
    cards = index.postings.cards(f"topic:{topic}")
    known = held.get(topic)
    if known is not None and known.cards is cards:
        return known
    order = tuple(sorted((num for num in cards if num in rows), key=lambda num: (rows[num].created, num)))
    held[topic] = _Talk(cards, order, {num: at for at, num in enumerate(order)})
    return held[topic]
