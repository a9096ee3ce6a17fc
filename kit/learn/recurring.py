"""Promotion: what three cards say alike is known lastingly, also where nobody said "remember".

Law: rules only, and only among cards that share a tag. Questions, and answers that were rejected, promote nothing;
what is promoted is as sure as something inferred, and names its cards.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit import digest, text
from kit.errors import KitError
from kit.govern import facts
from kit.vault import note

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Card

RECURS = 3
"""Cards that must say it."""
ALIKE = 0.6
CONFIDENCE = 0.7
_LOOKED_AT = 200
_LEAST, _MOST = 3, 200
_ARROW = " → "
_DANGLING = re.compile(r"(?i)(?:it|this|that|they|these|those|he|she|there|here|so|then|yes|no)\b|[这那它他她该此]")
"""How a sentence begins that says nothing by itself."""


_OF_ITSELF = re.compile(r"(?i)\b(?:i|me|my|myself)\b|[我私僕]|저[는도를]|제가")
"""How someone speaks of themselves: of an agent, that is never worth keeping."""
_UNKNOWN = re.compile(
    r"(?i)\b(?:nothing is known|not know|don['’]t know|no (?:information|record|idea))\b|不知道|不清楚"
)
"""How one says that one does not know: who does may have learned it since."""


class _Said(NamedTuple):
    num: int
    says: str


def promote(hand: Hand, card: Card, path: str, now: datetime, user: str) -> str:
    """Make a fact of what a card says, if two others have said it before; return the fact's path, or ''.

    `user` is what the person said in its turn: of themselves they may speak.
    """
    says = _answer(note.first_paragraph(card.body))
    if (
        not says
        or _DANGLING.match(says)
        or digest.prose.is_question(says)
        or _UNKNOWN.search(says)
        or (_OF_ITSELF.search(says) and text.fold(says.rstrip(".。!！")) not in text.fold(user))
        or digest.prose.size(says) < _LEAST
        or len(says) > _MOST
    ):
        return ""
    same = [each for each in _others(hand, card, path) if _alike(each.says, says)]
    if len(same) + 1 < RECURS:
        return ""
    made = None
    for each in sorted(same, key=lambda one: one.num)[: RECURS - 1]:
        entry = hand.index.catalog.numbered(each.num)
        if entry:
            made = _remember(hand, says, entry.path, card, now) or made
    made = _remember(hand, says, path, card, now) or made
    return made.path if made else ""


def _remember(hand: Hand, says: str, source: str, card: Card, now: datetime) -> facts.Remembered | None:
    stated = facts.Stated(
        says, project=card.project, confidence=CONFIDENCE, source=source, tags=card.tags, said_at=card.created
    )
    try:
        return facts.remember(hand, stated, now, "learn")
    except KitError:  # the fact's note is in trouble: the card is learned from all the same
        return None


def _answer(summary: str) -> str:
    """Take what was answered out of `question → answer`."""
    return text.first_sentence(summary.rpartition(_ARROW)[2])


def _others(hand: Hand, card: Card, path: str) -> list[_Said]:
    """List finished cards that share a tag with this one, the newest first."""
    rows = hand.index.features.rows()
    nums = {num for tag in card.tags for num in hand.index.postings.cards(f"tag:{text.key(tag)}")}
    found = []
    for num in sorted(nums, reverse=True)[:_LOOKED_AT]:
        row, entry = rows.get(num), hand.index.catalog.numbered(num)
        if not row or not entry or entry.path == path or (row.kind, row.status) != ("card", "completed"):
            continue
        if row.feedback != "rejected" and row.project == text.key(card.project):
            found.append(_Said(num, _answer(row.shown)))
    return found


def _alike(one: str, other: str) -> bool:
    return digest.statements.similarity(one, other) >= ALIKE and digest.statements.agree(one, other)
