"""What an act does to single files, as values: made from two states, turned round, told to and read from the journal.

Law: pure. A change holds whole lines, so that a person can read it and undo can put back the very bytes.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import RefusedError
from kit.vault.store import etag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Change(NamedTuple):
    """What happens to one file; the bytes as they were and as they will be differ in one stretch of lines."""

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
    """the new path, when the file moves instead; then `before` and `after` are the same"""


def difference(path: str, before: bytes, after: bytes) -> Change:
    """Name the lines that differ; raise RefusedError when they are no UTF-8."""
    start = before.rfind(b"\n", 0, _common(before, after)) + 1
    tail = _common(before[start:][::-1], after[start:][::-1])
    if not (_ends_line(before, start, tail) and _ends_line(after, start, tail)):
        end = before.find(b"\n", len(before) - tail)
        tail = 0 if end < 0 else len(before) - end - 1
    if before and after and (start + tail in (len(before), len(after))):
        start = _anchored(before, start)
    old, new = before[start : len(before) - tail], after[start : len(after) - tail]
    try:
        return Change(path, etag(before) if before else "", etag(after), start, old.decode(), new.decode())
    except UnicodeDecodeError:
        raise RefusedError(f"{path} is not UTF-8, so it was left alone.", "Save it again as UTF-8.") from None


def _anchored(raw: bytes, start: int) -> int:
    """Take the line above along, so that a place where lines only came or went can be found again."""
    above = raw.rfind(b"\n", 0, max(0, start - 1)) + 1
    try:
        raw[above:start].decode()
    except UnicodeDecodeError:
        return start
    return above


def _ends_line(raw: bytes, start: int, tail: int) -> bool:
    end = len(raw) - tail
    return end == start or raw[end - 1 : end] == b"\n"


def _common(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def applied(change: Change, raw: bytes) -> bytes:
    """Make a change in the bytes it was made for."""
    return raw[: change.at] + change.new.encode() + raw[change.at + len(change.old.encode()) :]


def reapplied(change: Change, raw: bytes) -> bytes | None:
    """Make a change in bytes that a person has changed since; None where its place can't be told."""
    old, new = change.old.encode(), change.new.encode()
    if new and raw.count(new) == 1 and (not old or old in new or old not in raw):
        return raw
    if old and raw.count(old) == 1:
        return raw.replace(old, new)
    return None


def merged(change: Change, raw: bytes) -> bytes | None:
    """Make a change, line by line, in bytes that a person has changed since; None where they changed its own lines."""
    old, new = change.old.encode().splitlines(keepends=True), change.new.encode().splitlines(keepends=True)
    here = raw.splitlines(keepends=True)
    at: dict[int, int] = {}
    for i, j, size in SequenceMatcher(None, old, here, autojunk=False).get_matching_blocks():
        at.update((i + step, j + step) for step in range(size))
    for _, first, end, into, to in reversed(_hunks(old, new)):
        above, below = at.get(first - 1), at.get(end)
        if first == end:
            place = above + 1 if above is not None else below
            if place is None:
                return None
        else:
            place = at.get(first, -1)
            is_whole = [at.get(line) for line in range(first, end)] == list(range(place, place + end - first))
            is_there = above == place - 1 or below == place + end - first or _times(old[first:end], here) == 1
            if not (is_whole and is_there):
                return None
        here[place : place + end - first] = new[into:to]
    return b"".join(here)


def _hunks(old: list[bytes], new: list[bytes]) -> list[tuple[str, int, int, int, int]]:
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [hunk for hunk in found if hunk[0] != "equal"]


def _times(lines: list[bytes], here: list[bytes]) -> int:
    return sum(here[at : at + len(lines)] == lines for at in range(len(here)))


def inverse(plan: Sequence[Change]) -> list[Change]:
    """Turn a plan round: its changes taken back, the last one first."""
    return [
        Change(change.moved, change.after, change.before, moved=change.path)
        if change.moved
        else Change(change.path, change.after, change.before, change.at, change.new, change.old)
        for change in reversed(plan)
    ]


def paths(plan: Sequence[Change]) -> tuple[str, ...]:
    """List the files of a plan, old and new places alike."""
    return tuple(dict.fromkeys(path for change in plan for path in (change.path, change.moved) if path))


def plain(change: Change) -> dict[str, object]:
    """Write a change for the journal."""
    return {name: value for name, value in change._asdict().items() if value not in ("", 0)}


def plan_of(entry: Mapping[str, object]) -> list[Change]:
    """Read the plan of a journal's line; empty when it has none."""
    found = entry.get("changes")
    return [_change(each) for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _change(told: Mapping[str, object]) -> Change:
    at = told.get("at", 0)
    words = {name: str(told.get(name, "")) for name in ("path", "before", "after", "old", "new", "moved")}
    return Change(**words, at=at if isinstance(at, int) else 0)
