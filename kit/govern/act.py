"""An act of governance over several notes: all of it or nothing, written down so that it can be taken back.

Law: the plan stands in the journal, durably, before the first byte changes; so a crash between two files is
finished, or taken back, at the next start (`undo`).
"""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import ConflictError, NotFoundError
from kit.govern import carry
from kit.govern import changes as parts
from kit.govern import hand as hands
from kit.govern.changes import Change
from kit.vault import note
from kit.vault.store import etag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Note
    from kit.vault.journal import Who

MACHINE = ("learn", "maintain")
"""Who never writes to a note that a person has just saved."""


class Done(NamedTuple):
    """An act that took place."""

    act: str
    what: str
    paths: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    """acts that a bare undo passed over, each with the reason"""


class Act:
    """Gathers changes, then makes them; nothing is written before `commit`."""

    def __init__(self, hand: Hand, now: datetime, who: Who, what: str, subject: str = "", why: str = "") -> None:
        self._hand, self._at, self._who = hand, hands.day(now), who
        self._what, self._subject, self._why = what, subject, why
        self._files: dict[str, tuple[bytes, bytes]] = {}
        self._moves: dict[str, str] = {}

    def read(self, path: str) -> bytes:
        """Read a note as it will be after the changes gathered so far."""
        if path in self._files:
            return self._files[path][1]
        return self._hand.store.read(path)[0]

    def load(self, path: str) -> Note | None:
        """Read a note of ours as it will be; None for a plain one."""
        return note.parse(self.read(path), path, fallback_name=path.rsplit("/", 1)[-1].removesuffix(".md"))

    def amend(self, path: str, changes: Mapping[str, note.Value | None]) -> None:
        """Change some keys of a note."""
        clean = self._hand.cleaned_front(changes)
        self.rewrite(path, lambda raw: note.edit(raw, clean, path))

    def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> None:
        """Change the bytes of a note; what no file may hold is the caller's to take out."""
        raw = self.read(path)
        before = self._files[path][0] if path in self._files else raw
        self._files[path] = (before, change(raw))

    def create(self, path: str, front: Mapping[str, note.Value | None], body: str) -> str:
        """Make a note; where its name is taken, under the next free one. Return the path it gets."""
        free = self._free(path)
        self._files[free] = (b"", note.render(self._hand.cleaned_front(front), self._hand.cleaned(body)[0]))
        return free

    def move(self, path: str, new_path: str) -> None:
        """Move a note."""
        self._moves[path] = new_path

    def _free(self, path: str) -> str:
        stem = path.removesuffix(".md")
        for number in range(1, 1000):
            free = f"{stem}.md" if number == 1 else f"{stem} {number}.md"
            if free not in self._files and not (self._hand.store.root / free).exists():
                return free
        raise ConflictError(f"There are a thousand notes named {path}.", "Rename some of them.")

    def changes(self) -> list[Change]:
        """List what would be done: the dry run."""
        found = [parts.difference(path, *both) for path, both in sorted(self._files.items()) if both[0] != both[1]]
        for path, new_path in self._moves.items():
            tag = etag(self.read(path))
            found.append(Change(path, tag, tag, moved=new_path))
        return found

    def commit(self, **more: object) -> Done | None:
        """Write the plan down, then do it; None when there is nothing to do.

        Raise ConflictError, with everything as it was, when a note was changed or its place taken meanwhile.
        """
        plan = self.changes()
        if not plan:
            return None
        _refuse_foreign(plan, carry.stages(self._hand, plan))
        if self._who in MACHINE:
            _refuse_fresh(self._hand, plan)
        act = secrets.token_hex(6)
        self._hand.journal.add(
            self._at, self._who, self._what, self._subject, self._why, durable=True,
            **{"act": act, "changes": [parts.plain(change) for change in plan], **more},
        )  # fmt: skip
        carry.carry_out(self._hand, act, plan, self._at, self._who)
        return Done(act, self._what, parts.paths(plan))


def _refuse_foreign(plan: Sequence[Change], stages: Sequence[str]) -> None:
    for change, stage in zip(plan, stages, strict=True):
        if stage != "due":
            raise ConflictError(f"{change.path} was changed meanwhile.", "Nothing was done; try again.")


def _refuse_fresh(hand: Hand, plan: Sequence[Change]) -> None:
    """Leave a note alone that a person has saved a moment ago: their editor may still hold it."""
    for change in plan:
        with suppress(NotFoundError):
            if change.before and hand.store.recently_touched(change.path, time.time()):
                raise ConflictError(f"{change.path} was saved a moment ago.", "Nothing was done; try again later.")
