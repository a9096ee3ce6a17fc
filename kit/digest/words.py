"""The words of a fact that carry it: names and values stay, verbs and fillers go.

Law: what tells one value from another is never filler: a letter that stands for something (blood type A, plan B), a
name that is also a verb (`Go`), a digit.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from kit import shipped
from kit import text as analyser
from kit.digest import cuts

if TYPE_CHECKING:
    from collections.abc import Mapping

_EMPTY = re.compile(
    r"(?:"
    r"alway|never|usual|prefer|like|love|hate|dislik|rememb|pleas|go|put|use|write|give|keep|make|do"
    r")"
)
_ALSO_NAMES = frozenset({"go", "make"})
_BEFORE_A_NAME = re.compile(r"(?i)\b(?:in|with|of|for|by|is)\s+$")
_ENDS = re.compile(r"\s*(?:[.,;:!?。，；：！？)]|$)")
_WORD = re.compile(rf"[{analyser.CJK}]+|[^\W_{analyser.CJK}]+(?:['’.\-_][^\W_{analyser.CJK}]+)*(?:\+\+|\#)?")


_DENIAL = re.compile(
    r"(?i)\b(?:not|never|no|none|nor|hate|dislike|avoid|without|stop \w+ing)\b"
    r"|n['’]t\b|不|别(?!人|的|名|处)|勿|没|无|讨厌|禁止"
)


def denies(text: str) -> bool:
    """Tell whether a text says no to what it speaks of."""
    return bool(_DENIAL.search(text))


@cache
def _cjk_empty() -> Mapping[str, bool]:
    return cuts.table(frozenset(shipped.word_list("empty.zh")))


@lru_cache(maxsize=4096)
def content(text: str) -> tuple[str, ...]:
    """List the words of a fact that carry it, folded, in order."""
    terms: list[str] = []
    said = unicodedata.normalize("NFKC", text)
    for found in _WORD.finditer(said):
        word = analyser.fold(found[0])
        word = word[:-2] if word.endswith(("'s", "’s")) else word
        if analyser.is_cjk(word):
            terms += [piece.text for piece in cuts.cut(word, _cjk_empty())]
        elif _carries(word, found, said):
            terms.append(word)
    return tuple(terms)


def features(text: str) -> set[str]:
    """Take what two texts can share: stems, and CJK pairs within words."""
    parts: set[str] = set()
    for term in content(text):
        if analyser.is_cjk(term) and len(term) > 1:
            parts.update(term[at : at + 2] for at in range(len(term) - 1))
        else:
            parts.add(analyser.stem(term))
    return parts


def _carries(word: str, found: re.Match[str], said: str) -> bool:
    opens = not said[: found.start()].strip()
    as_name = found[0][0].isupper() and not opens
    if len(word) == 1 and word.isalpha():
        if word == "i":
            return False
        return as_name or (not opens and (word != "a" or bool(_ENDS.match(said, found.end()))))
    if _EMPTY.fullmatch(analyser.stem(word)):
        return as_name or (
            word in _ALSO_NAMES and bool(_BEFORE_A_NAME.search(said, max(0, found.start() - 8), found.start()))
        )
    return word not in analyser.stop_words()
