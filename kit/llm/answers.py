"""From what a model wrote to an object: fenced or not, with prose around it, half of it, Chinese marks, odd quotes.

Law: linear in the length of the text, whatever it holds. A text that was cut off gives what was whole of it: a
string without an end is left out. Nothing is guessed about meaning; that is `fields`' to judge.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

LONGEST = 200_000
"""Characters of an answer that are read."""
DEEPEST = 30
_TRIES = 20
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_QUOTES = {'"': '"”“', "“": '”"“', "”": '”"', "「": "」", "『": "』", "'": "'’", "‘": "’'", "`": "`", "＂": '＂"'}
_OPEN, _CLOSE = "{｛", "}｝"
_OPEN_LIST, _CLOSE_LIST = "[［", "]］"
_COLON, _COMMA = ":：=", ",，、;；"
_BLANK = re.compile(r"\s*")
_BARE = re.compile(r"[^,，:：{}｛｝\[\]［］\n\"“”]*")
_MARGIN = re.compile(r"(?m)^[>|\s]+|\s+")
_FOLLOWS = frozenset(_CLOSE + _CLOSE_LIST + _COLON + _COMMA)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": ""}
_WORDS = {"true": True, "false": False, "null": None, "none": None, "yes": True, "no": False, "是": True, "否": False}


class _CutError(Exception):
    """The text ended within a value."""


class _OddError(Exception):
    """This is no object."""


def read_object(said: str, wanted: Collection[str] = (), asked: str = "") -> dict[str, object] | None:
    """Find the object in an answer, where there are several the one with most keys of `wanted`; None without one.

    What only repeats a part of the question `asked` is no answer.
    """
    question = _pressed(asked)
    echoed = _objects(asked[:LONGEST]) if asked else ()
    examples = [value for value, _ in echoed]
    text = _THOUGHT.sub(" ", _without(said[:LONGEST], asked))
    found = [
        value
        for value, source in _objects(text)
        if value not in examples and not (question and _pressed(source) in question)
    ]
    if not found:
        return None
    names = {name.casefold() for name in wanted}
    return max(found, key=lambda one: (len(names & {key.casefold() for key in one}), len(one)))


def _without(said: str, asked: str) -> str:
    """Take a question out of an answer, before which some programs print it, however they break its lines."""
    words = asked.split()
    if not words:
        return said
    begins = re.search(r"\s+".join(map(re.escape, words[:8])), said)
    if begins is None:
        return said
    start = at = begins.start()
    for word in words:
        at = _BLANK.match(said, at).end()  # type: ignore[union-attr]  # it matches nothing, too
        if not said.startswith(word, at):
            return said
        at += len(word)
    return said[:start] + "\n" + said[at:]


def _pressed(said: str) -> str:
    """Press a text together, without the blanks and the quote marks at the start of lines."""
    return _MARGIN.sub("", said)


def _objects(text: str) -> list[tuple[dict[str, object], str]]:
    """List the objects in a text that hold something, each with the text it was read from."""
    found: list[tuple[dict[str, object], str]] = []
    at = 0
    for _ in range(_TRIES):
        start = min((here for mark in _OPEN if (here := text.find(mark, at)) >= 0), default=-1)
        if start < 0:
            break
        value, at = _object_at(text, start)
        if value:
            found.append((value, text[start:at]))
    return found


def _object_at(text: str, start: int) -> tuple[dict[str, object] | None, int]:
    """Read the object that begins at a place; say where to look on."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        reader = _Reader(text, start)
        try:
            return reader.value(0), reader.at  # type: ignore[return-value]  # it begins with a brace
        except (_OddError, _CutError):
            return None, start + 1
    return value, end


class _Reader:
    """Reads one value leniently; always moves on."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def value(self, depth: int) -> object:
        if depth > DEEPEST:
            raise _OddError
        mark = self._next()
        if not mark:
            raise _CutError
        if mark in _OPEN:
            return self._object(depth)
        if mark in _OPEN_LIST:
            return self._list(depth)
        return self._string(_QUOTES[mark]) if mark in _QUOTES else self._bare()

    def _next(self) -> str:
        """Pass over blanks and name the next character; empty at the end."""
        self.at = _BLANK.match(self._text, self.at).end()  # type: ignore[union-attr]  # it matches nothing, too
        return self._text[self.at : self.at + 1]

    def _object(self, depth: int) -> dict[str, object]:
        self.at += 1
        found: dict[str, object] = {}
        while (mark := self._next()) and mark not in _CLOSE:
            if mark in _COMMA or mark in _COLON or mark in _CLOSE_LIST or mark in _OPEN + _OPEN_LIST:
                self.at += 1
                continue
            try:
                key = self._string(_QUOTES[mark]) if mark in _QUOTES else self._bare()
                if self._next() and self._text[self.at] in _COLON:
                    self.at += 1
                    found[str(key)] = self.value(depth + 1)
            except _CutError:
                break
        self.at += 1
        return found

    def _list(self, depth: int) -> list[object]:
        self.at += 1
        found: list[object] = []
        while (mark := self._next()) and mark not in _CLOSE_LIST:
            if mark in _CLOSE:  # its bracket is missing
                return found
            if mark in _COMMA or mark in _COLON:
                self.at += 1
                continue
            try:
                found.append(self.value(depth + 1))
            except _CutError:
                break
        self.at += 1
        return found

    def _string(self, ends: str) -> str:
        """Read up to a closing quote that something structural follows; others belong to the text."""
        text, at, kept = self._text, self.at + 1, []
        while at < len(text):
            char = text[at]
            if char == "\\":
                raw = text[at + 1 : at + 6]
                coded = re.fullmatch(r"u([0-9a-fA-F]{4})", raw)
                kept.append(chr(int(coded[1], 16)) if coded else _ESCAPES.get(raw[:1], raw[:1]))
                at += 6 if coded else 2
            elif char in ends and self._ends(at + 1):
                self.at = at + 1
                return "".join(kept).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            else:
                kept.append(char)
                at += 1
        self.at = at
        raise _CutError

    def _ends(self, at: int) -> bool:
        after = _BLANK.match(self._text, at).end()  # type: ignore[union-attr]  # it matches nothing, too
        if after >= len(self._text) or self._text[after] in _FOLLOWS:
            return True
        return after > at and ("\n" in self._text[at:after] or self._text[after] in _QUOTES)  # a comma is missing

    def _bare(self) -> object:
        """Read a word without quotes: a number, a truth, a key, or plain text."""
        found = _BARE.match(self._text, self.at)
        word = found[0].strip() if found else ""
        self.at = max(found.end() if found else 0, self.at + 1)
        if self.at >= len(self._text):
            raise _CutError
        if word.casefold() in _WORDS:
            return _WORDS[word.casefold()]
        for kind in (int, float):
            try:
                return kind(word)
            except ValueError:
                continue
        return word
