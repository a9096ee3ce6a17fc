"""Reading files that others wrote: JSON in any spelling of its keys, times in any form, broken files told by place.

Law: nothing of a source is ever changed; whatever can't be read becomes a Problem with its place.
"""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import tempfile
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kit.errors import Problem
from kit.model.fields import parse_instant
from kit.vault.amend import writable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Row = dict[str, object]
LARGEST = 256 * 1024 * 1024
"""Bytes of one file that is read."""
_FIRST_YEAR = 1990
_MILLISECONDS = 1e11
"""A number above this counts milliseconds since 1970, not seconds."""


def text_of(file: Path, where: str) -> str | Problem:
    """Read a text: UTF-8, with or without a mark, else GB 18030, which older Chinese programs write."""
    try:
        if file.stat().st_size > LARGEST:
            return Problem(where, 0, "The file is too large to be read.", "Split it.")
        raw = file.read_bytes()
    except OSError as error:
        return Problem(where, 0, f"It can't be read ({error.strerror}).", "Check its permissions.")
    for encoding in ("utf-8-sig", "gb18030"):
        with suppress(UnicodeDecodeError):
            return raw.decode(encoding)
    return Problem(where, 0, "The file is neither UTF-8 nor GB 18030.", "Save it again as UTF-8.")


def json_of(file: Path, where: str) -> object | Problem:
    """Read a JSON file; halves of surrogate pairs become replacement characters."""
    text = text_of(file, where)
    if isinstance(text, Problem):
        return text
    try:
        found: object = json.loads(text)
    except json.JSONDecodeError as error:
        return Problem(
            where, error.lineno, f"This is no JSON: {error.msg}.", "It was skipped; mend it and import again."
        )
    except (ValueError, RecursionError):  # a number of thousands of digits; lists in lists without end
        return Problem(where, 0, "This JSON holds more than can be read.", "It was skipped.")
    return found


def pick(row: Mapping[str, object], *names: str) -> object:
    """Take the first of some keys that a record has, whatever the case; None when it has none."""
    for name in names:
        if (found := row.get(name)) is not None:
            return found
    folded = {key.casefold(): value for key, value in row.items()}
    return next((folded[name.casefold()] for name in names if folded.get(name.casefold()) is not None), None)


def word(row: Mapping[str, object], *names: str) -> str:
    """Take a text; numbers are written out, anything else is empty."""
    found = pick(row, *names)
    if isinstance(found, bool) or not isinstance(found, (str, int, float)):
        return ""
    return writable(str(found)).replace("\0", "").strip()


def words(row: Mapping[str, object], *names: str) -> tuple[str, ...]:
    """Take a list of texts; one that is written as JSON or with commas is taken apart."""
    found = pick(row, *names)
    if isinstance(found, str):
        with suppress(ValueError):
            found = json.loads(found) if found.strip().startswith("[") else found
    if isinstance(found, str):
        found = found.replace("，", ",").replace("、", ",").split(",")
    if not isinstance(found, list):
        return ()
    texts = (writable(one).replace("\0", "").strip() for one in found if isinstance(one, str))
    return tuple(dict.fromkeys(one for one in texts if one))


def inner(row: Mapping[str, object], *names: str) -> Row:
    """Take an object; anything else is an empty one."""
    found = pick(row, *names)
    return found if isinstance(found, dict) else {}


def rows(row: Mapping[str, object], *names: str) -> list[Row]:
    """Take the objects of a list."""
    found = pick(row, *names)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def number(row: Mapping[str, object], name: str, default: float = 0.0) -> float:
    """Take a number; what JSON calls NaN or Infinity is none."""
    found = pick(row, name)
    with suppress(OverflowError, ValueError):
        told = float(found) if isinstance(found, (int, float, str)) and not isinstance(found, bool) else default
        return told if math.isfinite(told) else default
    return default


def moment(value: object) -> datetime | None:
    """Read a time: seconds or milliseconds since 1970, or a text; None for none and for a program's zero."""
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            at = datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC).astimezone()
        else:
            found = parse_instant(value if isinstance(value, (str, datetime)) else None)
            if found is None:
                return None
            at = found
        return at.replace(microsecond=0) if at.year >= _FIRST_YEAR else None
    except (ValueError, OverflowError, OSError):
        return None


def saved_at(file: Path) -> datetime:
    """Tell when a file was last saved; it stands in for a time that a record lacks."""
    with suppress(OSError, OverflowError, ValueError):
        return datetime.fromtimestamp(file.stat().st_mtime, UTC).astimezone().replace(microsecond=0)
    return datetime(2000, 1, 1, tzinfo=UTC)


@contextmanager
def opened(database: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of an SQLite database, with what its program has not folded in yet: reading may write a file.

    Raise sqlite3.Error or OSError.
    """
    with tempfile.TemporaryDirectory(prefix="memkit-import-") as folder:
        copy = Path(folder, "copy.db")
        for tail in ("", "-wal"):
            beside = database.with_name(database.name + tail)
            if beside.exists():
                shutil.copyfile(beside, copy.with_name(copy.name + tail))
        db = sqlite3.connect(copy)
        db.row_factory = sqlite3.Row
        try:
            yield db
        finally:
            db.close()


def table(database: Path, name: str, where: str) -> Iterable[Row | Problem]:
    """Read all rows of a table; one that is not there has none."""
    if not database.is_file():
        return []
    try:
        with opened(database) as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone():
                return []
            return [dict(row) for row in db.execute(f'SELECT * FROM "{name}"')]
    except (sqlite3.Error, OSError) as error:
        return [Problem(where, 0, f"The table {name} can't be read ({error}).", "It was skipped.")]
