"""The body of a note: its summary, which is its first line, and all that stands below.

Law: what stands below the summary is the person's; it is never touched.
"""

from __future__ import annotations

import re

# A first line that is no sentence: a heading, a fence, a rule, a comment
_NO_SENTENCE = re.compile(r"#{1,6}(?:\s|\Z)|```|~~~|%%|<!--|(?:[-*_] *){3,}\Z|=+\Z")
# What ends a paragraph without a blank line: the same, and lists, quotes, tables
_ENDS_PARAGRAPH = re.compile(rf"\s*(?:{_NO_SENTENCE.pattern}|[>|]|[-*+]\s|\d+[.)]\s)")
_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)+")
# A second line that makes the first a heading
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-+)\s*\Z")


def put_summary(body: bytes, sentence: str, newline: bytes) -> bytes:
    """Put a sentence in place of the first line of a body, or above a body that begins with something else.

    What a person added right under the old sentence becomes a paragraph of its own.
    """
    line = " ".join(sentence.split())
    if not line:
        return body
    if _NO_SENTENCE.match(line):
        line = f"\\{line}"
    blank = _BLANK_LINES.match(body)
    start = blank.end() if blank else 0
    end = body.find(b"\n", start)
    end = len(body) if end < 0 else end - 1 if body[end - 1 : end] == b"\r" else end
    old, after = body[start:end].decode(errors="replace"), body[end:]
    if not old.strip():
        gap, after = newline, b""
    elif _NO_SENTENCE.match(old) or _is_underline(after):
        gap, after = newline * 2, body[start:]
    else:
        gap = newline if _continues(after) else b""
    return body[:start] + line.encode() + gap + after


def first_paragraph(body: str) -> str:
    """Take the summary of a body, on one line; empty when the body begins with a heading, code or a rule."""
    lines = body.lstrip("\ufeff \t\r\n").splitlines()
    if not lines or _NO_SENTENCE.match(lines[0]) or (len(lines) > 1 and _UNDERLINE.match(lines[1])):
        return ""
    kept = [lines[0]]
    for line in lines[1:]:
        if not line.strip() or _ENDS_PARAGRAPH.match(line):
            break
        kept.append(line)
    text = " ".join(" ".join(kept).split())
    return text[1:] if text.startswith("\\") and _NO_SENTENCE.match(text[1:]) else text


def _is_underline(after: bytes) -> bool:
    """Tell whether the next line makes a heading of the line before."""
    return bool(_UNDERLINE.match(_next_line(after)))


def _continues(after: bytes) -> bool:
    """Tell whether the next line is more of the same paragraph."""
    line = _next_line(after)
    return bool(line.strip()) and not _ENDS_PARAGRAPH.match(line)


def _next_line(after: bytes) -> str:
    return after.lstrip(b"\r").removeprefix(b"\n").partition(b"\n")[0].decode(errors="replace").rstrip("\r")
