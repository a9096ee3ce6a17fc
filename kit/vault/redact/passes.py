"""A text gone through, again and again until nothing in it is a secret any more."""

from __future__ import annotations

from kit.vault.redact.marks import (
    COMMAND,
    COMMANDS,
    CURL,
    FLAG,
    HEADER,
    NAMES,
    USERINFO,
    after,
    assigned,
    blocks,
    cookies,
    near,
)
from kit.vault.redact.places import places, small
from kit.vault.redact.shapes import SHAPES

_CLOSE = 4_000
"""Characters of a text that is looked at closely as a whole."""
_ROUNDS = 6
"""A mark may bring a word closer to a secret; passes repeat until nothing changes."""


def _pass(text: str, found: list[str]) -> str:
    text = blocks(text, found)
    low = small(text)
    for shape in SHAPES:
        if any(hint in text for hint in shape.hints):
            text, count = shape.pattern.subn(f"[redacted: {shape.kind}]", text)
            found += [shape.kind] * bool(count)
    if "://" in low:
        text = after(USERINFO, "password", text, found, tail="@")
    if "authorization" in low or "bearer" in low:
        text = after(HEADER, "token", text, found)
    if "curl" in low:
        text = after(CURL, "password", text, found)
    if any(command in low for command in COMMANDS):
        text = after(COMMAND, "password", text, found)
    if "cookie" in low or "curl" in low:
        text = cookies(text, found)
    if any(name in low for name in NAMES):
        text = assigned(text, found)
        text = after(FLAG, "secret", text, found)
        text = near(text, found)
    return text


def _until_clean(text: str, found: list[str]) -> str:
    for _ in range(_ROUNDS):
        marked = _pass(text, found)
        if marked == text:
            break
        text = marked
    return text


def redact(text: str) -> tuple[str, list[str]]:
    """Replace the secrets in a text by marks like `[redacted: api key]`; also name the kinds found."""
    found: list[str] = []
    if len(text) > _CLOSE:
        text = blocks(text, found)
        kept: list[str] = []
        at = 0
        for begin, end in places(text):
            kept += [text[at:begin], _until_clean(text[begin:end], found)]
            at = end
        text = "".join([*kept, text[at:]])
    else:
        text = _until_clean(text, found)
    return text, list(dict.fromkeys(found))
