"""Lasting knowledge: remembered once, confirmed when it is said again, superseded when it changes.

Law: one value a key. What a new value replaces stays in the note, under `## Earlier`, with its dates.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.digest import statements
from kit.errors import BadInputError
from kit.govern import hand as hands
from kit.govern import tags as pool_acts
from kit.model.fields import link
from kit.model.notes import Fact
from kit.vault import layout, note

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Category
    from kit.vault.journal import Who

SIMILAR = 0.5
"""Two sentences this alike say the same thing."""
SURER, SUREST = 0.05, 0.95
EARLIER = "## Earlier"
_NEGATION = re.compile(r"(?i)\b(?:not?|never|none|without|stop)\b|n['’]t\b|不|别|勿|没|无")
LEAST_CONFIDENCE = 0.4


class Stated(NamedTuple):
    """A fact as it is told to be remembered."""

    says: str
    category: Category | None = None
    key: str = ""
    value: str = ""
    tags: tuple[str, ...] = ()
    scenes: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    project: str = ""
    importance: int = 3
    confidence: float = 0.9
    source: str = ""
    """the card it was learned from, as a path"""


class Remembered(NamedTuple):
    """What became of it."""

    id: str
    path: str
    did: str
    """new, confirmed, or superseded"""
    key: str
    refused: tuple[str, ...] = ()


def remember(hand: Hand, stated: Stated, now: datetime, who: Who) -> Remembered | None:
    """Keep a fact; None when too unsure to be kept."""
    at = hands.day(now)
    says = " ".join(hand.clean(stated.says, at, "facts").split())
    if not says:
        raise BadInputError("There is nothing to remember.", 'Say it: memkit remember "Reports go in tables"')
    if stated.confidence < LEAST_CONFIDENCE:
        return None
    stated = _completed(stated._replace(says=says))
    known = _find(hand, stated)
    if known:
        path, fact = known
        return _again(hand, path, fact, stated, at, who)
    return _first(hand, stated, at, who)


def _completed(stated: Stated) -> Stated:
    """Fill key, value and category from the sentence where the caller left them out."""
    read = next(iter(statements.statements(f"remember: {stated.says}", "")), None)
    if read is None:
        return stated._replace(category=stated.category or "fact")
    return stated._replace(
        key=stated.key or read.key,
        value=stated.value or read.value,
        category=stated.category or read.category,
        scenes=stated.scenes or read.scenes,
    )


def _find(hand: Hand, stated: Stated) -> tuple[str, Fact] | None:
    """Find the fact this is about: by its key, else by a sentence that says the same."""
    rows = hand.index.features.rows()
    project = text.key(stated.project)
    candidates: list[tuple[float, int]] = []
    if stated.key:
        candidates = [(2.0, num) for num in hand.index.postings.cards(f"key:{text.key(stated.key)}")]
    says = text.fold(stated.says)
    for num, row in rows.items():
        if row.kind == "fact" and row.project == project:
            alike = statements.similarity(row.shown, says)
            if alike >= SIMILAR:
                candidates.append((alike, num))
    for _, num in sorted(candidates, reverse=True):
        entry = hand.index.catalog.numbered(num)
        if entry is None or rows[num].project != project or (rows[num].until and rows[num].until <= 0):
            continue
        fact = hand.load(entry.path)
        if isinstance(fact, Fact):
            return entry.path, fact
    return None


def _again(hand: Hand, path: str, fact: Fact, stated: Stated, at: datetime, who: Who) -> Remembered:
    """Say a known fact again: surer of it when it says the same, superseded when it does not."""
    old = note.first_paragraph(fact.body)
    same = _agree(old, stated.says) or (bool(stated.value) and text.key(stated.value) == text.key(fact.value))
    changes: dict[str, note.Value | None] = {
        "hits": fact.hits + 1,
        "confidence": round(min(SUREST, fact.confidence + SURER), 2) if same else round(stated.confidence, 2),
        "updated": at,
    }
    if stated.importance > fact.importance:
        changes["importance"] = stated.importance
    scenes = tuple(dict.fromkeys((*fact.scenes, *stated.scenes)))
    if scenes != fact.scenes:
        changes["scenes"] = scenes
    if stated.source and stated.source.removesuffix(".md") not in fact.sources:
        changes["sources"] = [link(source) for source in (*fact.sources, stated.source)]
    if stated.key and not fact.key:
        changes["key"] = stated.key
    if stated.value and text.key(stated.value) != text.key(fact.value):
        changes["value"] = stated.value
    tags, refused = pool_acts.allowed(hand, stated.tags)
    united = tuple(dict.fromkeys((*fact.tags, *tags)))
    if united != fact.tags:
        changes["tags"] = united
    said = old if same else stated.says

    def change(raw: bytes) -> bytes:
        edited = note.edit(raw, changes, path)
        return edited if said == old else _supersede(edited, path, old, said, fact, at)

    hand.rewrite(path, change)
    did = "confirmed" if same else "superseded"
    hand.journal.add(at, who, "remember", path, did, id=fact.id, before=None if said == old else old)
    paths = pool_acts.ensure(hand, united, tags, at)
    hand.settle(path, *paths)
    return Remembered(fact.id, path, did, stated.key or fact.key, refused)


def _agree(old: str, new: str) -> bool:
    """Tell whether two similar sentences say the same: neither takes a word of substance away, nor says no."""
    one, other = set(text.terms(old)), set(text.terms(new))
    return (one <= other or other <= one) and bool(_NEGATION.search(old)) == bool(_NEGATION.search(new))


def _supersede(raw: bytes, path: str, old: str, new: str, fact: Fact, at: datetime) -> bytes:
    """Put the new sentence on top and the old one under `## Earlier` with its dates."""
    since = fact.updated or fact.created
    period = f"{since:%Y-%m-%d} to {at:%Y-%m-%d}" if since else f"until {at:%Y-%m-%d}"
    line = f"- {period}: {old}\n"
    body = note.read(note.set_summary(raw, new), path).body
    if f"{EARLIER}\n" in body:
        head, _, rest = body.partition(f"{EARLIER}\n")
        body = f"{head}{EARLIER}\n\n{line}{rest.lstrip(chr(10))}"
    else:
        body = f"{body.rstrip()}\n\n{EARLIER}\n\n{line}"
    return note.set_body(raw, body)


def _first(hand: Hand, stated: Stated, at: datetime, who: Who) -> Remembered:
    tags, refused = pool_acts.allowed(hand, stated.tags)
    if not tags:
        tags = tuple(pool_acts.suggest(hand, stated.says, ""))
    fact_id = hands.new_id(hand, at)
    with hand.store.batch():
        path = hand.create(
            layout.named_path("facts", hands.title(stated.says)),
            {
                "id": fact_id, "kind": "fact", "layer": "semantic", "category": stated.category or "fact",
                "key": stated.key or None, "value": stated.value or None, "project": stated.project or None,
                "scenes": stated.scenes or None, "importance": stated.importance,
                "confidence": round(stated.confidence, 2), "tags": tags, "people": stated.people or None,
                "hits": 0, "sources": [link(stated.source)] if stated.source else None, "created": at, "updated": at,
            },
            stated.says + "\n",
        )  # fmt: skip
        paths = pool_acts.ensure(hand, tags, stated.tags, at)
    hand.journal.add(at, who, "remember", path, "new", id=fact_id)
    hand.settle(path, *paths)
    return Remembered(fact_id, path, "new", stated.key, refused)
