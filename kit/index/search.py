"""How the best notes are found in postings, in little time.

Law: pure arithmetic over a `Source`. A search may look no further for new notes where none left out could still
come in, or where it has read its fill and the words to come are more common than those that found `k` notes
already; it breaks off only where its time is up, and then it says so. The scores it gives are whole.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from operator import itemgetter
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from kit import kin
from kit.index.bm25 import AKIN, FIELDS, TERM_BUDGET, WORDS, Found, choose_terms
from kit.index.impacts import CODE_BITS, CODE_MASK, LONGEST, WHOLE, Impact, Impacts

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from kit.index.bm25 import Curve, Statistics, Term

_LOOK_BACK = 500  # a shorter list is cheaper to read than to reason about
_FILL = 4000  # entries that are read for new notes at least; a quarter of a microsecond each
_CANDIDATES = 200  # notes that more common words may still lift, at least
_READ_ALL = 8  # times as many entries as notes: up to there reading all beats searching for each
_SAMPLE = 8  # one score of so many says where about the best begin


class Source(Protocol):
    """Where postings come from. An entry is `(number - base) << 16 | code`; blocks are sorted."""

    impacts: Impacts | None
    """kept here from search to search; whatever changes the postings sets it to None"""

    @property
    def span(self) -> int:
        """Numbers a block covers: the base of number `n` is `n - n % span`."""

    def statistics(self) -> Statistics:
        """Tell the collection's size."""

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count the notes each term stands in; terms without any are left out."""

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read a term's blocks as (base, entries); with `only`, blocks without these numbers may be left out."""


class Search:
    """One search over a source. Terms come rarest first, so that the common ones mostly need no reading."""

    def __init__(
        self,
        source: Source,
        terms: Sequence[Term],
        impacts: Impacts,
        allowed: Callable[[int], bool] | None,
        deadline: float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._source, self._terms, self._impacts, self._gains = source, terms, impacts, impacts.gains
        self._allowed, self._deadline, self._clock = allowed, deadline, clock
        self._lists: list[Impact | dict[int, array[int]]] = []
        """what was read of each term so far: all of it, or some blocks"""
        self._scores: dict[int, float] = {}
        self._known: dict[int, bool] = {}
        self._read = 0
        self.late = False

    def run(self, k: int) -> Found:
        """Find the `k` best notes."""
        tops, ceiling = self._impacts.tops, self._gains.ceiling
        bounds = [term.weight * tops.get(term.name, ceiling) for term in self._terms]
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
        scores = self._scores
        if len(scores) > _SAMPLE * k * 4:  # to sort all takes longer than to guess where the best begin
            about = sorted(list(scores.values())[::_SAMPLE])[-(k // 2)]
            kept = self._allowed_of({number: score for number, score in scores.items() if score >= about}, k)
            if len(kept) == k:
                return kept
        return self._allowed_of(scores, k)

    def _allowed_of(self, scores: Mapping[int, float], k: int) -> list[tuple[float, int]]:
        allowed, known = self._allowed, self._known
        kept: list[tuple[float, int]] = []
        least = 0.0
        for number, score in sorted(scores.items(), key=itemgetter(1), reverse=True):
            if len(kept) >= k and score < least:
                break
            if allowed is not None:
                may = known.get(number)
                if may is None:
                    may = known[number] = allowed(number)
                if not may:
                    continue
            least = score
            kept.append((score, number))
        kept.sort(reverse=True)
        return kept[:k]

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
        impact = self._impacts.of(term.name)
        if impact is None:
            if term.df > LONGEST or not self._impacts.is_met(term.name):
                self._scan_blocks(term)
                return
            impact = self._impacts.keep(term.name, self._source.postings(term.name))
        self._lists.append(impact)
        self._read += len(impact.entries)
        scores, weight = self._scores, term.weight
        get = scores.get
        for number, worth in zip(impact.numbers, impact.worths, strict=True):
            scores[number] = get(number, 0.0) + weight * worth

    def _scan_blocks(self, term: Term) -> None:
        """Go through a list that is not to be kept."""
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
            if self._is_late():
                break
        self._lists.append(kept)

    def _lift(self, term: Term) -> None:
        """Add a term to the notes that are in."""
        scores, weight = self._scores, term.weight
        impact = self._impacts.of(term.name)
        if impact is not None:
            self._lists.append(impact)
            for number, worth in impact.among(scores):
                scores[number] += weight * worth
            return
        blocks = dict(self._source.postings(term.name, scores.keys()))
        self._lists.append(blocks)
        gains = self._gains
        for number, code in self._codes(blocks, scores):
            scores[number] += weight * gains[code]

    def _codes(self, read: Impact | Mapping[int, array[int]], numbers: Collection[int]) -> list[tuple[int, int]]:
        """Find the codes of some notes."""
        blocks, span = ({0: read.entries}, WHOLE) if isinstance(read, Impact) else (read, self._source.span)
        found: list[tuple[int, int]] = []
        if sum(map(len, blocks.values())) <= _READ_ALL * len(numbers):
            for base, entries in blocks.items():
                found += [
                    (number, entry & CODE_MASK)
                    for entry in entries
                    if (number := base + (entry >> CODE_BITS)) in numbers
                ]
            return found
        for number in numbers:
            offset = number % span
            entries_ = blocks.get(number - offset)
            if entries_ is None:
                continue
            at = bisect_left(entries_, offset << CODE_BITS)
            while at < len(entries_) and entries_[at] >> CODE_BITS == offset:
                found.append((number, entries_[at] & CODE_MASK))
                at += 1
        return found

    def _by_field(self, numbers: Collection[int]) -> dict[int, dict[str, float]]:
        parts: dict[int, dict[str, float]] = {number: {} for number in numbers}
        for term, read in zip(self._terms, self._lists, strict=False):
            akin = kin.is_name(term.name)
            for number, code in self._codes(read, parts):
                gain = term.weight * self._gains[code]
                if gain:
                    name, part = AKIN if akin else FIELDS[code >> 13], parts[number]
                    part[name] = part.get(name, 0.0) + gain
        return parts

    def _by_word(self, numbers: Collection[int]) -> dict[int, dict[str, float]]:
        parts: dict[int, dict[str, float]] = {number: {} for number in numbers}
        for term, read in zip(self._terms[:WORDS], self._lists, strict=False):
            name, weight = term.name, term.weight
            if isinstance(read, Impact):
                for number, worth in read.among(parts):
                    parts[number][name] = weight * worth
                continue
            for number, code in self._codes(read, parts):
                part = parts[number]
                part[name] = part.get(name, 0.0) + weight * self._gains[code]
        return parts


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
    impacts = source.impacts
    if impacts is None or not impacts.fits(weights, known):
        impacts = source.impacts = Impacts(weights, curves, known)
    return Search(source, chosen, impacts, allowed, deadline).run(k)
