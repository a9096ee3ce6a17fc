"""A note as what the indexes keep of it: its gist.

Law: pure; a note and the time of its file decide alone.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.index.features import Features
from kit.index.reflection import terms_of
from kit.model.notes import Card, Event, Fact, Overview, Plain, Scene, Summary, Tag
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Collection

    from kit.model.notes import Note

SHOWN = 400
"""Characters of a summary by which near-duplicates are known."""
_FIRST, _LAST = (datetime(*day, tzinfo=UTC).timestamp() for day in ((1, 1, 3), (9999, 12, 29)))
"""Times that have a day in every zone; what is said to be older or younger counts as these."""
_ID_TIME = re.compile(r"(\d{8}-\d{6})-")


class Gist(NamedTuple):
    """What the indexes need of a note: a first build holds this of every note at once, so no bodies."""

    id: str
    kind: str
    row: Features | None = None
    """of a card, summary or fact, without its number"""
    terms: Collection[str] = ()
    pooled: Tag | Scene | None = None
    card: str = ""
    """the link of an event or overview to its card"""
    ages_with_file: bool = False


def gist(found: Note, mtime_ns: int) -> Gist:
    """Take from a note, whose file was last changed at `mtime_ns`, what the indexes need."""
    if isinstance(found, (Card, Summary, Fact)):
        age = _created(found)
        row = _features(found, max(mtime_ns, 0) / 1e9 if age is None else age)
        return Gist(found.id, found.kind, row, tuple(_terms(found)), ages_with_file=age is None)
    if isinstance(found, Plain):
        return _plain(found, mtime_ns)
    if isinstance(found, (Tag, Scene)):
        return Gist(found.id, found.kind, pooled=found)
    return Gist(found.id, found.kind, card=found.card if isinstance(found, (Event, Overview)) else "")


def _stamp(at: datetime) -> float:
    return min(max(at.timestamp(), _FIRST), _LAST)


def _plain(found: Plain, mtime_ns: int) -> Gist:
    """Take what a note of the person's own says; it is in no tier, so nothing ever tidies it away."""
    age = _stamp(found.created) if found.created else max(mtime_ns, 0) / 1e9
    shown = text.fold(f"{found.title}. {found.says}"[:SHOWN])
    row = Features(0, "note", "completed", "", "", 3, 0, age, 0.0, "", "", "", "", shown)
    terms = terms_of(found.tags, (), (), "", "", "", "")
    if found.created:
        terms |= {f"day:{found.created:%Y-%m-%d}", f"month:{found.created:%Y-%m}"}
    return Gist(found.id, found.kind, row, tuple(terms), ages_with_file=found.created is None)


def is_dated(note_id: str) -> bool:
    """Tell whether an id says how old its note is: then the time of the file does not matter."""
    return _said_by(note_id) is not None


def _said_by(note_id: str) -> float | None:
    stamp = _ID_TIME.match(note_id)
    if stamp:
        with suppress(ValueError):
            return _stamp(datetime.strptime(stamp.group(1), "%Y%m%d-%H%M%S").replace(tzinfo=UTC))
    return None


def _created(found: Note) -> float | None:
    """Take a note's age from its `created`, else from its id; None: it is as old as its file."""
    return _stamp(found.created) if found.created else _said_by(found.id)


def _features(found: Card | Summary | Fact, created: float) -> Features:
    shown = text.fold(" ".join(note.first_paragraph(found.body).split())[:SHOWN])
    if isinstance(found, Card):
        return Features(
            0, "card", found.status, found.layer, found.feedback, found.importance, int(found.pinned),
            created, 0.0, text.key(found.scene), text.key(found.scene_sub), text.key(found.project),
            text.key(found.topic), shown,
        )  # fmt: skip
    changed = _stamp(found.updated) if found.updated else created
    if isinstance(found, Summary):  # its topic is its cards' own: it is told apart from them by its term alone
        return Features(
            0, "summary", "completed", "episodic", "", 3, int(found.pinned),
            changed, 0.0, "", "", text.key(found.project), "", shown,
        )  # fmt: skip
    until = _stamp(found.valid_until) if found.valid_until else 0.0
    scene = text.key(found.scenes[0]) if len(found.scenes) == 1 else ""
    return Features(
        0, "fact", "completed", found.layer, found.feedback, found.importance, int(found.pinned),
        changed, until, scene, "", text.key(found.project), "", shown,
    )  # fmt: skip


def _terms(found: Card | Summary | Fact) -> set[str]:
    if isinstance(found, Card):
        terms = terms_of(
            found.tags, found.people, found.places, found.project, found.scene, found.scene_sub, found.topic
        )
        return terms | _days(found) | ({"queue:learn"} if found.learn == "pending" else set())
    if isinstance(found, Summary):
        terms = terms_of(found.tags, (), (), found.project, "", "", "")
        return terms | _days(found) | ({f"summary:{text.key(found.topic)}"} if found.topic else set())
    terms = terms_of(found.tags, found.people, found.places, found.project, "", "", "")
    terms.add(f"category:{found.category}")
    terms |= {f"scene:{text.key(scene)}" for scene in found.scenes}
    if found.key:
        terms.add(f"key:{text.key(found.key)}")
    return terms | _days(found)


def _days(found: Card | Summary | Fact) -> set[str]:
    """List when it was, by the person's own calendar: the day and the month."""
    if not found.created:
        return set()
    day = found.created.date().isoformat()
    return {f"day:{day}", f"month:{day[:-3]}"}
