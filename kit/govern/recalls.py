"""The only trace a recall leaves: a line in the journal, and what can be read from those lines.

Law: no note changes by being recalled; the lines are added after the reply and wait for no disk.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from kit import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kit.govern.hand import Hand
    from kit.vault.journal import Journal

COMPACT = "compact"
"""What is written down when a session's context was compacted or cleared: it knows nothing any more."""

END = "end"
"""What is written down when a session has ended."""


def note_recall(hand: Hand, session: str, prompt: str, ids: Sequence[str], tokens: int, now: datetime) -> None:
    """Write down what was injected into which prompt."""
    why = text.first_sentence(hand.cleaned(prompt)[0], 80)
    hand.journal.add(now, "recall", "recall", why=why, durable=False, session=session, ids=list(ids), tokens=tokens)


def note_event(hand: Hand, what: str, session: str, now: datetime) -> None:
    """Write down that something happened to a session."""
    hand.journal.add(now, "hook", what, session=session, durable=False)


def told(journal: Journal, session: str, lines: int, turns: Mapping[str, datetime]) -> set[str]:
    """Gather what a session has in its context since that was last compacted, from the newest `lines` lines.

    That is what it was told, and those of its own `turns` (ids of cards and when they began) that are no older.
    """
    found: set[str] = set()
    since: datetime | None = None
    named = json.dumps(session, ensure_ascii=False).encode("utf-8", "replace")
    for _, entry in journal.backwards(holding=(named,), most=lines):
        if entry.get("session") == session:
            if entry.get("what") == COMPACT:
                with suppress(ValueError):
                    since = datetime.fromisoformat(str(entry.get("at"))).astimezone()
                break
            ids = entry.get("ids")
            found |= {str(each) for each in ids} if isinstance(ids, list) else set()
    return found | {card for card, at in turns.items() if since is None or at >= since}


def has_ended(journal: Journal, session: str, since: datetime) -> bool:
    """Tell whether a session has ended since a moment; one that was taken up again has a newer card."""
    for entry in journal.entries(newest_first=True):
        if str(entry.get("at", ""))[:10] < f"{since - timedelta(days=1):%Y-%m-%d}":  # a zone may differ by a day
            return False
        if entry.get("what") == END and entry.get("session") == session:
            with suppress(ValueError):
                return datetime.fromisoformat(str(entry["at"])).astimezone() >= since
    return False
