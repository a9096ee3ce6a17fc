"""A turn in two phases: the frame at the prompt, completed at the answer.

Law: the words of the person and of the agent are on disk before anything clever is tried with them.
Completing twice is completing once; what a person has changed meanwhile is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.digest import keyphrases, summary
from kit.errors import BadNoteError, Problem
from kit.govern import hand as hands
from kit.govern import tags as pool_acts
from kit.model.fields import link
from kit.model.notes import Card, Event
from kit.vault import exchange, layout, note

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import CardStatus
    from kit.model.perception import Perception
    from kit.vault.journal import Who

TAGS_AT_LEAST, TAGS_AT_MOST = 2, 4


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
    said = hand.clean(prompt, at, event_path)
    tags, refused = pool_acts.allowed(hand, turn.tags)
    card_path = layout.card_path(card_id, at, said)
    with hand.store.batch():
        event_path = hand.create(
            event_path,
            {
                "id": f"{card_id}-e", "kind": "event", "card": link(card_path), "topic": turn.topic or None,
                "type": "chat", "status": "pending", "created": at, "route": perception.route, "tags": tags or None,
            },
            exchange.render(said, ""),
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
            text.first_sentence(said) + "\n",
        )  # fmt: skip
    hand.journal.add(at, who, "frame", card_path, turn.harness, id=card_id)
    hand.settle(event_path, card_path)
    return Framed(card_id, card_path, "pending", refused)


def append_prompt(hand: Hand, card_id: str, prompt: str, now: datetime) -> None:
    """Add what was typed while the agent was busy to the turn it steers."""
    card, _ = _card(hand, card_id)
    path, event = _event(hand, card, hands.day(now))
    said = exchange.read(event.body)
    more = hand.clean(prompt, now, path)
    if said.user.endswith(more):
        return
    body = exchange.render(f"{said.user}\n\n{more}", said.agent)
    hand.rewrite(path, lambda raw: note.set_body(raw, body))
    hand.settle(path)


def append_answer(hand: Hand, card_id: str, answer: str, now: datetime, who: Who) -> Completed:
    """Add a further answer behind the one a card has."""
    card, _ = _card(hand, card_id)
    _, event = _event(hand, card, hands.day(now))
    said = exchange.read(event.body).agent
    whole = said if said.endswith(answer) else f"{said}\n\n{answer}".strip()
    return complete(hand, card_id, whole, "completed", now, who)


def complete(
    hand: Hand, card_id: str, answer: str, status: CardStatus, now: datetime, who: Who, *, error: str = ""
) -> Completed:
    """Finish a card: the answer into its event first, then summary, overview and tags by rules."""
    at = hands.day(now)
    card, card_path = _card(hand, card_id)
    event_path, event = _event(hand, card, at)
    before = exchange.read(event.body)
    after = exchange.Exchange(before.user, hand.clean(answer, at, event_path) or before.agent)
    if (card.status, event.status, before.agent) == (status, status, after.agent) and card.completed:
        return _told(card, card_path, event_path, changed=False)
    _write_answer(hand, event_path, event, after, status, at, error)
    hand.journal.add(at, who, "complete", card_path, error, id=card.id, status=status)
    done, paths = _write_card(hand, card, card_path, event_path, before, after, status, at, error)
    hand.settle(event_path, card_path, *paths)
    return done


def _write_answer(
    hand: Hand, path: str, event: Event, said: exchange.Exchange, status: CardStatus, at: datetime, error: str
) -> None:
    duration = round((at - event.created).total_seconds() * 1000) if event.created else 0
    changes: dict[str, note.Value | None] = {
        "status": status, "completed": at, "duration_ms": max(0, duration) or None, "error": error or None,
    }  # fmt: skip
    body = exchange.render(said.user, said.agent)

    def change(raw: bytes) -> bytes:
        return note.edit(note.set_body(raw, body), changes, path)

    hand.rewrite(path, change)


def _write_card(
    hand: Hand, card: Card, path: str, event_path: str, before: exchange.Exchange, after: exchange.Exchange,
    status: CardStatus, at: datetime, error: str,
) -> tuple[Completed, list[str]]:  # fmt: skip
    lasting = status == "completed" and summary.lasting(after.user, after.agent)
    sentence = _sentence(after, status, error)
    ours = {_sentence(before, card.status, card.error), text.first_sentence(before.user), ""}
    stands = note.first_paragraph(card.body)
    tags, refused = _tags(hand, card, after) if status == "completed" else (card.tags, ())
    people = tuple(dict.fromkeys((*card.people, *keyphrases.people(after.user)))) if lasting else card.people
    changes: dict[str, note.Value | None] = {"status": status, "completed": at, "error": error or None}
    if not lasting and status == "completed":
        changes["layer"] = "transient"
    if tags != card.tags:
        changes["tags"] = tags
    if people != card.people:
        changes["people"] = people
    paths: list[str] = []
    with hand.store.batch():
        overview = summary.overview(after.user, after.agent) if lasting else ""
        if overview:
            overview_path = _write_overview(hand, card, path, overview, summary.overview(*before), at)
            paths.append(overview_path)
            changes["overview"] = link(overview_path)
        hand.amend(path, changes, sentence if stands in ours else None)
        paths += pool_acts.ensure(hand, tags, card.tags, at)
    shown = sentence if stands in ours else stands
    finished = card.model_copy(update={"status": status, "tags": tags, "overview": str(changes.get("overview") or "")})
    return _told(finished, path, event_path, changed=True, shown=shown, refused=refused), paths


def _sentence(said: exchange.Exchange, status: str, error: str) -> str:
    """Sum a turn up in one sentence, by rules."""
    asked = text.first_sentence(said.user)
    if status == "failed":
        return text.first_sentence(f"{asked} — failed: {error}" if error else f"{asked} — failed")
    if status == "interrupted" and not said.agent:
        return asked
    return summary.summarise(said.user, said.agent) or asked


def _tags(hand: Hand, card: Card, said: exchange.Exchange) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keep the tags a card has, and fill up to at least two from its words."""
    kept, refused = pool_acts.allowed(hand, card.tags)
    if len(kept) >= TAGS_AT_LEAST:
        return kept[:TAGS_AT_MOST] if kept != card.tags else card.tags, refused
    found = pool_acts.suggest(hand, said.user, said.agent)
    room = TAGS_AT_MOST - len(kept)
    fresh = [word for word in found if text.key(word) not in {text.key(one) for one in kept}][:room]
    return (*kept, *fresh), refused


def _write_overview(hand: Hand, card: Card, card_path: str, body: str, ours: str, at: datetime) -> str:
    """Write the overview; one that a person has changed since is left as it is."""
    existing = hand.index.catalog.resolve(card.overview) if card.overview else None
    words = len(body.split()) if text.language(body) == "en" else len(body)
    if existing:
        if hand.load(existing.path).body.strip() == ours.strip() != body.strip():
            hand.rewrite(existing.path, lambda raw: note.set_body(raw, body + "\n"))
        return existing.path
    created = card.created or at
    return hand.create(
        layout.overview_path(card.id, created),
        {
            "id": f"{card.id}-o", "kind": "overview", "card": link(card_path), "topic": card.topic or None,
            "created": at, "words": words, "confidence": 0.8,
        },
        body + "\n",
    )  # fmt: skip


def _card(hand: Hand, card_id: str) -> tuple[Card, str]:
    entry = hand.entry(card_id)
    found = hand.load(entry.path)
    if not isinstance(found, Card):
        raise BadNoteError(Problem(entry.path, 1, f"'{card_id}' is a {found.kind}, not a card.", "Give a card's id."))
    return found, entry.path


def _event(hand: Hand, card: Card, at: datetime) -> tuple[str, Event]:
    """Load a card's event; one that a person removed is made again."""
    entry = hand.index.catalog.resolve(card.event) if card.event else None
    if entry:
        found = hand.load(entry.path)
        if isinstance(found, Event):
            return entry.path, found
    created = card.created or at
    path = hand.create(
        layout.event_path(card.id, created),
        {
            "id": f"{card.id}-e", "kind": "event", "card": link(hand.entry(card.id).path),
            "topic": card.topic or None, "type": "chat", "status": "pending", "created": created,
        },
        exchange.render(note.first_paragraph(card.body), ""),
    )  # fmt: skip
    hand.amend(hand.entry(card.id).path, {"event": link(path)})
    made = hand.load(path)
    assert isinstance(made, Event)  # noqa: S101 - written on the line above
    return path, made


def _told(
    card: Card, path: str, event: str, *, changed: bool, shown: str = "", refused: tuple[str, ...] = ()
) -> Completed:
    said = shown or note.first_paragraph(card.body)
    return Completed(card.id, path, card.status, said, card.tags, event, card.overview, changed, refused)
