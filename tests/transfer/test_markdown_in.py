"""A folder of Markdown becomes cards that hold the notes whole, under their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.model.notes import Card
from tests.transfer import foreign

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit


def test_a_note_keeps_text_name_tags_time_and_properties(kit: Kit, tmp_path: Path) -> None:
    source = foreign.obsidian(tmp_path / "notes")
    done = kit.transfer.bring(str(source), seconds=60)
    assert (done.kind, done.written) == ("markdown", {"card": 3})
    card = kit.load("cards/2024-05/Green tea.md")
    assert isinstance(card, Card)
    assert card.tags == ("tea", "brewing/green", "kitchen")
    body = (source / "Brewing" / "Green tea.md").read_text(encoding="utf-8").split("---\n")[2].strip()
    assert body in card.body
    assert card.body.startswith("Water at 80 degrees, two minutes.\n")
    assert card.created
    assert card.created.date().isoformat() == "2024-05-06"
    extra = card.model_extra or {}
    assert (extra["author"], extra["note_status"], card.status) == ("Ada", "draft", "completed")


def test_a_daily_note_is_as_old_as_its_name_and_a_plain_one_begins_with_its_own_words(kit: Kit, tmp_path: Path) -> None:
    kit.transfer.bring(str(foreign.obsidian(tmp_path / "notes")), seconds=60)
    assert (kit.root / "cards" / "2025-03" / "2025-03-04.md").is_file()
    kettle = next(entry for entry in kit.index.catalog.of_kind("card") if entry.path.endswith("/Kettle.md"))
    assert kit.load(kettle.path).body == "The kettle boils a litre in four minutes.\n"


def test_what_is_left_out_is_told(kit: Kit, tmp_path: Path) -> None:
    done = kit.transfer.bring(str(foreign.obsidian(tmp_path / "notes")), seconds=60)
    assert [problem.path for problem in done.problems] == ["Broken.md"]
    assert {(aside.where, aside.why) for aside in done.asides} == {
        ("Empty.md", "it is empty"), ("Brewing/Green tea.md", "its attachments stay where they are: leaf.png"),
    }  # fmt: skip


def test_notes_are_recalled_by_their_tags(kit: Kit, tmp_path: Path) -> None:
    kit.transfer.bring(str(foreign.obsidian(tmp_path / "notes")), seconds=60)
    assert [hit.path for hit in kit.recall("which tea", tags=["tea"]).hits] == ["cards/2024-05/Green tea.md"]
