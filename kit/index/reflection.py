"""All derived rooms, opened together, and the transaction that changes them together.

Law: only `reconcile` enters `changing()`; whatever fails inside leaves every room as it was.
"""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kit import text
from kit.index import db
from kit.index.catalog import Catalog
from kit.index.features import FeatureTable
from kit.index.known import KnownNames
from kit.index.pool import Pool
from kit.index.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from kit.index.features import Features
    from kit.model.notes import Scene, Tag

NAMED = ("tag", "person", "place", "project", "key")
"""Dimensions whose words are looked for in running text."""


class Index:
    """The derived state of one vault."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._db = db.connect(folder)
        self.catalog = Catalog(self._db)
        self.postings = Postings(self._db)
        self.features = FeatureTable(self._db)
        self.pool = Pool(self._db)
        self.lexicon = KnownNames(self._db)
        """Every name that can be found in running text"""
        self._next = 0
        self._owing: set[int] = set()
        """Cards that this change has the full text take in anew"""
        self._owed: dict[int, int] | None = None
        """What `owed` tells, oldest first, from when it is first asked for"""
        self._seen = self._data_version()
        self._birth = ""
        self._generation: int | None = None
        self._file = db.identity(folder)

    @staticmethod
    def remove(folder: Path) -> None:
        """Throw the derived state in a folder away."""
        db.remove(folder)

    def is_there(self) -> bool:
        """Tell whether the file lies where it was opened: someone may have cleaned the cache, or built anew."""
        return db.identity(self.folder) == self._file

    def reopen(self) -> None:
        """Open what lies in the folder now; empty rooms where nothing does."""
        with suppress(sqlite3.Error):
            self.close()
        self.__init__(self.folder)  # type: ignore[misc]  # opened anew

    def renew(self) -> None:
        """Begin anew with empty rooms, after damage; the next scan fills them."""
        with suppress(sqlite3.Error):
            self.close()
        db.remove(self.folder)
        self.__init__(self.folder)  # type: ignore[misc]  # the same empty state

    def take_over(self, folder: Path) -> None:
        """Put the index that was built in another folder in the place of this one."""
        self.close()
        db.replace(folder, self.folder)
        self.__init__(self.folder)  # type: ignore[misc]  # opened anew

    def close(self) -> None:
        """Let the files go."""
        self._db.close()

    def check(self) -> None:
        """Raise sqlite3.DatabaseError where the file is not as the last daemon left it, nor changed by anyone since."""
        told = db.take_seal(self.folder)
        if told is None or told[0] != str(self.generation):
            return
        self.close()
        whole = db.is_as_sealed(self.folder, told[1])
        self.__init__(self.folder)  # type: ignore[misc]  # opened anew
        if not whole:
            raise sqlite3.DatabaseError("its file differs from its seal")

    def seal(self) -> None:
        """Let the files go, and let `check` know them as they are now."""
        db.put_seal(self._db, self.folder, self.generation)

    def build_fast(self) -> None:
        """Keep many pages, for a process that fills the index and ends."""
        self._db.execute("PRAGMA cache_size = -65536")

    @property
    def is_held(self) -> bool:
        """Tell whether all that `hold` can hold is held."""
        return self.features.is_whole and self.lexicon.is_whole

    def hold(self, most: int) -> bool:
        """Hold so many more rows and names in memory; tell whether none is left."""
        return self.features.fill(most) and self.lexicon.fill(most)

    def refresh(self) -> None:
        """Drop what is held in memory when another process has written since."""
        seen = self._data_version()
        if seen != self._seen:
            self._forget()

    @property
    def birth(self) -> str:
        """Name this making of the index; note numbers mean nothing to another one."""
        if not self._birth:
            self._birth = self._read_birth()
        return self._birth

    def _read_birth(self) -> str:
        row = self._db.execute("SELECT value FROM meta WHERE name = 'birth'").fetchone()
        if row is None:
            with self.changing():
                self._db.execute("INSERT INTO meta VALUES ('birth', ?)", (secrets.token_hex(8),))
            return self._read_birth()
        return str(row[0])

    def expect_plain_notes(self, wanted: bool) -> None:
        """Have the person's own notes read anew when it has changed whether they are to be found."""
        row = self._db.execute("SELECT value FROM meta WHERE name = 'plain_notes'").fetchone()
        if (row is not None and row[0] == "yes") == wanted:
            return
        with self.changing():
            self._db.execute("UPDATE notes SET mtime_ns = -1, etag = '' WHERE kind IN ('', 'note')")
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('plain_notes', ?)", ("yes" if wanted else "no",))

    def owe(self, num: int) -> None:
        """Note that the full text must take a card in anew; part of a change."""
        self._owing.add(num)

    def owed(self) -> dict[int, int]:
        """List cards the full text must take in, each with the generation it changed at, oldest first.

        The caller only reads: of a full text that is begun anew these are all cards there are, so it is read once
        and follows each change.
        """
        if self._owed is None:
            one: dict[int, int] = {}
            rows = self._db.execute("SELECT num, generation FROM owed ORDER BY generation, num")
            self._owed = {num: one.setdefault(generation, generation) for num, generation in rows}
        return self._owed

    def paid(self, taken: Mapping[int, int]) -> None:
        """Strike cards off that the full text has taken in, unless they have changed since."""
        with self.changing():
            self._db.executemany("DELETE FROM owed WHERE num=? AND generation<=?", taken.items())
        if owed := self._owed:
            for num, generation in taken.items():
                if owed.get(num, self._next) <= generation:
                    del owed[num]

    def paid_until(self, generation: int) -> None:
        """Strike off every card that has not changed since a generation."""
        with self.changing():
            self._db.execute("DELETE FROM owed WHERE generation<=?", (generation,))
        self._owed = None

    def owe_all(self) -> None:
        """Owe every card: the full text begins anew."""
        with self.changing():
            self._db.execute("INSERT OR REPLACE INTO owed SELECT num, ? FROM cards", (self._next,))
        self._owed = None

    @property
    def generation(self) -> int:
        """Number of the last change; full text and caches compare themselves with it."""
        if self._generation is None:
            row = self._db.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()
            self._generation = int(row[0]) if row else 0
        return self._generation

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change all rooms in one transaction."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self.refresh()
            self._next = self.generation + 1
            self._owing.clear()
            yield
            self.lexicon.settle()
            owing = ((num, self._next) for num in sorted(self._owing))
            self._db.executemany("INSERT OR REPLACE INTO owed VALUES (?, ?)", owing)
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('generation', ?)", (str(self._next),))
            self._db.execute("COMMIT")
            self._generation = self._next
            self._note_owed()
        except BaseException:
            self._forget()
            if self._db.in_transaction:  # on a full disk SQLite has rolled back by itself
                self._db.execute("ROLLBACK")
            raise

    def _note_owed(self) -> None:
        if (owed := self._owed) is not None:
            for num in sorted(self._owing):
                owed.pop(num, None)  # what changes comes last
                owed[num] = self._next

    def put_card(self, row: Features, terms: Collection[str], *, fresh: bool) -> None:
        """Set what recall knows of a card or fact."""
        self.features.put(row)
        self.owe(row.num)
        self._put_terms(row.num, terms, fresh=fresh)

    def put_pooled(self, num: int, path: str, note: Tag | Scene) -> None:
        """Set a tag or scene of the pool."""
        before = self.pool.names(num)
        self.pool.put(num, path, note)
        self.lexicon.rename(before, self.pool.names(num))

    def drop(self, num: int, kind: str) -> None:
        """Forget what a note of a kind has put into the rooms; the catalog is not touched."""
        if kind in ("card", "summary", "fact", "note"):
            self.features.drop(num)
            self.owe(num)
            self._put_terms(num, (), fresh=False)
        elif kind in ("tag", "scene"):
            before = self.pool.names(num)
            self.pool.drop(num)
            self.lexicon.rename(before, set())

    def _put_terms(self, num: int, terms: Collection[str], *, fresh: bool) -> None:
        added, gone = self.postings.put(num, terms, fresh=fresh)
        self.lexicon.rename(_named(gone), _named(added))

    def _forget(self) -> None:
        self.catalog.forget_cache()
        self.postings.forget_cache()
        self.features.forget_cache()
        self.pool.forget_cache()
        self.lexicon.forget_cache()
        self._birth, self._generation, self._owed = "", None, None
        self._seen = self._data_version()

    def _data_version(self) -> int:
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])


def _named(terms: Collection[str]) -> list[str]:
    parts = (term.partition(":") for term in terms)
    return [key for dimension, _, key in parts if dimension in NAMED]


def terms_of(
    tags: Collection[str], people: Collection[str], places: Collection[str],
    project: str, scene: str, scene_sub: str, topic: str,
) -> set[str]:  # fmt: skip
    """List the terms of a card's features."""
    found = {f"tag:{text.key(word)}" for word in tags}
    found |= {f"person:{text.key(word)}" for word in people}
    found |= {f"place:{text.key(word)}" for word in places}
    if project:
        found.add(f"project:{text.key(project)}")
    if scene:
        found.add(f"scene:{text.key(scene)}")
        if scene_sub:
            found.add(f"scene:{text.key(scene)}/{text.key(scene_sub)}")
    if topic:
        found.add(f"topic:{text.key(topic)}")
    return found
