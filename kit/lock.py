"""Locks between programs on a file, given back by the kernel when their holder dies.

Law: a lock file is never removed by the kit, or two holders could each lock a file of that name.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def hold(descriptor: int, timeout: float) -> bool:
    """Lock an open file until it is closed; False when another holds it for `timeout` seconds.

    Raises OSError where the disk knows no locks.
    """
    end, pause = time.monotonic() + timeout, 0.001
    while not _try(descriptor):
        if time.monotonic() >= end:
            return False
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return True


def try_lock(path: Path) -> int | None:
    """Take a file's lock without waiting; the descriptor holds it until it is closed, None means not to be had."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        held = _try(descriptor)
    except OSError:
        held = False
    if held:
        return descriptor
    os.close(descriptor)
    return None


def still_holds(descriptor: int, path: Path) -> bool:
    """Tell whether the locked file is still the one of that name (cleaners remove old files)."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _try(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
