"""What the notes behind a hit say, at each depth.

Law: reads only; a note that is missing or can't be read gives what is still known of it, never an error.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from kit import deliver, text
from kit.errors import BadNoteError, NotFoundError
from kit.model.notes import Card, Fact, Plain, Summary
from kit.vault import exchange, note

if TYPE_CHECKING:
    from kit.govern.hand import Hand
    from kit.model.hits import Hit
    from kit.model.notes import Note, Route


class Passages:
    """Reads the notes of one vault for recall and for people."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand

    def passage(self, hit: Hit, route: Route = "deep") -> deliver.Passage:
        """Read a hit as deep as the route asks: what it says, its overview, the exchange."""
        name = hit.path.removesuffix(".md")
        if route == "shallow" and hit.kind == "card":  # its body says it all: most are told so, and quickly
            with suppress(BadNoteError, NotFoundError):
                says = note.first_paragraph(self._hand.read_body(hit.path))
                return deliver.Passage(hit.id, hit.kind, name, hit.created, says)
        found = self._load(hit.path)
        if found is None:  # it is recalled by its last good state, and says what still can be read
            return deliver.Passage(hit.id, hit.kind, name, hit.created, self._says_still(hit.path))
        if isinstance(found, Plain):
            return deliver.Passage(hit.id, hit.kind, name, hit.created, found.says, overview=found.body.strip())
        says = note.first_paragraph(found.body)
        if isinstance(found, Fact):
            day = found.updated or hit.created
            return deliver.Passage(hit.id, hit.kind, name, day, says, preference=True, sources=found.sources)
        if isinstance(found, Summary):
            day = found.updated or hit.created
            return deliver.Passage(hit.id, hit.kind, name, day, says, sources=found.cards)
        overview, said = "", exchange.Exchange("", "")
        if isinstance(found, Card) and route != "shallow":
            overview = self.body(found.overview).strip()
            said = exchange.read(self.body(found.event)) if route == "deep" else said
        return deliver.Passage(hit.id, hit.kind, name, hit.created, says, overview, said.user, said.agent)

    def noted(self, path: str) -> deliver.Passage:
        """Read what a card or fact says, apart from any recall."""
        found, name = self._load(path), path.removesuffix(".md")
        if found is None:
            return deliver.Passage("", "", name, None, "")
        sources = found.sources if isinstance(found, Fact) else ()
        return deliver.Passage(found.id, found.kind, name, None, note.first_paragraph(found.body), sources=sources)

    def body(self, link: str) -> str:
        """Read the body of a linked note; '' when there is none."""
        entry = self._hand.linked(link)
        found = self._load(entry.path) if entry else None
        return found.body if found else ""

    def overview(self, card_id: str) -> str:
        """Read the overview of a card; '' when it has none."""
        card = self._card(card_id)
        return self.body(card.overview).strip() if card else ""

    def full_text(self, card_id: str) -> exchange.Exchange:
        """Read the exchange of a card as it was said; both sides empty when there is none."""
        card = self._card(card_id)
        return exchange.read(self.body(card.event)) if card else exchange.Exchange("", "")

    def source_path(self, topic: str, card_id: str) -> str:
        """Name the note that holds a card's source: its overview, else its event; '' for a card of another topic."""
        card = self._card(card_id)
        if card is None or text.key(card.topic) != text.key(topic):
            return ""
        entry = self._hand.linked(card.overview) or self._hand.linked(card.event)
        return entry.path if entry else ""

    def _card(self, card_id: str) -> Card | None:
        try:
            found = self._load(self._hand.entry(card_id).path)
        except NotFoundError:
            return None
        return found if isinstance(found, Card) else None

    def _says_still(self, path: str) -> str:
        """Read what a note says whose front matter is broken; else give its name."""
        try:
            raw, _ = self._hand.store.read(path)
        except (BadNoteError, NotFoundError):
            raw = b""
        return note.first_paragraph(note.split(raw).body.decode(errors="replace")) or PurePosixPath(path).stem

    def _load(self, path: str) -> Note | None:
        try:
            return self._hand.look(path)
        except (BadNoteError, NotFoundError):
            return None
