"""The body of an event: what the person said and what the agent answered, verbatim, in two sections.

Law: `read(render(user, agent)) == (user, agent)` for any texts; nothing in a text can pass for a heading.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_USER, _AGENT = "## User", "## Agent"
_HEADING = re.compile(r"^## (?:User|Agent)[ \t]*$", re.MULTILINE)
_FIRST = re.compile(r"## User[ \t]*(?:\n|\Z)")
_SECOND = re.compile(r"## Agent[ \t]*(?:\n|\Z)")


class Exchange(NamedTuple):
    """Both sides of one turn."""

    user: str
    agent: str


def render(user: str, agent: str) -> str:
    """Write both sections; the agent's only when there is an answer."""
    body = f"{_USER}\n\n{_guard(user)}\n"
    return body + f"\n{_AGENT}\n\n{_guard(agent)}\n" if agent else body


def read(body: str) -> Exchange:
    """Read both sections back; a body without sections is what the user said."""
    text = body.lstrip("\r\n")
    if text.startswith(f"{_USER}\r\n"):
        text = text.replace("\r\n", "\n")  # git or an editor turned every line end; `render` writes none such
    first = _FIRST.match(text)
    if not first:
        return Exchange(body.strip("\n"), "")
    user, rest = _section(text[first.end() :])
    second = _SECOND.match(rest)
    return Exchange(user, _section(rest[second.end() :])[0] if second else "")


def _guard(text: str) -> str:
    """Put a text that holds one of our headings, or begins or ends in a blank line, into a fence of its own."""
    if not (
        _HEADING.search(text) or text.startswith(("`" * 4, "\n", " ")) or text != text.rstrip("\n ") or "\r" in text
    ):
        return text
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(4, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _section(text: str) -> tuple[str, str]:
    """Split what follows a heading's line into its text and the rest from the next heading on."""
    text = text.removeprefix("\n")
    opening = re.match(r"(`{4,})text\n", text)
    if opening:
        closing = re.compile(rf"\n{opening.group(1)}(?:\n|\Z)").search(text, opening.end() - 1)
        if closing:
            return text[opening.end() : closing.start()], text[closing.end() :].lstrip("\n")
    heading = _HEADING.search(text)
    if heading is None:
        return text.rstrip("\n"), ""
    return text[: heading.start()].rstrip("\n"), text[heading.start() :]
