"""Facts and preferences from what the user plainly states.

Law: precision first. Questions, hypotheticals, quotations, code and one-off requests give nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit import text as analyser
from kit.digest import patterns, prose, subject, words
from kit.digest.shapes import EXPLICIT, Match

if TYPE_CHECKING:
    from kit.model.notes import Category

_LONGEST = 300


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
    text = prose.capital(text)
    if text[-1] not in ".!。！":
        text += "。" if analyser.language(text) == "zh" else "."
    value = re.sub(r"(?i)^please,?\s+|^请|,? please$", "", match.value.strip(" ,，.。!！;；:："))
    return Statement(
        text=text,
        category=match.category,
        key=subject.key(match, agent),
        value=value,
        confidence=match.confidence,
        scenes=("work",) if _SCENE_WORK.search(rest) else (),
        correction=match.correction,
        why=match.why,
    )


_CONTRAST = re.compile(
    r"(?i)(?<=\w)(?:[,，]?\s*(?:\b(?:but not|instead of|rather than|over)\b|而不是|而非)"
    r"|[,，]\s*(?:(?:not|never)\b|不是|不要|不用|别用)"
    r"|(?<!\b(?:is|am|do))(?<!\b(?:are|was|can|may|has|did))(?<!\b(?:does|will|must|were|have))(?<!\b(?:could|would))"
    r"(?<!\bshould)\s+not\b)"
    r"\s*[^,，.。;；!！]*"
)
"""What is said not to hold beside what does: `tabs, not spaces`."""
_SCOPE = re.compile(
    r"(?i)\b(?:in|for|on|at|when|while|during|within|under|before|after|until|unless|except|only|if|from)\b"
    r"(?:(?!\b(?:in|for|on|at|when|while|during|within|under|before|after|until|unless|except|only|if|from)\b)"
    r"[^,，.。;；])+"
    r"|[在对给为当](?P<zh>[^，,。；]{1,12}?)(?:里|中|时|上|的时候|都|用|[，,])"
)
"""Where or when something holds."""


def _clash(a: str, b: str) -> bool:
    """Tell whether two facts differ in a number, or only one of them denies."""
    numbers_a, numbers_b = set(re.findall(r"\d+", a)), set(re.findall(r"\d+", b))
    differs = bool(numbers_a and numbers_b and numbers_a != numbers_b)
    return differs or words.denies(a) != words.denies(b)


def contradict(a: str, b: str) -> bool:
    """Tell whether two facts about one thing may exclude each other: two that only forbid never do."""
    return not all(words.denies(_CONTRAST.sub(" ", each)) for each in (a, b))


def similarity(a: str, b: str) -> float:
    """Compare two facts: 0 unrelated, 1 the same; symmetric (Dice coefficient of their content).

    Facts that differ in a number, or of which only one denies, stay below 0.5: they are not merged.
    """
    if analyser.key(a) == analyser.key(b):
        return 1.0
    kept_a, kept_b = _CONTRAST.sub(" ", a), _CONTRAST.sub(" ", b)
    left, right = words.features(kept_a), words.features(kept_b)
    if not left or not right:
        return 0.0
    score = 2 * len(left & right) / (len(left) + len(right))
    return min(score, 0.45) if _clash(kept_a, kept_b) else score


def agree(a: str, b: str) -> bool:
    """Tell whether two facts about one thing say the same: equal content, or one only adds to the other."""
    return analyser.key(a) == analyser.key(b) or bool(_more(a, b) or _more(b, a))


def adds(new: str, old: str) -> bool:
    """Tell whether a fact says all that another says, and something more."""
    return analyser.key(new) != analyser.key(old) and _more(old, new) and not _more(new, old)


def _more(less: str, more: str) -> bool:
    """Tell whether a fact says what another says; what it adds may not be where or when it holds."""
    kept_less, kept_more = _CONTRAST.sub(" ", less), _CONTRAST.sub(" ", more)
    left, right = words.features(kept_less), words.features(kept_more)
    if not left or not left <= right or _clash(kept_less, kept_more):
        return False
    fresh = right - left
    scopes = (words.features(found["zh"] or found[0]) for found in _SCOPE.finditer(kept_more))
    return not any(scope and scope <= fresh for scope in scopes)
