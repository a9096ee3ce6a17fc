"""What to make of an index that fails: begin it anew, or say what a person must do.

Law: only what is broken is thrown away; a full disk or a busy file is told, and nothing is lost by it.
"""

from __future__ import annotations

import shutil
import sqlite3
from typing import TYPE_CHECKING

from kit.errors import UnavailableError

if TYPE_CHECKING:
    from pathlib import Path

_NOT_BROKEN = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM}
_ROOM = 1_000_000
"""Bytes free below which a disk is taken for full: SQLite then reports all kinds of errors."""


class MendedError(UnavailableError):
    """The index broke while something was done, and has been begun anew since."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"The index broke meanwhile ({error}) and has been made anew from the notes.",
            "Look whether it was done, then try again.",
        )


def is_broken(error: sqlite3.Error, folder: Path) -> bool:
    """Tell whether an error means that the index must be begun anew."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NOT_BROKEN and not _is_full(folder)


def sentence(error: Exception, folder: Path) -> UnavailableError:
    """Say an error of the index."""
    mend = f"Make room in {folder}." if _is_full(folder) or "full" in str(error) else "Try again in a moment."
    return UnavailableError(f"The index in {folder} can't be used: {error}.", mend)


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _ROOM
    except OSError:
        return False
