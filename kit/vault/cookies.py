"""Cookies sent the way of the events: when one is back, nothing that came before it is still on its way.

Law: who waits is told yes only where that is certain.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_LATE, _LATEST_S = 3, 10.0
"""Cookies that may still be on their way after a barrier gave up, and for how long."""


class Cookies:
    """The cookies of one watcher; `answered` is notified, under its lock, when one is back and when all ends."""

    def __init__(self, answered: threading.Condition, stopped: Callable[[], bool]) -> None:
        self._answered, self._stopped = answered, stopped
        self._back = 0
        self._late = 0
        self._late_until = 0.0
        self._one_barrier = threading.Lock()

    def come(self) -> None:
        """Note that one is back."""
        with self._answered:
            self._back += 1
            self._answered.notify_all()

    def wait(self, timeout: float, send: Callable[[], bool]) -> bool:
        """Send one and wait until it is back; False when none could be sent or none came in time."""
        deadline = time.monotonic() + timeout
        if not self._one_barrier.acquire(timeout=timeout):
            return False
        try:
            if time.monotonic() > self._late_until:
                self._late = 0
            # A cookie that came too late for its own barrier must not be taken for one of this barrier.
            return all(self._round_trip(deadline, send) for _ in range(self._late + 1))
        finally:
            self._one_barrier.release()

    def _round_trip(self, deadline: float, send: Callable[[], bool]) -> bool:
        """Send one cookie and wait for one; False when none came."""
        with self._answered:
            before = self._back
        if not send():
            return False
        with self._answered:
            while self._back == before and not self._stopped():
                left = deadline - time.monotonic()
                if left <= 0:
                    self._late = min(_MOST_LATE, self._late + 1)
                    self._late_until = time.monotonic() + _LATEST_S
                    return False
                self._answered.wait(left)
        return not self._stopped()
