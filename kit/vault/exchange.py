"""The body of an event: what the person said and what the agent answered, verbatim, in two sections.

Law: `read(render(user, agent)) == (user, agent)` for any texts; nothing in a text can pass for a heading.
Whatever a person adds to the body belongs to one of the sides: a body that is read and written loses no word.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_USER, _AGENT = "## User", "## Agent"
_HEADING = re.compile(r"^## (?:User|Agent)[ \t]*$", re.MULTILINE)
_FIRST = re.compile(r"## User[ \t]*(?:\n|\Z)")
_SECOND = re.compile(r"^## Agent[ \t]*(?:\n|\Z)", re.MULTILINE)
_FENCE = re.compile(r"^(`{4,})text\n", re.MULTILINE)


class Exchange(NamedTuple):
    """Both sides of one turn."""

    user: str
    agent: str


def render(user: str, agent: str) -> str:
    """Write both sections; the agent's only when there is an answer."""
    body = f"{_USER}\n\n{_guard(user)}\n"
    return f"{body}\n{answer(agent)}" if agent else body


def answer(agent: str) -> str:
    """Write the agent's section alone."""
    return f"{_AGENT}\n\n{_guard(agent)}\n"


def read(body: str) -> Exchange:
    """Read both sections back; a body without sections is what the user said."""
    text = body.lstrip("\r\n")
    if text.startswith(f"{_USER}\r\n"):
        text = text.replace("\r\n", "\n")  # git or an editor turned every line end; `render` writes none such
    first = _FIRST.match(text)
    if not first:
        return Exchange(body.strip("\n"), "")
    user, rest = _section(text[first.end() :], _SECOND)
    second = _SECOND.match(rest)
    return Exchange(user, _section(rest[second.end() :], None)[0] if second else "")


def _guard(text: str) -> str:
    """Put a text that holds a heading or fence of ours, or begins or ends in a blank line, into a fence of its own."""
    holds_ours = _HEADING.search(text) or _FENCE.search(f"{text}\n")
    if not (holds_ours or text.startswith(("`" * 4, "\n", " ")) or text != text.rstrip("\n ") or "\r" in text):
        return text
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(4, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _section(text: str, until: re.Pattern[str] | None) -> tuple[str, str]:
    """Split what follows a heading's line into its text and the rest from the next heading on, if there is one.

    What a person wrote behind a fence is added to what stands in it; a fence they wrote something above stays.
    """
    text = text.removeprefix("\n")
    end = _end(text, 0, until)
    opening = _FENCE.search(text, 0, end)
    closing = re.compile(rf"^{opening[1]}(?:\n|\Z)", re.MULTILINE).search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return text[:end].rstrip("\n"), text[end:]
    end = _end(text, closing.end(), until)
    if opening.start():
        return text[:end].rstrip("\n"), text[end:]
    held, behind = text[opening.end() : closing.start() - 1], text[closing.end() : end].strip("\n")
    return f"{held}\n\n{behind}" if behind.strip() else held, text[end:]


def _end(text: str, start: int, until: re.Pattern[str] | None) -> int:
    heading = until.search(text, start) if until else None
    return heading.start() if heading else len(text)
