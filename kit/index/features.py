"""What recall must know of each card, in columns: status, layer, age, scene, project, feedback.

Law: every recallable note has a row, whatever its status; filtering is recall's act, before any cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3

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


class FeatureTable:
    """Rows by card number, held in memory as a whole after first use."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._rows: dict[int, Features] | None = None
        self._shared: dict[str, str] = {}

    def forget_cache(self) -> None:
        """Drop what is held in memory: another process has written."""
        self._rows = None

    def rows(self) -> dict[int, Features]:
        """Hand out all rows; the caller only reads."""
        if self._rows is None:
            # the few distinct words are shared, or 100,000 rows would cost 100 MB
            one, make = self._shared.setdefault, tuple.__new__  # the named way of making takes three times as long
            rows = self._db.execute(f"SELECT {_COLUMNS} FROM cards")
            self._rows = {
                num: make(Features, (num, one(kind, kind), one(status, status), one(layer, layer), one(said, said),
                    weight, pinned, created, until, one(scene, scene), one(sub, sub), one(project, project),
                    one(topic, topic), shown))
                for num, kind, status, layer, said, weight, pinned, created, until, scene, sub, project, topic, shown
                in rows
            }  # fmt: skip
        return self._rows

    def put(self, row: Features) -> None:
        """Add or change a row."""
        self._db.execute(f"INSERT OR REPLACE INTO cards ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", row)
        if self._rows is not None:
            self._rows[row.num] = row

    def drop(self, num: int) -> None:
        """Forget a row."""
        self._db.execute("DELETE FROM cards WHERE num=?", (num,))
        if self._rows is not None:
            self._rows.pop(num, None)
