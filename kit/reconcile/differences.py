"""What lies in a vault against what the catalog knows: which files are new, changed or gone."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from kit.errors import Problem
from kit.vault import layout, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from contextlib import AbstractContextManager

    from kit.index.reflection import Index
    from kit.vault.store import Store
    from kit.vault.walk import Stat

_MOST = 2**63
_AT_ONCE = 900
"""Files that are looked up in one go: some 5 ms."""


def differs(store: Store, index: Index, most: int) -> bool:
    """Tell whether more than `most` files are not as the catalog knows them; it looks no further than it must."""
    known = {path: tuple(stat) for path, *stat in index.catalog.stats()}
    changed = 0
    for path, stat in walk.walk(store.root):
        changed += layout.is_note(path) and known.pop(path, None) != fit(stat)
        if changed > most:
            return True
    return changed + len(known) > most


def walk_notes(store: Store, folder: str) -> tuple[walk.Walk, dict[str, Stat], list[Problem]]:
    """Find the notes in a folder, '' for the whole vault, and what keeps others from being read."""
    seen = walk.walk(store.root, under=folder)
    files = {path: stat if stat.ino < _MOST else fit(stat) for path, stat in seen if layout.is_note(path)}
    odd = [path for path in files if not path.isascii() and not is_utf8(path)]
    for path in odd:
        del files[path]
    return seen, files, _faults(seen, odd)


def _faults(seen: walk.Walk, odd: Collection[str]) -> list[Problem]:
    """List what kept a walk from seeing all, and files of `odd` names."""
    faults = [
        *seen.errors, *seen.skipped,
        *(Problem(path, 0, "Its name is not UTF-8, so it can't be read.", "Rename the file.") for path in odd),
    ]  # fmt: skip
    return [fault._replace(path=fault.path.encode(errors="replace").decode()) for fault in faults]


def compare(
    store: Store, index: Index, owner: Callable[[], AbstractContextManager[object]]
) -> tuple[dict[str, Stat | None], list[Problem]]:
    """Find what `differences` would, and faults; the index is had for some hundred files at a time.

    What changes meanwhile may be missing, or be listed for nothing: whoever takes a difference up looks at it again.
    """
    seen, odd, found = walk.walk(store.root), list[str](), dict[str, "Stat | None"]()
    with owner():
        met = bytearray(index.catalog.last_number() + 1)
    notes = ((path, fit(stat)) for path, stat in seen if layout.is_note(path))
    while part := dict(islice(notes, _AT_ONCE)):
        odd += (strange := [path for path in part if not path.isascii() and not is_utf8(path)])
        for path in strange:
            del part[path]
        with owner():
            for num, path, *known in index.catalog.stats_of(part):
                if num < len(met):
                    met[num] = True
                if list(part[path]) == known:
                    del part[path]
        found |= part
    with owner():
        missing = index.catalog.count_until(len(met)) > met.count(True)
    at = 0
    while missing:
        with owner():
            rows = index.catalog.paths_after(at, _AT_ONCE)
        found |= {path: None for num, path in rows if num < len(met) and not met[num] and seen.covers(path)}
        missing, at = len(rows) == _AT_ONCE, rows[-1][0] if rows else at
    return found, _faults(seen, odd)


def is_utf8(path: str) -> bool:
    """Tell whether a path can be written down."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def fit(stat: Stat) -> Stat:
    """Make the file number one that SQLite can hold: some network disks use all 64 bits."""
    return stat if stat.ino < _MOST else stat._replace(ino=stat.ino % _MOST)


def look_at(store: Store, path: str) -> Stat | None:
    """Look at a file; None when it is not there."""
    return looker(store)(path)


def looker(store: Store) -> Callable[[str], Stat | None]:
    """Look at many files at once."""
    look = walk.looker(store.root)
    return lambda path: stat if (stat := look(path)) is None else fit(stat)


def differences(index: Index, files: Mapping[str, Stat], seen: walk.Walk) -> dict[str, Stat | None]:
    """List the files that are not as the catalog knows them; None for those that are gone."""
    found: dict[str, Stat | None] = {}
    same: set[str] = set()
    for path, *known in index.catalog.stats():  # one after the other: all together would take 40 MB per 100,000
        stat = files.get(path)
        if stat is None:
            if seen.covers(path):
                found[path] = None
        elif list(stat) == known:
            same.add(path)
    if len(same) < len(files):
        found |= {path: stat for path, stat in files.items() if path not in same}
    return found
