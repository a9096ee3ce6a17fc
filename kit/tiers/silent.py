"""Which sessions of agents fell silent without an end, so that somebody should sum them up.

Law: reads only; a session that was looked at is not looked at again until it has a newer card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.errors import KitError
from kit.model.notes import Card

if TYPE_CHECKING:
    from kit.govern.hand import Hand


class Silent:
    """The sessions of one vault that fell silent."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._quiet: dict[str, float] = {}

    def settled(self, session: str, newest: float) -> None:
        """Note that a session is dealt with as it is now."""
        self._quiet[session] = newest

    def between(self, after: float, before: float) -> list[tuple[str, float]]:
        """List the sessions of agents whose newest card lies between two moments and that nobody summed up."""
        newest: dict[str, float] = {}
        for row in self._hand.index.features.rows().values():
            if row.kind == "card" and row.topic:
                newest[row.topic] = max(newest.get(row.topic, 0.0), row.created)
        found: list[tuple[str, float]] = []
        for topic, at in newest.items():
            if after < at < before and self._quiet.get(topic) != at:
                session = self._session(topic)
                if session:
                    found.append((session, at))
                else:
                    self._quiet[topic] = at
        return found

    def _session(self, topic: str) -> str:
        """Name an agent's session as its cards do; '' for a thread of a person's, and for one that is summed up."""
        if self._hand.index.postings.df(f"summary:{topic}"):
            return ""
        for num in self._hand.index.postings.cards(f"topic:{topic}"):
            entry = self._hand.index.catalog.numbered(num)
            try:
                card = self._hand.load(entry.path) if entry else None
            except KitError:
                continue
            if isinstance(card, Card):
                return card.topic if card.harness else ""
        return ""
