"""The daemon's life: win the lock, listen, answer, end cleanly.

Law: one server per runtime folder, decided by a lock that dies with its holder, so a crash leaves
nothing to repair.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING

from kit import lock as locks
from kit.daemon import channel as channels
from kit.daemon import protocol, spool
from kit.daemon.channel import DAEMON_FILE, Channel
from kit.daemon.conversation import GAP_S, LOG, Handler, Later, converse
from kit.daemon.replay import Replay
from kit.errors import UnavailableError
from kit.places import SOCKET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

__all__ = ["Handler", "Later", "Server"]

LOCK = "lock"
_PATIENCE_S = 10.0
"""How long a second server waits to see whether the first one serves or ends."""
_BREATH_S = 0.1
"""How long nobody is let in after that failed."""
_GRACE_S = 10.0
"""How long running requests may go on after a stop."""


class Server:
    """Serves one handler in one runtime folder.

    `idle_s` without a request, measured by `clock`, ends it, and so does `gone()`. What hooks left in the
    folder `spooled` is given to the handler at the start and at each tick. `started` is called once the
    folder is won, before anyone is answered; `ended` after the last answer, before another server can win it.
    """

    def __init__(
        self,
        handler: Handler,
        folder: Path,
        *,
        version: str,
        idle_s: float | Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
        gone: Callable[[], bool] = lambda: False,
        spooled: Path | None = None,
        started: Callable[[], None] = lambda: None,
        ended: Callable[[], None] = lambda: None,
        tcp: bool = False,
        tick_s: float = 1.0,
        most: int = 64,
    ) -> None:
        self.handler = handler
        self.version = version
        self._folder = folder
        self._idle_s = idle_s if callable(idle_s) else lambda: idle_s
        self._clock = clock
        self._gone = gone
        self._spooled = spooled
        self._started = started
        self._ended = ended
        self._token = secrets.token_hex(32) if tcp or not hasattr(socket, "AF_UNIX") else ""
        self._tick_s = tick_s
        self._slots = threading.BoundedSemaphore(most)
        self._began = self._last = clock()
        self._requests = 0
        self._working = 0
        self._calm = threading.Condition()
        self._open: set[Channel] = set()
        self.interrupted = False
        """Whether Ctrl-C ended it."""
        self._stopping = False  # no Event: its lock could be held when a signal comes
        self._replay = Replay(self, spooled, clock, lambda: self._stopping) if spooled else None
        self._retracting = threading.Lock()
        self._listed = False
        self._lock = -1
        self._node: tuple[int, int] | None = None
        self._wake_in, self._wake_out = socket.socketpair()

    def serve(self) -> bool:
        """Serve until the end; False at once when another server has the folder.

        In the main thread SIGTERM and SIGINT end it cleanly.
        """
        try:
            if not self._win():
                return False
            with self._signals():
                try:
                    self._started()
                    self._run()
                finally:
                    self.retract()
                    self._ended()
            return True
        finally:
            self.retract()
            if self._lock >= 0:
                os.close(self._lock)
            self._wake_in.close()
            self._wake_out.close()

    def stop(self) -> None:
        """End serving once running requests are done; safe from any thread."""
        self._stopping = True
        with contextlib.suppress(OSError):  # already closed: already ended
            self._wake_in.send(b"!")

    def status(self) -> dict[str, object]:
        """Tell pid, version, uptime and load, and what the spool holds."""
        return {
            "pid": os.getpid(),
            "version": self.version,
            "uptime_s": round(self._clock() - self._began, 3),
            "requests": self._requests,
            "connections": len(self._open),
            "spool_waiting": len(spool.waiting(self._spooled)) if self._spooled else 0,
            "spool_failed": spool.failed(self._spooled) if self._spooled else 0,
        }

    def retract(self) -> None:
        """Take the address back, so that no new client comes; only what is this server's own."""
        with self._retracting:
            if not self._listed:
                return
            self._listed = False
            if locks.still_holds(self._lock, self._folder / LOCK):
                (self._folder / DAEMON_FILE).unlink(missing_ok=True)
                (self._folder / SOCKET).unlink(missing_ok=True)

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """Count as busy for a while."""
        with self._calm:
            self._working += 1
            self._requests += 1
            self._last = self._clock()
        try:
            yield
        finally:
            with self._calm:
                self._working -= 1
                self._last = self._clock()
                self._calm.notify_all()

    def _win(self) -> bool:
        # The holder may be starting, serving or ending. Only one that answers is a reason to give up.
        end = time.monotonic() + _PATIENCE_S
        while (held := locks.try_lock(self._folder / LOCK)) is None:
            answering = channels.connect(self._folder, within_s=GAP_S)
            if answering is not None:
                answering.close()
                return False
            if self._stopping or time.monotonic() > end:
                return False
            time.sleep(0.02)
        self._lock = held
        return True

    def _run(self) -> None:
        listener = self._listen()
        with listener, selectors.DefaultSelector() as ready:
            ready.register(listener, selectors.EVENT_READ)
            ready.register(self._wake_out, selectors.EVENT_READ)
            while not self._stopping:
                self._tick()
                for key, _ in ready.select(self._tick_s):
                    if key.fileobj is listener:
                        self._accept(listener)
            self.retract()
            while self._accept(listener):
                pass  # those who connected before the address was taken back
        self._drain()

    def _listen(self) -> socket.socket:
        path = self._folder / SOCKET
        for stale in (self._folder / DAEMON_FILE, path):  # a living owner would hold the lock
            stale.unlink(missing_ok=True)
        family = socket.AF_INET if self._token else socket.AF_UNIX
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            if self._token:
                listener.bind(("127.0.0.1", 0))
                address = f"127.0.0.1:{listener.getsockname()[1]}"
            else:
                # The folder is private already; a umask would hold for files of all threads.
                listener.bind(str(path))
                path.chmod(0o600)
                address = str(path)
                found = path.stat()
                self._node = (found.st_dev, found.st_ino)
            listener.listen(128)
            listener.setblocking(False)
            self._publish(address)
        except OSError as error:
            listener.close()
            raise UnavailableError(f"The daemon can't listen in {self._folder}: {error}.") from error
        return listener

    def _publish(self, address: str) -> None:
        told = {"pid": os.getpid(), "address": address, "version": self.version}
        draft = self._folder / f".{DAEMON_FILE}"
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(told | {"token": self._token} if self._token else told, file)
        draft.replace(self._folder / DAEMON_FILE)
        self._listed = True

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def end(number: int, _frame: FrameType | None) -> None:
            self.interrupted = number == signal.SIGINT
            self.stop()

        before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, old in before.items():
                signal.signal(number, old)

    def _tick(self) -> None:
        if self._replay:
            self._replay.tick()
        idle = self._working == 0 and self._clock() - self._last >= self._idle_s()
        if self._lost() or self._gone() or (idle and not self.handler.busy()):
            self._stopping = True

    def _lost(self) -> bool:
        """Tell whether someone cleaned the folder away: no client could find this server any more."""
        if not self._listed:
            return False
        if not locks.still_holds(self._lock, self._folder / LOCK):
            return True
        if self._node is None:
            return not (self._folder / DAEMON_FILE).exists()
        try:
            found = (self._folder / SOCKET).stat()
        except OSError:
            return True
        return (found.st_dev, found.st_ino) != self._node

    def _accept(self, listener: socket.socket) -> bool:
        try:
            sock, _ = listener.accept()
        except BlockingIOError:
            return False
        except OSError as error:  # no more files may be open: who knocks stays there, and waits
            LOG.warning("A client could not be let in: %s.", error.strerror)
            time.sleep(_BREATH_S)
            return False
        client = Channel(sock)
        if not self._slots.acquire(blocking=False):
            with contextlib.suppress(OSError):
                client.send(_crowded(), within_s=0.1)
            client.close()
            return True
        self._open.add(client)
        try:
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()
        except RuntimeError as error:  # no more threads may run
            LOG.warning("A client was turned away: %s.", error)
            self._let_go(client)
        return True

    def _talk(self, client: Channel) -> None:
        try:
            if self._admits(client):
                converse(client, self)
        except OSError:
            LOG.info("A connection broke off or was too slow.")
        finally:
            self._let_go(client)

    def _let_go(self, client: Channel) -> None:
        client.close()
        self._slots.release()
        with self._calm:
            self._open.discard(client)
            self._calm.notify_all()

    def _admits(self, client: Channel) -> bool:
        if self._token:
            line = client.read_line(1024, wait_s=GAP_S, gap_s=GAP_S)
            return line is not None and secrets.compare_digest(line, self._token.encode())
        return channels.peer_uid(client.sock) in (os.getuid(), None)

    def _drain(self) -> None:
        """End every connection. What was sent is answered; who sends now is told by the kernel that nobody reads."""
        for client in list(self._open):
            with contextlib.suppress(OSError):  # it has just ended by itself
                client.sock.shutdown(socket.SHUT_RD)
        with self._calm:
            self._calm.wait_for(lambda: self._working == 0 and not self._open, timeout=_GRACE_S)
        for client in list(self._open):
            with contextlib.suppress(OSError):
                client.sock.shutdown(socket.SHUT_RDWR)


def _crowded() -> bytes:
    error = UnavailableError("The daemon has too many clients at once.", "Try again in a moment.")
    return protocol.encode({"id": 0, "ok": False, "error": protocol.describe(error, "?")})
