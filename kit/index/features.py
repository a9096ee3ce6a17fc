"""What recall must know of each card, in columns: status, layer, age, scene, project, feedback.

Law: every recallable note has a row, whatever its status; filtering is recall's act, before any cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator

_COLUMNS = (
    "num, kind, status, layer, feedback, importance, pinned, created, until, scene, scene_sub, project, topic, shown"
)


class Features(NamedTuple):
    """The row of one card or fact."""

    num: int
    kind: str
    status: str
    layer: str
    feedback: str
    importance: int
    pinned: int
    created: float
    """epoch seconds"""
    until: float
    """epoch seconds after which it no longer holds; 0: it holds"""
    scene: str
    scene_sub: str
    project: str
    topic: str
    shown: str
    """the folded summary, its first 400 characters"""

    @property
    def only_asks(self) -> bool:
        """Tell whether all it says is a question."""
        return self.shown.endswith(("?", "？"))


class FeatureTable:
    """Rows by card number: read one by one at first, so that a start waits for few; held in memory once `fill`ed."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._rows: dict[int, Features] = {}
        self._upto = -1
        """All rows up to this number are held"""
        self._whole = False
        self._count: int | None = None
        self._shared: dict[str, str] = {}
        self._sorts: set[tuple[int, str, str]] | None = None

    def forget_cache(self) -> None:
        """Drop what is held in memory: another process has written."""
        self._rows, self._sorts = {}, None
        self._upto, self._whole, self._count = -1, False, None

    def rows(self) -> Mapping[int, Features]:
        """Hand out all rows; the caller only reads, and only until the next change."""
        return self._rows if self._whole else _Rows(self)

    @property
    def is_whole(self) -> bool:
        """Tell whether all rows are held."""
        return self._whole

    def fill(self, most: int | None = None) -> bool:
        """Hold all rows, or `most` more of them; tell whether none is left."""
        if not self._whole:
            found = self._read("num > ? ORDER BY num LIMIT ?", (self._upto, -1 if most is None else most))
            self._rows |= found
            self._upto = max(found, default=self._upto)
            self._whole = most is None or len(found) < most
        return self._whole

    def row(self, num: int) -> Features | None:
        """Find a row."""
        found = self._rows.get(num)
        if found is None and not self._whole:
            read = self._read("num = ?", (num,))
            self._rows |= read
            found = read.get(num)
        return found

    def count(self) -> int:
        """Count the rows."""
        if self._count is None:
            self._count = int(self._db.execute("SELECT COUNT(*) FROM cards").fetchone()[0])
        return self._count

    def statuses(self) -> dict[str, int]:
        """Count the cards of each status."""
        query = "SELECT status, COUNT(*) FROM cards WHERE kind = 'card' GROUP BY status ORDER BY status"
        return dict(self._db.execute(query))

    def with_status(self, *statuses: str, most: int = -1) -> list[int]:
        """List the cards of some statuses by their numbers, the newest first; `most` of them, or all."""
        wanted = ",".join("?" * len(statuses))
        query = f"SELECT num FROM cards WHERE kind = 'card' AND status IN ({wanted}) ORDER BY created DESC LIMIT ?"
        return [num for (num,) in self._db.execute(query, (*statuses, most))]

    def _read(self, where: str, values: tuple[int, ...]) -> dict[int, Features]:
        # the few distinct words are shared, or 100,000 rows would cost 100 MB
        one, make = self._shared.setdefault, tuple.__new__  # the named way of making takes three times as long
        return {
            num: make(Features, (num, one(kind, kind), one(status, status), one(layer, layer), one(said, said),
                weight, pinned, created, until, one(scene, scene), one(sub, sub), one(project, project),
                one(topic, topic), shown))
            for num, kind, status, layer, said, weight, pinned, created, until, scene, sub, project, topic, shown
            in self._db.execute(f"SELECT {_COLUMNS} FROM cards WHERE {where}", values)
        }  # fmt: skip

    def sorts(self) -> Collection[tuple[int, str, str]]:
        """Name every importance, layer and feedback that go together on some card; one that has gone may be named."""
        if self._sorts is None:
            self._sorts = set(self._db.execute("SELECT DISTINCT importance, layer, feedback FROM cards"))
        return self._sorts

    def put(self, row: Features) -> None:
        """Add or change a row."""
        self._db.execute(f"INSERT OR REPLACE INTO cards ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", row)
        self._rows[row.num], self._count = row, None
        if self._sorts is not None:
            self._sorts.add((row.importance, row.layer, row.feedback))

    def drop(self, num: int) -> None:
        """Forget a row."""
        self._db.execute("DELETE FROM cards WHERE num=?", (num,))
        self._rows.pop(num, None)
        self._count = None


class _Rows(Mapping[int, Features]):
    """The rows while not all of them are held: one is read when it is asked for, all when they are gone through."""

    def __init__(self, table: FeatureTable) -> None:
        self._table = table

    def __getitem__(self, num: int) -> Features:
        """Find a row."""
        found = self._table.row(num)
        if found is None:
            raise KeyError(num)
        return found

    def __iter__(self) -> Iterator[int]:
        """Go through all numbers."""
        self._table.fill()
        return iter(self._table.rows())

    def __len__(self) -> int:
        """Count the rows."""
        return self._table.count()
