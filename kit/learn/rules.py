"""What rules make of a finished turn: lasting statements become facts, the next message judges the answer before it.

Law: the queue is the files themselves, every card that says `learn: pending`; a card is done when the key is
gone, so a crash repeats a step and never loses one. A card that can't be learned from keeps no other waiting.
Nothing here asks a model.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from kit import digest, text
from kit.errors import ConflictError, KitError
from kit.govern import alignment, care, facts, finish, scenes
from kit.learn import recurring
from kit.model.notes import Card
from kit.vault import exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
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
    aligned: tuple[str, ...] = ()
    """paths of other notes that lacked something and got it: tags, the card itself"""
    scene: str = ""
    """the scene that showed only once the whole turn was known"""
    by: str = "rules"
    """`rules`, or the model's name"""
    dropped: tuple[str, ...] = ()
    """what of a model's answer could not be used, a sentence each"""


def waiting(hand: Hand) -> int:
    """Count the cards that are still to be learned from."""
    return hand.index.postings.df(QUEUE)


def learn_next(hand: Hand, now: datetime, scene_of: Callable[[str], str] = lambda _: "") -> Learned | None:
    """Learn from the oldest waiting card; None when none waits.

    `scene_of` tells the scene of a text (`work/debugging`). Raise only when nothing can be learned from any card.
    """
    trouble: KitError | None = None
    for num in hand.index.postings.cards(QUEUE):
        entry = hand.index.catalog.numbered(num)
        if entry is None:
            continue
        try:
            return learn(hand, entry.path, now, scene_of)
        except KitError as error:
            trouble = trouble or error
    if trouble:
        raise trouble
    return None


def learn(hand: Hand, path: str, now: datetime, scene_of: Callable[[str], str] = lambda _: "") -> Learned:
    """Take up what one card teaches and strike it off the queue."""
    found = hand.load(path)
    if not isinstance(found, Card):
        return Learned(found.id)
    if hand.store.recently_touched(path, time.time()):
        raise ConflictError(f"{path} was saved a moment ago.", "It is learned from when it is quiet.")
    learned = take_up(hand, found, path, now, scene_of)
    hand.amend(path, {"learn": None, "learned": None})
    hand.settle(path)
    return learned


def take_up(hand: Hand, card: Card, path: str, now: datetime, scene_of: Callable[[str], str]) -> Learned:
    """Take up what rules can tell, once; the card stays where it is in the queue."""
    if card.learned:
        return Learned(card.id)
    said = finish.looked_at(exchange_of(hand, card))
    kept = keep(hand, card, path, digest.statements.statements(said.user, said.agent), now)
    promoted = recurring.promote(hand, card, path, now, said.user)
    judged = judge_previous(hand, card, said.user, now)
    aligned = alignment.by_rules(hand, card.tags, now)
    scene = "" if card.scene else scene_of(f"{said.user}\n{said.agent}")
    if scene:
        scenes.final(hand, path, scene, now, "learn")
    found = (*kept, *([promoted] if promoted else []))
    return Learned(card.id, found, judged, aligned.paths if aligned else (), scene)


def is_taken_up(hand: Hand, path: str) -> bool:
    """Tell whether rules have done their part for a card."""
    found = hand.load(path)
    return not isinstance(found, Card) or bool(found.learned)


def meanwhile(hand: Hand, path: str, now: datetime, scene_of: Callable[[str], str]) -> None:
    """Take up what rules can tell of a card that waits for a model which does not answer."""
    found = hand.load(path)
    if isinstance(found, Card) and not found.learned and not hand.store.recently_touched(path, time.time()):
        take_up(hand, found, path, now, scene_of)
        hand.amend(path, {"learned": "rules"})
        hand.settle(path)


def keep(
    hand: Hand, card: Card, path: str, stated: Iterable[digest.statements.Statement], now: datetime
) -> tuple[str, ...]:  # fmt: skip
    """Remember statements as facts; return the paths of those that are new, surer or superseded."""
    done = (facts.remember(hand, _stated(one, card, path), now, "learn") for one in stated)
    return tuple(each.path for each in done if each and each.changed)


def _stated(statement: digest.statements.Statement, card: Card, path: str) -> facts.Stated:
    return facts.Stated(
        statement.text, statement.category, statement.key, statement.value, scenes=statement.scenes,
        project=card.project if statement.category == "business" else "", confidence=statement.confidence, source=path,
        said_at=card.created,
    )  # fmt: skip


def judge_previous(hand: Hand, card: Card, message: str, now: datetime) -> str:
    """Judge the answer before, in the same session, by what the person says now; never against their own verdict."""
    before = previous(hand, card)
    if before is None or before.feedback:
        return ""
    said = finish.looked_at(exchange_of(hand, before))
    found = digest.verdict.feedback(said.user, said.agent, message)
    if found.status == "ignored" or found.confidence < SURE:
        return ""
    care.judge(hand, before.id, found.status, found.reason, now, "learn")
    return before.id


def previous(hand: Hand, card: Card) -> Card | None:
    """Find the card of the turn before, in the same session."""
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


def exchange_of(hand: Hand, card: Card) -> exchange.Exchange:
    """Read what was said in the turn of a card; empty when its event is gone or can't be read."""
    entry = hand.linked(card.event)
    try:
        return exchange.read(hand.load(entry.path).body) if entry else exchange.Exchange("", "")
    except KitError:
        return exchange.Exchange("", "")
