"""The lock of a vault: one program writes to it at a time.

Law: a lock dies with its process; a lock file that was left behind locks nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from kit.errors import UnavailableError
from kit.lock import hold

if TYPE_CHECKING:
    from pathlib import Path


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
