"""What hooks left on disk because no daemon took it, and what a daemon has promised to do and has not done yet.

Law: a file goes only after it was dealt with; one that can't be dealt with is set aside, not deleted.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from kit.daemon.protocol import HookCall, hook_frame, parse_hook_frame
from kit.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FAILED = "failed"
"""The folder of what could not be dealt with."""
_WAITS, _HELD = ".bin", ".held"
"""Ends of the names of what anyone may deal with, and of what one who lives is about to."""


class Spooled(NamedTuple):
    """A hook's call that waited, and since when (nanoseconds of Unix time); None for one that can't be read now."""

    path: Path
    at_ns: int
    call: HookCall | None


def waiting(folder: Path) -> list[Path]:
    """List the waiting files, oldest first."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(_WAITS))  # noqa: PTH208 - may be missing
    except OSError:
        return []
    return [folder / name for name in names]


def take(folder: Path) -> Iterator[Spooled]:
    """Hand out what waits, oldest first; whoever has dealt with one removes its file."""
    for path in waiting(folder):
        stamp = path.name.partition("-")[0]
        try:
            at_ns = int(stamp) if stamp.isdecimal() else path.stat().st_mtime_ns
            call = parse_hook_frame(path.read_bytes())
        except FileNotFoundError:
            continue
        except (IsADirectoryError, BadInputError):
            set_aside(path)
        except OSError:
            yield Spooled(path, 0, None)
        else:
            yield Spooled(path, at_ns, call)


def hold(folder: Path, call: HookCall) -> Path:
    """Write a call down, durably, that its receiver deals with a moment later; return its file, for them to remove."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{time.time_ns():020d}-{os.getpid()}{_HELD}"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        rest = memoryview(hook_frame(call))
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)
    if hasattr(os, "O_DIRECTORY"):
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
    return path


def let_go(path: Path) -> None:
    """Leave to others what was held and could not be dealt with."""
    path.rename(path.with_suffix(_WAITS))


def recover(folder: Path) -> None:
    """Let go what was held by one who is dead; to be called before anything new is held."""
    for path in folder.glob(f"*{_HELD}"):
        let_go(path)


def set_aside(path: Path) -> None:
    """Move a file that can't be dealt with into `failed/` beside it."""
    aside = path.parent / FAILED
    aside.mkdir(mode=0o700, exist_ok=True)
    path.replace(aside / path.name)


def failed(folder: Path) -> int:
    """Count what was set aside."""
    return len(waiting(folder / FAILED))
