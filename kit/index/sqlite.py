"""The SQLite engine: packed postings in a table, a block of them for each word and 256 notes.

Law: one file, one transaction for each change; it alone knows the tables. (FTS5's own `bm25()` reads every
posting of every word and gives no score by field, so the postings are the kit's own.)
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Self

from kit.index import seal
from kit.index.bm25 import FIELDS, Counted, Curve, Found, Statistics, count_terms, search
from kit.index.fulltext import guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from kit.index.fulltext import Doc

_FORMAT = 1
_BLOCK = 256
_FEW = 8  # entries to be put into their places one by one
_BLOCK_BITS = 24  # of a postings key; the word's number stands above them
_CHUNK = 500  # values bound in one statement
_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY, format INTEGER, stamp TEXT, count INTEGER, totals TEXT);
CREATE TABLE IF NOT EXISTS notes (num INTEGER PRIMARY KEY, lengths BLOB NOT NULL, words BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, df INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS postings (at INTEGER PRIMARY KEY, entries BLOB NOT NULL);
"""


class _Change:
    """What one `apply` does to the tables, gathered before anything is written."""

    def __init__(self) -> None:
        self.gone: dict[int, set[int]] = {}
        self.come: dict[int, list[int]] = {}
        self.df: dict[int, int] = {}
        self.totals = [0] * len(FIELDS)
        self.count = 0

    def remove(self, num: int, words: array[int], lengths: array[int]) -> None:
        for word in words:
            self.gone.setdefault(word << _BLOCK_BITS | num // _BLOCK, set()).add(num % _BLOCK)
            self.df[word] = self.df.get(word, 0) - 1
        self._add_lengths(lengths, -1)

    def add(self, num: int, counted: Counted, ids: Mapping[str, int]) -> None:
        low = (num % _BLOCK) << 16
        for term, codes in counted.codes.items():
            word = ids[term]
            block = self.come.setdefault(word << _BLOCK_BITS | num // _BLOCK, [])
            block += [low | code for code in codes]
            self.df[word] = self.df.get(word, 0) + 1
        self._add_lengths(counted.lengths, 1)

    def _add_lengths(self, lengths: Sequence[int], sign: int) -> None:
        self.count += sign
        self.totals = [total + sign * length for total, length in zip(self.totals, lengths, strict=True)]


class Sqlite:
    """Full text in one SQLite file."""

    name = "sqlite"
    span = _BLOCK

    def __init__(self, folder: Path, curves: Mapping[str, Curve] | None = None) -> None:
        self._folder = folder
        self.curves: Mapping[str, Curve] = curves or {}
        self._changed = False
        self._ids: dict[str, int] = {}
        folder.mkdir(parents=True, exist_ok=True)
        with guarded(folder):
            if not seal.is_whole(folder):
                raise ValueError("a file differs from its seal")
            self._db: sqlite3.Connection | None = self._connect()
            try:
                self._read_state()
            except BaseException:
                self._db.close()
                raise

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._folder / "fulltext.sqlite3", isolation_level=None, check_same_thread=False)
        try:
            # WAL with NORMAL is safe against a killed process; a lost power supply may cost the last commits.
            db.executescript(
                f"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000; "
                f"PRAGMA cache_size=-32768; {_SCHEMA}"
            )
            db.execute("INSERT OR IGNORE INTO state VALUES (1, ?, '', 0, ?)", (_FORMAT, json.dumps([0] * len(FIELDS))))
        except BaseException:
            db.close()
            raise
        return db

    @property
    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            raise ValueError("the engine is closed")
        return self._db

    def _read_state(self) -> None:
        form, stamp, count, totals = self._open.execute("SELECT format, stamp, count, totals FROM state").fetchone()
        self._stamp = str(stamp)
        self._known = Statistics(int(count), tuple(map(int, json.loads(totals))))
        if form != _FORMAT or len(self._known.totals) != len(FIELDS):
            raise ValueError("another format")

    def __enter__(self) -> Self:
        """Use it in a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change the index in one transaction."""
        docs = {doc.num: doc for doc in upserts}
        counted = {num: count_terms(doc.fields) for num, doc in docs.items()}
        with guarded(self._folder):
            db = self._open
            seal.take_off(self._folder)
            self._changed = True
            db.execute("BEGIN IMMEDIATE")
            try:
                self._write(counted, {*docs, *deletes}, self._stamp if stamp is None else stamp)
                db.execute("COMMIT")
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                self._ids.clear()
                self._read_state()

    def _write(self, counted: Mapping[int, Counted], out: Collection[int], stamp: str) -> None:
        db, change = self._open, _Change()
        for num in out:
            row = db.execute("SELECT words, lengths FROM notes WHERE num = ?", (num,)).fetchone()
            if row:
                change.remove(num, _unpack("I", row[0]), _unpack("I", row[1]))
        ids = self._number_words({term for each in counted.values() for term in each.codes})
        for num, each in counted.items():
            change.add(num, each, ids)
        db.executemany("DELETE FROM notes WHERE num = ?", ((num,) for num in out))
        db.executemany(
            "INSERT INTO notes VALUES (?, ?, ?)",
            (
                (num, array("I", each.lengths).tobytes(), array("I", (ids[term] for term in each.codes)).tobytes())
                for num, each in counted.items()
            ),
        )
        db.executemany(
            "UPDATE words SET df = df + ? WHERE id = ?", ((by, word) for word, by in change.df.items() if by)
        )
        db.executemany("DELETE FROM words WHERE id = ? AND df <= 0", ((word,) for word in change.df))
        self._write_blocks(change)
        count = self._known.notes + change.count
        totals = [old + by for old, by in zip(self._known.totals, change.totals, strict=True)]
        db.execute("UPDATE state SET stamp = ?, count = ?, totals = ?", (stamp, count, json.dumps(totals)))

    def _number_words(self, terms: Collection[str]) -> dict[str, int]:
        db = self._open
        db.executemany("INSERT OR IGNORE INTO words (term, df) VALUES (?, 0)", ((term,) for term in sorted(terms)))
        find = "SELECT id FROM words WHERE term = ?"
        return {term: int(db.execute(find, (term,)).fetchone()[0]) for term in terms}

    def _write_blocks(self, change: _Change) -> None:
        db = self._open
        for at in sorted({*change.gone, *change.come}):
            row = db.execute("SELECT entries FROM postings WHERE at = ?", (at,)).fetchone()
            old = _unpack("I", row[0] if row else b"")
            new = _changed(old, change.gone.get(at, ()), change.come.get(at, ()))
            if new == old:
                continue  # most words of an edited note stay as they were
            if new:
                db.execute("INSERT OR REPLACE INTO postings VALUES (?, ?)", (at, new.tobytes()))
            else:
                db.execute("DELETE FROM postings WHERE at = ?", (at,))

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
        found: dict[str, int] = {}
        with guarded(self._folder):
            for start in range(0, len(terms), _CHUNK):
                part = terms[start : start + _CHUNK]
                marks = ",".join("?" * len(part))
                for term, word, df in self._open.execute(
                    f"SELECT term, id, df FROM words WHERE term IN ({marks})", part
                ):
                    self._ids[term] = word
                    found[term] = df
        return found

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in."""
        return self.doc_freqs([term]).get(term, 0)

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read the blocks of a term that `doc_freqs` has found."""
        first = self._ids[term] << _BLOCK_BITS
        last = first | (1 << _BLOCK_BITS) - 1
        blocks = {num // _BLOCK for num in only} if only is not None else None
        if blocks is not None and len(blocks) <= _CHUNK:
            marks = ",".join("?" * len(blocks))
            rows = self._open.execute(
                f"SELECT at, entries FROM postings WHERE at IN ({marks})", [first | block for block in blocks]
            )
        else:
            rows = self._open.execute("SELECT at, entries FROM postings WHERE at BETWEEN ? AND ?", (first, last))
        for at, entries in rows:
            yield (at - first) * _BLOCK, _unpack("I", entries)

    def statistics(self) -> Statistics:
        """Tell how many notes there are and how long."""
        return self._known

    def has(self, num: int) -> bool:
        """Tell whether a note is indexed."""
        with guarded(self._folder):
            return self._open.execute("SELECT 1 FROM notes WHERE num = ?", (num,)).fetchone() is not None

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


def _unpack(kind: str, raw: bytes) -> array[int]:
    values = array(kind)
    values.frombytes(raw)
    return values


def _changed(old: array[int], gone: Collection[int], come: Sequence[int]) -> array[int]:
    """Copy a block without some notes and with some entries; sorted."""
    new = old[:]
    for low in gone:
        del new[bisect_left(new, low << 16) : bisect_left(new, (low + 1) << 16)]
    if len(come) > _FEW:
        return array("I", sorted((*new, *come)))
    for entry in come:
        insort(new, entry)
    return new
