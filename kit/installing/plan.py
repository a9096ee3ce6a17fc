"""What is to be done to files and clients, as a value that can be shown before anything happens."""

from __future__ import annotations

import difflib
import shlex
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Change(NamedTuple):
    """One file: its bytes before and after; None stands for no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    def diff(self) -> Iterator[str]:
        """Write the change as a unified diff, line by line."""
        old, new = (_lines(raw) for raw in (self.before, self.after))
        here, there = ("/dev/null" if raw is None else str(self.path) for raw in (self.before, self.after))
        for line in difflib.unified_diff(old, new, here, there, lineterm=""):
            yield line.rstrip("\r\n")


class Kept(NamedTuple):
    """What is kept of a file from before we came: its bytes, and the digest of what we made of it."""

    before: bytes | None
    after: str


class Run(NamedTuple):
    """A command of the client's own."""

    words: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    """What is added to its environment, unless the person has said otherwise."""
    folder: Path | None = None
    """Where it is run; None for the folder the person is in."""

    def __str__(self) -> str:
        """Say it as a person would type it."""
        return shlex.join((Path(self.words[0]).name, *self.words[1:]))


class Plan(NamedTuple):
    """All that is to be done for one client."""

    client: str
    changes: tuple[Change, ...] = ()
    runs: tuple[Run, ...] = ()
    undoes: bool = False
    """It takes the hooks out: the client's commands go first, while the files they know are there."""
    keeps: tuple[tuple[Path, Kept], ...] = ()
    """What the receipt is to say of each file."""
    remarks: tuple[str, ...] = ()
    receipt: str = ""
    """Name of the receipt: the client, and which project."""

    def is_empty(self) -> bool:
        """Tell whether there is nothing to do."""
        return not self.changes and not self.runs


def digest(raw: bytes | None) -> str:
    """Hash a file's bytes; '' for no file."""
    return "" if raw is None else sha256(raw).hexdigest()


def changed(*changes: Change) -> tuple[Change, ...]:
    """Leave out what stays as it is."""
    return tuple(change for change in changes if change.before != change.after)


def _lines(raw: bytes | None) -> list[str]:
    return (raw or b"").decode("utf-8", "replace").splitlines(keepends=True)
