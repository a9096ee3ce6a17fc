"""What lies in a vault against what the catalog knows: which files are new, changed or gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.errors import Problem
from kit.vault import layout, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kit.index.reflection import Index
    from kit.vault.store import Store
    from kit.vault.walk import Stat

_MOST = 2**63


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
    faults = [
        *seen.errors, *seen.skipped,
        *(Problem(path, 0, "Its name is not UTF-8, so it can't be read.", "Rename the file.") for path in odd),
    ]  # fmt: skip
    for path in odd:
        del files[path]
    return seen, files, [fault._replace(path=fault.path.encode(errors="replace").decode()) for fault in faults]


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
