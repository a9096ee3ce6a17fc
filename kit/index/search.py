"""How the best notes are found in postings, in little time.

Law: pure arithmetic over a `Source`. A search may look no further for new notes where none left out could still
come in, or where it has read its fill and the words to come are more common than those that found `k` notes
already; it breaks off only where its time is up, and then it says so. The scores it gives are whole.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, islice
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from kit import kin
from kit.index.bm25 import AKIN, FIELDS, TERM_BUDGET, WORDS, Found, Gains, choose_terms

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from kit.index.bm25 import Curve, Statistics, Term

CODE_BITS = 16
CODE_MASK = (1 << CODE_BITS) - 1
_LOOK_BACK = 500  # a shorter list is cheaper to read than to reason about
_FILL = 4000  # entries that are read for new notes at least; a quarter of a microsecond each
_CANDIDATES = 200  # notes that more common words may still lift, at least
_READ_ALL = 8  # times as many entries as notes: up to there reading all beats searching for each
_SAMPLE = 8  # one score of so many says where about the best begin
_SHORT = 64  # a shorter block takes less time than to look at the clock is worth


class Source(Protocol):
    """Where postings come from. An entry is `(number - base) << 16 | code`; blocks are sorted."""

    gains: Gains | None
    """kept here from search to search; whatever changes the postings sets it to None"""

    @property
    def span(self) -> int:
        """Numbers a block covers: the base of number `n` is `n - n % span`."""

    def statistics(self) -> Statistics:
        """Tell the collection's size."""

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count the notes each term stands in; terms without any are left out."""

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read a term's blocks as (base, entries); with `only`, blocks of other bases may be left out."""


class Search:
    """One search over a source. Terms come rarest first, so that the common ones mostly need no reading."""

    def __init__(
        self,
        source: Source,
        terms: Sequence[Term],
        gains: Gains,
        allowed: Callable[[int], bool] | None,
        deadline: float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._source, self._terms, self._gains = source, terms, gains
        self._allowed, self._deadline, self._clock = allowed, deadline, clock
        self._lists: list[dict[int, array[int]]] = []
        """the blocks that were read of each term so far"""
        self._scores: dict[int, float] = {}
        self._places: dict[int, set[int]] | None = None
        """where the notes that are in stand, once no new one comes in"""
        self._known: dict[int, bool] = {}
        self._read = 0
        self.late = False

    def run(self, k: int) -> Found:
        """Find the `k` best notes."""
        bounds = [term.weight * self._gains.ceiling for term in self._terms]
        rest = [*reversed(list(accumulate(reversed(bounds)))), 0.0]
        closed = False  # no new note comes in any more
        for at, term in enumerate(self._terms):
            if self._is_late():
                break
            closed = closed or (self._is_worth_a_look(term, k) and self._close(k, rest[at]))
            if closed:
                self._lift(term)
            else:
                self._scan(term)
        hits = [(number, score) for score, number in self._best(k) if score > 0]
        used = tuple(term.name for term in self._terms[: len(self._lists)])
        return Found(hits, self.late, used, self._by_field, self._by_word)

    def _is_late(self) -> bool:
        self.late = self.late or self._clock() >= self._deadline
        return self.late

    def _is_worth_a_look(self, term: Term, k: int) -> bool:
        return len(self._scores) >= k and term.df > _LOOK_BACK and 4 * term.df > len(self._scores)

    def _best(self, k: int) -> list[tuple[float, int]]:
        """Take the `k` best notes that are allowed; of those that score alike, the newest."""
        scores, allowed, wanted = self._scores, self._allowed, k
        values = list(scores.values())
        while True:
            if len(values) > 4 * wanted:  # to sort all takes longer than to guess where the best begin
                least = sorted(values[::_SAMPLE])[-(wanted // 4) or -1]
                kept = [(score, number) for number, score in scores.items() if score >= least]
            else:
                kept = [(score, number) for number, score in scores.items()]
            if len(kept) >= k or len(kept) == len(scores):
                kept.sort(reverse=True)
                found = list(islice((each for each in kept if allowed is None or self._may(each[1])), k))
                if len(found) == k or len(kept) == len(scores):
                    return found
            wanted *= 4

    def _may(self, number: int) -> bool:
        may = self._known.get(number)
        if may is None:
            may = self._known[number] = self._allowed is None or self._allowed(number)
        return may

    def _close(self, k: int, to_come: float) -> bool:
        """Drop the notes that can't win any more, if none that is not yet seen has to come in."""
        full = self._read >= _FILL
        if not full and sum(map(to_come.__lt__, self._scores.values())) < k:
            return False  # a quick no; finding the best takes longer
        best = self._best(max(2 * k, _CANDIDATES) if full else k)
        if len(best) < k:
            return False
        least = best[k - 1][0]
        if to_come < least:
            self._scores = {number: score for number, score in self._scores.items() if score + to_come >= least}
            return True
        if full:
            self._scores = {number: score for score, number in best}
            return True
        return False

    def _scan(self, term: Term) -> None:
        """Go through all that a term stands in."""
        scores, weight, mask = self._scores, term.weight, CODE_MASK
        get, worths, work_out = scores.get, self._gains.known, self._gains.work_out
        kept: dict[int, array[int]] = {}
        for base, entries in self._source.postings(term.name):
            kept[base] = entries
            self._read += len(entries)
            for entry in entries:
                number = base + (entry >> CODE_BITS)
                try:
                    worth = worths[entry & mask]
                except KeyError:
                    worth = work_out(entry & mask)
                scores[number] = get(number, 0.0) + weight * worth
            if len(entries) > _SHORT and self._is_late():
                break
        self._lists.append(kept)

    def _lift(self, term: Term) -> None:
        """Add a term to the notes that are in."""
        scores, weight, gains = self._scores, term.weight, self._gains
        if self._places is None:
            self._places = self._by_block(scores)
        blocks = dict(self._source.postings(term.name, self._places.keys()))
        self._lists.append(blocks)
        for number, code in _codes(blocks, self._places):
            scores[number] += weight * gains[code]

    def _by_block(self, numbers: Iterable[int]) -> dict[int, set[int]]:
        """Gather notes by the block they are in, by their places there."""
        span = self._source.span
        found: dict[int, set[int]] = {}
        for number in numbers:
            offset = number % span
            base = number - offset
            if base in found:
                found[base].add(offset)
            else:
                found[base] = {offset}
        return found

    def _by_field(self, numbers: Collection[int]) -> dict[int, dict[str, float]]:
        parts: dict[int, dict[str, float]] = {number: {} for number in numbers}
        places = self._by_block(parts)
        for term, read in zip(self._terms, self._lists, strict=False):
            akin = kin.is_name(term.name)
            for number, code in _codes(read, places):
                gain = term.weight * self._gains[code]
                if gain:
                    name, part = AKIN if akin else FIELDS[code >> 13], parts[number]
                    part[name] = part.get(name, 0.0) + gain
        return parts

    def _by_word(self, numbers: Collection[int]) -> dict[int, dict[str, float]]:
        parts: dict[int, dict[str, float]] = {number: {} for number in numbers}
        places = self._by_block(parts)
        for term, read in zip(self._terms[:WORDS], self._lists, strict=False):
            name, weight = term.name, term.weight
            for number, code in _codes(read, places):
                part = parts[number]
                part[name] = part.get(name, 0.0) + weight * self._gains[code]
        return parts


def _codes(blocks: Mapping[int, array[int]], places: Mapping[int, Collection[int]]) -> list[tuple[int, int]]:
    """Find the codes of notes, given by block and place."""
    found: list[tuple[int, int]] = []
    for base, offsets in places.items():
        entries = blocks.get(base)
        if entries is None:
            continue
        size = len(entries)
        if size <= _READ_ALL * len(offsets):
            found += [
                (base + offset, entry & CODE_MASK) for entry in entries if (offset := entry >> CODE_BITS) in offsets
            ]
            continue
        for offset in offsets:
            at = bisect_left(entries, offset << CODE_BITS)
            while at < size and entries[at] >> CODE_BITS == offset:
                found.append((base + offset, entries[at] & CODE_MASK))
                at += 1
    return found


def search(
    source: Source,
    terms: Sequence[tuple[str, float]],
    k: int,
    *,
    weights: Mapping[str, float],
    curves: Mapping[str, Curve],
    budget_s: float,
    allowed: Callable[[int], bool] | None = None,
    limit: int = TERM_BUDGET,
) -> Found:
    """Find the `k` best notes of a source for weighted terms, in about `budget_s` seconds."""
    deadline = monotonic() + budget_s
    known = source.statistics()
    dfs = source.doc_freqs(list({name for name, _ in terms}))
    chosen = choose_terms(terms, dfs, known.notes, limit)
    gains = source.gains
    if gains is None or not gains.fits(weights, known):
        gains = source.gains = Gains(weights, curves, known)
    return Search(source, chosen, gains, allowed, deadline).run(k)
