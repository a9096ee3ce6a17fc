"""What a reconcile did, in numbers, and the tags that changed by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kit.model.notes import Tag


class Report(NamedTuple):
    """What a reconcile did."""

    added: int = 0
    modified: int = 0
    moved: int = 0
    removed: int = 0
    problems: int = 0
    seconds: float = 0.0
    seen: int = 0
    tags: tuple[tuple[str, Tag | None, Tag], ...] = ()
    """tag notes that changed: path, the tag before (None: it is new), the tag now"""
    cards: tuple[tuple[str, str], ...] = ()
    """cards that were known and have changed: path, what it said before, folded"""

    @property
    def changed(self) -> int:
        """Count the notes that are not as they were."""
        return self.added + self.modified + self.moved + self.removed
