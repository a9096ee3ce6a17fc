"""What a fact is filed under: what it is about, without the answer, so that another answer takes its place.

Law: a key leaves the answer out only where one answer holds at a time. In doubt it is the whole sentence: then two
facts stand side by side, and none takes the place of the other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kit import text as analyser
from kit.digest import chinese, patterns, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.digest.shapes import Match

_MOST_WORDS = 8
"""Words of a key that is a whole sentence."""


def key(match: Match, agent: str) -> str:
    """Derive the key a fact is replaced by; `agent` is the answer, which may name what was corrected."""
    for name, topic in patterns.TOPICS:
        if topic.search(match.about):
            return name
    number = re.search(r"\d{2,}", match.value)
    if match.correction and number:
        near = re.search(
            rf"([A-Za-z]{{3,}}|[{analyser.CJK}]{{2}}?)(?: (?:is|to|now|=))* ?(?:改为|改成|是|为)? ?{number[0]}", agent
        )
        if near and analyser.fold(near[1]) not in analyser.stop_words():
            return analyser.key(near[1])
    clause = match.text or match.about
    if match.category != "fact" or _ADDS.search(clause):
        return content_key(match.about if match.category != "fact" else clause)
    if match.about not in (clause, match.value):
        return _of_attribute(match.about, match.value, clause) or content_key(clause)
    return _of_sentence(clause) or content_key(match.about)


def content_key(text: str) -> str:
    """Name a text by its content words, in an order that does not depend on how it was put."""
    found = {analyser.stem(word): word for word in words.content(text)}
    shown = (re.sub(r"(?<=[a-z]{3})(?<![isu])s$", "", word) for word in found.values())
    return " ".join(sorted(shown)[:_MOST_WORDS]) or analyser.key(text)[:40]


_ADDS = re.compile(r"(?i)\b(?:also|too|as well|another|one of|sometimes|either|or)\b|除了|也|还|另外|有时|之一|或")
"""Words that say that this is not all."""

_ONE = (
    r"(?:land(?:lord|lady)|boss|manager|supervisor|advis[eo]r|mentor|wife|husband|spouse|partner|girlfriend|boyfriend|"
    r"fianc[eé]e?|mother|father|mum|mom|dad|dentist|doctor|gp|physician|therapist|lawyer|accountant|team ?lead|"
    r"tech lead|product owner|scrum master|maintainer|owner|ceo|cto|cfo|director|chair(?:man|woman)?|president|"
    r"contact(?: person)?|emergency contact)"
)
"""Persons of whom there is one at a time."""
_MANY = re.compile(
    r"(?i)(?:^|\b)(?:sisters?|brothers?|siblings?|sons?|daughters?|child(?:ren)?|kids?|friends?|colleagues?|cousins?|"
    r"aunts?|uncles?|grand\w+|neighbou?rs?|room ?mates?|class ?mates?|pets?|cats?|dogs?|hobb(?:y|ies)|interests?|"
    r"allerg(?:y|ies)|goals?|skills?|habits?|strengths?|weakness(?:es)?|tools?|rules?)$"
    rf"|{chinese.MANY}$"
)
"""What a person may have several of, so that another one is no correction."""
_PERSON = re.compile(rf"(?i)\b{_ONE}$|{chinese.ONE}$")


_NAME = re.compile(rf"(?:[A-Z][\w.'’-]*\.? ?)+$|[{analyser.CJK}]{{2,4}}$")


def _of_attribute(about: str, value: str, clause: str) -> str:
    """Name an attribute; what it is, where it is and how many are answers to different questions."""
    what, value = content_key(about), value.strip()
    if _MANY.search(about.strip()) or words.denies(value):
        return ""
    place = re.match(r"(?i)(at|on|in|by|under|behind) ", value)
    if place:
        return f"{what} {place[1].lower()}"
    if not _PERSON.search(about.strip()):
        return f"{what} kind" if re.match(r"(?:an?|the) ", value) else what
    if re.match(r"\d+\b", value):
        return f"{what} number"
    named = _NAME.match(value.rstrip(".!。！"))
    return what if named and not re.search(rf"{chinese.JOB}$|在\s?{re.escape(value)}", clause) else ""


_MONTHS = "jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec"
_DAY = rf"(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?|the \d{{1,2}}(?:st|nd|rd|th)|(?:{_MONTHS})[a-z]* \d{{1,2}})"
_HOUR = (
    r"(?:\d{1,2}(?:[:.]\d{2})?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half past \w+|noon|"
    r"midnight)(?: ?(?:am|pm|a\.m\.|p\.m\.|o['’]clock|sharp))?"
)
_IS_WHEN = re.compile(
    r"(?i)^(?:(?P<what>.+?) (?:is|are|starts?|begins?|happens?|takes? place)(?: now| always| moved to)?"
    r"|we (?:now |always |usually )?(?P<act>[a-z].*?))"
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


def _when(clause: str) -> str:
    """Name what happens at a time; what a person does on some day or other they may do on another, too."""
    if words.denies(clause):
        return ""
    if analyser.is_cjk(clause):
        times = list(_IS_WHEN_CJK.finditer(clause))
        what, on_days = _IS_WHEN_CJK.sub("", clause), any(one["day"] for one in times)
        if re.match(r"我(?!们)", clause):
            return ""
    else:
        found = _IS_WHEN.match(clause)
        times = [found] if found and (found["day"] or found["time"] or found["late"]) else []
        what = (found["what"] or found["act"]) if found and times else ""
        on_days = bool(found and (found["day"] or found["late"]))
    return f"{content_key(what)} {'day' if on_days else 'time'}" if times and words.content(what) else ""


def _number(clause: str) -> str:
    found = _IS_NUMBER.match(clause)
    return content_key(found["what"]) if found else ""


_ATTRIBUTE = (
    r"(?:name|title|type|kind|branch|zone|region|area|city|capital|country|language|locale|time ?zone|currency|colou?r|"
    r"font|theme|licen[cs]e|version|model|brand|make|size|level|grade|class|status|deadline|due date|release date|"
    r"birthday|date|address|e-?mail|phone|extension|number|port|host(?:name)?|domain|url|link|path|folder|directory|"
    r"bucket|database|schema|table|queue|topic|channel|room|floor|owner|maintainer|lead|vendor|provider|supplier|"
    r"registry|runtime|framework|editor|shell|browser|package manager|os|operating system|user(?:name)?|seed user|"
    r"account|password|key|id|code|prefix|suffix|default|limit|budget|price|plan|tier|format|encoding|style|"
    r"separator|school|university|bank|insurance|flight|train|hotel)"
)
_ATTRIBUTE_CJK = (
    r"(?:名字|名称|类型|分支|区域|地区|城市|国家|语言|时区|货币|颜色|字体|主题|许可证|版本|型号|品牌|大小|级别|等级|班级|"
    r"状态|截止日期|日期|生日|地址|邮箱|电话|号码|端口|主机|域名|链接|路径|目录|数据库|频道|会议室|房间|楼层|负责人|"
    r"供应商|框架|编辑器|浏览器|系统|用户名|账号|密码|前缀|后缀|默认值|上限|预算|价格|套餐|格式|编码|学校|大学|银行|"
    r"航班|酒店|血型|星座|公司|部门|职位)"
)
_WORKPLACE = (
    r"(?!(?:a |the )?(?:home|nights?|weekends?|once|least|times?|about|around|all|my|this|these|fun|free|myself)\b|\d)"
)
_JOB = (
    r"(?:engineer|developer|programmer|designer|architect|doctor|nurse|teacher|professor|lawyer|student|manager|"
    r"researcher|scientist|analyst|accountant|consultant|editor|journalist|translator|writer|chef|pharmacist)"
)
_SENTENCES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(f"(?i){shape}"), name)
    for shape, name in (
        (r"^(?:(?:now|currently),? )?i(?: now| currently)? live in .+", "home"),
        (r"^我(?:现在|目前|如今)?(?:住在|常住|定居在?|搬到了?).+", "home"),
        (rf"^i(?: now| currently)? work (?:at|for) {_WORKPLACE}.+", "employer"),
        (
            r"^我(?:现在|目前|如今)?在(?!家|晚|夜|周|早|上午|下午|线|外)[^，。]{2,}?(?:工作|上班|任职|就职)[。！ ]*$",
            "employer",
        ),
        (r"^我(?:现在|目前)?(?:就职|任职|供职)于.+", "employer"),
        (rf"^i(?:['’]m| am)(?: now)? an? (?:[\w-]+ ){{0,3}}{_JOB}[.! ]*$|^i(?: now| currently)? work as .+", "job"),
        (rf"^我(?:现在|目前)?是(?:一[名个位])?[^，。不我]{{0,8}}?{chinese.JOB}[。！ ]*$", "job"),
        (rf"^[^,]{{1,40}}? is (?:my|our|the) (?P<what>(?:[\w'’-]+ ){{0,3}}{_ONE})[.! ]*$", ""),
        (rf"^[^，。]{{1,20}}?是我们?的?(?P<what>[^，。是的]{{0,6}}{chinese.ONE})[。！ ]*$", ""),
        (
            (
                rf"^(?:the |my |our )?(?P<what>(?:[\w'’/-]+ ){{0,4}}{_ATTRIBUTE}"
                r"(?: (?:of|for|in|on) [\w'’/ -]{2,40})?)"
                r" (?:is|=)(?: now| called| named)? (?!not\b|too\b|so\b|very\b|still\b)\S{1,60}(?: \S{1,30})?[.! ]*$"
            ),
            "",
        ),
        (
            rf"^(?P<what>[^，。是在]{{0,14}}{_ATTRIBUTE_CJK})\s?(?:现在|目前)?(?:是|叫做?|为|改成|改为)(?!不).{{1,40}}$",
            "",
        ),
        (
            (
                r"^(?:the|our|my) (?P<what>(?:[\w'’/-]+ ){1,4}?)(?:is|are|lives?|sits?|runs?)(?: now)? "
                r"(?P<where>at|on|in|under) (?=.*(?:[\d/]|\w\.\w|(?-i:[A-Z])))\S+(?: \S+){0,3}[.! ]*$"
            ),
            "",
        ),
        (
            (
                r"^(?P<what>[^，。是在]{2,14}?)(?:现在|目前)?(?P<where>在|位于|放在|部署在)\s?"
                r"(?=[^，。]*[\dA-Za-z/楼层室])[^，。]{1,30}[。！ ]*$"
            ),
            "",
        ),
    )
)
"""Sentences that answer a question with one answer, and what the question is about."""


def _of_sentence(clause: str) -> str:
    """Name what a sentence answers; '' where it answers no question that has one answer."""
    named: Callable[[str], str]
    for named in (_when, _number, _asked):
        if found := named(clause):
            return found
    return ""


def _asked(clause: str) -> str:
    if words.denies(clause):
        return ""
    for shape, name in _SENTENCES:
        found = shape.match(clause)
        if found is None:
            continue
        groups = found.groupdict()
        what = re.sub(r"^我们?的?", "", groups.get("what") or "").strip()
        if name or (what and not _MANY.search(what)):
            where = (groups.get("where") or "").lower()
            return name or f"{content_key(what)} {where}".strip()
    return ""
