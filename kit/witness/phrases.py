"""Which words of a question stand together in a long note: where words stand is not indexed, so the best few are read.

Law: pure. In a short note words stand together anyway; in a long one all of them are found somewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.index import bm25
from kit.recall.query import Phrases

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

MOST_PAIRS = 12
"""Pairs that are looked for at most: the rarest."""
TURNS = 3
"""Lines a name opens that speaks."""


class Pair(NamedTuple):
    """Two words that are asked for one after the other."""

    first: str
    second: str

    def stands_in(self, folded: str) -> bool:
        """Tell whether a folded text has both beside each other."""
        if self.first[:-1] not in folded or self.second[:-1] not in folded:
            return False
        ways = _ways(self.first, self.second)
        return any(self._is_meant(found, folded) for way in ways for found in way.finditer(folded))

    def _is_meant(self, found: re.Match[str], folded: str) -> bool:
        if text.is_cjk(self.first) or text.is_cjk(self.second):
            return True
        inside = found.start() and folded[found.start() - 1].isalnum()
        return not inside and set(text.terms(found.group().replace("-", " "))) == {self.first, self.second}


def pairs_of(asked: Iterable[str], known: Mapping[str, int], texts: Collection[str]) -> list[Pair]:
    """List the pairs of a question's words; `known` tells on how many notes each stands.

    Whoever speaks in the texts makes no pair: such a name stands beside anything.
    """
    words = [word for word in asked if not any(_speaks(word, folded) for folded in texts)]
    found = [pair for pair in pairwise(words) if pair[0] in known and pair[1] in known]
    rarest = sorted(found, key=lambda pair: known[pair[0]] + known[pair[1]])[:MOST_PAIRS]
    return [Pair(*pair) for pair in rarest]


def _speaks(word: str, folded: str) -> bool:
    return folded.count(f"\n{word}") + folded.count(f"\n**{word}") >= TURNS


def weigh(pairs: Iterable[Pair], texts: Mapping[int, str], mass: float) -> dict[int, Phrases]:
    """Weigh the pairs each text has, by how few of these texts have them; `mass` is the weight of all that is asked."""
    having = {pair: [num for num, folded in texts.items() if pair.stands_in(folded)] for pair in pairs}
    found = dict.fromkeys(texts, Phrases())
    for pair, nums in having.items():
        worth = bm25.idf(len(texts), len(nums)) / mass
        for num in nums:
            found[num] = Phrases(found[num].gain + worth, (*found[num].said, f"{pair.first} {pair.second}"))
    return found


@lru_cache(maxsize=256)
def _ways(one: str, other: str) -> tuple[re.Pattern[str], ...]:
    """Write what finds two words, in either order; only other words that say nothing may stand between them."""
    if text.is_cjk(one) and text.is_cjk(other):
        overlapping = one[-1] == other[0]
        return (re.compile(re.escape(one + other[1:]) if overlapping else rf"{re.escape(one)}.?{re.escape(other)}"),)
    if text.is_cjk(one) or text.is_cjk(other):
        return (re.compile(rf"{re.escape(one)}\W*{re.escape(other)}"),)
    return tuple(
        re.compile(rf"{_stem(first)}\w*(?:\W+\w+){{0,3}}?\W+{_stem(second)}\w*")
        for first, second in ((one, other), (other, one))
    )


def _stem(word: str) -> str:
    """Write a stem as what all its forms begin with: `berri` is berry, too."""
    return re.escape(word.removesuffix("i"))
