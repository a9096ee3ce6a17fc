"""The seal on an engine's folder while nobody has it open: a checksum of every part of every file.

Law: a sealed folder that differs from its seal is damaged. A folder without a seal was left in a hurry
(a crash, a kill): the engine's own crash safety answers for it. No file is closed that SQLite may have open in this
process: with that its locks would go, and whoever opened the index next would throw away what waits to be written.
"""

from __future__ import annotations

import json
import threading
import zlib
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_NAME = "seal.json"
_PIECE = 1 << 22
"""Bytes that have a checksum of their own, so that several threads can share a file."""
_CHUNK = 1 << 18
_AT_ONCE = 1 << 23
"""Bytes of a folder that are looked through in less time than it takes to begin threads for it."""
_THREADS = 2


def put(folder: Path) -> None:
    """Seal a folder: to be called when its last file is closed."""
    marks: dict[str, list[int]] = {}
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name != _NAME:
            with path.open("rb") as file:
                size = path.stat().st_size
                marks[path.name] = [size, *(_sum(file, start) for start in range(0, size, _PIECE))]
    (folder / _NAME).write_text(json.dumps(marks), encoding="ascii")


def is_whole(folder: Path) -> bool:
    """Tell whether every sealed file is as it was; True for a folder without a seal."""
    return Check(folder, at_once=True).result() is True


def take_off(folder: Path) -> None:
    """Break the seal: to be called before anything in the folder is changed."""
    (folder / _NAME).unlink(missing_ok=True)


class Check:
    """Looks through a sealed folder: a small one at once, a large one in threads, while other things go on.

    Whoever has a large one looked through opens the index meanwhile, and calls `close` once that is closed.
    """

    def __init__(self, folder: Path, *, at_once: bool = False) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._whole = True
        self._pieces = iter(self._sealed())
        self._threads: list[threading.Thread] = []
        self._files: list[BinaryIO] = []
        if at_once or self._size <= _AT_ONCE:
            self._look()
            self.close()
            return
        self._threads = [threading.Thread(target=self._look, daemon=True) for _ in range(_THREADS)]
        for thread in self._threads:
            thread.start()

    def result(self, wait_s: float | None = None) -> bool | None:
        """Tell whether all is as it was sealed; None when that takes longer than one waits."""
        end = None if wait_s is None else monotonic() + wait_s
        for thread in self._threads:
            thread.join(None if end is None else max(0.0, end - monotonic()))
            if thread.is_alive():
                return None if self._whole else False
        return self._whole

    def close(self) -> None:
        """Close the files that were looked through."""
        while self._files:
            self._files.pop().close()

    def _sealed(self) -> list[tuple[Path, int, int]]:
        """List each piece with its checksum, and see that the files are as long as they were."""
        self._size = 0
        found: list[tuple[Path, int, int]] = []
        try:
            marks = json.loads((self._folder / _NAME).read_text(encoding="ascii"))
            for name, (size, *sums) in marks.items():
                path = self._folder / name
                found += [(path, at, sum_) for at, sum_ in zip(range(0, size, _PIECE), sums, strict=True)]
                self._whole = self._whole and path.stat().st_size == size
                self._size += size
        except FileNotFoundError as error:
            self._whole = error.filename == str(self._folder / _NAME)  # no seal at all
            return []
        except (OSError, ValueError, TypeError, AttributeError):
            self._whole = False
            return []
        return found

    def _look(self) -> None:
        opened: dict[Path, BinaryIO] = {}  # of this thread alone: each reads in another place
        while self._whole and (piece := self._next()):
            path, start, sum_ = piece
            try:
                if path not in opened:
                    opened[path] = path.open("rb")
                    self._files.append(opened[path])
                if _sum(opened[path], start) != sum_:
                    self._whole = False
            except (OSError, ValueError):  # it can't be read, or was closed: nobody waits for it any more
                self._whole = False

    def _next(self) -> tuple[Path, int, int] | None:
        with self._lock:
            return next(self._pieces, None)


def sum_of(path: Path) -> int:
    """Sum up a whole file."""
    sum_ = 0
    with path.open("rb") as file:
        for start in range(0, path.stat().st_size, _PIECE):
            sum_ = _sum(file, start, sum_)
    return sum_


def _sum(file: BinaryIO, start: int, sum_: int = 0) -> int:
    file.seek(start)
    left = _PIECE
    while left and (chunk := file.read(min(_CHUNK, left))):
        left -= len(chunk)
        sum_ = zlib.crc32(chunk, sum_)
    return sum_
