"""One connection: lines and counted bytes with deadlines; and how to find whoever serves in a folder.

Law: no read or write waits for ever, and none grows without a limit.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import BadInputError
from kit.places import SOCKET

if TYPE_CHECKING:
    from pathlib import Path

DAEMON_FILE = "daemon.json"
_CHUNK = 65536
_WHOLE_S = 10.0


class Address(NamedTuple):
    """What `daemon.json` says."""

    pid: int
    address: str
    version: str
    token: str = ""


class Channel:
    """A connected socket that is read by lines."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._kept = bytearray()
        self._sending = threading.Lock()

    def read_line(self, limit: int | None, *, wait_s: float, gap_s: float) -> bytes | None:
        """Read up to a newline, which is dropped; None when the other side is gone.

        Waits `wait_s` for the first byte, then `gap_s` for each further piece; TimeoutError after that.
        """
        looked, end = 0, None
        while (at := self._kept.find(b"\n", looked)) < 0:
            looked = len(self._kept)
            if limit is not None and looked > limit:
                raise BadInputError(f"A line is longer than {limit} bytes.", "Send less at a time.")
            if looked and end is None:
                end = time.monotonic() + max(_WHOLE_S, gap_s)
            if end is not None and time.monotonic() > end:
                raise TimeoutError
            if not self._receive(gap_s if looked else wait_s):
                return None
        line = bytes(self._kept[:at])
        del self._kept[: at + 1]
        return line

    def read_exactly(self, count: int, *, gap_s: float) -> bytes | None:
        """Read a number of bytes; None when the other side is gone before."""
        end = time.monotonic() + _WHOLE_S
        while len(self._kept) < count:
            if time.monotonic() > end:
                raise TimeoutError
            if not self._receive(gap_s):
                return None
        data = bytes(self._kept[:count])
        del self._kept[:count]
        return data

    def _receive(self, wait_s: float) -> bool:
        # A timeout of 0 would mean "do not block" and fail in another way than by TimeoutError.
        self.sock.settimeout(max(wait_s, 0.001))
        piece = self.sock.recv(_CHUNK)
        self._kept += piece
        return bool(piece)

    def send(self, data: bytes, *, within_s: float) -> None:
        """Send all bytes; TimeoutError when the other side does not take them in time."""
        with self._sending:
            self.sock.settimeout(max(within_s, 0.001))
            self.sock.sendall(data)

    @property
    def is_local(self) -> bool:
        """Tell whether the kernel alone stands between both ends."""
        return self.sock.family == getattr(socket, "AF_UNIX", None)

    def is_silent(self) -> bool:
        """Tell whether the other end is there and has said nothing that was not read."""
        self.sock.setblocking(False)
        try:
            self.sock.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return not self._kept
        except OSError:
            pass
        return False

    def close(self) -> None:
        """Close the connection."""
        self.sock.close()


def read_address(folder: Path) -> Address | None:
    """Read `daemon.json`; None when there is none that makes sense."""
    try:
        told = json.loads((folder / DAEMON_FILE).read_bytes())
        return Address(int(told["pid"]), str(told["address"]), str(told["version"]), str(told.get("token", "")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def connect(folder: Path, *, within_s: float) -> Channel | None:
    """Connect to the daemon that serves in a runtime folder; None when there is none."""
    path = folder / SOCKET
    try:
        if hasattr(socket, "AF_UNIX") and path.exists():
            return _open(socket.AF_UNIX, str(path), within_s)
        found = read_address(folder)
        if found is None or not found.token:
            return None
        host, _, port = found.address.rpartition(":")
        channel = _open(socket.AF_INET, (host, int(port)), within_s)
    except (OSError, ValueError):
        return None
    try:
        channel.send(found.token.encode() + b"\n", within_s=within_s)
    except OSError:
        channel.close()
        return None
    return channel


def peer_uid(sock: socket.socket) -> int | None:
    """Ask the kernel who is at the other end; None where it can't say."""
    if sys.platform == "linux":
        size = struct.calcsize("3i")
        return int(struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[1])
    if sys.platform == "darwin":
        # struct xucred of LOCAL_PEERCRED (1) at level SOL_LOCAL (0): version, uid, number of groups, groups.
        return int(struct.unpack_from("2I", sock.getsockopt(0, 1, 76))[1])
    return None


def peer_pid(sock: socket.socket) -> int | None:
    """Ask the kernel which process opened the socket at the other end; None where it can't say."""
    if sock.family != getattr(socket, "AF_UNIX", None):
        return None
    if sys.platform == "linux":
        size = struct.calcsize("3i")
        return int(struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[0])
    if sys.platform == "darwin":
        return int(struct.unpack("i", sock.getsockopt(0, 2, 4))[0])  # LOCAL_PEERPID at level SOL_LOCAL
    return None


def _open(family: int, address: str | tuple[str, int], within_s: float) -> Channel:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(max(within_s, 0.001))
        sock.connect(address)
        if family == socket.AF_INET:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:
        sock.close()
        raise
    return Channel(sock)
