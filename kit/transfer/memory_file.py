"""Memory files of agents (`CLAUDE.md`, `MEMORY.md`, `AGENTS.md`, `GEMINI.md`), one statement at a time.

Bullets and short paragraphs are statements. A section that holds more (code, tables, long prose) is kept whole as
well, so that nothing of it is lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit import text

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT = 300
"""Characters a paragraph may have to be a statement of its own."""
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_BULLET = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_TABLE = re.compile(r"\s*\|")
_POINTER = re.compile(r"@\S+$|\[[^\]]*\]\([^)]*\)(?:\s*[-–—:].*)?$")
"""A line that only leads to another file."""
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_MARKS = re.compile(r"(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1")

_REDACTED = r"\[redacted: [^\]]*\]"
_ONLY_SECRET = re.compile(
    rf"(?i)(?:.*(?:\b(?:is|are|was)|[:=：是为])\s*[`\"'“]*{_REDACTED}|{_REDACTED}[`\"'”]*\s*(?:is\b|are\b|是).*)"
)
_FEW = 3
"""Words beside a secret that only name it."""


class Stated(NamedTuple):
    """One statement, or a section kept whole."""

    line: int
    says: str
    heading: str
    section: str = ""
    """the whole section, where it is more than statements"""
    within: str = ""
    """the section that is kept whole, which this statement stands in too"""


def is_only_secret(says: str) -> bool:
    """Tell whether a sentence, its secrets taken out, says nothing but that there is one."""
    bare = says.strip().rstrip(".。!！`\"'”) ")
    rest = re.sub(_REDACTED, " ", bare)
    return rest != bare and (bool(_ONLY_SECRET.fullmatch(bare)) or len(rest.split()) <= _FEW)


def statements(content: str) -> list[Stated]:
    """Read what a memory file states."""
    found: list[Stated] = []
    for heading, start, lines in _sections(_COMMENT.sub(lambda gone: "\n" * gone[0].count("\n"), content)):
        parts, whole = list(_parts(lines)), ""
        if any(not is_statement for _, _, is_statement in parts):
            whole = "\n".join(lines).strip()
            prose = text.first_sentence(next((said for _, said, _ in parts if said), "" if heading else whole))
            found.append(Stated(start, ": ".join(filter(None, (heading, prose))), heading, whole))
        found += [
            Stated(start + at, said, heading, within=whole)
            for at, said, is_statement in parts
            if is_statement and any(char.isalnum() for char in said) and not _POINTER.match(said)
        ]
    return found


def _sections(content: str) -> Iterator[tuple[str, int, list[str]]]:
    """Cut a text at its headings; each section knows the headings above it."""
    trail: list[tuple[int, str]] = []
    lines: list[str] = []
    start, fenced = 1, False
    for number, line in enumerate(content.splitlines(), 1):
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            yield _name(trail), start, lines
            depth = len(heading[1])
            trail = [*(each for each in trail if each[0] < depth), (depth, _plain(heading[2]))]
            lines, start = [], number + 1
        else:
            lines.append(line)
    yield _name(trail), start, lines


def _name(trail: list[tuple[int, str]]) -> str:
    return " › ".join(name for depth, name in trail if depth > 1) or (trail[0][1] if trail else "")


def _parts(lines: list[str]) -> Iterator[tuple[int, str, bool]]:
    """Cut a section into bullets, paragraphs and the rest; each with whether it is a statement."""
    above: list[tuple[int, str]] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        bullet = _BULLET.match(line)
        if not line.strip():
            at += 1
        elif _FENCE.match(line):
            end = next((n for n in range(at + 1, len(lines)) if _FENCE.match(lines[n])), len(lines) - 1)
            yield at, "", False
            at = end + 1
        elif _TABLE.match(line):
            yield at, "", False
            at += 1
            while at < len(lines) and _TABLE.match(lines[at]):
                at += 1
        else:
            end = at + 1
            while end < len(lines) and _goes_on(lines[end]):
                end += 1
            said = _plain(" ".join([bullet[2] if bullet else line, *lines[at + 1 : end]]))
            if bullet:
                depth = len(bullet[1].expandtabs(4))
                above = [each for each in above if each[0] < depth]
                leads = end < len(lines) and _is_deeper(lines[end], depth)
                if not leads:
                    yield at, ": ".join([*(name for _, name in above), said]), True
                above.append((depth, said.rstrip(":： ")))
            else:
                above = []
                yield at, said, len(said) <= SHORT
            at = end


def _goes_on(line: str) -> bool:
    return bool(line.strip()) and not (_BULLET.match(line) or _FENCE.match(line) or _TABLE.match(line))


def _is_deeper(line: str, depth: int) -> bool:
    bullet = _BULLET.match(line)
    return bullet is not None and len(bullet[1].expandtabs(4)) > depth


def _plain(said: str) -> str:
    return " ".join(_MARKS.sub(r"\2", said).split())
