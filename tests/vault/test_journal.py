"""The journal: one object a line, only ever added to, readable after a crash."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit.errors import UnavailableError
from kit.vault.journal import Journal
from kit.vault.store import Store

if TYPE_CHECKING:
    from pathlib import Path

AT = datetime(2026, 8, 19, 6, 30, 22, tzinfo=UTC)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(Store(tmp_path))


def test_a_line_says_when_who_what_and_why(journal: Journal, tmp_path: Path) -> None:
    journal.add(AT, "person", "deprecate", "tags/js.md", "too broad", before="active", after="deprecated")
    line = (tmp_path / "journal/2026-08.jsonl").read_text()
    assert json.loads(line) == {
        "at": "2026-08-19T06:30:22+00:00", "who": "person", "what": "deprecate", "note": "tags/js.md",
        "why": "too broad", "before": "active", "after": "deprecated",
    }  # fmt: skip
    assert line.count("\n") == 1


def test_what_is_empty_is_left_out_and_zero_is_not_empty(journal: Journal) -> None:
    journal.add(AT, "recall", "recall", why="", session="", tokens=0, durable=False)
    assert list(journal.entries()) == [
        {"at": "2026-08-19T06:30:22+00:00", "who": "recall", "what": "recall", "tokens": 0}
    ]


def test_chinese_stays_readable_for_grep(journal: Journal, tmp_path: Path) -> None:
    journal.add(AT, "hook", "frame", why="标签池怎么合并？")
    assert "标签池怎么合并？" in (tmp_path / "journal/2026-08.jsonl").read_text(encoding="utf-8")


def test_entries_come_in_order_across_months_and_backwards(journal: Journal) -> None:
    for days in (0, 20, 40):
        for number in (1, 2):
            journal.add(AT + timedelta(days=days), "learn", f"{days}.{number}", durable=False)
    told = [entry["what"] for entry in journal.entries()]
    assert told == ["0.1", "0.2", "20.1", "20.2", "40.1", "40.2"]
    assert [entry["what"] for entry in journal.entries(newest_first=True)] == told[::-1]
    assert journal.months() == ["journal/2026-08.jsonl", "journal/2026-09.jsonl"]


def test_lines_that_hold_something_are_found_among_the_newest_ones_in_every_month(journal: Journal) -> None:
    for number in range(9):  # three months, three lines each; b is in the first and the last
        asked = "b" if number in {1, 7} else "a"
        journal.add(AT + timedelta(days=32 * (number // 3)), "recall", str(number), session=asked, durable=False)

    def found(session: str, most: int = 100) -> list[object]:
        return [entry["what"] for _, entry in journal.backwards(holding=(f'"{session}"'.encode(),), most=most)]

    assert found("a") == [*"865432", "0"]
    assert found("b") == ["7", "1"]
    assert found("b", most=8) == ["7", "1"]
    assert found("b", most=7) == ["7"]
    assert found("c") == []


def test_what_is_no_journal_is_not_read_for_one(journal: Journal, tmp_path: Path) -> None:
    journal.add(AT, "learn", "first")
    (tmp_path / "elsewhere.jsonl").write_text('{"what": "foreign"}\n')
    os.mkfifo(tmp_path / "journal/2026-10.jsonl")
    (tmp_path / "journal/2026-11.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    (tmp_path / "journal/2026-12.jsonl").symlink_to("/dev/zero")
    (tmp_path / "journal/2026-09.jsonl").write_text("[" * 100_000 + "\n")
    assert [entry["what"] for entry in journal.entries()] == ["first"]
    assert [entry["what"] for _, entry in journal.backwards()] == ["first"]


def test_a_month_is_the_person_s_own(journal: Journal) -> None:
    journal.add(datetime(2026, 8, 31, 23, tzinfo=timezone(timedelta(hours=-8))), "hook", "frame")
    assert journal.months() == ["journal/2026-08.jsonl"]


@pytest.mark.parametrize(
    "torn", [b'{"at":"2026', b'{"at":1}garbage\n', b"\xff\xfe\n", b"[1, 2]\n", b"null\n", b"\n", b"\x00" * 80]
)
def test_a_torn_line_costs_itself_alone(journal: Journal, tmp_path: Path, torn: bytes) -> None:
    journal.add(AT, "hook", "before")
    file = tmp_path / "journal/2026-08.jsonl"
    with file.open("ab") as end:
        end.write(torn)
    journal.add(AT, "hook", "after")
    assert [entry["what"] for entry in journal.entries()] == ["before", "after"]
    assert torn in file.read_bytes()


def test_without_a_journal_there_are_no_entries(journal: Journal, tmp_path: Path) -> None:
    assert list(journal.entries()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_month_that_cannot_be_read_is_said(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "journal" / "2026-08.jsonl").mkdir(parents=True)
    with pytest.raises(UnavailableError, match=r"journal/2026-08\.jsonl"):
        list(journal.entries())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(texts=st.lists(st.text(st.characters(codec="utf-8"), max_size=30), min_size=1, max_size=5))
def test_any_text_comes_back_on_one_line(tmp_path: Path, texts: list[str]) -> None:
    journal = Journal(Store(tmp_path))
    before = len(list(journal.entries()))
    for words in texts:
        journal.add(AT, "hook", "x", why=words, durable=False)
    found = list(journal.entries())[before:]
    assert [entry.get("why", "") for entry in found] == texts


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(st.lists(st.sampled_from(["a", "b"]), max_size=4))
def test_what_is_written_is_never_changed(tmp_path: Path, words: list[str]) -> None:
    journal = Journal(Store(tmp_path))
    file = tmp_path / "journal/2026-08.jsonl"
    before = file.read_bytes() if file.exists() else b""
    for word in words:
        journal.add(AT, "learn", word, durable=False)
    assert (file.read_bytes() if file.exists() else b"").startswith(before)
