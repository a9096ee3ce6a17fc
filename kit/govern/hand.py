"""The one hand that writes: notes through the store, a line in the journal, then the one road in.

Law: every write is etag-checked and durable; the indexes learn of it as of anybody's edit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kit import reconcile, text
from kit.errors import BadNoteError, ConflictError, NotFoundError, Problem
from kit.vault import layout, note
from kit.vault.amend import writable
from kit.vault.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from kit.index.catalog import Entry
    from kit.index.reflection import Index
    from kit.model.notes import Note
    from kit.vault.journal import Journal
    from kit.vault.store import Store


_LINKED_ID = re.compile(rf"(?:.*/)?(\d{{8}}-\d{{6}}-[{layout.BASE32}]{{4}})(?:\s[^/]*)?")
_PARTS = {"events": "-e", "overviews": "-o"}


class Hand:
    """Writes to one vault."""

    def __init__(self, store: Store, index: Index, journal: Journal, *, redacts: bool = True) -> None:
        self.store, self.index, self.journal = store, index, journal
        self._redacts = redacts

    def cleaned(self, said: str) -> tuple[str, tuple[str, ...]]:
        """Take out of a text what no file may hold: what can't be written, and secrets; name their kinds."""
        held = writable(said).replace("\0", "\ufffd")
        if not self._redacts:
            return held, ()
        text_, kinds = redact(held)
        return text_, tuple(sorted(set(kinds)))

    def clean(self, said: str, now: datetime, where: str) -> str:
        """Take secrets out of a text before it reaches a file; the journal says that, never what."""
        cleaned, kinds = self.cleaned(said)
        self.tell_redacted(kinds, now, where)
        return cleaned

    def tell_redacted(self, kinds: Sequence[str], now: datetime, where: str) -> None:
        """Write down which kinds of secrets were taken out, if any."""
        if kinds:
            self.journal.add(now, "hook", "redact", where, ", ".join(kinds))

    def entry(self, note_id: str) -> Entry:
        """Find the note of an id (or of a link or path); raise NotFoundError."""
        claims = self.index.catalog.with_id(note_id)
        owner = min(claims, key=lambda entry: (len(entry.path), entry.path)) if claims else None
        found = owner or self.index.catalog.resolve(note_id)
        if found is None:
            raise NotFoundError(f"No note has the id '{note_id}'.", "`memkit recall` and `memkit log` show ids.")
        return found

    def linked(self, link: str) -> Entry | None:
        """Find the note a link leads to, also when the person has renamed or moved it: by its id."""
        found = self.index.catalog.resolve(link) if link else None
        named = _LINKED_ID.fullmatch(link) if link and not found else None
        if named is None:
            return found
        claims = self.index.catalog.with_id(named[1] + _PARTS.get(link.partition("/")[0], ""))
        return claims[0] if claims else None

    def load(self, path: str) -> Note:
        """Read a note of ours; raise BadNoteError when it is none."""
        raw, _ = self.store.read(path)
        found = note.parse(raw, path, fallback_name=path.rsplit("/", 1)[-1].removesuffix(".md"))
        if found is None:
            raise BadNoteError(Problem(path, 1, "This note has no `kind`.", "Add `id` and `kind` to its front matter."))
        return found

    def create(self, path: str, front: Mapping[str, note.Value | None], body: str) -> str:
        """Write a new note; when the name is taken, the next free one. Return the path it got."""
        raw = note.render(front, body)
        stem = path.removesuffix(".md")
        for number in range(1, 1000):
            free = f"{stem}.md" if number == 1 else f"{stem} {number}.md"
            try:
                return self.store.create(free, raw)
            except ConflictError:
                continue
        raise ConflictError(f"There are a thousand notes named {path}.", "Rename some of them.")

    def amend(self, path: str, changes: Mapping[str, note.Value | None], summary: str | None = None) -> None:
        """Change some keys of a note, and its first paragraph when given; nothing else."""

        def change(raw: bytes) -> bytes:
            edited = note.edit(raw, changes, path)
            return edited if summary is None else note.set_summary(edited, summary)

        self.store.update(path, change)

    def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> None:
        """Change a note's bytes by a function that may be called again on a newer version."""
        self.store.update(path, change)

    def move(self, path: str, new_path: str) -> None:
        """Move a note."""
        self.store.move(path, new_path)

    def settle(self, *paths: str) -> None:
        """Bring the indexes in step with what was written."""
        reconcile.apply(self.store, self.index, paths)


def day(at: datetime) -> datetime:
    """Take a time in the person's own zone, to the second."""
    return (at if at.tzinfo else at.astimezone()).replace(microsecond=0)


def new_id(hand: Hand, now: datetime) -> str:
    """Make an id that nothing in the vault has."""
    while True:
        fresh = layout.new_id(now)
        if not hand.index.catalog.with_id(fresh):
            return fresh


def title(said: str) -> str:
    """Name a note by the first words of what it says."""
    first = text.first_sentence(said, 60).rstrip(".。!！?？… ")
    return first or "note"
