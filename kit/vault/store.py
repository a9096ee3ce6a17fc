"""The vault's files on the disk: read with an etag, written whole or not at all, never overwritten blindly.

Law: a write replaces only what was read; what was confirmed survives a power cut; a failure leaves no
trace. One thread uses a store at a time.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from kit.errors import (
    BadInputError,
    BadNoteError,
    ConflictError,
    KitError,
    NotFoundError,
    Problem,
    RefusedError,
)
from kit.vault import disk
from kit.vault.layout import SETTINGS
from kit.vault.paths import TEMP, check, check_new, check_theirs, inside, locate, names_in, same, straight, twin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

LIMIT = 2 * 1024 * 1024
"""Bytes a note may have to be read, unless a store is made with another limit."""

_DAY = 86400.0
_REMEMBERED = 1024


def etag(raw: bytes) -> str:
    """Name a content: equal contents have equal etags (blake2b, 128 bits, hexadecimal)."""
    return blake2b(raw, digest_size=16).hexdigest()


class Store:
    """The files of one vault; every path is relative to its root, POSIX."""

    def __init__(self, root: Path, limit: int = LIMIT, *, plain_notes: bool = False) -> None:
        self.root = Path(os.path.realpath(root))
        self.limit = limit
        self.plain_notes = plain_notes
        """Whether the person's own notes are to be found as well."""
        self._due: dict[Path, None] | None = None
        self._own: dict[Path, int] = {}

    def read(self, path: str) -> tuple[bytes, str]:
        """Read a file and its etag.

        Raise NotFoundError, RefusedError for a path out of the vault, BadNoteError above the limit.
        """
        raw = self._load(straight(self.root, path) or self._real(path), path)
        return raw, etag(raw)

    def create(self, path: str, raw: bytes) -> str:
        """Make a new file and its folders, durably; return the path it has.

        The path differs from the one asked for when a folder exists in another spelling. Raise ConflictError
        when the file exists, or one whose name some systems can't tell from it.
        """
        names = check_new(path)
        folder = self._make_folder(names[:-1], path)
        place = folder / names[-1]
        with disk.told(path):
            if found := twin(folder, names[-1]):
                raise ConflictError(f"{path} already exists (as `{found}`).", "Choose another name.")
            with disk.temporary(folder, raw) as temp:
                self._remember(place, temp)
                disk.publish(temp, place, raw)
        self._sync(folder)
        return place.relative_to(self.root).as_posix()

    def create_all(self, files: Sequence[tuple[str, bytes]], theirs: Collection[str] = ()) -> list[str | KitError]:
        """Make many new files at once, as `create` does; where one can't be made, its error stands in its place.

        A note whose name is taken gets the next free one: `a 2.md`. Each file is whole and on the disk before it has
        its name. The paths that are `theirs` hold names a person chose: what this system allows is made, also two
        that differ in case alone.
        """
        made: list[str | KitError] = []
        places: list[tuple[int, Path, bytes]] = []
        names: dict[tuple[Path, bool], set[str]] = {}
        for number, (path, raw) in enumerate(files):
            try:
                place = self._free_place(path, names, is_theirs=path in theirs)
                made.append(place.relative_to(self.root).as_posix())
                places.append((number, place, raw))
            except KitError as error:
                made.append(error)
        with disk.told("the notes"), disk.temporaries([(place.parent, raw) for _, place, raw in places]) as temps:
            for (number, place, raw), temp in zip(places, temps, strict=True):
                try:
                    with disk.told(str(made[number])):
                        self._remember(place, temp)
                        disk.publish(temp, place, raw)
                except KitError as error:
                    made[number] = error
        with self.batch():
            for folder in {place.parent for _, place, _ in places}:
                self._sync(folder)
        return made

    def _free_place(self, path: str, taken: dict[tuple[Path, bool], set[str]], *, is_theirs: bool) -> Path:
        """Choose a place whose name nothing has, and keep it; `taken` holds those of each folder, in both ways."""
        *above, name = (check_theirs if is_theirs else check_new)(path)
        folder = self._make_folder(above, path)
        if (folder, True) not in taken:
            taken[folder, True], taken[folder, False] = names_in(folder, cased=True), names_in(folder)
        cased = is_theirs and self._tells_case
        stem = name.removesuffix(".md")
        tries = (name, *(f"{stem} {number}.md" for number in range(2, 1000))) if name.endswith(".md") else (name,)
        for each in tries:
            if same(each, cased=cased) not in taken[folder, cased]:
                for way in (True, False):
                    taken[folder, way].add(same(each, cased=way))
                return folder / each
        raise ConflictError(f"{path} already exists.", "Choose another name.")

    @cached_property
    def _tells_case(self) -> bool:
        """Whether this disk tells names apart by case; where that can't be seen, it is taken to do not."""
        known = next((name for name in (SETTINGS, "cards") if (self.root / name).exists()), "")
        return bool(known) and not (self.root / known.swapcase()).exists()

    def replace(self, path: str, raw: bytes, etag: str) -> None:
        """Replace a file whose content still has the etag, durably; its mode stays, a link stays a link.

        Raise ConflictError when the content changed, RefusedError when the file is write-protected.
        """
        real = self._real(path)
        with disk.told(path):
            self._expect(real, path, etag)
            mode = stat.S_IMODE(real.stat().st_mode)
            if not mode & 0o222:
                raise RefusedError(f"{path} is write-protected.", "Allow writing, if the kit may change it.")
            with disk.temporary(real.parent, raw, mode) as temp, disk.alone(real.parent):
                self._expect(real, path, etag)
                self._remember(real, temp)
                temp.replace(real)
        self._sync(real.parent)

    def update(self, path: str, change: Callable[[bytes], bytes], tries: int = 3) -> bytes:
        """Read a file, change it, write it if it is still the same, else begin again; return what is there now.

        Nothing is written when `change` returns what it was given. Raise ConflictError after `tries`.
        """
        for _ in range(tries):
            raw, tag = self.read(path)
            new = change(raw)
            if new == raw:
                return raw
            with suppress(ConflictError):
                self.replace(path, new, tag)
                return new
        raise ConflictError(f"{path} kept changing while it was edited.", "Try again when it is quiet.")

    def move(self, path: str, new_path: str) -> str:
        """Move a file within the vault, durably, never over another; return the path it has.

        A move that a power cut left half done, the file under both paths, is finished.
        """
        old = locate(self.root, path)
        if old.is_symlink():
            raise RefusedError(f"{path} is a link.", "Move it by hand, so that it still leads somewhere.")
        old = self._real(path)
        if not old.is_file():
            raise NotFoundError(f"{path} does not exist.")
        names = check_theirs(new_path)  # a name that it bears already is the person's choice
        for name in set(names).difference(path.split("/")):
            check_new(name)
        folder = self._make_folder(names[:-1], new_path)
        place = folder / names[-1]
        with disk.told(new_path):
            found = twin(folder, names[-1])
            is_half_done = disk.has_both(old, place)
            is_itself = bool(found) and not is_half_done and (folder / found).samefile(old)
            if found and not is_half_done and (not is_itself or folder / found == place):
                raise ConflictError(f"{new_path} already exists (as `{found}`).", "Choose another name.")
            if is_itself:  # only the spelling changes: one name to some systems, so a link can't be made
                old.rename(place)
            else:
                disk.rename(old, place)
        self._sync(folder)
        self._sync(old.parent)
        return place.relative_to(self.root).as_posix()

    def is_half_moved(self, path: str, new_path: str) -> bool:
        """Tell whether a power cut left a file under both paths, so that `move` has only to finish."""
        return disk.has_both(locate(self.root, path), locate(self.root, new_path))

    def append(self, path: str, line: bytes, *, durable: bool) -> None:
        """Add one line to a file in one write; `durable` waits for the disk.

        A line that an earlier crash tore is closed first, so that only that one is lost.
        """
        text = line.removesuffix(b"\n") + b"\n"
        if b"\n" in text[:-1]:
            raise BadInputError("A line of the journal holds a line break.", "Write it as one line.")
        names = check(path)
        folder = self._make_folder(names[:-1], path)
        real = inside(self.root, folder / names[-1], path)
        with disk.told(path):
            is_new = disk.append(real, text, durable=durable)
        if durable and is_new:
            self._sync(folder)

    def recently_touched(self, path: str, now: float, quiet: float = 2.0) -> bool:
        """Tell whether someone else saved a file within `quiet` seconds of `now` (seconds of the epoch).

        What this store wrote itself does not count.
        """
        real = self._real(path)
        with disk.told(path):
            try:
                found = real.stat()
            except FileNotFoundError:
                return False
        return found.st_mtime_ns != self._own.get(real) and abs(now - found.st_mtime) < quiet

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Wait for each folder only once, at the end; files are still waited for one by one."""
        if self._due is not None:
            yield
            return
        due: dict[Path, None] = {}
        self._due = due
        try:
            yield
        finally:
            self._due = None
            for folder in due:
                self._sync(folder)

    def sweep(self, now: float) -> int:
        """Remove temporary files a crash left more than a day before `now`; return how many."""
        count = 0
        for folder, below, names in os.walk(self.root):
            below[:] = [name for name in below if not name.startswith(".")]
            for name in filter(TEMP.fullmatch, names):
                file = Path(folder, name)
                with suppress(OSError):
                    found = file.lstat()
                    if stat.S_ISREG(found.st_mode) and found.st_mtime < now - _DAY:
                        file.unlink()
                        count += 1
        return count

    def _remember(self, place: Path, temp: Path) -> None:
        self._own[place] = temp.stat().st_mtime_ns
        if len(self._own) > _REMEMBERED:
            del self._own[next(iter(self._own))]

    def _real(self, path: str) -> Path:
        with disk.told(path):
            return inside(self.root, locate(self.root, path), path)

    def _load(self, real: Path | str, path: str) -> bytes:
        with disk.told(path):
            size, raw = disk.read(real, self.limit)
        if size > self.limit:
            what = f"The file is too large to be read: {size} bytes."
            mend = f"Split it, or move it out of the vault; {self.limit} bytes are read."
            raise BadNoteError(Problem(path, 0, what, mend))
        return raw

    def _expect(self, real: Path, path: str, tag: str) -> None:
        if etag(self._load(real, path)) != tag:
            raise ConflictError(f"{path} was changed meanwhile.", "Read it again.")

    def _make_folder(self, names: list[str], path: str) -> Path:
        here = self.root
        with disk.told(path):
            for name in names:
                place = here / name
                if not os.path.lexists(place):
                    place = here / (twin(here, name) or name)
                if not os.path.lexists(place):
                    with suppress(FileExistsError):  # another program was faster
                        place.mkdir()
                    self._sync(here)
                here = inside(self.root, place, path)
        return here

    def _sync(self, folder: Path) -> None:
        if self._due is not None:
            self._due[folder] = None
        else:
            with disk.told(folder.name):
                disk.sync(folder)
