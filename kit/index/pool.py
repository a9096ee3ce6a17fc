"""The tag pool as the index keeps it: tag and scene notes written down, and which edited relations are owed.

Law: a tag is exactly its note; what is written down here says no more than the notes do.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kit.index import claims
from kit.index.held import CLAIMED, CODED, LEVELS, Held, HeldScene, callings, changed_links, revived
from kit.index.names import IMPLICIT
from kit.index.relations import Relations
from kit.model.notes import Scene, Tag

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping

    from kit.errors import Problem

__all__ = ["IMPLICIT", "LEVELS", "Held", "HeldScene", "Pool"]

_OWED = "follow:"
_MOST = 20_000
"""Tags and words that are kept in mind: of the largest pools those that are asked for."""


class Pool(Relations):
    """Tags by code and by every name they claim; scenes beside them. Both are read when they are asked for."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__()
        self._db = db
        self._tags: dict[int, Held | None] = {}
        """Tags that were asked for; None where a number is no tag's"""
        self._called: dict[tuple[int, str], Collection[int]] = {}
        self._scenes: list[HeldScene] | None = None
        self._owed: dict[int, frozenset[str]] | None = None
        self._problems: tuple[Problem, ...] | None = None

    def forget_cache(self) -> None:
        """Drop what is held in memory: another process has written."""
        self.__init__(self._db)  # type: ignore[misc]  # the same empty state

    def tags(self) -> list[Held]:
        """List every tag note, by path; those not asked for before are not kept in mind."""
        known = self._tags.get
        rows = self._rows("pool.kind = 'tag' ORDER BY notes.path")
        return [known(num) or Held(num, path, revived(Tag, data)) for num, path, data in rows]

    def count(self) -> int:
        """Count the tag notes."""
        return int(self._db.execute("SELECT COUNT(*) FROM pool WHERE kind = 'tag'").fetchone()[0])

    def has_unexamined(self) -> bool:
        """Tell whether there is a tag that nobody has examined, without making notes of all tags."""
        told = 'instr(data, \'"status":"unexamined"\')'  # as `put` writes it; within a text, quotes are escaped
        found = self._db.execute(f"SELECT 1 FROM pool WHERE kind = 'tag' AND {told} LIMIT 1")
        return found.fetchone() is not None

    def at_num(self, num: int) -> Held | None:
        """Find the tag of a note's number."""
        if num not in self._tags:
            if len(self._tags) >= _MOST:
                self._forget_found()
            row = self._rows("pool.num = ? AND pool.kind = 'tag'", num).fetchone()
            self._tags[num] = Held(num, row[1], revived(Tag, row[2])) if row else None
        return self._tags[num]

    def _forget_found(self) -> None:
        self._tags.clear()
        self._called.clear()
        self._forget_ways()

    def at_path(self, path: str) -> Held | None:
        """Find the tag of a note's path."""
        row = self._db.execute("SELECT num FROM notes WHERE path = ? AND kind = 'tag'", (path,)).fetchone()
        return self.at_num(row[0]) if row else None

    def called(self, sort: int, key: str) -> Collection[int]:
        """Name the tags that a word leads to in one way: see `held.callings`."""
        found = self._called.get((sort, key))
        if found is None:
            if len(self._called) >= 4 * _MOST:
                self._forget_found()
            rows = self._db.execute("SELECT num FROM callings WHERE sort = ? AND key = ?", (sort, key))
            found = self._called[sort, key] = tuple(num for (num,) in rows)
        return found

    def scenes(self) -> list[HeldScene]:
        """List every scene note, by path."""
        if self._scenes is None:
            rows = self._rows("pool.kind = 'scene' ORDER BY notes.path")
            self._scenes = [HeldScene(num, path, revived(Scene, data)) for num, path, data in rows]
        return list(self._scenes)

    def _rows(self, where: str, *values: object) -> sqlite3.Cursor:
        return self._db.execute(f"SELECT num, notes.path, data FROM pool JOIN notes USING (num) WHERE {where}", values)

    def put(self, num: int, path: str, note: Tag | Scene) -> None:
        """Add or change a tag or scene."""
        before = self.at_num(num)
        self._release(num)
        data = note.model_dump_json(exclude_defaults=True)
        self._db.execute("INSERT INTO pool VALUES (?,?,?)", (num, note.kind, data))
        if isinstance(note, Tag):
            self._hold(Held(num, path, note))
            if before and (changed := changed_links(before.tag, note)):
                self.owe(num, changed | self.owed().get(num, frozenset()))

    def move(self, num: int, path: str) -> None:
        """Take over a note's new path."""
        row = self._rows("pool.num = ?", num).fetchone()
        if row is None:
            return
        held = self.at_num(num)
        self._forget(num)
        if held:
            self._hold(held._replace(path=path))

    def drop(self, num: int) -> None:
        """Forget a tag or scene."""
        self._release(num)
        self.owe(num, frozenset())

    # -- edited relations that the other notes are still to follow

    def owed(self) -> Mapping[int, frozenset[str]]:
        """List tags whose relations were edited, each with the links that came, went or changed their level."""
        if self._owed is None:
            rows = self._db.execute("SELECT name, value FROM meta WHERE name GLOB 'follow:*'")
            self._owed = {int(name.removeprefix(_OWED)): frozenset(json.loads(links)) for name, links in rows}
        return self._owed

    def owe(self, num: int, links: frozenset[str]) -> None:
        """Note that other tags must follow these links of a tag; none: they have."""
        if links:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (f"{_OWED}{num}", json.dumps(sorted(links))))
        elif num in self.owed():
            self._db.execute("DELETE FROM meta WHERE name=?", (f"{_OWED}{num}",))
        self._owed = None
        self._forget_ways()

    # -- faults

    def problems(self) -> list[Problem]:
        """Find what only the pool as a whole can show: double claims, dead links, merge cycles."""
        if self._problems is None:
            known = len(self._tags)
            found = {*claims.double(self, self._shared(CLAIMED), self._shared(CODED)), *claims.dead_ends(self)}
            self._problems = tuple(sorted(found))
            if len(self._tags) > 2 * known:  # every tag was looked at, most of which nobody asks for
                self._forget_found()
        return list(self._problems)

    def _shared(self, sort: int) -> Mapping[str, Collection[int]]:
        rows = self._db.execute("SELECT key FROM callings WHERE sort = ? GROUP BY key HAVING COUNT(*) > 1", (sort,))
        return {key: self.called(sort, key) for (key,) in rows.fetchall()}

    # -- keeping

    def _hold(self, held: Held) -> None:
        self._tags[held.num] = held
        rows = ((sort, key, held.num) for sort, key in callings(held))
        self._db.executemany("INSERT INTO callings VALUES (?,?,?)", rows)

    def _release(self, num: int) -> None:
        self._forget(num)
        self._db.execute("DELETE FROM pool WHERE num = ?", (num,))

    def _forget(self, num: int) -> None:
        """Forget what leads to a tag, and all that was found out by that."""
        self._db.execute("DELETE FROM callings WHERE num = ?", (num,))
        self._tags.pop(num, None)
        self._called.clear()
        self._scenes = self._problems = None
        self._forget_ways()
