"""A word nobody knows, read as the name it is one slip of the finger away from.

Law: pure reading, and only of words that stand nowhere in the vault: a word somebody wrote is never doubted. Names
are what somebody gave: words that rules picked are words like any other, and so is what is one letter from them.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

from kit import text
from kit.recall import match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kit.index.reflection import Index

LEAST = 4
"""Letters a word must have to be read otherwise."""
LONG, LONGER = 6, 7
"""Letters of a name from which on one too many, too few or swapped is mended, and a wrong one.

In a shorter one that mostly makes another word: `planet`, `trial`, `mango`. There only a doubled letter is.
"""
_WORD = re.compile(r"[a-z]+")
_JOINING = frozenset("_/\\@")
_GOES_ON = re.compile(r"[.:]\w")
_VOWELS = frozenset("aeiou")


def _beside() -> dict[str, str]:
    """List the keys around each letter, and the vowels that are taken for one another."""
    rows = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    place = {letter: (row, at + row / 2) for row, keys in enumerate(rows) for at, letter in enumerate(keys)}
    return {
        one: "".join(
            other
            for other, (row, at) in place.items()
            if other != one
            and ((abs(row - place[one][0]) <= 1 and abs(at - place[one][1]) <= 1) or {one, other} <= _VOWELS)
        )
        for one in place
    }


_BESIDE = _beside()


def mended(index: Index, asked: str, rarity: Mapping[str, float]) -> tuple[str, tuple[str, ...]]:
    """Return a text with misspelt names as they are written, and a remark on each.

    `rarity` is what the full text knows of its words; 1 is found nowhere.
    """
    unknown = {term for term, weight in rarity.items() if weight >= 1 and term.isascii() and len(term) >= LEAST - 1}
    if not unknown:
        return asked, ()
    folded, stops = text.fold(asked), text.stop_words()
    found = list(_WORD.finditer(folded))
    lone = sum(one.group() not in stops for one in found) == 1
    knows = index.lexicon.knows
    remarks: list[str] = []
    for one in reversed(found):
        word = one.group()
        stem = text.stem(word)
        if stem not in unknown or len(word) < LEAST or _touches(folded, one) or word in stops:
            continue
        if knows(word) or knows(stem):
            continue
        slips = (slip for slip in _slips(word, lone=lone) if knows(slip) and _sought(index, slip))
        name = next(slips, "")
        if name:
            folded = f"{folded[: one.start()]}{name}{folded[one.end() :]}"
            remarks.append(f"Read '{word}' as '{name}'.")
    return (folded, tuple(reversed(remarks))) if remarks else (asked, ())


def _sought(index: Index, word: str) -> bool:
    return any(match.is_sought(index, name) for name in index.lexicon.with_word(word))


def _touches(folded: str, found: re.Match[str]) -> bool:
    """Tell whether a word is only a part of something longer: of a path, an identifier, a word of another script."""
    before, after = folded[: found.start()][-1:], folded[found.end() :][:2]
    return any(char.isalnum() or char in _JOINING for char in (before, after[:1])) or bool(_GOES_ON.match(after))


def _slips(word: str, *, lone: bool) -> Iterator[str]:
    """List what may have been meant, the likeliest slips first; the first letter is seldom wrong.

    A word that is all that is asked is looked up more readily.
    """
    size, cuts, letters = len(word), range(1, len(word)), ascii_lowercase
    yield from (f"{word[:at]}{word[at]}{word[at:]}" for at in range(size))
    if size - 1 > LEAST:
        yield from (f"{word[:at]}{word[at + 1 :]}" for at in cuts if word[at] == word[at - 1])
    if size >= LONG:
        yield from (f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}" for at in cuts if at + 1 < size)
    if size - 1 >= LONG or lone:
        yield from (f"{word[:at]}{word[at + 1 :]}" for at in cuts)
    if size + 1 >= LONG or lone:
        yield from (f"{word[:at]}{letter}{word[at:]}" for at in (*cuts, size) for letter in letters)
    if size >= LONGER:
        yield from (f"{word[:at]}{letter}{word[at + 1 :]}" for at in cuts for letter in _BESIDE[word[at]])
