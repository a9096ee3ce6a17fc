"""What words are worth in each note before rarity: worked out once, and kept for those who ask for them again.

Law: of one state of one engine, and bounded; whoever changes the postings throws it away. It only saves time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from kit.index.bm25 import Gains

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kit.index.bm25 import Curve, Statistics

CODE_BITS = 16
CODE_MASK = (1 << CODE_BITS) - 1
WHOLE = 1 << 47
"""More than any note's number: a list that is kept is one block."""
LONGEST = 8_000
"""Notes of a word up to which it is kept."""
_ROOM = 32_000  # entries that are kept, all words together: about half a megabyte
_WORDS = 512
_MET = 4_096


class Impact(NamedTuple):
    """All postings of one word."""

    entries: array[int]
    """`number << 16 | code`, sorted"""
    numbers: array[int]
    worths: array[float]
    """of each number"""

    def among(self, numbers: Collection[int]) -> Iterator[tuple[int, float]]:
        """Give what the word is worth in those of some notes that have it."""
        own, worths = self.numbers, self.worths
        if len(own) <= 4 * len(numbers):
            for number, worth in zip(own, worths, strict=True):
                if number in numbers:
                    yield number, worth
            return
        size = len(own)
        for number in numbers:
            at = bisect_left(own, number)
            if at < size and own[at] == number:
                yield number, worths[at]


class Impacts:
    """The words that were asked for last, and the most that any word is worth."""

    def __init__(self, weights: Mapping[str, float], curves: Mapping[str, Curve], known: Statistics) -> None:
        self._weights, self._state = dict(weights), known
        self.gains = Gains(weights, curves, known)
        self.tops: dict[str, float] = {}
        """the most a word is worth in any note, of those that were read"""
        self._kept: dict[str, Impact] = {}
        self._size = 0
        self._met: set[str] = set()

    def fits(self, weights: Mapping[str, float], known: Statistics) -> bool:
        """Tell whether it was worked out for these."""
        return self._state is known and self._weights == weights

    def of(self, word: str) -> Impact | None:
        """Find a word that is kept; it is kept longer, then."""
        found = self._kept.pop(word, None)
        if found is not None:
            self._kept[word] = found
        return found

    def is_met(self, word: str) -> bool:
        """Tell whether a word was asked for before; most are not asked for again, and keeping takes time."""
        if word in self._met:
            return True
        if len(self._met) >= _MET:
            self._met.clear()
        self._met.add(word)
        return False

    def keep(self, word: str, blocks: Iterable[tuple[int, array[int]]]) -> Impact:
        """Work out what a word is worth, and keep that in place of what was longest not asked for."""
        gains, mask, entries = self.gains, CODE_MASK, array("Q")
        for base, block in blocks:
            high = base << CODE_BITS
            entries.extend(block if block.typecode == "Q" else [high | entry for entry in block])
        worth: dict[int, float] = {}
        get, known = worth.get, gains.known
        for entry in entries:
            number = entry >> CODE_BITS
            try:
                gain = known[entry & mask]
            except KeyError:
                gain = gains.work_out(entry & mask)
            worth[number] = get(number, 0.0) + gain
        made = Impact(entries, array("Q", worth), array("d", worth.values()))
        if len(self.tops) >= _MET:
            self.tops.clear()
        self.tops[word] = max(made.worths, default=0.0)
        self._kept[word] = made
        self._size += len(entries)
        while self._size > _ROOM or len(self._kept) > _WORDS:
            gone = next(iter(self._kept))
            self._size -= len(self._kept.pop(gone).entries)
        return made
