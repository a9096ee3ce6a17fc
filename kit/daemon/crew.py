"""A child that does pieces of a long work ahead of whoever goes through the results, on another core.

Law: the results are those of doing it here, in order. What the child does not get to, or takes with it when it
dies, is done here; it ends with whoever began it, at the latest when it finds nobody at the other end.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

from kit.places import child_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")
_SIZE = 8
"""Bytes that say how long a message is."""


class Crew(Generic[_Piece, _Result]):
    """Does pieces of a work: by `command`, which runs `serve` in a child, and by `work` here.

    The child gets ready at once, and is never more than `ahead` pieces ahead of whoever goes through the results.
    """

    def __init__(self, command: Sequence[str], work: Callable[[_Piece], _Result], ahead: int) -> None:
        self._work, self._ahead = work, ahead
        self._pieces: Sequence[_Piece] = ()
        self._moved = threading.Condition()
        self._next = self._at = 0
        self._done: dict[int, _Result | bytes | None] = {}
        self._ended = False
        self._child = _begin(command) if (os.cpu_count() or 1) > 1 else None
        if self._child:
            threading.Thread(target=self._drive, args=(self._child,), daemon=True).start()

    def each(self, pieces: Sequence[_Piece]) -> Iterator[_Result]:
        """Give the results of some pieces in their order; to be called once. The child ends with it."""
        try:
            with self._moved:
                self._pieces = pieces
                self._moved.notify_all()
            for at in range(len(pieces)):
                yield self._take(at)
        finally:
            self.stop()

    def stop(self) -> None:
        """End the child."""
        with self._moved:
            self._ended = True
            self._moved.notify_all()
        if self._child:
            self._child.kill()
            self._child.wait()

    def _take(self, at: int) -> _Result:
        """Wait for a piece; do it, or another one meanwhile, where nobody has begun it."""
        while True:
            with self._moved:
                self._at = at
                self._moved.notify_all()
                if at in self._done:
                    found = self._done.pop(at)
                    break
                mine = self._claim()
                if mine is None:
                    self._moved.wait()
                    continue
            result = self._work(self._pieces[mine])
            if mine == at:
                return result
            with self._moved:
                self._done[mine] = result
        if found is None:  # the child has died over it
            return self._work(self._pieces[at])
        return pickle.loads(found) if isinstance(found, bytes) else found  # noqa: S301 - of our own child

    def _claim(self) -> int | None:
        """Take the first piece that nobody has begun."""
        if self._next >= min(len(self._pieces), self._at + self._ahead):
            return None
        self._next += 1
        return self._next - 1

    def _drive(self, child: subprocess.Popen[bytes]) -> None:
        """Hand pieces to the child, and gather what it makes of them."""
        assert child.stdin and child.stdout  # noqa: S101, PT018 - piped
        mine: int | None = None
        try:
            with child.stdin, child.stdout:
                while True:
                    if not child.stdout.read(1):  # it is ready for a piece
                        return
                    with self._moved:
                        while not self._ended and (mine := self._claim()) is None:
                            self._moved.wait()
                    if mine is None:
                        return
                    _send(child.stdin, pickle.dumps(self._pieces[mine]))
                    found = _receive(child.stdout)
                    with self._moved:
                        self._done[mine], mine = found, None
                        self._moved.notify_all()
        except (OSError, EOFError):
            return
        finally:
            with self._moved:
                if mine is not None:
                    self._done[mine] = None
                self._moved.notify_all()


def _begin(command: Sequence[str]) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(  # noqa: S603 - this very program
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
        )
    except OSError:
        return None


def _send(to: IO[bytes], message: bytes) -> None:
    to.write(len(message).to_bytes(_SIZE, "big") + message)
    to.flush()


def _receive(source: IO[bytes]) -> bytes:
    """Read a message; raise EOFError where nobody sends any more."""
    head = source.read(_SIZE)
    size = int.from_bytes(head, "big")
    message = source.read(size)
    if len(head) < _SIZE or len(message) < size:
        raise EOFError
    return message


def serve(work: Callable[[Any], object]) -> None:
    """Do the pieces that come in, until nobody sends any more; to be called in the child."""
    source, to = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed by accident
    while True:
        try:
            to.write(b".")
            to.flush()
            piece = pickle.loads(_receive(source))  # noqa: S301 - of our own parent
            _send(to, pickle.dumps(work(piece), pickle.HIGHEST_PROTOCOL))
        except (EOFError, OSError):
            return
