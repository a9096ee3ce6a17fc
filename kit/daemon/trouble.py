"""What to make of an index that fails: begin it anew, or say what a person must do.

Law: only what is broken is thrown away; a full disk or a busy file is told, and nothing is lost by it.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kit.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kit.app import Kit
    from kit.daemon.owner import Owner

LOG = logging.getLogger("kit.daemon")

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


class Mender:
    """Begins the indexes of one vault anew when they break; `catch_up` fills them again."""

    def __init__(self, kit: Kit, owner: Owner, catch_up: Callable[[], None]) -> None:
        self._kit, self._owner, self._catch_up = kit, owner, catch_up

    @contextmanager
    def mending(self) -> Iterator[None]:
        """Begin the indexes anew when they broke, and say what came of it in a sentence."""
        try:
            yield
        except sqlite3.Error as error:
            if not is_broken(error, self._kit.folder):
                raise sentence(error, self._kit.folder) from error
            with self._owner:
                self.begin_anew(str(error))
            raise MendedError(error) from error

    def begin_anew(self, why: str, *, reopen: bool = False) -> None:
        """Begin them anew, from a file that may be used again with `reopen`; to be called by the owner."""
        LOG.warning("The index is made anew: %s", why)
        self._kit.witness.abandon()
        try:
            if reopen:
                self._kit.index.reopen()
            else:
                self._kit.index.renew()
            self._catch_up()
        except (sqlite3.Error, OSError) as error:
            raise sentence(error, self._kit.folder) from error


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
