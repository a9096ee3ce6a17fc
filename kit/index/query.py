"""The language of `memkit search`: words, "phrases", field:word, date:from..to, -word, wild*.

Law: pure. An engine only proposes notes; `match` decides on the raw text, so that no engine's own syntax or
analysis shows through.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from kit import text
from kit.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_FIELDS = {
    "title": "title",
    "tag": "tags",
    "tags": "tags",
    "summary": "summary",
    "overview": "overview",
    "user": "user",
    "agent": "agent",
    "fact": "facts",
    "facts": "facts",
    "body": "body",
    "person": "people",
    "people": "people",
    "place": "places",
    "places": "places",
    "project": "project",
    "topic": "topic",
    "scene": "scene",
    "kind": "kind",
}
"""What may stand before a colon, and the note's field it asks for."""
_NAMES = ("tags", "people", "places", "project", "topic", "scene", "kind")
"""Fields that hold names, one a line: a name matches as a whole."""
_DATES = ("date", "before", "after")
NAMED = (*_FIELDS, *_DATES)
"""All that may stand before a colon."""
_QUOTES = {'"': '"', "“": "”", "”": "”", "「": "」", "『": "』", "＂": "＂"}
_CLAUSE = re.compile(
    r"(?P<minus>[-－](?=\S))?(?:(?P<field>[A-Za-z]+)[:：])?"
    r"(?:(?P<open>[\"“”「『＂])(?P<phrase>.*?)(?:[\"”」』＂]|$)|(?P<word>[^\s\"“”「『＂]+)|(?=\s|$))"
)
_LATIN = rf"[^\W_{text.CJK}]"
_WORD = re.compile(rf"{_LATIN}+(?:['’.\-_]{_LATIN}+)*(?:\+\+|\#)?")
# A character together with the marks that NFKC would join to it, so that positions can be mapped back.
_LETTER = re.compile("(?s).[\u0300-\u036f\u3099\u309a\uff9e\uff9f]*")
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?\Z")


class Clause(NamedTuple):
    """One condition."""

    sort: Literal["word", "phrase", "wild", "name", "date"]
    text: str = ""
    """folded"""
    field: str = ""
    """empty: any"""
    negated: bool = False
    since: date | None = None
    """first day that counts"""
    until: date | None = None
    """last day that counts"""
    also: tuple[str, ...] = ()
    """other names that count as this one"""


class Query(NamedTuple):
    """What a person searches for: every clause must hold."""

    clauses: tuple[Clause, ...] = ()

    def terms(self) -> list[tuple[str, float]]:
        """Give an engine the terms to propose notes by; none when only a scan of all notes can tell."""
        found: dict[str, float] = {}
        for clause in self.clauses:
            if clause.negated or clause.sort in {"wild", "date"} or clause.field in _NAMES[1:]:
                continue
            for said in (clause.text, *clause.also):
                found.update(dict.fromkeys(text.terms(said), 1.0))
        return list(found.items())


def parse(asked: str) -> Query:
    """Read a question.

    A word matches in any of its forms, a phrase to the letter; `tag:`, `person:`, `place:`, `project:`,
    `topic:`, `scene:` and `kind:` match whole names. An unknown word before a colon is plain text.
    Raises `BadInputError` for a date that is none and for a field without a value.
    """
    clauses = [clause for found in _CLAUSE.finditer(asked) if (clause := _clause(found)) is not None]
    telling = [each for each in clauses if each.sort != "word" or each.negated or text.terms(each.text)]
    return Query(tuple(telling or clauses))


def unknown_field(asked: str) -> str:
    """Name the first word before a colon that is no field; '' when there is none."""
    told = ((found["field"] or "").lower() for found in _CLAUSE.finditer(asked))
    return next((field for field in told if field and field not in _FIELDS and field not in _DATES), "")


def _clause(found: re.Match[str]) -> Clause | None:
    negated = found["minus"] is not None
    field = (found["field"] or "").lower()
    known = field in _FIELDS or field in _DATES
    said = found["phrase"] if found["open"] else found["word"] or ""
    if field and not known:
        said = f"{found['field']}:{said}"
    value = " ".join(text.fold(said).split())
    if known and not value:
        raise BadInputError(f"{field}: has no value.", f"Write it without a blank, as {field}:word.")
    if field in _DATES:
        since, until = _days(field, value)
        return Clause("date", negated=negated, since=since, until=until)
    if not any(char.isalnum() for char in value):
        return None
    name = _FIELDS.get(field, "")
    if name in _NAMES:
        return Clause("name", value, name, negated)
    if found["open"]:
        return Clause("phrase", value, name, negated)
    return Clause("wild" if "*" in value else "word", value, name, negated)


def _days(field: str, value: str) -> tuple[date | None, date | None]:
    first, dots, last = value.partition("..")
    since = _period(first)[0] if first else None
    until = _period(last if dots else first)[1] if (last or not dots) else None
    if field == "before":
        return None, _period(value)[0] - timedelta(days=1)
    if field == "after":
        return _period(value)[1] + timedelta(days=1), None
    if since is None and until is None:
        raise _bad_date(value)
    return since, until


def _period(value: str) -> tuple[date, date]:
    found = _DAY.match(value)
    if not found:
        raise _bad_date(value)
    year, month, day = (int(part) if part else 0 for part in found.groups())
    try:
        first = date(year, month or 1, day or 1)
        last = date(year, month or 12, day or calendar.monthrange(year, month or 12)[1])
        _ = first - timedelta(days=1), last + timedelta(days=1)  # the calendar has two ends
    except (ValueError, OverflowError) as error:
        raise _bad_date(value) from error
    return first, last


def _bad_date(value: str) -> BadInputError:
    return BadInputError(
        f"{value!r} is no date.", "Write 2026, 2026-08 or 2026-08-19, or a span as date:2026-08..2026-09."
    )


def match(query: Query, fields: Mapping[str, str], created: date | None = None) -> bool:
    """Decide whether a note is what was asked for.

    `fields` is its raw text by field, with `kind`; names (`tags`, `people` …) stand one a line. `created` is
    a day or an instant, whose own offset says the day.
    """
    return all(_holds(clause, fields, created) != clause.negated for clause in query.clauses)


def _holds(clause: Clause, fields: Mapping[str, str], created: date | None) -> bool:
    if clause.sort == "date":
        if created is None:
            return False
        # A datetime is a date, but does not compare with one.
        day = date(created.year, created.month, created.day)
        return (clause.since is None or clause.since <= day) and (clause.until is None or day <= clause.until)
    if clause.sort == "name":
        wanted = {text.key(clause.text), *map(text.key, clause.also)}
        return any(text.key(name) in wanted for name in fields.get(clause.field, "").splitlines())
    searched = [fields.get(clause.field, "")] if clause.field else fields.values()
    return any(next(_spans(clause, text.fold(value)), None) is not None for value in searched)


def _spans(clause: Clause, folded: str) -> Iterator[tuple[int, int]]:
    """Find where a clause matches in a folded text."""
    wanted = set(text.terms(clause.text))
    if clause.sort != "word" or not wanted or not _WORD.fullmatch(clause.text):
        for found in _pattern(clause.text, wild=clause.sort == "wild").finditer(folded):
            yield found.span()
        return
    whole = clause.text if len(wanted) > 1 else next(iter(wanted))  # `node.js` is asked for whole
    exact = _pattern(clause.text, wild=False)
    for found in _WORD.finditer(folded):
        if whole in text.terms(found[0]) or exact.fullmatch(found[0]):
            yield found.span()


@lru_cache(maxsize=256)
def _pattern(value: str, *, wild: bool) -> re.Pattern[str]:
    """Compile a phrase: whole words, any white space; Chinese may be broken over lines."""
    parts: list[str] = []
    for at, char in enumerate(value):
        before = value[at - 1] if at else ""
        if char == " ":
            parts.append(r"\s+")
        elif char == "*" and wild:
            parts.append(r"\w*" if at == len(value) - 1 else r"\S*?")
        else:
            gap = r"\s*" if before and text.is_cjk(char) and text.is_cjk(before) else ""
            parts.append(gap + re.escape(char))
    edge = rf"[^\W{text.CJK}]"
    start = rf"(?<!{edge})" if re.match(edge, value[:1]) else ""
    end = rf"(?!{edge}|\+\+|\#)" if re.match(edge, value[-1:]) else ""
    return re.compile(start + "".join(parts) + end)


def snippet(raw: str, query: Query, width: int = 160, mark: tuple[str, str] = ("**", "**")) -> str:
    """Cut the part of a text that shows most of what was asked, on one line, matches marked.

    `width` is in characters, marks and dots not counted.
    """
    line = " ".join(raw.split())
    spans = _marked(line, query)
    start = _best_start(spans, len(line), width)
    end = min(start + width, len(line))
    start, end = _to_words(line, start, end)
    shown: list[str] = ["…"] if start else []
    at = start
    for first, last in _joined((a, b) for a, b, _ in spans):
        if first >= at and last <= end:
            shown += [line[at:first], mark[0], line[first:last], mark[1]]
            at = last
    shown += [line[at:end], "…" if end < len(line) else ""]
    return "".join(shown)


def _marked(line: str, query: Query) -> list[tuple[int, int, int]]:
    """Find (start, end, clause number) in the raw line, though folding changes lengths."""
    folded: list[str] = []
    origin: list[tuple[int, int]] = []
    for letter in _LETTER.finditer(line):
        piece = text.fold(letter[0])
        folded.append(piece)
        origin += [letter.span()] * len(piece)
    whole = "".join(folded)
    found = [
        (origin[start][0], origin[end - 1][1], number)
        for number, clause in enumerate(query.clauses)
        if not clause.negated and clause.sort in {"word", "phrase", "wild"}
        for start, end in _spans(clause, whole)
        if end > start
    ]
    return sorted(found)


def _best_start(spans: list[tuple[int, int, int]], length: int, width: int) -> int:
    if not spans or length <= width:
        return 0
    lead = width // 5

    def worth(at: int) -> tuple[int, int]:
        inside = [number for start, end, number in spans if start >= at and end <= at + width]
        return len(set(inside)), len(inside)

    starts = {max(0, min(start - lead, length - width)) for start, _, _ in spans[:200]}
    return max(sorted(starts), key=worth)


def _to_words(line: str, start: int, end: int) -> tuple[int, int]:
    """Move both ends inwards to a blank, if one is near; Chinese has none and is cut where it is."""
    near = 16
    if start and (blank := line.find(" ", start - 1, start + near)) >= 0:
        start = blank + 1
    if end < len(line) and (blank := line.rfind(" ", max(start, end - near), end + 1)) > start:
        end = blank
    return start, end


def _joined(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join spans that touch or overlap."""
    open_: tuple[int, int] | None = None
    for start, end in spans:
        if open_ and start <= open_[1]:
            open_ = open_[0], max(open_[1], end)
            continue
        if open_:
            yield open_
        open_ = start, end
    if open_:
        yield open_
