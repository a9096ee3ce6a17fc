"""One note as a person reads it: front matter, body, where its links lead and what leads to it.

Law: reads only. No index of links is kept: what leads to a note is known from how notes of its kind are linked, from
the few notes a person writes links in, and from what the full text proposes and the bytes confirm.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from kit import text
from kit.errors import KitError
from kit.model.fields import WIKILINK, link_target
from kit.model.notes import Card, Event, Overview, Scene, Summary, Tag
from kit.model.rows import Leaf, Linked, Said
from kit.vault import exchange, note

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kit.desk.memories import Shelf
    from kit.govern.hand import Hand
    from kit.index.catalog import Entry
    from kit.model.notes import Note
    from kit.witness import Witness

LINKING = ("summary", "fact", "tag", "scene", "note", "")
"""Kinds that are few, and whose notes hold links; '' is a plain note."""
READ_FOR_LINKS = 3_000
"""Notes of these kinds that are read for their links; a vault that holds more shows those of the first."""
PROPOSED = 40
MOST = 200
"""Notes named as leading to one."""


class Leaves:
    """Reads single notes of one vault."""

    def __init__(self, hand: Hand, shelf: Shelf, witness: Witness) -> None:
        self._hand, self._shelf, self._witness = hand, shelf, witness
        self._links: dict[str, tuple[str, frozenset[str]]] = {}

    def leaf(self, ref: str) -> Leaf:
        """Read a note by its id, path or link; raise NotFoundError."""
        entry = self._hand.entry(link_target(ref))
        raw, etag = self._hand.store.read(entry.path)
        found = note.read(raw, entry.path)
        typed = self._shelf.load(entry)
        front = {key: _shown(value) for key, value in found.front.items()}
        overview, said = "", Said("", "")
        if isinstance(typed, Card):
            overview = self._body(typed.overview).strip()
            said = Said(*exchange.read(self._body(typed.event)))
        return Leaf(
            entry.id, entry.kind, entry.path, etag, self.title(entry), raw.decode(errors="replace"), front,
            found.body, note.first_paragraph(found.body), tuple(self._leads_to(raw.decode(errors="replace"))),
            tuple(self._leads_here(entry, typed)), overview, said, str(self._hand.store.root / entry.path),
        )  # fmt: skip

    def _body(self, link: str) -> str:
        entry = self._hand.linked(link)
        found = self._shelf.load(entry) if entry else None
        return found.body if found else ""

    def title(self, entry: Entry) -> str:
        """Name a note for people: what it says or is called, else its file's name."""
        found = self._shelf.load(entry)
        stem = entry.path.rsplit("/", 1)[-1].removesuffix(".md")
        if isinstance(found, Summary):
            return found.title or stem
        if isinstance(found, (Tag, Scene)):
            return found.name or stem
        if isinstance(found, (Event, Overview)):
            card = self._hand.linked(found.card)
            return self.title(card) if card else stem
        return (note.first_paragraph(found.body) if found else "") or stem

    # -- links

    def _leads_to(self, raw: str) -> Iterator[Linked]:
        for target in dict.fromkeys(_targets(raw)):
            entry = self._hand.linked(target)
            if entry:
                yield Linked(target, entry.id, entry.kind, entry.path, self.title(entry))
            else:
                yield Linked(target, "", "", "", target.rsplit("/", 1)[-1])

    def _leads_here(self, entry: Entry, found: Note | None) -> Iterator[Linked]:
        seen = {entry.path}
        for other in self._candidates(entry, found):
            if other.path not in seen and len(seen) <= MOST:
                seen.add(other.path)
                yield Linked("", other.id, other.kind, other.path, self.title(other))

    def _candidates(self, entry: Entry, found: Note | None) -> Iterator[Entry]:
        if isinstance(found, (Event, Overview, Card)):
            yield from self._of_the_same_turn(found)
        elif isinstance(found, Summary):
            yield from self._bearing(f"topic:{text.key(found.topic)}")
        elif isinstance(found, Tag):
            held = self._hand.index.pool.at_path(entry.path)
            for key in sorted(self._hand.index.pool.words(held)) if held else ():
                yield from self._bearing(f"tag:{key}")
        elif isinstance(found, Scene):
            yield from self._bearing(f"scene:{text.key(entry.path.removeprefix('scenes/').removesuffix('.md'))}")
        yield from self._few(entry)
        yield from self._proposed(entry)

    def _of_the_same_turn(self, found: Event | Overview | Card) -> Iterator[Entry]:
        catalog = self._hand.index.catalog
        for note_id in (f"{found.id}-e", f"{found.id}-o") if isinstance(found, Card) else ():
            yield from catalog.with_id(note_id)
        card = self._hand.linked(found.card) if isinstance(found, (Event, Overview)) else None
        if card:
            yield card

    def _bearing(self, term: str) -> Iterator[Entry]:
        nums = self._hand.index.postings.cards(term)
        yield from filter(None, map(self._hand.index.catalog.numbered, reversed(nums[-MOST:])))

    def _few(self, here: Entry) -> Iterator[Entry]:
        """Look through the notes of the few kinds whose texts hold links."""
        callings = _callings(here)
        read = 0
        for kind in LINKING:
            for other in self._hand.index.catalog.of_kind(kind):
                read += 1
                if read > READ_FOR_LINKS:
                    return
                if not callings.isdisjoint(self._links_of(other)):
                    yield other

    def _links_of(self, entry: Entry) -> frozenset[str]:
        known = self._links.get(entry.path)
        if known is None or known[0] != entry.etag:
            try:
                raw = self._hand.store.read(entry.path)[0]
            except KitError:
                raw = b""
            known = (entry.etag, frozenset(text.fold(one) for one in _targets(raw.decode(errors="replace"))))
            self._links[entry.path] = known
        return known[1]

    def _proposed(self, here: Entry) -> Iterator[Entry]:
        """Ask the full text for cards whose own text names this note, and look whether they link to it."""
        words = [(word, 1.0) for word in dict.fromkeys(text.terms(here.path.rsplit("/", 1)[-1].removesuffix(".md")))]
        callings = _callings(here)
        for num in self._witness.propose(words[:8], PROPOSED) or ():
            entry = self._hand.index.catalog.numbered(num)
            found = self._shelf.load(entry) if entry else None
            if entry and found and not callings.isdisjoint(text.fold(one) for one in _targets(found.body)):
                yield entry


def _targets(raw: str) -> Iterable[str]:
    return (link_target(found[0].removeprefix("!")) for found in WIKILINK.finditer(raw))


def _callings(entry: Entry) -> set[str]:
    """List what a link may call a note."""
    stem = entry.path.removesuffix(".md")
    return {text.fold(one) for one in (stem, stem.rsplit("/", 1)[-1], entry.id) if one}


def _shown(value: object) -> str | list[str]:
    """Show a front matter value: text, or a list of texts."""
    if isinstance(value, (list, tuple)):
        return [one if isinstance(one, str) else ", ".join(one) for one in map(_shown, value)]
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)
