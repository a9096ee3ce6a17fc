"""Whether a text asks for a time, and whether one tells any: in English, Chinese, Japanese and Korean.

Law: pure, and quick enough to look at every card that is weighed; which time is told is the business of `dates`.
"""

from __future__ import annotations

import re

_ASKS = re.compile(
    r"\bwhen(?:'s|\s+(?:did|does|do|is|are|was|were|will|has|have|had|can|should|would)\b)"
    r"|\b(?:what|which)\s+(?:date|day|week|month|year)\b|\bhow\s+long\s+ago\b|\bsince\s+when\b"
    r"|什么时候|什麼時候|何时|何時|哪一?[天年]|哪个月|几[号月]|多久[以之]?前|いつ(?![もか])|何[日月年]|언제|며칠|몇\s*[월년]",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|weekend|january|february|april|june|july|august|september"
    r"|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|(?:last|next|this|past|coming)\s+(?:night|week|month|year|spring|summer|fall|autumn|winter"
    r"|mon|tues?|wed|thu(?:rs)?|fri|sat|sun)"
    r"|(?:in|since|until|by|last|next|early|late)\s+(?:march|may|(?:19|20)\d\d)|(?:19|20)\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)"
    r"|(?:march|may)\s+\d{1,2}|\d{1,2}\s+(?:march|may))\b"
    r"|昨[天日晚夜]|今[天日晚年]|明[天日晚年]|前[天年]|后天|[上下本这這]个?(?:周|週|月|星期|礼拜)|去年|年前|天前|月前|星期|周末"
    r"|\d\s*[年月日号]|[一二三四五六七八九十]月|先[週月]|来[週月年]|어제|오늘|내일|지난|작년|올해|내년|\d\s*[년월일]",
    re.IGNORECASE,
)


def asks_when(text: str) -> bool:
    """Tell whether a text asks when something is or was."""
    return _ASKS.search(text) is not None


def tells_when(text: str) -> bool:
    """Tell whether a text speaks of any time."""
    return _TELLS.search(text) is not None
