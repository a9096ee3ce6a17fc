"""Values that take long to make, kept ready-made among what is derived: word tables, so far.

Law: a kept value is the very one that would be made. It goes by the files it was made from, by the versions of
the kit and of Python, and by its own checksum; any doubt, and it is made anew.
"""

from __future__ import annotations

import marshal
import os
import sys
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from kit import __version__, places

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

_Value = TypeVar("_Value")
_SUM = 4
"""Bytes of the checksum, which stands first."""


def made(name: str, sources: Collection[Path], make: Callable[[], _Value]) -> _Value:
    """Take the value that was kept under a name, or make it: of numbers, texts, tuples, lists, sets and dicts."""
    base = places.cache_base()
    file, stamp = base / f"{name}.ready", _stamp(sources)
    kept = _read(file)
    if isinstance(kept, tuple) and kept[:1] == (stamp,):
        found: _Value = kept[1]
        return found
    value = make()
    if base.is_dir():  # where nothing is derived yet, nothing is kept
        _write(file, marshal.dumps((stamp, value)))  # type: ignore[arg-type]  # what it may be made of is said above
    return value


def _stamp(sources: Collection[Path]) -> str:
    stats = [path.stat() for path in sources]
    return f"{__version__} {sys.version} {[(one.st_mtime_ns, one.st_size) for one in stats]}"


def _read(file: Path) -> object:
    with suppress(OSError, EOFError, ValueError, TypeError):
        raw = file.read_bytes()
        if zlib.crc32(raw[_SUM:]) == int.from_bytes(raw[:_SUM], "big"):
            return marshal.loads(raw[_SUM:])  # noqa: S302 - the folder is private, and the checksum is right
    return None


def _write(file: Path, body: bytes) -> None:
    draft = file.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        try:
            draft.write_bytes(zlib.crc32(body).to_bytes(_SUM, "big") + body)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
