"""Facts and preferences from what the user plainly states.

Law: precision first. Questions, hypotheticals, quotations, code and one-off requests give nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit import text as analyser
from kit.digest import patterns, prose
from kit.digest.shapes import EXPLICIT, Match

if TYPE_CHECKING:
    from kit.model.notes import Category

_LONGEST = 300
_SAME = 0.75
"""Facts about one thing agree from this share of common content on."""


class Statement(NamedTuple):
    """One thing the user stated that holds beyond this turn."""

    text: str
    category: Category
    key: str
    value: str
    confidence: float
    """0.9 when said outright, 0.7 when inferred."""
    scenes: tuple[str, ...]
    correction: bool
    why: str


_HYPOTHETICAL = re.compile(
    r"(?i)^(?:and |but |so )?(?:if|suppose|supposing|imagine|assuming|what if|say we|let's say|"
    r"should|shall|would|could|can|"
    r"do|does|did|is|are|was|may|might|maybe|perhaps|i wonder|i think|i guess|not sure|unless|whether)\b"
    r"|^(?:如果|假如|要是|假设|万一|倘若|是不是|能不能|可不可以|也许|可能|我猜|我觉得|还记得|"
    r"你还?记得|记不记得|记得.*吗)"
)
_ASKED_HABIT = re.compile(
    r"(?i)^(?:can|could|will|would) you (?:please )?(?:remember|make sure) (?:to )?(?=.*\b(?:each|every|always)\b)"
)
_SCENE_WORK = re.compile(r"(?i)\bat work\b|\bwhen (?:coding|programming)\b|写代码时|工作[中时]")
_LEAD = re.compile(
    r"(?i)^(?:(?:please|also|and|but|btw|by the way|fyi|ok(?:ay)?|hey|hi|note|one more thing|"
    r"just so you know)[,:]?\s+"
    r"|(?:另外|还有|对了|顺便说一下|顺便|补充一下|那么?)[，,：:]?\s*)+"
)
_REMEMBER = re.compile(
    r"(?i)^(?:please )?(?:remember|keep in mind|bear in mind|don['’]t forget|for the record|make a note|take note)"
    r"(?: that\b|\s*[:,]|(?= (?:i|we|my|our|the|to|all|never|always)\b))\s*(?!when\b|how\b|what\b|where\b|if\b)"
    r"|^(?:请|帮我|你要?)?(?:记住|记一下|记下|牢记|请记得|备忘)(?:了)?[：:，,\s]*(?!吗|了吗|没|这|那)"
)


def _clauses(user: str) -> list[str]:
    """List the sentences that may state something, without what is only mentioned."""
    kept = []
    for sentence in prose.sentences(prose.plain(prose.without_quotes(user))):
        if len(sentence) <= _LONGEST and not sentence.startswith(("$", "#", "//", "at ", "File ")):
            kept += re.split(r"(?i)(?<=\w),? and (?=(?:i|my|we|our) \w)", sentence)
    return kept


def statements(user: str, agent: str) -> list[Statement]:
    """Find what the user states as lasting; `agent` is the answer, which may name what was corrected."""
    found: dict[str, Statement] = {}
    for clause in _clauses(user):
        statement = _statement(clause, agent)
        if statement is not None:
            found.setdefault(statement.key, statement)
    return list(found.values())


def _statement(clause: str, agent: str) -> Statement | None:
    habit = _ASKED_HABIT.match(clause)
    if habit:
        rest = clause[habit.end() :].rstrip("?？ ")
        return _made(rest, Match("style", rest, rest, EXPLICIT, "asked to remember a habit"), agent)
    if re.search(r"[?？]|(?:吗|呢|吧)[。!！]?$", clause) or "…" in clause:
        head = re.split(r"[,，;；]", clause)[0]
        if head == clause or not patterns.about_person(head):
            return None
        clause = head
    bare = _LEAD.sub("", clause).strip()
    told = _REMEMBER.match(bare)
    rest = bare[told.end() :].strip() if told else bare
    if not rest or _HYPOTHETICAL.match(rest):
        return None
    match = patterns.find(rest, told=bool(told))
    if match is None and told and prose.size(rest) > 1:
        rest = re.sub(r"(?i)^to ", "", rest)
        match = Match("fact", rest, rest, EXPLICIT, "asked to remember")
    if match is None:
        return None
    if told:
        match = match._replace(confidence=EXPLICIT)
    return _made(match.text or rest, match, agent)


def _made(rest: str, match: Match, agent: str) -> Statement:
    text = re.sub(r"(?i)^please,?\s+|,? please(?=[.!]?$)", "", rest.strip(" ,，;；:："))
    text = text[:1].upper() + text[1:]
    if text[-1] not in ".!。！":
        text += "。" if analyser.language(text) == "zh" else "."
    value = re.sub(r"(?i)^please,?\s+|^请|,? please$", "", match.value.strip(" ,，.。!！;；:："))
    return Statement(
        text=text,
        category=match.category,
        key=_key(match, agent),
        value=value,
        confidence=match.confidence,
        scenes=("work",) if _SCENE_WORK.search(rest) else (),
        correction=match.correction,
        why=match.why,
    )


def _key(match: Match, agent: str) -> str:
    """Derive the key a fact is replaced by: the attribute named, else its sorted content words."""
    for key, words in patterns.TOPICS:
        if words.search(match.about):
            return key
    number = re.search(r"\d{2,}", match.value)
    if match.correction and number:
        near = re.search(
            rf"([A-Za-z]{{3,}}|[{analyser.CJK}]{{2}}?)(?: (?:is|to|now|=))* ?(?:改为|改成|是|为)? ?{number[0]}", agent
        )
        if near and analyser.fold(near[1]) not in analyser.stop_words():
            return analyser.key(near[1])
    return _without_value(match)


_MONTHS = "jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec"
_DAY = rf"(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?|the \d{{1,2}}(?:st|nd|rd|th)|(?:{_MONTHS})[a-z]* \d{{1,2}})"
_HOUR = (
    r"(?:\d{1,2}(?:[:.]\d{2})?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half past \w+|noon|"
    r"midnight)(?: ?(?:am|pm|a\.m\.|p\.m\.|o['’]clock|sharp))?"
)
_IS_WHEN = re.compile(
    r"(?i)^(?P<what>.+?) (?:is|are|starts?|begins?|happens?|takes? place)(?: now| always| moved to)?"
    rf"(?P<day> (?:on |every |each )?{_DAY}(?: (?:morning|afternoon|evening)s?)?)?(?P<time> (?:at|from|by) {_HOUR})?"
    rf"(?P<late> (?:on|every|each) {_DAY})?[.! ]*$"
)
_IS_WHEN_CJK = re.compile(
    r"(?:都?(?:是|在|定在|改到|改在|安排在))?"
    r"(?:(?P<day>每?(?:周|星期|礼拜)[一二三四五六日天末]|每[周月年天日]|\d{1,2}月\d{1,2}[日号]|\d{1,2}[日号])|"
    r"(?P<time>凌晨|早上|上午|中午|下午|傍晚|晚上|(?:\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:半|\d{1,2}分)?|\d{1,2}[:：]\d{2}))"
)
_IS_NUMBER = re.compile(
    r"(?i)^(?P<what>.{2,60}?)(?: (?:is|are|=) |\s?(?:是|为|改成|改为|等于)\s?)[\w./:%-]*\d[\w./:%-]*[.。! ]*$"
)


def _without_value(match: Match) -> str:
    """Name a fact by what it is about: when something is, and which number it has, are values and no part of that."""
    about = match.about
    if match.category != "fact" or about != match.value:
        return content_key(about)
    if number := _IS_NUMBER.match(about):
        return content_key(number["what"])
    if analyser.is_cjk(about):
        times = list(_IS_WHEN_CJK.finditer(about))
        what, on_days = _IS_WHEN_CJK.sub("", about), any(one["day"] for one in times)
    else:
        found = _IS_WHEN.match(about)
        times = [found] if found and (found["day"] or found["time"] or found["late"]) else []
        what, on_days = (found["what"], bool(found["day"] or found["late"])) if found and times else ("", False)
    if not times or not _content(what):
        return content_key(about)
    return f"{content_key(what)} {'day' if on_days else 'time'}"


def content_key(text: str) -> str:
    """Name a text by its content words, in an order that does not depend on how it was put."""
    words = {analyser.stem(word): word for word in _content(text)}
    shown = (re.sub(r"(?<=[a-z]{3})(?<![isu])s$", "", word) for word in words.values())
    return " ".join(sorted(shown)[:5]) or analyser.key(text)[:40]


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


def _content(text: str) -> list[str]:
    """List the words of a fact that carry it, folded, in order."""
    terms = []
    for word in analyser.tokens(text):
        if analyser.is_cjk(word):
            terms += [part for part in _CJK_EMPTY.split(word) if part]
        elif word not in analyser.stop_words() and not _EMPTY.fullmatch(analyser.stem(word)):
            terms.append(word)
    return terms


_CONTRAST = re.compile(
    r"(?i)(?<=\w)[,，]?\s*(?:(?:but )?\bnot\b|\binstead of\b|\brather than\b|\bover\b|而不是|而非|"
    r"不是|不要|不用|别用)\s*"
    r"[^,，.。;；!！]*"
)
_NEGATION = re.compile(r"(?i)\b(?:not|never|no|don['’]t|hate|dislike|avoid|without)\b|不|别|勿|讨厌|禁止")


def _features(text: str) -> set[str]:
    """Take what two facts can share: stems, and CJK pairs within words."""
    parts: set[str] = set()
    for term in _content(text):
        if analyser.is_cjk(term) and len(term) > 1:
            parts.update(term[at : at + 2] for at in range(len(term) - 1))
        else:
            parts.add(analyser.stem(term))
    return parts


def _clash(a: str, b: str) -> bool:
    """Tell whether two facts differ in a number, or only one of them denies."""
    numbers_a, numbers_b = set(re.findall(r"\d+", a)), set(re.findall(r"\d+", b))
    differs = bool(numbers_a and numbers_b and numbers_a != numbers_b)
    return differs or bool(_NEGATION.search(a)) != bool(_NEGATION.search(b))


def similarity(a: str, b: str) -> float:
    """Compare two facts: 0 unrelated, 1 the same; symmetric (Dice coefficient of their content).

    Facts that differ in a number, or of which only one denies, stay below 0.5: they are not merged.
    """
    if analyser.key(a) == analyser.key(b):
        return 1.0
    kept_a, kept_b = _CONTRAST.sub(" ", a), _CONTRAST.sub(" ", b)
    left, right = _features(kept_a), _features(kept_b)
    if not left or not right:
        return 0.0
    score = 2 * len(left & right) / (len(left) + len(right))
    return min(score, 0.45) if _clash(kept_a, kept_b) else score


def agree(a: str, b: str) -> bool:
    """Tell whether two facts about one thing say the same: equal content, or one only adds to the other."""
    if analyser.key(a) == analyser.key(b):
        return True
    kept_a, kept_b = _CONTRAST.sub(" ", a), _CONTRAST.sub(" ", b)
    left, right = _features(kept_a), _features(kept_b)
    if not left or not right or _clash(kept_a, kept_b):
        return False
    if len(left - right) == len(right - left) == 1:
        return False  # one word stands in the place of another: five minutes, nine minutes
    return left <= right or right <= left or 2 * len(left & right) / (len(left) + len(right)) >= _SAME
