"""Text as people and agents write it, made plain: no code blocks, no Markdown marks, whole sentences.

Law: pure functions in linear time; names, numbers and file names survive.
"""

from __future__ import annotations

import re

from kit import text as analyser

_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_LINK = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\s]{0,500}\)")
_WIKILINK = re.compile(r"\[\[(?:[^\]|\n]{0,200}\|)?([^\]|\n]{1,200})\]\]")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_EMPHASIS = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|(?<![\w*])\*(?=\S)|(?<=[^\s*])\*(?![\w*])|`+")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$|\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*$")
_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=[^\sa-z])|(?<=[。！？])[”’」』）)]*\s*|\n+")
_ABBREVIATION = re.compile(r"(?i)\b(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|no|fig|st)\.$")
_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|(?<!\w)'[^'\n]{4,300}'(?!\w)")
_CODE_SPAN = re.compile(r"`[^`\n]{1,200}`")

_CJK_SIDE = re.compile(rf"[{analyser.CJK}，。；：！？、）」”]")

_LEAD = re.compile(
    r"(?i)^(?:(?:"
    r"(?:yes|sure(?: thing)?|certainly|of course|absolutely|ok(?:ay)?|alright|all right|right|great|perfect|"
    r"good|nice|done|fixed|thanks|thank you|hi|hello|hey|sorry(?: about (?:that|this))?|my apologies|got it|"
    r"noted|understood|agreed|will do|good to know|makes sense|happy to help|"
    r"(?:great|good|excellent) (?:question|point|idea|catch)|nice to meet you|you(?:'|’)re (?:right|welcome))"
    r"(?:,? [A-Z][a-z]+(?=[!.]))?[,.!:;]+"
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
    r"(?i)^(?:(?:okay|ok|yes|sure|agreed|noted|understood)[,.!:]? )*(?:i(?:'|’)?ll|i will|will do|noted|"
    r"understood|got it)\b|^(?:以后|今后|会|将|已?记)|(?:统一|会|一定|不再?)(?:先|都|用|按|加|控制|问)"
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
        bare = _BULLET.sub("", bare).lstrip("> ").strip()
        if not bare or _RULE.match(line):
            joins = False
        elif joins and not starts:
            gap = "" if _CJK_SIDE.match(lines[-1][-1]) and _CJK_SIDE.match(bare[0]) else " "
            lines[-1] += gap + bare
        else:
            lines.append(bare)
            joins = True
    found = "\n".join(lines)
    return _EMPHASIS.sub("", _WIKILINK.sub(r"\1", _LINK.sub(r"\1", found)))


def without_quotes(text: str) -> str:
    """Blank out what is quoted or set as code: words that are mentioned, not said."""
    return _QUOTED.sub(" … ", _CODE_SPAN.sub(" … ", text))


def sentences(text: str) -> list[str]:
    """Split plain text into sentences, each on one line."""
    found: list[str] = []
    start = 0
    for border in _END.finditer(text):
        piece = text[start : border.start()]
        if "\n" not in border[0] and _ABBREVIATION.search(piece[-12:]):
            continue
        closing = border[0].strip()
        found.append(" ".join((piece + closing).split()))
        start = border.end()
    found.append(" ".join(text[start:].split()))
    return [sentence for sentence in found if sentence]


def strip_lead(sentence: str) -> str:
    """Take greetings and filler off the front: `Sure! The cause is…` → `The cause is…`."""
    rest = _LEAD.sub("", sentence)
    if not rest:
        return ""
    return rest if rest == sentence or not rest[0].islower() else rest[0].upper() + rest[1:]


def is_filler(sentence: str) -> bool:
    """Tell whether a sentence is courtesy and says nothing of the matter."""
    return bool(_FILLER.match(sentence.strip()))


def is_promise(sentence: str) -> bool:
    """Tell whether a sentence only promises to heed what was asked."""
    return bool(_PROMISE.search(sentence.strip()))


def said(text: str) -> list[str]:
    """List the sentences of a raw text that say something, without their filler."""
    kept = (strip_lead(sentence) for sentence in sentences(plain(text)))
    return [sentence for sentence in kept if sentence and not is_filler(sentence)]


def is_question(sentence: str) -> bool:
    """Tell whether a sentence asks."""
    return bool(
        re.search(
            r"[?？][\"'”’)）]*$|(?:吗|呢|么)[。！]?$"
            r"|什么|怎么|为何|哪[个些里儿种]|是否|是不是|能不能|多少|(?i:^(?:what|which|why|how|who|whose|when|where|"
            r"is|are|was|were|do|does|did|can|could|should|would|will|shall|may|have|has)\b)",
            sentence.strip(),
        )
    )


def size(text: str) -> int:
    """Measure a text as people do: Latin words plus CJK characters."""
    return sum(len(word) if analyser.is_cjk(word) else 1 for word in analyser.tokens(text))


def clip(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, at the last clause or word that fits."""
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 0)]
    for borders in (r"[，；,;:：](?!\S*\w:)", r"\s"):
        ends = [found.start() for found in re.finditer(borders, head) if found.start() > limit // 2]
        if ends:
            return head[: ends[-1]].rstrip("，；,;:： ") + "…"
    return head.rstrip() + "…" if limit > 0 else ""
