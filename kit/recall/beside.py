"""What the turns beside a card say: a share of their full text, and of their whole topic's, counts for it too.

Law: pure reading; only cards of one topic stand beside each other, in the order they were made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from kit.index.features import Features
    from kit.index.reflection import Index

LONGEST = 2_000
"""Cards of a topic up to which it is one talk; a longer one is a drawer."""
LENT = 0.7
"""Share of its gain that a word keeps in the turn right beside the one it stands in."""
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
    lent: Mapping[int, float] = {}
    """what words it lacks, or hardly has, gain in a turn beside it: each at its best place, further ones less"""


class _Talk(NamedTuple):
    """The cards of a topic in their order."""

    cards: array[int]
    """as the password book lists them: another list is another talk"""
    order: tuple[int, ...]
    place: Mapping[int, int]

    def next(self, num: int) -> int | None:
        """Name the card that comes after one."""
        at = self.place.get(num, len(self.order)) + 1
        return self.order[at] if at < len(self.order) else None


_Part = tuple[float, int]
"""A share, and the card in whose gain it is."""

_talks: WeakKeyDictionary[Index, dict[str, _Talk]] = WeakKeyDictionary()


def beside(
    index: Index,
    gains: Mapping[int, float],
    steps: tuple[float, ...],
    words: Callable[[Collection[int]], Mapping[int, Mapping[str, float]]] = lambda _: {},
) -> Beside:
    """Spread what cards gain to those beside them; `steps` is the share by distance, the nearest first.

    `words` says what each word adds to the gains of some cards.
    """
    rows = index.features.rows()
    topics, asking = _by_topic(rows, gains)
    talks = _talked(index, rows, topics)
    near, whole, lent = dict[int, float](), dict[int, float](), dict[int, float]()
    several: dict[int, list[_Part]] = {}
    ways = [(way * distance, share) for distance, share in enumerate(steps, 1) for way in (-1, 1)]
    shares = (*reversed(steps), 0.0, *steps)
    for topic, talk in talks.items():
        nums = topics[topic]
        if len(nums) == 1:  # as mostly: nothing else in this topic gains anything
            num, gain = nums[0], gains[nums[0]]
            near[num], whole[num] = 0.0, gain / TOLD
            around, own = _around(talk, num, shares)
            near.update(zip(around, map(gain.__mul__, own), strict=False))
            lent.update(zip(around, map((LENT * gain).__mul__, own), strict=False))
            whole |= dict.fromkeys(around, gain / TOLD)
            continue
        reached = dict.fromkeys(nums, 0.0)
        for num, parts in _reached(talk, nums, ways).items():
            if len(parts) == 1 and num not in reached:
                share, other = parts[0]
                reached[num] = gain = share * gains[other]
                lent[num] = LENT * gain  # it has none of the words: all of them are lent
            else:
                several[num] = parts
                reached[num] = sum([share * gains[other] for share, other in parts])
        best = sorted([gains[num] for num in nums], reverse=True)[:TOLD]
        near |= reached
        whole |= dict.fromkeys(reached, sum(best) / TOLD)
    if several:
        lent |= _lent(several, words)
    answers = ((talks[topic].next(num), num) for topic, num in asking if topic in talks)
    return Beside(near, whole, {after: gains[num] for after, num in answers if after is not None}, lent)


def _by_topic(rows: Mapping[int, Features], nums: Iterable[int]) -> tuple[dict[str, list[int]], list[tuple[str, int]]]:
    """Gather cards by topic, and those that only ask."""
    topics: dict[str, list[int]] = {}
    asking: list[tuple[str, int]] = []
    for num in nums:
        row = rows.get(num)
        if row is not None and (topic := row.topic):
            if topic in topics:
                topics[topic].append(num)
            else:
                topics[topic] = [num]
            if row.only_asks:
                asking.append((topic, num))
    return topics, asking


def _around(talk: _Talk, num: int, shares: tuple[float, ...]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Name a card and those beside it, and the share each has in what it gains: itself has none."""
    at = talk.place.get(num)
    if at is None:
        return (), ()
    first = at - len(shares) // 2
    return talk.order[max(first, 0) : first + len(shares)], shares[max(-first, 0) :]


def _reached(talk: _Talk, nums: list[int], ways: Sequence[tuple[int, float]]) -> dict[int, list[_Part]]:
    """Name for each card the cards beside it that gain something."""
    reached: dict[int, list[_Part]] = {}
    order, size = talk.order, len(talk.order)
    for num in nums:
        at = talk.place.get(num)
        if at is None:
            continue
        for step, share in ways:
            to = at + step
            if 0 <= to < size:
                other = order[to]
                if other in reached:
                    reached[other].append((share, num))
                else:
                    reached[other] = [(share, num)]
    return reached


def _lent(
    several: Mapping[int, list[_Part]], words: Callable[[Collection[int]], Mapping[int, Mapping[str, float]]]
) -> dict[int, float]:
    """Take each word at its best place, where a card and those beside it have words of their own."""
    by_word = words({*several, *(other for parts in several.values() for _, other in parts)})
    nothing: Mapping[str, float] = {}
    found: dict[int, float] = {}
    for num, parts in several.items():
        own = by_word.get(num, nothing)
        best = dict(own)
        for share, other in parts:
            for word, gain in by_word.get(other, nothing).items():
                if LENT * share * gain > best.get(word, 0.0):
                    best[word] = LENT * share * gain
        more = sum(best.values()) - sum(own.values())
        if more > 0:
            found[num] = more
    return found


def _talked(index: Index, rows: Mapping[int, Features], topics: Iterable[str]) -> dict[str, _Talk]:
    """Find the talks that have cards beside each other."""
    held, cards_of = _talks.setdefault(index, {}), index.postings.cards
    found: dict[str, _Talk] = {}
    for topic in topics:
        cards = cards_of(f"topic:{topic}")
        talk = held.get(topic)
        if talk is None or talk.cards is not cards:
            order = tuple(sorted((num for num in cards if num in rows), key=lambda num: (rows[num].created, num)))
            talk = held[topic] = _Talk(cards, order, {num: at for at, num in enumerate(order)})
        if 1 < len(talk.order) <= LONGEST:
            found[topic] = talk
    return found
