"""Locks between programs: one writer to a vault.

Law: a lock dies with its process; a lock file that was left behind locks nothing.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Self

from kit.errors import UnavailableError

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def hold(descriptor: int, timeout: float) -> bool:
    """Lock an open file until it is closed; False when another holds it for `timeout` seconds."""
    end, pause = time.monotonic() + timeout, 0.001
    while not _try(descriptor):
        if time.monotonic() >= end:
            return False
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return True


def _try(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


class VaultLock:
    """Holds a vault's lock file; it lies outside the vault, so that no sync carries it."""

    def __init__(self, path: Path, timeout: float = 5.0) -> None:
        self.path = path
        self.timeout = timeout
        self._descriptor = -1

    def __enter__(self) -> Self:
        """Take the lock; raise UnavailableError when another program keeps it for `timeout` seconds."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise UnavailableError(
                f"The lock {self.path} can't be opened: {error.strerror}.", "Check its folder."
            ) from error
        try:
            held = hold(descriptor, self.timeout)
        except BaseException:
            os.close(descriptor)
            raise
        if not held:
            os.close(descriptor)
            raise UnavailableError("Another program is writing to this vault.", "Try again in a moment.")
        self._descriptor = descriptor
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the lock; its file stays, since removing it would let two programs hold it."""
        descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)
