"""Every name memory is known by, ready to be found in running text, with and without blanks.

Law: looking up adds nothing; a name is known exactly as long as something in the vault bears it. How names are cut
into words and stems is written down in the index: raise `db.SCHEMA` with every change of that.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kit import text

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_LIKE = 5
"""Letters of a word from which on others are `like` it."""
LEAST_PART = 3
"""Letters of a word from which on names are found that it is part of: a shorter one is part of everything."""
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


def _cut(folded: str) -> list[str]:
    """List the words of a text, without the ending of what belongs to somebody."""
    words: list[str] = _UNIT.findall(folded)
    return [_owner(word) for word in words] if "'s" in folded or "’s" in folded else words


def _owner(word: str) -> str:
    return word[:-2] if word.endswith(("'s", "’s")) and len(word) > 2 else word  # noqa: PLR2004 - the ending's length


@lru_cache(maxsize=4096)
def _words(key: str) -> tuple[str, ...]:
    return tuple(_cut(key))


@lru_cache(maxsize=4096)
def _stemmed(key: str) -> tuple[str, ...]:
    return tuple(text.stem(word) for word in _words(key))


def spelling(key: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the words of a name, and their stems."""
    return _words(key), _stemmed(key)


def parts_of(asked: str) -> set[str]:
    """List the words of a text, and their stems: a name that is found in it has one of them."""
    words = set(_cut(text.fold(asked)))
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
        words, units = _cut(folded), list(_UNIT.finditer(folded))
        stems = [text.stem(word) if word.isascii() else word for word in words]
        found: dict[str, Mention] = {}
        loose: list[int] = []
        at = 0
        longest = self._longest
        while at < len(words):
            begins = words[at] in longest or stems[at] in longest
            size = self._match(folded, units, words, stems, at, found) if begins else 0
            if not size and len(words[at]) >= LEAST_PART:
                loose.append(at)
            if size > 1:
                self._match_inside(words[at : at + size], found)
            at += size or 1
        self._match_parts(words, stems, loose, found)
        return list(found.values())

    def _match(
        self, folded: str, units: list[re.Match[str]], words: list[str], stems: list[str], at: int,
        found: dict[str, Mention],
    ) -> int:  # fmt: skip
        """Find the longest name that begins at a unit; return how many units it takes."""
        reach = min(max(self._longest.get(words[at], 0), self._longest.get(stems[at], 0)), len(words) - at)
        by_words, by_stems = self._by_words.get, self._by_stems.get
        for size in range(reach, 0, -1):
            keys, via = by_words(tuple(words[at : at + size])), "name"
            akin = None if keys else by_stems(tuple(stems[at : at + size]))
            if not (keys or akin):
                continue
            written = folded[units[at].start() : units[at + size - 1].end()]
            if keys and (exact := text.key(written)) in keys:
                keys = {exact}
            elif not _is_run(folded, units[at : at + size]):
                continue  # words with punctuation between them make a name only as it is written: `R&D`
            elif akin:
                keys, via = akin, "stem"
            for name in sorted(keys or ()):
                if name not in found or found[name].via == "inside":
                    found[name] = Mention(name, via, written)
            return size
        return 0

    def _match_inside(self, words: list[str], found: dict[str, Mention]) -> None:
        """Find the lone words of a name that are names themselves, unless they are said alone as well."""
        stops = text.stop_words()
        for word in words:
            if word not in stops:
                for name in sorted(self._by_words.get((word,), ())):
                    found.setdefault(name, Mention(name, "inside", word))

    def _match_parts(self, words: list[str], stems: list[str], loose: Iterable[int], found: dict[str, Mention]) -> None:
        stops = text.stop_words()
        for at in loose:
            if stems[at] in self._by_part and words[at] not in stops:
                for key in sorted(self._by_part[stems[at]]):
                    found.setdefault(key, Mention(key, "part", words[at]))


def _is_run(folded: str, units: list[re.Match[str]]) -> bool:
    """Tell whether nothing but what joins words stands between some."""
    return all(_JOINS.match(folded[one.end() : other.start()]) for one, other in pairwise(units))


def _remove(where: dict[_At, set[str]], at: _At, key: str) -> None:
    if at in where:
        where[at].discard(key)
        if not where[at]:
            del where[at]
