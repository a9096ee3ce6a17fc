"""The Whoosh engine: one field of terms whose postings carry the kit's packed counts.

Law: it alone knows Whoosh. Segments are never compound (they would be copied into memory), readers are opened
anew after each commit (`refresh()` serves deleted notes), and the folder holds pickles, so it is a cache only.
"""

from __future__ import annotations

import json
import struct
from array import array
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whoosh import fields
from whoosh.filedb.filestore import FileStorage
from whoosh.index import LockError
from whoosh.reading import SegmentReader

from kit.errors import UnavailableError
from kit.index import seal
from kit.index.bm25 import FIELDS, TALLIED, Counted, Curve, Found, Gains, Statistics, tally
from kit.index.fulltext import batches, guarded
from kit.index.packed import KEYS, WORDS, PackedCodec, PackedField, without
from kit.index.search import CODE_BITS, search

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kit.index.fulltext import Doc
    from kit.index.packed import PackedTerms

_FORMAT = 3
_STATE = b"state"  # the key of the one document that is no note
_SEGMENTS = 5  # more are merged: every word is looked up in each
_BATCH = 4000  # notes of one segment when all are indexed at once
_COMMON = 20  # times as many notes as are gone: a word that stands in more is hardly rarer without those
_LENGTHS = struct.Struct(f"<q{len(FIELDS)}I")
"""a note's number and the lengths of its fields"""


class _Storage(FileStorage):  # type: ignore[misc]  # Whoosh has no types
    """A folder that knows its open files: Whoosh leaves them open where it stumbles."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._files: list[Any] = []

    def open_file(self, name: str, **options: object) -> Any:  # noqa: ANN401 - Whoosh has no types
        """Open a file for reading."""
        file = super().open_file(name, **options)
        self._files.append(file)
        return file

    def close_files(self) -> None:
        """Close what is still open."""
        for file in self._files:
            if not file.is_closed:
                file.close()
        self._files.clear()


class Whoosh:
    """Full text in a Whoosh index."""

    name = "whoosh"
    span = 1 << 47

    def __init__(self, folder: Path, curves: Mapping[str, Curve] | None = None) -> None:
        self._folder = folder
        self.curves: Mapping[str, Curve] = curves or {}
        self.gains: Gains | None = None
        self._changed = False
        folder.mkdir(parents=True, exist_ok=True)
        with guarded(folder):
            self._storage = _Storage(folder)
            try:
                self._index: Any = self._open_or_create()
                self._reader: Any = self._index.reader()
                self._read_state()
            except BaseException:
                self._storage.close_files()
                raise

    def _open_or_create(self) -> Any:  # noqa: ANN401 - Whoosh has no types
        if self._storage.index_exists():
            return self._storage.open_index()
        if any(path.suffix in {".seg", ".toc", ".trm", ".pst"} for path in self._folder.iterdir()):
            raise ValueError("its table of contents is lost")
        schema = fields.Schema(key=PackedField(), words=PackedField(), lengths=fields.STORED, state=fields.STORED)
        return self._storage.create_index(schema)

    def _read_state(self) -> None:
        self._dfs: dict[str, int] = {}
        self.gains = None
        leaves = self._reader.leaf_readers()
        self._leaves = [_Leaf(reader, offset) for reader, offset in leaves if isinstance(reader, SegmentReader)]
        docnum = self._find(_STATE)
        state = json.loads(self._reader.stored_fields(docnum)["state"]) if docnum is not None else {}
        if state.get("format", _FORMAT) != _FORMAT:
            raise ValueError("another format")
        self._stamp = str(state.get("stamp", ""))
        totals = tuple(int(total) for total in state.get("totals", [0] * TALLIED))
        self._known = Statistics(self._reader.doc_count() - (docnum is not None), totals)

    def _find(self, key: bytes) -> int | None:
        for leaf in self._leaves:
            docnum = leaf.terms.number(KEYS, key)
            if docnum is not None and not leaf.reader.is_deleted(docnum):
                return docnum + leaf.offset
        return None

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change the index in one commit."""
        counted = {doc.num: doc.counted() for doc in upserts}
        with guarded(self._folder):
            seal.take_off(self._folder)
            self._changed = True
            try:
                writer = self._index.writer(compound=False, codec=PackedCodec(compression=1))
            except LockError as error:
                raise UnavailableError(
                    f"Another process is writing the full-text index in {self._folder}.",
                    "Try again when it is done.",
                ) from error
            try:
                self._write(writer, counted, {*counted, *deletes}, self._stamp if stamp is None else stamp)
            except BaseException:
                writer.cancel()
                raise
            writer.commit(mergetype=merge_small)
            self._reader.close()
            self._storage.close_files()
            self._reader = self._index.reader()
            self._read_state()

    def build(self, docs: Iterable[Doc], stamp: str, progress: Callable[[int], object] | None = None) -> None:
        """Fill an empty index; see `engines.build`."""
        for done, batch in batches(docs, _BATCH):
            self.apply(batch, ())
            if progress:
                progress(done)
        self.set_stamp(stamp)

    def _write(self, writer: Any, counted: Mapping[int, Counted], out: Collection[int], stamp: str) -> None:  # noqa: ANN401 - Whoosh has no types
        totals = list(self._known.totals)
        for num in out:
            docnum = self._find(_key(num))
            if docnum is not None:
                _, *lengths = _LENGTHS.unpack(self._reader.stored_fields(docnum)["lengths"])
                totals = [total - each for total, each in zip(totals, tally(lengths), strict=True)]
                writer.delete_document(docnum)
        for num, each in sorted(counted.items()):
            totals = [total + one for total, one in zip(totals, tally(each.lengths), strict=True)]
            writer.fieldwriter.waiting.add(num, each.terms, each.codes)
            _add(writer, _key(num), lengths=_LENGTHS.pack(num, *each.lengths))
        old = self._find(_STATE)
        if old is not None:
            writer.delete_document(old)
        _add(writer, _STATE, state=json.dumps({"format": _FORMAT, "stamp": stamp, "totals": totals}))

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        *,
        weights: Mapping[str, float],
        budget_s: float,
        allowed: Callable[[int], bool] | None = None,
    ) -> Found:
        """Find the `k` best notes for weighted terms."""
        with guarded(self._folder):
            return search(self, terms, k, weights=weights, curves=self.curves, budget_s=budget_s, allowed=allowed)

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count the notes of many terms at once."""
        with guarded(self._folder):
            for term in terms:
                if term not in self._dfs:
                    word = term.encode()
                    self._dfs[term] = sum(leaf.count(word) for leaf in self._leaves)
        return {term: self._dfs[term] for term in terms if self._dfs[term]}

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in."""
        return self.doc_freqs([term]).get(term, 0)

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read a term's postings from every segment, as one block."""
        del only  # Whoosh finds a note in a list only by reading up to it
        word = term.encode()
        entries = array("Q")
        for leaf in self._leaves:
            entries.extend(without(leaf.terms.entries(word), leaf.gone))
        yield 0, array("Q", sorted(entries)) if len(self._leaves) > 1 else entries

    def statistics(self) -> Statistics:
        """Tell how many notes there are and how long."""
        return self._known

    def has(self, num: int) -> bool:
        """Tell whether a note is indexed."""
        with guarded(self._folder):
            return self._find(_key(num)) is not None

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
        """Close every file and seal the folder."""
        if self._reader is None:
            return
        reader, self._reader = self._reader, None
        with guarded(self._folder):
            try:
                reader.close()
                self._index.close()
            finally:
                self._storage.close_files()
            if self._changed:
                seal.put(self._folder)


class _Leaf:
    """An open segment."""

    def __init__(self, reader: Any, offset: int = 0) -> None:  # noqa: ANN401 - Whoosh has no types
        self.reader, self.offset = reader, offset
        self.terms: PackedTerms = reader._terms  # noqa: SLF001 - Whoosh has no public door to it

    @cached_property
    def gone(self) -> frozenset[int]:
        """Numbers of the notes that were deleted or replaced since the segment was written."""
        stored = (self.reader.stored_fields(docnum) for docnum in self.reader.segment().deleted_docs())
        return frozenset(_LENGTHS.unpack(each["lengths"])[0] for each in stored if "lengths" in each)

    def count(self, word: bytes) -> int:
        """Count the notes a word stands in, without those that are gone: a word of a note saved often stays rare."""
        told = self.terms.number(WORDS, word) or 0
        if told > _COMMON * len(self.gone):
            return told
        return len({entry >> CODE_BITS for entry in without(self.terms.entries(word), self.gone)})


def _key(num: int) -> bytes:
    return num.to_bytes(8, "big")


def _add(writer: Any, key: bytes, **stored: object) -> None:  # noqa: ANN401 - Whoosh has no types
    writer.fieldwriter.waiting.keys[key] = writer.docnum
    writer.add_document(**stored)


def merge_small(writer: Any, segments: list[Any]) -> list[Any]:  # noqa: ANN401 - Whoosh has no types
    """Merge the small segments once there are many, so that no edit pays for the large ones.

    A segment joins while it is at most twice as large as all smaller ones together; one that is mostly
    deleted joins too.
    """
    if len(segments) < _SEGMENTS:
        return segments
    kept: list[Any] = []
    total = 0
    for segment in sorted(segments, key=lambda segment: segment.doc_count()):
        size = segment.doc_count()
        if size > 2 * max(total, 1) and segment.deleted_count() <= size:
            kept.append(segment)
            continue
        total += size
        leaf = _Leaf(SegmentReader(writer.storage, writer.schema, segment))
        writer.fieldwriter.waiting.take_over(leaf.terms, leaf.gone)
        for _, stored in leaf.reader.iter_docs():
            _add(writer, _STATE if "state" in stored else _key(_LENGTHS.unpack(stored["lengths"])[0]), **stored)
        leaf.reader.close()
    return kept
