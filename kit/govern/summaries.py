"""The summary note of a session: what it was about and where to find it; one a session.

Law: what an agent or a person wrote stays: a later commit puts it under `## Earlier`, and the rules replace only their
own words. A note that a person has removed is not made again by itself.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadInputError, KitError
from kit.govern import archive, ours, recalls
from kit.govern import hand as hands
from kit.govern import tags as pool_acts
from kit.govern.facts import supersede
from kit.model.fields import link
from kit.model.notes import Card, Summary
from kit.vault import layout, note

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.vault.journal import Who

COMMIT = "commit"
"""The journal's word for a summary that was written."""
TAGS, KEYWORDS, ENTITIES = 4, 8, 8
_MIXED = 4
"""Turns from which a session may be of many matters."""
LONGEST = 600
"""Characters of a summary that rules write."""


class Committed(NamedTuple):
    """A session's summary note."""

    id: str
    path: str
    title: str
    session: str
    turns: int
    did: str
    """new, updated, or unchanged"""
    redacted: tuple[str, ...] = ()
    """kinds of secrets that were taken out of it"""


class _Session(NamedTuple):
    """The turns of a session, oldest first."""

    cards: tuple[tuple[str, Card], ...]
    """those worth finding again, with their paths"""
    turns: int
    """all of them"""


def commit(hand: Hand, session: str, says: str, title: str, now: datetime, who: Who, *, project: str = "") -> Committed:
    """Write what a session came to; said again, the new words stand first and the old ones below."""
    at = hands.day(now)
    if not says.strip():
        raise BadInputError("There is no summary to commit.", 'Say it: memkit commit --summary "We chose …"')
    (says, kinds), (title, more) = hand.cleaned(says), hand.cleaned(title)
    says, title, redacted = " ".join(says.split()), " ".join(title.split()), tuple(sorted({*kinds, *more}))
    hand.tell_redacted(redacted, at, "summaries")
    found = _gather(hand, session)
    known = find(hand, session)
    if known is None:
        return _first(hand, session, says, title, found, at, who, project)._replace(redacted=redacted)
    again = _again(hand, *known, says, title, found, at, who, by_rules=ours.is_summary(hand, known[1]))
    return again._replace(redacted=redacted)


def close(hand: Hand, session: str, now: datetime, who: Who, *, least: int, title: str = "") -> Committed | None:
    """Write by rules what a session came to that nobody summed up; None when there is nothing to do.

    `least` turns must be worth finding again: the card of a lone one says it already.
    """
    found = _gather(hand, session)
    if not session or len(found.cards) < least:
        return None
    known = find(hand, session)
    if known is None:
        if was_committed(hand, session, found.cards[0][1].created):
            return None
        return _first(hand, session, _by_rules(card for _, card in found.cards), title, found, hands.day(now), who, "")
    if not ours.is_summary(hand, known[1]):
        return None
    says = _by_rules(card for _, card in found.cards)
    return _again(hand, *known, says, title, found, hands.day(now), who, by_rules=True)


def is_by_rules(hand: Hand, session: str, before: Collection[str] = ()) -> bool:
    """Tell whether the rules have written a session's summary, and nobody since; `before`: what its cards once said."""
    known = find(hand, session)
    return known is not None and ours.is_summary(hand, known[1], before)


def follow_edits(hand: Hand, cards: Mapping[str, Collection[str]], now: datetime, who: Who) -> None:
    """Say again by rules what sessions came to of which cards were edited, where nobody else has said it since.

    `cards` names what each card said before, folded.
    """
    sessions: dict[str, set[str]] = {}
    for path, before in cards.items():
        if (card := _load(hand, path)) and card.topic:
            sessions.setdefault(card.topic, set()).update(before)
    for session, before in sessions.items():
        with suppress(KitError):  # a summary that was saved just now, or can't be read, is the person's
            if is_by_rules(hand, session, before):
                follow(hand, session, now, who)


def follow(hand: Hand, session: str, now: datetime, who: Who) -> str:
    """Say again by rules what a session came to, once one of its cards counts no more, or again.

    A summary that is left without cards goes into the archive; its new path is returned, else ''.
    """
    known, found = find(hand, session), _gather(hand, session)
    if known is None:
        return ""
    if found.cards:
        says = _by_rules(card for _, card in found.cards)
        _again(hand, *known, says, "", found, hands.day(now), who, by_rules=True)
        return ""
    away = hand.move(known[0], archive.free(hand, known[0]))
    # not the person's own act: `undo` takes back what made it so
    hand.journal.add(hands.day(now), "maintain", "forget", known[0], "none of its cards is left", id=known[1].id)
    hand.settle(known[0])
    return away


def find(hand: Hand, session: str) -> tuple[str, Summary] | None:
    """Find the summary note of a session; one that can't be read is nobody's to write to."""
    for num in hand.index.postings.cards(f"summary:{text.key(session)}") if session else ():
        entry = hand.index.catalog.numbered(num)
        found = hand.load(entry.path) if entry else None
        if entry and isinstance(found, Summary):
            return entry.path, found
    return None


def was_committed(hand: Hand, session: str, since: datetime | None) -> bool:
    """Tell whether a session has been summed up since it began, whatever became of the note."""
    begun = f"{since - timedelta(days=1):%Y-%m-%d}" if since else ""  # a zone may differ by a day
    for entry in hand.journal.entries(newest_first=True):
        if str(entry.get("at", ""))[:10] < begun:
            return False
        if entry.get("what") == COMMIT and entry.get("session") == session:
            return True
    return False


def open_session(hand: Hand, project: str, now: datetime, within_s: float) -> str:
    """Name the session that an agent has open in a project: not ended, its newest card not older; else ''."""
    rows = [
        row
        for row in hand.index.features.rows().values()
        if row.kind == "card" and row.topic and row.created >= now.timestamp() - within_s
        if row.project == text.key(project)
    ]
    for row in sorted(rows, key=lambda row: -row.created)[:20]:
        entry = hand.index.catalog.numbered(row.num)
        card = _load(hand, entry.path) if entry else None
        if card and card.harness and card.created and not recalls.has_ended(hand.journal, card.topic, card.created):
            return card.topic
    return ""


def own_topic(hand: Hand, title: str) -> str:
    """Name a summary that is of no session by its title; never as a session or another summary is named."""
    for number in range(1, 1000):
        topic = title if number == 1 else f"{title} {number}"
        if not any(hand.index.postings.df(f"{what}:{text.key(topic)}") for what in ("topic", "summary")):
            return topic
    return ""


def _gather(hand: Hand, session: str) -> _Session:
    found: list[tuple[str, Card]] = []
    turns = 0
    for num in hand.index.postings.cards(f"topic:{text.key(session)}") if session else ():
        row, entry = hand.index.features.rows().get(num), hand.index.catalog.numbered(num)
        if row is None or entry is None or row.kind != "card":
            continue
        turns += row.status != "pending"
        counts = row.status == "completed" and row.layer == "episodic" and row.feedback != "rejected"
        if counts and (card := _load(hand, entry.path)):
            found.append((entry.path, card))
    found.sort(key=lambda pair: (pair[1].created.timestamp() if pair[1].created else 0.0, pair[1].id))
    return _Session(tuple(found), turns)


def _load(hand: Hand, path: str) -> Card | None:
    try:
        found = hand.load(path)
    except KitError:
        return None
    return found if isinstance(found, Card) else None


def _first(
    hand: Hand, session: str, says: str, title: str, found: _Session, at: datetime, who: Who, project: str
) -> Committed:
    fresh = hands.new_id(hand, at)
    title = title or _title(found, says)
    session = session or own_topic(hand, title)
    path = hand.create(
        layout.named_path("summaries", title),
        {
            "id": fresh, "kind": "summary", "created": at, "topic": session or None, "title": title,
            **_facts_of(hand, found, at, project),
        },
        f"{says}\n",
    )  # fmt: skip
    hand.journal.add(at, who, COMMIT, path, "new", id=fresh, session=session)
    hand.settle(path)
    return Committed(fresh, path, title, session, found.turns, "new")


def _again(
    hand: Hand, path: str, known: Summary, says: str, title: str, found: _Session, at: datetime, who: Who, *,
    by_rules: bool,
) -> Committed:  # fmt: skip
    old = note.first_paragraph(known.body)
    told = Committed(known.id, path, title or known.title, known.topic, found.turns, "unchanged")
    if old == says and title in ("", known.title) and len(found.cards) == len(known.cards):
        return told
    changes = _facts_of(hand, found, at, known.project)
    if title:
        changes["title"] = title
    clean = hand.cleaned_front(changes)

    def change(raw: bytes) -> bytes:
        edited = note.edit(raw, clean, path)
        if old == says:
            return edited
        still = by_rules and note.first_paragraph(note.read(raw, path).body) == old  # a person may just have saved
        return note.set_summary(edited, says) if still else supersede(edited, path, says, known, at)

    hand.rewrite(path, change)
    hand.journal.add(at, who, COMMIT, path, "updated", id=known.id, session=known.topic, before=old)
    hand.settle(path)
    return told._replace(did="updated")


def _facts_of(hand: Hand, found: _Session, at: datetime, project: str) -> dict[str, note.Value | None]:
    """Gather what the front matter says of a session's cards."""
    cards = [card for _, card in found.cards]
    project = project or next(iter(_ranked([card.project] for card in cards if card.project)), "")
    words = _ranked(card.tags for card in cards)
    tags, _ = pool_acts.allowed(hand, words[:TAGS])
    names = _ranked((*card.people, *card.places) for card in cards)
    days = sorted(f"{card.created:%Y-%m-%d}" for card in cards if card.created) or [f"{at:%Y-%m-%d}"]
    return {
        "project": project or None, "tags": tags or None, "updated": at, "keywords": words[:KEYWORDS] or None,
        "entities": names[:ENTITIES] or None,
        "period": days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}", "turns": found.turns,
        "cards": [link(path) for path, _ in found.cards] or None,
    }  # fmt: skip


def _ranked(words: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Order words by how many cards bear them, then as they came."""
    return tuple(word for word, _ in Counter(chain.from_iterable(words)).most_common())


def _title(found: _Session, says: str) -> str:
    """Name a session by the turn that shares most words with the others; one of many matters says so."""
    cards = [card for _, card in found.cards]
    if len(cards) < _MIXED:
        return hands.title((cards and note.first_paragraph(cards[0].body)) or says)
    borne = Counter(text.key(word) for card in cards for word in card.tags)
    common = [sum(borne[text.key(word)] - 1 for word in card.tags) for card in cards]
    central = note.first_paragraph(cards[common.index(max(common))].body) or says
    if max(borne.values(), default=0) * 2 >= len(cards):
        return hands.title(central)
    title = hands.title(central)
    return f"{title}等 {len(cards)} 件事" if text.language(title) == "zh" else f"{title} and {len(cards) - 1} more"


def _by_rules(cards: Iterable[Card]) -> str:
    """Say what a session came to in its cards' own sentences: the first, the last, the weighty, in their order."""
    told = [(note.first_paragraph(card.body), card.importance) for card in cards]
    told = [(says, weight) for says, weight in told if says]
    ranked = sorted(
        range(len(told)), key=lambda at: (at != 0, at != len(told) - 1, -told[at][1], at)
    )  # the first and the last say where it began and where it ended
    kept: list[int] = []
    room = LONGEST
    for at in ranked:
        if not kept or len(told[at][0]) + 1 <= room:
            kept.append(at)
            room -= len(told[at][0]) + 1
    return text.joined(dict.fromkeys(told[at][0] for at in sorted(kept)))
