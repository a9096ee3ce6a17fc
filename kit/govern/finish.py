"""The clever part of completing a turn, by rules: summary, overview and tags of its card.

Law: the words are on disk before this is tried. What a person has written in place of ours is kept; ours is
known by saying what the rules would have said, on the very bytes that are changed.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kit import digest, text
from kit.errors import BadNoteError
from kit.govern import hand as hands
from kit.govern import tags as pool_acts
from kit.model.fields import link
from kit.vault import layout, note

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Card, CardStatus, Note
    from kit.vault.exchange import Exchange
    from kit.vault.journal import Entry

TAGS_AT_LEAST, TAGS_AT_MOST = 2, 4
SUMMARY_AT_MOST = 200
_SHARED = frozenset({"tags", "people", "layer", "overview"})
"""Keys of a card that a person may set as well as the rules."""
_LOOKED_BACK = 5_000
"""Newest journal lines among which a model's words are looked for."""
LONGEST = 40_000
"""Characters of each side the rules look at, half at the start and half at the end: they take time by length."""


class Better(NamedTuple):
    """What somebody cleverer than the rules says of a turn; empty: nothing."""

    summary: str = ""
    overview: str = ""
    tags: tuple[str, ...] = ()


class Improved(NamedTuple):
    """What came of it."""

    paths: tuple[str, ...]
    refused: tuple[str, ...]


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
    before, after = looked_at(before), looked_at(after)
    lasting = status == "completed" and digest.summary.lasting(after.user, after.agent)
    sentence = _sentence(after, status, error)
    tags, refused = _tags(hand, card, after) if status == "completed" else (card.tags, ())
    people = tuple(dict.fromkeys((*card.people, *digest.keyphrases.people(after.user)))) if lasting else card.people
    changes: dict[str, note.Value | None] = {"status": status, "completed": at, "error": error or None}
    if lasting:
        changes["learn"] = "pending"  # the queue of `learn`; without the key a card is done
    if not lasting and status == "completed":
        changes["layer"] = "transient"
    elif lasting and card.layer == "transient" and not digest.summary.lasting(before.user, before.agent):
        changes["layer"] = "episodic"  # the rules had made it transient for an answer that is replaced now
    if tags != card.tags:
        changes["tags"] = tags
    if people != card.people:
        changes["people"] = people
    with hand.store.batch():
        told = (digest.summary.overview(after.user, after.agent) or (card.overview and sentence)) if lasting else ""
        overview = _write_overview(hand, card, path, told, before, at) if told else ""
        if overview:
            changes["overview"] = link(overview)
        made = pool_acts.ensure(hand, tags, card.tags, at)
        shown = _amend(hand, card, path, changes, sentence, before)  # last: with it the turn is finished
    known = overview.removesuffix(".md") or card.overview
    if tags != card.tags:  # else nothing could tell our words from a person's, once they are on the card
        hand.journal.add(hands.day(at), "learn", "tags", path, id=card.id, tags=list(tags), durable=False)
    finished = card.model_copy(update={"status": status, "tags": tags, "overview": known})
    return Finished(finished, shown, refused, tuple(filter(None, (overview, *made))))


def improve(
    hand: Hand, card: Card, path: str, both: Exchange, given: tuple[str, ...], better: Better, now: datetime
) -> Improved:
    """Put better words in place of the rules'; what a person has written, or changed since, stays.

    `given` are the tags the turn came with, which stay.
    """
    both, at = looked_at(both), hands.day(now)
    tags, refused = _better_tags(hand, card, given, better.tags)
    changes: dict[str, note.Value | None] = {} if tags == card.tags else {"tags": tags}
    with hand.store.batch():
        overview = _write_overview(hand, card, path, better.overview, both, at) if better.overview else ""
        if overview and overview.removesuffix(".md") != card.overview:
            changes["overview"] = link(overview)
        made = pool_acts.ensure(hand, [word for word in tags if word not in card.tags], better.tags, at)
        _amend(hand, card, path, changes, better.summary, both)
    return Improved(tuple(filter(None, (path, overview, *made))), refused)


def _better_tags(
    hand: Hand, card: Card, given: tuple[str, ...], wanted: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take other tags than the rules did, where the card has the very ones that rules have put there."""
    taken, refused = pool_acts.allowed(hand, wanted)
    if not taken or _journalled(hand, "tags", card.id).get("tags") != list(card.tags):
        return card.tags, refused
    united: dict[str, str] = {}
    for word in (*pool_acts.allowed(hand, given)[0], *taken):
        united.setdefault(text.key(word), word)
    tags = tuple(united.values())[:TAGS_AT_MOST]
    return (tags, refused) if len(tags) >= TAGS_AT_LEAST else (card.tags, refused)


def reopen(hand: Hand, card: Card, path: str, before: Exchange) -> None:
    """Take our words on an answer back before it is replaced.

    Else a crash after that would leave them, and nothing could tell them from a person's.
    """
    before = looked_at(before)
    asked = text.first_sentence(before.user)
    entry = hand.linked(card.overview)
    if entry:
        _rewrite_overview(hand, entry.path, card, before, asked, {})
    _amend(hand, card, path, {"status": "pending"}, asked, before)


def _amend(
    hand: Hand, card: Card, path: str, changes: dict[str, note.Value | None], sentence: str, before: Exchange
) -> str:
    """Change the card, its summary only where it is ours and no key that was changed since; return its summary."""
    clean, ours = hand.cleaned_front(changes), {*by_rules(card, before), *_told_before(hand, card, before)}

    def change(raw: bytes) -> bytes:
        now = note.parse(raw, path, fallback_name="")
        due = {key: value for key, value in clean.items() if key not in _SHARED or _stands(now, card, key)}
        edited = note.edit(raw, due, path)
        return note.set_summary(edited, sentence) if now and note.first_paragraph(now.body) in ours else edited

    return note.first_paragraph(note.read(hand.rewrite(path, change), path).body)


def _stands(now: Note | None, card: Card, key: str) -> bool:
    return bool(getattr(now, key, None) == getattr(card, key))


def looked_at(both: Exchange) -> Exchange:
    """Cut an exchange to what the rules look at."""
    half = LONGEST // 2
    user, agent = (said if len(said) <= LONGEST else f"{said[:half]}\n\n{said[-half:]}" for said in both)
    return both._replace(user=user, agent=agent)


def by_rules(card: Card, before: Exchange) -> set[str]:
    """Say what the rules may have written as the summary of a turn."""
    return {_sentence(before, card.status, card.error), text.first_sentence(before.user), ""}


def _told_before(hand: Hand, card: Card, before: Exchange) -> set[str]:
    """Say what a model has written about an answer that is replaced now: it is ours as well."""
    if not before.agent or card.learn:
        return set()
    told = _journalled(hand, "learn", card.id)
    return {str(told.get(key, "")).strip() for key in ("summary", "overview")}


def _journalled(hand: Hand, what: str, card_id: str) -> Entry:
    """Find what the journal says last of a card."""
    newest = islice(hand.journal.entries(newest_first=True), _LOOKED_BACK)
    return next((entry for entry in newest if entry.get("what") == what and entry.get("id") == card_id), {})


def _sentence(both: Exchange, status: str, error: str) -> str:
    """Sum a turn up in one sentence, by rules."""
    asked = text.first_sentence(both.user)
    if status == "failed":
        return text.first_sentence(f"{asked.rstrip('.!?。！？… ')} — failed" + (f": {error}" if error else ""))
    if status == "interrupted" and not both.agent:
        return asked
    return digest.summary.summarise(both.user, both.agent) or asked


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
    told = {digest.summary.overview(*before).strip(), *by_rules(card, before), *_told_before(hand, card, before)}

    def change(raw: bytes) -> bytes:
        with suppress(BadNoteError):
            if note.read(raw, path).body.strip() in told:
                return note.edit(note.set_body(raw, body + "\n"), changes, path)
        return raw

    with suppress(BadNoteError):  # too large to be read
        hand.rewrite(path, change)
