"""What users of other memories suffered from their hooks, each as a test that it can't happen here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kit.harness import registry
from tests.test_sessions import Client, cards, remember_key

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit

TOKEN = "sk-proj-" + "Abc123Def456Ghi789" * 3


def said(out: bytes) -> str:
    """Read what a reply of Claude's hook puts into the context."""
    return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""


def test_a_greeting_in_a_large_memory_brings_nothing(kit: Kit) -> None:
    """Flooding: `hi` in a fresh session carried 175k tokens of other sessions."""
    agent = Client(kit)
    for number in range(30):
        agent.prompt(f"explain how module number {number} of the billing service works", f"t{number}")
        agent.stop(f"Module {number} reads the ledger and writes invoice {number}. " * 20, f"t{number}")
    for greeting in ("hi", "Hi!", "hello there", "你好", "谢谢", "ok, continue"):
        assert Client(kit, session=f"new {greeting}").prompt(greeting, "g") == b""


def test_a_question_about_everything_brings_a_few_lines_at_most(kit: Kit) -> None:
    """Flooding: what is injected is bounded whatever is found."""
    agent = Client(kit)
    for number in range(40):
        agent.prompt(f"how does the billing service write invoice {number}?", f"t{number}")
        agent.stop(f"The billing service writes invoice {number} from the ledger. " * 40, f"t{number}")
    told = said(Client(kit, session="new").prompt("show me in full detail how the billing service writes its invoices"))
    assert len(told.encode()) <= kit.config.count("deliver.bytes")


def test_the_same_block_is_never_injected_twice_in_a_session(kit: Kit) -> None:
    """Flooding: one block was injected at every prompt, 88 copies in the end."""
    remember_key(kit)
    kit.read_words()
    agent = Client(kit)
    told = [agent.prompt("where is the spare key?", f"t{number}") for number in range(5)]
    assert [bool(out) for out in told] == [True, False, False, False, False]


def test_what_a_helper_of_the_agent_says_makes_no_card(kit: Kit) -> None:
    """Recursion: helpers set off the hooks of their parents, six deep."""
    agent = Client(kit)
    agent.prompt("search the repository for the ledger", "t1")
    assert agent.captured("answer", "SubagentStop") == b""
    assert [status for status, *_ in cards(kit)] == ["pending"]


@pytest.mark.parametrize("client", sorted(registry.ADAPTERS))
def test_no_reply_of_any_client_is_half_a_reply(kit: Kit, client: str) -> None:
    """Broken JSON: two objects on one line, keys a client refuses, a diagnostic on an empty stdin."""
    sessions = Client(kit).sessions
    for event in ("start", "prompt", "answer", "end"):
        for payload in (
            b"",
            b"{",
            b"[]",
            b"null",
            b'{"prompt": 5}',
            '{"prompt": "\ud800"}'.encode("utf-8", "surrogatepass"),
        ):
            out = sessions.handle(client, event, payload, {}).out
            assert out == b"" or json.loads(out) == {}, (client, event, payload)


def test_a_secret_reaches_neither_files_nor_journal(kit: Kit, vault: Path) -> None:
    """Secrets: a live credential from the transcript was stored."""
    agent = Client(kit)
    agent.prompt(f"deploy it with export OPENAI_API_KEY={TOKEN} set", "t1")
    agent.stop(f"Done; I used {TOKEN} as you said.", "t1")
    written = [file.read_text("utf-8") for file in vault.rglob("*") if file.is_file()]
    assert not any(TOKEN in text for text in written)
    assert any("redacted" in text for text in written)


def test_one_project_hears_nothing_of_another(kit: Kit, tmp_path: Path) -> None:
    """Wrong project: memories of one customer turned up in the work for another."""
    for name in ("acme", "globex"):
        (tmp_path / name / ".git").mkdir(parents=True)
    agent = Client(kit)
    agent.prompt("which port does the ledger database listen on?", "t1", cwd=str(tmp_path / "acme"))
    agent.stop("The ledger database listens on port 5544.", "t1", cwd=str(tmp_path / "acme"))
    asked = "which port does the ledger database listen on?"
    assert Client(kit, session="other").prompt(asked, "t2", cwd=str(tmp_path / "globex")) == b""
    assert "5544" in said(Client(kit, session="same").prompt(asked, "t3", cwd=str(tmp_path / "acme")))


def test_what_a_person_wrote_into_a_card_counts_as_if_it_had_been_said(kit: Kit, vault: Path) -> None:
    """Corrections: the old sentence, learned as a fact, was told in place of the card that had been put right."""
    agent = Client(kit)
    agent.prompt("I prefer concise code with clear names in code reviews, the quokka way.", "t1")
    agent.stop("Got it.", "t1")
    while kit.pool.learn_next():
        pass
    (card,) = (vault / entry.path for entry in kit.index.catalog.of_kind("card"))
    head = card.read_text("utf-8").rpartition("---\n")[0]
    card.write_text(f"{head}---\nConcise code and clear names, but wombats are never names.\n", encoding="utf-8")
    kit.read_words()
    out = Client(kit, session="s2").prompt("what did I say about wombats and names in code reviews?")
    assert "wombats are never names" in said(out)
    assert "quokka" not in said(out)
