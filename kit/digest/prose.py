"""Text as people and agents write it, made plain: no code blocks, no Markdown marks, whole sentences.

Law: pure functions in linear time; names, numbers and file names survive.
"""

from __future__ import annotations

import re

from kit import text as analyser

_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_CODE = "\ufffc"
"""Stands for a code span while the marks around it are read."""
_LINK = re.compile(rf"!?\[([^\]\n]{{0,200}})\]\([^)\s{_CODE}]{{0,500}}\)")
_WIKILINK = re.compile(rf"\[\[(?:[^\]|\n{_CODE}]{{0,200}}\|)?([^\]|\n]{{1,200}})\]\]")
_BULLET = re.compile(r"^\s*(?:[-*+•]\s+(?!(?:[\d*/,-]+\s+){3})|\d{1,3}[.)]\s+)(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_QUOTE = re.compile(r"^(?:>(?!=)\s*)+")
_AT_WORD = rf"(?:^|(?<=[\s(\[{{\"'“‘「『（【，。；：！？、—–,;:!?>|{analyser.CJK}]))"
"""Where emphasis may open: not within a word, a path, a pattern or an expression."""
_STARS = re.compile(
    rf"{_AT_WORD}(?P<mark>\*{{1,3}})(?=[\w\"'“‘「（(\[<@#$~{_CODE}])(?P<said>[^*\n]{{1,300}}(?<=\S))(?P=mark)"
    r"(?![A-Za-z0-9_*/-]|\.[A-Za-z0-9*])",
    re.MULTILINE,
)
_LINES = re.compile(
    rf"{_AT_WORD}__(?=[\w\"'“‘「（(\[<@#$~{_CODE}])(?P<said>(?:(?!__)[^\n]){{1,300}}(?<=\S))__(?![A-Za-z0-9_(/]|\.[A-Za-z0-9])",
    re.MULTILINE,
)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^\n]{1,400}?)(?<!`)\1(?!`)")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$|\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*$")
_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|(?<!\w)'[^'\n]{4,300}'(?!\w)")
_CODE_SPAN = re.compile(r"`[^`\n]{1,200}`")

_CJK_SIDE = re.compile(rf"[{analyser.CJK}，。；：！？、）」”]")

_LEAD = re.compile(
    r"(?i)^(?:(?:"
    r"(?:yes|sure(?: thing)?|certainly|of course|absolutely|ok(?:ay)?|alright|all right|right|great|perfect|"
    r"good|nice|done|fixed|thanks|thank you|hi|hello|hey|sorry(?: about (?:that|this))?|my apologies|got it|"
    r"noted|understood|agreed|will do|good to know|makes sense|happy to help|"
    r"(?:great|good|excellent) (?:question|point|idea|catch)|nice to meet you|you(?:'|’)re (?:right|welcome))"
    r"(?:,? (?-i:[A-Z])[a-z]+(?=[!.](?:\s|$)))?[,.!:;]+"
    r"|[^\W\d_]{1,4}[，,]?[您你]好[！!，,。]|nice to meet you,? [^\W\d_]{1,20}[.!]"
    r"|(?:here(?:'s| is| are)[^.:\n]{0,60}:)"
    r"|(?:btw|by the way|also|ok so|so|well|please|hm+|actually),?(?=\s)"
    r"|(?:好的|好|可以|没问题|当然|当然可以|明白|明白了|了解|收到|抱歉|对不起|不好意思|您好|你好|嗯|已完成|完成|"
    r"完成了|同意|是的|对的|有道理|不客气|记下了|记住了|谢谢)[，。！,!：:]+"
    r")\s*)+"
)
_FILLER = re.compile(
    r"(?i)^(?:(?:yes|no|sure|certainly|of course|ok(?:ay)?|great|perfect|done|fixed|thanks?|thank you|noted|"
    r"understood|got it|good to know|agreed|will do|sorry|hello|hi|hey|right|makes sense)(?: \w+){0,2}"
    r"|let me (?!explain)\w+\b.*|feel free\b.*|(?:hope|i hope) (?:this|that)\b.*|is there anything\b.*|"
    r"(?:would|do) you (?:like|want)\b.*|how can i help\b.*|what are we\b.*|"
    r"i(?:'ll| will| am going to| looked|'ve looked) (?:keep (?:that|this|it)|remember|look|take a look|start|"
    r"at|into)\b.*|"
    r"you(?:'|’)re (?:very )?(?:welcome|right).*|nice to meet you.*|"
    r"here (?:is|are|it is)\b.{0,30}|(?:great|good|excellent) (?:question|point|idea)|"
    r"好的?|明白了?|了解了?|收到|不客气|谢谢.{0,4}|抱歉|你好|您好|记(?:下|住)了?|没问题|可以|不是|是的|"
    r"(?:还|需要|有).{0,14}(?:吗|帮您|帮你)|希望.{0,20}帮助.*|今天做点什么|我(?:来|先)(?:来)?(?:看|查|读|检查|了解).*|如果(?:需要|你愿意|您愿意).*|"
    r"我比较了.{0,8})[.!?。！？]*$"
)
_PROMISE = re.compile(
    r"(?i)^(?:(?:okay|ok|yes|sure|agreed|noted|understood)[,.!:]? )*"
    r"(?:i(?:['’]ll| will| won['’]t|['’]m going to| am going to|['’]ve noted)|will do|noted|understood|got it(?! \w))\b"
    r"|^(?:(?:以后|今后|之后|接下来|下次)[，,]?)?(?:我(?:会|将|都会|一定|不会|就|记)|(?:一定会?|将会?(?=[按照在用])|不再|会)(?![议员场展面计谈所长]))"
    r"|^(?:已经?)?记(?:下|住|好)"
)


def plain(text: str) -> str:
    """Take code blocks, tables' rules and Markdown marks out; one paragraph or list item a line."""
    lines: list[str] = []
    fence = ""
    joins = False
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1][:3]
            joins = False
            continue
        if fence:
            continue
        bare = _HEADING.sub("", line)
        starts = bool(_BULLET.match(bare)) or bare != line or line.lstrip().startswith((">", "|"))
        bare = _QUOTE.sub("", _BULLET.sub("", bare).lstrip()).strip()
        if not bare or _RULE.match(line):
            joins = False
        elif joins and not starts:
            gap = "" if _CJK_SIDE.match(lines[-1][-1]) and _CJK_SIDE.match(bare[0]) else " "
            lines[-1] += gap + bare
        else:
            lines.append(bare)
            joins = True
    return _without_marks("\n".join(lines))


def _without_marks(text: str) -> str:
    """Take the marks of links, emphasis and code out; what stands within code stays as it is."""
    spans: list[str] = []

    def keep(span: re.Match[str]) -> str:
        spans.append(span[2].strip())
        return _CODE

    bare = _SPAN.sub(keep, text.replace(_CODE, " "))
    bare = _WIKILINK.sub(r"\1", _LINK.sub(r"\1", bare))
    for _ in range(2):  # emphasis within emphasis
        bare = _LINES.sub(_emphasised, _STARS.sub(_emphasised, bare))
    kept = iter(spans)
    return re.sub(_CODE, lambda _: next(kept), bare.replace("`", ""))


def _emphasised(found: re.Match[str]) -> str:
    """Take the marks off emphasised words; `__name__` is a name."""
    name = found[0].startswith("__") and re.fullmatch(r"\w+", found["said"], re.ASCII)
    return found[0] if name else found["said"]


def sentences(text: str) -> list[str]:
    """Split plain text into sentences, each on one line."""
    return list(analyser.sentences(text))


def capital(sentence: str) -> str:
    """Begin a sentence with a capital, unless it begins with the name of a file, a command or a variable."""
    word = re.match(r"[a-zß-ÿ]+(?=['’,;:]?(?:\s|$)|['’](?:s|re|ll|ve|d|m|t)\b)", sentence)
    return sentence[0].upper() + sentence[1:] if word else sentence


def without_quotes(text: str) -> str:
    """Blank out what is quoted or set as code: words that are mentioned, not said."""
    return _QUOTED.sub(" … ", _CODE_SPAN.sub(" … ", text))


def strip_lead(sentence: str) -> str:
    """Take greetings and filler off the front: `Sure! The cause is…` → `The cause is…`."""
    rest = _LEAD.sub("", sentence)
    if not rest:
        return ""
    return rest if rest == sentence else capital(rest)


def is_filler(sentence: str) -> bool:
    """Tell whether a sentence is courtesy and says nothing of the matter."""
    return bool(_FILLER.match(sentence.strip()))


def is_promise(sentence: str) -> bool:
    """Tell whether a sentence says what the one who speaks will do, or that they have taken note."""
    return bool(_PROMISE.match(sentence.strip()))


def said(text: str) -> list[str]:
    """List the sentences of a raw text that say something, without their filler."""
    kept = (strip_lead(sentence) for sentence in sentences(plain(text)))
    return [sentence for sentence in kept if sentence and not is_filler(sentence)]


def is_question(sentence: str) -> bool:
    """Tell whether a sentence asks."""
    return bool(
        re.search(
            r"[?？][\"'”’)）]*$|(?:吗|呢|么)[。！]?$"
            r"|什么|怎么|为何|哪[个些里儿种]|是否|是不是|能不能|要不要|可不可以|有没有|会不会|该不该|多少|谁(?![都也])|(?i:^(?:what|which|why|how|who|whose|when|where|"
            r"is|are|was|were|do|does|did|can|could|should|would|will|shall|may|have|has)\b)",
            sentence.strip(),
        )
    )


def size(text: str) -> int:
    """Measure a text as people do: Latin words plus CJK characters."""
    return sum(len(word) if analyser.is_cjk(word) else 1 for word in analyser.tokens(text))
