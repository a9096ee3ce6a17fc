"""The phrases that speak of a time, in English and Chinese, each with the range it means.

Law: a rule never guesses: what could as well be a version, a count or a common word matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from kit.perceive.clock import HAN_NUMBER, NUMBER, Clock, Span, month_number, number, weekday_number

RECENT_DAYS = 14
"""What `recently` and 最近 mean."""

Make = Callable[[Clock, re.Match[str]], Span]


class Rule(NamedTuple):
    """A pattern, what it means, and lower-case bits of which one must be in a text it matches."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    make: Make


_SHIFTS = {
    "last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1,
    "上上": -2, "上": -1, "上一": -1, "这": 0, "本": 0, "这一": 0, "下": 1, "下一": 1, "下下": 2,
}  # fmt: skip
_DAYS = {
    "大前天": 3, "前天": 2, "前日": 2, "昨天": 1, "昨日": 1, "昨": 1, "今天": 0, "今日": 0, "今": 0,
    "明天": -1, "明日": -1, "明": -1, "后天": -2,
    "the day before yesterday": 2, "yesterday": 1, "today": 0, "this": 0, "tomorrow": -1,
}  # fmt: skip
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1}
_UNITS = {"w": 7, "周": 7, "星": 7, "礼": 7, "m": 30, "月": 30, "d": 1, "天": 1, "日": 1, "y": 365, "年": 365}


def _named(match: re.Match[str], name: str) -> str:
    return (match.groupdict().get(name) or "").casefold()


def _year(clock: Clock, match: re.Match[str]) -> int | None:
    if digits := _named(match, "y"):
        return int(digits)
    word = _named(match, "yw")
    return clock.today.year + _YEARS[word] if word else None


def _month(match: re.Match[str]) -> int:
    word = match["m"]
    return month_number(word) if word.isascii() and word.isalpha() else number(word)


def _date(clock: Clock, match: re.Match[str]) -> Span:
    year, month, day = _year(clock, match), _month(match), number(match["d"])
    return clock.latest_date(month, day) if year is None else clock.days(date(year, month, day))


def _in_month(clock: Clock, match: re.Match[str]) -> Span:
    year, month, shift = _year(clock, match), _month(match), _named(match, "shift")
    if year is not None:
        return clock.month(year, month)
    if shift == "next":
        return clock.month(clock.today.year + (month <= clock.today.month), month)
    return (
        clock.month(clock.today.year, month) if shift == "this" else clock.latest_month(month, before=shift == "last")
    )


def _day(clock: Clock, match: re.Match[str]) -> Span:
    return clock.part(clock.back(_DAYS[_named(match, "w")]), _named(match, "part"))


def _weekday(clock: Clock, match: re.Match[str]) -> Span:
    weekday, shift = weekday_number(match["wd"]), _named(match, "shift")
    day = clock.latest_weekday(weekday)
    if shift in ("next", "coming"):
        day += timedelta(weeks=2 if day + timedelta(weeks=1) == clock.today else 1)
    elif shift and shift not in ("last", "past"):  # `last Monday` is the latest one, 上周一 is of the last week
        day = clock.monday(_SHIFTS[shift]) + timedelta(days=weekday)
    return clock.part(day, _named(match, "part"))


def _weekend(clock: Clock, match: re.Match[str]) -> Span:
    shift = _named(match, "shift")
    first = clock.monday(_SHIFTS[shift] if shift else 0) + timedelta(days=5)
    if not shift and first > clock.today:
        first -= timedelta(weeks=1)
    return clock.days(first, 2)


def _unit(clock: Clock, match: re.Match[str]) -> Span:
    shift, unit = _SHIFTS[_named(match, "shift")], _named(match, "unit")
    if unit in ("quarter", "季度"):
        return clock.shifted_quarter(shift)
    return clock.ago(-shift, unit)


def _ago(clock: Clock, match: re.Match[str]) -> Span:
    count, unit = _named(match, "n"), _named(match, "unit")
    if count == "半":
        return clock.ago(15, "d") if unit == "月" else clock.ago(6, "m")
    if _vague(count):
        return clock.ago(_vague(count), unit)[0], clock.ago(1, unit)[1]
    return clock.ago(number(count), unit)


def _vague(count: str) -> int:
    """Give the most that "a few" may mean; 0 for a real number."""
    if "couple" in count:
        return 3
    return 7 if count in ("几", "数") or count.endswith(("few", "several")) else 0


def _until_now(clock: Clock, match: re.Match[str]) -> Span:
    count = _named(match, "n")
    many = _vague(count) or number(count)
    return clock.at(clock.back(many * _UNITS[_named(match, "unit")[0]])), clock.now


def _season(clock: Clock, match: re.Match[str]) -> Span:
    year, shift = _year(clock, match), _named(match, "shift")
    if year is not None or shift == "this":
        return clock.season(clock.today.year if year is None else year, match["s"])
    found = clock.season(None, match["s"])
    return clock.season(None, match["s"], -1) if shift == "last" and found[1] > clock.now else found


def _quarter(clock: Clock, match: re.Match[str]) -> Span:
    year, quarter = _year(clock, match), number(match["q"])
    begun = quarter * 3 - 2 <= clock.today.month
    return clock.quarter(clock.today.year - (not begun) if year is None else year, quarter)


def _rule(hints: str, pattern: str, make: Make) -> Rule:
    return Rule(tuple(hints.split(",")) if hints else (), re.compile(pattern, re.IGNORECASE), make)


_MONTH_HINTS = "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec"
# `may` and `march` before a number must be written as names; after `in` they are months in any case
_MONTHS = (
    r"(?P<m>jan(?:uary)?|feb(?:ruary)?|(?-i:Mar(?:ch)?)|apr(?:il)?|(?-i:May)|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_ANY_MONTHS = _MONTHS.replace("-i:", "i:")
_WEEKDAYS = r"(?P<wd>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b"
_PART = r"(?: (?P<part>morning|afternoon|evening|night))?\b"
_Y = r"(?P<y>(?:19[789]|20\d)\d)"
_D = r"(?P<d>[12]\d|3[01]|0?[1-9])"
_M = r"(?P<m>1[0-2]|0?[1-9])"
_SEASONS = r"(?P<s>spring|summer|autumn|fall|winter)"
_NO_MORE = r"(?![\w/\-]|\.\d)"
_NO_COUNT = r"(?!\s*(?:lines?|files?|rows?|items?|words?|tokens?|char|steps?|tests?|users?|requests?|bytes|px|ms\b|%))"
_UNIT_EN = r"(?P<unit>day|week|month|year)"


_NUMERIC = (
    _rule("", rf"(?<![\w./\-]){_Y}[-/]{_M}[-/]{_D}{_NO_MORE}", _date),
    _rule("-", rf"(?<![\w./\-]){_Y}-(?P<m>1[0-2]|0[1-9]){_NO_MORE}", _in_month),
    _rule("/", rf"(?:\b(?:on|from|since|until|before|after) |[在从到于]){_M}/{_D}{_NO_MORE}", _date),
    _rule("/", rf"\A\s*{_M}/{_D}\s*[?？]?\s*\Z", _date),
)

_ENGLISH = (
    _rule("today,tomorrow,yesterday", rf"\b(?P<w>(?:the day before )?yesterday|today|tomorrow)\b{_PART}", _day),
    _rule("this ", r"\b(?P<w>this) (?P<part>morning|afternoon|evening)\b", _day),
    _rule("tonight", r"\btonight\b", lambda clock, _: clock.part(clock.today, "evening")),
    _rule("last night", r"\blast night\b", lambda clock, _: clock.part(clock.back(1), "night")),
    _rule(
        "last ,this ,next ,past ,previous ,current ,coming ",
        r"\b(?P<shift>last|this|next|past|previous|current|coming) (?P<unit>week|month|quarter|year)\b",
        _unit,
    ),
    _rule("weekend", r"\b(?:(?P<shift>last|this|next|past|coming)|(?:on|over|at) the) weekend\b", _weekend),
    _rule(" ago", rf"\b(?P<n>{NUMBER}) (?:{_UNIT_EN[:-1]}|hour|minute|min))s? ago\b", _ago),
    _rule(
        "last ,past ,previous ",
        rf"\b(?:last|past|previous) (?P<n>{NUMBER}) {_UNIT_EN}s?\b",
        _until_now,
    ),
    _rule("other day", r"\bthe other day\b", lambda clock, _: (clock.at(clock.back(7)), clock.at(clock.today))),
    _rule("recent,lately", r"\b(?:recently|lately|in recent days)\b", lambda clock, _: clock.since(RECENT_DAYS)),
    _rule("just now,moment ago", r"\b(?:just now|a moment ago)\b", lambda clock, _: clock.ago(0, "hour")),
    _rule(_MONTH_HINTS, rf"(?<![\w./\-:]){_D}(?:st|nd|rd|th)? (?:of )?{_MONTHS}(?:,? {_Y}\b)?", _date),
    _rule(_MONTH_HINTS, rf"\b{_MONTHS} {_D}(?:st|nd|rd|th)?(?:,? {_Y})?(?![\w:]|\.\d)", _date),
    _rule(_MONTH_HINTS, rf"\b{_ANY_MONTHS},? (?:of )?{_Y}\b", _in_month),
    _rule(
        _MONTH_HINTS,
        rf"\b(?:in|during|since|until|(?P<shift>last|this|next))(?: (?:early|late|mid))?[ -]{_ANY_MONTHS}"
        r"(?! (?:be|have|not|on)\b)",
        _in_month,
    ),
    _rule(
        "mon,tue,wed,thu,fri,sat,sun",
        rf"\b(?:on|since|until|by|from|(?P<shift>last|this|next|coming|past)) {_WEEKDAYS}{_PART}",
        _weekday,
    ),
    _rule(
        "day",
        r"(?<!every )(?<!each )\b(?P<wd>mon|tues|wednes|thurs|fri|satur|sun)day"
        r" (?P<part>morning|afternoon|evening|night)\b",
        _weekday,
    ),
    _rule(
        "19,20",
        rf"\b(?:in|during|since|(?:the )?year) {_Y}\b(?!-\d|[./]\d){_NO_COUNT}",
        lambda clock, match: clock.year(int(match["y"])),
    ),
    _rule("spring,summer,autumn,fall,winter", rf"\b{_SEASONS}(?: of)? {_Y}\b", _season),
    _rule("spring,summer,autumn,fall,winter", rf"\b(?P<shift>last|this) {_SEASONS}\b(?! boot)", _season),
    _rule("in the ", r"\bin the (?P<s>spring|summer|autumn|winter)\b(?! (?:boot|framework))", _season),
    _rule("q1,q2,q3,q4", rf"\bq(?P<q>[1-4])(?:[ /-]?(?:of )?{_Y})?\b", _quarter),
    _rule("q1,q2,q3,q4", rf"\b{_Y}[ /-]?q(?P<q>[1-4])\b", _quarter),
    _rule(
        "on the ",
        r"\bon the (?P<d>[12]?\d|3[01])(?:st|nd|rd|th)(?=\s*(?:[.,?!;)]|$|(?:we|i|you|and|at|did)\b))",
        lambda clock, match: clock.latest_day(int(match["d"])),
    ),
)

_PART_ZH = r"(?P<part>凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里|早|晚|夜)?"
_UNIT_ZH = r"(?P<unit>天|日|周|星期|礼拜|月|年)"
_WEEK_ZH = "(?:周|星期|礼拜)"
_YEAR_ZH = rf"(?:(?<!\d){_Y}年|(?P<yw>前年|去年|今年|明年))的?"
_M_ZH = r"(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
_D_ZH = r"(?P<d>[12]\d|3[01]|0?[1-9]|二十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?|[一二三四五六七八九])"
# 一直, 一起, 一些… after a week are no Monday
_ONE = "(?![个次年月期直起共些定样片边])"

_CHINESE = (
    _rule("今,昨,前,明,后", rf"(?P<w>大前天|前天|前日|昨天|昨日|今天|今日|明天|明日|后天){_PART_ZH}", _day),
    _rule("昨,今,明", r"(?P<w>昨|今|明)(?P<part>早上?|晚上?|夜)(?!期)", _day),
    _rule(
        "周,星期,礼拜,月,季度",
        r"(?P<shift>上上|下下|上一|这一|下一|上|这|本|下)个?(?P<unit>周|星期|礼拜|月|季度)"
        rf"(?!(?:[二三四五六日天末]|一{_ONE}))",
        _unit,
    ),
    _rule(
        "周,星期,礼拜",
        rf"(?<![每\d四])(?P<shift>上上|上|这|本|下)?个?{_WEEK_ZH}(?P<wd>[二三四五六日天]|一{_ONE}){_PART_ZH}",
        _weekday,
    ),
    _rule("周末", r"(?<!每)(?P<shift>上上|上|这|本|下)?个?周末", _weekend),
    _rule(
        "前",
        rf"(?P<n>{HAN_NUMBER}|几|数|半)\s?个?(?:{_UNIT_ZH[:-1]}|小时|分钟))(?:之前|以前|前)(?![端提])",
        _ago,
    ),
    _rule("过去,最近,近,这", rf"(?:过去|最近|近|这)的?(?P<n>{HAN_NUMBER}|几)\s?个?{_UNIT_ZH}(?![级份])", _until_now),
    _rule("前", r"前[几些]天", lambda clock, _: (clock.at(clock.back(7)), clock.at(clock.today))),
    _rule("前", r"前阵子|前段时间", lambda clock, _: (clock.at(clock.back(60)), clock.at(clock.back(7)))),
    _rule("最近,近期,近来,这阵子", r"最近|近期|近来|这阵子", lambda clock, _: clock.since(RECENT_DAYS)),
    _rule("刚,方才", r"刚才|刚刚|方才", lambda clock, _: clock.ago(0, "hour")),
    _rule("月", rf"(?:{_YEAR_ZH})?(?<!\d){_M_ZH}{_D_ZH}[日号]", _date),
    _rule("月", rf"(?:{_YEAR_ZH})?(?<![\d.个每几\-/十百千第]){_M_ZH}份?(?![亮饼光票薪租嫂均度\d])", _in_month),
    _rule("季度", rf"(?:{_YEAR_ZH})?第?(?P<q>[一二三四1-4])季度", _quarter),
    _rule("春,夏,秋,冬", rf"{_YEAR_ZH}(?P<s>[春夏秋冬])[天季]?", _season),
    _rule("年", rf"(?<!\d){_Y}年(?!前)", lambda clock, match: clock.year(int(match["y"]))),
    _rule("年", "(?P<yw>前年|去年|今年|明年)", lambda clock, match: clock.year(_year(clock, match) or 1)),
    _rule(
        "号",
        r"(?<![\w第])(?P<d>[12]\d|3[01]|[1-9])号(?=那天|[早上下晚的我]|[，。？！,?!]|\s*$)",
        lambda clock, match: clock.latest_day(int(match["d"])),
    ),
)


def rules(*, digits: bool, chinese: bool) -> tuple[Rule, ...]:
    """Give the rules that can match a text with or without digits and Chinese characters."""
    return (_NUMERIC if digits else ()) + _ENGLISH + (_CHINESE if chinese else ())
