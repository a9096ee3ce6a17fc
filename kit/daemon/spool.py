"""What hooks left on disk because no daemon took it.

Law: a file goes only after it was dealt with; one that can't be dealt with is set aside, not deleted.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from kit.daemon.protocol import HookCall, parse_hook_frame
from kit.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FAILED = "failed"
"""The folder of what could not be dealt with."""


class Spooled(NamedTuple):
    """A hook's call that waited, and since when (nanoseconds of Unix time)."""

    path: Path
    at_ns: int
    call: HookCall


def waiting(folder: Path) -> list[Path]:
    """List the waiting files, oldest first."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".bin"))  # noqa: PTH208 - may be missing
    except OSError:
        return []
    return [folder / name for name in names]


def take(folder: Path) -> Iterator[Spooled]:
    """Hand out what waits, oldest first; whoever has dealt with one removes its file."""
    for path in waiting(folder):
        try:
            call = parse_hook_frame(path.read_bytes())
        except FileNotFoundError:
            continue
        except (OSError, BadInputError):
            set_aside(path)
            continue
        stamp = path.name.partition("-")[0]
        yield Spooled(path, int(stamp) if stamp.isdecimal() else path.stat().st_mtime_ns, call)


def set_aside(path: Path) -> None:
    """Move a file that can't be dealt with into `failed/` beside it."""
    aside = path.parent / FAILED
    aside.mkdir(mode=0o700, exist_ok=True)
    path.replace(aside / path.name)


def failed(folder: Path) -> int:
    """Count what was set aside."""
    return len(waiting(folder / FAILED))
