"""What sort of answer a question asks for, a time, a number or a place, and whether a text holds one.

Law: pure, and quick enough to look at every card that is weighed. English and Chinese; times also as `moments` does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit.perceive import moments

if TYPE_CHECKING:
    from collections.abc import Callable

_ASKS_NUMBER = re.compile(
    r"\bhow\s+(?:many|much|long|often|old|far|tall|high|deep|wide|heavy|big|large|fast)\b"
    r"|多少|几[个只次岁天年块元点本人位条张]|多[久大长远高重]",
    re.IGNORECASE,
)
_HAS_NUMBER = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred"
    r"|thousand|million|dozens?|couple|few|several|once|twice|half"
    r"|(?:an?|every|each|per|last|next|this)\s+(?:year|month|week|day|hour|minute)s?)\b"
    r"|\d|[一二两三四五六七八九十百千万几半][个只次年月天岁块元小分周点本人位条张]",
    re.IGNORECASE,
)
_ASKS_PLACE = re.compile(
    r"^\W*(?:so\s+|and\s+)?where\b"
    r"|\b(?:what|which)\s+(?:city|cities|town|towns|country|countries|place|places|state|states)\b"
    r"|哪里|哪儿|什么地方|哪个(?:城市|国家|地方|文件|目录)",
    re.IGNORECASE,
)
_HAS_PLACE = re.compile(
    r"\b(?:[Ii]n|[Aa]t|[Ff]rom|[Tt]o|[Nn]ear)\s+(?:(?:the|a|my|our)\s+)?[A-Z][a-z]+"
    r"|\b(?:home|house|apartment|park|beach|store|shop|city|town|village|country|church|gym|school|college|university"
    r"|studio|shelter|cent(?:er|re)|museum|hospital|mountains?|lake|river|forest|office|hotel|restaurant|cafe|library"
    r"|airport|station|theat(?:er|re)|island|farm|garden|abroad|downtown|street)\b"
    r"|[\w.-]+/[\w./-]+"
    r"|[在去到从住][^，。！？\s]{0,8}[省市县区国路街店校院馆园山湖海岛村镇里]|家里|公司|学校|医院"
)

_ASKS_OWN = re.compile(
    r"\W*(?:(?:and|but|so|ok(?:ay)?|hey|remind\s+me)\W+)*(?:"
    r"(?:who|whose|what|which|when|where|how\s+(?:many|much|old|long|often))(?:'s)?\b[^.!?\n]*\b(?:my|our)\b"
    r"|(?:am|are|was|were)\s+(?:i|we)\b|(?:do|did|have|had)\s+(?:i|we)\b|(?:is|are|was|does|do)\s+(?:my|our)\b"
    r"|(?:what|which|when|where|who|why|how\s+(?:many|much|long|often))\b[^.!?\n]*\b(?:did|have|had|was|were|am)\s+(?:i|we)\b"
    r"|(?:which|when|where|who)\b[^.!?\n]*\bdo\s+(?:i|we)\b"
    r")[^\n]*",
    re.IGNORECASE,
)
_ASKS_OWN_ZH = re.compile(
    r"(?=.*(?:什么|哪|谁|几|多少|多[久大长远高重]|为什么|啥|[吗呢么]\W*$))"
    r"(?!.*(?:[帮给教替让请]我|告诉我|我(?:该|想|要|可以|能不能|应该)|怎么))[^。！\n]*(?:我|咱)[^。！\n]*\W*"
)

_SHORT = 120
"""Characters of such a question at most: a longer one says more than one thing."""


class Sort(NamedTuple):
    """One sort of answer."""

    name: str
    """a time, a number, a place"""
    held: Callable[[str], bool]
    """whether a text holds one"""


_TIME = Sort("a time", moments.tells_when)
_NUMBER = Sort("a number", lambda text: _HAS_NUMBER.search(text) is not None)
_PLACE = Sort("a place", lambda text: _HAS_PLACE.search(text) is not None)


def asked(text: str) -> Sort | None:
    """Tell what sort of answer a text asks for; None where it asks for none of these."""
    if moments.asks_when(text):
        return _TIME
    if _ASKS_NUMBER.search(text):
        return _NUMBER
    return _PLACE if _ASKS_PLACE.search(text) else None


def asks_own(text: str) -> bool:
    """Tell whether a short text asks after the person's own affairs: their family, habits, plans, past choices."""
    said = text.strip()
    if not 0 < len(said) <= _SHORT or "\n" in said:
        return False
    return bool(_ASKS_OWN.fullmatch(said) or _ASKS_OWN_ZH.fullmatch(said))
