"""What a session is told at its start: standing preferences and what the project is about; short, once, or nothing."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from kit import text
from kit.model.hits import FENCE_CLOSE, FENCE_OPEN
from kit.sessions import Sessions
from kit.standing import standing
from tests.small_vault import front

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit

NAMES: dict[str, dict[str, object]] = {
    "claude": {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"},
    "codex": {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"},
    "gemini": {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"},
    "qwen": {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"},
    "cursor": {"conversation_id": "s1", "hook_event_name": "sessionStart"},
    "generic": {"session": "s1", "source": "startup"},
    "copilot": {"sessionId": "s1", "source": "new"},
    "opencode": {"type": "session.created", "properties": {"sessionID": "s1"}},
    "pi": {"event": "session_start", "id": "s1", "reason": "startup"},
    "dsh": {"event": "agent/session-start", "id": "s1", "source": "startup"},
}
LISTENING = {"claude", "codex", "gemini", "qwen", "cursor", "generic"}


def start(sessions: Sessions, client: str = "claude", **more: object) -> str:
    payload = {"cwd": "/home/ada/harbor", "workspace_roots": ["/home/ada/harbor"], **NAMES[client], **more}
    reply = sessions.handle(client, "start", json.dumps(payload).encode(), {})
    reply.after()
    return reply.out.decode()


def keep(kit: Kit, says: str, **more: Any) -> str:  # noqa: ANN401 - what `remember` takes
    fact = kit.remember(says, **{"category": "preference", **more})
    assert fact is not None
    return fact.id


def summary(vault: Path, name: str, says: str, **keys: object) -> None:
    front_ = {"id": f"20261101-000000-{name[:4]:x<4}", "kind": "summary", "updated": "2026-11-01T00:00:00Z", **keys}
    (vault / "summaries").mkdir(exist_ok=True)
    (vault / "summaries" / f"{name}.md").write_bytes(front(front_, says))


def says(kit: Kit, project: str = "harbor", tokens: int = 300) -> list[str]:
    lines = standing(kit, project, tokens, ()).text.splitlines()
    return [line[2:].rpartition(" (")[0] for line in lines[1:-1]]


@pytest.mark.parametrize("client", NAMES)
def test_clients_that_can_listen_are_told_once_a_session(kit: Kit, client: str) -> None:
    keep(kit, "Reports go in tables")
    sessions = Sessions(kit)
    told = start(sessions, client)
    assert ("Reports go in tables" in told) == (client in LISTENING)
    assert (FENCE_OPEN in told) == (client in LISTENING)
    assert start(sessions, client) == ""
    assert start(Sessions(kit), client) == "", "not after a restart of the daemon either"


def test_the_reply_has_the_form_the_client_wants(kit: Kit) -> None:
    keep(kit, "Reports go in tables")
    reply = json.loads(start(Sessions(kit)))["hookSpecificOutput"]
    assert reply == {
        "hookEventName": "SessionStart",
        "additionalContext": f"{FENCE_OPEN}\n- Reports go in tables (2026-11-30, facts/Reports go in tables)\n"
        f"{FENCE_CLOSE}\n",
    }


def test_what_the_start_told_is_not_recalled_again_until_a_compaction(kit: Kit) -> None:
    keep(kit, "Reports go in tables", tags=["report-layout"])
    sessions = Sessions(kit)
    assert "tables" in start(sessions)
    said = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "mind the report-layout of this"}
    assert sessions.handle("claude", "prompt", json.dumps(said).encode(), {}).out == b""
    assert "tables" in start(sessions, source="compact")
    assert start(sessions, source="resume") == ""
    assert "tables" in start(sessions, source="clear")
    assert "tables" in start(sessions, session_id="s2")


def turn(kit: Kit, prompt: str, *tags: str) -> str:
    return kit.complete(kit.frame(prompt, tags=tags).id, "Noted.").path


def ask(sessions: Sessions, prompt: str) -> bytes:
    said = {"session_id": "s1", "prompt_id": prompt, "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    return sessions.handle("claude", "prompt", json.dumps(said).encode(), {}).out


def test_the_card_a_told_fact_was_learned_from_is_not_told_as_well(kit: Kit) -> None:
    card = turn(kit, "Reports go in tables", "report-layout", "quarter-figures")
    keep(kit, "Reports go in tables", tags=["report-layout", "quarter-figures"], source=card)
    assert kit.explain("mind the report-layout of the quarter-figures").recall.hits
    sessions = Sessions(kit)
    assert start(sessions).count("- Reports go in tables") == 1
    assert ask(sessions, "mind the report-layout of the quarter-figures") == b""


def test_nor_the_fact_where_its_card_was_told_but_what_a_person_corrects_is_heard(kit: Kit, vault: Path) -> None:
    card = turn(kit, "Reports go in tables", "report-layout", "quarter-figures")
    sessions = Sessions(kit)
    assert b"Reports go in tables" in ask(sessions, "mind the report-layout of the quarter-figures")
    keep(kit, "Reports go in tables", tags=["report-layout", "quarter-figures"], source=card)
    assert ask(sessions, "the report-layout of quarter-figures again, please") == b""
    [fact] = (vault / "facts").glob("*.md")
    fact.write_text(fact.read_text("utf-8").replace("\nReports go in tables", "\nReports go in prose now"), "utf-8")
    assert b"prose now" in ask(sessions, "what about the report-layout of quarter-figures today")


def test_where_nothing_is_known_nothing_is_printed(kit: Kit) -> None:
    assert start(Sessions(kit)) == ""
    keep(kit, "The cellar is damp", category="fact")
    assert start(Sessions(kit), session_id="s2") == ""
    assert [entry for entry in kit.log(20) if entry["what"] == "recall"] == []


def test_it_can_be_switched_off(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    from kit.app import Kit as Opened  # noqa: PLC0415 - opened again with another setting

    keep(kit, "Reports go in tables")
    monkeypatch.setenv("MEMKIT_HOOKS_START_TOKENS", "0")
    with Opened(kit.root) as quiet:
        assert start(Sessions(quiet)) == ""


def test_the_projects_own_come_first_and_another_projects_not_at_all(kit: Kit) -> None:
    keep(kit, "Dates are written year first", importance=5)
    keep(kit, "Harbor commits carry the ticket", project="harbor")
    keep(kit, "Lantern pages stay under a megabyte", project="lantern")
    assert says(kit) == ["Harbor commits carry the ticket", "Dates are written year first"]
    assert says(kit, "") == ["Dates are written year first"]


def test_scenes_of_the_project_count(kit: Kit) -> None:
    keep(kit, "Bread rests overnight", scenes=["cooking"])
    keep(kit, "Read the tests before the code", scenes=["code-review"])
    assert says(kit) == []
    card = kit.frame("look at this change", scene="work/code-review", project="harbor", tags=["review-order"])
    kit.complete(card.id, "I read the tests first and then the rest of the change.")
    assert says(kit) == ["Read the tests before the code"]


def test_what_does_not_hold_or_does_not_matter_is_left_out(kit: Kit) -> None:
    rejected = keep(kit, "Tabs are better than spaces")
    kit.feedback(rejected, "rejected")
    keep(kit, "Semicolons are optional here", importance=2)
    keep(kit, "Perhaps names are short", confidence=0.5)
    keep(kit, "Reports go in tables", key="report", value="tables")
    keep(kit, "Reports go in lists", key="report", value="lists")
    assert says(kit) == ["Reports go in lists"]
    late = kit.now() + timedelta(days=1)
    with kit.at(late):
        assert says(kit) == ["Reports go in lists"]


def test_the_summary_of_the_project_comes_last(kit: Kit, vault: Path) -> None:
    keep(kit, "Reports go in tables")
    summary(vault, "old", "Harbor keeps the boats.", entities=["Harbor"], updated="2026-10-01T00:00:00Z")
    summary(vault, "new", "Harbor moved to another database.", entities=["harbor"])
    summary(vault, "else", "Lantern is a weblog.", topic="lantern")
    assert says(kit) == ["Reports go in tables", "Harbor moved to another database."]
    summary(vault, "main", "Harbor is the booking service.", topic="Harbor", updated="2026-01-01T00:00:00Z")
    assert says(kit) == ["Reports go in tables", "Harbor is the booking service."]


@pytest.mark.parametrize("tokens", [300, 120, 60, 30, 1, 0])
def test_it_keeps_to_its_tokens(kit: Kit, tokens: int) -> None:
    for number in range(20):
        keep(kit, f"Rule {number} of the house says that room {number * 7} is painted in colour {number * 13}")
    found = standing(kit, "harbor", tokens, ())
    assert text.count_tokens(found.text) == found.tokens <= tokens
    assert bool(found.ids) == (tokens >= 60)
