"""Transcripts tell what hooks don't: whole answers and interrupted turns; anything unknown in them is noise."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kit.harness.transcripts import TranscriptTurn, turns

PAYLOADS = Path(__file__).parent / "payloads"
Told = tuple[str, str, str, bool, bool]


def lines(path: str) -> list[str]:
    return (PAYLOADS / path).read_text(encoding="utf-8").splitlines()


def told(turn: TranscriptTurn) -> Told:
    return turn.turn[-2:], turn.text, turn.answer[:20], turn.interrupted, turn.ended


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "claude/transcript.jsonl",
            [("04", "where is the key 钥匙 😀\nthe spare one", "under the mat 答案 ✅", False, True)],
        ),
        ("claude/transcript-tools.jsonl", [("02", "what is in this folder", "I will look first.\n\n", False, True)]),
        (
            "claude/transcript-interrupt-and-queue.jsonl",
            [
                ("02", "good morning", "good day", False, True),
                ("03", "write a long poem", "rose rose rose rose ", True, False),
                ("04", "after esc", "good day", False, True),
                ("05", "write a second poem", "rose rose rose rose ", False, True),
                ("06", "and a title", "good day", False, True),
            ],
        ),
        (
            "codex/transcript.jsonl",
            [("03", "where is the key 钥匙 😀\nthe spare one", "under the mat 答案 ✅", False, True)],
        ),
        ("codex/transcript-tools.jsonl", [("03", "what is in this folder", "I will look first.\n\n", False, True)]),
        (
            "codex/transcript-interrupt-and-steer.jsonl",
            [
                ("02", "good morning", "good day", False, True),
                ("03", "write a long poem", "", True, False),
                ("04", "after esc", "good day", False, True),
                ("05", "write a second poem\n\nand a title", "good day", False, True),
            ],
        ),
        (
            "gemini/transcript.jsonl",
            [("", "where is the key 钥匙 😀\nthe spare one", "under the mat 答案 ✅", False, True)],
        ),
        ("gemini/transcript-tools.jsonl", [("", "what is in this folder", "I will look first.\n\n", False, True)]),
        (
            "qwen/transcript.jsonl",
            [("#0", "where is the key 钥匙 😀\nthe spare one", "under the mat 答案 ✅", False, True)],
        ),
        ("qwen/transcript-tools.jsonl", [("#0", "what is in this folder", "I will look first.\n\n", False, True)]),
        ("copilot/transcript.jsonl", [("", "when is tea", "at four", False, True)]),
        ("pi/transcript.jsonl", [("", "where is the key 钥匙 😀\nline", "looking\n\nFINAL 答案 ✅", False, True)]),
    ],
)
def test_a_captured_transcript_is_read_turn_by_turn(path: str, expected: list[Told]) -> None:
    assert [told(turn) for turn in turns(path.partition("/")[0], lines(path))] == expected


def test_the_messages_of_one_turn_are_joined_into_the_whole_answer() -> None:
    (turn,) = turns("claude", lines("claude/transcript-tools.jsonl"))
    assert turn.answer == "I will look first.\n\nit holds one file"
    assert turn.time == datetime(2026, 11, 30, 8, 5, 16, 792000, UTC)


def test_a_turn_that_still_runs_has_not_ended() -> None:
    rows = lines("claude/transcript-tools.jsonl")
    first = next(place for place, row in enumerate(rows) if '"tool_use"' in row)
    (turn,) = turns("claude", rows[: first + 1])
    assert (turn.answer, turn.ended) == ("I will look first.", False)


def test_a_task_notification_is_a_turn_without_a_persons_words() -> None:
    rows = [{"type": "user", "promptId": "n", "message": {"content": "<task-notification>\n<task-id>a"}}]
    assert turns("claude", map(json.dumps, rows)) == [TranscriptTurn("n", "", "")]


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "qwen", "copilot", "pi"])
def test_broken_and_unknown_rows_are_noise(client: str) -> None:
    path = f"{client}/transcript.jsonl"
    good = lines(path)
    noise = ["", "{", "[1]", "null", '{"type":"new-kind","message":5}', '{"payload":[]}', "[" * 100_000, good[-1][:40]]
    mixed = [part for line in good for part in (*noise, line)]
    assert turns(client, mixed) == turns(client, good)


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "qwen", "copilot", "pi"])
@pytest.mark.parametrize("odd", [None, 7, "x", [], [7], {}, {"content": 7, "parts": 7, "role": []}])
def test_values_of_a_wrong_kind_are_survived(client: str, odd: object) -> None:
    for line in lines(f"{client}/transcript.jsonl"):
        row = json.loads(line)
        turns(client, [json.dumps(row | {key: odd}) for key in row])


def test_a_client_without_a_transcript_has_no_turns() -> None:
    assert turns("opencode", ["{}"]) == []
