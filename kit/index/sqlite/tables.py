"""The tables of the SQLite engine: how they are laid, what they say of themselves, and many values asked at once.

Law: where another format is found, the file is of no use; it is never changed into this one.
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple

from kit.index.bm25 import TALLIED, Statistics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FORMAT = 4
BLOCK_BITS = 24  # of a postings key; the word's number stands above them
CHUNK = 500  # values bound in one statement
# WAL with NORMAL is safe against a killed process; a lost power supply may cost the last commits.
SAFE = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=2000; PRAGMA cache_size=-4096; "
    "PRAGMA shrink_memory"
)
FAST = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-131072"
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


class State(NamedTuple):
    """What the file says of itself."""

    stamp: str
    known: Statistics
    fresh_word: int
    """the number that the next new word gets"""
    fresh_num: int
    """no note has this number or a higher one"""


def connect(file: Path) -> sqlite3.Connection:
    """Open a file, with its tables laid."""
    db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    try:
        db.executescript(f"{SAFE}; {_SCHEMA}")
        empty = (FORMAT, json.dumps([0] * TALLIED))
        db.execute("INSERT OR IGNORE INTO state VALUES (1, ?, '', 0, ?, 0, 0)", empty)
    except BaseException:
        db.close()
        raise
    return db


def read_state(db: sqlite3.Connection) -> State:
    """Read what the file says of itself; raises ValueError where it has another format."""
    read = "SELECT format, stamp, count, totals, fresh_word, fresh_num FROM state"
    form, stamp, count, totals, fresh_word, fresh_num = db.execute(read).fetchone()
    known = Statistics(int(count), tuple(map(int, json.loads(totals))))
    if form != FORMAT or len(known.totals) != TALLIED:
        raise ValueError("another format")
    return State(str(stamp), known, fresh_word, fresh_num)


def ask_many(db: sqlite3.Connection, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
    """Ask with many values, some at a time."""
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        yield from db.execute(f"{query} ({','.join('?' * len(part))})", part)
