"""The seal on an engine's folder while nobody has it open: a checksum of every file.

Law: a sealed folder that differs from its seal is damaged. A folder without a seal was left in a hurry
(a crash, a kill): the engine's own crash safety answers for it.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_NAME = "seal.json"
_CHUNK = 1 << 20


def put(folder: Path) -> None:
    """Seal a folder: to be called when its last file is closed."""
    marks = {path.name: _mark(path) for path in sorted(folder.iterdir()) if path.is_file() and path.name != _NAME}
    (folder / _NAME).write_text(json.dumps(marks), encoding="ascii")


def is_whole(folder: Path) -> bool:
    """Tell whether every sealed file is as it was; True for a folder without a seal."""
    try:
        marks = json.loads((folder / _NAME).read_text(encoding="ascii"))
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    if not isinstance(marks, dict):
        return False
    try:
        return all(_mark(folder / name) == mark for name, mark in marks.items())
    except OSError:
        return False


def take_off(folder: Path) -> None:
    """Break the seal: to be called before anything in the folder is changed."""
    (folder / _NAME).unlink(missing_ok=True)


def _mark(path: Path) -> list[int]:
    sum_ = size = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            sum_ = zlib.crc32(chunk, sum_)
            size += len(chunk)
    return [size, sum_]
