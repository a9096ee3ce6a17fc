"""Every name in the index file: how many bear it and how it is spelled; all of them held in memory, or a question's.

Law: a question is answered the same either way. What is held follows each change once that is written.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kit.index.db import rows_in
from kit.index.lexicon import Lexicon, ends_of, marks_of, parts_of, spelling

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from kit.index.lexicon import Mention


class KnownNames:
    """The names of one vault: looked up for each question at first, so that a start waits for few."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._held = Lexicon()
        self._upto = ""
        """All names up to this one are held"""
        self._whole = False
        self._changed: Counter[str] = Counter()

    def forget_cache(self) -> None:
        """Drop what is held in memory: another process has written, or a change has failed."""
        self.__init__(self._db)  # type: ignore[misc]  # the same empty state

    # -- keeping

    def rename(self, gone: Collection[str], added: Collection[str]) -> None:
        """Note that names are borne once less, and once more; part of a change."""
        self._changed.subtract(gone)
        self._changed.update(added)

    def settle(self) -> None:
        """Write down what was noted, as the last part of a change."""
        changed = {key: by for key, by in self._changed.items() if by and key}
        self._changed.clear()
        known: dict[str, int] = dict(rows_in(self._db, "SELECT key, bearers FROM names WHERE key IN", changed))
        left = [(known[key] + by, key) for key, by in changed.items() if key in known and known[key] + by > 0]
        self._db.executemany("UPDATE names SET bearers = ? WHERE key = ?", left)
        fresh = {key: spelling(key) for key in changed if key not in known}
        self._db.executemany(
            "INSERT INTO names VALUES (?,?,?,?)",
            ((key, changed[key], " ".join(words), " ".join(stems)) for key, (words, stems) in fresh.items()),
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO spellings VALUES (?,?)", ((mark, key) for key in fresh for mark in marks_of(key))
        )
        lost = [key for key, by in changed.items() if key in known and known[key] + by <= 0]
        self._db.executemany("DELETE FROM names WHERE key = ?", ((key,) for key in lost))
        self._db.executemany(
            "DELETE FROM spellings WHERE mark = ? AND key = ?", ((mark, key) for key in lost for mark in marks_of(key))
        )
        for key, by in changed.items():
            if self._whole or key <= self._upto:
                self._held.add(key, by)
                self._held.discard(key, -by)

    @property
    def is_whole(self) -> bool:
        """Tell whether all names are held."""
        return self._whole

    def fill(self, most: int) -> bool:
        """Hold so many more names; tell whether none is left."""
        if not self._whole:
            query = "SELECT key, bearers, words, stems FROM names WHERE key > ? ORDER BY key LIMIT ?"
            rows = self._db.execute(query, (self._upto, most)).fetchall()
            for key, bearers, words, stems in rows:
                self._held.add(key, bearers, (tuple(words.split()), tuple(stems.split())))
                self._upto = key
            self._whole = len(rows) < most
        return self._whole

    # -- asking

    def __contains__(self, key: str) -> bool:
        """Tell whether something bears this name."""
        return self._db.execute("SELECT 1 FROM names WHERE key = ?", (key,)).fetchone() is not None

    def names(self) -> dict[str, int]:
        """List every name, with how many bear it."""
        return dict(self._db.execute("SELECT key, bearers FROM names"))

    def find(self, asked: str) -> list[Mention]:
        """Find the known names in a text; see `Lexicon.find`."""
        return (self._held if self._whole else self._with(parts_of(asked))).find(asked)

    def with_word(self, word: str) -> set[str]:
        """List the names that are a word, have it as their stem, or hold it as a part."""
        return (self._held if self._whole else self._with({word})).with_word(word)

    def knows_word(self, word: str) -> bool:
        """Tell whether there is any name `with_word`."""
        return (self._held if self._whole else self._with({word})).knows_word(word)

    def like(self, word: str) -> set[str]:
        """List the words of names that are much like a word; see `Lexicon.like`."""
        return (self._held if self._whole else self._with(ends_of(word))).like(word)

    def _with(self, marks: Collection[str]) -> Lexicon:
        """Gather the names that have any of these marks."""
        keys = {key for (key,) in rows_in(self._db, "SELECT key FROM spellings WHERE mark IN", marks)}
        found = Lexicon()
        for key, bearers, words, stems in rows_in(
            self._db, "SELECT key, bearers, words, stems FROM names WHERE key IN", keys
        ):
            found.add(key, bearers, (tuple(words.split()), tuple(stems.split())))
        return found
