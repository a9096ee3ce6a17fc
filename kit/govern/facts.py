"""Lasting knowledge: remembered once, confirmed when it is said again, superseded when it changes.

Law: one value a key. What a new value replaces stays in the note, under `## Earlier`, with its dates.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, NamedTuple

from kit import digest, text
from kit.errors import BadInputError, BadNoteError, ConflictError
from kit.govern import hand as hands
from kit.govern import tags as pool_acts
from kit.model.fields import link
from kit.model.notes import Fact
from kit.vault import layout, note

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Category, Summary
    from kit.vault.journal import Who

SIMILAR = 0.5
"""Two sentences this alike say the same thing."""
SURER, SUREST = 0.05, 0.95
EARLIER = "## Earlier"
_EARLIER = re.compile(r"^## Earlier[ \t]*\r?\n((?:[ \t]*\r?\n)*)", re.MULTILINE)
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
    said_at: datetime | None = None
    """when it was said, where that was earlier than now"""


class Remembered(NamedTuple):
    """What became of it."""

    id: str
    path: str
    did: str
    """new, confirmed, superseded, or outdated: something newer is known"""
    key: str
    refused: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    """kinds of secrets that were taken out of it"""
    changed: bool = True
    """False where it was known from this very source, or something newer is known"""


def remember(hand: Hand, stated: Stated, now: datetime, who: Who) -> Remembered | None:
    """Keep a fact; None when too unsure to be kept.

    Raise ConflictError when nobody asked for it and a person has saved the fact's note a moment ago.
    """
    at = hands.day(now)
    if not stated.says.strip():
        raise BadInputError("There is nothing to remember.", 'Say it: memkit remember "Reports go in tables"')
    if not 0 <= stated.confidence <= 1:
        raise BadInputError(f"Confidence goes from 0 to 1, not {stated.confidence:g}.")
    if stated.confidence < LEAST_CONFIDENCE:
        return None
    (says, kinds), (key, more), (value, most) = (hand.cleaned(one) for one in (stated.says, stated.key, stated.value))
    redacted = tuple(sorted({*kinds, *more, *most}))
    hand.tell_redacted(redacted, at, "facts")
    given_key = text.key(key)
    stated = stated._replace(tags=hand.cleaned_words(stated.tags))
    read = _completed(stated._replace(says=" ".join(says.split()), key="", value=value))
    stated = read._replace(key=key or read.key)
    known = _find(hand, stated, given_key, at, named=given_key not in ("", text.key(read.key)))
    if known:
        path, fact = known
        if who == "learn" and hand.store.recently_touched(path, time.time()):
            raise ConflictError(f"{path} was saved a moment ago.", "What was said is kept when it is quiet.")
        again = _again(hand, path, fact, stated, at, who, inferred=who == "learn" and not given_key)
        return again._replace(redacted=redacted)
    return _first(hand, stated, at, who)._replace(redacted=redacted)


def _completed(stated: Stated) -> Stated:
    """Fill key, value and category from the sentence where the caller left them out."""
    read = next(iter(digest.statements.statements(f"remember: {stated.says}", "")), None)
    if read is None:
        return stated._replace(category=stated.category or "fact")
    return stated._replace(
        key=stated.key or read.key,
        value=stated.value or read.value,
        category=stated.category or read.category,
        scenes=stated.scenes or read.scenes,
    )


def _find(hand: Hand, stated: Stated, given_key: str, at: datetime, *, named: bool) -> tuple[str, Fact] | None:
    """Find the fact this is about: by its key, else by a sentence that says the same.

    A sentence that is only alike is no ground to supersede: two facts may share most of their words. Nor are two that
    only forbid something, unless somebody `named` the key.
    """
    rows = {
        num: row
        for num, row in hand.index.features.rows().items()
        if row.kind == "fact" and row.project == text.key(stated.project)
        if not row.until or row.until > at.timestamp()
    }
    keyed = {num for num in hand.index.postings.cards(f"key:{text.key(stated.key)}") if stated.key and num in rows}
    candidates = [(2.0, num) for num in keyed]
    for num, row in rows.items():
        alike = digest.statements.similarity(row.shown, stated.says)
        if alike >= SIMILAR and digest.statements.agree(row.shown, stated.says):
            candidates.append((alike, num))
    for _, num in sorted(candidates, reverse=True):
        entry = hand.index.catalog.numbered(num)
        try:
            fact = hand.load(entry.path) if entry else None
        except BadNoteError:  # its last good state is still recalled, but it can't be written to
            continue
        foreign = (
            num not in keyed and given_key and isinstance(fact, Fact) and text.key(fact.key) not in ("", given_key)
        )
        if not entry or not isinstance(fact, Fact) or foreign:
            continue
        old = note.first_paragraph(fact.body)
        replaces = num in keyed and (named or digest.statements.contradict(old, stated.says))
        if replaces or digest.statements.agree(old, stated.says):
            return entry.path, fact
    return None


def _again(hand: Hand, path: str, fact: Fact, stated: Stated, at: datetime, who: Who, *, inferred: bool) -> Remembered:
    """Say a known fact again: surer of it when it says the same, superseded when it does not, or says more.

    A card that is learned from again is no further witness. What was only inferred adds nothing to what was said.
    """
    old = note.first_paragraph(fact.body)
    same = _says_the_same(old, fact, stated)
    said = _said(stated, at)
    if not same and stated.said_at and fact.updated and said < fact.updated:
        return Remembered(fact.id, path, "outdated", stated.key or fact.key, changed=False)
    witnessed = _is_among(hand, stated.source, fact.sources)
    if same and witnessed:
        return Remembered(fact.id, path, "confirmed", stated.key or fact.key, changed=False)
    more = same and not inferred and digest.statements.adds(stated.says, old)
    changes = _changes(fact, stated, said, same=same, more=more, witnessed=witnessed)
    tags, refused = pool_acts.allowed(hand, stated.tags)
    united = tuple(dict.fromkeys((*fact.tags, *tags))) if same else _anew(hand, fact, old, stated.says, tags)
    if united != fact.tags:
        changes["tags"] = united

    clean = hand.cleaned_front(changes)

    def change(raw: bytes) -> bytes:
        edited = note.edit(raw, clean, path)
        return supersede(edited, path, stated.says, fact, said) if more or not same else edited

    hand.rewrite(path, change)
    did = "confirmed" if same and not more else "superseded"
    hand.journal.add(at, who, "remember", path, did, id=fact.id, before=None if did == "confirmed" else old)
    paths = pool_acts.ensure(hand, united, tags, at, retold=bool(stated.source))
    hand.settle(path, *paths)
    return Remembered(fact.id, path, did, stated.key or fact.key, refused)


def _changes(
    fact: Fact, stated: Stated, said: datetime, *, same: bool, more: bool, witnessed: bool
) -> dict[str, note.Value | None]:
    """Say which keys of a fact change when it is said again, but for its tags."""
    changes: dict[str, note.Value | None] = {
        "hits": fact.hits + 1,
        "confidence": _surer(fact.confidence) if same else round(min(SUREST, stated.confidence), 2),
        "updated": max(said, fact.updated) if fact.updated else said,
    }
    if stated.importance > fact.importance:
        changes["importance"] = stated.importance
    scenes = tuple(dict.fromkeys((*fact.scenes, *stated.scenes)))
    if scenes != fact.scenes:
        changes["scenes"] = scenes
    if stated.source and not witnessed:
        changes["sources"] = [link(source) for source in (*fact.sources, stated.source)]
    if stated.key and (not fact.key or not same):
        changes["key"] = stated.key
    if (more or not same) and stated.value != fact.value:
        changes["value"] = stated.value or None  # with the sentence it is of
    return changes


def _is_among(hand: Hand, source: str, sources: tuple[str, ...]) -> bool:
    """Tell whether links lead to a source already, also those from before it was renamed or moved."""
    if not source or source.removesuffix(".md") in sources:
        return bool(source)
    entry = hand.linked(source.removesuffix(".md"))
    return entry is not None and any(other.id == entry.id for link in sources if (other := hand.linked(link)))


def _said(stated: Stated, at: datetime) -> datetime:
    """Tell when something was said: now, or earlier."""
    return min(at, hands.day(stated.said_at)) if stated.said_at else at


def _anew(hand: Hand, fact: Fact, old: str, says: str, given: tuple[str, ...]) -> tuple[str, ...]:
    """Choose the tags of a fact that says something else now: words that rules took from the old sentence go."""
    own = {text.key(word) for word in pool_acts.suggest(hand, old, "", fact.tags)}
    kept = [word for word in fact.tags if text.key(word) not in own]
    fresh = given or tuple(pool_acts.suggest(hand, says, ""))
    united: dict[str, str] = {}
    for word in (*kept, *fresh):
        united.setdefault(text.key(word), word)
    return tuple(united.values())


def _says_the_same(old: str, fact: Fact, stated: Stated) -> bool:
    """Tell whether a sentence agrees with the old one, or names the same value without saying no to it."""
    if digest.statements.agree(old, stated.says):
        return True
    same_value = bool(stated.value) and text.key(stated.value) == text.key(fact.value)
    return same_value and digest.words.denies(old) == digest.words.denies(stated.says)


def _surer(confidence: float) -> float:
    """Raise a confidence by one step; what a person set higher stays."""
    return round(max(confidence, min(SUREST, confidence + SURER)), 2)


def supersede(raw: bytes, path: str, new: str, fact: Fact | Summary, at: datetime) -> bytes:
    """Put the new sentence on top and the old one under `## Earlier` with its dates."""
    since = fact.updated or fact.created
    period = f"{since:%Y-%m-%d} to {at:%Y-%m-%d}" if since else f"until {at:%Y-%m-%d}"
    old = note.first_paragraph(note.read(raw, path).body)
    body = note.read(note.set_summary(raw, new), path).body
    end = "\r\n" if "\r\n" in body else "\n"
    line = f"- {period}: {old}{end}"
    if found := _EARLIER.search(body):
        gap = "" if found[1] else end
        return note.set_body(raw, f"{body[: found.end()]}{gap}{line}{body[found.end() :]}")
    ends = body[len(body.rstrip("\r\n")) :].count("\n")
    gap = end * max(0, 2 - ends) if body else ""
    return note.set_body(raw, f"{body}{gap}{EARLIER}{end}{end}{line}")


def _first(hand: Hand, stated: Stated, at: datetime, who: Who) -> Remembered:
    tags, refused = pool_acts.allowed(hand, stated.tags)
    if not tags:
        tags = tuple(pool_acts.suggest(hand, stated.says, ""))
    fact_id, said = hands.new_id(hand, at), _said(stated, at)
    with hand.store.batch():
        path = hand.create(
            layout.named_path("facts", hands.title(stated.says)),
            {
                "id": fact_id, "kind": "fact", "layer": "semantic", "category": stated.category or "fact",
                "key": stated.key or None, "value": stated.value or None, "project": stated.project or None,
                "scenes": stated.scenes or None, "importance": stated.importance,
                "confidence": round(min(SUREST, stated.confidence), 2), "tags": tags, "people": stated.people or None,
                "hits": 0, "sources": [link(stated.source)] if stated.source else None, "created": said,
                "updated": said,
            },
            stated.says + "\n",
        )  # fmt: skip
        paths = pool_acts.ensure(hand, tags, stated.tags, at, retold=bool(stated.source))
    hand.journal.add(at, who, "remember", path, "new", id=fact_id)
    hand.settle(path, *paths)
    return Remembered(fact_id, path, "new", stated.key, refused)
