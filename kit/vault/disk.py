"""The few acts on a disk that keep the store's promises: whole files, folders that were waited for.

Law: nothing here overwrites, but a rename that the store asks for; what fails leaves nothing behind.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kit.errors import ConflictError, NotFoundError, UnavailableError
from kit.lock import hold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_LOCK_WAIT = 5.0
_AT_ONCE = 8
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# A pipe or a device with a note's name must not make the reader wait
_READ = os.O_RDONLY | _FLAGS | getattr(os, "O_NONBLOCK", 0)
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_MENDS = {
    errno.ENOSPC: "The disk is full: free some space and try again.",
    errno.EDQUOT: "Your quota is used up: free some space and try again.",
    errno.EACCES: "Check the permissions of the file and its folder.",
    errno.EPERM: "Check the permissions of the file and its folder.",
    errno.EROFS: "The disk is mounted read-only.",
}


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn the system's errors into sentences."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{path} does not exist.") from error
    except FileExistsError as error:
        raise ConflictError(f"{path} already exists.", "Choose another name.") from error
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UnavailableError(f"The disk refused {path}: {why}.", _MENDS.get(error.errno or 0, "")) from error


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    """Open a folder for as long as it is needed."""
    descriptor = os.open(folder, os.O_RDONLY | _FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep the kit's other programs out of a folder for the moment between the last look and the rename.

    The folder itself is locked, so no lock file lies in the vault. People's editors don't ask for locks:
    what they save in this moment (microseconds) is the one thing that can't be seen.
    """
    if sys.platform == "win32":  # folders can't be opened; there the lock of the vault is what keeps order
        yield
        return
    with opened(folder) as descriptor:
        with suppress(OSError):  # some network disks have no locks
            if not hold(descriptor, _LOCK_WAIT):
                raise UnavailableError(f"The folder {folder.name} is locked by another program.", "Try again.")
        yield


@contextmanager
def temporary(folder: Path, raw: bytes, mode: int | None = None) -> Iterator[Path]:
    """Write a temporary file through to the disk; it is gone at the end, whatever happened."""
    temp = folder / f".~{secrets.token_hex(8)}.tmp"
    try:
        write(temp, raw, mode)
        yield temp
    finally:
        temp.unlink(missing_ok=True)


def write(place: Path, raw: bytes, mode: int | None = None) -> None:
    """Write a new file through to the disk."""
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        if mode is not None and sys.platform != "win32":
            os.fchmod(descriptor, mode)
        file.write(raw)
        file.flush()
        os.fsync(descriptor)


@contextmanager
def temporaries(files: Sequence[tuple[Path, bytes]]) -> Iterator[list[Path]]:
    """Write a temporary file into each folder, then wait for the disk: together that takes a fraction of the time."""
    temps: list[Path] = []
    try:
        for folder, raw in files:
            temps.append(folder / f".~{secrets.token_hex(8)}.tmp")
            descriptor = os.open(temps[-1], os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666)
            with os.fdopen(descriptor, "wb") as file:
                file.write(raw)
        with ThreadPoolExecutor(_AT_ONCE) as waiting:  # a disk waits for many files as long as for one
            list(waiting.map(_wait_for, temps))
        yield temps
    finally:
        for temp in temps:
            temp.unlink(missing_ok=True)


def _wait_for(file: Path) -> None:
    descriptor = os.open(file, os.O_RDWR | _FLAGS)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def publish(temp: Path, place: Path, raw: bytes) -> None:
    """Give a finished file its name, unless something has that name."""
    try:
        os.link(temp, place)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        try:  # FAT and some phones: not whole at once, but never over another
            write(place, raw)
        except FileExistsError:
            raise
        except OSError:
            place.unlink(missing_ok=True)
            raise


def rename(old: Path, place: Path) -> None:
    """Give a file another name: for a moment it has both, so that it is never without one.

    A power cut in that moment leaves both: then only the old one is still to go.
    """
    try:
        if not has_both(old, place):
            os.link(old, place)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, "exists", str(place)) from error
        old.rename(place)
    else:
        old.unlink()


def has_both(old: Path, place: Path) -> bool:
    """Tell whether one file has both names, as entries of their own: a rename was cut short between them."""
    try:
        found, there = old.lstat(), place.lstat()
        if not stat.S_ISREG(found.st_mode) or not os.path.samestat(found, there) or found.st_nlink < 2:  # noqa: PLR2004 - names
            return False
        # Where case is folded, two spellings find one entry: to take one away would take the file away
        if old.name == place.name and old.parent.samefile(place.parent):
            return False
        return all(any(each.name == name.name for each in name.parent.iterdir()) for name in (old, place))
    except OSError:
        return False


def read(real: Path | str, limit: int) -> tuple[int, bytes]:
    """Read a file and tell its size; nothing is read of one above the limit."""
    descriptor = os.open(real, _READ)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise NotFoundError(f"{os.path.basename(real)} is no ordinary file.")  # noqa: PTH119 - a text or a Path
        raw = _whole(descriptor, found.st_size, limit) if found.st_size <= limit else b""
    finally:
        os.close(descriptor)
    return max(found.st_size, len(raw)), raw


def _whole(descriptor: int, size: int, limit: int) -> bytes:
    """Read at most one byte above the limit: in one go, unless the file changes meanwhile."""
    raw = os.read(descriptor, size + 1)
    if len(raw) != size:
        while len(raw) <= limit and (more := os.read(descriptor, limit + 1 - len(raw))):
            raw += more
    return raw


def sync(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    if sys.platform != "win32":  # which has no way to ask for it
        with opened(folder) as descriptor:
            os.fsync(descriptor)


def append(real: Path, text: bytes, *, durable: bool) -> bool:
    """Write one line at the end of a file, after closing a torn one; tell whether the file was empty."""
    descriptor = os.open(real, os.O_RDWR | os.O_APPEND | os.O_CREAT | _FLAGS, 0o666)
    try:
        with suppress(OSError):  # some network disks have no locks; a write at the end is whole all the same
            hold(descriptor, _LOCK_WAIT)
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                text = b"\n" + text
        if os.write(descriptor, text) != len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return size == 0
