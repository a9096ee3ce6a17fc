"""The tantivy engine, an extra for large vaults: Rust does the scoring.

Law: it alone knows tantivy. Commits are slow (a thread and an fsync each), so changes come in batches. Its BM25
has fixed knobs (k1 1.2, b 0.75); a field's part of a score is asked for in a query of its own.
"""

from __future__ import annotations

import json
import struct
from time import monotonic
from typing import TYPE_CHECKING, Any

import tantivy
from tantivy import Occur, Query

from kit import kin
from kit.index import seal
from kit.index.bm25 import (
    AKIN,
    FIELDS,
    TALLIED,
    WORDS,
    Curve,
    Found,
    Statistics,
    Term,
    add_weights,
    choose_terms,
    field_of,
    frequency_of,
    tally,
)
from kit.index.fulltext import batches, guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from kit.index.bm25 import Counted
    from kit.index.fulltext import Doc

_FORMAT = 3
_STATE = 1 << 62  # the number of the one document that is no note
_BATCH = 10_000  # notes of one commit when all are indexed at once
_HEAP = 64 << 20
_LENGTHS = struct.Struct(f"<{len(FIELDS)}I")


def _schema() -> Any:  # noqa: ANN401 - an extra that may be missing has no types to rely on
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("num", stored=True, indexed=True, fast=True)
    builder.add_bytes_field("lengths", stored=True)
    builder.add_bytes_field("state", stored=True)
    for name in FIELDS:
        builder.add_text_field(name, tokenizer_name="terms", index_option="freq")
    return builder.build()


def _spelled(counted: Counted) -> dict[str, str]:
    """Write each field's terms as often as they were counted: the order of words plays no part here."""
    words: dict[str, list[str]] = {}
    for term, code in zip(counted.terms, counted.codes, strict=True):
        words.setdefault(field_of(code), []).append(f"{term} " * frequency_of(code))
    return {name: "".join(said) for name, said in words.items()}


class Tantivy:
    """Full text in a tantivy index."""

    name = "tantivy"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.curves: Mapping[str, Curve] = dict.fromkeys(FIELDS, Curve(1.2, 0.75))
        self._changed = False
        self._writer: Any = None
        folder.mkdir(parents=True, exist_ok=True)
        with guarded(folder):
            self._schema = _schema()
            self._index: Any = tantivy.Index(self._schema, path=str(folder))
            self._index.config_reader("manual")
            split = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            self._index.register_tokenizer("terms", split)
            self._refresh()

    def _refresh(self) -> None:
        self._index.reload()
        self._dfs: dict[str, int] = {}
        self._searcher: Any = self._index.searcher()
        document = self._document(_STATE)
        state = json.loads(bytes(document.get_first("state"))) if document else {}
        if state.get("format", _FORMAT) != _FORMAT:
            raise ValueError("another format")
        self._stamp = str(state.get("stamp", ""))
        totals = tuple(int(total) for total in state.get("totals", [0] * TALLIED))
        self._known = Statistics(int(self._searcher.num_docs) - (document is not None), totals)

    def _document(self, num: int) -> Any:  # noqa: ANN401 - as above
        hits = self._searcher.search(Query.term_query(self._schema, "num", num), 1, count=False).hits
        return self._searcher.doc(hits[0][1]) if hits else None

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change the index in one commit."""
        docs = {doc.num: doc for doc in upserts}
        with guarded(self._folder):
            seal.take_off(self._folder)
            self._changed = True
            if self._writer is None:
                self._writer = self._index.writer(heap_size=_HEAP, num_threads=1)
            try:
                self._write(docs, {*docs, *deletes}, self._stamp if stamp is None else stamp)
                self._writer.commit()
            except BaseException:
                self._writer.rollback()
                raise
            self._refresh()

    def build(self, docs: Iterable[Doc], stamp: str, progress: Callable[[int], object] | None = None) -> None:
        """Fill an empty index; see `engines.build`."""
        for done, batch in batches(docs, _BATCH):
            self.apply(batch, ())
            if progress:
                progress(done)
        self.set_stamp(stamp)

    def _write(self, docs: Mapping[int, Doc], out: Collection[int], stamp: str) -> None:
        totals = list(self._known.totals)
        for num in out:
            document = self._document(num)
            if document is not None:
                past = _LENGTHS.unpack(bytes(document.get_first("lengths")))
                totals = [total - each for total, each in zip(totals, tally(past), strict=True)]
                self._writer.delete_documents_by_query(Query.term_query(self._schema, "num", num))
        for num, doc in docs.items():
            counted = doc.counted()
            totals = [total + each for total, each in zip(totals, tally(counted.lengths), strict=True)]
            document = tantivy.Document()
            document.add_unsigned("num", num)
            document.add_bytes("lengths", _LENGTHS.pack(*counted.lengths))
            for name, words in _spelled(counted).items():
                document.add_text(name, words)
            self._writer.add_document(document)
        self._writer.delete_documents_by_query(Query.term_query(self._schema, "num", _STATE))
        state = tantivy.Document()
        state.add_unsigned("num", _STATE)
        state.add_bytes("state", json.dumps({"format": _FORMAT, "stamp": stamp, "totals": totals}).encode())
        self._writer.add_document(state)

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        *,
        weights: Mapping[str, float],
        budget_s: float,
        allowed: Callable[[int], bool] | None = None,
    ) -> Found:
        """Find the `k` best notes; the time is looked at between queries only."""
        deadline = monotonic() + budget_s
        with guarded(self._folder):
            dfs = self.doc_freqs(list({name for name, _ in terms}))
            asked = add_weights(terms)
            chosen = choose_terms(terms, dfs, self._known.notes)
            said = [term for term in chosen if not kin.is_name(term.name)]
            akin = [term for term in chosen if kin.is_name(term.name)]
            names = [name for name in FIELDS if weights.get(name, 0.0) > 0]
            parts = {name: self._clauses(name, weights[name], said, asked) for name in names}
            parts[AKIN] = [one for name in names for one in self._clauses(name, weights[name], akin, asked)]
            parts = {name: part for name, part in parts.items() if part}
            best, late = self._best([clause for part in parts.values() for clause in part], k, allowed, deadline)
            late = late or monotonic() >= deadline

        def by_field(nums: Collection[int]) -> dict[int, dict[str, float]]:
            with guarded(self._folder):
                return self._apart(parts, nums)

        def by_word(nums: Collection[int]) -> dict[int, dict[str, float]]:
            with guarded(self._folder):
                named = {
                    term.name: clauses
                    for term in chosen[:WORDS]
                    if (clauses := [one for name in names for one in self._clauses(name, weights[name], [term], asked)])
                }
                return self._apart(named, nums)

        return Found(best, late, tuple(term.name for term in chosen), by_field, by_word)

    def _clauses(
        self, field: str, weight: float, chosen: Sequence[Term], asked: Mapping[str, float]
    ) -> list[tuple[Any, Any]]:
        return [
            (
                Occur.Should,
                Query.boost_query(Query.term_query(self._schema, field, term.name, "freq"), weight * asked[term.name]),
            )
            for term in chosen
            if self._searcher.doc_freq(field, term.name)
        ]

    def _best(
        self, clauses: Sequence[tuple[Any, Any]], k: int, allowed: Callable[[int], bool] | None, deadline: float
    ) -> tuple[list[tuple[int, float]], bool]:
        if not clauses:
            return [], False
        query = Query.boolean_query(clauses)  # flat, so that tantivy can skip what can't win
        limit = k if allowed is None else 4 * k
        while True:
            hits = self._searcher.search(query, limit, count=False).hits
            nums = self._searcher.fast_field_values("num", [address for _, address in hits])
            found = [
                (int(num), float(score))
                for (score, _), num in zip(hits, nums, strict=True)
                if allowed is None or allowed(int(num))
            ]
            if len(found) >= k or len(hits) < limit:
                return found[:k], False
            if monotonic() >= deadline:
                return found[:k], True
            limit *= 4

    def _apart(self, parts: Mapping[str, list[tuple[Any, Any]]], nums: Collection[int]) -> dict[int, dict[str, float]]:
        scored: dict[int, dict[str, float]] = {num: {} for num in nums}
        if not scored:
            return scored
        # A set query would cost 2 ms each time for its automaton.
        each = [(Occur.Should, Query.term_query(self._schema, "num", num)) for num in scored]
        these = Query.const_score_query(Query.boolean_query(each), 0.0)
        for name, part in parts.items():
            query = Query.boolean_query([(Occur.Must, these), (Occur.Must, Query.boolean_query(part))])
            hits = self._searcher.search(query, len(scored), count=False).hits
            found = self._searcher.fast_field_values("num", [address for _, address in hits])
            for (score, _), num in zip(hits, found, strict=True):
                scored[int(num)][name] = float(score)
        return scored

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count the notes of many terms at once: those of the field where a term is most common."""
        with guarded(self._folder):
            names = [name for name, total in zip(FIELDS, self._known.totals, strict=False) if total]
            for term in terms:
                if term not in self._dfs:
                    counts = [int(self._searcher.doc_freq(name, term)) for name in names]
                    self._dfs[term] = max(counts, default=0)
        return {term: self._dfs[term] for term in terms if self._dfs[term]}

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in."""
        return self.doc_freqs([term]).get(term, 0)

    def statistics(self) -> Statistics:
        """Tell how many notes there are and how long."""
        return self._known

    def has(self, num: int) -> bool:
        """Tell whether a note is indexed."""
        with guarded(self._folder):
            return self._document(num) is not None

    def count(self) -> int:
        """Count the notes."""
        return self._known.notes

    def get_stamp(self) -> str:
        """Tell the state of the catalog this index reflects."""
        return self._stamp

    def set_stamp(self, stamp: str) -> None:
        """Write the stamp alone."""
        self.apply((), (), stamp)

    def close(self) -> None:
        """Wait for the merging threads, close and seal the folder."""
        if self._index is None:
            return
        self._index = self._searcher = None
        writer, self._writer = self._writer, None
        with guarded(self._folder):
            if writer is not None:
                writer.wait_merging_threads()
            if self._changed:
                seal.put(self._folder)
