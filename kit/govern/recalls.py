"""The only trace a recall leaves: a line in the journal, and what can be read from those lines.

Law: no note changes by being recalled; the lines are added after the reply and wait for no disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.vault.journal import Journal

COMPACT = "compact"
"""What is written down when a session's context was compacted or cleared: it knows nothing any more."""


def note_recall(hand: Hand, session: str, prompt: str, ids: Sequence[str], tokens: int, now: datetime) -> None:
    """Write down what was injected into which prompt."""
    why = text.first_sentence(hand.cleaned(prompt)[0], 80)
    hand.journal.add(now, "recall", "recall", why=why, durable=False, session=session, ids=list(ids), tokens=tokens)


def note_event(hand: Hand, what: str, session: str, now: datetime) -> None:
    """Write down that something happened to a session."""
    hand.journal.add(now, "hook", what, session=session, durable=False)


def told(journal: Journal, session: str, lines: int) -> set[str]:
    """Gather what a session was told since its context was last compacted, from the newest `lines` lines."""
    found: set[str] = set()
    for entry, _ in zip(journal.entries(newest_first=True), range(lines), strict=False):
        if entry.get("session") == session:
            if entry.get("what") == COMPACT:
                break
            ids = entry.get("ids")
            found |= {str(each) for each in ids} if isinstance(ids, list) else set()
    return found
