"""Lasting knowledge, and what a person says of a memory: keep it, judge it, put it away, take it back.

Law: nothing is deleted; what is put away lies in the archive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.app.opened import Opened
from kit.govern import care, facts
from kit.model.fields import check_importance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kit.model.notes import Category, Feedback
    from kit.vault.journal import Who


class Care(Opened):
    """What is kept and put away."""

    def remember(
        self, says: str, *, category: Category | None = None, key: str = "", value: str = "",
        tags: Sequence[str] = (), scenes: Sequence[str] = (), people: Sequence[str] = (), project: str = "",
        importance: int = 3, confidence: float = 0.9, source: str = "", now: datetime | None = None,
        who: Who = "person",
    ) -> facts.Remembered | None:  # fmt: skip
        """Keep a fact or preference; said again it is confirmed, said differently it is superseded."""
        check_importance(importance)
        stated = facts.Stated(
            says,
            category,
            key,
            value,
            tuple(tags),
            tuple(scenes),
            tuple(people),
            project,
            importance,
            confidence,
            source,
        )
        with self._writing():
            return facts.remember(self._hand, stated, now or self._clock(), who)

    def feedback(
        self, note_id: str, verdict: Feedback, reason: str = "", *, now: datetime | None = None, who: Who = "person"
    ) -> care.Judged:
        """Say what you think of a memory: confirmed, rejected, partial or ignored; '' takes it back."""
        with self._writing():
            return care.judge(self._hand, note_id, verdict, reason, now or self._clock(), who)

    def forget(
        self, note_id: str, reason: str = "", *, now: datetime | None = None, who: Who = "person"
    ) -> care.PutAway:
        """Put a memory into the archive; `restore` brings it back."""
        with self._writing():
            return care.forget(self._hand, note_id, reason, now or self._clock(), who)

    def restore(self, note_id: str, *, now: datetime | None = None) -> care.PutAway:
        """Take a memory out of the archive."""
        with self._writing():
            return care.restore(self._hand, note_id, now or self._clock(), "person")
