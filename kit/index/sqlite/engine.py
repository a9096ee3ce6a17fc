"""The engine: a full text in one SQLite file, asked and changed.

Law: what is held of the tables is read anew after each change, also one that failed.
"""

from __future__ import annotations

import sqlite3
from array import array
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from kit.errors import BadInputError
from kit.index import seal
from kit.index.blocks import SPAN_BITS
from kit.index.fulltext import guarded
from kit.index.search import search
from kit.index.sqlite.tables import BLOCK_BITS, CHUNK, FAST, SAFE, ask_many, connect, read_state
from kit.index.sqlite.writing import Writing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kit.index.bm25 import Curve, Found, Gains, Statistics
    from kit.index.fulltext import Doc

_FILE = "fulltext.sqlite3"
_MET = 2048  # words whose numbers are held


def copy(folder: Path, to: Path) -> bool:
    """Copy an index that may be open elsewhere; False where there is none."""
    if not (folder / _FILE).is_file():
        return False
    to.mkdir(parents=True)
    with (
        guarded(folder),
        closing(sqlite3.connect(folder / _FILE)) as there,
        closing(sqlite3.connect(to / _FILE)) as here,
    ):
        there.backup(here)
    return True


class Sqlite:
    """Full text in one SQLite file."""

    name = "sqlite"
    span = 1 << SPAN_BITS

    def __init__(self, folder: Path, curves: Mapping[str, Curve] | None = None) -> None:
        self._folder = folder
        self.curves: Mapping[str, Curve] = curves or {}
        self._changed = False
        self.gains: Gains | None = None
        self._met: dict[str, tuple[int, int]] = {}
        """Words that were asked for: number and notes; those that stand nowhere too"""
        folder.mkdir(parents=True, exist_ok=True)
        with guarded(folder):
            self._db: sqlite3.Connection | None = connect(folder / _FILE)
            try:
                self._read_state()
            except BaseException:
                self._db.close()
                raise

    @property
    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            raise ValueError("the engine is closed")
        return self._db

    def _read_state(self) -> None:
        self.gains = None
        self._met.clear()
        self._state = read_state(self._open)

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change the index in one transaction."""
        counted = {doc.num: doc.counted() for doc in upserts}
        with guarded(self._folder):
            self._break_seal()
            with self._transaction():
                Writing(self._open, self._state).write(counted, deletes, self._state.stamp if stamp is None else stamp)

    def build(self, docs: Iterable[Doc], stamp: str, progress: Callable[[int], object] | None = None) -> None:
        """Fill an empty index as fast as can be, holding every word in memory; see `engines.build`."""
        with guarded(self._folder):
            db = self._break_seal()
            if self._state.fresh_word:
                raise BadInputError(f"The index in {self._folder} is not empty.", "Build it in a new folder.")
            db.executescript(FAST)
            with self._transaction():
                Writing(db, self._state).fill(docs, stamp, progress)
            db.executescript(SAFE)

    def _break_seal(self) -> sqlite3.Connection:
        seal.take_off(self._folder)
        self._changed = True
        return self._open

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        db = self._open
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
            self._read_state()

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
        met = self._met
        new = [term for term in terms if term not in met]
        if new:
            if len(met) > _MET:
                met.clear()
                new = list(terms)
            with guarded(self._folder):
                met.update(dict.fromkeys(new, (-1, 0)))
                rows = ask_many(self._open, "SELECT term, id, df FROM words WHERE term IN", new)
                met.update((term, (word, df)) for term, word, df in rows)
        return {term: df for term in terms if (df := met[term][1])}

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in."""
        return self.doc_freqs([term]).get(term, 0)

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read the blocks of a term that `doc_freqs` has found."""
        first = self._met[term][0] << BLOCK_BITS
        last = first | (1 << BLOCK_BITS) - 1
        if only is not None and len(only) <= CHUNK:
            places = [first | base >> SPAN_BITS for base in only]
            rows: Iterable[tuple[Any, ...]] = ask_many(
                self._open, "SELECT at, entries FROM postings WHERE at IN", places
            )
        else:
            rows = self._open.execute("SELECT at, entries FROM postings WHERE at BETWEEN ? AND ?", (first, last))
        for at, entries in rows:
            yield at - first << SPAN_BITS, array("I", entries)

    def statistics(self) -> Statistics:
        """Tell how many notes there are and how long."""
        return self._state.known

    def has(self, num: int) -> bool:
        """Tell whether a note is indexed."""
        with guarded(self._folder):
            return self._open.execute("SELECT 1 FROM notes WHERE num = ?", (num,)).fetchone() is not None

    def count(self) -> int:
        """Count the notes."""
        return self._state.known.notes

    def get_stamp(self) -> str:
        """Tell the state of the catalog this index reflects."""
        return self._state.stamp

    def set_stamp(self, stamp: str) -> None:
        """Write the stamp alone."""
        self.apply((), (), stamp)

    def close(self) -> None:
        """Close the file and seal the folder."""
        if self._db is None:
            return
        db, self._db = self._db, None
        with guarded(self._folder):
            try:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                db.close()
            if self._changed:
                seal.put(self._folder)
