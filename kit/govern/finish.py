"""The clever part of completing a turn, by rules: summary, overview and tags of its card.

Law: the words are on disk before this is tried. What a person has written in place of ours is kept; ours is
known by saying what the rules would have said, on the very bytes that are changed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.digest import keyphrases, summary
from kit.errors import BadNoteError
from kit.govern import tags as pool_acts
from kit.model.fields import link
from kit.vault import layout, note

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Card, CardStatus, Note
    from kit.vault.exchange import Exchange

TAGS_AT_LEAST, TAGS_AT_MOST = 2, 4
_SHARED = frozenset({"tags", "people", "layer", "overview"})
"""Keys of a card that a person may set as well as the rules."""
LONGEST = 40_000
"""Characters of each side the rules look at, half at the start and half at the end: they take time by length."""


class Finished(NamedTuple):
    """A card as it was finished."""

    card: Card
    shown: str
    """its summary, ours or the person's"""
    refused: tuple[str, ...]
    paths: tuple[str, ...]
    """other notes that were written"""


def finish(
    hand: Hand, card: Card, path: str, before: Exchange, after: Exchange, status: CardStatus, at: datetime, error: str
) -> Finished:
    """Write what a turn came to; `before` is what its event held, to know our words from the person's."""
    before, after = _looked_at(before), _looked_at(after)
    lasting = status == "completed" and summary.lasting(after.user, after.agent)
    sentence = _sentence(after, status, error)
    tags, refused = _tags(hand, card, after) if status == "completed" else (card.tags, ())
    people = tuple(dict.fromkeys((*card.people, *keyphrases.people(after.user)))) if lasting else card.people
    changes: dict[str, note.Value | None] = {"status": status, "completed": at, "error": error or None}
    if lasting:
        changes["learn"] = "pending"  # the queue of `learn`; without the key a card is done
    if not lasting and status == "completed":
        changes["layer"] = "transient"
    elif lasting and card.layer == "transient" and not summary.lasting(before.user, before.agent):
        changes["layer"] = "episodic"  # the rules had made it transient for an answer that is replaced now
    if tags != card.tags:
        changes["tags"] = tags
    if people != card.people:
        changes["people"] = people
    with hand.store.batch():
        told = (summary.overview(after.user, after.agent) or (card.overview and sentence)) if lasting else ""
        overview = _write_overview(hand, card, path, told, before, at) if told else ""
        if overview:
            changes["overview"] = link(overview)
        made = pool_acts.ensure(hand, tags, card.tags, at)
        shown = _amend(hand, card, path, changes, sentence, before)  # last: with it the turn is finished
    known = overview.removesuffix(".md") or card.overview
    finished = card.model_copy(update={"status": status, "tags": tags, "overview": known})
    return Finished(finished, shown, refused, tuple(filter(None, (overview, *made))))


def reopen(hand: Hand, card: Card, path: str, before: Exchange) -> None:
    """Take our words on an answer back before it is replaced.

    Else a crash after that would leave them, and nothing could tell them from a person's.
    """
    before = _looked_at(before)
    asked = text.first_sentence(before.user)
    entry = hand.linked(card.overview)
    if entry:
        _rewrite_overview(hand, entry.path, card, before, asked, {})
    _amend(hand, card, path, {"status": "pending"}, asked, before)


def _amend(
    hand: Hand, card: Card, path: str, changes: dict[str, note.Value | None], sentence: str, before: Exchange
) -> str:
    """Change the card, its summary only where it is ours and no key that was changed since; return its summary."""
    clean, ours = hand.cleaned_front(changes), _ours(card, before)

    def change(raw: bytes) -> bytes:
        now = note.parse(raw, path, fallback_name="")
        due = {key: value for key, value in clean.items() if key not in _SHARED or _stands(now, card, key)}
        edited = note.edit(raw, due, path)
        return note.set_summary(edited, sentence) if now and note.first_paragraph(now.body) in ours else edited

    return note.first_paragraph(note.read(hand.rewrite(path, change), path).body)


def _stands(now: Note | None, card: Card, key: str) -> bool:
    return bool(getattr(now, key, None) == getattr(card, key))


def _looked_at(both: Exchange) -> Exchange:
    half = LONGEST // 2
    user, agent = (said if len(said) <= LONGEST else f"{said[:half]}\n\n{said[-half:]}" for said in both)
    return both._replace(user=user, agent=agent)


def _ours(card: Card, before: Exchange) -> set[str]:
    """Say what the rules may have written as the summary."""
    return {_sentence(before, card.status, card.error), text.first_sentence(before.user), ""}


def _sentence(both: Exchange, status: str, error: str) -> str:
    """Sum a turn up in one sentence, by rules."""
    asked = text.first_sentence(both.user)
    if status == "failed":
        return text.first_sentence(f"{asked.rstrip('.!?。！？… ')} — failed" + (f": {error}" if error else ""))
    if status == "interrupted" and not both.agent:
        return asked
    return summary.summarise(both.user, both.agent) or asked


def _tags(hand: Hand, card: Card, both: Exchange) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keep the tags a card has, and fill up to at least two from its words."""
    kept, refused = pool_acts.allowed(hand, card.tags)
    if len(kept) >= TAGS_AT_LEAST:
        return kept[:TAGS_AT_MOST] if kept != card.tags else card.tags, refused
    found = pool_acts.suggest(hand, both.user, both.agent)
    room = TAGS_AT_MOST - len(kept)
    fresh = [word for word in found if text.key(word) not in {text.key(one) for one in kept}][:room]
    return (*kept, *fresh), refused


def _write_overview(hand: Hand, card: Card, card_path: str, body: str, before: Exchange, at: datetime) -> str:
    """Write the overview; one that a person has changed since is left as it is."""
    existing = hand.linked(card.overview or layout.overview_path(card.id, at).removesuffix(".md"))
    words = len(body.split()) if text.language(body) == "en" else len(body)
    if existing:
        _rewrite_overview(hand, existing.path, card, before, body, {"words": words})
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


def _rewrite_overview(
    hand: Hand, path: str, card: Card, before: Exchange, body: str, changes: dict[str, note.Value | None]
) -> None:
    """Write an overview anew where it says what the rules said; one that can't be read is the person's to mend."""
    told = {summary.overview(*before).strip(), *_ours(card, before)}

    def change(raw: bytes) -> bytes:
        with suppress(BadNoteError):
            if note.read(raw, path).body.strip() in told:
                return note.edit(note.set_body(raw, body + "\n"), changes, path)
        return raw

    with suppress(BadNoteError):  # too large to be read
        hand.rewrite(path, change)
