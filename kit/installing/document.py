"""A person's JSON file as text that is edited in place: what is added or taken out changes no other byte.

Law: pure; anything but one strict JSON object in UTF-8 is refused with a sentence, and nothing is guessed.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from kit.errors import RefusedError

if TYPE_CHECKING:
    from pathlib import Path

BOM = "\ufeff"
EMPTY = "{}\n"
_SPACE = re.compile(r"[ \t\r\n]*")


class Part(NamedTuple):
    """A member of an object (`key` is a text) or an item of a list (`key` is None), as a span of the text."""

    key: str | None
    start: int
    value: int
    """Where the value begins; the same as `start` for an item."""
    end: int


def refuse(path: Path, what: str) -> NoReturn:
    """Raise the error that says a file is not what it should be."""
    raise RefusedError(f"{path}: {what}", "Nothing was changed. Mend the file, then try again.")


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_constant)


def read(raw: bytes | None, path: Path) -> str:
    """Decode a file that holds one JSON object; a missing or blank one counts as `{}`."""
    try:
        found = (raw or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        refuse(path, f"This is no UTF-8 (byte {error.start}).")
    text = found.removeprefix(BOM)
    mark = BOM if text != found else ""
    if not text.strip():
        return mark + EMPTY
    try:
        value = json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        comment = "//" in text or "/*" in text
        why = " A strict reader takes no comments and no trailing commas." if comment or ",\n" in text else ""
        refuse(path, f"Line {error.lineno} is no JSON: {error.msg}.{why}")
    except (ValueError, RecursionError) as error:
        refuse(path, f"This is no JSON: {error}.")
    if not isinstance(value, dict):
        refuse(path, "This is JSON but no object.")
    return mark + text


def root(text: str) -> int:
    """Find where the object begins."""
    return _skip(text, 1 if text.startswith(BOM) else 0)


def value(text: str, at: int) -> object:
    """Parse the value that begins at a place."""
    return _DECODER.raw_decode(text, at)[0]


def end(text: str, at: int) -> int:
    """Find the end of the value that begins at a place."""
    return _DECODER.raw_decode(text, at)[1]


def parts(text: str, at: int) -> list[Part]:
    """List what the object or list that begins at a place holds."""
    found: list[Part] = []
    keyed = text[at] == "{"
    here = _skip(text, at + 1)
    while text[here] not in "}]":
        start, key = here, None
        if keyed:
            parsed, here = _DECODER.raw_decode(text, here)
            key = str(parsed)
            here = _skip(text, _skip(text, here) + 1)
        stop = end(text, here)
        found.append(Part(key, start, here, stop))
        here = _skip(text, stop)
        if text[here] == ",":
            here = _skip(text, here + 1)
    return found


def member(text: str, at: int, key: str, path: Path) -> Part | None:
    """Find a member of an object; refuse a key that stands there twice."""
    found = [part for part in parts(text, at) if part.key == key]
    if len(found) > 1:
        refuse(path, f"'{key}' stands there twice.")
    return found[0] if found else None


def append(text: str, at: int, added: object, key: str | None = None) -> str:
    """Add a member or an item at the end of what begins at a place, in the file's own layout."""
    held = parts(text, at)
    if held:
        gap = text[at + 1 : held[0].start]
        last = held[-1].end
        if "\n" not in gap:
            blank = " " if re.search(r"[:,] ", text) else ""
            return text[:last] + f",{blank}" + _inline(text, added, key) + text[last:]
        indent = gap.rpartition("\n")[2]
        return text[:last] + f",{_newline(text)}{indent}" + _spread(text, added, key, indent) + text[last:]
    close = end(text, at) - 1
    if "\n" not in text.strip() and text.strip(f" \t\r\n{BOM}") != "{}":
        return text[: at + 1] + _inline(text, added, key) + text[close:]
    outer = _indent_of_line(text, at)
    inner = outer + unit(text)
    newline = _newline(text)
    return text[: at + 1] + newline + inner + _spread(text, added, key, inner) + newline + outer + text[close:]


def put(text: str, at: int, wanted: object) -> str:
    """Replace the value that begins at a place."""
    line = text[at : end(text, at)]
    spread = "\n" in line
    written = _spread(text, wanted, None, _indent_of_line(text, at)) if spread else _inline(text, wanted, None)
    return text[:at] + written + text[end(text, at) :]


def remove(text: str, at: int, number: int) -> str:
    """Take one part out of what begins at a place, with its comma; the inverse of `append`."""
    held = parts(text, at)
    part = held[number]
    if number:
        return text[: held[number - 1].end] + text[part.end :]
    if len(held) > 1:
        return text[: part.start] + text[held[1].start :]
    return text[: at + 1] + text[end(text, at) - 1 :]


def unit(text: str) -> str:
    """Tell what the file indents by."""
    found = re.search(r"\{[ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 :].removeprefix(BOM)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _inline(text: str, what: object, key: str | None) -> str:
    separators = (", ", ": ") if re.search(r"[:,] ", text) else (",", ":")
    said = json.dumps(what, ensure_ascii=False, separators=separators)
    return said if key is None else f"{json.dumps(key, ensure_ascii=False)}{separators[1]}{said}"


def _spread(text: str, what: object, key: str | None, indent: str) -> str:
    said = json.dumps(what, ensure_ascii=False, indent=unit(text)).replace("\n", _newline(text) + indent)
    return said if key is None else f"{json.dumps(key, ensure_ascii=False)}: {said}"


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
