"""What a finished turn teaches: lasting statements become facts, the next message judges the answer before it.

Law: the queue is the files themselves, every card that says `learn: pending`; a card is done when the key is
gone, so a crash repeats a step and never loses one. By rules; nothing here asks a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.digest import statements, verdict
from kit.errors import KitError
from kit.govern import care, facts
from kit.model.notes import Card
from kit.vault import exchange

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand

QUEUE = "queue:learn"
"""The term that a card with `learn: pending` bears in the password book."""
SURE = 0.7
"""A verdict below this changes nothing."""


class Learned(NamedTuple):
    """What one card taught."""

    card: str
    facts: tuple[str, ...] = ()
    """paths of the facts that are new, surer or superseded"""
    judged: str = ""
    """the id of the card whose answer this one judged"""


def waiting(hand: Hand) -> int:
    """Count the cards that are still to be learned from."""
    return hand.index.postings.df(QUEUE)


def learn_next(hand: Hand, now: datetime) -> Learned | None:
    """Learn from the oldest waiting card; None when none waits."""
    for num in hand.index.postings.cards(QUEUE):
        entry = hand.index.catalog.numbered(num)
        if entry:
            return learn(hand, entry.path, now)
    return None


def learn(hand: Hand, path: str, now: datetime) -> Learned:
    """Take up what one card teaches and strike it off the queue."""
    found = hand.load(path)
    if not isinstance(found, Card):
        return Learned(found.id)
    said = _exchange(hand, found)
    kept = tuple(
        done.path
        for statement in statements.statements(said.user, said.agent)
        if (done := facts.remember(hand, _stated(statement, found, path), now, "learn"))
    )
    judged = _judge_previous(hand, found, said.user, now)
    hand.amend(path, {"learn": None})
    hand.settle(path)
    return Learned(found.id, kept, judged)


def _stated(statement: statements.Statement, card: Card, path: str) -> facts.Stated:
    return facts.Stated(
        statement.text, statement.category, statement.key, statement.value, scenes=statement.scenes,
        project=card.project if statement.category == "business" else "", confidence=statement.confidence, source=path,
    )  # fmt: skip


def _judge_previous(hand: Hand, card: Card, message: str, now: datetime) -> str:
    """Judge the answer before, in the same session, by what the person says now; never against their own verdict."""
    before = _previous(hand, card)
    if before is None or before.feedback:
        return ""
    said = _exchange(hand, before)
    found = verdict.feedback(said.user, said.agent, message)
    if found.status == "ignored" or found.confidence < SURE:
        return ""
    care.judge(hand, before.id, found.status, found.reason, now, "learn")
    return before.id


def _previous(hand: Hand, card: Card) -> Card | None:
    if not card.topic or not card.created:
        return None
    rows = hand.index.features.rows()
    at = card.created.timestamp()
    earlier = [
        rows[num]
        for num in hand.index.postings.cards(f"topic:{text.key(card.topic)}")
        if num in rows and rows[num].created < at and rows[num].status == "completed"
    ]
    if not earlier:
        return None
    entry = hand.index.catalog.numbered(max(earlier, key=lambda row: row.created).num)
    try:
        found = hand.load(entry.path) if entry else None
    except KitError:
        return None
    return found if isinstance(found, Card) else None


def _exchange(hand: Hand, card: Card) -> exchange.Exchange:
    entry = hand.index.catalog.resolve(card.event) if card.event else None
    try:
        return exchange.read(hand.load(entry.path).body) if entry else exchange.Exchange("", "")
    except KitError:
        return exchange.Exchange("", "")
