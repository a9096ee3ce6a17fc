"""The SQLite engine: packed postings in a table, a block of them for each word and 1,024 notes.

Law: one file, one transaction for each change; it alone knows the tables. (FTS5's own `bm25()` reads every
posting of every word and gives no score by field, so the postings are the kit's own.)
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import defaultdict
from contextlib import closing, contextmanager
from itertools import count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from kit.errors import BadInputError
from kit.index import seal
from kit.index.blocks import ENTRY_BITS, SPAN_BITS, Change, changed, cut, pack, pack_one, unpack
from kit.index.bm25 import TALLIED, Counted, Curve, Found, Gains, Statistics
from kit.index.fulltext import guarded
from kit.index.search import search

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kit.index.fulltext import Doc

_FILE = "fulltext.sqlite3"
_FORMAT = 4
_BLOCK_BITS = 24  # of a postings key; the word's number stands above them
_CHUNK = 500  # values bound in one statement
_MET = 2048  # words whose numbers are held
_BATCH_BITS = SPAN_BITS + 1  # of numbers whose notes are gathered before they are written, so that no block comes twice
# WAL with NORMAL is safe against a killed process; a lost power supply may cost the last commits.
_SAFE = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=2000; PRAGMA cache_size=-4096; "
    "PRAGMA shrink_memory"
)
_FAST = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-131072"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (
    id INTEGER PRIMARY KEY, format INTEGER, stamp TEXT, count INTEGER, totals TEXT,
    fresh_word INTEGER, fresh_num INTEGER
);
CREATE TABLE IF NOT EXISTS notes (
    num INTEGER PRIMARY KEY, lengths BLOB NOT NULL, codes BLOB NOT NULL, words TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS words (term TEXT PRIMARY KEY, id INTEGER NOT NULL, df INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS postings (at INTEGER PRIMARY KEY, entries BLOB NOT NULL);
"""


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
            self._db: sqlite3.Connection | None = self._connect()
            try:
                self._read_state()
            except BaseException:
                self._db.close()
                raise

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._folder / _FILE, isolation_level=None, check_same_thread=False)
        try:
            db.executescript(f"{_SAFE}; {_SCHEMA}")
            empty = (_FORMAT, json.dumps([0] * TALLIED))
            db.execute("INSERT OR IGNORE INTO state VALUES (1, ?, '', 0, ?, 0, 0)", empty)
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
        read = "SELECT format, stamp, count, totals, fresh_word, fresh_num FROM state"
        form, stamp, count, totals, self._fresh_word, self._fresh_num = self._open.execute(read).fetchone()
        self.gains = None
        self._met.clear()
        self._stamp = str(stamp)
        self._known = Statistics(int(count), tuple(map(int, json.loads(totals))))
        if form != _FORMAT or len(self._known.totals) != TALLIED:
            raise ValueError("another format")

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change the index in one transaction."""
        counted = {doc.num: doc.counted() for doc in upserts}
        with guarded(self._folder):
            self._break_seal()
            with self._transaction():
                self._write(counted, deletes, self._stamp if stamp is None else stamp)

    def build(self, docs: Iterable[Doc], stamp: str, progress: Callable[[int], object] | None = None) -> None:
        """Fill an empty index as fast as can be, holding every word in memory; see `engines.build`."""
        with guarded(self._folder):
            db = self._break_seal()
            if self._fresh_word:
                raise BadInputError(f"The index in {self._folder} is not empty.", "Build it in a new folder.")
            db.executescript(_FAST)
            with self._transaction():
                self._fill(docs, stamp, progress)
            db.executescript(_SAFE)

    def _fill(self, docs: Iterable[Doc], stamp: str, progress: Callable[[int], object] | None) -> None:
        change, done = Change(), 0
        ids: defaultdict[str, int] = defaultdict(count().__next__)
        for _, batch in groupby(docs, lambda doc: doc.num >> _BATCH_BITS):
            counted = {doc.num: doc.counted() for doc in batch}
            self._add(change, counted, counted)
            self._write_blocks(change, ids)
            change.come.clear()
            self._fresh_num = max(self._fresh_num, max(counted) + 1)
            done += len(counted)
            if progress:
                progress(done)
        # by their bytes, as the table has them; texts that are not all Latin compare more slowly
        self._put_words((term, ids[term], change.df[term]) for term in sorted(ids, key=str.encode))
        self._fresh_word = len(ids)
        self._put_state(change, stamp)

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

    def _write(self, counted: Mapping[int, Counted], deletes: Collection[int], stamp: str) -> None:
        db, change = self._open, Change()
        out = [num for num in {*counted, *deletes} if num < self._fresh_num]
        was = dict(self._noted(out))
        for num, old in was.items():
            if num in counted:
                change.replace(num, old, counted[num])
            else:
                change.remove(num, old)
        db.executemany("DELETE FROM notes WHERE num = ?", ((num,) for num in was.keys() - counted.keys()))
        self._add(change, counted, counted.keys() - was.keys())
        self._write_blocks(change, self._number_words(change))
        if counted:
            self._fresh_num = max(self._fresh_num, max(counted) + 1)
        self._put_state(change, stamp)

    def _add(self, change: Change, counted: Mapping[int, Counted], fresh: Collection[int]) -> None:
        """Keep what notes are; those that are `fresh` become part of the change."""
        for num in sorted(fresh):
            change.add(num, counted[num])
        self._open.executemany(
            "INSERT OR REPLACE INTO notes (num, lengths, words, codes) VALUES (?, ?, ?, ?)",
            ((num, pack(each.lengths), *each.packed()) for num, each in sorted(counted.items())),
        )

    def _put_state(self, change: Change, stamp: str) -> None:
        totals = [old + by for old, by in zip(self._known.totals, change.totals, strict=True)]
        self._open.execute(
            "UPDATE state SET stamp = ?, count = ?, totals = ?, fresh_word = ?, fresh_num = ?",
            (stamp, self._known.notes + change.count, json.dumps(totals), self._fresh_word, self._fresh_num),
        )

    def _noted(self, nums: Sequence[int]) -> Iterator[tuple[int, Counted]]:
        """Read what notes were when they were last taken in."""
        for num, lengths, codes, words in self._rows("SELECT num, lengths, codes, words FROM notes WHERE num IN", nums):
            yield num, Counted.unpacked(words, codes, tuple(unpack(lengths)))

    def _rows(self, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        """Ask with many values, some at a time."""
        for start in range(0, len(values), _CHUNK):
            part = values[start : start + _CHUNK]
            yield from self._open.execute(f"{query} ({','.join('?' * len(part))})", part)

    def _number_words(self, change: Change) -> dict[str, int]:
        """Give every word its number and bring the count of its notes up to date."""
        changes, terms = change.df, sorted(change.words())
        rows = self._rows("SELECT term, id, df FROM words WHERE term IN", terms)
        known = {term: (word, df) for term, word, df in rows}
        ids: dict[str, int] = {}
        for term in terms:
            if term in known:
                word, df = known[term]
            else:
                word, df = self._fresh_word, 0
                self._fresh_word += 1
            ids[term] = word
            known[term] = word, df + changes[term]
        self._put_words((term, *known[term]) for term in terms if changes[term])
        lost = ((term,) for term in terms if known[term][1] <= 0)
        self._open.executemany("DELETE FROM words WHERE term = ?", lost)
        return ids

    def _put_words(self, rows: Iterable[tuple[str, int, int]]) -> None:
        self._open.executemany("INSERT OR REPLACE INTO words VALUES (?, ?, ?)", rows)

    def _write_blocks(self, change: Change, ids: Mapping[str, int]) -> None:
        db, shared = self._open, -(-self._fresh_num >> SPAN_BITS)
        come: dict[int, list[int]] = {}
        gone: dict[int, list[int]] = {}

        def fresh() -> Iterator[tuple[int, bytes]]:
            """Give the blocks that nothing was in, and so needs no reading; keep the others for later."""
            numbered = zip(map(ids.__getitem__, change.come), change.come.values(), strict=True)
            for word, coming in sorted(numbered, key=itemgetter(0)):
                first = word << _BLOCK_BITS
                if len(coming) == 1 and coming[0] >> ENTRY_BITS >= shared:  # most words of a first build
                    yield first | coming[0] >> ENTRY_BITS, pack_one(coming[0])
                    continue
                for block, entries in cut(coming):
                    if block >= shared:
                        yield first | block, pack(entries)
                    else:
                        come[first | block] = entries

        db.executemany("INSERT INTO postings VALUES (?, ?)", fresh())
        for term, leaving in change.gone.items():
            first = ids[term] << _BLOCK_BITS
            for block, entries in cut(leaving):
                gone[first | block] = entries
        places = sorted({*gone, *come})
        found = dict(self._rows("SELECT at, entries FROM postings WHERE at IN", places))
        rows: list[tuple[int, bytes]] = []
        for at in places:
            old = unpack(found.get(at, b""))
            new = changed(old, gone.get(at, ()), come.get(at, ()))
            if new != old:  # most words of an edited note stay as they were
                rows.append((at, new.tobytes()))
        db.executemany("INSERT OR REPLACE INTO postings VALUES (?, ?)", (row for row in rows if row[1]))
        db.executemany("DELETE FROM postings WHERE at = ?", ((at,) for at, entries in rows if not entries))

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
                rows = self._rows("SELECT term, id, df FROM words WHERE term IN", new)
                met.update((term, (word, df)) for term, word, df in rows)
        return {term: df for term in terms if (df := met[term][1])}

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in."""
        return self.doc_freqs([term]).get(term, 0)

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read the blocks of a term that `doc_freqs` has found."""
        first = self._met[term][0] << _BLOCK_BITS
        last = first | (1 << _BLOCK_BITS) - 1
        if only is not None and len(only) <= _CHUNK:
            places = [first | base >> SPAN_BITS for base in only]
            rows: Iterable[tuple[Any, ...]] = self._rows("SELECT at, entries FROM postings WHERE at IN", places)
        else:
            rows = self._open.execute("SELECT at, entries FROM postings WHERE at BETWEEN ? AND ?", (first, last))
        for at, entries in rows:
            yield at - first << SPAN_BITS, array("I", entries)

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
