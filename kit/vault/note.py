"""Notes as bytes: split, read, parsed into their kind, edited with the least change, made new.

Law: pure, bytes in and values out. What is not changed on purpose survives byte for byte: comments, key
order, quotes, line endings, a missing last newline; an edit that can't promise that is refused.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from pydantic import ValidationError

from kit.errors import BadNoteError, Problem
from kit.model.fields import parse_instant
from kit.model.notes import KINDS, Note, Scene, Tag
from kit.vault.amend import Value, amend, entry, reread, writable
from kit.vault.body import first_paragraph, put_summary
from kit.vault.faults import Fault, explain_values
from kit.vault.front import MOST_BYTES, Front, looks_like_keys, read_front, read_values

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Parsed", "Parts", "Value", "edit", "first_paragraph", "parse", "read", "render", "set_body",
    "set_summary", "split",
]  # fmt: skip

_BOM = b"\xef\xbb\xbf"
_OPENING = re.compile(rb"---[ \t]*\r?\n")
_CLOSING = re.compile(rb"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[\w-]+:(?:\s|\Z)")


class Parts(NamedTuple):
    """A file cut in five; joined again they are the file."""

    bom: bytes
    opening: bytes
    """The `---` line; empty when there is no front matter, and then `front` and `closing` are too."""
    front: bytes
    closing: bytes
    body: bytes


class Parsed(NamedTuple):
    """A note that could be read."""

    front: dict[str, object]
    body: str
    lines: dict[str, int]
    """The 1-based line of each key in the file."""


def split(raw: bytes) -> Parts:
    """Cut a file at its `---` lines: one alone on the first line, and the first one after it."""
    bom = _BOM if raw.startswith(_BOM) else b""
    opening = _OPENING.match(raw, len(bom))
    closing = _CLOSING.search(raw, opening.end()) if opening else None
    if not opening or not closing:
        return Parts(bom, b"", b"", b"", raw[len(bom) :])
    return Parts(bom, opening[0], raw[opening.end() : closing.start()], closing[0], raw[closing.end() :])


def read(raw: bytes, path: str) -> Parsed:
    """Read a note's front matter and body; a text between two rules that is no mapping is body.

    Raise BadNoteError with the line and what mends it.
    """
    parts, front = _take(raw, path, nodes=False)
    return Parsed(front.values if front else {}, _decode(parts.body, raw, path), _lines(parts, front))


def _lines(parts: Parts, front: Front | None) -> dict[str, int]:
    text = parts.front.decode()
    return {key: text.count("\n", 0, place) + 2 for key, place in front.places.items()} if front else {}


def read_body(raw: bytes, path: str) -> str:
    """Read the body alone, of a note whose front matter is known to be well."""
    return _decode(split(raw).body, raw, path)


def parse(raw: bytes, path: str, *, fallback_name: str) -> Note | None:
    """Read a note of the kit; None when it has no `kind`: then it is a plain note of the person's.

    `fallback_name` names a tag or scene that has no name of its own. Raise BadNoteError, naming every
    wrong key.
    """
    parts, front = _take(raw, path, nodes=False)
    body = _decode(parts.body, raw, path)
    found = front.values if front else {}
    kind = found.get("kind")
    if kind is None or kind == "":
        return None
    model = KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        line, known = _lines(parts, front)["kind"], ", ".join(KINDS)
        raise BadNoteError(Problem(path, line, f"`{kind}` is no kind of note.", f"Known: {known}."))
    values = {**found, "body": body}
    if model in {Tag, Scene} and not values.get("name"):
        values["name"] = fallback_name
    try:
        return model.model_validate(values)
    except ValidationError as error:
        told, lines = explain_values(error, found), _lines(parts, front)
        line = min((lines[key] for key, _ in told if key in lines), default=1)
        what = " ".join(sentence for _, sentence in told)
        mend = (
            f"Add `{told[0][0]}`, a text that no other note has."
            if "missing" in what
            else "Correct it, or delete the key."
        )
        raise BadNoteError(Problem(path, line, what, mend)) from None


def edit(raw: bytes, changes: Mapping[str, Value | None], path: str) -> bytes:
    """Change some keys of the front matter and nothing else: None removes a key, new keys come last.

    A key that already means the value keeps its line. A note without front matter gets one. Raise
    BadNoteError when the note can't be read, or when the change can't be made without touching more.
    """
    if not changes:
        return raw
    parts, front = _take(raw, path)
    old = front.values if front else {}
    todo = {
        key: value
        for key, value in changes.items()
        if (key in old if value is None else key not in old or not _means(old[key], value))
    }
    if not todo:
        return raw
    newline = _newline(parts)
    try:
        text = amend(parts.front.decode(), front.root if front else None, todo, newline)
        edge = f"---{newline}".encode()
        new = Parts(parts.bom, parts.opening or edge, text.encode(), parts.closing or edge, parts.body)
        _check(
            new,
            {**old, **{key: reread(value) for key, value in todo.items() if value is not None}},
            todo,
            path,
        )
    except (BadNoteError, Fault, ValueError) as error:
        names = ", ".join(f"`{key}`" for key in todo)
        line = 1
        if front and (places := [front.places[key] for key in todo if key in front.places]):
            line = parts.front.decode().count("\n", 0, min(places)) + 2
        raise BadNoteError(
            Problem(
                path,
                line,
                f"{names} can't be changed without touching more, so the note was left alone.",
                "Write the front matter as plain `key: value` lines, or change it by hand.",
            )
        ) from error
    return b"".join(new)


def _check(new: Parts, wanted: dict[str, object], todo: Mapping[str, object], path: str) -> None:
    raw = b"".join(new)
    again, front = _take(raw, path)
    expected = {key: value for key, value in wanted.items() if todo.get(key, "") is not None}
    if again != new or front is None or front.values != expected:
        raise ValueError("the edit would change more")


def _means(had: object, new: Value) -> bool:
    """Tell whether a value read from a note already means another; an empty property is an empty text."""
    if isinstance(new, datetime):
        try:
            return parse_instant(had) == (new if new.tzinfo else new.astimezone())
        except ValueError:
            return False
    wanted = reread(new)
    if had is None:
        return wanted in ("", [])
    if isinstance(new, str) and _is_number(had):
        return str(had) == new
    if _is_number(wanted) and isinstance(had, str):
        return _number(had) == wanted
    return isinstance(had, bool) == isinstance(new, bool) and had == wanted


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def set_body(raw: bytes, body: str) -> bytes:
    """Put another body below the front matter, which stays byte for byte."""
    parts = _parts(raw)
    return b"".join(parts[:4]) + _encode(body)


def set_summary(raw: bytes, sentence: str) -> bytes:
    """Put a sentence in place of the summary, the first line of the body; all below stays byte for byte.

    A line a person added right under the old summary becomes a paragraph of its own. An empty sentence
    changes nothing.
    """
    parts = _parts(raw)
    line = writable(sentence).replace("\0", "\ufffd")
    body = put_summary(parts.body, line, _newline(parts).encode())
    return raw if body == parts.body else b"".join(parts[:4]) + body


def render(front: Mapping[str, Value | None], body: str) -> bytes:
    """Write a new note: keys in the order given, those that are None left out; LF, a newline at the end."""
    lines = "".join(entry(key, value, "\n") for key, value in front.items() if value is not None)
    text = body.replace("\r\n", "\n")
    if text and not text.endswith("\n"):
        text += "\n"
    return f"---\n{lines}---\n".encode() + _encode(text)


def _newline(parts: Parts) -> str:
    last = parts.front or parts.opening or parts.body.partition(b"\n")[0] + b"\n"
    return "\r\n" if last.endswith(b"\r\n") else "\n"


def _encode(text: str) -> bytes:
    return writable(text).replace("\0", "\ufffd").encode()


def _plain(parts: Parts) -> Parts:
    return Parts(parts.bom, b"", b"", b"", b"".join(parts[1:]))


def _parts(raw: bytes) -> Parts:
    """Split a note to write below its front matter, which need not be readable."""
    try:
        parts, _ = _take(raw, "")
    except BadNoteError:
        parts = split(raw)
    if parts.closing and not parts.closing.endswith(b"\n"):
        parts = parts._replace(closing=parts.closing + _newline(parts).encode())
    return parts


def _take(raw: bytes, path: str, *, nodes: bool = True) -> tuple[Parts, Front | None]:
    parts = split(raw)
    if b"\0" in raw:
        _bad(raw, raw.index(b"\0"), path, "The file holds a NUL byte: it is damaged or no text.", "Restore it.")
    if not parts.opening:
        _refuse_unclosed(raw, parts, path)
        return parts, None
    base = len(parts.bom) + len(parts.opening)
    text = _decode(parts.front, raw, path, base)
    if len(parts.front) > MOST_BYTES:
        if not looks_like_keys(text):
            return _plain(parts), None
        what = f"The front matter is longer than {MOST_BYTES // 1024} KiB."
        raise BadNoteError(Problem(path, 1, what, "Move the text below the second `---`."))
    try:
        front = read_front(text) if nodes else read_values(text)
    except Fault as fault:
        line = text.count("\n", 0, fault.at) + 2
        raise BadNoteError(Problem(path, line, fault.what, fault.mend)) from None
    return (parts, front) if front else (_plain(parts), None)


def _refuse_unclosed(raw: bytes, parts: Parts, path: str) -> None:
    opening = _OPENING.match(raw, len(parts.bom))
    if opening and _KEY_LINE.match(raw, opening.end()):
        _bad(raw, 0, path, "The front matter is never closed.", "Put a line `---` below its last key.")
    if raw.startswith(b"<<<<<<< ", len(parts.bom)):
        _bad(raw, 0, path, "A merge left its conflict markers here.", "Keep one side and delete the markers.")


def _decode(part: bytes, raw: bytes, path: str, base: int | None = None) -> str:
    try:
        return part.decode()
    except UnicodeDecodeError as error:
        at = (len(raw) - len(part) if base is None else base) + error.start
        _bad(raw, at, path, "The file is not UTF-8.", "Save it again with the encoding UTF-8.")


def _bad(raw: bytes, at: int, path: str, what: str, mend: str) -> NoReturn:
    raise BadNoteError(Problem(path, raw.count(b"\n", 0, at) + 1, what, mend))
