"""A person's own notes, without `kind`: found where the settings say so, never touched."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from kit.app import Kit
from kit.errors import KitError
from kit.vault import plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOTE = """\
---
tags: [tea, brewing/green]
created: 2024-05-06
---
# Green tea

Water at 80 degrees, two minutes. #kitchen
"""


def settle(vault: Path, setting: str) -> None:
    file = vault / "memkit.toml"
    kept = file.read_text(encoding="utf-8").partition("[index]")[0]
    file.write_text(f"{kept}[index]\nplain_notes = {setting}\n[recall]\ntext_ms = 5000\n", encoding="utf-8")


@pytest.fixture
def mine(vault: Path) -> Iterator[Path]:
    (vault / "Notes").mkdir()
    file = vault / "Notes" / "Green tea.md"
    file.write_text(NOTE, encoding="utf-8")
    pot = vault / "Notes" / "壶.md"
    pot.write_text("紫砂壶适合泡普洱茶，不要洗洁精。\n", encoding="utf-8")
    os.utime(pot, (1_700_000_000, 1_700_000_000))  # one just written is looked at again and again
    before = file.read_bytes(), file.stat().st_mtime_ns
    yield file
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


@pytest.mark.usefixtures("mine")
def test_by_default_they_are_not_looked_at(vault: Path) -> None:
    with Kit(vault) as kit:
        kit.read_words()
        assert kit.recall("green tea", tags=["tea"]).hits == ()
        assert kit.search("degrees") == []


@pytest.mark.usefixtures("mine")
def test_they_are_found_by_tags_and_words_with_their_own_source_line(vault: Path) -> None:
    settle(vault, "true")
    with Kit(vault) as kit:
        kit.read_words()
        hit = kit.recall("how do I brew tea?", tags=["tea"]).hits[0]
        assert (hit.kind, hit.path) == ("note", "Notes/Green tea.md")
        assert hit.created
        assert hit.created.year == 2024
        assert kit.recall("80 degrees water").hits[0].path == "Notes/Green tea.md"
        assert kit.recall("紫砂壶能用洗洁精吗").hits[0].path == "Notes/壶.md"
        assert [found.path for found in kit.search("degrees")] == ["Notes/Green tea.md"]
        told = kit.explain("how do I brew tea?", tags=["tea"]).delivery.text
        assert "- Water at 80 degrees, two minutes." in told
        assert "Notes/Green tea)" in told


def test_switched_off_again_they_are_gone_and_moved_they_stay_found(vault: Path, mine: Path) -> None:
    settle(vault, "true")
    with Kit(vault) as kit:
        assert kit.recall("tea", tags=["tea"]).hits
        other = mine.with_name("Tea again.md")
        other.write_bytes(mine.read_bytes())
        other.rename(vault / "Tea.md")
        assert "Tea.md" in {path for path, entry in kit.index.catalog.entries().items()} or kit.sync().added
    settle(vault, "false")
    with Kit(vault) as kit:
        assert kit.recall("tea", tags=["tea"]).hits == ()
        assert kit.doctor() == []


def test_no_command_touches_one(vault: Path, mine: Path) -> None:
    settle(vault, "true")
    with Kit(vault) as kit:
        path = mine.relative_to(vault).as_posix()
        for act in (
            lambda: kit.forget(path),
            lambda: kit.feedback(path, "rejected"),
            lambda: kit.complete(path, "an answer"),
        ):
            with pytest.raises(KitError):
                act()
        kit.pool.clean()


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        ("#one and #two/three, not#this", ("one", "two/three")),
        ("`#code` and\n```\n#fenced\n```\n#after", ("after",)),
        ("# Heading\n#1984 is no tag, #y1984 is", ("y1984",)),
        ("看 #标签 和（#括号）", ("标签", "括号")),
        ("%% #hidden %% https://a.b/#anchor", ()),
    ],
)
def test_tags_are_those_that_obsidian_sees(body: str, tags: tuple[str, ...]) -> None:
    assert plain.tags_of({}, body) == tags


def test_tags_of_the_properties_come_first_and_once() -> None:
    assert plain.tags_of({"tags": "a, b c", "Tag": ["B", 7, "d"]}, "#a #e") == ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(
    "unit", ["[", "[[", "![[a|", "[a](", "`", "```a\n", "%%", "$$", "# ", "#a", "<!--", "**a ", "__a "]
)
def test_a_long_note_of_any_sign_is_read_and_carried_in_seconds(kit: Kit, home: Path, unit: str) -> None:
    text = unit * (200_000 // len(unit))
    (home / "in").mkdir()
    for place in (kit.root / "Notes.md", home / "in" / "a.md", home / "in" / "CLAUDE.md"):
        place.write_text(f"# One\n\n{text}", encoding="utf-8")
    began = time.process_time()
    plain.read(text.encode(), "Notes.md")
    kit.desk.note("Notes.md")
    kit.transfer.look(str(home / "in"), "markdown")
    kit.transfer.look(str(home / "in"), "claude")
    assert time.process_time() - began < 20


@pytest.mark.parametrize("created", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"])
def test_a_note_from_the_end_of_time_keeps_no_other_from_being_found(kit: Kit, created: str) -> None:
    fact = kit.root / "facts" / "odd.md"
    fact.write_text(f"---\nid: 99991231-235959-aaaa\nkind: fact\nupdated: {created}\n---\nGreen tea is odd.\n", "utf-8")
    kept = kit.remember("Green tea wants water at 80 degrees")
    assert kept
    kit.read_words()
    assert kept.path in [found.path for found in kit.search("tea date:2000..2100")]
    assert kit.explain("how do I make green tea?").recall.hits
