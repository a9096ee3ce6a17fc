"""An act of governance over several notes: all of it or nothing, written down so that it can be taken back.

Law: the plan stands in the journal, durably, before the first byte changes; so a crash between two files is
finished at the next start. An act is undone only while the notes are still as it left them: the person wins.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import ConflictError, KitError, NotFoundError, RefusedError
from kit.govern import hand as hands
from kit.vault import layout, note
from kit.vault.store import etag

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.vault.journal import Entry, Who

TAKEN_BACK = layout.ARCHIVE + "/undone"
"""Where the notes go that an act had made, when it is undone."""


class Change(NamedTuple):
    """What happens to one file; the bytes as they were and as they will be differ in one stretch."""

    path: str
    before: str
    """etag before; '' for a note that is made"""
    after: str
    """etag after; '' for a note that goes away"""
    at: int = 0
    """bytes both have in common at the start"""
    old: str = ""
    new: str = ""
    moved: str = ""
    """the new path, when the file moves instead"""


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
        """Read a note as it will be after the changes gathered so far; b'' for one that is not there."""
        if path in self._files:
            return self._files[path][1]
        return self._hand.store.read(path)[0]

    def amend(self, path: str, changes: Mapping[str, note.Value | None]) -> None:
        """Change some keys of a note."""
        self.rewrite(path, note.edit(self.read(path), changes, path))

    def rewrite(self, path: str, raw: bytes) -> None:
        """Give a note other bytes."""
        before = self._files[path][0] if path in self._files else self._hand.store.read(path)[0]
        self._files[path] = (before, raw)

    def create(self, path: str, front: Mapping[str, note.Value | None], body: str) -> None:
        """Make a note."""
        self._files[path] = (b"", note.render(front, body))

    def move(self, path: str, new_path: str) -> None:
        """Move a note."""
        self._moves[path] = new_path

    def changes(self) -> list[Change]:
        """List what would be done: the dry run."""
        found = [_difference(path, *both) for path, both in sorted(self._files.items()) if both[0] != both[1]]
        for path, new_path in self._moves.items():
            tag = self._hand.store.read(path)[1]
            found.append(Change(path, tag, etag(self.read(path)), moved=new_path))
        return found

    def commit(self, **more: object) -> Done | None:
        """Write the plan down, then do it; None when there is nothing to do."""
        plan = self.changes()
        if not plan:
            return None
        act = secrets.token_hex(6)
        self._hand.journal.add(
            self._at, self._who, self._what, self._subject, self._why, durable=True,
            **{"act": act, "changes": [_plain(change) for change in plan], **more},
        )  # fmt: skip
        carry_out(self._hand, plan)
        if len(plan) > 1:
            self._hand.journal.add(self._at, self._who, "done", act=act)
        touched = tuple(dict.fromkeys(path for change in plan for path in (change.path, change.moved) if path))
        self._hand.settle(*touched)
        return Done(act, self._what, touched)


def carry_out(hand: Hand, plan: list[Change]) -> None:
    """Make the changes of a plan; those already made are passed over, those a person made impossible raise."""
    for change in plan:
        _refuse_stale(hand, change)
    with hand.store.batch():
        for change in plan:
            _carry_out(hand, change)


def _refuse_stale(hand: Hand, change: Change) -> None:
    current = _etag(hand, change.path)
    if current not in (change.before, change.after) and not (change.moved and _etag(hand, change.moved)):
        raise ConflictError(f"{change.path} was changed meanwhile.", "Nothing was done; try again.")


def _carry_out(hand: Hand, change: Change) -> None:
    current = _etag(hand, change.path)
    if change.moved:
        if current:
            hand.move(change.path, change.moved)
        return
    if current == change.after:
        return
    if not change.before:
        hand.store.create(change.path, change.new.encode())
    elif not change.after:
        hand.move(change.path, f"{TAKEN_BACK}/{change.path}")
    else:
        raw = hand.store.read(change.path)[0]
        end = change.at + len(change.old.encode("utf-8", "surrogateescape"))
        new = raw[: change.at] + change.new.encode("utf-8", "surrogateescape") + raw[end:]
        hand.store.replace(change.path, new, change.before)


def undo(hand: Hand, now: datetime, who: Who, act: str = "") -> Done:
    """Take an act back, the newest that can be when none is named, as long as its notes are as it left them."""
    entry = _find(hand, act)
    plan = [_inverse(_change(each)) for each in reversed(_changes(entry))]
    for change in plan:
        current = _etag(hand, change.path)
        if current != change.before:
            raise ConflictError(
                f"{change.path} was changed since, so '{entry['what']}' can't be taken back.",
                "Change the notes by hand, or take the later change back first.",
            )
    hand.journal.add(
        hands.day(now), who, "undo", str(entry.get("note", "")), str(entry["what"]), act=secrets.token_hex(6),
        undoes=entry["act"], changes=[_plain(change) for change in plan],
    )  # fmt: skip
    carry_out(hand, plan)
    touched = tuple(dict.fromkeys(path for change in plan for path in (change.path, change.moved) if path))
    hand.settle(*touched)
    return Done(str(entry["act"]), str(entry["what"]), touched)


def finish_begun(hand: Hand, lines: int = 200) -> list[str]:
    """Finish acts that a crash cut short; return the ids of those that were, or can't be any more."""
    done: set[str] = set()
    finished: list[str] = []
    for number, entry in enumerate(hand.journal.entries(newest_first=True)):
        if number == lines:
            break
        act = str(entry.get("act", ""))
        if entry["what"] == "done":
            done.add(act)
        elif act and act not in done and len(_changes(entry)) > 1:
            plan = [_change(each) for each in _changes(entry)]
            if any(_is_open(hand, change) for change in plan):
                try:
                    carry_out(hand, plan)
                except KitError:
                    continue
                finished.append(act)
                hand.settle(*(path for change in plan for path in (change.path, change.moved) if path))
    return finished


def _is_open(hand: Hand, change: Change) -> bool:
    current = _etag(hand, change.path)
    return bool(current) if change.moved else current == change.before != change.after


def _find(hand: Hand, act: str) -> Entry:
    undone: set[object] = set()
    for entry in hand.journal.entries(newest_first=True):
        if "undoes" in entry:
            undone.add(entry["undoes"])
        if not _changes(entry) or entry["what"] == "undo":
            continue
        if act in ("", entry["act"]) and entry["act"] not in undone:
            return entry
        if act == entry["act"]:
            raise RefusedError(f"The act {act} has been taken back already.")
    raise NotFoundError(
        f"No act '{act}' is in the journal." if act else "There is nothing to take back.", "`memkit log` shows acts."
    )


def _difference(path: str, before: bytes, after: bytes) -> Change:
    """Cut what both have in common off both ends, on whole characters."""
    if not before:
        return Change(path, "", etag(after), new=after.decode())
    start = _common(before, after)
    tail = _common(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - tail], after[start : len(after) - tail]
    while not _whole(old) or not _whole(new):
        if start and not _starts(before, start):
            start -= 1
        else:
            tail -= 1
        old, new = before[start : len(before) - tail], after[start : len(after) - tail]
    return Change(path, etag(before), etag(after), start, old.decode(), new.decode())


def _common(one: bytes, other: bytes) -> int:
    size = min(len(one), len(other))
    low, high = 0, size
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _starts(raw: bytes, at: int) -> bool:
    return at >= len(raw) or raw[at] & 0xC0 != 0x80  # noqa: PLR2004 - UTF-8's mark of a byte inside a character


def _whole(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _inverse(change: Change) -> Change:
    if change.moved:
        return Change(change.moved, change.after, change.before, moved=change.path)
    return Change(change.path, change.after, change.before, change.at, change.new, change.old)


def _etag(hand: Hand, path: str) -> str:
    try:
        return hand.store.read(path)[1]
    except NotFoundError:
        return ""


def _plain(change: Change) -> dict[str, object]:
    return {name: value for name, value in change._asdict().items() if value not in ("", 0)}


def _changes(entry: Entry) -> list[dict[str, object]]:
    found = entry.get("changes")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _change(plain: dict[str, object]) -> Change:
    at = plain.get("at", 0)
    words = {name: str(plain.get(name, "")) for name in ("path", "before", "after", "old", "new", "moved")}
    return Change(**words, at=at if isinstance(at, int) else 0)
