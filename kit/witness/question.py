"""What of a question is asked after, what each word of it weighs, and what it proves where it was found."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from kit import text
from kit.index import bm25
from kit.recall.query import TextProof

if TYPE_CHECKING:
    from collections.abc import Mapping

PAIR, STRAY_PAIR = 0.5, 0.2
ECHO = 0.5
"""Worth of a lone CJK character as a word."""
LONGEST = 96
"""Words of a question that are looked at: what is asked stands at the beginning or at the end."""
MOST_OFTEN = 3
"""So often a word that is repeated counts at most."""


def words_of(question: str) -> tuple[list[str], dict[str, float]]:
    """Take a question apart: its words, and how often each is asked for, CJK characters by themselves among them.

    The words of the last line count once more: what stands before it leads up to it.
    """
    asked = text.terms(question)
    plain = list(dict.fromkeys(asked))
    if len(plain) > LONGEST:
        plain = [*plain[: LONGEST // 2], *plain[-LONGEST // 2 :]]
        counts = Counter(filter(frozenset(plain).__contains__, asked))
    else:
        counts = Counter(asked if question.isascii() else text.terms(question, unigrams=True))
    before, _, last = question.strip().rpartition("\n")
    if before:
        counts.update(word for word in text.terms(last, unigrams=True) if word in counts)
    return plain, {word: float(min(count, MOST_OFTEN)) for word, count in counts.items()}


def mass_of(word: str, df: int) -> float:
    """Say how much of a word a term is: pairs of CJK characters overlap, and one found nowhere mostly is no word."""
    if not text.is_cjk(word):
        return 1.0
    return PAIR if df else STRAY_PAIR


@lru_cache(maxsize=4096)
def solidity(word: str) -> float:
    """Say how much of a word a term is that was found: letters, numbers and pairs with a filler (`的`) are none.

    Characters mostly repeat what pairs of them say.
    """
    if len(word) > 1:
        stops = text.stop_words()
        return float(not (word.isdecimal() or (text.is_cjk(word) and any(char in stops for char in word))))
    return ECHO if text.is_cjk(word) else 0.0


def shares_of(gains: Mapping[int, Mapping[str, float]]) -> dict[int, float]:
    """Say of each card how much of what its words gain comes from words indeed."""
    return {
        num: sum(gain * solidity(word) for word, gain in each.items()) / (sum(each.values()) or 1.0)
        for num, each in gains.items()
    }


def proof_of(fields: Mapping[str, float], mass: float, to_words: float) -> TextProof:
    """Say where words were found; what a field gained × `to_words` is its worth in rare words. Words akin have none."""
    named = sorted(fields, key=lambda name: -fields[name])[:3]
    said = ", ".join(f"{name} {fields[name] / mass:.2f}" for name in named if fields[name] > 0)
    most = max((gain for name, gain in fields.items() if name != bm25.AKIN), default=0.0)
    return TextProof(f"words found in {said}", most * to_words)
