"""A lock between processes on a file, given back by the kernel when its holder dies.

Law: the file itself is never removed, or two holders could each lock a file of that name.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def try_lock(path: Path) -> int | None:
    """Take the lock without waiting; the descriptor holds it until it is closed, None means taken."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - exists on Windows only

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - exists elsewhere only

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def still_holds(descriptor: int, path: Path) -> bool:
    """Tell whether the locked file is still the one of that name (cleaners remove old files)."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
