"""Who may use the indexes now: one at a time, and those who work for nobody in particular let the others go first.

Law: a thread that has it may enter again. Python hands a free lock to whoever runs, which is mostly the one that
has just let it go; a question would wait for many portions of a scan.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

COURTESY_S = 0.1
"""How long work in the background lets others go first: under a flood of questions it must go on, too."""


class Owner:
    """A lock, entered by `with`."""

    def __init__(self, courtesy_s: float = COURTESY_S) -> None:
        self._courtesy_s = courtesy_s
        self._lock = threading.RLock()
        self._door = threading.Condition()
        self._waiting = 0

    def __enter__(self) -> None:
        """Enter, after whoever is inside."""
        if self._lock.acquire(blocking=False):
            return
        with self._door:
            self._waiting += 1
        try:
            self._lock.acquire()
        finally:
            with self._door:
                self._waiting -= 1
                self._door.notify_all()

    def __exit__(self, *_: object) -> None:
        """Leave."""
        self._lock.release()

    @property
    def waiting(self) -> int:
        """Count the threads that wait to enter."""
        return self._waiting

    @contextmanager
    def gently(self) -> Iterator[None]:
        """Enter once nobody waits, or has been let go first for long enough."""
        with self._door:
            self._door.wait_for(lambda: not self._waiting, self._courtesy_s)
        with self:
            yield
