"""The calendar around a moment: days, weeks, months, quarters, seasons and years as half-open ranges.

Law: pure; every range is in the zone of `now`. A range no calendar holds raises ValueError or OverflowError.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

Span = tuple[datetime, datetime]

_ENGLISH = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30}
_HAN = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"两": 2, "俩": 2, "〇": 0}
_PARTS = {
    "morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30),
    "早": (5, 12), "早上": (5, 12), "清晨": (5, 12), "上午": (5, 12), "中午": (11, 14), "下午": (12, 18),
    "晚": (18, 30), "晚上": (18, 30), "夜里": (18, 30), "夜": (18, 30), "傍晚": (16, 20), "凌晨": (0, 6),
}  # fmt: skip
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

NUMBER = r"(?:\d{1,3}|(?:twenty|thirty)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|" + "|".join(
    sorted(_ENGLISH, key=len, reverse=True)
)
NUMBER += r"|(?:an?|the) (?:couple(?: of)?|few)|couple of|few|several|an?)"
HAN_NUMBER = r"(?:\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两俩三四五六七八九])"


def number(word: str) -> int:
    """Read a number up to 39 in words, or any in digits; "a couple" is 2.

    Raise ValueError when it is none.
    """
    plain = word.casefold().strip()
    if plain.isdecimal():
        return int(plain)
    if plain in ("a", "an") or "couple" in plain:
        return 1 + ("couple" in plain)
    head, _, tail = re.sub(r"[- ]", " ", plain).partition(" ")
    if head in _TENS:
        return _TENS[head] + (_ENGLISH.index(tail) if tail else 0)
    if head in _ENGLISH and not tail:
        return _ENGLISH.index(head)
    if re.fullmatch("[零〇一二两俩三四五六七八九十]+", plain):
        tens, ten, ones = plain.rpartition("十")
        return (_HAN[tens] if tens else 1) * 10 * bool(ten) + (_HAN[ones] if ones else 0)
    raise ValueError(f"'{word}' is no number")


def month_number(word: str) -> int:
    """Give the number of a month by its English name or its first three letters."""
    return _MONTHS.index(word.casefold()[:3]) + 1


class Clock(NamedTuple):
    """The calendar seen from one moment, which has a zone."""

    now: datetime

    @property
    def today(self) -> date:
        """The day of the moment."""
        return self.now.date()

    def at(self, day: date, hour: int = 0) -> datetime:
        """Give an hour of a day; 24 and more fall on the next day."""
        later, hour = divmod(hour, 24)
        return datetime.combine(day + timedelta(days=later), time(hour), tzinfo=self.now.tzinfo)

    def days(self, first: date, count: int = 1) -> Span:
        """Give `count` whole days."""
        return self.at(first), self.at(first + timedelta(days=count))

    def back(self, days: int) -> date:
        """Give the day so many days ago."""
        return self.today - timedelta(days=days)

    def since(self, days: int) -> Span:
        """Give the time from so many days ago until now."""
        return self.at(self.back(days)), self.now

    def part(self, day: date, name: str | None) -> Span:
        """Give a part of a day, such as `morning`; the whole day for an unknown name."""
        hours = _PARTS.get((name or "").casefold())
        return (self.at(day, hours[0]), self.at(day, hours[1])) if hours else self.days(day)

    def week(self, shift: int) -> Span:
        """Give the week (from Monday) so many weeks from now."""
        return self.days(self.monday(shift), 7)

    def monday(self, shift: int) -> date:
        """Give the Monday of the week so many weeks from now."""
        return self.back(self.today.weekday()) + timedelta(weeks=shift)

    def month(self, year: int, month: int, count: int = 1) -> Span:
        """Give `count` months; months beyond 12 or below 1 fall in other years."""
        first, last = year * 12 + month - 1, year * 12 + month - 1 + count
        return (
            self.at(date(first // 12, first % 12 + 1, 1)),
            self.at(date(last // 12, last % 12 + 1, 1)),
        )

    def shifted_month(self, shift: int) -> Span:
        """Give the month so many months from now."""
        return self.month(self.today.year, self.today.month + shift)

    def year(self, year: int) -> Span:
        """Give a year."""
        return self.month(year, 1, 12)

    def quarter(self, year: int, quarter: int) -> Span:
        """Give a quarter, 1–4."""
        if not 1 <= quarter <= 4:  # noqa: PLR2004 - a year has four quarters
            raise ValueError(f"There is no quarter {quarter}")
        return self.month(year, quarter * 3 - 2, 3)

    def shifted_quarter(self, shift: int) -> Span:
        """Give the quarter so many quarters from now."""
        return self.month(self.today.year, (self.today.month - 1) // 3 * 3 + 1 + shift * 3, 3)

    def season(self, year: int | None, name: str, shift: int = 0) -> Span:
        """Give a season; without a year the latest that has begun, `shift` years on. Winter begins in December."""
        month = _SEASONS[name.casefold()]
        if year is None:
            year = self.today.year - (month > self.today.month) + shift
        return self.month(year, month, 3)

    def latest_month(self, month: int, *, before: bool = False) -> Span:
        """Give the latest such month; this one counts unless `before`."""
        late = month > self.today.month or (before and month == self.today.month)
        return self.month(self.today.year - late, month)

    def latest_date(self, month: int, day: int) -> Span:
        """Give the latest such date, today included; 29 February may lie years back."""
        for year in range(self.today.year, self.today.year - 9, -1):
            try:
                found = date(year, month, day)
            except ValueError:
                continue
            if found <= self.today:
                return self.days(found)
        raise ValueError(f"There is no day {month}-{day}")

    def latest_day(self, day: int) -> Span:
        """Give the latest day of that number, today included."""
        for shift in range(3):
            start, end = self.shifted_month(-shift)
            found = start + timedelta(days=day - 1)
            if day >= 1 and found.date() < end.date() and found.date() <= self.today:
                return self.days(found.date())
        raise ValueError(f"There is no day {day}")

    def latest_weekday(self, weekday: int) -> date:
        """Give the latest such weekday before today; Monday is 0."""
        return self.back((self.today.weekday() - weekday - 1) % 7 + 1)

    def ago(self, count: int, unit: str) -> Span:
        """Give the unit that lies so many units back: that day, that week, that month, that year."""
        first = unit[0].casefold()
        if unit.casefold().startswith(("hour", "min")) or unit in ("小时", "分钟"):
            step = timedelta(hours=1) if unit[0] in "hH小" else timedelta(minutes=1)
            middle = self.now - step * count
            slack = max(step * count / 4, timedelta(minutes=10) if count else step)
            return middle - slack, min(middle + slack, self.now)
        if first in "d天日":
            return self.days(self.back(count))
        if first in "w周星礼":
            return self.week(-count)
        if first in "m月":
            return self.shifted_month(-count)
        return self.year(self.today.year - count)


def weekday_number(word: str) -> int:
    """Give the number of a weekday by its English name or its last Chinese character; Monday is 0."""
    short = word.casefold()[:3]
    return _WEEKDAYS.index(short) if short in _WEEKDAYS else min("一二三四五六日天".index(word[-1]), 6)
