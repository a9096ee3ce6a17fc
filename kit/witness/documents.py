"""What the full text is told of each card, summary and fact: its words, field by field."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from kit import text
from kit.errors import KitError
from kit.index import fulltext
from kit.model.notes import Card, Fact, Plain, Summary
from kit.vault import exchange, note

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from kit.index.catalog import Entry
    from kit.index.reflection import Index
    from kit.model.notes import Note


LONGEST = 30_000
"""Characters of a long note that are read again for a question."""
KEPT = 32
"""Long notes that stay in memory: what a session talks of comes up again."""


class Documents:
    """The notes of one vault as the full text sees them."""

    def __init__(self, index: Index, load: Callable[[str], Note], read_body: Callable[[str], str]) -> None:
        self._index, self._load, self._read_body = index, load, read_body
        self._read: dict[str, tuple[str, str]] = {}

    def of(self, num: int) -> fulltext.Doc | None:
        """Read a card; None when it is gone, can't be read, or is not finished.

        What is never recalled makes no word common: least of all a question that nobody answered.
        """
        row = self._index.features.rows().get(num)
        entry = self._index.catalog.numbered(num)
        if row is None or row.status != "completed" or entry is None:
            return None
        try:
            found = self._load(entry.path)
        except KitError:
            return None
        fields = {name: _spelled_out(words) for name, words in self.fields(found) if words}
        return fulltext.Doc(num, fields, row.created, row.kind, entry.path)

    def fields(self, found: Note) -> Iterator[tuple[str, str]]:
        """Give what a card, summary or fact says, field by field."""
        if isinstance(found, Plain):
            yield "summary", f"{found.title}. {found.says}"
            yield "tags", " ".join(found.tags)
            yield "body", found.body
            return
        first = note.first_paragraph(found.body)
        yield "summary", first
        yield "body", found.body.replace(first, "", 1)
        if isinstance(found, Fact):
            yield "tags", " ".join((*found.tags, *found.people, *found.places))
            yield "facts", f"{first}\n{found.key} {found.value}"
        if isinstance(found, Summary):
            yield "title", found.title
            yield "tags", " ".join((*found.tags, *found.keywords, *found.entities))
            yield "facts", first
        if isinstance(found, Card):
            yield "tags", " ".join((*found.tags, *found.people, *found.places))
            yield "overview", self._body(found.overview)
            said = exchange.read(self._body(found.event))
            yield "user", said.user
            yield "agent", said.agent
            # A summary repeats what was said; what it says beyond that, a person wrote, and it counts in full.
            heard = text.fold(f"{said.user}\n{said.agent}")
            yield "facts", " ".join(word for word in text.tokens(first) if word not in heard)

    def long_texts(self, nums: Collection[int], least: int, deadline: float) -> dict[int, str]:
        """Read what some notes say, folded: those of at least `least` bytes, and their beginning.

        The last few are kept.
        """
        rows = self._index.features.rows()
        cards = [num for num in nums if num in rows and rows[num].kind == "card"]
        others = [num for num in nums if num in rows and rows[num].kind == "note"]
        entries = self._index.catalog.long_events(cards, least) if cards else {}
        if others:
            entries |= {
                num: entry for num, entry in self._index.catalog.all_numbered(others).items() if entry.size >= least
            }
        found: dict[int, str] = {}
        for num in nums:
            entry = entries.get(num)
            if entry and monotonic() < deadline and (says := self._folded(entry)):
                found[num] = says
        return found

    def _folded(self, entry: Entry) -> str:
        kept = self._read.pop(entry.path, None)
        if kept is None or kept[0] != entry.etag:
            try:
                kept = entry.etag, text.fold(self._load(entry.path).body[:LONGEST])
            except KitError:
                return ""
        self._read[entry.path] = kept
        if len(self._read) > KEPT:
            del self._read[next(iter(self._read))]
        return kept[1]

    def _body(self, link: str) -> str:
        catalog = self._index.catalog
        entry = catalog.linked(link)
        try:
            if entry is None:
                return ""
            is_well = entry.kind and not catalog.is_broken(entry.path)
            return self._read_body(entry.path) if is_well else self._load(entry.path).body
        except KitError:
            return ""


def _spelled_out(words: str) -> str:
    """Add every CJK character once more by itself: pairs alone miss words that are written otherwise."""
    characters = " ".join(text.cjk(words))
    return f"{words}\n{characters}" if characters else words
