"""The kit's own JSON: one object a line, a header first; each note byte for byte. README.md here tells the schema."""

from __future__ import annotations

import base64
import binascii
import json
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

from kit import __version__
from kit.errors import BadNoteError, Problem
from kit.transfer.pieces import Verbatim
from kit.vault import layout, note, walk
from kit.vault.journal import months

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from kit.transfer.pieces import Reading

FORMAT, SCHEMA = "memkit-vault", 1


def lines(root: Path, vault: str, now: datetime, *, archive: bool, journal: bool) -> Iterator[str | Problem]:
    """Write a vault out, line by line; what can't be read is told."""
    seen = walk.walk(root)
    paths = [(path, stat.mtime_ns) for path, stat in seen if archive or not path.startswith(f"{layout.ARCHIVE}/")]
    header = {
        "format": FORMAT, "schema": SCHEMA, "kit": __version__, "vault": vault,
        "exported": now.isoformat(timespec="seconds"), "notes": len(paths), "archive": archive, "journal": journal,
    }  # fmt: skip
    yield _line(header)
    if journal:
        for path in months(root):
            yield _record(root, path, 0)
    for path, mtime_ns in paths:
        yield _record(root, path, mtime_ns)
    yield from (*seen.errors, *seen.skipped)


def _record(root: Path, path: str, mtime_ns: int) -> str | Problem:
    try:
        raw = (root / path).read_bytes()
    except OSError as error:
        return Problem(path, 0, f"It can't be read ({error.strerror}).", "It is not in the export.")
    told: dict[str, object] = {"path": path}
    if mtime_ns:
        told["mtime_ns"] = mtime_ns
    try:
        whole = raw.decode()
    except UnicodeDecodeError:
        return _line({**told, "base64": base64.b64encode(raw).decode()})
    if path.endswith(".jsonl"):
        return _line({**told, "text": whole})
    parts = note.split(raw)
    with suppress(BadNoteError):
        front = note.read(raw, path).front
        if front:
            told |= {key: front[key] for key in ("id", "kind") if isinstance(front.get(key), str)}
            told["front"] = front
            head = len(raw) - len(parts.body)
            return _line({**told, "head": raw[:head].decode(), "body": parts.body.decode()})
    return _line({**told, "text": whole})


def _line(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def fits(source: Path) -> bool:
    """Tell whether a file begins with the header."""
    if not source.is_file():
        return False
    with suppress(OSError, UnicodeDecodeError), source.open(encoding="utf-8-sig") as file:
        return isinstance(_header(file.readline(10_000)), dict)
    return False


def _header(line: str) -> dict[str, object] | Problem:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return Problem("", 1, f"The first line is no header of a {FORMAT} file.", "Export it again.")
    schema = found.get("schema")
    if not isinstance(schema, int) or schema > SCHEMA:
        return Problem("", 1, f"This file has schema {schema}; this kit reads up to {SCHEMA}.", "Update memkit.")
    return found


def read(source: Path) -> Reading:
    """Read a vault back; the journal comes first."""
    try:
        with source.open("rb") as file:
            header = _header(file.readline().decode("utf-8-sig", "replace"))
            if isinstance(header, Problem):
                yield header._replace(path=source.name)
                return
            count = 0
            for number, line in enumerate(file, 2):
                if line.strip():
                    found = _piece(line, source.name, number)
                    count += isinstance(found, Verbatim) and not found.path.endswith(".jsonl")
                    yield found
    except OSError as error:
        yield Problem(source.name, 0, f"It can't be read ({error.strerror}).", "Check its permissions.")
        return
    wanted = header.get("notes")
    if isinstance(wanted, int) and count < wanted:
        what = f"The header promises {wanted} notes, and {count} are here."
        yield Problem(source.name, 0, what, "The file may have been cut short; compare it with the original.")


def _piece(line: bytes, name: str, number: int) -> Verbatim | Problem:
    try:
        told = json.loads(line)
        path = told["path"]
        raw = _bytes(told)
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
        return Problem(name, number, "This line is no note.", "It was skipped.")
    if not isinstance(path, str) or not path.endswith((".md", ".jsonl")):
        return Problem(name, number, f"{path!r:.60} is no path of a note.", "It was skipped.")
    mtime_ns = told.get("mtime_ns", 0)
    front = {key: told.get(key) for key in ("id", "kind")}
    note_id, kind = (value if isinstance(value, str) else "" for value in front.values())
    return Verbatim(f"file:{path}", path, raw, note_id, kind, mtime_ns if isinstance(mtime_ns, int) else 0)


def _bytes(told: dict[str, object]) -> bytes:
    if "base64" in told:
        return base64.b64decode(str(told["base64"]), validate=True)
    if "text" in told:
        return _text(told["text"])
    return _text(told["head"]) + _text(told["body"])


def _text(value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value.encode()
