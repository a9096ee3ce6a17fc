"""The overlay: notes that are applied but not yet committed, found at once all the same.

Law: what the overlay knows of a note hides what the engine knows of it; scores use the engine's numbers, so
that both compare.
"""

from __future__ import annotations

from array import array
from heapq import nlargest
from typing import TYPE_CHECKING

from kit.index.bm25 import Counted, Found, Gains, Statistics, tally
from kit.index.search import search

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from kit.index.fulltext import Doc, FullText

    _Told = Callable[[Collection[int]], Mapping[int, Mapping[str, float]]]


class Overlay:
    """Notes that are applied but not yet committed, as a tiny index in memory."""

    span = 1 << 62

    def __init__(self, engine: FullText) -> None:
        self._engine = engine
        self.gains: Gains | None = None
        self._postings: dict[str, dict[int, list[int]]] = {}
        self._counted: dict[int, Counted] = {}
        self.docs: dict[int, Doc] = {}
        self.deleted: set[int] = set()

    def hides(self, num: int) -> bool:
        """Tell whether what the engine knows of a note is out of date."""
        return num in self.docs or num in self.deleted

    def put(self, doc: Doc) -> None:
        """Take a note in, in place of its earlier version."""
        self._forget(doc.num)
        self.deleted.discard(doc.num)
        counted = doc.counted()
        self.docs[doc.num], self._counted[doc.num] = doc._replace(known=counted), counted
        for term, codes in counted.by_term().items():
            self._postings.setdefault(term, {})[doc.num] = codes

    def drop(self, num: int) -> None:
        """Take a note out."""
        self._forget(num)
        self.deleted.add(num)

    def settle(self, docs: Sequence[Doc]) -> None:
        """Forget notes, and all deletions, that the engine has learned of."""
        for doc in docs:
            self._forget(doc.num)
        self.deleted.clear()

    def _forget(self, num: int) -> None:
        self.gains = None
        if self.docs.pop(num, None) is None:
            return
        for term in set(self._counted.pop(num).terms):
            self._postings[term].pop(num, None)
            if not self._postings[term]:
                del self._postings[term]

    def statistics(self) -> Statistics:
        """Tell the engine's numbers, so that scores compare; its own while they say more."""
        known = self._engine.statistics()
        if known.notes >= len(self.docs):
            return known
        each = [tally(counted.lengths) for counted in self._counted.values()]
        return Statistics(len(each), tuple(map(sum, zip(*each, strict=True))))

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count in the engine and here together."""
        there = self._engine.doc_freqs(terms)
        if not self._postings:
            return there
        both = {term: there.get(term, 0) + len(self._postings.get(term, ())) for term in terms}
        return {term: df for term, df in both.items() if df}

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read a term's only block."""
        del only  # a block of a few hundred notes is not worth choosing from
        found = self._postings.get(term)
        if found:
            yield 0, array("Q", sorted(num << 16 | code for num, codes in found.items() for code in codes))


class Layered:
    """An engine under an overlay: what is applied is found at once and committed later, many at a time."""

    def __init__(self, engine: FullText) -> None:
        self.engine = engine
        self.name, self.curves = engine.name, engine.curves
        self._overlay = Overlay(engine)
        self._stamp: str | None = None

    @property
    def pending(self) -> int:
        """Changes that wait for `flush`."""
        return len(self._overlay.docs) + len(self._overlay.deleted)

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change what is found from now on; the engine learns of it, and of the stamp, at the next `flush`."""
        self._stamp = self._stamp if stamp is None else stamp
        for num in deletes:
            self._overlay.drop(num)
        for doc in upserts:
            self._overlay.put(doc)

    def build(self, docs: Iterable[Doc], stamp: str, progress: Callable[[int], object] | None = None) -> None:
        """Fill the engine, which must be empty."""
        self.engine.build(docs, stamp, progress)

    def flush(self, limit: int | None = None) -> None:
        """Commit what waits, or `limit` notes of it; the last commit brings the stamp along.

        While `pending` is not 0 there is more to do, and questions can be answered in between.
        """
        if not self.pending and self._stamp is None:
            return
        batch = list(self._overlay.docs.values())[:limit]
        last = len(batch) == len(self._overlay.docs)
        self.engine.apply(batch, self._overlay.deleted, self._stamp if last else None)
        self._overlay.settle(batch)
        if last:
            self._stamp = None

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        *,
        weights: Mapping[str, float],
        budget_s: float,
        allowed: Callable[[int], bool] | None = None,
    ) -> Found:
        """Find the `k` best notes of both; see `FullText.search`."""
        overlay = self._overlay
        if not self.pending:
            return self.engine.search(terms, k, weights=weights, budget_s=budget_s, allowed=allowed)

        def visible(num: int) -> bool:
            return not overlay.hides(num) and (allowed is None or allowed(num))

        old = self.engine.search(terms, k, weights=weights, budget_s=budget_s, allowed=visible)
        new = search(overlay, terms, k, weights=weights, curves=self.curves, budget_s=budget_s, allowed=allowed)
        best = nlargest(k, [*old.hits, *new.hits], key=lambda hit: (hit[1], hit[0]))

        def both(there: _Told, here: _Told) -> _Told:
            def told(nums: Collection[int]) -> dict[int, Mapping[str, float]]:
                fresh = [num for num in nums if num in overlay.docs]
                return {**there([num for num in nums if num not in overlay.docs]), **here(fresh)}

            return told

        used = max(old.used_terms, new.used_terms, key=len)
        return Found(best, old.late or new.late, used, both(old.parts, new.parts), both(old.words, new.words))

    def has(self, num: int) -> bool:
        """Tell whether a note is found."""
        return num in self._overlay.docs or (not self._overlay.hides(num) and self.engine.has(num))

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in."""
        return self._overlay.doc_freqs([term]).get(term, 0)

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count for many terms at once."""
        return self._overlay.doc_freqs(terms)

    def statistics(self) -> Statistics:
        """Tell the numbers that scores are made with."""
        return self._overlay.statistics()

    def count(self) -> int:
        """Count the notes that are found."""
        new = sum(not self.engine.has(num) for num in self._overlay.docs)
        return self.engine.count() + new - sum(self.engine.has(num) for num in self._overlay.deleted)

    def get_stamp(self) -> str:
        """Tell the stamp of what is committed."""
        return self.engine.get_stamp()

    def set_stamp(self, stamp: str) -> None:
        """Commit what waits with this stamp."""
        self.apply((), (), stamp)
        self.flush()

    def close(self) -> None:
        """Commit what waits and close."""
        self.flush()
        self.engine.close()
