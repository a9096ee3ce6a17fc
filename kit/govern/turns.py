"""A turn in two phases: the frame at the prompt, completed at the answer.

Law: the words of the person and of the agent are on disk before anything clever is tried with them.
Completing twice is completing once; what a person has changed meanwhile is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadInputError, BadNoteError
from kit.govern import finish, said
from kit.govern import hand as hands
from kit.govern import tags as pool_acts
from kit.model.fields import link
from kit.model.notes import Card
from kit.vault import exchange, layout, note
from kit.vault.body import put_summary

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import CardStatus
    from kit.model.perception import Perception
    from kit.vault.journal import Who


class Framed(NamedTuple):
    """A pending card."""

    id: str
    path: str
    status: str
    refused: tuple[str, ...] = ()
    """tags that were not taken, each with its reason"""


class Completed(NamedTuple):
    """A finished card."""

    id: str
    path: str
    status: str
    summary: str
    tags: tuple[str, ...]
    event: str
    overview: str
    changed: bool
    """False: it had been completed with the same answer before"""
    refused: tuple[str, ...] = ()


class Turn(NamedTuple):
    """Where a turn comes from and what it is about."""

    tags: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    scene: str = ""
    scene_sub: str = ""
    topic: str = ""
    project: str = ""
    harness: str = ""
    key: str = ""
    """the harness's own key of the turn"""
    importance: int = 3


def frame(hand: Hand, prompt: str, turn: Turn, perception: Perception, now: datetime, who: Who) -> Framed:
    """Write the pending card and, in its event, the prompt as it was said."""
    at = hands.day(now)
    card_id = hands.new_id(hand, at)
    event_path = layout.event_path(card_id, at)
    words = said.fit(hand.clean(prompt, at, event_path))
    tags, refused = pool_acts.allowed(hand, turn.tags)
    card_path = layout.card_path(card_id, at, words)
    with hand.store.batch():
        event_path = hand.create(
            event_path,
            {
                "id": f"{card_id}-e", "kind": "event", "card": link(card_path), "topic": turn.topic or None,
                "type": "chat", "status": "pending", "created": at, "route": perception.route, "tags": tags or None,
            },
            exchange.render(words, ""),
        )  # fmt: skip
        card_path = hand.create(
            card_path,
            {
                "id": card_id, "kind": "card", "status": "pending", "layer": "episodic", "topic": turn.topic or None,
                "project": turn.project or None, "harness": turn.harness or None, "turn": turn.key or None,
                "created": at, "genre": perception.genre or None, "scene": turn.scene or perception.scene or None,
                "scene_sub": turn.scene_sub or (perception.scene_sub if not turn.scene else "") or None,
                "emotion": perception.emotion or None, "state": perception.state or None,
                "context": perception.context or None, "intent": perception.intent or None,
                "route": perception.route, "tags": tags, "people": turn.people or None,
                "places": turn.places or None, "importance": turn.importance, "event": link(event_path),
            },
            put_summary(b"", text.first_sentence(words), b"\n").decode(),
        )  # fmt: skip
    hand.journal.add(at, who, "frame", card_path, turn.harness, id=card_id)
    hand.settle(event_path, card_path)
    return Framed(card_id, card_path, "pending", refused)


def append_prompt(hand: Hand, card_id: str, prompt: str, now: datetime, who: Who) -> None:
    """Add what was typed while the agent was busy to the turn it steers."""
    at = hands.day(now)
    card, card_path = _card(hand, card_id)
    path, event = said.event_of(hand, card, at)
    both = said.read(event.body)
    more, kinds = hand.cleaned(prompt)
    if _ends_with(both.user, more):
        return
    said.put(hand, path, exchange.Exchange(said.fit(f"{both.user}\n\n{more}"), both.agent), {})
    hand.tell_redacted(kinds, at, path)
    hand.journal.add(at, who, "append", card_path, id=card.id)
    hand.settle(path)


def append_answer(hand: Hand, card_id: str, answer: str, now: datetime, who: Who) -> Completed:
    """Add a further answer behind the one a card has."""
    card, _ = _card(hand, card_id)
    _, event = said.event_of(hand, card, hands.day(now))
    first = said.read(event.body).agent
    more, _ = hand.cleaned(answer)
    whole = first if _ends_with(first, more) else f"{first}\n\n{more}".strip()
    return complete(hand, card_id, whole, "completed", now, who)


def _ends_with(whole: str, more: str) -> bool:
    return not more or whole == more or whole.endswith(f"\n\n{more}")


def complete(
    hand: Hand, card_id: str, answer: str, status: CardStatus, now: datetime, who: Who, *, error: str = ""
) -> Completed:
    """Finish a card: the answer into its event first, then summary, overview and tags by rules."""
    at = hands.day(now)
    (agent, kinds), (error, more) = hand.cleaned(answer), hand.cleaned(error)
    try:
        card, card_path = _card(hand, card_id)
        event_path, event = said.event_of(hand, card, at)
    except BadNoteError:
        said.rescue(hand, card_id, said.fit(agent))
        raise
    before = said.read(event.body)
    after = exchange.Exchange(before.user, said.fit(agent) or before.agent)
    if (card.status, event.status, before.agent) == (status, status, after.agent) and card.completed:
        return _told(card, card_path, event_path, changed=False)
    if before.agent not in ("", after.agent):
        finish.reopen(hand, card, card_path, before)
    took = round((at - event.created).total_seconds() * 1000) if event.created else 0
    ended: dict[str, note.Value | None] = {
        "status": status, "completed": at, "duration_ms": max(0, took) or None, "error": error or None,
    }  # fmt: skip
    said.put(hand, event_path, after, ended)
    hand.tell_redacted(sorted({*kinds, *more}), at, event_path)
    hand.journal.add(at, who, "complete", card_path, error, id=card.id, status=status)
    done = finish.finish(hand, card, card_path, before, after, status, at, error)
    hand.settle(event_path, card_path, *done.paths)
    return _told(done.card, card_path, event_path, changed=True, shown=done.shown, refused=done.refused)


def _card(hand: Hand, card_id: str) -> tuple[Card, str]:
    entry = hand.entry(card_id)
    found = hand.load(entry.path)
    if not isinstance(found, Card):
        raise BadInputError(f"'{card_id}' is a {found.kind}, not a card.", "Give a card's id.")
    return found, entry.path


def _told(
    card: Card, path: str, event: str, *, changed: bool, shown: str = "", refused: tuple[str, ...] = ()
) -> Completed:
    overview = f"{card.overview}.md" if card.overview else ""
    says = shown or note.first_paragraph(card.body)
    return Completed(card.id, path, card.status, says, card.tags, event, overview, changed, refused)
