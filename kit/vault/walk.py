"""The full walk: every note under the vault's root, with what `stat` says of it.

Law: events can be missed, a walk cannot. A note that is absent is gone only if the place it lay in was
really listed, so a walk says which places it could not read and raises when the root itself went away.
"""

from __future__ import annotations

import os
import re
import stat as modes
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import Problem, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Obsidian Sync "A (Conflicted copy PHONE 202608191030)", Dropbox "A (Ann's conflicted copy 2026-08-19)" and
# its Chinese form, Syncthing "A.sync-conflict-20260819-103000-ABCDEFG". iCloud's "A 2" and OneDrive's
# "A-HOST" are left out: people name notes like that themselves.
_CONFLICT = re.compile(
    r"""
      \(conflicted\ copy\b[^()]*\d{8,}\)\.md$
    | \([^()]*\bconflicted\ copy\ \d{4}-\d\d-\d\d[^()]*\)\.md$
    | \([^()]*冲突副本\ ?\d{4}-\d\d-\d\d[^()]*\)\.md$
    | \.sync-conflict-\d{8}-\d{6}(-[A-Z0-9]+)?\.md$
    """,
    re.IGNORECASE | re.VERBOSE,
)

_LISTS_INODES = os.name == "posix"
"""Whether what a folder lists can tell the file's number; Windows gives 0 for it."""


class RootGone(UnavailableError):  # noqa: N818 - a state of the vault more than a fault of the program
    """The vault's root can't be listed: nothing may be concluded from what is missing under it."""

    def __init__(self, root: Path, why: str) -> None:
        super().__init__(
            f"The vault {root} can't be listed: {why}.",
            "Mount or restore the folder; nothing is forgotten until it is back.",
        )


class Stat(NamedTuple):
    """What is compared, with `!=`, to see whether a note may have changed."""

    mtime_ns: int
    size: int
    ino: int


class Seen(NamedTuple):
    """One note a walk came by; `path` is relative to the root, POSIX, spelt as on disk (not normalised)."""

    path: str
    stat: Stat


def ignored(path: str) -> bool:
    """Say whether a relative path is no note; a folder's path ends with `/`.

    Two rules are enough. Whatever begins with a dot is hidden (`.obsidian`, `.git`, `.trash`, `.stversions`,
    `.#lock`, `.a.md.swp`, every temp file of Syncthing, rsync or ours); and a note ends with `.md`, which no
    leftover of an editor does (`a.md~`, `#a.md#`, `4913`, `a.md.tmp`, `sedX1Y2Z3`).
    """
    if path.startswith(".") or "/." in path:
        return True
    return not path.endswith("/") and path[-3:].lower() != ".md"


def conflict_copy(name: str) -> bool:
    """Say whether a sync tool made this file because two devices changed one note."""
    return _CONFLICT.search(name) is not None


class Walk:
    """One pass over the notes; iterate it first, then read what it could not see.

    Iterating raises RootGone when the root can't be listed, or was replaced while the pass went on.
    """

    def __init__(self, root: Path, *, under: str = "", ignore: Callable[[str], bool] = ignored) -> None:
        self.root = root
        self.under = under.strip("/")
        self.ignore = ignore
        self.errors: list[Problem] = []
        """Folders and files that are there and can't be read."""
        self.skipped: list[Problem] = []
        """Links that are not followed, and things named like a note that are none."""
        self._blind: set[str] = set()

    def covers(self, path: str) -> bool:
        """Say whether the pass looked where `path` lies, so that its absence means it is gone."""
        if self.under and not (path == self.under or path.startswith(f"{self.under}/")):
            return False
        parts = path.split("/")
        return self._blind.isdisjoint("/".join(parts[:n]) for n in range(1, len(parts) + 1))

    def __iter__(self) -> Iterator[Seen]:
        """Yield the notes, folder by folder, names in order."""
        self.errors, self.skipped, self._blind = [], [], set()
        real, before = os.path.realpath(self.root), _identity(self.root)
        if _hidden_or_linked(real, self.under, self.ignore):
            return
        visited: set[tuple[int, int]] = set()
        folders = [self.under]
        while folders:
            here = folders.pop()
            prefix = f"{here}/" if here else ""
            for entry in self._entries(real, here, visited):
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not self.ignore(f"{path}/"):
                        folders.append(path)
                elif not self.ignore(path):
                    seen = _plain_file(entry, path) or self._note(real, path)
                    if seen is not None:
                        yield seen
                elif entry.is_symlink() and not self.ignore(f"{path}/") and entry.is_dir():
                    self._skip(path, "is a linked folder, which is not followed.")
        # A disk unmounted half-way makes the rest of the pass look like deletions.
        if _identity(self.root) != before:
            raise RootGone(self.root, "it was replaced while it was read")

    def _entries(self, real: str, here: str, visited: set[tuple[int, int]]) -> list[os.DirEntry[str]]:
        full = f"{real}/{here}" if here else real
        try:
            known = os.lstat(full)
            if modes.S_ISLNK(known.st_mode):
                return []
            # Junctions and bind mounts can make a folder its own descendant.
            if (known.st_dev, known.st_ino) in visited:
                return []
            visited.add((known.st_dev, known.st_ino))
            with os.scandir(full) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError) as error:
            if not here:
                raise RootGone(self.root, _words(error)) from error
            return []
        except OSError as error:
            if not here:
                raise RootGone(self.root, _words(error)) from error
            self._fail(here, f"This folder can't be listed: {_words(error)}.", error)
            return []

    def _note(self, real: str, path: str) -> Seen | None:
        try:
            found = _stat(real, path)
        except OSError as error:
            self._fail(path, f"This note can't be examined: {_words(error)}.", error)
            return None
        if isinstance(found, str):
            self._skip(path, found)
            return None
        return Seen(path, found) if found is not None else None

    def _fail(self, path: str, what: str, error: OSError) -> None:
        self._blind.add(path)
        mend = "Check its permissions." if isinstance(error, PermissionError) else "Check the disk."
        self.errors.append(Problem(path, 0, what, mend))

    def _skip(self, path: str, why: str) -> None:
        self.skipped.append(Problem(path, 0, f"This {why}", "Put the real thing into the vault to have it read."))


def walk(root: Path, *, under: str = "", ignore: Callable[[str], bool] = ignored) -> Walk:
    """Walk the vault, or only the folder `under` it (relative; a folder that is gone yields nothing)."""
    return Walk(root, under=under, ignore=ignore)


def look(root: Path, path: str) -> Stat | None:
    """Stat one note by the walk's rules; None when the walk would not yield it.

    Raises RootGone when the root is away, and UnavailableError when the note is there and can't be examined.
    """
    return looker(root)(path)


def looker(root: Path, *, ignore: Callable[[str], bool] = ignored) -> Callable[[str], Stat | None]:
    """Make a `look` for many notes in quick succession: each folder's way is followed once."""
    real = os.path.realpath(root)
    unseen: dict[str, bool] = {}

    def look(path: str) -> Stat | None:
        parent = path.rpartition("/")[0]
        try:
            if parent not in unseen:
                unseen[parent] = _hidden_or_linked(real, parent, ignore)
            found = None if unseen[parent] or ignore(path) else _stat(real, path)
        except OSError as error:
            raise UnavailableError(f"{path} can't be examined: {_words(error)}.", "Check its permissions.") from error
        if not isinstance(found, Stat):
            _identity(root)
            return None
        return found

    return look


def _plain_file(entry: os.DirEntry[str], path: str) -> Seen | None:
    """Stat what a folder lists, which takes half as long as by its path; None unless it is a plain file for sure."""
    if not _LISTS_INODES:
        return None
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if not modes.S_ISREG(found.st_mode):
        return None
    return Seen(path, Stat(found.st_mtime_ns, found.st_size, found.st_ino))


def _stat(real: str, path: str) -> Stat | str | None:
    """Stat a note; a string says why it is none, None that it is gone."""
    full = f"{real}/{path}"
    try:
        found = os.lstat(full)
        if modes.S_ISLNK(found.st_mode):
            target = os.path.realpath(full)
            if os.path.commonpath([real, target]) != real:
                return "link leads out of the vault."
            try:
                found = Path(target).stat()
            except (FileNotFoundError, NotADirectoryError):
                return "link leads nowhere."
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not modes.S_ISREG(found.st_mode):
        return "is named like a note and is no file."
    return Stat(found.st_mtime_ns, found.st_size, found.st_ino)


def _hidden_or_linked(real: str, folder: str, ignore: Callable[[str], bool]) -> bool:
    """Say whether the walk from the root would never come to this folder."""
    here = ""
    for part in folder.split("/") if folder else ():
        here = f"{here}/{part}" if here else part
        if part in {"", ".."} or ignore(f"{here}/") or Path(real, here).is_symlink():
            return True
    return False


def _identity(root: Path) -> tuple[int, int]:
    try:
        found = root.stat()
    except OSError as error:
        raise RootGone(root, _words(error)) from error
    return found.st_dev, found.st_ino


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
