"""What holds before anything is asked: the standing preferences of a project, and what it is about.

Law: reads only; short, within a budget of tokens, and nothing at all when there is nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import deliver, text
from kit.errors import KitError
from kit.model.notes import Fact, Summary
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from datetime import datetime

    from kit.app import Kit
    from kit.index.features import Features

STANDING = ("preference", "habit", "style")
"""Categories that hold whatever is asked; business and plain facts wait until they are."""
LEAST_IMPORTANCE, LEAST_CONFIDENCE = 3, 0.6
MOST = 12
NEWEST = 200
"""Cards of a project that are looked at to learn in which scenes it plays."""


def standing(kit: Kit, project: str, tokens: int, told: Container[str], most: int | None = None) -> deliver.Delivery:
    """Write what a session in a project should know from its start on, without what it was told before.

    `most`: bytes that reach the model, if those are fewer than are allowed.
    """
    if tokens <= 0:
        return deliver.Delivery("", (), 0)
    kit.sync()
    passages = [one for one in (*_preferences(kit, project), *_summary(kit, project)) if one.id not in told]
    size = kit.config.count("deliver.bytes")
    return deliver.compose(passages, "medium", tokens, size if most is None else min(size, most))


def _preferences(kit: Kit, project: str) -> Iterator[deliver.Passage]:
    """Give the project's own preferences, then those that hold everywhere or in the project's scenes."""
    own, scenes = text.key(project), _scenes(kit, project)
    now = kit.now()
    rows = [row for row in kit.index.features.rows().values() if _may_hold(row, own, now)]
    rows.sort(key=lambda row: (row.project == "", -row.importance, -row.created))
    given = 0
    for row in rows:
        fact = _load(kit, row.num)
        if not isinstance(fact, Fact) or fact.category not in STANDING or fact.confidence < LEAST_CONFIDENCE:
            continue
        if fact.scenes and not row.project and not scenes & {text.key(scene) for scene in fact.scenes}:
            continue
        entry = kit.index.catalog.numbered(row.num)
        if entry is None:
            continue
        name, says = entry.path.removesuffix(".md"), note.first_paragraph(fact.body)
        yield deliver.Passage(entry.id, "fact", name, fact.updated or fact.created, says, preference=True)
        given += 1
        if given == MOST:
            return


def _may_hold(row: Features, project: str, now: datetime) -> bool:
    return (
        row.kind == "fact"
        and row.project in {"", project}
        and row.feedback != "rejected"
        and (not row.until or row.until > now.timestamp())
        and row.importance >= LEAST_IMPORTANCE
    )


def _scenes(kit: Kit, project: str) -> set[str]:
    """List the scenes and sub-scenes of a project's newest cards."""
    own = text.key(project)
    cards = [row for row in kit.index.features.rows().values() if own and row.kind == "card" and row.project == own]
    newest = sorted(cards, key=lambda row: -row.created)[:NEWEST]
    return {scene for row in newest for scene in (row.scene, row.scene_sub) if scene}


def _summary(kit: Kit, project: str) -> Iterator[deliver.Passage]:
    """Give the summary of the project: the one of its name, else the newest that names it."""
    own = text.key(project)
    found: list[tuple[bool, float, deliver.Passage]] = []
    for entry in kit.index.catalog.of_kind("summary") if own else ():
        held = _load(kit, entry.num)
        if not isinstance(held, Summary):
            continue
        named = text.key(held.topic) == own
        if named or own in {text.key(entity) for entity in held.entities}:
            at = held.updated or held.created
            says, name = note.first_paragraph(held.body), entry.path.removesuffix(".md")
            one = deliver.Passage(entry.id, "summary", name, at, says)
            found.append((named, at.timestamp() if at else 0.0, one))
    if found:
        yield max(found, key=lambda each: each[:2])[2]


def _load(kit: Kit, num: int) -> object:
    entry = kit.index.catalog.numbered(num)
    try:
        return kit.load(entry.path) if entry else None
    except KitError:
        return None
