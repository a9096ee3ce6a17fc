"""Cleaning: what a memory weighs, what goes and comes back, and when a cleaning is due."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from kit import maintain
from kit.app import Kit
from kit.errors import BadInputError, ConfigError
from tests.govern.pooled import NOW, card, hits, notes, save, tag
from tests.small_vault import front

if TYPE_CHECKING:
    from pathlib import Path

BERLIN = ZoneInfo("Europe/Berlin")
SUMMER, WINTER = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))


# --- weight


@pytest.mark.parametrize(
    ("days", "weight"),
    [(-1, 1), (0, 1), (10, 0.925), (20, 0.85), (40, 0.675), (60, 0.5), (90, 0.4), (120, 0.3), (150, 0.2), (900, 0.2)],
)
def test_a_memory_weighs_less_by_its_age(days: float, weight: float) -> None:
    assert maintain.weight(days, None) == pytest.approx(weight)


def test_the_limit_of_cleaning_is_crossed_after_120_days() -> None:
    assert maintain.weight(119.9, None) > maintain.LEAST_WEIGHT > maintain.weight(120.1, None)


@pytest.mark.parametrize(("recalled", "gain"), [(0, 1.15), (3.5, 1.075), (7, 1), (8, 1), (None, 1)])
def test_a_recall_of_the_last_seven_days_raises_it_by_up_to_15_percent(recalled: float | None, gain: float) -> None:
    assert maintain.weight(90, recalled) == pytest.approx(0.4 * gain)
    assert maintain.weight(0, recalled) == 1.0


@pytest.mark.parametrize(("importance", "share"), [(1, 0.9), (3, 1), (5, 1.1)])
def test_importance_weighs(importance: int, share: float) -> None:
    assert maintain.weight(90, None, importance) == pytest.approx(0.4 * share)


# --- cleaning


@pytest.fixture
def old(vault: Path) -> Path:
    """Cards of every age and fate."""
    tag(vault, "flume")
    for name, days, keys in (
        ("fresh", 20, {}), ("older", 119, {}), ("gone", 125, {}), ("pinned", 300, {"pinned": "true"}),
        ("confirmed", 300, {"feedback": "confirmed"}), ("rejected", 300, {"feedback": "rejected"}),
        ("weighty", 130, {"importance": 5}), ("pending", 300, {"status": "pending"}), ("recalled", 122, {}),
    ):  # fmt: skip
        card(vault, name, "flume", days=days, says=f"About {name}.", **keys)
    save(
        vault / "cards/gone.md",
        (vault / "cards/gone.md").read_bytes().replace(b"---\nAbout", b'event: "[[events/gone]]"\n---\nAbout'),
    )
    save(
        vault / "events/gone.md",
        front({"id": "gone-e", "kind": "event", "card": "[[cards/gone]]"}, "## User\n\nWhy?\n"),
    )
    line = {"at": (NOW - timedelta(days=1)).isoformat(), "who": "recall", "what": "recall", "ids": ["recalled"]}
    odd = [
        '{"at": "no time", "what": "recall", "ids": ["gone"]}',
        '{"what": "recall"}',
        json.dumps({**line, "what": "forget", "ids": ["gone"]}),
    ]
    (vault / "journal/2026-11.jsonl").write_text("\n".join([*odd, json.dumps(line), ""]), "utf-8")
    return vault


def test_it_says_what_would_go_and_why_and_changes_nothing(kit: Kit, old: Path) -> None:
    before = notes(old)
    found = kit.pool.clean(dry_run=True)
    assert {memory.id: memory.why for memory in found.leaving} == {
        "gone": "125 days old, importance 3", "rejected": "300 days old, importance 3",
        "weighty": "130 days old, importance 5", "pending": "300 days old, importance 3, pending",
    }  # fmt: skip
    assert {memory.id: memory.weight for memory in found.leaving}["gone"] == 0.283
    assert (found.done, notes(old)) == (None, before)


def test_what_goes_leaves_no_trace_in_any_index_and_undo_brings_the_same_recall_back(kit: Kit, old: Path) -> None:
    kit.sync()
    before, files = hits(kit, "flume"), notes(old)
    book, features, searched = kit.book(), kit.features(), kit.recall("About gone", threshold=0.0, now=NOW)
    assert "gone" in before
    found = kit.pool.clean()
    assert found.done
    assert {memory.id for memory in found.leaving} == {"gone", "rejected", "weighty", "pending"}
    assert (old / "archive/cards/gone.md").is_file()
    assert (old / "archive/events/gone.md").is_file()
    assert set(hits(kit, "flume")) == set(before) - {"gone", "weighty"}
    assert not any("gone" in row.cards for row in kit.book())
    assert kit.body("events/gone") == ""
    assert kit.pool.clean().done is None
    kit.pool.undo()
    assert (notes(old), hits(kit, "flume")) == (files, before)
    assert (kit.book(), kit.features()) == (book, features)
    assert kit.recall("About gone", threshold=0.0, now=NOW).hits == searched.hits
    assert kit.doctor() == []


def test_one_memory_comes_back_with_its_parts(kit: Kit, old: Path) -> None:
    files = notes(old)
    kit.pool.clean()
    kit.restore("gone")
    assert {path: raw for path, raw in notes(old).items() if "gone" in path} == {
        path: raw for path, raw in files.items() if "gone" in path
    }
    assert "gone" in hits(kit, "flume")
    assert kit.full_text("gone").user == "Why?"


def test_a_memory_that_cannot_go_keeps_no_other_back(kit: Kit, old: Path) -> None:
    save(old / "archive/cards/gone.md", b"another one of this name\n")
    kit.sync()
    save(old / "cards/rejected.md", b"---\nid: [broken\n---\n")
    assert {memory.id for memory in kit.pool.clean().leaving} == {"weighty", "pending"}
    assert (old / "cards/gone.md").is_file()


def test_more_than_a_hundred_go_at_once(kit: Kit, vault: Path) -> None:
    for number in range(130):
        card(vault, f"c{number:03}", "flume", days=200)
    assert len(kit.pool.clean().leaving) == 130
    assert len(list((vault / "archive/cards").glob("*.md"))) == 130
    kit.pool.undo()
    assert len(list((vault / "cards").glob("*.md"))) == 130


# --- schedule


@pytest.mark.parametrize(
    ("mode", "now", "planned"),
    [
        ("manual", "2026-08-19 12:00", ""),
        ("daily", "2026-08-19 02:59", "2026-08-18 03:00"),
        ("daily", "2026-08-19 03:00", "2026-08-19 03:00"),
        ("weekly", "2026-08-19 12:00", "2026-08-17 03:00"),
        ("weekly", "2026-08-17 02:00", "2026-08-10 03:00"),
        ("weekly", "2026-08-17 04:00", "2026-08-17 03:00"),
        ("monthly", "2026-08-31 12:00", "2026-08-31 03:00"),
        ("monthly", "2026-09-30 12:00", "2026-09-30 03:00"),
        ("monthly", "2026-09-29 12:00", "2026-08-31 03:00"),
        ("monthly", "2026-03-30 12:00", "2026-02-28 03:00"),
        ("monthly", "2028-03-01 12:00", "2028-02-29 03:00"),
        ("monthly", "2027-01-01 00:00", "2026-12-31 03:00"),
    ],
)
def test_the_newest_planned_moment(mode: str, now: str, planned: str) -> None:
    """Monday, or the 31st: the last day where a month is shorter."""
    found = maintain.latest(mode, "03:00", 1, 31, datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert (found.strftime("%Y-%m-%d %H:%M") if found else "") == planned


def cleaned(vault: Path, *moments: datetime) -> None:
    lines = [json.dumps({"at": moment.isoformat(), "who": "maintain", "what": "clean"}) for moment in moments]
    for file in (vault / "journal").glob("*.jsonl"):
        file.unlink()
    (vault / "journal/2026-10.jsonl").write_text("\n".join([*lines, ""]), "utf-8")


def due(vault: Path, mode: str, last: datetime | None, now: datetime, at: str = "03:00") -> bool:
    cleaned(vault, *([last] if last else []))
    (vault / "memkit.toml").write_text(f'id = "x"\n[clean]\nmode = "{mode}"\nat = "{at}"\nday = 31\n', "utf-8")
    with Kit(vault, clock=lambda: now) as kit:
        return kit.cleaning_is_due()


def test_each_planned_moment_is_due_once(vault: Path) -> None:
    day = datetime(2026, 8, 19, tzinfo=UTC)
    at = timedelta(hours=3)
    assert not due(vault, "manual", None, day)
    assert due(vault, "daily", None, day + at)
    assert due(vault, "daily", day - timedelta(hours=21), day + at), "yesterday's was the last"
    assert not due(vault, "daily", day + at, day + at + timedelta(minutes=1))
    assert not due(vault, "daily", day - timedelta(hours=20, minutes=59), day + timedelta(hours=2))
    assert due(vault, "daily", day - timedelta(days=9), day + timedelta(hours=1)), "a machine that slept catches up"
    assert not due(vault, "monthly", datetime(2026, 7, 31, 4, tzinfo=UTC), datetime(2026, 8, 30, 23, tzinfo=UTC))
    assert due(vault, "monthly", datetime(2026, 7, 31, 4, tzinfo=UTC), datetime(2026, 8, 31, 4, tzinfo=UTC))


def test_an_hour_that_comes_twice_in_autumn_is_due_once(vault: Path) -> None:
    before = datetime(2026, 10, 24, 3, 0, 5, tzinfo=SUMMER)
    assert not due(vault, "daily", before, datetime(2026, 10, 25, 2, 30, tzinfo=WINTER))
    assert due(vault, "daily", before, datetime(2026, 10, 25, 3, 1, tzinfo=WINTER))
    once = datetime(2026, 10, 25, 2, 30, 5, tzinfo=SUMMER)
    assert not due(vault, "daily", once, datetime(2026, 10, 25, 2, 31, tzinfo=WINTER), at="02:30")


def test_an_hour_that_spring_leaves_out_is_due_once(vault: Path) -> None:
    before = datetime(2026, 3, 28, 2, 30, 5, tzinfo=WINTER)
    assert not due(vault, "daily", before, datetime(2026, 3, 29, 1, 59, tzinfo=WINTER), at="02:30")
    after = datetime(2026, 3, 29, 3, 1, tzinfo=SUMMER)
    assert due(vault, "daily", before, after, at="02:30")
    assert not due(vault, "daily", after, after + timedelta(hours=5), at="02:30")


def test_a_zone_with_rules_of_its_own_gives_the_same(vault: Path) -> None:
    before = datetime(2026, 10, 24, 3, 0, 5, tzinfo=BERLIN)
    assert not due(vault, "daily", before, datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1))
    assert due(vault, "daily", before, datetime(2026, 10, 25, 3, 1, tzinfo=BERLIN))


def test_a_time_that_is_none_is_told(vault: Path) -> None:
    with pytest.raises((BadInputError, ConfigError), match="no time of day"):
        due(vault, "daily", None, NOW, at="3 o'clock")


def test_a_scheduled_cleaning_that_finds_nothing_is_written_down_and_not_due_again(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMKIT_CLEAN_MODE", "daily")
    with Kit(vault, clock=lambda: NOW) as kit:
        assert kit.cleaning_is_due()
        kit.pool.clean(who="maintain")
        assert not kit.cleaning_is_due()
