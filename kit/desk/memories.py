"""Cards, facts and summaries as a person lists them: one row each, newest first, page by page.

Law: reads only. A page costs what it shows: whatever decides which rows those are is held in memory.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadInputError, KitError
from kit.model.notes import Card, Fact, Summary
from kit.vault import note

if TYPE_CHECKING:
    from kit.govern.hand import Hand
    from kit.index.catalog import Entry
    from kit.index.features import Features
    from kit.model.notes import Note

KINDS = ("card", "fact", "summary")
HELD = 4_000
"""Notes kept parsed; they are known by their content, so an edited one is read again."""


class Memory(NamedTuple):
    """A card, a fact or the summary of a session, as a list shows it."""

    id: str
    kind: str
    layer: str
    text: str
    category: str
    source: str
    """who it comes from: `person`, the harness of a card, or `agent` for what was learned from cards"""
    importance: int
    tags: tuple[str, ...]
    created: datetime | None
    updated: datetime
    at: datetime
    """what it is listed under: a card by its beginning, what lasts by its last change"""
    topic: str
    title: str
    """what its topic is called"""
    turns: int
    """cards of its topic"""
    hits: int
    """a fact: how often it was said again; a card: 0, the journal knows"""
    path: str
    etag: str
    project: str = ""
    scene: str = ""
    status: str = "completed"
    feedback: str = ""
    pinned: bool = False
    key: str = ""
    value: str = ""
    confidence: float = 0.0
    scenes: tuple[str, ...] = ()


class Page(NamedTuple):
    """Some of the memories asked for."""

    total: int
    memories: tuple[Memory, ...]
    next: str
    """where the next page begins; '' at the end"""


class Wanted(NamedTuple):
    """Which memories are asked for; what is empty says nothing."""

    kind: str = ""
    layer: str = ""
    category: str = ""
    tag: str = ""
    scene: str = ""
    project: str = ""
    month: str = ""
    """`2026-08`"""
    finished: bool = False
    """without what waits for its answer, was cut short or failed"""


class Shelf:
    """Reads cards and facts of one vault, and remembers what it has read."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._read: dict[str, tuple[str, Note]] = {}
        self._order: tuple[int, list[tuple[float, int]]] = (-1, [])
        self._shown: tuple[int, list[str]] = (-1, [])
        self._made: tuple[int, dict[int, Memory | None]] = (-1, {})

    def load(self, entry: Entry) -> Note | None:
        """Read a note, or take what was read of it before; None when it can't be read."""
        known = self._read.get(entry.path)
        if known and known[0] == entry.etag:
            return known[1]
        try:
            found = self._hand.load(entry.path)
        except KitError:
            return None
        if len(self._read) >= HELD:
            del self._read[next(iter(self._read))]
        self._read[entry.path] = (entry.etag, found)
        return found

    def memory(self, entry: Entry) -> Memory | None:
        """Show a card, fact or summary as a row; None for another kind, or what can't be read."""
        generation = self._hand.index.generation
        if self._made[0] != generation:
            self._made = (generation, {})
        made = self._made[1]
        if entry.num not in made:
            made[entry.num] = self._row(entry)
        return made[entry.num]

    def _row(self, entry: Entry) -> Memory | None:
        found = self.load(entry)
        if isinstance(found, Card):
            return self._card(entry, found)
        if isinstance(found, Summary):
            return _summary(entry, found)
        return _fact(entry, found) if isinstance(found, Fact) else None

    def _card(self, entry: Entry, card: Card) -> Memory:
        topic = text.key(card.topic)
        turns = self._hand.index.postings.df(f"topic:{topic}") if topic else 1
        changed = _changed(entry)
        return Memory(
            card.id, "card", card.layer, _says(entry, card), "other", card.harness or "person", card.importance,
            card.tags, card.created, changed, card.created or changed, card.topic, self._title(topic) or card.topic,
            turns, 0, entry.path, entry.etag, card.project, "/".join(filter(None, (card.scene, card.scene_sub))),
            card.status, card.feedback, card.pinned,
        )  # fmt: skip

    def _title(self, topic: str) -> str:
        """Name a topic as its summary note does."""
        for num in self._hand.index.postings.cards(f"summary:{topic}") if topic else ():
            entry = self._hand.index.catalog.numbered(num)
            found = self.load(entry) if entry else None
            if isinstance(found, Summary) and found.title:
                return found.title
        return ""

    # -- many of them

    def page(self, wanted: Wanted, cursor: str, limit: int) -> Page:
        """List memories newest first, from a cursor on."""
        order = self._fitting(wanted)
        start = bisect_right(order, _place(cursor)) if cursor else 0
        shown = order[start : start + limit]
        entries = (self._hand.index.catalog.numbered(num) for _, num in shown)
        rows = (self.memory(entry) for entry in entries if entry)
        is_last = start + limit >= len(order)
        return Page(len(order), tuple(filter(None, rows)), "" if is_last or not shown else _cursor(shown[-1]))

    def nums(self, wanted: Wanted) -> list[int]:
        """List the numbers of the memories asked for, newest first."""
        return [num for _, num in self._fitting(wanted)]

    def order(self) -> list[tuple[float, int]]:
        """List every memory newest first, as (−seconds, −number) would sort; held until something changes."""
        generation = self._hand.index.generation
        if self._order[0] != generation:
            rows = self._hand.index.features.rows()
            listed = ((-row.created, num) for num, row in rows.items() if row.kind in KINDS)
            self._order = (generation, sorted(listed))
        return self._order[1]

    def _fitting(self, wanted: Wanted) -> list[tuple[float, int]]:
        order = self.order()
        if wanted == Wanted():
            return order
        rows, among = self._hand.index.features.rows(), self._among(wanted)
        return [(at, num) for at, num in order if (among is None or num in among) and _fits(rows[num], wanted)]

    def _among(self, wanted: Wanted) -> set[int] | None:
        """List the cards that bear every feature asked for; None when no feature is."""
        index = self._hand.index
        groups: list[set[int]] = []
        if wanted.tag:
            key = text.key(wanted.tag)
            held = index.pool.claimant(key) or index.pool.at_code(wanted.tag)
            words = index.pool.words(held) if held else {key}
            groups.append({num for word in words for num in index.postings.cards(f"tag:{word}")})
        main, _, sub = wanted.scene.partition("/")
        scene = f"{text.key(main)}/{text.key(sub)}" if sub else text.key(main)
        terms = (
            scene and f"scene:{scene}",
            wanted.project and f"project:{text.key(wanted.project)}",
            wanted.month and f"month:{wanted.month}",
            wanted.category and f"category:{wanted.category}",
        )
        groups += [set(index.postings.cards(term)) for term in terms if term]
        return set.intersection(*groups) if groups else None

    def containing(self, words: list[str], most: int) -> list[int]:
        """List memories whose summary holds all these folded pieces of text, the newest `most` of them."""
        rows = self._hand.index.features.rows()
        order = self.order()
        if self._shown[0] != self._order[0]:
            self._shown = (self._order[0], [rows[num].shown for _, num in order])
        longest, *rest = sorted(words, key=len, reverse=True)
        found: list[int] = []
        for at, shown in enumerate(self._shown[1]):
            if longest in shown and all(word in shown for word in rest):
                found.append(order[at][1])
                if len(found) == most:
                    break
        return found


def _fits(row: Features, wanted: Wanted) -> bool:
    if wanted.finished and row.status != "completed":
        return False
    return (not wanted.kind or row.kind == wanted.kind) and (not wanted.layer or row.layer == wanted.layer)


def _fact(entry: Entry, fact: Fact) -> Memory:
    changed = fact.updated or _changed(entry)
    at = fact.updated or fact.created or changed
    return Memory(
        fact.id, "fact", fact.layer, _says(entry, fact), fact.category, "agent" if fact.sources else "person",
        fact.importance, fact.tags, fact.created, changed, at, "", "", 0, fact.hits,
        entry.path, entry.etag, fact.project, "", "completed", fact.feedback, fact.pinned, fact.key, fact.value,
        fact.confidence, fact.scenes,
    )  # fmt: skip


def _summary(entry: Entry, found: Summary) -> Memory:
    changed = found.updated or _changed(entry)
    at = found.updated or found.created or changed
    return Memory(
        found.id, "summary", "episodic", _says(entry, found), "other", "agent", 3, found.tags or found.keywords,
        found.created or at, changed, at, found.topic, found.title, found.turns or len(found.cards), 0,
        entry.path, entry.etag, found.project, pinned=found.pinned,
    )  # fmt: skip


def _says(entry: Entry, found: Note) -> str:
    """Take what a note says; of one that says nothing yet, its prompt's first words, which are its file's name."""
    name = entry.path.rsplit("/", 1)[-1].removesuffix(".md").removeprefix(entry.id).strip()
    return note.first_paragraph(found.body) or (name.replace("-", " ") if isinstance(found, Card) else name) or entry.id


def _changed(entry: Entry) -> datetime:
    return datetime.fromtimestamp(max(entry.mtime_ns, 0) / 1e9).astimezone()


def _cursor(place: tuple[float, int]) -> str:
    return f"{place[0].hex()}.{place[1]}"


def _place(cursor: str) -> tuple[float, int]:
    """Read a cursor back; it also stands where its memory is gone by now."""
    seconds, _, num = cursor.rpartition(".")
    try:
        return float.fromhex(seconds), int(num)
    except (ValueError, OverflowError):
        raise BadInputError(f"'{cursor:.60}' is no place in a list.", "Use the `next` of the page before.") from None
