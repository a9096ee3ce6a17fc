"""What a change does to the SQLite engine's tables, and how postings are cut into blocks.

Law: pure. A block holds what one word's entries of 1,024 notes keep: `(number % 1024) << 16 | code`, sorted.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, insort
from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING

from kit.index.bm25 import TALLIED, tally

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kit.index.bm25 import Counted

SPAN_BITS = 10
"""Notes that share a block, as a power of two."""
ENTRY_BITS = SPAN_BITS + 16
"""Bits of an entry that a block keeps; its number stands above them."""
_KEPT = (1 << ENTRY_BITS) - 1
_WIDTH = array("I").itemsize
_FEW = 8  # entries to be put into their places, or taken out, one by one


class Change:
    """What one `apply` does, gathered before anything is written."""

    def __init__(self) -> None:
        self.gone: defaultdict[str, list[int]] = defaultdict(list)
        """entries that leave a word"""
        self.come: defaultdict[str, list[int]] = defaultdict(list)
        """entries that come to a word"""
        self.df: Counter[str] = Counter()
        self.totals = [0] * TALLIED
        self.count = 0

    def remove(self, num: int, counted: Counted) -> None:
        """Take a note out."""
        _spread(self.gone, num, counted.terms, counted.codes)
        self.df.subtract(set(counted.terms))
        self._add_lengths(counted.lengths, -1)

    def add(self, num: int, counted: Counted) -> None:
        """Take a note in."""
        _spread(self.come, num, counted.terms, counted.codes)
        self.df.update(set(counted.terms))
        self._add_lengths(counted.lengths, 1)

    def replace(self, num: int, old: Counted, new: Counted) -> None:
        """Put a note in the place of its earlier version: most words of an edited note stay as they were."""
        before = set(zip(old.terms, old.codes, strict=True))
        after = set(zip(new.terms, new.codes, strict=True))
        touched: set[str] = set()
        for to, pairs in ((self.gone, before - after), (self.come, after - before)):
            for term, code in pairs:
                to[term].append(num << 16 | code)
                touched.add(term)
        had, has = touched.intersection(old.terms), touched.intersection(new.terms)
        self.df.subtract(had - has)
        self.df.update(has - had)
        self._add_lengths(old.lengths, -1)
        self._add_lengths(new.lengths, 1)

    def words(self) -> set[str]:
        """Name every word that something comes to or leaves."""
        return {*self.come, *self.gone}

    def _add_lengths(self, lengths: Sequence[int], sign: int) -> None:
        self.count += sign
        self.totals = [total + sign * each for total, each in zip(self.totals, tally(lengths), strict=True)]


def _spread(to: defaultdict[str, list[int]], num: int, terms: Sequence[str], codes: Sequence[int]) -> None:
    entries = map((num << 16).__or__, codes)
    deque(map(list.append, map(to.__getitem__, terms), entries), maxlen=0)  # goes through them without a loop of Python


def cut(entries: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Cut a word's entries into (block, what it keeps); the list is sorted in place."""
    if len(entries) == 1:
        yield entries[0] >> ENTRY_BITS, [entries[0] & _KEPT]
        return
    entries.sort()
    start = 0
    while start < len(entries):
        block = entries[start] >> ENTRY_BITS
        end = len(entries)
        if entries[-1] >> ENTRY_BITS != block:
            end = bisect_left(entries, block + 1 << ENTRY_BITS, start)
        yield block, [entry & _KEPT for entry in entries[start:end]]
        start = end


def pack(entries: Sequence[int]) -> bytes:
    """Write entries as a table keeps them."""
    return array("I", entries).tobytes()


def pack_one(entry: int) -> bytes:
    """Write an entry that is alone in its block."""
    return (entry & _KEPT).to_bytes(_WIDTH, sys.byteorder)


def unpack(raw: bytes) -> array[int]:
    """Read what `pack` wrote."""
    values = array("I")
    values.frombytes(raw)
    return values


def changed(old: array[int], gone: Collection[int], come: Sequence[int]) -> array[int]:
    """Copy a block without some entries and with some others; sorted."""
    if len(gone) + len(come) > _FEW:
        return array("I", sorted({*old}.difference(gone).union(come)))
    new = old[:]
    for entry in gone:
        at = bisect_left(new, entry)
        if at < len(new) and new[at] == entry:
            del new[at]
    for entry in come:
        insort(new, entry)
    return new
