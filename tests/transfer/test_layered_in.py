"""The three files of dsh-layered-memory become notes of the three tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.model.notes import Card, Fact, Summary
from tests.transfer import foreign

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit


def test_each_tier_becomes_what_it_is_here(kit: Kit, tmp_path: Path) -> None:
    done = kit.transfer.bring(str(foreign.layered(tmp_path / "l")), seconds=60)
    assert (done.kind, done.written) == ("layered", {"card": 1, "event": 1, "fact": 2, "summary": 1})
    notes = [
        kit.load(path)
        for path, entry in kit.index.catalog.entries().items()
        if entry.kind in ("card", "fact", "summary")
    ]
    fact = next(note for note in notes if isinstance(note, Fact) and note.body.startswith("回答"))
    assert (fact.category, fact.importance, fact.tags, fact.hits) == ("style", 5, ("文风",), 3)
    assert fact.created
    assert fact.created.timestamp() == 1_785_556_800
    card = next(note for note in notes if isinstance(note, Card))
    assert (card.layer, card.topic, card.importance) == ("transient", "s-1", 2)
    summary = next(note for note in notes if isinstance(note, Summary))
    assert (summary.title, summary.turns, summary.topic) == ("Harbor export", 12, "s-1")
    assert summary.body.startswith("Moved the harbor export")


def test_a_record_without_text_is_told(kit: Kit, tmp_path: Path) -> None:
    done = kit.transfer.bring(str(foreign.layered(tmp_path / "l")), seconds=60)
    assert [str(problem) for problem in done.problems] == ["semantic.json[2]: This record has no text. It was skipped."]


def test_a_fact_that_is_known_by_its_words_is_not_doubled(kit: Kit, tmp_path: Path) -> None:
    kit.remember("Reports go in tables", category="preference")
    done = kit.transfer.bring(str(foreign.layered(tmp_path / "l")), seconds=60)
    assert (done.written["fact"], done.known) == (1, {"fact": 1})


def test_numbers_that_are_none_and_records_of_nothing_break_no_import(kit: Kit, tmp_path: Path) -> None:
    folder = tmp_path / "l"
    folder.mkdir()
    fact = '{"id": "s_1", "text": "Tabs, always", "importance": NaN, "hits": Infinity, "ts": 1e400}'
    session = '{"id": "s_2", "text": "We moved the export", "messageCount": -Infinity}'
    (folder / "semantic.json").write_text(f"[{fact}]", "utf-8")
    (folder / "episodic.json").write_text(f'[{session}, {{"id": "s_3", "points": ["", ""]}}]', "utf-8")
    (folder / "transient.json").write_text(f'[{{"text": "a", "ts": {"9" * 5000}}}]', "utf-8")
    done = kit.transfer.bring(str(folder), seconds=60)
    assert done.written == {"fact": 1, "summary": 1}
    assert [problem.path for problem in done.problems] == ["episodic.json[1]", "transient.json"]
