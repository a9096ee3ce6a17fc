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
    """What speaks for cards besides their own words."""

    near: Mapping[int, float] = {}
    """what the turns right before and after a card gain by their words"""
    topic: Mapping[int, float] = {}
    """what the best turns of its topic gain, on average; the same cards"""
    answer: Mapping[int, float] = {}
    """what the turn right before gains, where it only asks: what follows a question answers it"""


class _Talk(NamedTuple):
    """The cards of a topic in their order."""

    cards: array[int]
    """as the password book lists them: another list is another talk"""
    order: tuple[int, ...]
    place: Mapping[int, int]


_talks: WeakKeyDictionary[Index, dict[str, _Talk]] = WeakKeyDictionary()


def beside(index: Index, gains: Mapping[int, float], steps: tuple[float, ...]) -> Beside:
    """Spread what cards gain to those beside them; `steps` is the share by distance, the nearest first."""
    rows, known = index.features.rows(), _talks.setdefault(index, {})
    talks: dict[str, list[int]] = {}
    for num in gains:
        row = rows.get(num)
        if row is not None and row.topic:
            talks.setdefault(row.topic, []).append(num)
    found, whole, answers = dict[int, float](), dict[int, float](), dict[int, float]()
    for topic, nums in talks.items():
        talk = _talk(index, rows, topic, known)
        if 1 < len(talk.order) <= LONGEST:
            near = _spread(talk, gains, nums, steps)
            best = sorted([gains[num] for num in nums], reverse=True)[:TOLD]
            found |= near
            whole |= dict.fromkeys(near, sum(best) / TOLD)
            answers |= _answers(talk, gains, [num for num in nums if rows[num].only_asks])
    return Beside(found, whole, answers)


def _spread(talk: _Talk, gains: Mapping[int, float], nums: list[int], steps: tuple[float, ...]) -> dict[int, float]:
    near: dict[int, float] = dict.fromkeys(nums, 0.0)
    order, get = talk.order, near.get
    shares = tuple(enumerate(steps, 1))
    for num in nums:
        at = talk.place.get(num)
        if at is None:
            continue
        gain = gains[num]
        for distance, share in shares:
            if at >= distance:
                other = order[at - distance]
                near[other] = get(other, 0.0) + share * gain
            if at + distance < len(order):
                other = order[at + distance]
                near[other] = get(other, 0.0) + share * gain
    return near


def _answers(talk: _Talk, gains: Mapping[int, float], asking: list[int]) -> dict[int, float]:
    follows = ((talk.place.get(num, len(talk.order)) + 1, num) for num in asking)
    return {talk.order[at]: gains[num] for at, num in follows if at < len(talk.order)}


def _talk(index: Index, rows: Mapping[int, Features], topic: str, held: dict[str, _Talk]) -> _Talk:
    cards = index.postings.cards(f"topic:{topic}")
    known = held.get(topic)
    if known is not None and known.cards is cards:
        return known
    order = tuple(sorted((num for num in cards if num in rows), key=lambda num: (rows[num].created, num)))
    held[topic] = _Talk(cards, order, {num: at for at, num in enumerate(order)})
    return held[topic]
