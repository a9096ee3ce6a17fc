"""Where notes lie and what they are called: readable, allowed everywhere, never out of the vault."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.vault import layout
from kit.vault.paths import check_new
from kit.vault.store import Store

if TYPE_CHECKING:
    from pathlib import Path

AT = datetime(2026, 8, 19, 6, 30, 22, tzinfo=UTC)
ID = "20260819-063022-k3f9"
ODD = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=120),
    st.sampled_from(
        ["..", ".", "", " ", "../../etc/passwd", "/etc", "C:\\x", "con", "NUL.md", "a/b", "a\nb", ".git", ".obsidian",
         "x" * 500, "标" * 300, "é" * 99, "[[a|b]]", "a#b^c", "C++", "?", "  . ", "\u2028", "a\x00b", "~tmp", "LPT1"]
    ),
)  # fmt: skip


def test_an_id_is_the_utc_second_and_four_letters() -> None:
    drawn = iter([0, 31, 10, 17])
    beijing = AT.astimezone(timezone(timedelta(hours=8)))
    assert layout.new_id(beijing, lambda _: next(drawn)) == "20260819-063022-0zah"


def test_ids_hold_no_letters_that_are_taken_for_others() -> None:
    assert len(set(layout.BASE32)) == 32
    assert not set("ilou") & set(layout.BASE32)


def test_a_card_lies_in_its_month_and_says_what_it_is_about() -> None:
    path = layout.card_path(ID, AT, "Why is the *build* so slow?")
    assert path == f"cards/2026-08/{ID} why-is-the-build-so-slow.md"
    assert layout.card_path(ID, AT, "为什么构建这么慢？") == f"cards/2026-08/{ID} 为什么构建这么慢.md"
    assert layout.card_path(ID, AT, "?!") == f"cards/2026-08/{ID}.md"


def test_event_and_overview_bear_the_id_of_their_card() -> None:
    assert layout.event_path(ID, AT) == f"events/2026-08-19/{ID}.md"
    assert layout.overview_path(ID, AT) == f"overviews/2026-08/{ID}.md"


def test_the_day_of_a_file_is_the_day_the_person_lived() -> None:
    late = datetime(2026, 8, 31, 23, 30, tzinfo=timezone(timedelta(hours=-8)))
    assert layout.event_path(ID, late).startswith("events/2026-08-31/")
    assert layout.card_path(ID, late, "x").startswith("cards/2026-08/")
    assert layout.journal_path(late) == "journal/2026-08.jsonl"


def test_a_sub_scene_lies_in_the_folder_of_its_scene() -> None:
    assert layout.named_path("scenes", "code-review", "work") == "scenes/work/code-review.md"
    assert layout.named_path("tags", "标签池") == "tags/标签池.md"


@given(ODD, ODD)
def test_any_name_makes_a_path_that_every_system_allows(name: str, parent: str) -> None:
    for path in (
        layout.named_path("tags", name),
        layout.named_path("scenes", name, parent),
        layout.card_path(ID, AT, name),
    ):
        parts = check_new(path)
        assert parts[0] in layout.FOLDERS
        assert not any(part.startswith(".") for part in parts)
        assert layout.is_note(path)


@given(ODD)
def test_a_name_stays_in_its_folder(name: str) -> None:
    assert layout.named_path("tags", name).count("/") == 1
    assert layout.card_path(ID, AT, name).count("/") == 2


def test_a_file_name_holds_nothing_that_is_not_seen_and_is_soon_made() -> None:
    assert layout.named_path("tags", "gnp\u202e.sh\u200b tool\x85") == "tags/gnp.sh tool.md"
    assert layout.named_path("tags", "COM¹") == "tags/COM¹_.md"
    began = time.process_time()
    assert len(layout.named_path("tags", "标" * 1_000_000).encode()) <= 200
    assert time.process_time() - began < 5


@pytest.mark.parametrize("name", ["con", "x" * 500, "标" * 300, "a/b", "..", "C#", "a\nb"])
def test_the_store_can_make_such_a_note(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path)
    store.create(layout.named_path("tags", name), b"x")
    store.create(layout.card_path(ID, AT, name), b"x")
    assert len(list(tmp_path.rglob("*.md"))) == 2


def test_what_is_archived_finds_its_way_back_and_is_not_indexed() -> None:
    path = f"cards/2026-08/{ID}.md"
    assert layout.archived_path(path) == f"archive/{path}"
    assert layout.restored_path(layout.archived_path(path)) == path
    assert not layout.is_note(layout.archived_path(path))
    assert layout.is_note(path)
    assert layout.is_note("my own archive/note.md")


def test_what_an_undone_act_had_made_goes_back_to_where_it_was() -> None:
    assert layout.restored_path("archive/undone/tags/pawl.md") == "tags/pawl.md"
