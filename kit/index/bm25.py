"""BM25 per field, scored apart and added: how postings are packed, and how the best notes are found.

Law: pure arithmetic over a `Source` of postings. A search may stop early only where no note left out could
still have come in, or where its time is up, and then it says so.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from heapq import nlargest
from itertools import accumulate
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kit import text

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

FIELDS = ("title", "tags", "summary", "overview", "user", "agent", "facts", "body")
"""The fields of a note. The order is part of every stored posting."""
TERM_BUDGET = 24
"""So many of a question's terms are asked for, the rarest first."""
_TF_LIMIT = 31
_LENGTH_STEPS = 16  # per doubling: a stored length is off by 2 % at most
_CODE_BITS = 16
_CODE_MASK = (1 << _CODE_BITS) - 1
_LOOK_BACK = 500  # a shorter list is cheaper to read than to reason about


class Curve(NamedTuple):
    """The two knobs of BM25 for one field."""

    k1: float = 0.6
    """how fast repeating a word stops helping"""
    b: float = 0.1
    """how much a long field is held against a note; cards are short, so little"""


class Found(NamedTuple):
    """The answer of a search."""

    hits: list[tuple[int, dict[str, float]]]
    """best first: the note's number, and what each field adds to its score (the score is their sum)"""
    late: bool
    """the time was up: these are the best so far"""
    used_terms: tuple[str, ...]
    """terms that were looked up, rarest first"""


class Statistics(NamedTuple):
    """What BM25 needs to know of the whole collection."""

    notes: int
    """how many"""
    totals: tuple[int, ...]
    """terms in each field, all notes together, in the order of `FIELDS`"""

    def averages(self) -> list[float]:
        """Mean length of each field over all notes, at least 1."""
        return [max(total / self.notes, 1.0) if self.notes else 1.0 for total in self.totals]


class Source(Protocol):
    """Where postings come from. An entry is `(number - base) << 16 | code`; blocks are sorted."""

    @property
    def span(self) -> int:
        """Numbers a block covers: the base of number `n` is `n - n % span`."""

    def statistics(self) -> Statistics:
        """Tell the collection's size."""

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count the notes each term stands in; terms without any are left out."""

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read a term's blocks as (base, entries); with `only`, blocks without these numbers may be left out."""


class Counted(NamedTuple):
    """A note as postings: its terms field by field, so that one may come again, and a code for each."""

    terms: list[str]
    codes: list[int]
    """field, frequency and length of the field: what `Gains` reads"""
    lengths: tuple[int, ...]
    """terms in each field, in the order of `FIELDS`"""

    def by_term(self) -> dict[str, list[int]]:
        """Gather the codes of each term."""
        found: dict[str, list[int]] = {}
        for term, code in zip(self.terms, self.codes, strict=True):
            found.setdefault(term, []).append(code)
        return found


def count_terms(fields: Mapping[str, str]) -> Counted:
    """Analyse a note's fields; unknown fields are ignored."""
    terms: list[str] = []
    codes: list[int] = []
    lengths = [0] * len(FIELDS)
    for at, name in enumerate(FIELDS):
        value = fields.get(name)
        words = text.terms(value) if value else ()
        if not words:
            continue
        lengths[at] = len(words)
        low = at << 13 | min(round(_LENGTH_STEPS * math.log2(len(words))), 255)
        counts = Counter(words)
        terms += counts
        codes += [low | (tf if tf < _TF_LIMIT else _TF_LIMIT) << 8 for tf in counts.values()]
    return Counted(terms, codes, tuple(lengths))


def idf(count: int, df: int) -> float:
    """Weigh a term by its rarity; always above zero."""
    return math.log(1 + (max(count, df) - df + 0.5) / (df + 0.5))


class Gains(dict[int, float]):
    """What a code is worth before rarity; worked out when first met."""

    def __init__(self, weights: Mapping[str, float], curves: Mapping[str, Curve], known: Statistics) -> None:
        super().__init__()
        self._fields = [
            (weights.get(name, 0.0), curves.get(name, Curve()), mean)
            for name, mean in zip(FIELDS, known.averages(), strict=True)
        ]
        self.ceiling = sum(
            weight * (curve.k1 + 1)
            for (weight, curve, _), total in zip(self._fields, known.totals, strict=True)
            if total
        )
        """no term can be worth more in one note"""

    def __missing__(self, code: int) -> float:
        """Work out `w·tf·(k1+1) / (tf + k1·(1 − b + b·length/mean))` (Robertson and Zaragoza 2009)."""
        weight, (k1, b), mean = self._fields[code >> 13]
        tf = code >> 8 & _TF_LIMIT
        length = 2 ** ((code & 255) / _LENGTH_STEPS)
        gain = weight * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))
        self[code] = gain
        return gain


class Term(NamedTuple):
    """A term that takes part, with its weight times its rarity."""

    name: str
    weight: float
    df: int


def add_weights(terms: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Add up the weights of terms that are asked for more than once."""
    asked: dict[str, float] = {}
    for name, weight in terms:
        asked[name] = asked.get(name, 0.0) + weight
    return asked


def choose_terms(
    terms: Sequence[tuple[str, float]], dfs: Mapping[str, int], count: int, limit: int = TERM_BUDGET
) -> list[Term]:
    """Keep the rarest `limit` terms that occur at all, rarest first; a term asked twice counts twice."""
    asked = add_weights(terms)
    kept = [Term(name, weight * idf(count, dfs[name]), dfs[name]) for name, weight in asked.items() if dfs.get(name)]
    return sorted((term for term in kept if term.weight > 0), key=lambda term: (term.df, term.name))[:limit]


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
        self._blocks: list[dict[int, array[int]]] = []
        self._scores: dict[int, float] = {}
        self._denied: set[int] = set()
        self.late = False

    def run(self, k: int) -> Found:
        """Find the `k` best notes."""
        bounds = [term.weight * self._gains.ceiling for term in self._terms]
        rest = [*reversed(list(accumulate(reversed(bounds)))), 0.0]
        closed = False  # no new note can come in any more
        for at, term in enumerate(self._terms):
            if self._is_late():
                break
            if closed or (term.df > _LOOK_BACK and len(self._scores) >= k):
                closed = self._trim(k, rest[at]) or closed
            if closed:
                self._add_to_candidates(term)
            else:
                self._scan(term)
        best = nlargest(k, ((score, number) for number, score in self._scores.items() if score > 0))
        used = tuple(term.name for term in self._terms[: len(self._blocks)])
        return Found([(number, self._by_field(number)) for _, number in best], self.late, used)

    def _is_late(self) -> bool:
        self.late = self.late or self._clock() >= self._deadline
        return self.late

    def _trim(self, k: int, to_come: float) -> bool:
        """Drop the notes that can't win any more; tell whether notes not yet seen can't either."""
        least = nlargest(k, self._scores.values())[-1] if len(self._scores) >= k else 0.0
        if to_come >= least:
            return False
        self._scores = {number: score for number, score in self._scores.items() if score + to_come >= least}
        return True

    def _scan(self, term: Term) -> None:
        scores, gains, allowed, weight = self._scores, self._gains, self._allowed, term.weight
        get = scores.get
        kept: dict[int, array[int]] = {}
        for base, entries in self._source.postings(term.name):
            kept[base] = entries
            for entry in entries:
                number = base + (entry >> _CODE_BITS)
                score = get(number)
                if score is None:
                    if allowed is not None and (number in self._denied or not allowed(number)):
                        self._denied.add(number)
                        continue
                    score = 0.0
                scores[number] = score + weight * gains[entry & _CODE_MASK]
            if self._is_late():
                break
        self._blocks.append(kept)

    def _add_to_candidates(self, term: Term) -> None:
        blocks = dict(self._source.postings(term.name, self._scores.keys()))
        self._blocks.append(blocks)
        for number in self._scores:
            for code in self._codes(blocks, number):
                self._scores[number] += term.weight * self._gains[code]

    def _codes(self, blocks: Mapping[int, array[int]], number: int) -> Iterator[int]:
        offset = number % self._source.span
        entries = blocks.get(number - offset)
        if entries is None:
            return
        at = bisect_left(entries, offset << _CODE_BITS)
        while at < len(entries) and entries[at] >> _CODE_BITS == offset:
            yield entries[at] & _CODE_MASK
            at += 1

    def _by_field(self, number: int) -> dict[str, float]:
        parts: dict[str, float] = {}
        for term, blocks in zip(self._terms, self._blocks, strict=False):
            for code in self._codes(blocks, number):
                gain = term.weight * self._gains[code]
                if gain:
                    name = FIELDS[code >> 13]
                    parts[name] = parts.get(name, 0.0) + gain
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
    return Search(source, chosen, Gains(weights, curves, known), allowed, deadline).run(k)
