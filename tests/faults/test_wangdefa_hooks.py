"""The faults of Wangdefa.Memory's hook, each as a test of what happens here instead: 9.2, numbers 22 to 26."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.test_sessions import Client, cards, remember_key

if TYPE_CHECKING:
    from kit.app import Kit

KIT = Path(__file__).resolve().parents[2] / "kit"


def test_a_recall_that_fails_lets_no_answer_fall_on_an_earlier_card(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault 9.2-22: after a failed recall the card before was overwritten with the new turn."""
    agent = Client(kit)
    agent.prompt("the first question of the day", "t1")
    agent.stop("the first answer", "t1")
    with monkeypatch.context() as broken:
        broken.setattr(kit, "recall", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            agent.prompt("the second question of the day", "t2")
    agent.stop("the second answer", "t2")
    assert [card[2] for card in cards(kit)] == ["the first answer", "the second answer"]


def test_an_answer_without_a_prompt_is_given_to_no_other_turn(kit: Kit) -> None:
    """Fault 9.2-22: a reply that had gone stale was saved with the next turn, and an empty card id was sent."""
    agent = Client(kit)
    agent.prompt("what is the plan for the garden?", "t1")
    agent.stop("First the hedge.", "t1")
    agent.stop("An answer to nothing that was asked.", "t9")
    agent.prompt("and then what about the pond?", "t2")
    agent.stop("The pond comes last.", "t2")
    first, second = (card[2] for card in cards(kit))
    assert first.startswith("First the hedge.")
    assert second == "The pond comes last."


def test_a_turn_broken_off_is_interrupted_and_one_that_failed_is_failed(kit: Kit) -> None:
    """Fault 9.2-22: aborted turns were saved as completed, and the other states never used."""
    codex = Client(kit, "codex")
    codex.prompt("count all the files in here", "t1")
    codex.tell("interrupt", "Interrupt", turn_id="t1")
    claude = Client(kit, "claude", "s2")
    claude.prompt("rename the whole module please", "t2")
    claude.tell("failure", "StopFailure", prompt_id="t2", error="overloaded")
    assert {status for status, *_ in cards(kit)} == {"interrupted", "failed"}


def test_all_messages_of_a_turn_are_kept(kit: Kit, tmp_path: Path) -> None:
    """Fault 9.2-22: only the last message of a turn was kept."""
    said = [
        {"type": "user", "promptId": "t1", "message": {"role": "user", "content": "look into the build and mend it"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "I look first."}]}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "It is mended."}]}},
    ]
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("".join(f"{json.dumps(row)}\n" for row in said), encoding="utf-8")
    agent = Client(kit)
    agent.prompt("look into the build and mend it", "t1", transcript_path=str(transcript))
    agent.stop("It is mended.", "t1", transcript_path=str(transcript))
    (card,) = cards(kit)
    assert card[2] == "I look first.\n\nIt is mended."


def test_what_is_injected_is_text_in_the_language_it_was_kept_in(kit: Kit) -> None:
    """Fault 9.2-23: JSON went into the context, six characters for one of Chinese, and the person's own words."""
    kit.remember("钥匙放在门垫下面", tags=["钥匙"], category="fact")
    agent = Client(kit)
    out = agent.prompt("备用钥匙放在哪里？")
    told = json.loads(out)["hookSpecificOutput"]["additionalContext"]
    assert "钥匙放在门垫下面" in told
    assert "\\u" not in out.decode()
    assert "{" not in told
    assert "备用钥匙放在哪里" not in told, "the prompt is in the context already"


def test_no_memory_and_no_error_ever_stand_in_the_context(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault 9.2-23: "no memory" and stack traces were injected as memories."""
    remember_key(kit)
    agent = Client(kit)
    assert agent.prompt("which gearbox suits a tandem bicycle?", "t1") == b""
    monkeypatch.setattr(kit, "recall", lambda *_, **__: 1 / 0)
    reply = agent.sessions.handle(
        "claude",
        "prompt",
        json.dumps({"session_id": "s1", "prompt_id": "t2", "prompt": "where is the key?"}).encode(),
        {},
    )
    assert reply.out == b""


def test_every_source_file_is_clean_utf8() -> None:
    """Fault 9.2-24: headers and comments were read in one encoding and written in another."""
    for file in KIT.rglob("*.py"):
        text = file.read_bytes().decode("utf-8")
        assert "\ufffd" not in text, file
        assert "锟" not in text, file
        ast.parse(text)


def test_sessions_are_kept_apart(kit: Kit) -> None:
    """Fault 9.2-25: without a session's id all sessions shared a topic, and turns were mixed."""
    one, other = Client(kit, session="s1"), Client(kit, session="s2")
    one.prompt("first: what grows in the shade?", "a1")
    other.prompt("second: what grows in the sun?", "b1")
    one.stop("Ferns grow in the shade.", "a1")
    other.stop("Thyme grows in the sun.", "b1")
    assert {(said, answer) for _, said, answer in cards(kit)} == {
        ("first: what grows in the shade?", "Ferns grow in the shade."),
        ("second: what grows in the sun?", "Thyme grows in the sun."),
    }
    assert {row.topic for row in kit.index.features.rows().values()} == {"s1", "s2"}


def test_nothing_in_the_kit_fetches_from_the_net_by_itself() -> None:
    """Fault 9.2-26: starting downloaded programs, unverified, with nothing else going on meanwhile."""
    fetching = {"urllib.request", "requests", "httpx", "aiohttp", "ftplib", "pip", "ensurepip"}
    for file in KIT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not fetching.intersection(names), f"{file.name} imports {names}"
