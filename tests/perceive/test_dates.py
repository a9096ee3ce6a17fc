from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.perceive.dates import TimeRange, time_ranges

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 11, 30, 11, 30, tzinfo=ZONE)
"""A Monday."""


def spans(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    """Write ranges as first and last day (the last is inside), or as hours when they are no whole days."""
    found = []
    for one in time_ranges(text, now):
        whole = one.start.hour == one.end.hour == 0 and one.start.minute == one.end.minute == 0
        if whole:
            last = one.end - timedelta(days=1)
            found.append((f"{one.start:%Y-%m-%d}", f"{last:%Y-%m-%d}"))
        else:
            found.append((f"{one.start:%Y-%m-%d %H:%M}", f"{one.end:%Y-%m-%d %H:%M}"))
    return found


def day(text: str) -> tuple[str, str]:
    return (text, text)


MARCH = ("2026-03-01", "2026-03-31")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we do today?", day("2026-11-30")),
        ("what did we do yesterday", day("2026-11-29")),
        ("yesterday's meeting", day("2026-11-29")),
        ("the day before yesterday we talked", day("2026-11-28")),
        ("last night it crashed", ("2026-11-29 18:00", "2026-11-30 06:00")),
        ("yesterday morning", ("2026-11-29 05:00", "2026-11-29 12:00")),
        ("this morning", ("2026-11-30 05:00", "2026-11-30 12:00")),
        ("remind me tomorrow", day("2026-12-01")),
        ("this week", ("2026-11-30", "2026-12-06")),
        ("last week's plan", ("2026-11-23", "2026-11-29")),
        ("next week", ("2026-12-07", "2026-12-13")),
        ("last month", ("2026-10-01", "2026-10-31")),
        ("this month", ("2026-11-01", "2026-11-30")),
        ("last year", ("2025-01-01", "2025-12-31")),
        ("last quarter", ("2026-07-01", "2026-09-30")),
        ("last weekend", ("2026-11-28", "2026-11-29")),
        ("on the weekend we sailed", ("2026-11-28", "2026-11-29")),
        ("3 days ago", day("2026-11-27")),
        ("three days ago", day("2026-11-27")),
        ("a day ago", day("2026-11-29")),
        ("thirty-one days ago", day("2026-10-30")),
        ("two weeks ago", ("2026-11-16", "2026-11-22")),
        ("five months ago", ("2026-06-01", "2026-06-30")),
        ("2 years ago", ("2024-01-01", "2024-12-31")),
        ("a few days ago", ("2026-11-23", "2026-11-29")),
        ("the other day", ("2026-11-23", "2026-11-29")),
        ("in the last 7 days", ("2026-11-23 00:00", "2026-11-30 11:30")),
        ("recently", ("2026-11-16 00:00", "2026-11-30 11:30")),
        ("just now", ("2026-11-30 10:30", "2026-11-30 11:30")),
        ("two hours ago", ("2026-11-30 09:00", "2026-11-30 10:00")),
        ("the outage in March", MARCH),
        ("the outage in march", MARCH),
        ("in March 2025", ("2025-03-01", "2025-03-31")),
        ("March 2025 release", ("2025-03-01", "2025-03-31")),
        ("in December", ("2025-12-01", "2025-12-31")),
        ("in November", ("2026-11-01", "2026-11-30")),
        ("last November", ("2025-11-01", "2025-11-30")),
        ("in May we moved", ("2026-05-01", "2026-05-31")),
        ("on 19 August", day("2026-08-19")),
        ("on 19 August 2025", day("2025-08-19")),
        ("the 19th of August", day("2026-08-19")),
        ("Aug 19", day("2026-08-19")),
        ("Aug 19th, 2025", day("2025-08-19")),
        ("on December 24", day("2025-12-24")),
        ("on May 5", day("2026-05-05")),
        ("on 29 February", day("2024-02-29")),
        ("2026-08-19", day("2026-08-19")),
        ("2026/8/19", day("2026-08-19")),
        ("notes of 2026-08", ("2026-08-01", "2026-08-31")),
        ("on 8/19", day("2026-08-19")),
        ("8/19?", day("2026-08-19")),
        ("last Tuesday", day("2026-11-24")),
        ("on Monday", day("2026-11-23")),
        ("on friday we shipped", day("2026-11-27")),
        ("this Wednesday", day("2026-12-02")),
        ("next Friday", day("2026-12-04")),
        ("next Monday", day("2026-12-07")),
        ("Friday afternoon", ("2026-11-27 12:00", "2026-11-27 18:00")),
        ("in 2025", ("2025-01-01", "2025-12-31")),
        ("spring 2026", ("2026-03-01", "2026-05-31")),
        ("in the summer of 2025", ("2025-06-01", "2025-08-31")),
        ("last summer", ("2026-06-01", "2026-08-31")),
        ("last winter", ("2025-12-01", "2026-02-28")),
        ("last autumn", ("2025-09-01", "2025-11-30")),
        ("Q3 2026", ("2026-07-01", "2026-09-30")),
        ("2025 Q1", ("2025-01-01", "2025-03-31")),
        ("in Q2", ("2026-04-01", "2026-06-30")),
        ("what happened on the 19th?", day("2026-11-19")),
        ("今天做了什么", day("2026-11-30")),
        ("昨天的会议", day("2026-11-29")),
        ("前天", day("2026-11-28")),
        ("大前天", day("2026-11-27")),
        ("昨晚崩溃了", ("2026-11-29 18:00", "2026-11-30 06:00")),
        ("昨天下午", ("2026-11-29 12:00", "2026-11-29 18:00")),
        ("今早", ("2026-11-30 05:00", "2026-11-30 12:00")),
        ("今天早上", ("2026-11-30 05:00", "2026-11-30 12:00")),
        ("本周", ("2026-11-30", "2026-12-06")),
        ("上周", ("2026-11-23", "2026-11-29")),
        ("上个星期", ("2026-11-23", "2026-11-29")),
        ("上上周", ("2026-11-16", "2026-11-22")),
        ("下周", ("2026-12-07", "2026-12-13")),
        ("上周三", day("2026-11-25")),
        ("上周一的站会", day("2026-11-23")),
        ("上上周五", day("2026-11-20")),
        ("周三", day("2026-11-25")),
        ("星期天", day("2026-11-29")),
        ("上周末", ("2026-11-28", "2026-11-29")),
        ("上个月", ("2026-10-01", "2026-10-31")),
        ("本月", ("2026-11-01", "2026-11-30")),
        ("三月的故障", MARCH),
        ("3月份", MARCH),
        ("十二月", ("2025-12-01", "2025-12-31")),
        ("去年三月", ("2025-03-01", "2025-03-31")),
        ("去年", ("2025-01-01", "2025-12-31")),
        ("今年", ("2026-01-01", "2026-12-31")),
        ("前年", ("2024-01-01", "2024-12-31")),
        ("8月19日", day("2026-08-19")),
        ("八月十九号", day("2026-08-19")),
        ("2025年8月19日", day("2025-08-19")),
        ("2026年8月", ("2026-08-01", "2026-08-31")),
        ("2025年的计划", ("2025-01-01", "2025-12-31")),
        ("三天前", day("2026-11-27")),
        ("二十一天前", day("2026-11-09")),
        ("两周前", ("2026-11-16", "2026-11-22")),
        ("五个月前", ("2026-06-01", "2026-06-30")),
        ("半年前", ("2026-05-01", "2026-05-31")),
        ("几天前", ("2026-11-23", "2026-11-29")),
        ("前几天", ("2026-11-23", "2026-11-29")),
        ("最近在忙什么", ("2026-11-16 00:00", "2026-11-30 11:30")),
        ("最近三天", ("2026-11-27 00:00", "2026-11-30 11:30")),
        ("刚才说的", ("2026-11-30 10:30", "2026-11-30 11:30")),
        ("去年夏天", ("2025-06-01", "2025-08-31")),
        ("2026年第三季度", ("2026-07-01", "2026-09-30")),
        ("上个季度", ("2026-07-01", "2026-09-30")),
        ("19号那天", day("2026-11-19")),
    ],
)
def test_a_time_is_the_range_it_means(text: str, expected: tuple[str, str]) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "you may use it",
        "it may 5 times fail",
        "march on with the work",
        "wait a second",
        "the second one",
        "upgrade to Python 3.11",
        "version 2.8.19 is out",
        "at 12:30",
        "ratio 3/4 of the tests",
        "5/15 tests passed",
        "port 8080 and 2026 files",
        "in 2000 lines of code",
        "read src/2026/8/19.md",
        "the spring framework",
        "in spring boot",
        "sat down in the sun",
        "fall back to the cache",
        "every Monday we meet",
        "on Mondays",
        "10.0.0.1",
        "编号1231月亮",
        "四周一片安静",
        "三个月亮",
        "每周三开会",
        "每月一次",
        "坐2号线",
        "用第3号方案",
        "前端代码",
        "一天前端都在改",
        "on 30 February",
        "2026-13-45",
        "900000 years ago",
    ],
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert [one.words for one in time_ranges(text, NOW)] == []


def test_several_times_come_in_the_order_of_the_text() -> None:
    found = time_ranges("Compare last week with March 2025, and 昨天 too", NOW)
    assert [one.words for one in found] == ["last week", "March 2025", "昨天"]


def test_where_two_times_overlap_the_longer_words_count() -> None:
    assert [one.words for one in time_ranges("on 19 August 2025", NOW)] == ["19 August 2025"]


def test_a_day_is_as_long_as_the_zone_makes_it() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    (found,) = time_ranges("yesterday", datetime(2026, 10, 26, 9, tzinfo=berlin))
    assert found.start.tzinfo is berlin
    assert found.end.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=25)


@given(st.text(max_size=200), st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2999, 1, 1)))  # noqa: DTZ001 - the zone is added below
def test_any_text_gives_ranges_that_are_no_shorter_than_nothing(text: str, moment: datetime) -> None:
    for one in time_ranges(text, moment.replace(tzinfo=UTC)):
        assert isinstance(one, TimeRange)
        assert one.start < one.end
        assert one.words in text
