"""The time one question to an endpoint has, held whatever the endpoint does: its connection is cut when it is over.

Law: a library's own timeouts are for one read each, so that an endpoint which sends a byte a second never meets them.
Only the connection of this very question is cut; others of the same client go on.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType


class Deadline:
    """Cuts the connections that `trace` was told of, once the time is over."""

    def __init__(self, within_s: float) -> None:
        self._end = time.monotonic() + within_s
        self._timer = threading.Timer(max(0.0, within_s), self._cut)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._held: list[socket.socket] = []

    def __enter__(self) -> Self:
        """Let the time run."""
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop it."""
        self._timer.cancel()
        with self._lock:
            held, self._held = self._held, []
        for each in held:
            each.close()

    @property
    def left_s(self) -> float:
        """How many seconds are left; less than none when it is over."""
        return self._end - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self.left_s <= 0

    def trace(self, name: str, info: Mapping[str, object]) -> None:
        """Take note of a connection that was made, as the library below the SDK tells of its steps."""
        if not name.endswith("connect_tcp.complete"):
            return
        stream = info.get("return_value")
        found = getattr(stream, "get_extra_info", lambda _: None)("socket")
        if isinstance(found, socket.socket):
            with self._lock, suppress(OSError):
                self._held.append(found.dup())  # TLS takes the first one over
            if self.is_over:
                self._cut()

    def _cut(self) -> None:
        with self._lock:
            for each in self._held:
                with suppress(OSError):  # it has ended by itself
                    each.shutdown(socket.SHUT_RDWR)
