"""An act of governance over several notes: all of it or nothing, written down so that it can be taken back.

Law: the plan stands in the journal, durably, before the first byte changes; so a crash between two files is
finished, or taken back, at the next start. An act is undone only while the notes are as it left them: the person wins.
"""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import BadNoteError, ConflictError, KitError, NotFoundError, RefusedError
from kit.govern import changes as parts
from kit.govern import hand as hands
from kit.govern.changes import Change
from kit.vault import layout, note
from kit.vault.store import etag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Note
    from kit.vault.journal import Entry, Who

__all__ = ["Act", "Change", "Done", "finish_begun", "undo"]

TAKEN_BACK = layout.ARCHIVE + "/undone"
"""Where the notes go that an act had made, when it is undone."""
MACHINE = ("learn", "maintain")
"""Who never writes to a note that a person has just saved."""
LINES = 200
"""Newest lines of the journal among which an act may be that a crash cut short."""


class Done(NamedTuple):
    """An act that took place."""

    act: str
    what: str
    paths: tuple[str, ...]


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
        _refuse_foreign(plan, _stages(self._hand, plan))
        if self._who in MACHINE:
            _refuse_fresh(self._hand, plan)
        act = secrets.token_hex(6)
        self._hand.journal.add(
            self._at, self._who, self._what, self._subject, self._why, durable=True,
            **{"act": act, "changes": [parts.plain(change) for change in plan], **more},
        )  # fmt: skip
        _carry_out(self._hand, act, plan, self._at, self._who)
        return Done(act, self._what, parts.paths(plan))


def undo(hand: Hand, now: datetime, who: Who, act: str = "", *, partly: bool = False, dry_run: bool = False) -> Done:
    """Take an act back, the person's newest when none is named, as long as its notes are as it left them.

    An undo is an act too: named, it is taken back itself. `partly` leaves alone the notes that were changed since;
    `dry_run` only tells.
    """
    entry = _find(hand, act)
    if not act and "run" in entry:
        raise RefusedError("The newest act is an import of many notes.", "Take it back with `memkit import --undo`.")
    plan = parts.inverse(parts.plan_of(entry))
    if any(not (change.before or change.new or change.moved) for change in plan):
        raise RefusedError("What an import brought can't be made from the journal.", "Import it again.")
    stages = _stages(hand, plan, lenient=partly)
    if partly:
        plan = [change for change, stage in zip(plan, stages, strict=True) if stage == "due"]
        stages = ["due"] * len(plan)
    for change, stage in zip(plan, stages, strict=True):
        if stage != "due":
            raise ConflictError(
                f"{change.path} was changed since, so '{entry['what']}' can't be taken back.",
                "Change the notes by hand, or take the later change back first.",
            )
    if dry_run:
        return Done("", f"undo {entry['what']}", parts.paths(plan))
    fresh = secrets.token_hex(6)
    hand.journal.add(
        hands.day(now), who, "undo", str(entry.get("note", "")), str(entry["what"]), act=fresh,
        undoes=entry["act"], changes=[parts.plain(change) for change in plan],
    )  # fmt: skip
    _carry_out(hand, fresh, plan, hands.day(now), who)
    return Done(fresh, f"undo {entry['what']}", parts.paths(plan))


def finish_begun(hand: Hand, now: datetime) -> list[str]:
    """Finish acts that a crash cut short, or take them back where a person has made that impossible; name them."""
    closed: set[str] = set()
    begun: list[Entry] = []
    for number, entry in enumerate(hand.journal.entries(newest_first=True)):
        if number == LINES:
            break
        act = str(entry.get("act", ""))
        if entry.get("what") in ("done", "abandoned"):
            closed.add(act)
        elif act and act not in closed and "run" not in entry and parts.plan_of(entry):
            begun.append(entry)  # what is imported was whole before its line was written
    for entry in reversed(begun):
        with suppress(KitError):  # what can't be finished was taken back as far as it goes, and is closed
            _finish(hand, str(entry["act"]), parts.plan_of(entry), hands.day(now))
    return [str(entry["act"]) for entry in reversed(begun)]


def _finish(hand: Hand, act: str, plan: list[Change], at: datetime) -> None:
    stages = _stages(hand, plan)
    made = [change for change, stage in zip(plan, stages, strict=True) if stage == "made"]
    mended: list[Change] = []
    for change, stage in zip(plan, stages, strict=True):
        again = _rebased(hand, change) if stage == "foreign" else change
        if again is None:
            _take_back(hand, made)
            _close(hand, act, plan, at, "abandoned")
            return
        if stage == "due" or (stage == "foreign" and (again.old or again.new)):
            mended.append(again)
    try:
        _carry_out(hand, act, mended, at, "maintain")
    except KitError:
        _take_back(hand, made)
        raise
    finally:
        _settle(hand, parts.paths(plan))


def _rebased(hand: Hand, change: Change) -> Change | None:
    """Fit a change to a note that a person has changed since the crash."""
    if change.moved or not change.before or not change.after or not _etag(hand, change.path):
        return None
    raw = hand.store.read(change.path)[0]
    fresh = parts.reapplied(change, raw)
    return None if fresh is None else parts.difference(change.path, raw, fresh)


def _carry_out(hand: Hand, act: str, plan: Sequence[Change], at: datetime, who: Who) -> None:
    """Make all changes of a plan; when one fails, take those already made back and raise."""
    made: list[Change] = []
    try:
        with hand.store.batch():
            for change in plan:
                _make(hand, change)
                made.append(change)
    except KitError:
        _take_back(hand, made)
        _close(hand, act, plan, at, "abandoned", who)
        raise
    _close(hand, act, plan, at, "done", who)


def _close(hand: Hand, act: str, plan: Sequence[Change], at: datetime, what: str, who: Who = "maintain") -> None:
    hand.journal.add(at, who, what, act=act, durable=False)
    _settle(hand, parts.paths(plan))


def _settle(hand: Hand, touched: Sequence[str]) -> None:
    """Bring the indexes in step; what an act writes needs no other note to follow it."""
    pool = hand.index.pool
    owed = pool.owed()
    hand.settle(*touched)
    if pool.owed() != owed:
        with hand.index.changing():
            pool.set_owed(owed)


def _take_back(hand: Hand, made: Sequence[Change]) -> None:
    for change in parts.inverse(made):
        with suppress(KitError):  # a note that a person has changed meanwhile stays theirs
            _make(hand, change)


def _make(hand: Hand, change: Change) -> None:
    if change.moved:
        hand.move(change.path, change.moved)
    elif not change.before:
        hand.store.create(change.path, change.new.encode())
    elif not change.after:
        away = f"{TAKEN_BACK}/{change.path}"
        if (hand.store.root / away).exists():
            away = f"{away.removesuffix('.md')} {secrets.token_hex(3)}.md"
        hand.move(change.path, away)
    else:
        raw = hand.store.read(change.path)[0]
        hand.store.replace(change.path, parts.applied(change, raw), change.before)


def _stages(hand: Hand, plan: Sequence[Change], *, lenient: bool = False) -> list[str]:
    """Tell of each change whether it is due, made, or foreign: its note is neither as before nor as after.

    `lenient` takes a note that can't be read for foreign, in place of raising.
    """
    now: dict[str, str] = {}
    known: dict[str, set[str]] = {}
    moved = {change.path: change.moved for change in plan if change.moved}
    for change in plan:
        for path in (change.path, change.moved):
            now.setdefault(path, _etag(hand, path, lenient=lenient) if path else "")
            known.setdefault(path, set()).update((change.before, change.after))
    found: list[str] = []
    for change in plan:
        here = now[change.path]
        if change.moved:
            there = now[change.moved]
            if here == change.before and not there:
                found.append("due")
                now[change.path], now[change.moved] = "", here
            else:
                found.append("made" if not here and there in known[change.moved] - {""} else "foreign")
        elif here == change.before:
            found.append("due")
            now[change.path] = change.after
        else:
            away = now[moved[change.path]] if not here and change.path in moved else here
            found.append("made" if away == change.after else "foreign")
    return found


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


def _find(hand: Hand, act: str) -> Entry:
    undone: set[object] = set()
    failed: set[object] = set()
    for entry in hand.journal.entries(newest_first=True):
        name = entry.get("act")
        if entry.get("what") == "abandoned":
            failed.add(name)
        if not parts.plan_of(entry) or name in failed:
            continue
        if "undoes" in entry and name not in undone:
            undone.add(entry["undoes"])
        if act == name and name in undone:
            raise RefusedError(f"The act {act} has been taken back already.", "`memkit log` shows acts.")
        newest = not act and entry.get("who") == "person" and "undoes" not in entry and name not in undone
        if act == name or newest:
            return entry
    raise NotFoundError(
        f"No act '{act}' is in the journal." if act else "There is no act of yours to take back.",
        "`memkit log --json` shows acts with their names.",
    )


def _etag(hand: Hand, path: str, *, lenient: bool = False) -> str:
    try:
        return hand.store.read(path)[1]
    except NotFoundError:
        return ""
    except (BadNoteError, RefusedError):
        if lenient:
            return "unread"
        raise
