"""A note of the person's own that is none of the kit's kinds: its title, its tags, its times, as Obsidian sees them.

Law: pure, and reading only; such a note is never written.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime
from typing import TYPE_CHECKING

from kit.errors import BadNoteError
from kit.model.fields import parse_instant
from kit.model.notes import Plain
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CODE = re.compile(
    r"^ {0,3}(`{3,}+|~{3,}+).*?(?:^ {0,3}\1[`~]*+[ \t]*$|\Z)|`++[^`\n]++`+|%%.*?%%|\$\$.*?\$\$",
    re.DOTALL | re.MULTILINE,
)
_TAG = re.compile(r"(?:^|(?<=[\s(（，。、；]))#([^\W_]?[\w/-]*)", re.MULTILINE)
_TITLE = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"!?\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]|!?\[([^\[\]]*)\]\([^()\n]{0,500}\)")
_BULLET = re.compile(r"(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_CREATED = ("created", "date")
LONGEST = 1000
"""Characters of a first paragraph that say what a note is."""


def tags_of(front: Mapping[str, object], body: str) -> tuple[str, ...]:
    """List a note's tags: those of its properties, then those in its text, each once."""
    found: dict[str, str] = {}
    for word in (*_listed(front), *(tag.strip("/") for tag in _TAG.findall(_CODE.sub(" ", body)))):
        if word and not word.replace("/", "").isdigit():  # to Obsidian a number is no tag
            found.setdefault(word.casefold(), word)
    return tuple(found.values())


def _listed(front: Mapping[str, object]) -> Iterator[str]:
    for key, value in front.items():
        if isinstance(key, str) and key.casefold() in ("tags", "tag"):
            words = re.split(r"[,，、\s]+", value) if isinstance(value, str) else value
            for word in words if isinstance(words, list) else [words]:
                if isinstance(word, (str, int)) and str(word).strip("# "):
                    yield re.sub(r"\s+", "-", str(word).strip("# "))


def title_of(front: Mapping[str, object], body: str, fallback: str) -> str:
    """Name a note: by its property, its first heading, else as its file is named."""
    said = front.get("title")
    heading = _TITLE.search(_CODE.sub(" ", body[:4000]))
    title = said if isinstance(said, str) and said.strip() else heading[1] if heading else fallback
    return " ".join(title.split())


def says(front: Mapping[str, object], body: str) -> str:
    """Say what a note is in one paragraph: its description, or its first prose."""
    told = front.get("description") or front.get("summary")
    if isinstance(told, str) and told.strip():
        return " ".join(told.split())
    for part in re.split(r"\n\s*\n", body.replace("\r\n", "\n")):
        lines = [line for line in part.splitlines() if not line.startswith("#")]
        if found := note.first_paragraph("\n".join(lines)):
            shown = _LINK.sub(lambda link: link[2] or link[1] or link[3] or "", found[: 10 * LONGEST])
            return _BULLET.sub("", shown)[:LONGEST]
    return ""


def read(raw: bytes, path: str) -> Plain:
    """Read a plain note; one whose properties can't be read is text alone."""
    try:
        parsed = note.read(raw, path)
        front, body = parsed.front, parsed.body
    except BadNoteError:
        front, body = {}, raw.decode(errors="replace")
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    title = title_of(front, body, name)
    created = None
    for key in _CREATED:
        value = front.get(key)
        if isinstance(value, (str, date, datetime)):
            with suppress(ValueError):
                created = created or parse_instant(value)
    return Plain(
        id=path, title=title, says=says(front, body) or title, tags=tags_of(front, body), created=created, body=body
    )
