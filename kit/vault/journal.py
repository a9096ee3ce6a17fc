"""The append-only record of what was done to the memory and why: one JSON object a line, a file a month.

Law: lines are only added, by `govern` alone; a torn line (power loss) is skipped by readers, never mended.
"""

from __future__ import annotations

import json
import stat
import sys
from itertools import islice
from typing import TYPE_CHECKING, Literal

from kit.vault import disk, layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from kit.vault.store import Store

Who = Literal["recall", "hook", "learn", "maintain", "person"]
Entry = dict[str, object]


class Journal:
    """Adds to and reads the journal of one vault."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(
        self, at: datetime, who: Who, what: str, note: str = "", why: str = "", *, durable: bool = True, **more: object
    ) -> None:
        """Add one line; `durable` waits for the disk (recalls do not)."""
        entry: Entry = {"at": at.isoformat(timespec="seconds"), "who": who, "what": what}
        entry |= {key: value for key, value in {"note": note, "why": why, **more}.items() if value not in ("", None)}
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        self._store.append(layout.journal_path(at), line, durable=durable)

    def months(self) -> list[str]:
        """List the journal's files, oldest first."""
        return months(self._store.root)

    def entries(self, *, newest_first: bool = False) -> Iterator[Entry]:
        """Read every line in order; lines that are no JSON object are passed over.

        Raises UnavailableError when a month can't be read.
        """
        for path in sorted(self.months(), reverse=newest_first):
            with disk.told(path):
                raw = (self._store.root / path).read_bytes()
            for line in (line for _, line in _backwards(raw)) if newest_first else raw.splitlines():
                entry = _entry(line)
                if entry is not None:
                    yield entry

    def backwards(
        self, place: str = "", holding: tuple[bytes, ...] = (), most: int = sys.maxsize
    ) -> Iterator[tuple[str, Entry]]:
        """Read lines newest first from a place on, '' for the end; each with the place behind which it stands.

        With `holding` only lines that hold one of these bytes are read; `most` lines are looked at. A place stays right
        while lines are added. Raise ValueError for what is none.
        """
        month, _, offset = place.partition(":")
        if place and not (month.removesuffix(".jsonl").replace("-", "").isdecimal() and offset.isdecimal()):
            raise ValueError(place)
        return self._backwards(month, int(offset or 0), holding, most)

    def _backwards(self, month: str, offset: int, holding: tuple[bytes, ...], most: int) -> Iterator[tuple[str, Entry]]:
        for path in sorted(self.months(), reverse=True):
            name = path.rpartition("/")[2]
            if month and name > month:
                continue
            if most <= 0:
                return
            with disk.told(path):
                raw = (self._store.root / path).read_bytes()
            raw = raw[:offset] if name == month else raw
            if holding and not any(each in raw for each in holding):
                most -= raw.count(b"\n")
                continue
            for start, line in islice(_backwards(raw), most):
                most -= 1
                entry = _entry(line) if not holding or any(each in line for each in holding) else None
                if entry is not None:
                    yield f"{name}:{start}", entry


def months(root: Path) -> list[str]:
    """List the files of a vault's journal, oldest first; a link or a pipe of such a name is none of them."""
    folder = root / layout.JOURNAL
    if not folder.resolve().is_relative_to(root.resolve()):
        return []
    ordinary = (stat.S_IFREG, stat.S_IFDIR)  # a folder can't be read, and that is told
    files = (file for file in folder.glob("*.jsonl") if stat.S_IFMT(file.lstat().st_mode) in ordinary)
    return sorted(f"{layout.JOURNAL}/{file.name}" for file in files)


def _backwards(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Cut lines off the end, one by one, each with where it begins: whoever wants the newest few pays for those."""
    end = len(raw) - raw.endswith(b"\n")
    while end > 0:
        start = raw.rfind(b"\n", 0, end)
        yield start + 1, raw[start + 1 : end]
        end = start


def _entry(line: bytes) -> Entry | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):  # lists in lists without end
        return None
    return found if isinstance(found, dict) else None
