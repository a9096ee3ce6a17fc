"""Every name memory is known by, ready to be found in running text, with and without blanks.

Law: looking up adds nothing; a name is known exactly as long as something in the vault bears it. How names are cut
into words and stems is written down in the index: raise `db.SCHEMA` with every change of that.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kit import text

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_LIKE = 5
"""Letters of a word from which on others are `like` it."""
MAX_UNITS = 16
"""A name longer than this (words, or CJK characters) is only found when it is asked for as a tag."""

_UNIT = re.compile(rf"[{text.CJK}]|[^\W_{text.CJK}]+(?:['’.][^\W_{text.CJK}]+)*(?:\+\+|\#)?")
_At = TypeVar("_At", str, tuple[str, ...])
_JOINS = re.compile(r"[\s_\-‐-―/]*\Z")


class Mention(NamedTuple):
    """A known name found in a text."""

    key: str
    via: str
    """`name` as it is written, `stem` by the stems of its words, `inside` a longer name, `part` by one word of it"""
    word: str
    """what stood in the text"""


class _Unit(NamedTuple):
    word: str
    start: int
    end: int


def _units(folded: str) -> list[_Unit]:
    return [_Unit(_owner(found.group()), *found.span()) for found in _UNIT.finditer(folded)]


def _owner(word: str) -> str:
    """Leave out the ending of what belongs to somebody."""
    return word[:-2] if word.endswith(("'s", "’s")) and len(word) > 2 else word  # noqa: PLR2004 - the ending's length


@lru_cache(maxsize=4096)
def _words(key: str) -> tuple[str, ...]:
    return tuple(unit.word for unit in _units(key))


@lru_cache(maxsize=4096)
def _stemmed(key: str) -> tuple[str, ...]:
    return tuple(text.stem(word) for word in _words(key))


def spelling(key: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the words of a name, and their stems."""
    return _words(key), _stemmed(key)


def parts_of(asked: str) -> set[str]:
    """List the words of a text, and their stems: a name that is found in it has one of them."""
    words = {unit.word for unit in _units(text.fold(asked))}
    return words | {text.stem(word) for word in words}


def ends_of(word: str) -> tuple[str, str]:
    """Give the marks of how a word begins and ends; no word has one of them."""
    return f"^{word[:3]}", f"~{word[-3:]}"


def marks_of(key: str) -> set[str]:
    """List all that a name may be found by: words, stems, and how the words begin and end."""
    words, stems = spelling(key)
    return {*words, *stems, *(end for word in words if _is_likened(word) for end in ends_of(word))}


def _is_likened(word: str) -> bool:
    return word.isascii() and len(word) >= LEAST_LIKE


class Lexicon:
    """Names by their words and by the stems of their words."""

    def __init__(self) -> None:
        self._known: Counter[str] = Counter()
        self._by_words: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._by_stems: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._by_part: dict[str, set[str]] = defaultdict(set)
        self._longest: dict[str, int] = {}
        self._by_end: defaultdict[str, set[str]] | None = None
        """words by their first and last letters, from when they are first asked for; those of lost names stay"""

    def __contains__(self, key: str) -> bool:
        """Tell whether something bears this name."""
        return self._known[key] > 0

    def __len__(self) -> int:
        """Count the names."""
        return len(self._known)

    def with_word(self, word: str) -> set[str]:
        """List the names that are a word, have it as their stem, or hold it as a part."""
        alone, empty = (word,), set[str]()
        found = self._by_words.get(alone, empty) | self._by_stems.get(alone, empty)
        return found | self._by_part.get(word, empty)

    def knows_word(self, word: str) -> bool:
        """Tell whether there is any name `with_word`, in less time."""
        alone = (word,)
        return alone in self._by_words or alone in self._by_stems or word in self._by_part

    def like(self, word: str) -> set[str]:
        """List the words of names that begin or end as a word does and are as long, or a letter more or less."""
        if self._by_end is None:
            self._by_end = defaultdict(set)
            for key in self._known:
                self._hold_ends(key)
        head, tail = ends_of(word)
        near = self._by_end.get(head, set()) | self._by_end.get(tail, set())
        return {one for one in near if -1 <= len(one) - len(word) <= 1}

    def _hold_ends(self, key: str) -> None:
        for word in _words(key):
            if self._by_end is not None and _is_likened(word):
                for end in ends_of(word):
                    self._by_end[end].add(word)

    def names(self) -> dict[str, int]:
        """List every name, with how many bear it."""
        return dict(self._known)

    def add(self, key: str, times: int = 1, spelled: tuple[tuple[str, ...], tuple[str, ...]] | None = None) -> None:
        """Know a name, once more; `spelled` is its `spelling`, where that is known."""
        if not key or times <= 0:
            return
        self._known[key] += times
        if self._known[key] > times:
            return
        words, stems = spelled or spelling(key)
        if not words or len(words) > MAX_UNITS:
            return
        if self._by_end is not None:
            self._hold_ends(key)
        self._by_words[words].add(key)
        self._by_stems[stems].add(key)
        for first in (words[0], stems[0]):
            self._longest[first] = max(self._longest.get(first, 0), len(words))
        if len(words) > 1:
            for word in set(stems):
                if not text.is_cjk(word):
                    self._by_part[word].add(key)

    def discard(self, key: str, times: int = 1) -> None:
        """Know a name once less; forget it with the last."""
        if times <= 0:
            return
        self._known[key] -= times
        if self._known[key] > 0:
            return
        del self._known[key]
        words, stems = spelling(key)
        _remove(self._by_words, words, key)
        _remove(self._by_stems, stems, key)
        for word in set(stems):
            _remove(self._by_part, word, key)

    def find(self, asked: str) -> list[Mention]:
        """Find the known names in a text: longest first at each place, then names a lone word is part of."""
        folded = text.fold(asked)
        units = _units(folded)
        stems = [text.stem(unit.word) for unit in units]
        found: dict[str, Mention] = {}
        loose: list[int] = []
        at = 0
        longest = self._longest
        while at < len(units):
            begins = units[at].word in longest or stems[at] in longest
            size = self._match(folded, units, stems, at, found) if begins else 0
            if not size:
                loose.append(at)
            if size > 1:
                self._match_inside(units[at : at + size], found)
            at += size or 1
        self._match_parts(units, stems, loose, found)
        return list(found.values())

    def _match(self, folded: str, units: list[_Unit], stems: list[str], at: int, found: dict[str, Mention]) -> int:
        """Find the longest name that begins at a unit; return how many units it takes."""
        reach = max(self._longest.get(units[at].word, 0), self._longest.get(stems[at], 0))
        reach = min(reach, len(units) - at)
        run = 1
        while run < reach and _JOINS.match(folded[units[at + run - 1].end : units[at + run].start]):
            run += 1
        for size in range(reach, 0, -1):
            written = folded[units[at].start : units[at + size - 1].end]
            keys, via = self._by_words.get(tuple(unit.word for unit in units[at : at + size]), set()), "name"
            if keys and (exact := text.key(written)) in keys:
                keys = {exact}
            elif size > run:
                continue  # words with punctuation between them make a name only as it is written: `R&D`
            elif not keys:
                keys, via = self._by_stems.get(tuple(stems[at : at + size]), set()), "stem"
            for name in sorted(keys):
                if name not in found or found[name].via == "inside":
                    found[name] = Mention(name, via, written)
            if keys:
                return size
        return 0

    def _match_inside(self, units: list[_Unit], found: dict[str, Mention]) -> None:
        """Find the lone words of a name that are names themselves, unless they are said alone as well."""
        stops = text.stop_words()
        for unit in units:
            if unit.word not in stops:
                for name in sorted(self._by_words.get((unit.word,), ())):
                    found.setdefault(name, Mention(name, "inside", unit.word))

    def _match_parts(
        self, units: list[_Unit], stems: list[str], loose: Iterable[int], found: dict[str, Mention]
    ) -> None:
        stops = text.stop_words()
        for at in loose:
            word = units[at].word
            if word in stops or len(word) < 3:  # noqa: PLR2004 - a shorter word is part of everything
                continue
            for key in sorted(self._by_part.get(stems[at], ())):
                found.setdefault(key, Mention(key, "part", word))


def _remove(where: dict[_At, set[str]], at: _At, key: str) -> None:
    if at in where:
        where[at].discard(key)
        if not where[at]:
            del where[at]
