"""The one SQLite file behind catalog, pool, postings and features.

Law: it may be deleted at any time; another schema number, or any doubt, means drop and rebuild. No migration.
"""

from __future__ import annotations

import re
import sqlite3
import time
from itertools import islice
from typing import TYPE_CHECKING, Any

from kit import text
from kit.index import seal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

FILE, SEAL = "index.sqlite3", "index.seal"
"""The index, and what holds its sum while no daemon has it: SQLite itself notices no flipped byte."""
SCHEMA = 7
"""Raise it with every change of a table or of what is put into one."""

_TABLES = """
CREATE TABLE notes (
  num INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: postings and full text speak of notes by it
  path TEXT NOT NULL UNIQUE,
  id TEXT NOT NULL,                       -- '' for plain notes and notes that never parsed
  kind TEXT NOT NULL,                     -- '' likewise
  mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, ino INTEGER NOT NULL,
  etag TEXT NOT NULL,
  folded TEXT NOT NULL,                   -- the path as a system that folds case and accents sees it
  name TEXT NOT NULL                      -- the folded file name, for links that give no path
);
CREATE INDEX notes_id ON notes (id);
CREATE INDEX notes_name ON notes (name);
CREATE INDEX notes_folded ON notes (folded);
CREATE INDEX notes_kind ON notes (kind);  -- to count them: a page of notes holds few
CREATE TABLE problems (
  path TEXT NOT NULL, line INTEGER NOT NULL, what TEXT NOT NULL, mend TEXT NOT NULL,
  sort TEXT NOT NULL                      -- who found it: 'note', 'id', 'twin' or 'pool'; each replaces its own
);
CREATE INDEX problems_path ON problems (path);
CREATE TABLE cards (                      -- what recall must know of each recallable note
  num INTEGER PRIMARY KEY,
  kind TEXT NOT NULL, status TEXT NOT NULL, layer TEXT NOT NULL, feedback TEXT NOT NULL,
  importance INTEGER NOT NULL, pinned INTEGER NOT NULL, created REAL NOT NULL, until REAL NOT NULL,
  scene TEXT NOT NULL, scene_sub TEXT NOT NULL, project TEXT NOT NULL, topic TEXT NOT NULL,
  shown TEXT NOT NULL                     -- folded summary, to fold near-duplicates and to merge facts
);
CREATE INDEX cards_sorts ON cards (importance, layer, feedback);
CREATE INDEX cards_kinds ON cards (kind, status);
CREATE TABLE postings (                   -- the password book; read by card through the index: the feature stats
  term TEXT NOT NULL, num INTEGER NOT NULL, PRIMARY KEY (term, num)
) WITHOUT ROWID;
CREATE INDEX features ON postings (num);
CREATE TABLE names (                      -- what is looked for in running text
  key TEXT PRIMARY KEY, bearers INTEGER NOT NULL, words TEXT NOT NULL, stems TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE spellings (                  -- words and stems of each name, and how its words begin and end
  mark TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (mark, key)
) WITHOUT ROWID;
CREATE TABLE pool (num INTEGER PRIMARY KEY, kind TEXT NOT NULL, data TEXT NOT NULL);
CREATE INDEX pool_kind ON pool (kind);
CREATE TABLE callings (                  -- what tags are called, and what their notes call others: `held.SORTS`
  sort INTEGER NOT NULL, key TEXT NOT NULL, num INTEGER NOT NULL, PRIMARY KEY (sort, key, num)
) WITHOUT ROWID;
CREATE INDEX callings_num ON callings (num);
CREATE TABLE owed (                      -- cards whose words the full text has not taken in since `generation`
  num INTEGER PRIMARY KEY, generation INTEGER NOT NULL
);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


_AT_ONCE = 900
"""Values that one statement takes; the oldest limit is 999."""
_SWITCH_S = 5.0
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def connect(folder: Path) -> sqlite3.Connection:
    """Open the index in a folder, made anew when it is missing, of another schema, or damaged."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return _open(folder / FILE)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
    remove(folder)
    return _open(folder / FILE)


def remove(folder: Path) -> None:
    """Delete the file and what SQLite keeps beside it."""
    for leftover in folder.glob("index.sqlite3*"):
        leftover.unlink(missing_ok=True)


def replace(built: Path, folder: Path) -> None:
    """Put the closed file of one folder in the place of another's."""
    remove(folder)
    (built / FILE).replace(folder / FILE)


def identity(folder: Path) -> tuple[int, int] | None:
    """Say which file lies in a folder; None where none does."""
    try:
        found = (folder / FILE).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def rows_in(db: sqlite3.Connection, query: str, values: Collection[object]) -> Iterator[tuple[Any, ...]]:
    """Ask with many values, some at a time: `query` ends where their list begins."""
    stream = iter(values)
    while part := list(islice(stream, _AT_ONCE)):
        yield from db.execute(f"{query} ({','.join('?' * len(part))})", part)


def put_seal(found: sqlite3.Connection, folder: Path, generation: int) -> None:
    """Close the index; write down what its file sums up to, where all of it is in the file and nobody else writes."""
    busy, *_ = found.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    found.close()
    if not busy:
        (folder / SEAL).write_text(f"{generation} {seal.sum_of(folder / FILE)}", encoding="ascii")


def take_seal(folder: Path) -> tuple[str, str] | None:
    """Take the seal off: the generation and the sum that are written there; None where there is none."""
    try:
        generation, sum_ = (folder / SEAL).read_text(encoding="ascii").split()
        (folder / SEAL).unlink()
    except (OSError, ValueError):
        return None
    return generation, sum_


def is_as_sealed(folder: Path, sum_: str) -> bool:
    """Tell whether the file sums up to what was written down; to be called while nobody in this process has it open.

    Whoever closes a file that SQLite has open takes its locks from it: the next one to open and close the index would
    take itself for the last one, and throw away what waits to be written into it.
    """
    return sum_ == str(seal.sum_of(folder / FILE))


def is_damage(error: sqlite3.Error) -> bool:
    """Tell a damaged file, which is made anew, from one that is locked or can't be reached, which is left alone."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def _stamp() -> str:
    return f"{SCHEMA}.{text.ANALYSER}"


def _open(file: Path) -> sqlite3.Connection:
    found = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
    try:
        _use_wal(found)
        found.execute("PRAGMA synchronous = NORMAL")
        found.execute("PRAGMA cache_size = -2000")  # the system keeps pages, too, and of all programs together
        found.execute("PRAGMA temp_store = MEMORY")
        if _version(found) != _stamp():
            _lay(found)
    except BaseException:
        found.close()
        raise
    return found


def _use_wal(found: sqlite3.Connection) -> None:
    """Write ahead into a log; for others who are switching a new file to that, SQLite does not wait by itself."""
    end = time.monotonic() + _SWITCH_S
    while True:
        try:
            found.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _lay(found: sqlite3.Connection) -> None:
    """Lay empty tables in place of all there are, unless another process has just done so."""
    found.execute("BEGIN IMMEDIATE")
    try:
        if _version(found) != _stamp():
            there = found.execute("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'")
            for (name,) in there.fetchall():
                found.execute(f'DROP TABLE "{name}"')
            for statement in re.sub("--.*", "", _TABLES).split(";"):
                found.execute(statement)
            found.execute("INSERT INTO meta VALUES ('stamp', ?)", (_stamp(),))
            # counted from the clock, so that an index made anew never repeats a number of the one before
            found.execute("INSERT INTO meta VALUES ('generation', ?)", (str(time.time_ns()),))
        found.execute("COMMIT")
    except BaseException:
        if found.in_transaction:
            found.execute("ROLLBACK")
        raise


def _version(found: sqlite3.Connection) -> str:
    try:
        row = found.execute("SELECT value FROM meta WHERE name = 'stamp'").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # locked, unreachable: not the lack of a table
            raise
        return ""
    return str(row[0]) if row else ""
