"""Asking an engine: what the full text says for each card, what it proves of it, and which of its words say so.

Law: it ends within its budget. What is told later is asked of the same engine; one that breaks then tells nothing.
"""

from __future__ import annotations

from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from kit import kin
from kit.index import bm25
from kit.recall.match import rarity
from kit.recall.query import Proofs
from kit.witness import phrases
from kit.witness.question import mass_of, proof_of, shares_of, solidity
from kit.witness.worn import unworn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from contextlib import AbstractContextManager

    from kit.index.catalog import Catalog
    from kit.index.overlay import Layered
    from kit.recall.query import TextProof
    from kit.witness.documents import Documents

WEIGHTS = {
    "title": 0.5, "tags": 0.1, "summary": 0.15, "overview": 0.3, "user": 1.0, "agent": 1.0, "facts": 1.0, "body": 0.8,
}  # fmt: skip
"""What both sides said is scored apart and added; summary, overview and tags only repeat words of it."""
COMMON, FEW = 0.06, 500
"""Share of the notes that a family of words may stand on, or so many: a longer list takes time and tells little."""
READ, LONG = 8, 1_500
"""So many of the best notes are read for words that stand together, those of so many bytes."""


class Asking(NamedTuple):
    """One engine to be asked; `mending` stands around whatever it may break at."""

    engine: Layered
    documents: Documents
    catalog: Catalog
    mending: Callable[[], AbstractContextManager[None]]

    def ask(
        self, question: str, words: Mapping[str, float], plain: Collection[str], *,
        budget_s: float, allowed: Callable[[int], bool], most: int, behind: int,
    ) -> Proofs:  # fmt: skip
        """Weigh the `most` best cards by a question's weighed `words`; `behind` notes are not in the engine yet.

        `plain` are the words as they were asked, without what they are akin to.
        """
        deadline = monotonic() + budget_s
        akin = kin.asked(words)
        known, notes = self.engine.doc_freqs([*words, *akin]), max(1, self.engine.statistics().notes)
        most_often = max(FEW, COMMON * notes)
        asks = [*words.items(), *(each for each in akin.items() if known.get(each[0], 0) <= most_often)]
        found = self.engine.search(asks, most, weights=WEIGHTS, budget_s=budget_s, allowed=allowed)
        mass = sum([weight * bm25.idf(notes, known.get(word, 0)) for word, weight in words.items()])
        rare = {word: mass_of(word, known.get(word, 0)) * rarity(known.get(word, 0), notes) for word in plain}
        gains = {num: score / mass for num, score in found.hits} if mass else {}
        remarks: tuple[str, ...] = ("The full text had no time to finish.",) if found.late else ()
        if behind:
            remarks += (f"{behind} notes are not in the full text yet.",)
        texts = self.documents.long_texts(list(islice(gains, READ)), LONG, deadline)
        pairs = phrases.pairs_of(plain, known, list(texts.values())[:2]) if texts else ()
        together = phrases.weigh(pairs, texts, mass)
        later = _Later(self, question, words, known, notes, mass, found, gains)
        return Proofs(gains, remarks, rare, later.tell, later.weigh_words, together, whole=not behind)


class _Later(NamedTuple):
    """What is asked only of the cards that a recall is about to show."""

    asking: Asking
    question: str
    words: Mapping[str, float]
    known: Mapping[str, int]
    notes: int
    mass: float
    found: bm25.Found
    gains: Mapping[int, float]

    def tell(self, nums: Collection[int]) -> dict[int, TextProof]:
        """Prove cards, field by field."""
        found, catalog = self.found, self.asking.catalog
        with self.asking.mending():
            known_of = [num for num in nums if num in self.gains]
            if not known_of:
                return {}
            has_echoes = any(solidity(word) < 1 for word in self.words)
            shares = shares_of(found.words(known_of)) if has_echoes else {}
            parts = found.parts(known_of)
            lift = unworn(catalog, self.question, list(self.gains), self.words, self.known, self.notes) / self.mass
            return {num: proof_of(fields, self.mass, shares.get(num, 1.0) * lift) for num, fields in parts.items()}
        return {}

    def weigh_words(self, nums: Collection[int]) -> dict[int, dict[str, float]]:
        """Say what each word adds for cards, as a share of the question."""
        with self.asking.mending():
            told = self.found.words(nums)
            return {num: {word: gain / self.mass for word, gain in each.items()} for num, each in told.items()}
        return {}
