"""The password book: each feature and the cards that bear it; read by card, the feature stats.

Law: a term is `dimension:key`, the word as it stands on the card, folded by `text.key`. What a word *means*
(aliases, merges, relations) is the pool's business, so a tag edit never touches the postings of a card.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from kit.index.db import rows_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator

DIMENSIONS = (
    "tag",
    "person",
    "place",
    "project",
    "scene",
    "topic",
    "key",
    "day",
    "month",
    "queue",
    "summary",
    "category",
)


def term(dimension: str, key: str) -> str:
    """Write a term."""
    return f"{dimension}:{key}"


class Postings:
    """Terms to card numbers, cached in memory term by term."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._cards: dict[str, array[int]] = {}
        self._df: dict[str, int] = {}

    def forget_cache(self) -> None:
        """Drop what is held in memory: another process has written."""
        self._cards.clear()
        self._df.clear()

    def cards(self, term: str) -> array[int]:
        """List the cards that bear a term, oldest number first."""
        found = self._cards.get(term)
        if found is None:
            rows = self._db.execute("SELECT num FROM postings WHERE term = ? ORDER BY num", (term,))
            found = array("q", (num for (num,) in rows))
            self._cards[term] = found
        return found

    def bears(self, num: int, term: str) -> bool:
        """Tell whether a card bears a term."""
        cards = self.cards(term)
        at = bisect_left(cards, num)
        return at < len(cards) and cards[at] == num

    def df(self, term: str) -> int:
        """Count the cards that bear a term (document frequency)."""
        found = self._df.get(term)
        if found is None:
            row = self._db.execute("SELECT COUNT(*) FROM postings WHERE term = ?", (term,)).fetchone()
            found = self._df[term] = int(row[0])
        return found

    def frequencies(self) -> Counter[str]:
        """Count the cards of every term."""
        return Counter(dict(self._db.execute("SELECT term, COUNT(*) FROM postings GROUP BY term")))

    def terms_of(self, num: int) -> list[str]:
        """List the terms a card bears (its feature stats), sorted."""
        return [term for (term,) in self._db.execute("SELECT term FROM postings WHERE num = ? ORDER BY term", (num,))]

    def terms_of_all(self, nums: Collection[int]) -> dict[int, list[str]]:
        """List the terms of a few cards."""
        found: dict[int, list[str]] = {num: [] for num in nums}
        for num, term in rows_in(self._db, "SELECT num, term FROM postings WHERE num IN", found):
            found[num].append(term)
        return found

    def rows(self) -> Iterator[tuple[str, int]]:
        """Go through every (term, card) pair, by term."""
        return iter(self._db.execute("SELECT term, num FROM postings ORDER BY term, num"))

    def put(self, num: int, terms: Collection[str], *, fresh: bool = False) -> tuple[set[str], set[str]]:
        """Set the terms of a card and tell which came and which went; `fresh` promises that it had none."""
        old: set[str] = set() if fresh else set(self.terms_of(num))
        new = set(terms)
        if old - new:
            self._db.executemany("DELETE FROM postings WHERE term=? AND num=?", ((gone, num) for gone in old - new))
        if new - old:
            self._db.executemany("INSERT INTO postings VALUES (?,?)", ((added, num) for added in new - old))
        self._changed(new ^ old)
        return new - old, old - new

    def _changed(self, terms: Iterable[str]) -> None:
        for term in terms:
            self._cards.pop(term, None)
            self._df.pop(term, None)
