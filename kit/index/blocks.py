"""What a change does to the SQLite engine's tables, and how postings are cut into blocks.

Law: pure. A block holds what one word's entries of 1,024 notes keep: `(number % 1024) << 16 | code`, sorted.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from kit.index.bm25 import TALLIED, tally

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kit.index.bm25 import Counted

SPAN_BITS = 10
"""Notes that share a block, as a power of two."""
_ENTRY_BITS = SPAN_BITS + 16
_KEPT = (1 << _ENTRY_BITS) - 1
_FEW = 8  # entries to be put into their places one by one


class Change:
    """What one `apply` does, gathered before anything is written."""

    def __init__(self) -> None:
        self.gone: defaultdict[str, list[int]] = defaultdict(list)
        """notes that leave a word"""
        self.come: defaultdict[str, list[int]] = defaultdict(list)
        """entries that come to a word"""
        self.df: Counter[str] = Counter()
        self.totals = [0] * TALLIED
        self.count = 0

    def remove(self, num: int, terms: Sequence[str], lengths: Sequence[int]) -> None:
        """Take a note out, by its distinct terms."""
        for term in terms:
            self.gone[term].append(num)
        self.df.subtract(terms)
        self._add_lengths(lengths, -1)

    def add(self, num: int, counted: Counted) -> None:
        """Take a note in."""
        come, high = self.come, num << 16
        for term, code in zip(counted.terms, counted.codes, strict=True):
            come[term].append(high | code)
        self.df.update(set(counted.terms))
        self._add_lengths(counted.lengths, 1)

    def _add_lengths(self, lengths: Sequence[int], sign: int) -> None:
        self.count += sign
        self.totals = [total + sign * each for total, each in zip(self.totals, tally(lengths), strict=True)]


def cut(entries: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Cut a word's entries into (block, what it keeps); the list is sorted in place."""
    if len(entries) == 1:
        yield entries[0] >> _ENTRY_BITS, [entries[0] & _KEPT]
        return
    entries.sort()
    start = 0
    while start < len(entries):
        block = entries[start] >> _ENTRY_BITS
        end = len(entries)
        if entries[-1] >> _ENTRY_BITS != block:
            end = bisect_left(entries, block + 1 << _ENTRY_BITS, start)
        yield block, [entry & _KEPT for entry in entries[start:end]]
        start = end


def pack(entries: Sequence[int]) -> bytes:
    """Write entries as a table keeps them."""
    return array("I", entries).tobytes()


def unpack(raw: bytes) -> array[int]:
    """Read what `pack` wrote."""
    values = array("I")
    values.frombytes(raw)
    return values


def changed(old: array[int], gone: Collection[int], come: Sequence[int]) -> array[int]:
    """Copy a block without some notes (by their place in it) and with some entries; sorted."""
    new = old[:]
    for low in gone:
        del new[bisect_left(new, low << 16) : bisect_left(new, (low + 1) << 16)]
    if len(come) > _FEW:
        return array("I", sorted((*new, *come)))
    for entry in come:
        insort(new, entry)
    return new
