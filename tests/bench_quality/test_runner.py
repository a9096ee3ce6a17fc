"""The runner from end to end, on six memories."""

from __future__ import annotations

import itertools
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from kit.app import Kit
from kit.reconcile import Report
from tests.bench.quality import __main__ as command
from tests.bench.quality import asking, depth, everyday, form, runner, writing

if TYPE_CHECKING:
    from pathlib import Path

LINES = """\
{"memory": "kite", "user": "I bought a red kite for Nora's birthday.", "agent": "She will love it.", "time": "2026-05-01T10:00:00Z", "topic": "s1", "speaker": "Nora"}
{"memory": "storm", "user": "The storm broke the greenhouse roof last night.", "time": "2026-05-02T10:00:00Z", "topic": "s2"}
{"memory": "tea", "user": "我妈妈最喜欢喝茉莉花茶。", "time": "2026-05-03T10:00:00Z"}
{"memory": "old", "kind": "fact", "user": "The garden club meets in the library.", "time": "2026-05-04T10:00:00Z", "superseded_by": "new", "tags": ["garden-club"]}
{"memory": "new", "kind": "fact", "user": "The garden club meets in the town hall.", "time": "2026-05-05T10:00:00Z", "tags": ["garden-club"], "aliases": ["GC"], "project": "garden"}
{"memory": "gone", "kind": "fact", "user": "The ferry to the island runs daily.", "time": "2026-05-06T10:00:00Z", "tags": ["ferry"], "until": "2026-05-07T10:00:00Z"}
{"question": "q1", "text": "What did I buy for Nora's birthday?", "expected": ["kite"], "category": "one", "time": "2026-05-20T10:00:00Z"}
{"question": "q2", "text": "茉莉花茶是谁喜欢喝的？", "expected": ["tea"], "category": "one"}
{"question": "q3", "text": "When does the ferry to the island run?", "expected": [], "category": "none"}
{"question": "q4", "text": "Who was it?", "expected": ["storm"], "category": "adversarial", "history": ["The storm broke the greenhouse roof."]}
"""  # noqa: E501 - a line of the file is a line here


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "six.jsonl"
    made.write_text(LINES.replace(', "project": "garden"', ""), encoding="utf-8")
    return made


def test_six_memories_are_written_asked_and_summed_up(file: Path) -> None:
    measured = runner.measure_file(file, runner.Options())
    assert measured.remarks["notes"] == 5
    by_id = {one.id: one for one in measured.outcomes}
    assert by_id["q1"].scores["R@1"] == 1
    assert by_id["q2"].scores["R@1"] == 1
    assert by_id["q3"].scores["silent"] == 1
    assert by_id["q4"].scores["R@1"] == 1  # its earlier turns are asked with it
    assert "R@1" not in by_id["q3"].scores
    total, *categories = runner.rows(measured.outcomes)
    assert (total.name, total.questions) == ("all", 3)
    assert [row.name for row in categories] == ["adversarial", "none", "one"]
    assert total.scores["R@1"] == 1


def test_a_replaced_fact_is_in_the_note_of_the_new_one_and_an_alias_leads_to_it(kit: Kit, file: Path) -> None:
    with Kit(kit.root, freshen=Report) as opened:
        written = writing.write(opened, form.read(file).memories)
        (note_id,) = (each for each, held in written.notes.items() if "new" in held)
        assert not any("old" in held for held in written.notes.values())
        entry = opened.index.catalog.with_id(note_id)[0]
        assert "library" in opened.load(entry.path).body
        found = opened.recall("GC?", now=datetime(2026, 5, 20, tzinfo=UTC))
        assert [hit.id for hit in found.hits][:1] == [note_id]


def test_the_command_prints_its_tables_and_writes_every_figure(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    monkeypatch.setattr(
        sys, "argv", ["quality", str(file), "--json", str(out), "--limit-questions", "3", "--history", "none"]
    )
    command.main()
    assert "nDCG@10" in capsys.readouterr().out
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [one["id"] for one in found["files"][0]["outcomes"]] == ["q1", "q2", "q3"]


def test_a_question_without_its_earlier_turns_is_asked_alone(file: Path, kit: Kit) -> None:
    material = form.read(file)
    holds = writing.write(kit, material.memories).notes
    q4 = material.questions[3]
    joined, alone = (asking.rank(kit, material, q4, joined=joined) for joined in (True, False))
    assert "storm" in holds[joined[0]]
    assert not any("storm" in holds[each] for each in alone)


def test_everyday_prompts_are_320_half_english_half_chinese() -> None:
    found = everyday.prompts()
    assert len(found) == len({one.prompt for one in found}) == 320
    assert sum(one.language == "zh" for one in found) == 160


def test_an_everyday_prompt_leaves_a_vault_as_it_was_and_says_what_was_injected(file: Path, vault: Path) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    asked = [everyday.Prompt("thanks", "thanks", "en"), everyday.Prompt("the greenhouse roof?", "code", "en")]
    assert not any(one.ids for one in everyday.ask(vault, asked, runner.Options()))
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before
    quiet, loud = everyday.ask(file, asked, runner.Options())
    assert (quiet.useful, quiet.tokens) == (False, 0)
    assert loud.tokens > 0


def test_later_everyday_prompts_are_others_in_both_languages() -> None:
    more, first = everyday.prompts(everyday.MORE), {one.prompt for one in everyday.prompts()}
    assert len({one.prompt for one in more}) == len(more) >= 200
    assert sum(one.prompt in first for one in more) <= 20  # bare words of every day: "next"
    assert {one.language for one in more} == {"en", "zh"}


def test_a_deeper_answer_costs_no_fewer_tokens_and_tells_no_less(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = depth.gains(file, runner.Options())
    assert [row["depth"] for row in rows] == ["shallow", "medium", "deep"]
    for shallower, deeper in itertools.pairwise(rows):
        assert shallower["tokens a question"] <= deeper["tokens a question"]
        assert 0 < shallower["evidence told"] <= deeper["evidence told"] <= 1
    assert all(0.2 <= row["accuracy"] <= 1 for row in depth.routes())
    assert "route of prompts" in capsys.readouterr().out
