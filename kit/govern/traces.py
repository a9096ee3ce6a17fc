"""Lines of the journal about what was done to no note: a lesson that was learned, a task that found nothing to do.

Law: who learns or maintains says here what happened; the journal is this room's alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.govern import hand as hands

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.vault.journal import Who


def learned(hand: Hand, card: str, path: str, by: str, now: datetime, why: str = "", **more: object) -> None:
    """Write down who a card was learned from by, and what more there is to say of it; nothing is said of None."""
    hand.journal.add(hands.day(now), "learn", "learn", path, why, durable=True, id=card, by=by, **more)


def idle(hand: Hand, now: datetime, who: Who, what: str, why: str) -> None:
    """Write down that a task was done and changed nothing: a schedule looks for this line."""
    hand.journal.add(hands.day(now), who, what, why=why)
