"""The shapes in which people state lasting things, one rule a shape; the Chinese ones stand in `chinese`.

Law: a rule names what it takes for certain and what it leaves alone; the first that matches wins.
"""

from __future__ import annotations

import re

from kit import text as analyser
from kit.digest import chinese
from kit.digest.shapes import EXPLICIT, INFERRED, Match, rule

TOPICS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (key, re.compile(f"(?i){words}"))
    for key, words in (
        ("indentation", r"^(?=.*\btabs?\b)(?=.*\bspaces?\b)|\bindent\w*\b|缩进|制表符"),
        ("editor", r"^(?:code |text )?editor$|^编辑器$"),
        (
            "report format",
            (
                r"\breports?\b(?=.*\b(?:tables?|prose|bullets?|lists?|format)\b)|\b(?:tables?|"
                r"format)\b(?=.*\breports?\b)"
                r"|报告(?=.*(?:表格|列表|文字|格式))|表格(?=.*报告)"
            ),
        ),
        ("package manager", r"\b(?:pnpm|npm|yarn|package manage\w*)\b|包管理"),
        ("name", r"^(?:my )?name$|^我叫|^名字"),
        ("spelling", r"\b(?:british|american) (?:english )?spelling\b"),
    )
)
"""Attributes that hold one value at a time, and the words that give them away."""

# What points at this turn only: such a clause is about the work at hand, not about always.
_DEICTIC = (
    r"(?![^,;]*\b(?:this|that|these|those|it|them|yet|today|tomorrow|now|for the moment|"
    r"the (?:first|second|third|last|latter|former|"
    r"other|new|old|idea|way|look)|your|yours|line \d)\b)"
)
_STATE = (
    r"(?!(?:not|now|still|too|so|very|really|also|down|up|failing|broken|slow|stuck|wrong|gone|"
    r"ready|done|back|empty|missing|"
    r"being|on fire|that|to|when|why|how|what|if|because|probably|(?-i:[a-z]+ing|[a-z]+ed))\b(?! on| in| at| by))"
)
_MATTER = (
    r"(?!(?:question|problem|issue|bug|error|guess|point|idea|goal|understanding|concern|mistake|"
    r"code|tests?|build|answer|"
    r"assumption|turn|plan|task|script|function|query|change|pr|branch|first|second|next|last|only|own|bad)\b)"
)

_ENGLISH = (
    rule(
        r"^(?:from now on|going forward|henceforth|in (?:the )?future,)[, ]*+(?!(?:we|you|i|it)\b)(?P<value>.{6,})",
        "style",
        EXPLICIT,
        "from now on",
    ),
    rule(
        r"^(?P<value>.{6,}?),? (?:from now on|going forward|every time|each time|by default)[.! ]*$",
        "style",
        EXPLICIT,
        "from now on",
    ),
    rule(
        rf"^i (?:really |strongly |much |generally )*prefer (?!you\b|not to\b|if\b){_DEICTIC}(?P<value>.+)",
        "preference",
        EXPLICIT,
        "says what is preferred",
    ),
    rule(
        rf"^i (?:really )?(?:like|love|enjoy) (?!the\b|how\b|where\b|when\b){_DEICTIC}(?P<value>.+)",
        "preference",
        EXPLICIT,
        "says what is liked",
    ),
    rule(
        rf"^i (?:really )?(?:hate|dislike|detest|(?:don['’]t|do not) like|"
        rf"can['’]t stand) (?!the\b|how\b|when\b){_DEICTIC}(?:.+)",
        "preference",
        EXPLICIT,
        "says what is disliked",
    ),
    rule(
        r"^i (?P<value>(?:usually|normally|typically|generally|always|often|tend to|never) "
        r"(?!would|could|can|get|see|end up|have to|forg[eo]t|receive|run into|fail|wonder|find|hear|said|asked|"
        r"told|want|saw|did|understand|"
        r"understood|knew|know|had|was|thought|\w+ed\b).+)",
        "habit",
        INFERRED,
        "tells a habit",
    ),
    rule(
        rf"^(?:please )?(?:always|never) (?!mind\b|again\b|ever\b|the\b|\w+[^s]s\b|"
        rf"\w{{4,}}ing\b){_DEICTIC}(?:\w+ .+)",
        "style",
        EXPLICIT,
        "an order for always",
    ),
    rule(
        rf"^(?:please )?(?:don['’]t|do not) (?:ever )?(?:use|write|add|put|include|mock|push|"
        rf"commit|start|end) (?!the\b|any\b){_DEICTIC}(?:.+)",
        "style",
        INFERRED,
        "an order what not to do",
    ),
    rule(
        r"^(?:please )?(?:use|write|put|keep|answer|reply|format) .+ in (?:all|every) "
        r"(?:documents?|reports?|answers?|repl(?:y|ies)|commits?|commit messages?|emails?|projects?)\b.*",
        "style",
        EXPLICIT,
        "an order for all of a kind",
    ),
    rule(
        r"^(?P<value>(?:all )?[a-z]+s (?:always )?(?:go|belong) (?:in|into|to|under) (?!the trash\b).+)",
        "style",
        INFERRED,
        "says where things go",
    ),
    rule(
        r"^(?P<value>(?:all )?[a-z]+s (?:should|must) (?:always|never) .+)",
        "style",
        EXPLICIT,
        "a rule for all of a kind",
    ),
    rule(
        rf"^(?P<about>our (?:customers?|clients?|users?|company|market|budget|product|"
        rf"business)) (?:is|are) {_STATE}(?P<value>.+)",
        "business",
        EXPLICIT,
        "says what the business is",
    ),
    rule(
        r"^we (?:sell|cater|deliver) (?:\w+ )?to (?P<value>.+)|^we (?:serve|bill|charge) (?P<value2>.+)",
        "business",
        EXPLICIT,
        "says what the business is",
    ),
    rule(
        r"^my (?P<about>name) is (?P<value>[^,.;]+)|^(?:please )?call me (?P<value2>[A-Z][^,.;]+)",
        "fact",
        EXPLICIT,
        "gives the name",
    ),
    rule(
        rf"^(?P<about>(?:my|our) {_MATTER}(?:[\w'’-]+ ){{1,4}}?)(?:is called|are called|is named|"
        rf"lives at|runs on|runs|is|are) {_STATE}"
        r"(?P<value>(?:(?-i:[A-Z0-9/~@])|a |an |the |on |in |at |by |https?:|\S+[./_@]\w).*)",
        "fact",
        EXPLICIT,
        "says how something is",
    ),
    rule(
        r"^my (?P<about>(?:[\w-]+ )?(?:editor|shell|language|time ?zone|os|system|browser|"
        r"terminal|keyboard|layout|font|theme|"
        r"role|job|profession|team|stack|framework|database|package manager|colou?r|diet|hometown|city)) is "
        r"(?!not\b|now\b|so\b|too\b|very\b)(?P<value>\w[\w+#. -]{1,40})[.!]?$",
        "fact",
        EXPLICIT,
        "says how something is",
    ),
    rule(
        rf"^(?P<about>we (?:use|deploy (?:to|on|with)|host (?:on|with))) (?!a lot|too|more|up|so|"
        rf"it\b|the same){_DEICTIC}"
        r"(?P<value>(?-i:[A-Z]).*|.+ for .+)",
        "fact",
        EXPLICIT,
        "says what is used",
    ),
    rule(
        r"^(?P<about>i(?:['’]m| am) (?:allergic to|based in|vegetarian|vegan|colou?r[- ]blind|"
        r"left-handed)|i live in|i work (?:at|for|as))\b"
        r"(?P<value>[^,;]*)",
        "fact",
        EXPLICIT,
        "tells about the person",
    ),
    rule(
        r"^i(?:['’]m| am)(?: now)? (?P<value>an? (?:[\w-]+ ){0,3}(?:engineer|developer|programmer|designer|"
        r"architect|doctor|"
        r"nurse|teacher|professor|lawyer|student|manager|researcher|scientist|analyst|accountant|consultant|"
        r"journalist|"
        r"translator|writer|chef|pharmacist))[.!]*$",
        "fact",
        EXPLICIT,
        "tells about the person",
    ),
    rule(
        rf"^i (?P<value>(?:don['’]t|do not|never) (?:(?:drink|eat|wear) {_DEICTIC}[\w' -]{{3,30}}|smoke|drive|"
        rf"drink))[.!]*$",
        "preference",
        EXPLICIT,
        "says what is not done",
    ),
    rule(
        rf"^(?:please )?use (?!the\b|an?\b|both\b){_DEICTIC}(?!.*\bhere\b)(?P<value>(?:[\w'-]+ ){{0,3}}(?:spelling|"
        rf"indentation|"
        r"quotes|quotation marks|naming|semicolons|trailing commas|tense|units|camel ?case|snake[ _]?case|"
        r"kebab[- ]?case|"
        r"date format|british english|american english|conventional commits)\b.*)",
        "style",
        INFERRED,
        "an order how to write",
    ),
    rule(
        r"^(?!(?:the|this|that|these|those|my|your|put|write|use|keep|set|convert|turn|make|change|print) )"
        r"(?P<value>(?:[\w-]+ ){0,2}[\w-]+s (?:are |go |always )*in "
        r"(?:lower|upper|title|sentence|camel|snake|kebab|pascal)[ -]?case(?:,.*)?)[.!]*$",
        "style",
        INFERRED,
        "an order how to write",
    ),
    rule(
        rf"^(?:please )?(?P<value>(?:don['’]t|do not) (?:ever {_DEICTIC}\w+ .+|{_DEICTIC}\w+ [^,;]+ ever))[.!]*$",
        "style",
        EXPLICIT,
        "an order for always",
    ),
    rule(
        r"^(?:please )?(?P<value>never (?-i:[A-Za-z]\w*(?:[-_]\w+)+)(?: [\w-]+){0,4})[.!]*$",
        "style",
        EXPLICIT,
        "an order for always",
    ),
    rule(
        r"^(?P<value>(?:please )?keep (?!the\b|this\b|that\b|it\b|these\b)(?:[a-z]+ ){0,2}[a-z]+s (?:under|below|"
        r"within|shorter than|"
        r"to at most|at most) \d+ \w+)[.!]*$"
        r"|^(?P<value2>no (?:[a-z]+ )?[a-z]+s? (?:longer|more|larger|bigger|deeper|over) than? ?\d+ \w+)[.!]*$"
        r"|^(?:(?:[a-z]+ ){0,2}[a-z]+s (?:should|must|may) not (?:exceed|be longer than|"
        r"have more than) \d+ \w+(?: \w+)?)[.!]*$",
        "style",
        INFERRED,
        "sets a limit for all of a kind",
    ),
)
_TOLD = (
    rule(
        r"^(?:the user |user |they )?(?:prefers|likes|loves|enjoys) (?P<value>.+)",
        "preference",
        EXPLICIT,
        "says what is liked",
    ),
    rule(
        r"^(?:the user |user |they )?(?:dislikes|hates|doesn['’]t like) .+",
        "preference",
        EXPLICIT,
        "says what is disliked",
    ),
    rule(
        r"^(?:the user |user |they )?(?:usually|normally|always|tends to) (?P<value>.+)",
        "habit",
        INFERRED,
        "tells a habit",
    ),
    rule(r"^用户(?:更|最|很|比较)*(?:喜欢|偏好|习惯)(?P<value>.+)", "preference", EXPLICIT, "says what is liked"),
    rule(r"^用户(?:很|最)*(?:不喜欢|讨厌).+", "preference", EXPLICIT, "says what is disliked"),
)
"""Shapes in which a fact about the person is handed over to be remembered."""
_CORRECTIONS = (
    rule(
        r"^(?:no|actually|wrong|correction)[,:.]? (?:actually,? )?(?:it['’]s|it is|it should be|"
        r"(?P<about>the [\w -]{2,30}?) (?:is|should be)) "
        r"(?P<value>[^,]{1,60}),? not [^,]{1,60}$",
        "fact",
        EXPLICIT,
        "corrects a value",
        correction=True,
    ),
    rule(
        r"^no[,:.]? (?:please )?(?:use )?(?P<value>\w[\w+#.-]*(?: \w+)?),? (?:not|"
        r"instead of) (?!yet\b)\w[\w+#. -]{1,30}$",
        "style",
        EXPLICIT,
        "corrects a way of doing",
        correction=True,
    ),
)


def find(clause: str, *, told: bool = False) -> Match | None:
    """Read a clause by the first rule that fits; `told` for one that was handed over to be remembered."""
    clause = clause.strip()
    for shape in (*_CORRECTIONS, *_ENGLISH, *chinese.CORRECTIONS, *chinese.RULES, *(_TOLD if told else ())):
        found = shape.shape.match(clause)
        if found:
            groups = found.groupdict()
            value = groups.get("value") or groups.get("value2") or clause
            about = groups.get("about") or groups.get("about2") or ""
            named = _named(about, found[0])
            value = re.split(r"(?i),? so (?=the |we |it |i )|[，,](?=所以|因此|应用)", value)[0]
            return Match(shape.category, named, value, shape.confidence, shape.why, shape.correction, found[0])
    return None


def about_person(clause: str) -> bool:
    """Tell whether a clause says what a person is or has, whatever is asked after it."""
    return bool(
        re.match(
            r"(?i)i(?:['’]m| am) (?:allergic|vegetarian|vegan|colou?r)|i (?:live|work) |"
            r"我(?:对.{1,10}过敏|吃素|住在)",
            clause,
        )
    )


def _named(about: str, clause: str) -> str:
    """Choose what the key is made of: an attribute that was named, else the clause."""
    attribute = re.sub(r"(?i)^(?:my|our|the)\s+|^我们?的?(?!叫)", "", about.strip()).strip()
    telling = (len(attribute) > 1 or analyser.is_cjk(attribute)) and not re.match(
        r"(?i)^(?:we|i|i['’]m)\b|^(?:用|使用|采用|一直|对|住)", attribute
    )
    return attribute if telling else clause
