"""The words of a fact that carry it: names and values stay, verbs and fillers go.

Law: what tells one value from another is never filler: a letter that stands for something (blood type A, plan B), a
name that is also a verb (`Go`), a digit.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from kit import text as analyser

_EMPTY = re.compile(
    r"(?:"
    r"alway|never|usual|prefer|like|love|hate|dislik|rememb|pleas|go|put|use|write|give|keep|make|do"
    r")"
)
_CJK_EMPTY = re.compile(
    r"以后|今后|从现在起|从今以后|总是|始终|一律|永远|务必|每次|都要|统一|请|都|要|用|写|放|我们?|"
    r"你们?|的|了|是|在|里|中|喜欢|习惯|"
    r"不要|不|别|把|给|先|就|也|(?<![例开周晨年早晚大])会(?![议员话计])|加|和|与|时"
)
_ALSO_NAMES = frozenset({"go", "make"})
_BEFORE_A_NAME = re.compile(r"(?i)\b(?:in|with|of|for|by|is)\s+$")
_ENDS = re.compile(r"\s*(?:[.,;:!?。，；：！？)]|$)")
_WORD = re.compile(rf"[{analyser.CJK}]+|[^\W_{analyser.CJK}]+(?:['’.\-_][^\W_{analyser.CJK}]+)*(?:\+\+|\#)?")


_DENIAL = re.compile(
    r"(?i)\b(?:not|never|no|none|nor|hate|dislike|avoid|without|stop)\b|n['’]t\b|不|别(?!人|的|名|处)|勿|没|无|讨厌|禁止"
)


def denies(text: str) -> bool:
    """Tell whether a text says no to what it speaks of."""
    return bool(_DENIAL.search(text))


@lru_cache(maxsize=4096)
def content(text: str) -> tuple[str, ...]:
    """List the words of a fact that carry it, folded, in order."""
    terms: list[str] = []
    said = unicodedata.normalize("NFKC", text)
    for found in _WORD.finditer(said):
        word = analyser.fold(found[0])
        word = word[:-2] if word.endswith(("'s", "’s")) else word
        if analyser.is_cjk(word):
            terms += [part for part in _CJK_EMPTY.split(word) if part]
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
