"""The tag pool as the index keeps it: tag and scene notes written down, and which edited relations are owed.

Law: in memory a tag is exactly its note; what is written down here says no more than the notes do.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kit.index import claims
from kit.index.held import LEVELS, Held, HeldScene, changed_links, revived
from kit.index.names import IMPLICIT
from kit.index.relations import Relations
from kit.model.notes import Scene, Tag

if TYPE_CHECKING:
    import sqlite3

    from kit.errors import Problem

__all__ = ["IMPLICIT", "LEVELS", "Held", "HeldScene", "Pool"]

_OWED = "follow:"


class Pool(Relations):
    """Tags by code and by every name they claim; scenes beside them."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__()
        self._db = db
        self._loaded = False
        self._scenes: dict[int, HeldScene] = {}

    def forget_cache(self) -> None:
        """Drop what is held in memory: another process has written."""
        self.__init__(self._db)  # type: ignore[misc]  # the same empty state

    def load(self) -> None:
        """Read the pool into memory, once."""
        if self._loaded:
            return
        self._loaded = True
        rows = self._db.execute("SELECT pool.num, notes.path, pool.kind, data FROM pool JOIN notes USING (num)")
        for num, path, kind, data in rows.fetchall():
            if kind == "tag":
                self._hold(Held(num, path, revived(Tag, data)))
            else:
                self._scenes[num] = HeldScene(num, path, revived(Scene, data))
        owed = self._db.execute("SELECT name, value FROM meta WHERE name GLOB 'follow:*'")
        for name, links in owed.fetchall():
            self._owed[int(name.removeprefix(_OWED))] = frozenset(json.loads(links))

    def scenes(self) -> list[HeldScene]:
        """List every scene note, by path."""
        self.load()
        return sorted(self._scenes.values(), key=lambda held: held.path)

    def put(self, num: int, path: str, note: Tag | Scene) -> None:
        """Add or change a tag or scene."""
        self.load()
        before = self._tags.get(num)
        self._release(num)
        if isinstance(note, Tag):
            self._hold(Held(num, path, note))
            if before and (changed := changed_links(before.tag, note)):
                self.owe(num, changed | self._owed.get(num, frozenset()))
        else:
            self._scenes[num] = HeldScene(num, path, note)
        data = note.model_dump_json(exclude_defaults=True)
        self._db.execute("INSERT OR REPLACE INTO pool VALUES (?,?,?)", (num, note.kind, data))

    def move(self, num: int, path: str) -> None:
        """Take over a note's new path."""
        self.load()
        if num in self._tags:
            held = self._tags[num]
            self._release(num)
            self._hold(held._replace(path=path))
        elif num in self._scenes:
            self._scenes[num] = self._scenes[num]._replace(path=path)

    def drop(self, num: int) -> None:
        """Forget a tag or scene."""
        self.load()
        self._release(num)
        self.owe(num, frozenset())
        self._db.execute("DELETE FROM pool WHERE num=?", (num,))

    # -- edited relations that the other notes are still to follow

    def owed(self) -> dict[int, frozenset[str]]:
        """List tags whose relations were edited, each with the links that came, went or changed their level."""
        self.load()
        return dict(self._owed)

    def owe(self, num: int, links: frozenset[str]) -> None:
        """Note that other tags must follow these links of a tag; none: they have."""
        if links:
            self._owed[num] = links
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (f"{_OWED}{num}", json.dumps(sorted(links))))
        elif self._owed.pop(num, None) is not None:
            self._db.execute("DELETE FROM meta WHERE name=?", (f"{_OWED}{num}",))
        self._forget_ways()

    # -- faults

    def problems(self) -> list[Problem]:
        """Find what only the pool as a whole can show: double claims, dead links, merge cycles."""
        self.load()
        return sorted({*claims.double(self, self._claims, self._codes), *claims.dead_ends(self)})

    def _release(self, num: int) -> None:
        self._scenes.pop(num, None)
        super()._release(num)
