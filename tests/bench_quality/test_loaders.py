"""Each data set's own form, in small, and what becomes of it."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.bench.quality import form, load, locomo, madial, precision

if TYPE_CHECKING:
    from pathlib import Path

TALK = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ann", "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a kite."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red kite"},
        ],
        "session_2_date_time": "12:09 am on 1 June, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "It flew away."}],
    },
    "observation": {
        "session_1_observation": {"Ann": [["Ann bought a kite.", "D1:1"]]},
        "session_2_observation": {"Bo": [["Bo lost the kite.", ["D2:1", "D1:2"]]]},
    },
    "qa": [
        {"question": "Who bought a kite?", "evidence": ["D1:1; D2:01"], "category": 1},
        {"question": "When did it fly?", "evidence": ["D:2:1"], "category": 2},
        {"question": "Nobody knows?", "evidence": [], "category": 3},
        {"question": "Dangling?", "evidence": ["D9:9"], "category": 4},
        {"question": "Did Bo buy it?", "evidence": ["D1:1"], "category": 5},
    ],
}  # fmt: skip


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    file = tmp_path / "talks.json"
    file.write_text(json.dumps([TALK]), encoding="utf-8")
    return file


def test_locomo_turns_become_cards_with_speaker_session_and_time(talk: Path) -> None:
    (material,) = locomo.turns(talk)
    assert [memory.id for memory in material.memories] == ["D1:1", "D1:2", "D2:1"]
    second = material.memories[1]
    assert second.user == "Look! [image: a red kite]"
    assert (second.speaker, second.topic) == ("Bo", "talk-1-session-1")
    assert second.time == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert material.memories[2].time == datetime(2023, 6, 1, 0, 9, tzinfo=UTC)


def test_locomo_evidence_is_mended_or_its_question_dropped(talk: Path) -> None:
    (material,) = locomo.turns(talk)
    assert [(one.text, one.expected, one.category) for one in material.questions] == [
        ("Who bought a kite?", ("D1:1", "D2:1"), "multi-hop"),
        ("When did it fly?", ("D2:1",), "temporal"),
        ("Did Bo buy it?", ("D1:1",), form.ADVERSARIAL),
    ]


def test_locomo_sessions_become_cards_and_evidence_names_them(talk: Path) -> None:
    (material,) = locomo.sessions(talk)
    assert material.memories[0].user == "Ann: I bought a kite.\nBo: Look! [image: a red kite]"
    assert material.questions[0].expected == ("S1", "S2")


def test_locomo_observations_become_facts_that_cover_their_turns(talk: Path) -> None:
    (material,) = locomo.observations(talk)
    assert [(one.kind, one.user, one.covers) for one in material.memories] == [
        ("fact", "Ann bought a kite.", ("D1:1",)),
        ("fact", "Bo lost the kite.", ("D2:1", "D1:2")),
    ]


def test_madial_gives_each_user_a_vault_and_asks_what_was_said_before_the_reply(tmp_path: Path) -> None:
    told = {"time": "2023-12-25", "scene": "x", "emotion": "y"}
    for language in ("zh", "en"):
        memories = [
            {"1": {**told, "event": f"Bart danced ({language}).", "user-id": 1}},
            {"2": {**told, "event": "Lisa sang.", "user-id": 2}},
        ]
        (tmp_path / f"{language}-memory.json").write_text(json.dumps(memories), encoding="utf-8")
        lines = [
            "<BOD>\n",
            '<Bart>:"Hello!"\n',
            '<Assistant>: "Hi."\n',
            '<Bart>:"A party!"\n',
            '<Assistant>:"You danced."',
        ]
        talks = [{"dialogue": lines, "test-turn": [4], "relevant-id": [1, 2], "user-id": 1}]
        (tmp_path / f"{language}-dialogue.json").write_text(json.dumps(talks), encoding="utf-8")
    found = {material.name: material for material in madial.load(tmp_path)}
    assert sorted(found) == ["madial-en-1", "madial-en-2", "madial-zh-1", "madial-zh-2"]
    (question,) = found["madial-en-1"].questions
    assert (question.text, question.history, question.expected) == ("A party!", ("Hello!", "Hi."), ("1",))
    assert found["madial-zh-1"].memories[0].user == "Bart danced (zh)."
    assert not found["madial-zh-2"].questions


def belief(name: str, scope: str = "domain:code", **more: object) -> dict[str, object]:
    usual: dict[str, object] = {
        "_id": name, "user_id": "test-user", "type": "preference", "canonical_name": f"the_{name}", "aliases": [],
        "content": f"About {name}.", "scope": [scope], "pinned": False, "resolved_at": None, "superseded_by": None,
        "created_at": "2026-09-01T00:00:00Z",
    }  # fmt: skip
    return usual | more


def test_precisionmembench_keeps_scopes_ends_and_what_is_always_shown(tmp_path: Path) -> None:
    beliefs = [
        belief("plain", aliases=["p", "p"]), belief("old", superseded_by="plain"), belief("pinned", pinned=True),
        belief("everywhere", "user:universal"), belief("done", resolved_at="2026-09-02T00:00:00Z", pinned=True),
        belief("novel", "domain:writing", pinned=True), belief("hers", user_id="other"),
    ]  # fmt: skip
    expect = {"relevantBeliefs": {"shouldOnlyInclude": ["plain"]}}
    case = {"caseId": "one", "category": "c", "query": "p?", "scope": ["domain:code", "domain:hobby"], "expect": expect}
    cases = [
        case,
        {**case, "caseId": "both", "scope": ["domain:code", "domain:writing"]},
        {**case, "caseId": "universal", "scope": ["user:universal"]},
        {**case, "caseId": "no place", "budget": {"maxBeliefs": 1}},
        {**case, "caseId": "other tier", "expect": {"pinnedFacts": {}}},
        {**case, "caseId": "new", "userId": "new"},
    ]
    (tmp_path / "beliefs.seed.json").write_text(json.dumps(beliefs), encoding="utf-8")
    (tmp_path / "retrieval.cases.json").write_text(json.dumps(cases), encoding="utf-8")
    fresh, known = precision.load(tmp_path)
    assert not fresh.memories
    assert [one.id for one in known.questions] == ["one", "both", "universal"]
    assert [one.project for one in known.questions] == ["code", "", "universal"]
    assert known.questions[0].allowed == ("pinned", "everywhere")
    assert known.questions[1].allowed == ("pinned", "everywhere", "novel")
    by_id = {memory.id: memory for memory in known.memories}
    assert "hers" not in by_id
    assert by_id["plain"].aliases == ("p",)
    assert by_id["plain"].tags == ("the plain",)
    assert by_id["old"].superseded_by == "plain"
    assert by_id["done"].until == datetime(2026, 9, 2, tzinfo=UTC)
    assert (by_id["plain"].project, by_id["everywhere"].project) == ("code", "")


def test_what_is_written_is_read_back(tmp_path: Path, talk: Path) -> None:
    (material,) = locomo.observations(talk)
    assert form.read(form.write(tmp_path, material)) == material


def test_a_question_that_expects_nothing_says_so_in_the_file(tmp_path: Path) -> None:
    file = form.write(tmp_path, form.Material("m", (), (form.Question("q", ""),)))
    assert json.loads(file.read_text(encoding="utf-8")) == {"question": "q", "text": "", "expected": []}


@pytest.mark.parametrize("line", ['{"memory": "m", "time": "2026-01-01"}', '{"question": "q"}', "{}", "no"])
def test_a_line_that_says_too_little_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad\.jsonl, line 2"):
        form.read(file)


def test_the_command_writes_a_file_a_vault(
    tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["load", "locomo-session", str(talk), str(tmp_path / "out")])
    load.main()
    assert "locomo-session-talk-1.jsonl: 2 memories, 3 questions" in capsys.readouterr().out
