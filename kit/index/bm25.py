"""BM25 per field, scored apart and added: how postings are packed and what they are worth.

Law: pure arithmetic.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from kit import kin, text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

FIELDS = ("title", "tags", "summary", "overview", "user", "agent", "facts", "body")
"""The fields of a note. The order is part of every stored posting."""
AKIN = "akin"
"""What words akin to those of a question add to a score, whatever field they stand in; see `kit.kin`."""
TERM_BUDGET = 32
"""So many of a question's terms are asked for: those that weigh most and are rare."""
WORDS = 12
"""Terms of a question that are told apart: most questions have fewer."""
_TF_LIMIT = 31
_LENGTH_STEPS = 16  # per doubling: a stored length is off by 2 % at most


class Curve(NamedTuple):
    """The two knobs of BM25 for one field."""

    k1: float = 1.0
    """how fast repeating a word stops helping"""
    b: float = 0.3
    """how much a long field is held against a note; cards are short, so little"""


class Found(NamedTuple):
    """The answer of a search."""

    hits: list[tuple[int, float]]
    """best first: the note's number and its score"""
    late: bool
    """the time was up: these are the best so far"""
    used_terms: tuple[str, ...]
    """terms that were looked up, rarest first"""
    parts: Callable[[Collection[int]], Mapping[int, Mapping[str, float]]]
    """says of some of these notes what each field adds to the score, `AKIN` apart; to be asked before it changes"""
    words: Callable[[Collection[int]], Mapping[int, Mapping[str, float]]] = lambda _: {}
    """says what each of the rarest `WORDS` terms adds; likewise"""


class Statistics(NamedTuple):
    """What BM25 needs to know of the whole collection."""

    notes: int
    """how many"""
    totals: tuple[int, ...]
    """terms in each field, all notes together, in the order of `FIELDS`, then the notes that have each"""

    def averages(self) -> list[float]:
        """Mean length of each field over the notes that have it, at least 1.

        Over all notes it would be too small for a field that few have, and their notes would seem long.
        """
        sizes, bearers = self.totals[: len(FIELDS)], self.totals[len(FIELDS) :]
        return [max(total / max(notes, 1), 1.0) for total, notes in zip(sizes, bearers, strict=True)]


TALLIED = 2 * len(FIELDS)
"""Numbers that `Statistics.totals` holds."""


def tally(lengths: Sequence[int]) -> tuple[int, ...]:
    """Give what one note adds to `Statistics.totals`, by the lengths of its fields."""
    return (*lengths, *(1 if length else 0 for length in lengths))


class Counted(NamedTuple):
    """A note as postings: its terms field by field, so that one may come again, and a code for each."""

    terms: list[str]
    codes: list[int]
    """field, frequency and length of the field: what `Gains` reads"""
    lengths: tuple[int, ...]
    """terms in each field, in the order of `FIELDS`"""

    def packed(self) -> tuple[str, bytes]:
        """Write the terms as one text, and the codes as bytes."""
        return " ".join(self.terms), array("H", self.codes).tobytes()

    @classmethod
    def unpacked(cls, terms: str, codes: bytes, lengths: tuple[int, ...]) -> Counted:
        """Read what was `packed`."""
        found = array("H")
        found.frombytes(codes)
        return cls(terms.split(), found.tolist(), lengths)

    def __reduce__(self) -> tuple[object, ...]:
        """Travel between processes packed: that takes half the time of term by term."""
        return self.unpacked, (*self.packed(), self.lengths)

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
        if families := kin.borne(words):
            counts.update(families)  # they make the field no longer
        terms += counts
        codes += [low | (tf if tf < _TF_LIMIT else _TF_LIMIT) << 8 for tf in counts.values()]  # noqa: FURB136 - no call
    return Counted(terms, codes, tuple(lengths))


def field_of(code: int) -> str:
    """Name the field of a code."""
    return FIELDS[code >> 13]


def frequency_of(code: int) -> int:
    """Tell how often a code's term stands in its field; 31 stands for more."""
    return code >> 8 & _TF_LIMIT


def idf(count: int, df: int) -> float:
    """Weigh a term by its rarity; always above zero."""
    return math.log(1 + (max(count, df) - df + 0.5) / (df + 0.5))


class Gains:
    """What a code is worth before rarity; worked out when first met."""

    def __init__(self, weights: Mapping[str, float], curves: Mapping[str, Curve], known: Statistics) -> None:
        self._weights, self._state = dict(weights), known
        self.known: dict[int, float] = {}
        """by code; those that are missing are to be worked out (a subclass of dict looks up in twice the time)"""
        self._fields = [
            (weights.get(name, 0.0), curves.get(name, Curve()), mean)
            for name, mean in zip(FIELDS, known.averages(), strict=True)
        ]
        self.ceiling = sum(
            weight * (curve.k1 + 1)
            for (weight, curve, _), total in zip(self._fields, known.totals[: len(FIELDS)], strict=True)
            if total
        )
        """no term can be worth more in one note"""

    def fits(self, weights: Mapping[str, float], known: Statistics) -> bool:
        """Tell whether it was worked out for these."""
        return self._state is known and self._weights == weights

    def __getitem__(self, code: int) -> float:
        """Tell what a code is worth."""
        gain = self.known.get(code)
        return self.work_out(code) if gain is None else gain

    def work_out(self, code: int) -> float:
        """Work out `w·tf·(k1+1) / (tf + k1·(1 − b + b·length/mean))` (Robertson and Zaragoza 2009)."""
        weight, (k1, b), mean = self._fields[code >> 13]
        tf = code >> 8 & _TF_LIMIT
        length = 2 ** ((code & 255) / _LENGTH_STEPS)
        gain = weight * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))
        self.known[code] = gain
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
    """Keep the `limit` terms that can tell most, by weight and rarity, and give them rarest first."""
    found = [
        Term(name, weight * idf(count, df), df)
        for name, weight in add_weights(terms).items()
        if weight > 0 and (df := dfs.get(name))
    ]
    if len(found) > limit:
        found = nsmallest(limit, found, key=lambda term: (-term.weight, term.df, term.name))
    return sorted(found, key=lambda term: (term.df, term.name))
