"""A sentence or two and one paragraph about a turn: what was decided or answered.

Law: extractive, so nothing is said that was not said; the language of the turn is kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from kit import text as analyser
from kit.digest import candidates, prose, words

_DECISION = re.compile(
    r"(?i)\b(?:decided?|decision|chose|chosen|choose|picked?|use|set|switch(?:ed)?|recommend|suggest|propose|take|"
    r"because|cause|reason|so that|instead|renamed?|changed?|fixed|added|moved|removed|migrated|restored|converted|"
    r"raised|corrected|wrapped|replaced?|shorten|agreed|wants?|now)\b"
    r"|决定|选择|选了|采用|改用|改成|改为|改名|设为|使用|建议|推荐|因为|原因|由于|所以|为了|已将|已把|修正|更正|"
    r"恢复|增加|加上|删除|迁移|希望|现在"
)
_WEIGHTY = re.compile(r"(?i)\b(?:decided?|decision|chose|because|the (?:cause|reason) is)\b|决定|因为|原因是|由于")
_DETAIL = re.compile(r"\d|[\w)]\.[a-z]{1,5}\b|\w_\w|[a-z][A-Z]|\w\(\)|/\w")
_NAMES = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:'’-]*")
_NEW_WORDS = 3
"""Words a promise may have of its own: `I'll stick with pnpm`."""
_DANGLING = re.compile(
    r"(?i)^(?:it|this|that|these|those|they|he|she|then|also|and|but|so|yes|no|there)\b|^(?:它|这|"
    r"那|然后|所以|而且|是的?)"
)
_CASE = re.compile(r"(?i)^(?:for|if|when|unless|otherwise|note)\b|^(?:如果|若|否则|注意|对于)")
_BARE = re.compile(
    r"(?:"
    r"continue|proceed|next|again|retry|rerun|resume|stop|wait|run|commit|push|pull|merge|deploy|build|test|"
    r"start|execute|ahead|go|do|yes|no|y|n|ok|okay|k|thx|thanks|thank|cheers|great|good|perfect|nice|cool|fine|"
    r"hello|hi|hey|morning|evening|afternoon|bye|please|ask|file|one|it|up|on|now|done|ready|sure|right|finish|"
    r"keep|going|try"
    r")"
)
_BARE_CJK = re.compile(
    r"(?:继续|接着|往下|下一[个步]|开始|执行|运行|重试|再试|试试|提交|推送|合并|部署|构建|测试|停|"
    r"等等|谢谢|多谢|感谢|辛苦了?|"
    r"好的?|行|可以|嗯+|是的?|对的?|不|没事|没问题|你好|您好|早上?好?|晚上好|晚安|再见|算了|收到|"
    r"明白|知道|了|吧|啊|呀|"
    r"啦|一下|一次|请|就|这样|你|再|做|来|去|它)+"
)


class _Scored(NamedTuple):
    score: float
    at: int
    sentence: str


class _Heard(NamedTuple):
    """What a person said, as answers are compared with it."""

    features: frozenset[str]
    folded: str
    asks: bool


@lru_cache(maxsize=4)  # asked for with every sentence of the answer
def _heard(user: str) -> _Heard:
    asks = any(map(prose.is_question, prose.sentences(prose.plain(user))))
    return _Heard(frozenset(words.features(user)), analyser.fold(user), asks)


def _takes_note(sentence: str, user: str) -> bool:
    """Tell whether a sentence only says that what the user said will be heeded: it promises, and brings nothing new."""
    if not prose.is_promise(sentence):
        return False
    heard = _heard(user)
    most = 0 if heard.asks else _NEW_WORDS * (2 if analyser.language(sentence) == "zh" else 1)
    return len(words.features(sentence) - heard.features) <= most and not _brings(sentence, heard)


def _brings(sentence: str, heard: _Heard) -> bool:
    """Tell whether a sentence names something the user has not: a number, a name, a file."""
    chinese = analyser.language(sentence) == "zh"
    for found in _NAMES.finditer(sentence):
        word = found[0].strip("./-'’")
        opens = not sentence[: found.start()].strip()
        telling = chinese or bool(re.search(r"\d|[a-z][A-Z]|[\w)][._/]\w", word)) or (word[:1].isupper() and not opens)
        plain = analyser.fold(word)
        stands_for_i = plain.startswith(("i'", "i’")) or plain in analyser.stop_words()
        if telling and plain not in heard.folded and not stands_for_i:
            return True
    return False


def _score(sentences: list[str], asked: set[str], user: str) -> list[_Scored]:
    """Score by position, words shared with the question, decision words and details."""
    scored = []
    for at, sentence in enumerate(sentences):
        terms = set(analyser.terms(sentence))
        score = 1.2 / (1 + at)
        score += 1.5 * len(terms & asked) / (len(asked) or 1)
        score += 0.5 * min(len(_DECISION.findall(sentence)), 2) + 1.0 * bool(_WEIGHTY.search(sentence))
        score += 0.25 * min(len(_DETAIL.findall(sentence)), 3)
        score -= 1.5 * (len(terms - asked) <= 1 and len(sentences) > 1 and len(terms) > 1)  # an echo of the request
        score -= 1.5 * _takes_note(sentence, user)
        score -= 0.7 * bool(_CASE.match(sentence))
        score -= 0.8 * prose.is_question(sentence) + 0.6 * (prose.size(sentence) < 4)  # noqa: PLR2004 - too short to tell
        scored.append(_Scored(score, at, sentence))
    return scored


def _request(user: str) -> str:
    """Find the sentence of a prompt that asks or orders; the first one when none does."""
    said = prose.said(user) or prose.sentences(prose.plain(user))
    asking = [at for at, sentence in enumerate(said) if prose.is_question(sentence)]
    if not asking:
        return (said or [""])[0]
    question = said[asking[0]]
    if asking[0] and prose.size(question) < 7:  # noqa: PLR2004 - `is that risky?` needs what came before it
        gap = "" if analyser.is_cjk(question[0]) else " "
        return f"{said[asking[0] - 1]}{gap}{question}"
    return question


def _statement(user: str, limit: int) -> str:
    text = " ".join(prose.said(user)) or " ".join(prose.sentences(prose.plain(user)))
    text = re.sub(r"(?i)^(?:please )?remember(?: that|[:,])\s*|^(?:请)?记(?:住|一下)[：:，,]\s*", "", text)
    text = prose.capital(text)
    whole = [""]
    for sentence in prose.sentences(text):
        joined = f"{whole[-1]}{'' if analyser.is_cjk(sentence[:1]) else ' '}{sentence}".strip()
        if len(joined) > limit:
            break
        whole.append(joined)
    # a short sentence before a long one (`Thanks for asking. …`) is not what was said
    return whole[-1] if len(whole[-1]) >= min(len(text), limit // 2) else analyser.clip(text, limit)


def is_acknowledged(user: str, agent: str) -> bool:
    """Tell whether the answer only takes note of what the user said."""
    said = prose.said(agent)
    if not said:
        return True
    rest = [sentence for sentence in said if not _takes_note(sentence, user)]
    if not rest:
        return sum(map(prose.size, said)) <= 40  # noqa: PLR2004 - a longer promise is a plan, and says something
    heard = _heard(user)
    small = 12 if analyser.language(agent) == "zh" else 6
    short = len(rest) == 1 and prose.size(rest[0]) <= small and len(user) > len(rest[0])
    return not heard.asks and short and not _brings(rest[0], heard)


def summarise(user: str, agent: str, limit: int = 200) -> str:
    """Say in a sentence or two what a turn came to, at most `limit` characters; empty for an empty turn.

    The decision or answer where there is one, led by the question where it would not stand alone
    (`question → answer`); what the user said where the agent only took note of it.
    """
    if is_acknowledged(user, agent):
        return _statement(user, limit) or analyser.clip(" ".join(prose.sentences(prose.plain(agent))), limit)
    request = _request(user)
    asked = set(analyser.terms(request))
    said = prose.said(agent)
    scored = _score(said, asked, user)
    best = max(scored, key=lambda found: (found.score, -found.at))
    shared = len(set(analyser.terms(best.sentence)) & asked)
    alone = shared >= max(1, len(asked) / 4) and not _DANGLING.match(best.sentence)
    if (alone and not _names_more(request, best.sentence)) or not request or prose.is_filler(request):
        return _filled(best, scored, limit)
    lead = analyser.clip(request.rstrip("?？.。！! "), min(90, limit // 2))
    return f"{lead} → {_filled(best, scored, limit - len(lead) - 3)}"


def _names_more(statement: str, answer: str) -> bool:
    """Tell whether a person told something, of a name that the answer does not repeat."""
    if prose.is_question(statement):
        return False
    return any(analyser.fold(name) not in analyser.fold(answer) for name in candidates.people(statement))


def _filled(best: _Scored, scored: list[_Scored], limit: int) -> str:
    """Tell the best sentence, and what else of the answer has room beside it, in the order it was said."""
    kept, room = [best], limit - len(best.sentence)
    for found in sorted(scored, key=lambda found: (-found.score, found.at)):
        fits = len(found.sentence) + 1 <= room
        if found is not best and fits and _DETAIL.search(found.sentence) and not prose.is_question(found.sentence):
            kept.append(found)
            room -= len(found.sentence) + 1
    if len(kept) == 1:
        return analyser.clip(best.sentence, limit)
    return analyser.joined(found.sentence for found in sorted(kept, key=lambda found: found.at))


def overview(user: str, agent: str, bounds: tuple[int, int] = (100, 200)) -> str:
    """Tell a turn in `bounds` words, in sentences of its own and in their order.

    Chinese is measured in characters, up to 1.5 times the upper bound. Empty when the exchange is
    too short to be worth one.
    """
    least, most = bounds
    said = prose.said(agent)
    if sum(map(prose.size, said)) < least:
        return ""
    chinese = analyser.language(" ".join(said[:20])) == "zh"
    most = most * 3 // 2 if chinese else most
    request = _request(user)
    lead = analyser.clip(request, 160) if request and not prose.is_filler(request) else ""
    room = most - prose.size(lead)
    kept: list[_Scored] = []
    for found in sorted(_score(said, set(analyser.terms(user)), user), key=lambda found: (-found.score, found.at)):
        if prose.size(found.sentence) <= room:
            kept.append(found)
            room -= prose.size(found.sentence)
        if most - room >= (least + most) / 2:
            break
    told = [lead, *(found.sentence for found in sorted(kept, key=lambda found: found.at))]
    return analyser.joined(sentence for sentence in told if sentence)


def lasting(user: str, agent: str) -> bool:
    """Tell whether a turn says something worth finding again.

    False for `continue`, thanks, greetings and bare commands, unless the answer is long and gives
    a reason or a decision; the answer to a bare `continue` may well be the work itself.
    """
    said_words = list(analyser.tokens(user))
    bare = all(
        _BARE.fullmatch(word) is not None or word in analyser.stop_words() or bool(_BARE_CJK.fullmatch(word))
        for word in said_words
    )
    if not bare:
        return True
    said = prose.said(agent)
    return sum(map(prose.size, said)) >= 60 and any(_WEIGHTY.search(sentence) for sentence in said)  # noqa: PLR2004 - about four sentences
