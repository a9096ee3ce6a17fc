"""What a person changes by hand without an editor: what a memory says, its weight and tags; putting away, writing down.

Law: each is an act, so `undo` takes it back; an edit made on an older state of a note than the one there is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadInputError, ConflictError
from kit.govern import archive, care
from kit.govern import hand as hands
from kit.govern import tags as pool_acts
from kit.govern.act import Act
from kit.model.fields import check_importance
from kit.model.notes import Card, Fact, Summary
from kit.vault import layout, note
from kit.vault.store import etag as content_etag

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.hand import Hand
    from kit.index.catalog import Entry
    from kit.model.notes import Category, Layer
    from kit.vault.journal import Who


class Patch(NamedTuple):
    """What is to change; None leaves a thing as it is."""

    text: str | None = None
    category: Category | None = None
    importance: int | None = None
    tags: tuple[str, ...] | None = None


class Edited(NamedTuple):
    """An edit that was made."""

    id: str
    path: str
    act: str
    """its name, to take it back; '' when it changed nothing"""
    refused: tuple[str, ...]
    """tags that were not taken, each with the reason"""


def edit(hand: Hand, note_id: str, patch: Patch, etag: str, now: datetime, who: Who) -> Edited:
    """Change a card or fact; with an etag only the state that has it, else ConflictError."""
    entry = hand.entry(note_id)
    at = hands.day(now)
    act = Act(hand, at, who, "edit", entry.path)
    raw = act.read(entry.path)
    if etag and content_etag(raw) != etag:
        raise ConflictError(f"{entry.path} was changed meanwhile.", "Read it again, then repeat your change.")
    found = act.load(entry.path)
    if isinstance(found, Summary):
        if patch._replace(text=None) != Patch():
            raise BadInputError("Of a summary only the text can be changed here.", "Edit the rest in your editor.")
    elif not isinstance(found, (Card, Fact)):
        raise BadInputError(f"{entry.path} is no memory but a {found.kind if found else 'note'}.", "Use your editor.")
    changes, says, tags, refused = _changes(hand, found, patch, entry.path, at)
    if isinstance(found, (Fact, Summary)) and (changes or says):
        changes["updated"] = at
    act.amend(entry.path, changes)
    if says:
        act.rewrite(entry.path, lambda raw: note.set_summary(raw, says))
    done = act.commit(id=found.id)
    if done and tags:
        made = pool_acts.ensure(hand, tags, tags, at)
        hand.settle(*made)
    return Edited(found.id, entry.path, done.act if done else "", refused)


def _changes(
    hand: Hand, found: Card | Fact | Summary, patch: Patch, path: str, at: datetime
) -> tuple[dict[str, note.Value | None], str, tuple[str, ...], tuple[str, ...]]:
    """Say what a patch comes to: keys, sentence, tags, and tags that are refused."""
    changes: dict[str, note.Value | None] = {}
    says = ""
    if patch.text is not None:
        says = _sentence(hand, patch.text, path, at)
        if says == note.first_paragraph(found.body):
            says = ""
        elif isinstance(found, Fact) and found.value and text.key(found.value) not in text.key(says):
            changes["value"] = None  # it was read off the old sentence
    if patch.category is not None:
        if isinstance(found, Card):
            raise BadInputError("A card has no category.", "Categories are for facts.")
        changes["category"] = patch.category
    if patch.importance is not None:
        check_importance(patch.importance)
        changes["importance"] = patch.importance
    if patch.tags is None or isinstance(found, Summary):
        return changes, says, (), ()
    new = tuple(word for word in patch.tags if word not in found.tags)
    taken, refused = pool_acts.allowed(hand, hand.cleaned_words(new))
    tags = tuple(dict.fromkeys((*(word for word in patch.tags if word in found.tags), *taken)))
    if tags != found.tags:
        changes["tags"] = tags or None
    return changes, says, taken, refused


def _sentence(hand: Hand, said: str, path: str, at: datetime) -> str:
    sentence = " ".join(hand.clean(said, at, path).split())
    if not sentence:
        raise BadInputError("A memory can't be empty.", "Say something, or remove the memory.")
    return sentence


def put_away(hand: Hand, entries: Sequence[Entry], why: str, now: datetime, who: Who) -> Done | None:
    """Put memories into the archive, each card with its event and overview, in one act."""
    at = hands.day(now)
    subject = entries[0].path if len(entries) == 1 else ""
    act = Act(hand, at, who, "put-away", subject, why)
    for entry in entries:
        for path in care.with_parts(hand, entry.path):
            act.move(path, archive.free(hand, path))
    return act.commit(**({"id": entries[0].id} if len(entries) == 1 else {}))


def write_down(
    hand: Hand, said: str, layer: Layer, importance: int, tags: Sequence[str], now: datetime, who: Who
) -> Edited:
    """Make a card that says something, without an exchange behind it."""
    at = hands.day(now)
    sentence = _sentence(hand, said, "cards", at)
    taken, refused = pool_acts.allowed(hand, hand.cleaned_words(tags))
    note_id = hands.new_id(hand, at)
    act = Act(hand, at, who, "write-down")
    path = act.create(
        layout.card_path(note_id, at, sentence),
        {
            "id": note_id, "kind": "card", "created": at, "status": "completed", "layer": layer, "completed": at,
            "tags": taken or None, "importance": importance,
        },
        sentence + "\n",
    )  # fmt: skip
    done = act.commit(id=note_id)
    hand.settle(*pool_acts.ensure(hand, taken, taken, at))
    return Edited(note_id, path, done.act if done else "", refused)
