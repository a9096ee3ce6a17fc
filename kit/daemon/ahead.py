"""Files of a scan, read ahead by a child where there are many.

Law: the child is there only while much is to be read, or soon will be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import reconcile
from kit.daemon import builder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kit.daemon.crew import Crew
    from kit.vault.store import Store

CREW_FROM = 1_000
"""Files that are worth a child which reads them ahead: it takes half a second to get ready."""


class Ahead:
    """Reads the files of one vault, with a child where there are many."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._crew: Crew[reconcile.Piece, Mapping[str, reconcile.Read]] | None = None

    def prepare(self, pending: int, *, building: bool, owed: bool) -> None:
        """Have a child get ready while a storm still rages, which will have many files read."""
        many = pending >= CREW_FROM
        if many and self._crew is None and not building:
            self._crew = builder.reading(self._store)
        elif not many and not owed:
            self.dismiss()  # what raged has been dealt with, or was nothing to us

    def read(self, pieces: list[reconcile.Piece]) -> Iterator[Mapping[str, reconcile.Read]]:
        """Read files for a scan, with a child where there are many."""
        if self._crew is None and sum(map(len, pieces)) >= CREW_FROM:
            self._crew = builder.reading(self._store)
        if self._crew:
            return self._crew.each(pieces)
        return (reconcile.read_all(self._store, piece) for piece in pieces)

    def dismiss(self) -> None:
        """End the child."""
        crew, self._crew = self._crew, None
        if crew:
            crew.stop()
