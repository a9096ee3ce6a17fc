"""What the next message says about the answer before it.

Law: rules only; a message that judges nothing is `ignored`, which changes no weight.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from kit import text as analyser
from kit.digest import prose

Status = Literal["confirmed", "rejected", "partial", "ignored"]


class Verdict(NamedTuple):
    """How an answer was taken, why that is thought, and how sure it is (0 to 1)."""

    status: Status
    reason: str
    confidence: float


_NOT_WORKING = (
    r"(?:do(?:es)?n['’]?t|did(?:n['’]?t| not)|do(?:es)? not|isn['’]?t|is not|still (?:not|no)|"
    r"won['’]?t|can['’]?t|never) "
    r"(?:\w+ )?(?:work|help|fix|solve|compile|build|run|start|right|correct|true|what i|load|pass)\w*"
)
_REJECTS = re.compile(
    rf"(?i)\b{_NOT_WORKING}\b|^(?:no|nope|nah|wrong|incorrect|not (?:right|quite|correct|true|"
    rf"what))\b(?! problem| worries| thanks| thank you|w\b| more)"
    r"|\bthat(?:['’]s| is) (?:not|wrong|false|incorrect)\b|\byou (?:forgot|missed|broke|"
    r"misunderstood|ignored)\b|\bi (?:don['’]t|do not|didn['’]t) (?:like|want|ask|agree)\b"
    r"|\b(?:it|this|that|build|test|tests|job)?(?:['’]s| is| are)? ?still (?:fail|broken|crash|"
    r"wrong|the same|drops|there)\w*|\b(?:undo|revert) (?:that|this|it)\b"
    r"|\btoo (?:expensive|long|slow|complicated|big|vague|much|many)\b|\b(?:same|another) error\b|"
    r"\bstill (?:get|see|have)\w*\b|\bfail(?:s|ed)\b.*\bagain\b"
    r"|^(?:不对|不是|错了?|不行|没用|不可以|不好|没有用|不能用|还是不|还是报|还是失败|失败了|又报|"
    r"有问题)|不对[，。！]|(?:不起作用|没解决|没效果|没修好|不能运行|跑不起来|发布失败|还是失败|"
    r"还是报错|仍然报错)"
    r"|我不(?:喜欢|同意|想要|是这个意思)|太(?:贵|长|慢|复杂|啰嗦|多)了|你(?:忘了|漏了|理解错|搞错|"
    r"弄错)|没让你|撤销(?:它|这个)|改回去"
)
_PARTLY = re.compile(
    r"(?i)\b(?:but|except|otherwise|almost|nearly|partly|although|however|instead|apart from)\b|"
    r"\bi meant\b|\bmore (?:detail|specific|info)\w*|\bdon['’]?t (?:get|understand|follow)\b"
    r"|\b(?:an?|give|another|for) example\b|\bother options\b|\belaborate\b|\bexplain (?:that|"
    r"more|again|it)\b|\b(?:not|un)(?: so)? sure\b|\bmeasure again\b|\b(?:change|redo|add) that\b"
    r"|不过|但是?|除了|其他都|差不多|基本上|再详细|详细(?:点|一点|说|一些)|具体(?:点|一点|说)|"
    r"没(?:看|听)?(?:懂|明白)|不(?:太|是很)?(?:懂|明白)|举个例子|说错了|我的意思是|补充|还有别的|"
    r"再(?:测|改|试|查|来)一"
)
_CONFIRMS = re.compile(
    r"(?i)^(?:yes|yep|yeah|yup|exactly|correct|right|perfect|great|good|nice|lovely|awesome|"
    r"excellent|agreed|cool|brilliant|phew|wonderful|amazing)\b"
    r"|\b(?:thanks|thank you|thx|ty|cheers)\b|\b(?:it |that |this |now |"
    r"everything )?works?(?: now| great| fine| perfectly| like| well)\b|\bworks[.!]*$"
    r"|\b(?:looks?|sounds?|all|very|that['’]s|much) (?:good|great|right|fine|perfect|correct|"
    r"delicious|better|nice)\b|\b(?:fixed|solved|helped|did the trick|makes sense|as expected|"
    r"is gone|turned out|builds now|passes now|good answer)\b|\bit['’]s up\b|\bmerged\b|\blgtm\b"
    r"|^(?:对|对的|对了|没错|正确|是的|很好|太好了|不错|完美|棒|可以了?|好了|好多了|好用|好极了|"
    r"同意|有道理|赞|就这样|就是|成功)|谢谢|多谢|感谢|(?:修|搞|弄|解决|跑)(?:好|定|决|通)了|"
    r"解决了|没问题|很好用|没再(?:报错|出现)|很成功|有用|听起来(?:很|不错)|正是|好多了|没了"
)
_BARE_ANSWER = re.compile(
    r"(?i)^(?:yes|no|yep|nope|yeah|sure|yes please|no thanks?(?: you)?|是|是的|不|不用|不要|要|好|对|可以)[.!。！]*$"
)
_PROCEEDS = re.compile(
    r"(?i)^(?:ok(?:ay)?|fine|k|sure|go on|go ahead|continue|next|alright|interesting|hm+|嗯+|好|"
    r"好的|行|继续|知道了|明白|收到|算了|好吧)[.!。！]*$"
)
_FOLLOWS = re.compile(
    r"(?i)^(?:and|what about|how about|so|then|also|but)\b|^(?:那|那么|然后|还有|如果|为什么(?:不|"
    r"不用)?)|^(?:why|how)\b.*\b(?:it|that|this|they|them|there)\b"
    r"|^(?:show|tell|give) me\b.*\b(?:it|that|more|how)\b|^add that\b|\b(?:the )?(?:same|another|"
    r"other) (?:one|thing|way|option)s?\b"
)
_THANKS = re.compile(r"(?i)^[\W]*(?:thanks|thank you|thx|谢谢|多谢)")


def _related(previous: str, message: str) -> float:
    """Measure how much of a message's content stands in the exchange before it, 0 to 1."""
    said = set(analyser.terms(message))
    return len(said & set(analyser.terms(previous))) / len(said) if said else 0.0


def feedback(previous_user: str, previous_agent: str, message: str) -> Verdict:
    """Judge from the next message how the answer before it was taken."""
    said = " ".join(prose.plain(prose.without_quotes(message)).split())[:600]
    if not said or _PROCEEDS.match(said):
        return Verdict("ignored", "goes on without a word about the answer", 0.6)
    offers = prose.sentences(prose.plain(previous_agent))[-1:]
    if offers and prose.is_question(offers[0]) and _BARE_ANSWER.match(said):
        return Verdict("ignored", "answers the agent's own question", 0.6)
    partly, rejects, confirms = _PARTLY.search(said), _REJECTS.search(said), _CONFIRMS.search(said)
    if rejects and not (partly and (confirms or rejects.start() > partly.start() or "still" in rejects[0].lower())):
        asks_more = (
            partly is not None and rejects.start() > 0 and partly[0].lower() not in ("but", "但", "但是", "不过")
        )
        if not asks_more:
            return Verdict("rejected", f"says “{_mark(rejects)}”", 0.9)
    if partly:
        return Verdict("partial", f"says “{_mark(partly)}”", 0.8)
    return _unopposed(f"{previous_user}\n{previous_agent}", said, confirms)


def _unopposed(previous: str, said: str, confirms: re.Match[str] | None) -> Verdict:
    """Judge a message that objects to nothing."""
    if confirms and not said.endswith(("?", "？")):
        return Verdict("confirmed", f"says “{_mark(confirms)}”", 0.7 if _THANKS.match(said) else 0.9)
    if confirms and confirms.start() == 0 and len(prose.sentences(said)) > 1:
        return Verdict("confirmed", f"says “{_mark(confirms)}” before asking on", 0.7)
    related = _related(previous, said)
    if _FOLLOWS.search(said) or (prose.is_question(said) and related >= 0.3) or related >= 0.5:  # noqa: PLR2004 - half of it is about the same
        return Verdict("partial", "asks on about the same matter", 0.6)
    return Verdict("ignored", "turns to something else", 0.5)


def _mark(found: re.Match[str]) -> str:
    return found[0].strip(" ,.!，。！")
