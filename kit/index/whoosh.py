"""The Whoosh engine: one field of terms whose postings carry the kit's packed counts.

Law: it alone knows Whoosh. Segments are never compound (they would be copied into memory), readers are opened
anew after each commit (`refresh()` serves deleted notes), and the folder holds pickles, so it is a cache only.
"""

from __future__ import annotations

import json
import struct
from array import array
from typing import TYPE_CHECKING, Any, Self

from whoosh import fields, formats
from whoosh.codec.whoosh3 import W3Codec
from whoosh.filedb.filestore import FileStorage
from whoosh.index import LockError
from whoosh.reading import SegmentReader

from kit.errors import UnavailableError
from kit.index import seal
from kit.index.bm25 import FIELDS, Counted, Curve, Found, Statistics, count_terms, search
from kit.index.fulltext import guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kit.index.fulltext import Doc

_FORMAT = 1
_STATE = "state"  # the key of the one document that is no note
_SEGMENTS = 8
_BLOCK = 1024  # postings unpacked at once
_LENGTHS = struct.Struct(f"<{len(FIELDS)}I")


class PackedFormat(formats.Format):  # type: ignore[misc]  # Whoosh has no types
    """A posting's value is an array of 64-bit entries, `number << 16 | code`."""

    def word_values(
        self, value: Mapping[str, bytes], analyzer: object, **_: object
    ) -> Iterable[tuple[str, int, float, bytes]]:
        """Give the terms as they were counted."""
        del analyzer
        return ((term, 1, 1.0, entries) for term, entries in value.items())


class PackedField(fields.FieldType):  # type: ignore[misc]  # Whoosh has no types
    """The one indexed field; its value is a mapping of terms to packed entries."""

    def __init__(self) -> None:
        super().__init__(PackedFormat(), None)

    def index(self, value: Mapping[str, bytes], **_: object) -> Iterable[tuple[bytes, int, float, bytes]]:
        """Give the terms in UTF-8, as Whoosh wants them."""
        return ((term.encode(), 1, 1.0, entries) for term, entries in value.items())


class _Codec(W3Codec):  # type: ignore[misc]  # Whoosh has no types
    """Whoosh's own codec without the lengths of fields, which would cost a `stat` for every posting."""

    length_stats = False


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
        self._changed = False
        folder.mkdir(parents=True, exist_ok=True)
        with guarded(folder):
            if not seal.is_whole(folder):
                raise ValueError("a file differs from its seal")
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
        schema = fields.Schema(
            key=fields.ID(unique=True), words=PackedField(), lengths=fields.STORED, state=fields.STORED
        )
        return self._storage.create_index(schema)

    def _read_state(self) -> None:
        self._dfs: dict[str, int] = {}
        docnum = self._find(_STATE)
        state = json.loads(self._reader.stored_fields(docnum)["state"]) if docnum is not None else {}
        if state.get("format", _FORMAT) != _FORMAT:
            raise ValueError("another format")
        self._stamp = str(state.get("stamp", ""))
        totals = tuple(int(total) for total in state.get("totals", [0] * len(FIELDS)))
        self._known = Statistics(self._reader.doc_count() - (docnum is not None), totals)

    def _find(self, key: str) -> int | None:
        if ("key", key) not in self._reader:
            return None
        matcher = self._reader.postings("key", key)
        return int(matcher.id()) if matcher.is_active() else None

    def __enter__(self) -> Self:
        """Use it in a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change the index in one commit."""
        docs = {doc.num: doc for doc in upserts}
        counted = {num: count_terms(doc.fields) for num, doc in docs.items()}
        with guarded(self._folder):
            seal.take_off(self._folder)
            self._changed = True
            try:
                writer = self._index.writer(compound=False, limitmb=128, codec=_Codec(blocklimit=_BLOCK, compression=1))
            except LockError as error:
                raise UnavailableError(
                    f"Another process is writing the full-text index in {self._folder}.",
                    "Try again when it is done.",
                ) from error
            try:
                self._write(writer, counted, {*docs, *deletes}, self._stamp if stamp is None else stamp)
            except BaseException:
                writer.cancel()
                raise
            writer.commit(mergetype=merge_small)
            self._reader.close()
            self._storage.close_files()
            self._reader = self._index.reader()
            self._read_state()

    def _write(self, writer: Any, counted: Mapping[int, Counted], out: Collection[int], stamp: str) -> None:  # noqa: ANN401 - Whoosh has no types
        totals = list(self._known.totals)
        for num in out:
            docnum = self._find(str(num))
            if docnum is not None:
                lengths = _LENGTHS.unpack(self._reader.stored_fields(docnum)["lengths"])
                totals = [total - length for total, length in zip(totals, lengths, strict=True)]
                writer.delete_document(docnum)
        for num, each in counted.items():
            totals = [total + length for total, length in zip(totals, each.lengths, strict=True)]
            words = {
                term: array("Q", (num << 16 | code for code in codes)).tobytes() for term, codes in each.codes.items()
            }
            writer.add_document(key=str(num), words=words, lengths=_LENGTHS.pack(*each.lengths))
        old = self._find(_STATE)
        if old is not None:
            writer.delete_document(old)
        writer.add_document(key=_STATE, state=json.dumps({"format": _FORMAT, "stamp": stamp, "totals": totals}))

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
        """Count the notes of many terms at once; notes replaced since the last merge count twice."""
        with guarded(self._folder):
            for term in terms:
                if term not in self._dfs:
                    self._dfs[term] = int(self._reader.doc_frequency("words", term.encode()))
        return {term: self._dfs[term] for term in terms if self._dfs[term]}

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in."""
        return self.doc_freqs([term]).get(term, 0)

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read a term's postings from every segment, as one block."""
        del only  # Whoosh finds a note in a list only by reading up to it
        word = term.encode()
        values: list[bytes] = []
        for leaf, _ in self._reader.leaf_readers():
            if ("words", word) not in leaf:
                continue
            matcher = leaf.postings("words", word)
            value, step = matcher.value, matcher.next
            while matcher.is_active():
                values.append(value())
                step()
        entries = array("Q")
        entries.frombytes(b"".join(values))
        yield 0, array("Q", sorted(entries))

    def statistics(self) -> Statistics:
        """Tell how many notes there are and how long."""
        return self._known

    def has(self, num: int) -> bool:
        """Tell whether a note is indexed."""
        with guarded(self._folder):
            return self._find(str(num)) is not None

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
        reader = SegmentReader(writer.storage, writer.schema, segment)
        writer.add_reader(reader)
        reader.close()
    return kept
