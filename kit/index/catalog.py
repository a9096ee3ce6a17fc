"""The known files: path, identity, kind and fingerprint of each, and the problems found in them.

Law: written by `reconcile` alone, inside its transaction.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import Problem
from kit.index.db import rows_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator

_COLUMNS = "num, path, id, kind, mtime_ns, size, ino, etag, folded"


_LINKED_ID = re.compile(r"(?:.*/)?(\d{8}-\d{6}-[0-9a-z]{4})(?:\s[^/]*)?")
_PARTS = {"events": "-e", "overviews": "-o"}


def fold_path(path: str) -> str:
    """Fold a path to what a system that folds case and accents takes it for."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


class Entry(NamedTuple):
    """One known file."""

    num: int
    path: str
    id: str
    """'' for a plain note and for a note that never parsed"""
    kind: str
    mtime_ns: int
    size: int
    ino: int
    etag: str
    folded: str
    """the path as a system that folds case and accents sees it"""


class Catalog:
    """Every file of the vault as it was last seen."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._faulty: set[str] | None = None

    def forget_cache(self) -> None:
        """Drop what is held in memory: another process has written."""
        self._faulty = None

    def __len__(self) -> int:
        """Count the known files."""
        return int(self._db.execute("SELECT COUNT(*) FROM notes").fetchone()[0])

    def is_over(self, most: int) -> bool:
        """Tell whether more than so many files are known, which takes less than to count them all."""
        return self._db.execute("SELECT 1 FROM notes LIMIT 1 OFFSET ?", (most,)).fetchone() is not None

    def is_empty(self) -> bool:
        """Tell whether no file is known."""
        return self._db.execute("SELECT 1 FROM notes LIMIT 1").fetchone() is None

    def entries(self) -> dict[str, Entry]:
        """Load every entry by path; for a scan."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM notes")
        return {row[1]: Entry._make(row) for row in rows}

    def stats(self) -> Iterator[tuple[str, int, int, int]]:
        """Go through path, time, size and file number of every file; for a scan."""
        return iter(self._db.execute("SELECT path, mtime_ns, size, ino FROM notes"))

    def stats_of(self, paths: Collection[str]) -> Iterator[tuple[int, str, int, int, int]]:
        """Give number, path, time, size and file number of a few files; those that are not known are left out."""
        return rows_in(self._db, "SELECT num, path, mtime_ns, size, ino FROM notes WHERE path IN", list(paths))

    def paths_after(self, num: int, most: int) -> list[tuple[int, str]]:
        """List the files after a number, by that."""
        return self._db.execute(
            "SELECT num, path FROM notes WHERE num > ? ORDER BY num LIMIT ?", (num, most)
        ).fetchall()

    def count_until(self, num: int) -> int:
        """Count the files below a number."""
        return int(self._db.execute("SELECT COUNT(*) FROM notes WHERE num < ?", (num,)).fetchone()[0])

    def last_number(self) -> int:
        """Tell the highest number of a file; 0 while there is none."""
        return int(self._db.execute("SELECT MAX(num) FROM notes").fetchone()[0] or 0)

    def at(self, path: str) -> Entry | None:
        """Find the entry of a path."""
        return self._one("path = ?", path)

    def numbered(self, num: int) -> Entry | None:
        """Find the entry of a note's number."""
        return self._one("num = ?", num)

    def all_numbered(self, nums: Collection[int]) -> dict[int, Entry]:
        """Find the entries of a few notes' numbers."""
        rows = rows_in(self._db, f"SELECT {_COLUMNS} FROM notes WHERE num IN", nums)
        return {row[0]: Entry._make(row) for row in rows}

    def places(self, nums: Collection[int]) -> dict[int, tuple[str, str]]:
        """Find id and path of a few notes' numbers."""
        return {
            num: (note_id, path)
            for num, note_id, path in rows_in(self._db, "SELECT num, id, path FROM notes WHERE num IN", nums)
        }

    def long_events(self, cards: Collection[int], least: int) -> dict[int, Entry]:
        """Find the events of a few cards, those of at least so many bytes."""
        columns = ", ".join(f"event.{column}" for column in _COLUMNS.split(", "))
        rows = rows_in(
            self._db,
            f"SELECT notes.num, {columns} FROM notes JOIN notes event"
            f" ON event.id = notes.id || '{_PARTS['events']}' AND event.size >= {int(least)} WHERE notes.num IN",
            cards,
        )
        return {row[0]: Entry._make(row[1:]) for row in rows}

    def below(self, folder: str) -> list[Entry]:
        """List the entries under a folder, '' for all."""
        if not folder:
            return list(self.entries().values())
        rows = self._db.execute(
            f"SELECT {_COLUMNS} FROM notes WHERE path > ? AND path < ?", (f"{folder}/", f"{folder}0")
        )
        return [Entry._make(row) for row in rows]

    def with_id(self, note_id: str) -> list[Entry]:
        """List the entries that claim an id, by path; more than one is a problem."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM notes WHERE id = ? ORDER BY path", (note_id,))
        return [Entry._make(row) for row in rows]

    def with_ids(self, ids: Collection[str]) -> dict[str, Entry]:
        """Find the entry of each of some ids; of more than one, the first by path."""
        rows = rows_in(self._db, f"SELECT {_COLUMNS} FROM notes WHERE id IN", ids)
        found: dict[str, Entry] = {}
        for entry in sorted(map(Entry._make, rows), key=lambda one: one.path):
            found.setdefault(entry.id, entry)
        return found

    def numbers_of(self, ids: Collection[str]) -> set[int]:
        """Find the numbers of all notes that claim one of a few ids."""
        return {num for (num,) in rows_in(self._db, "SELECT num FROM notes WHERE id IN", ids)}

    def with_folded(self, folded: str) -> list[Entry]:
        """List the entries whose paths fold to one; more than one is a problem."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM notes WHERE folded = ? ORDER BY path", (folded,))
        return [Entry._make(row) for row in rows]

    def twinned(self) -> set[str]:
        """List the folded paths that more than one file has."""
        rows = self._db.execute("SELECT folded FROM notes GROUP BY folded HAVING COUNT(*) > 1")
        return {folded for (folded,) in rows}

    def of_kind(self, kind: str) -> Iterator[Entry]:
        """Go through the entries of one kind, by path."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM notes WHERE kind = ? ORDER BY path", (kind,))
        return (Entry._make(row) for row in rows)

    def counts(self) -> dict[str, int]:
        """Count the files of each kind; '' stands for plain notes and unreadable ones."""
        return dict(self._db.execute("SELECT kind, COUNT(*) FROM notes GROUP BY kind ORDER BY kind"))

    def resolve(self, link: str) -> Entry | None:
        """Resolve a link's target: by path, then by file name, then by id; case and accent form do not matter."""
        target = link.removesuffix(".md")
        found = self.at(f"{target}.md")
        if found:
            return found
        folded = fold_path(f"{target}.md")
        named = [] if "/" in target else self._all("name = ?", folded)
        claims = self.with_folded(folded) or named or self.with_id(target)
        return claims[0] if claims else None

    def linked(self, link: str) -> Entry | None:
        """Resolve a link also when the person has renamed or moved the note: by the id in its old name."""
        found = self.resolve(link) if link else None
        named = _LINKED_ID.fullmatch(link) if link and not found else None
        if named is None:
            return found
        claims = self.with_id(named[1] + _PARTS.get(link.partition("/")[0], ""))
        return claims[0] if claims else None

    def put(self, entry: Entry) -> int:
        """Add a file (`num` 0) or change a known one; return its number."""
        values = (*entry[1:], entry.folded.rpartition("/")[2])
        if entry.num:
            self._db.execute(
                "UPDATE notes SET path=?, id=?, kind=?, mtime_ns=?, size=?, ino=?, etag=?, folded=?, name=?"
                " WHERE num=?",
                (*values, entry.num),
            )
            return entry.num
        added = self._db.execute(
            "INSERT INTO notes (path, id, kind, mtime_ns, size, ino, etag, folded, name) VALUES (?,?,?,?,?,?,?,?,?)",
            values,
        )
        return int(added.lastrowid or 0)

    def touch(self, entries: Iterable[Entry]) -> None:
        """Take over new file times of files whose content is the same."""
        self._db.executemany(
            "UPDATE notes SET mtime_ns=?, size=?, ino=? WHERE num=?",
            ((entry.mtime_ns, entry.size, entry.ino, entry.num) for entry in entries),
        )

    def drop(self, num: int) -> None:
        """Forget a file."""
        self._db.execute("DELETE FROM notes WHERE num=?", (num,))

    def problems(self) -> list[Problem]:
        """List what a person should mend, by path and line."""
        rows = self._db.execute("SELECT DISTINCT path, line, what, mend FROM problems ORDER BY path, line, what")
        return [Problem._make(row) for row in rows]

    def problem_count(self) -> int:
        """Count the problems."""
        return int(self._db.execute("SELECT COUNT(*) FROM problems").fetchone()[0])

    def set_problems(self, path: str, sort: str, problems: Iterable[Problem]) -> None:
        """Replace the problems of one sort in one file."""
        found = list(problems)
        if self._is_faulty(path):
            self._db.execute("DELETE FROM problems WHERE path=? AND sort=?", (path, sort))
        if found:
            self._db.executemany("INSERT INTO problems VALUES (?,?,?,?,?)", ((*each, sort) for each in found))
            self._known_faulty().add(path)

    def is_broken(self, path: str) -> bool:
        """Tell whether a note can't be read as it is now; what is known of it is its last good state."""
        if not self._is_faulty(path):
            return False
        return self._has_problem(path, "note")

    def is_copy(self, path: str) -> bool:
        """Tell whether a note's id belongs to another note, so that no index holds anything of it."""
        return self._has_problem(path, "id")

    def _has_problem(self, path: str, sort: str) -> bool:
        row = self._db.execute("SELECT 1 FROM problems WHERE path=? AND sort=?", (path, sort)).fetchone()
        return row is not None

    def _is_faulty(self, path: str) -> bool:
        """Tell whether a file may have problems of its own: most have none, and a first build asks for each."""
        return path in self._known_faulty()

    def _known_faulty(self) -> set[str]:
        if self._faulty is None:
            rows = self._db.execute("SELECT DISTINCT path FROM problems WHERE sort NOT IN ('pool', 'walk')")
            self._faulty = {path for (path,) in rows}
        return self._faulty

    def problems_of(self, sort: str) -> list[Problem]:
        """List the problems of one sort."""
        rows = self._db.execute("SELECT path, line, what, mend FROM problems WHERE sort=? ORDER BY rowid", (sort,))
        return [Problem._make(row) for row in rows]

    def set_found(self, sort: str, problems: Iterable[Problem]) -> None:
        """Replace the problems of a sort in all files: those of the `pool` or the `walk` as a whole."""
        self._db.execute("DELETE FROM problems WHERE sort=?", (sort,))
        self._db.executemany("INSERT INTO problems VALUES (?,?,?,?,?)", ((*found, sort) for found in problems))

    def clear_problems(self, path: str) -> None:
        """Forget the problems of a file that is gone."""
        if not self._is_faulty(path):
            return
        self._db.execute("DELETE FROM problems WHERE path=? AND sort NOT IN ('pool', 'walk')", (path,))

    def _all(self, where: str, value: object) -> list[Entry]:
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM notes WHERE {where} ORDER BY path", (value,))
        return [Entry._make(row) for row in rows]

    def _one(self, where: str, value: object) -> Entry | None:
        row = self._db.execute(f"SELECT {_COLUMNS} FROM notes WHERE {where}", (value,)).fetchone()
        return Entry._make(row) if row else None
