"""The one hand that writes: notes through the store, a line in the journal, then the one road in.

Law: every write is etag-checked and durable; the indexes learn of it as of anybody's edit.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from kit import reconcile, text
from kit.errors import BadNoteError, ConflictError, NotFoundError, Problem
from kit.vault import layout, note, plain
from kit.vault.amend import writable
from kit.vault.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from kit.index.catalog import Entry
    from kit.index.reflection import Index
    from kit.model.notes import Note
    from kit.vault.journal import Who
    from kit.vault.store import Store

_OWN = frozenset({"id", "kind", "status", "layer", "type", "route", "created", "updated", "completed"})
"""Keys whose values are the kit's own words."""
_NAMES = frozenset({"id", "ids", "act", "undoes", "code", "changes", "session", "origins", "run"})
"""Keys of a journal's line that name something; `changes` must stay the very bytes that an act writes."""
_SHORT = 20_000
"""Bytes up to which a note that was read is kept in mind."""
_LONG, _KEPT = 20_000, 4
"""Characters from which a cleaned text is kept in mind, and how many of these: whoever cleans ahead, cleans once."""
_HARMLESS = re.compile(r"\[\[[^\[\]]*\]\]|[^\W\d_]{0,14}")
"""Links, and single words of letters too short for a key."""


class Hand:
    """Writes to one vault."""

    def __init__(self, store: Store, index: Index, journal: Journal, *, redacts: bool = True) -> None:
        self.store, self.index = store, index
        self.journal: Journal = _CleanJournal(journal, self)
        self.redacts = redacts
        self._cleaned_long: dict[str, tuple[str, tuple[str, ...]]] = {}

    def cleaned(self, said: str) -> tuple[str, tuple[str, ...]]:
        """Take out of a text what no file may hold: what can't be written, and secrets; name their kinds."""
        held = writable(said).replace("\0", "\ufffd")
        if not self.redacts:
            return held, ()
        known = self._cleaned_long.get(held)
        if known:
            return known
        from kit.vault.redact import redact  # noqa: PLC0415 - its patterns take long, and only who writes needs them

        text_, kinds = redact(held)
        found = text_, tuple(sorted(set(kinds)))
        if len(held) >= _LONG:
            self._cleaned_long = dict([*self._cleaned_long.items(), (held, found)][-_KEPT:])
        return found

    def cleaned_front(self, front: Mapping[str, note.Value | None]) -> dict[str, note.Value | None]:
        """Take out of every text value of a front matter what no file may hold."""
        return {key: value if key in _OWN else self._cleaned_value(value) for key, value in front.items()}

    def cleaned_words(self, words: Sequence[str]) -> tuple[str, ...]:
        """Leave out the words that hold a secret: what remained of them would name nothing."""
        return tuple(word for word in words if self._cleaned_value(word) == word)

    def _cleaned_value(self, value: note.Value | None) -> note.Value | None:
        if isinstance(value, str):
            return value if _HARMLESS.fullmatch(value) else self.cleaned(value)[0]
        if isinstance(value, (list, tuple)):
            return tuple(each if _HARMLESS.fullmatch(each) else self.cleaned(each)[0] for each in value)
        return value

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
        return self.index.catalog.linked(link)

    def load(self, path: str) -> Note:
        """Read a note of ours; raise BadNoteError when it is none."""
        raw, _ = self.store.read(path)
        found = (_known if len(raw) <= _SHORT else _parsed)(raw, path)
        if found is None:
            raise BadNoteError(Problem(path, 1, "This note has no `kind`.", "Add `id` and `kind` to its front matter."))
        return found

    def look(self, path: str) -> Note:
        """Read a note of ours, or one of the person's own, which nobody may write."""
        raw, _ = self.store.read(path)
        return (_known if len(raw) <= _SHORT else _parsed)(raw, path) or plain.read(raw, path)

    def read_body(self, path: str) -> str:
        """Read the body of a note that is known to be well, which is quicker than to load it."""
        return note.read_body(self.store.read(path)[0], path)

    def create(self, path: str, front: Mapping[str, note.Value | None], body: str) -> str:
        """Write a new note; when the name is taken, the next free one. Return the path it got.

        Secrets are taken out of the front matter; the body is the caller's to clean.
        """
        raw = note.render(self.cleaned_front(front), body)
        stem = path.removesuffix(".md")
        for number in range(1, 1000):
            free = f"{stem}.md" if number == 1 else f"{stem} {number}.md"
            try:
                return self.store.create(free, raw)
            except ConflictError:
                continue
        raise ConflictError(f"There are a thousand notes named {path}.", "Rename some of them.")

    def create_alone(self, path: str, front: Mapping[str, note.Value | None], body: str) -> str:
        """Write a new note under this name only; raise ConflictError when it is taken."""
        return self.store.create(path, note.render(self.cleaned_front(front), body))

    def amend(self, path: str, changes: Mapping[str, note.Value | None], summary: str | None = None) -> None:
        """Change some keys of a note, and its first paragraph when given; nothing else."""
        clean = self.cleaned_front(changes)

        def change(raw: bytes) -> bytes:
            edited = note.edit(raw, clean, path)
            return edited if summary is None else note.set_summary(edited, summary)

        self.store.update(path, change)

    def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> bytes:
        """Change a note's bytes by a function that may be called again on a newer version; return what is there now."""
        return self.store.update(path, change)

    def move(self, path: str, new_path: str) -> str:
        """Move a note; return the path it has."""
        return self.store.move(path, new_path)

    def settle(self, *paths: str) -> None:
        """Bring the indexes in step with what was written."""
        reconcile.apply(self.store, self.index, paths)


class _CleanJournal(Journal):
    """The journal as the hand writes it: without secrets."""

    def __init__(self, journal: Journal, hand: Hand) -> None:
        super().__init__(hand.store)
        self._journal, self._hand = journal, hand

    def add(
        self, at: datetime, who: Who, what: str, note: str = "", why: str = "", *, durable: bool = True, **more: object
    ) -> None:
        """Add one line, its words cleaned."""
        clean = {key: value if key in _NAMES else self._clean(value) for key, value in more.items()}
        self._journal.add(at, who, what, note, str(self._clean(why)), durable=durable, **clean)

    def _clean(self, value: object) -> object:
        """Clean texts, also those in lists."""
        if isinstance(value, (list, tuple)):
            return [self._clean(each) for each in value]
        return self._hand.cleaned_front({"": value})[""] if isinstance(value, str) else value


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


def _parsed(raw: bytes, path: str) -> Note | None:
    return note.parse(raw, path, fallback_name=path.rsplit("/", 1)[-1].removesuffix(".md"))


_known = lru_cache(maxsize=64)(_parsed)  # notes are frozen, and those that were told last are read again
