"""A word nobody knows, read as the name it is one slip of the finger away from.

Law: pure reading, and only of words that stand nowhere in the vault: a word somebody wrote is never doubted. Names
are what somebody gave: words that rules picked are words like any other, and so is what is one letter from them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kit import text
from kit.recall import match

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    knows = index.lexicon.knows_word
    remarks: list[str] = []
    for one in reversed(found):
        word = one.group()
        stem = text.stem(word)
        if stem not in unknown or len(word) < LEAST or _touches(folded, one) or word in stops:
            continue
        if knows(word) or knows(stem):
            continue
        likely = sorted(
            (rank, name) for name in index.lexicon.like(word) if (rank := _slip(word, name, lone=lone)) is not None
        )
        name = next((name for _, name in likely if _sought(index, name)), "")
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


def _slip(word: str, name: str, *, lone: bool) -> int | None:
    """Rank the slip that makes a word of a name, the likeliest 0; None: it is none. The first letter is seldom wrong.

    A word that is all that is asked is read more readily.
    """
    same = next(
        (at for at, (one, other) in enumerate(zip(word, name, strict=False)) if one != other), min(len(word), len(name))
    )
    size, readily = len(name), lone or len(name) >= LONG
    if not same:
        return None
    if size != len(word):
        short, long = sorted((word, name), key=len)
        if short[same:] != long[same + 1 :]:
            return None
        return 0 if long[same] == long[same - 1] else 2 if readily else None
    if word[same : same + 2] == name[same : same + 2][::-1] and word[same + 2 :] == name[same + 2 :]:
        return 1 if size >= LONG else None
    wrong = word[same + 1 :] == name[same + 1 :] and word[same] in _BESIDE.get(name[same], "")
    return 3 if wrong and size >= LONGER else None
