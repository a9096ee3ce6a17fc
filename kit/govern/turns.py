"""A turn in two phases: the frame at the prompt, completed at the answer.

Law: the words of the person and of the agent are on disk before anything clever is tried with them.
Completing twice is completing once; what a person has changed meanwhile is kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadInputError, BadNoteError, ConflictError, NotFoundError
from kit.govern import finish, said
from kit.govern import hand as hands
from kit.govern import tags as pool_acts
from kit.model.fields import link
from kit.model.notes import Card
from kit.vault import exchange, layout, note
from kit.vault.body import put_summary

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import CardStatus, Layer
    from kit.model.perception import Perception
    from kit.vault.journal import Who


class Framed(NamedTuple):
    """A pending card."""

    id: str
    path: str
    status: str
    refused: tuple[str, ...] = ()
    """tags that were not taken, each with its reason"""
    malformed: tuple[str, ...] = ()
    """tags the prompt speaks of that lack a definition or a dimension"""
    redacted: tuple[str, ...] = ()
    """kinds of secrets that were taken out of it"""


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
    malformed: tuple[str, ...] = ()
    """tags of the card that still lack something"""
    replaced: bool = False
    """an earlier answer gave way to this one; the journal holds it"""
    kept: bool = False
    """no answer was given, and the one the card has stays"""
    redacted: tuple[str, ...] = ()
    """kinds of secrets that were taken out of it"""


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
    words, kinds = hand.cleaned(prompt)
    words = said.fit(words)
    given = hand.cleaned_words(turn.tags)
    tags, refused = pool_acts.allowed(hand, given)
    if len(given) < len(turn.tags):
        refused = (*refused, "A tag that holds a secret was left out.")
    with hand.store.batch():
        card_id, event_path = _open(hand, words, tags, turn, perception, at)
        card_path = hand.create(
            layout.card_path(card_id, at, words),
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
    hand.tell_redacted(kinds, at, event_path)
    hand.journal.add(at, who, "frame", card_path, turn.harness, id=card_id)
    hand.settle(event_path, card_path)
    return Framed(card_id, card_path, "pending", refused, redacted=tuple(kinds))


def _open(
    hand: Hand, words: str, tags: tuple[str, ...], turn: Turn, perception: Perception, at: datetime
) -> tuple[str, str]:
    """Write the event of a new turn; return the turn's id, which no other can have then, and the event's path."""
    while True:
        card_id = hands.new_id(hand, at)
        front: dict[str, note.Value | None] = {
            "id": f"{card_id}-e", "kind": "event", "card": link(layout.card_path(card_id, at, words)),
            "topic": turn.topic or None, "type": "chat", "status": "pending", "created": at,
            "route": perception.route, "tags": tags or None,
        }  # fmt: skip
        try:
            return card_id, hand.create_alone(layout.event_path(card_id, at), front, exchange.render(words, ""))
        except ConflictError:  # another program, or a machine that syncs with this one, drew the same id
            continue


def append_prompt(hand: Hand, card_id: str, prompt: str, now: datetime, who: Who) -> None:
    """Add what was typed while the agent was busy to the turn it steers.

    The same words twice in a row are kept once: a harness may tell of them twice.
    """
    at = hands.day(now)
    card, card_path = _card(hand, card_id)
    path, event = said.event_of(hand, card, at)
    more, kinds = hand.cleaned(prompt)
    if _ends_with(said.read(event.body).user, more):
        return
    said.put(hand, path, lambda both: both._replace(user=_with(both.user, more)), {})
    hand.tell_redacted(kinds, at, path)
    hand.journal.add(at, who, "append", card_path, id=card.id)
    hand.settle(path)


def append_answer(hand: Hand, card_id: str, answer: str, now: datetime, who: Who) -> Completed:
    """Add a further answer behind the one a card has."""
    return _complete(hand, card_id, answer, "completed", now, who, "", _with)


def _with(first: str, more: str) -> str:
    """Put more words behind the first ones, unless they end with these already."""
    if _ends_with(first, more):
        return first
    return said.fit(f"{first}\n\n{more}" if first else more)


def _ends_with(whole: str, more: str) -> bool:
    return not more or whole == more or whole.endswith(f"\n\n{more}")


def complete(
    hand: Hand, card_id: str, answer: str, status: CardStatus, now: datetime, who: Who, *, error: str = ""
) -> Completed:
    """Finish a card: the answer into its event first, then summary, overview and tags by rules.

    A turn whose answer is there is not interrupted: a crash came between its event and its card.
    """
    return _complete(hand, card_id, answer, status, now, who, error, lambda first, fresh: fresh or first)


def _complete(
    hand: Hand, card_id: str, answer: str, status: CardStatus, now: datetime, who: Who, error: str,
    join: Callable[[str, str], str],
) -> Completed:  # fmt: skip
    at = hands.day(now)
    (agent, kinds), (error, more) = hand.cleaned(answer), hand.cleaned(error)
    agent, redacted = said.fit(agent), tuple(sorted({*kinds, *more}))
    try:
        card, card_path = _card(hand, card_id)
        event_path, event = said.event_of(hand, card, at)
    except BadNoteError:
        said.rescue(hand, card_id, agent)
        raise
    before = said.read(event.body)
    after = before._replace(agent=join(before.agent, agent))
    if (status, event.status, after) == ("interrupted", "completed", before):
        status, error, at = "completed", "", event.completed or at
    if (card.status, event.status, before.agent) == (status, status, after.agent) and card.completed:
        return _told(card, card_path, event_path, changed=False)._replace(redacted=redacted)
    if before.agent not in ("", after.agent):
        finish.reopen(hand, card, card_path, before)
    took = round((at - event.created).total_seconds() * 1000) if event.created else 0
    ended: dict[str, note.Value | None] = {
        "status": status, "completed": at, "duration_ms": max(0, took) or None, "error": error or None,
    }  # fmt: skip
    replaced = before.agent not in after.agent
    if replaced:  # nothing is lost: what another answer takes the place of stays readable
        hand.journal.add(hands.day(now), who, "replaced", event_path, id=card.id, before=before.agent)
    after = said.put(hand, event_path, lambda both: both._replace(agent=join(both.agent, agent)), ended)
    hand.tell_redacted(redacted, at, event_path)
    hand.journal.add(hands.day(now), who, "complete", card_path, error, id=card.id, status=status)
    done = finish.finish(hand, card, card_path, before, after, status, at, error)
    hand.settle(event_path, card_path, *done.paths)
    return _told(done.card, card_path, event_path, changed=True, shown=done.shown, refused=done.refused)._replace(
        replaced=replaced, kept=bool(before.agent and not agent), redacted=redacted
    )


def _card(hand: Hand, card_id: str) -> tuple[Card, str]:
    """Find a card; its event, which is named like it, does not stand for one that a person removed."""
    claims = sorted(hand.index.catalog.with_id(card_id), key=lambda entry: (len(entry.path), entry.path))
    entry = next((each for each in claims if each.kind == "card"), None) or hand.entry(card_id)
    found = hand.load(entry.path)
    if isinstance(found, Card):
        return found, entry.path
    if not claims and found.id != card_id:
        raise NotFoundError(f"The card '{card_id}' is gone.", "`memkit log` shows what was done to it.")
    raise BadInputError(f"'{card_id}' is a {found.kind}, not a card.", "Give a card's id.")


def _told(
    card: Card, path: str, event: str, *, changed: bool, shown: str = "", refused: tuple[str, ...] = ()
) -> Completed:
    overview = f"{card.overview}.md" if card.overview else ""
    says = shown or note.first_paragraph(card.body)
    return Completed(card.id, path, card.status, says, card.tags, event, overview, changed, refused)


def keep_in(hand: Hand, path: str, layer: Layer) -> None:
    """Have a finished card belong to a tier; a passing remark teaches nothing."""
    hand.amend(path, {"layer": layer, **({"learn": None} if layer == "transient" else {})})
    hand.settle(path)


def meet(hand: Hand, card_id: str) -> bool:
    """Look on the disk for a card the index does not know, and make it known with its event."""
    if not re.fullmatch(r"[\w-]+", card_id):
        return False
    root = hand.store.root
    found = [*root.glob(f"cards/*/{card_id}*.md"), *root.glob(f"events/*/{card_id}*.md")]
    hand.settle(*(file.relative_to(root).as_posix() for file in found))
    return bool(hand.index.catalog.with_id(card_id))
