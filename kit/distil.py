"""A note as what the indexes keep of it: its gist.

Law: pure; a note and the time of its file decide alone.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.index.features import Features
from kit.index.reflection import terms_of
from kit.model.notes import Card, Event, Fact, Overview, Scene, Tag
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Collection

    from kit.model.notes import Note

SHOWN = 400
"""Characters of a summary by which near-duplicates are known."""
_ID_TIME = re.compile(r"(\d{8}-\d{6})-")


class Gist(NamedTuple):
    """What the indexes need of a note: a first build holds this of every note at once, so no bodies."""

    id: str
    kind: str
    row: Features | None = None
    """of a card or fact, without its number"""
    terms: Collection[str] = ()
    pooled: Tag | Scene | None = None
    card: str = ""
    """the link of an event or overview to its card"""
    ages_with_file: bool = False


def gist(found: Note, mtime_ns: int) -> Gist:
    """Take from a note, whose file was last changed at `mtime_ns`, what the indexes need."""
    if isinstance(found, (Card, Fact)):
        age = _created(found)
        row = _features(found, max(mtime_ns, 0) / 1e9 if age is None else age)
        return Gist(found.id, found.kind, row, tuple(_terms(found)), ages_with_file=age is None)
    if isinstance(found, (Tag, Scene)):
        return Gist(found.id, found.kind, pooled=found)
    return Gist(found.id, found.kind, card=found.card if isinstance(found, (Event, Overview)) else "")


def _created(found: Note) -> float | None:
    """Take a note's age from its `created`, else from its id; None: it is as old as its file."""
    if found.created:
        return found.created.timestamp()
    stamp = _ID_TIME.match(found.id)
    if stamp:
        try:
            return datetime.strptime(stamp.group(1), "%Y%m%d-%H%M%S").replace(tzinfo=UTC).timestamp()
        except ValueError:
            pass
    return None


def _features(found: Card | Fact, created: float) -> Features:
    shown = text.fold(" ".join(note.first_paragraph(found.body).split())[:SHOWN])
    if isinstance(found, Card):
        return Features(
            0, "card", found.status, found.layer, found.feedback, found.importance, int(found.pinned),
            created, 0.0, text.key(found.scene), text.key(found.scene_sub), text.key(found.project),
            text.key(found.topic), shown,
        )  # fmt: skip
    until = found.valid_until.timestamp() if found.valid_until else 0.0
    scene = text.key(found.scenes[0]) if len(found.scenes) == 1 else ""
    changed = found.updated.timestamp() if found.updated else created
    return Features(
        0, "fact", "completed", found.layer, found.feedback, found.importance, int(found.pinned),
        changed, until, scene, "", text.key(found.project), "", shown,
    )  # fmt: skip


def _terms(found: Card | Fact) -> set[str]:
    if isinstance(found, Card):
        terms = terms_of(
            found.tags, found.people, found.places, found.project, found.scene, found.scene_sub, found.topic
        )
        return terms | _days(found) | ({"queue:learn"} if found.learn == "pending" else set())
    terms = terms_of(found.tags, found.people, found.places, found.project, "", "", "")
    terms |= {f"scene:{text.key(scene)}" for scene in found.scenes}
    if found.key:
        terms.add(f"key:{text.key(found.key)}")
    return terms | _days(found)


def _days(found: Card | Fact) -> set[str]:
    """List when it was, by the person's own calendar: the day and the month."""
    return {f"day:{found.created:%Y-%m-%d}", f"month:{found.created:%Y-%m}"} if found.created else set()
