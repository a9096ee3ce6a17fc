"""Files read as notes, here or ahead of whoever applies them.

Law: what was read is believed only of the file as it was then: stat and time go with it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kit import distil
from kit.errors import BadNoteError, KitError, NotFoundError, Problem, RefusedError, UnavailableError
from kit.vault import note, plain, walk
from kit.vault.walk import Stat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kit.distil import Gist
    from kit.index.catalog import Entry
    from kit.vault.store import Store

    Reads = Callable[[list["Piece"]], Iterator[Mapping[str, "Read"]]]
    """Reads pieces by `read_all`, in their order"""

_UNREAD = "unread "
PORTION = 100
"""Notes in a portion: read ahead while others get at the indexes, who then wait for some 30 ms."""
RACY_NS = 2_000_000_000
"""A file read this soon after it was written may change again within the same time stamp (git's racy rule)."""
Piece = list[tuple[str, Stat]]
"""Files to be read in one go"""
_AGAIN = -1
"""A file time no file has: the file is read again at the next look."""


class Read(NamedTuple):
    """A file as it was when it was read."""

    etag: str
    stat: Stat
    at_ns: int
    """when that was"""
    plain_notes: bool
    """whether the person's own notes were to be found then"""
    note: Gist | None = None
    problems: tuple[Problem, ...] = ()
    broken: bool = False

    @property
    def known(self) -> Stat:
        """What the catalog may believe of the file's times: a file just written is looked at again."""
        is_racy = self.at_ns - self.stat.mtime_ns < RACY_NS
        return self.stat._replace(mtime_ns=_AGAIN) if is_racy or self.etag.startswith(_UNREAD) else self.stat


def is_still(store: Store, entry: Entry | None, path: str, stat: Stat) -> bool:
    """Tell whether a file that was written just now holds what the catalog knows: by its bytes, its time can't tell.

    So what the kit writes itself is not taken up a second time. False where that is not certain, or the time counts.
    """
    if entry is None or (entry.mtime_ns, entry.size, entry.ino) != (_AGAIN, stat.size, stat.ino):
        return False
    if time.time_ns() - stat.mtime_ns >= RACY_NS or not distil.is_dated(entry.id):
        return False
    with suppress(KitError):
        return store.read(path)[1] == entry.etag
    return False


class Known(Protocol):
    """What was read ahead."""

    def get(self, path: str, /) -> Read | None:
        """Find what was read of a file."""


NOTHING: Mapping[str, Read] = {}


def read_all(store: Store, piece: Piece) -> dict[str, Read]:
    """Read files that will be looked at once more before what was read is believed; without those that are gone."""
    found: dict[str, Read] = {}
    for path, stat in piece:
        with suppress(NotFoundError):
            found[path] = read_one(store, path, stat)
    return found


class Ahead:
    """What is read ahead for a scan, taken up piece by piece in the order in which it is asked for."""

    def __init__(self, stats: Mapping[str, Stat | None], reads: Reads) -> None:
        there = [(path, stat) for path in sorted(stats) if (stat := stats[path])]
        self._left = {path for path, _ in there}
        self._held: dict[str, Read] = {}
        self._pieces = iter(reads([there[at : at + PORTION] for at in range(0, len(there), PORTION)]))

    def get(self, path: str) -> Read | None:
        """Take what was read, once; None for what was not."""
        while path in self._left and path not in self._held:
            piece = next(self._pieces, None)
            if piece is None:
                return None
            self._held |= piece
        self._left.discard(path)
        return self._held.pop(path, None)


def read_one(store: Store, path: str, stat: Stat) -> Read:
    """Read a file as a note, a plain note, or a problem; NotFoundError when it has gone meanwhile."""
    name, now, plain_notes = path.rsplit("/", 1)[-1], time.time_ns(), store.plain_notes
    try:
        raw, etag = store.read(path)
    except BadNoteError as error:
        return Read(f"too large {stat}", stat, now, plain_notes, None, (error.problem,), broken=True)
    except (RefusedError, UnavailableError) as error:
        problem = Problem(path, 0, error.what, error.mend)
        return Read(f"{_UNREAD}{stat}", stat, now, plain_notes, None, (problem,), broken=True)
    if walk.conflict_copy(name):
        problem = Problem(
            path, 0, "A sync tool left this conflict copy.", "Merge what you want to keep, then delete it."
        )
        return Read(etag, stat, now, plain_notes, None, (problem,))
    try:
        found = note.parse(raw, path, fallback_name=name.removesuffix(".md"))
        if found is None and plain_notes:
            found = plain.read(raw, path)
        return Read(etag, stat, now, plain_notes, distil.gist(found, stat.mtime_ns) if found else None)
    except BadNoteError as error:
        return Read(etag, stat, now, plain_notes, None, (error.problem,), broken=True)
