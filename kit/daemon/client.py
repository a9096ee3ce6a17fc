"""How a program asks the daemon: find it, start it when there is none, ask once, get a value or an error.

Law: every wait ends at the caller's deadline; a request that a daemon may have begun is never sent again. A
connection is kept for what is asked next: a server on the person's side asks many times.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from typing import TYPE_CHECKING, NoReturn

from kit import lock as locks
from kit.daemon import ending, protocol
from kit.daemon.channel import Channel, connect, read_address
from kit.errors import BadInputError, ConflictError, UnavailableError
from kit.places import child_environment, runtime_folder

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence
    from pathlib import Path

START_LOCK = "start.lock"
START_LOG = "start.log"
_POLL_S = 0.01
_SILENT_S = 15.0
"""After so long a daemon that does not even greet hangs, or was stopped: it greets whatever it works on."""
_KEPT = 4
"""Connections that wait for a next question at most."""


class NoDaemonError(UnavailableError):
    """There is no daemon and none could be started; nothing was asked of anyone."""


class SilentDaemonError(UnavailableError):
    """A daemon holds the vault's lock and does not greet; nothing was asked of it."""

    def __init__(self, pid: int) -> None:
        super().__init__(
            f"The daemon{f' (process {pid})' if pid else ''} gives no sign of life.",
            "If that stays so, end it with `memkit daemon stop` and try again: nothing is lost.",
        )
        self.pid = pid


def daemon_command(root: Path) -> list[str]:
    """Say how this installation starts the daemon of a vault.

    `-P` keeps a folder named `kit` in the current project from being taken for this package.
    """
    return [sys.executable, "-P", "-m", "kit", "daemon", "run", "--vault", os.path.realpath(root)]


class Client:
    """Asks the daemon of one vault; `spawn` is the command that starts one, None means never start any.

    `patience_s` is how long a daemon may take to greet, whatever it works on.
    """

    def __init__(
        self, root: Path, *, version: str, spawn: Sequence[str] | None, patience_s: float | None = None
    ) -> None:
        self._folder = runtime_folder(root)
        self._version = version
        self._spawn = spawn
        self._patience_s = _SILENT_S if patience_s is None else patience_s
        self._kept: list[Channel] = []
        weakref.finalize(self, _close, self._kept)

    def ask(
        self,
        op: str,
        params: dict[str, object] | None = None,
        timeout: float = 10.0,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> object:
        """Ask for one operation, within `timeout` seconds including the start of a daemon.

        Raises the KitError that the daemon raised, SilentDaemonError when one does not even greet, or
        UnavailableError when none answers in time.
        """
        end = time.monotonic() + timeout
        request = protocol.Request(self._version, 1, op, params or {}, progress is not None, time.localtime().tm_gmtoff)
        line = protocol.encode_request(request)
        if len(line) > protocol.LINE_LIMIT:
            raise BadInputError(f"The request `{op}` is too long.", "Send less at a time.")
        channel = self._kept_one() or self._find(end, may_replace=True) or self._start(end)
        kept = False
        try:
            while not _sent(channel, line, end):  # it has just ended, and no one reads there: nothing was begun
                channel.close()
                channel = self._start(end)
            reply = _heard(channel, end, progress)
            kept = self._keep(channel)
        except TimeoutError as error:
            raise _late(op) from error
        except OSError as error:
            raise UnavailableError(
                f"The daemon broke off while it worked on `{op}`.",
                "Look whether it was done, then try again.",
            ) from error
        finally:
            if not kept:
                channel.close()
        if reply.get("ok") is True:
            return reply.get("result")
        raise protocol.restore(reply.get("error"))

    def _kept_one(self) -> Channel | None:
        """Take a connection that is still open; the daemon at its other end is the one that was greeted."""
        while self._kept:
            try:
                channel = self._kept.pop()
            except IndexError:  # another thread took the last one
                break
            if channel.is_silent():
                return channel
            channel.close()
        return None

    def _keep(self, channel: Channel) -> bool:
        """Keep a connection for the next question, where the kernel tells at once that the other end has gone."""
        if not channel.is_local or len(self._kept) >= _KEPT:
            return False
        self._kept.append(channel)
        return True

    def stop(self, timeout: float = 10.0) -> bool:
        """End the daemon and wait until it is gone, one that gives no sign of life too; False when there was none."""
        end = time.monotonic() + timeout
        channel = connect(self._folder, within_s=timeout)
        if channel is None:
            return False
        try:
            told = self._greet(channel, end)
            if told is None:
                return False
            self._end(channel, told, end)
        except SilentDaemonError as error:
            if not (ending.is_ours(self._folder, channel, error.pid) and ending.put_down(self._folder, error.pid)):
                raise
        finally:
            channel.close()
        return True

    def _find(self, end: float, *, may_replace: bool = False) -> Channel | None:
        """Connect to a daemon of this version; None when there is none."""
        channel = connect(self._folder, within_s=end - time.monotonic())
        if channel is None:
            return None
        found = False
        try:
            told = self._greet(channel, end)
            if told is None:
                return None
            if told.get("version") == self._version:
                found = True
                return channel
            if not may_replace or self._spawn is None:
                self._refuse(str(told.get("version")))
            self._end(channel, told, end)
            return None
        finally:
            if not found:
                channel.close()

    def _greet(self, channel: Channel, end: float) -> dict[str, object] | None:
        """Ask for a sign of life; None from a dying process, whose connections look like any other.

        Only after this a request is sent, since what may have been begun must not be sent again.
        """
        try:
            told = _say(channel, self._word("ping"), min(end, time.monotonic() + self._patience_s)).get("result")
        except TimeoutError as error:
            found = read_address(self._folder)
            raise SilentDaemonError(found.pid if found else 0) from error
        except (OSError, BadInputError):
            return None
        return told if isinstance(told, dict) else None

    def _end(self, channel: Channel, told: dict[str, object], end: float) -> None:
        """Stop the daemon on this very connection (by now another may serve), and wait until it is gone."""
        try:
            _say(channel, self._word("stop"), end)
        except TimeoutError as error:
            raise _late("stop") from error
        except OSError:
            pass  # it was ending already
        if not ending.gone_by(self._folder, told.get("pid"), end):
            raise UnavailableError("The daemon still works on something.", "It ends by itself; wait.")

    def _word(self, op: str) -> bytes:
        return protocol.encode_request(protocol.Request(self._version, 0, op, {}))

    def _refuse(self, version: str) -> NoReturn:
        raise UnavailableError(
            f"The daemon is of version {version}, this program of version {self._version}.",
            "Run `memkit daemon stop`, then try again.",
        )

    def _start(self, end: float) -> Channel:
        """Start a daemon, or wait for the one that another client is starting."""
        if self._spawn is None:
            raise NoDaemonError("No daemon runs for this vault.", "Start it with `memkit daemon start`.")
        held, process = None, None
        try:
            while True:
                if channel := self._find(max(end, time.monotonic() + _POLL_S)):
                    return channel
                if held is None:
                    held = locks.try_lock(self._folder / START_LOCK)
                elif process is None:
                    # Only after the look above: whoever had the lock before may have started one.
                    process = self._launch(self._spawn, held)
                elif process.returncode not in {None, 0, ConflictError.exit_code}:  # another may have been quicker
                    raise NoDaemonError(f"The daemon did not start: {self._last_words()}", "Run `memkit doctor`.")
                if time.monotonic() > end:
                    raise NoDaemonError("No daemon answered in time.", "Run `memkit doctor`.")
                time.sleep(_POLL_S)
        finally:
            if held is not None:
                os.close(held)

    def _launch(self, spawn: Sequence[str], held: int) -> subprocess.Popen[bytes]:
        import subprocess  # noqa: PLC0415 - heavy, and mostly the daemon is there already

        os.utime(held if os.utime in os.supports_fd else self._folder / START_LOCK)
        try:
            with (self._folder / START_LOG).open("wb") as log:
                process = subprocess.Popen(  # noqa: S603 - the caller's own command, no shell
                    list(spawn),
                    stdin=subprocess.DEVNULL,
                    env=child_environment(),
                    stdout=log,
                    stderr=log,
                    cwd=os.path.abspath(os.sep),  # noqa: PTH100 - the root of whatever drive this is
                    start_new_session=True,
                    creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
                )
        except OSError as error:
            raise NoDaemonError(f"The daemon can't be started: {error}.", "Run `memkit doctor`.") from error
        # Reaps it when it ends, for a client that lives longer than its daemon.
        threading.Thread(target=process.wait, daemon=True).start()
        return process

    def _last_words(self) -> str:
        try:
            lines = (self._folder / START_LOG).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            lines = []
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def _close(kept: list[Channel]) -> None:
    while kept:
        kept.pop().close()


def _say(channel: Channel, line: bytes, end: float) -> dict[str, object]:
    channel.send(line, within_s=end - time.monotonic())
    return _heard(channel, end)


def _sent(channel: Channel, line: bytes, end: float) -> bool:
    try:
        channel.send(line, within_s=end - time.monotonic())
    except BrokenPipeError:
        return False
    return True


def _heard(channel: Channel, end: float, progress: Callable[[str, int, int], None] | None = None) -> dict[str, object]:
    while True:
        left = end - time.monotonic()
        told = channel.read_line(None, wait_s=left, gap_s=left)
        if told is None:
            raise ConnectionResetError
        reply = protocol.decode(told)
        if "progress" not in reply:
            return reply
        _tell(reply["progress"], progress)


def _late(op: str) -> UnavailableError:
    return UnavailableError(f"The daemon did not answer `{op}` in time.", "Look whether it was done, then try again.")


def _tell(row: object, progress: Callable[[str, int, int], None] | None) -> None:
    match row:
        case [str() as what, int() as done, int() as total] if progress is not None:
            progress(what, done, total)
