"""What is wrong with a front matter, in words: YAML's and pydantic's complaints as plain sentences.

Law: a fault names one place, what is wrong there and how to mend it; no library's jargon gets through.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


class Fault(Exception):  # noqa: N818 - it never leaves the room: readers turn it into a BadNoteError
    """Something is wrong at one place of a front matter."""

    def __init__(self, at: int, what: str, mend: str = "") -> None:
        super().__init__(what)
        self.at = at
        """The character it is at, counted from the start of the front matter."""
        self.what = what
        self.mend = mend


CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?:[ \t\r]|$)", re.MULTILINE)
CONFLICT_FAULT = (
    "A merge left its conflict markers here.",
    "Keep one of the two sides and delete the markers.",
)
DEEP_FAULT = ("The values are nested too deep.", "Use texts and lists of texts only.")

_TAB = re.compile(r"^ *\t", re.MULTILINE)
_NO_BREAK = re.compile(r"^[^\n#]*?:\xa0", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_KEY = re.compile(r"\s*(?:- )?([^\s:#][^:\n]*):\s+(.*?)\s*\Z")
_OPENED = re.compile(r"^[ ]*(?:- |[^\s:#\"'][^:\n]*:[ \t]+)(?P<quote>[\"'])", re.MULTILINE)
_CLOSING = {'"': re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL), "'": re.compile(r"(?:[^']|'')*'")}
_NEVER_CLOSED = ("A quote is opened here and never closed.", "Close it, or remove it.")
_QUOTE_IT = "Put the value in quotes: "


def explain(error: yaml.YAMLError, text: str) -> Fault:
    """Tell what a YAML error means, and where its cause is: often some lines above the place YAML names."""
    if isinstance(error, yaml.reader.ReaderError):
        found = _CONTROL.search(text)
        return Fault(found.start() if found else 0, "There is an invisible control character here.", "Delete it.")
    if not isinstance(error, yaml.MarkedYAMLError):
        return Fault(0, "The front matter can't be read as YAML.", "Write it as `key: value`, one a line.")
    at = error.problem_mark.index if error.problem_mark else 0
    start = error.context_mark.index if error.context_mark else at
    problem, context = error.problem or "", error.context or ""
    if "nesting" in problem:
        return Fault(at, *DEEP_FAULT)
    return (
        _explain_blank(text, at)
        or _explain_unclosed(text, at)
        or _explain_value_start(problem, context, at, start)
        or _explain_line(problem, text, at)
    )


def _explain_blank(text: str, at: int) -> Fault | None:
    """Find a blank that is none at or above the place of the complaint: the last one is the cause."""
    end = text.find("\n", at)
    head = text[: end if end >= 0 else len(text)]
    if tab := _last(_TAB, head):
        return Fault(tab.end() - 1, "A tab is used to indent this line.", "Use spaces.")
    if gap := _last(_NO_BREAK, head):
        return Fault(gap.end() - 1, "A no-break space follows the colon.", "Replace it with an ordinary space.")
    return None


def _explain_unclosed(text: str, at: int) -> Fault | None:
    """Find a quote that takes a later line's quote for its end: what is wrong stands lines above where it shows."""
    end = 0
    for opened in _OPENED.finditer(text, 0, at):
        if opened.start() < end:
            continue
        closed = _CLOSING[opened["quote"]].match(text, opened.end())
        end = closed.end() if closed else len(text)
        last = text.rfind("\n", 0, end) + 1
        line = text[last:].partition("\n")[0]
        if opened.end() < last and (closed is None or _KEY.match(line) or line.lstrip().startswith("- ")):
            return Fault(opened.start("quote"), *_NEVER_CLOSED)
    return None


def _explain_value_start(problem: str, context: str, at: int, start: int) -> Fault | None:
    if "quoted scalar" in context and "end of stream" in problem:
        return Fault(start, *_NEVER_CLOSED)
    if "escape" in problem:
        what = "There is a backslash in double quotes that means nothing."
        return Fault(at, what, "Use single quotes, or double it.")
    if "flow" in context:
        what = "A bracket is opened here and not closed as it should be."
        return Fault(start, what, "Close it, or put the value in quotes.")
    return None


def _explain_line(problem: str, text: str, at: int) -> Fault:
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:].partition("\n")[0]
    pair = _KEY.match(line)
    hint = f"{_QUOTE_IT}{pair[1]}: {_quoted(pair[2])}" if pair and pair[2] else ""
    if "mapping values" in problem and pair and ":" in pair[2]:
        return Fault(at, f"The value of `{pair[1]}` holds a colon and is not quoted.", hint)
    if "cannot start" in problem or "alias" in problem or "node content" in problem:
        mark = text[at : at + 1]
        return Fault(at, f"A value that begins with `{mark}` must be quoted.", hint or "Put it in quotes.")
    if "document" in problem:
        return Fault(at, "The front matter ends or changes its indent before this line.", "Indent all keys alike.")
    return Fault(at, "This line does not read as `key: value`.", "Mend it or the line above: quotes, colons, indent.")


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for found in pattern.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    return found


def _quoted(value: str) -> str:
    return f"'{value}'" if '"' in value or "\\" in value else f'"{value}"'


def explain_values(error: ValidationError, values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Name every wrong key with a sentence, each key once, in the order of the front matter."""
    told: dict[str, str] = {}
    for detail in error.errors(include_url=False):
        key = str(detail["loc"][0]) if detail["loc"] else ""
        told.setdefault(key, _explain_value(key, detail, values))
    order = list(values)
    return sorted(told.items(), key=lambda item: order.index(item[0]) if item[0] in values else -1)


def _explain_value(key: str, detail: ErrorDetails, values: Mapping[str, object]) -> str:
    kind, limits = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return f"`{key}` is missing."
    if kind == "string_too_short":
        return f"`{key}` is empty."
    shown = repr(values.get(key))
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."  # noqa: PLR2004 - a sentence, not a dump
    if kind == "value_error":
        return f"`{key}`: {limits.get('error', 'it is not understood')}."
    return f"`{key}` is {shown}, but must be {_due(kind, limits)}."


def _due(kind: str, limits: Mapping[str, object]) -> str:
    if kind == "literal_error":
        return f"one of {limits.get('expected', '')}".replace(" or '", ", '").replace("'", "`")
    for ending, word in (("greater_than_equal", "at least"), ("less_than_equal", "at most")):
        if kind == ending:
            return f"{word} {limits.get('ge', limits.get('le'))}"
    for start, words in (
        ("int", "a whole number"),
        ("float", "a number"),
        ("bool", "true or false"),
        ("tuple", "a list of texts"),
    ):
        if kind.startswith(start):
            return words
    return "text"
