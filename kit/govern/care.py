"""What a person thinks of a memory, and putting memories away and taking them out again.

Law: nothing is deleted. What is put away keeps its layout under `archive/` and comes back as it was.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import BadInputError, BadNoteError, ConflictError, KitError, NotFoundError
from kit.govern import archive, summaries
from kit.govern import hand as hands
from kit.model.notes import Card, Fact
from kit.vault import layout, note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Feedback
    from kit.vault.journal import Who


class Judged(NamedTuple):
    """A verdict on a note."""

    id: str
    path: str
    before: str
    after: str
    redacted: tuple[str, ...] = ()
    """kinds of secrets that were taken out of the reason"""


class PutAway(NamedTuple):
    """Notes that went into the archive or came back."""

    id: str
    paths: tuple[str, ...]
    redacted: tuple[str, ...] = ()
    """as above"""


def judge(hand: Hand, note_id: str, verdict: Feedback, reason: str, now: datetime, who: Who) -> Judged:
    """Write what the person thinks of a card or fact onto it."""
    entry = hand.entry(note_id)
    found = hand.load(entry.path)
    if not isinstance(found, (Card, Fact)):
        raise BadInputError(f"{entry.path} is a {found.kind}: feedback goes to cards and facts.")
    at = hands.day(now)
    reason, kinds = hand.cleaned(reason)
    hand.tell_redacted(kinds, at, entry.path)
    topic = found.topic if isinstance(found, Card) and "rejected" in (verdict, found.feedback) else ""
    by_rules = summaries.is_by_rules(hand, topic)
    changes: dict[str, note.Value | None] = {"feedback": verdict or None, "feedback_reason": reason or None}
    hand.amend(entry.path, changes)
    hand.journal.add(
        at, who, "feedback", entry.path, reason, id=found.id, before=found.feedback or "none", after=verdict or "none"
    )
    hand.settle(entry.path)
    if by_rules:
        summaries.follow(hand, topic, now, who)
    return Judged(found.id, entry.path, found.feedback, verdict, kinds)


def forget(hand: Hand, note_id: str, reason: str, now: datetime, who: Who) -> PutAway:
    """Put a note into the archive, a card together with its event and overview."""
    entry = hand.entry(note_id)
    found = hand.load(entry.path)
    topic = found.topic if isinstance(found, Card) else ""
    by_rules = summaries.is_by_rules(hand, topic)
    paths = with_parts(hand, entry.path)
    away = _move_all(hand, [(path, archive.free(hand, path)) for path in paths])
    at = hands.day(now)
    reason, kinds = hand.cleaned(reason)
    hand.tell_redacted(kinds, at, entry.path)
    hand.journal.add(at, who, "forget", entry.path, reason, id=found.id)
    hand.settle(*paths)
    empty = summaries.follow(hand, topic, now, who) if by_rules else ""
    return PutAway(found.id, tuple(filter(None, (*reversed(away), empty))), kinds)


def with_parts(hand: Hand, path: str) -> list[str]:
    """List a note's path behind those of its event and overview, so that after a crash it is still there.

    What belongs to another card is none of its parts: a person may have copied the card.
    """
    found = hand.load(path)
    if not isinstance(found, Card):
        return [path]
    linked = (hand.linked(link) for link in (found.event, found.overview))
    parts = (part.path for part in linked if part and part.kind in ("event", "overview"))
    return [*(part for part in parts if _is_of(hand, part, path)), path]


def _is_of(hand: Hand, part: str, card_path: str) -> bool:
    """Tell whether an event or overview is this card's, as far as it says whose it is."""
    with suppress(BadNoteError):
        card = hand.linked(getattr(hand.load(part), "card", ""))
        return card is None or card.path == card_path
    return True


def restore(hand: Hand, note_id: str, now: datetime, who: Who) -> PutAway:
    """Take a note out of the archive again, with all that went in with it; named by id, path or, as last, name."""
    note_id, named = _named(hand, note_id)
    if not named and not any(found in _parts(note_id) for _, found in _archived(hand, note_id)):
        note_id, named = _named(hand, note_id, by_name=True)
    found: dict[str, str] = {note_id: named} if named else {}
    due = set(_parts(note_id)) - set(found)
    for path, found_id in _archived(hand, note_id):
        if found_id in due and (found_id not in found or _rank(path) < _rank(found[found_id])):
            found[found_id] = path
    paths = sorted(found.values())
    if not paths:
        raise NotFoundError(
            f"The archive holds no note with the id, path or name '{note_id}'.", "`memkit log` shows what was put away."
        )
    card = next((one for path in paths if isinstance(one := hand.load(path), Card)), None)
    by_rules = card is not None and summaries.is_by_rules(hand, card.topic)
    back = _move_all(hand, [(path, layout.restored_path(path)) for path in paths])
    hand.journal.add(hands.day(now), who, "restore", back[0], "", id=note_id)
    hand.settle(*back)
    if card and by_rules:
        summaries.follow(hand, card.topic, now, who)
    return PutAway(note_id, tuple(back))


def _named(hand: Hand, said: str, *, by_name: bool = False) -> tuple[str, str]:
    """Find the id of an archived note that is named by its path, there or where it was; else take it for an id."""
    wanted = said.removeprefix("./").removesuffix(".md") + ".md"
    places = (wanted, layout.archived_path(wanted))
    for file in sorted((hand.store.root / layout.ARCHIVE).rglob("*.md")):
        path = file.relative_to(hand.store.root).as_posix()
        if (path in places or (by_name and file.name == wanted)) and not file.is_symlink():
            found = hand.load(path)
            return found.id, path
    return said, ""


def _parts(note_id: str) -> tuple[str, str, str]:
    return note_id, f"{note_id}-e", f"{note_id}-o"


def _rank(path: str) -> tuple[int, str]:
    return len(path), path


def _move_all(hand: Hand, moves: Sequence[tuple[str, str]]) -> list[str]:
    """Move notes, all or none: a place that is taken is told before the first one moves. Return their new paths."""
    for path, new_path in moves:
        if archive.is_taken(hand, path, new_path):
            raise ConflictError(f"{new_path} already exists, so {path} can't go there.", "Move one of them by hand.")
    made: list[tuple[str, str]] = []
    try:
        for path, new_path in moves:
            made.append((path, hand.move(path, new_path)))
    except KitError:
        for path, there in reversed(made):
            with suppress(KitError):  # the first trouble is told; `restore` finds what stays behind
                hand.move(there, path)
        raise
    return [there for _, there in made]


def _archived(hand: Hand, note_id: str) -> Iterator[tuple[str, str]]:
    """Go through the archived notes that name an id; it has no index, since nothing in it is recalled."""
    root = hand.store.root
    for file in sorted((root / layout.ARCHIVE).rglob("*.md")):
        path = file.relative_to(root).as_posix()
        with suppress(KitError, OSError):  # a folder, or one that can't be read, keeps no other from coming back
            if file.is_symlink():
                continue
            raw, _ = hand.store.read(path)
            found = note.parse(raw, path, fallback_name=file.stem) if note_id.encode() in raw else None
            if found:
                yield path, found.id
