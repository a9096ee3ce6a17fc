"""Whether a daemon is gone, and how one that gives no sign of life is ended.

Law: no process is ended that is not surely the daemon of this folder.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from kit import lock as locks
from kit.daemon.channel import peer_pid, read_address
from kit.errors import UnavailableError

if TYPE_CHECKING:
    from pathlib import Path

    from kit.daemon.channel import Channel

_POLL_S = 0.01
_TERM_S = 5.0
"""How long a process that gave no sign of life has to end in good order, once it is told to."""


def is_gone(folder: Path, pid: object) -> bool:
    """Tell whether a daemon serves in a runtime folder no more."""
    held = locks.try_lock(folder / "lock")
    if held is not None:
        os.close(held)
        return True
    # Another client may have started the next one already.
    found = read_address(folder)
    return found is not None and found.pid != pid


def gone_by(folder: Path, pid: object, end: float) -> bool:
    """Wait until a daemon is gone; False when it is still there at the end, by the monotonic clock."""
    while not is_gone(folder, pid):
        if time.monotonic() > end:
            return False
        time.sleep(_POLL_S)
    return True


def is_ours(folder: Path, channel: Channel, pid: int) -> bool:
    """Make sure that a process is the daemon: it wrote the address, it holds the lock, it opened the socket."""
    return bool(pid) and not is_gone(folder, pid) and peer_pid(channel.sock) in (None, pid)


def put_down(folder: Path, pid: int) -> bool:
    """End a process that hangs or was stopped, in good order if it still can; False when it is still there."""
    for number in ("SIGTERM", "SIGCONT", "SIGKILL"):  # one that was stopped ends only once it goes on
        try:
            os.kill(pid, getattr(signal, number, signal.SIGTERM))
        except ProcessLookupError:
            return True
        except OSError as error:
            raise UnavailableError(f"The process {pid} can't be ended: {error.strerror}.") from error
        if number != "SIGTERM" and gone_by(folder, pid, time.monotonic() + _TERM_S):
            return True
    return False
