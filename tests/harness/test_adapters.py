"""Every captured payload is read as what it is, and whatever is not a person's words as nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.harness.event import ACTS, CHILD, SLASH, HookEvent, parse
from kit.harness.registry import ADAPTERS, adapter
from kit.model.hits import FENCE_OPEN

PAYLOADS = Path(__file__).parent / "payloads"

# Every fixture that leads to something: file → event on the command line → kind. All others are ignored.
EXPECTED: dict[str, tuple[str, str]] = {
    "claude/UserPromptSubmit.json": ("prompt", "prompt"),
    "claude/Stop.json": ("answer", "answer"),
    "claude/Stop-active.json": ("answer", "answer"),
    "claude/Stop-after-tools.json": ("answer", "answer"),
    "claude/SessionStart.json": ("start", "start"),
    "claude/SessionStart-startup.json": ("start", "start"),
    "claude/SessionStart-resume.json": ("start", "start"),
    "claude/SessionStart-fork.json": ("start", "start"),
    "claude/SessionStart-clear.json": ("start", "start"),
    "claude/SessionStart-compact.json": ("start", "compact"),
    "claude/SessionEnd.json": ("end", "end"),
    "claude/SessionEnd-clear.json": ("end", "end"),
    "claude/StopFailure.json": ("failure", "failure"),
    "claude/PostCompact.json": ("compact", "compact"),
    "codex/UserPromptSubmit.json": ("prompt", "prompt"),
    "codex/Stop.json": ("answer", "answer"),
    "codex/Stop-active.json": ("answer", "answer"),
    "codex/Stop-after-tools.json": ("answer", "answer"),
    "codex/SessionStart.json": ("start", "start"),
    "codex/SessionStart-startup.json": ("start", "start"),
    "codex/SessionStart-resume.json": ("start", "start"),
    "codex/SessionStart-compact.json": ("start", "compact"),
    "codex/SessionEnd.json": ("end", "end"),
    "codex/Interrupt.json": ("interrupt", "interrupt"),
    "codex/Interrupt-esc.json": ("interrupt", "interrupt"),
    "codex/PostCompact.json": ("compact", "compact"),
    "gemini/BeforeAgent.json": ("prompt", "prompt"),
    "gemini/AfterAgent.json": ("answer", "answer"),
    "gemini/AfterAgent-active.json": ("answer", "answer"),
    "gemini/AfterAgent-after-tools.json": ("answer", "answer"),
    "gemini/AfterAgent-esc.json": ("answer", "answer"),
    "gemini/SessionStart.json": ("start", "start"),
    "gemini/SessionStart-startup.json": ("start", "start"),
    "gemini/SessionStart-resume.json": ("start", "start"),
    "gemini/SessionStart-clear.json": ("start", "start"),
    "gemini/SessionEnd.json": ("end", "end"),
    "gemini/SessionEnd-clear.json": ("end", "end"),
    "qwen/UserPromptSubmit.json": ("prompt", "prompt"),
    "qwen/Stop.json": ("answer", "answer"),
    "qwen/Stop-active.json": ("answer", "answer"),
    "qwen/Stop-after-tools.json": ("answer", "answer"),
    "qwen/SessionStart.json": ("start", "start"),
    "qwen/SessionStart-startup.json": ("start", "start"),
    "qwen/SessionStart-resume.json": ("start", "start"),
    "qwen/PreCompact.json": ("compact", "compact"),
    "copilot/userPromptSubmitted.json": ("prompt", "prompt"),
    "copilot/pascal-UserPromptSubmit.json": ("prompt", "prompt"),
    "copilot/agentStop.json": ("answer", "answer"),
    "copilot/pascal-Stop.json": ("answer", "answer"),
    "copilot/sessionStart.json": ("start", "start"),
    "copilot/pascal-SessionStart.json": ("start", "start"),
    "copilot/sessionEnd.json": ("end", "end"),
    "copilot/pascal-SessionEnd.json": ("end", "end"),
    "copilot/errorOccurred.json": ("failure", "failure"),
    "opencode/chat.message.json": ("prompt", "prompt"),
    "opencode/plugin-answer.json": ("answer", "answer"),
    "opencode/plugin-error.json": ("failure", "failure"),
    "pi/extension-answer.json": ("answer", "answer"),
    "pi/extension-aborted.json": ("answer", "interrupt"),
    "pi/extension-error.json": ("answer", "failure"),
    "openclaw/plugin-answer.json": ("answer", "answer"),
    "dsh/plugin-answer.json": ("answer", "answer"),
    "dsh/plugin-error.json": ("answer", "failure"),
    "cursor/beforeSubmitPrompt.json": ("prompt", "prompt"),
    "cursor/afterAgentResponse.json": ("answer", "answer"),
    "cursor/stop-aborted.json": ("interrupt", "interrupt"),
    "cursor/stop-error.json": ("interrupt", "failure"),
}
FIXTURES = sorted(path.relative_to(PAYLOADS).as_posix() for path in PAYLOADS.rglob("*.json"))


def client_of(fixture: str) -> str:
    return fixture.partition("/")[0].replace("dsh-hooks-claude-code", "dsh")


def load(fixture: str) -> dict[str, object]:
    return parse((PAYLOADS / fixture).read_bytes())


def read(fixture: str, event: str, **env: str) -> HookEvent:
    return adapter(client_of(fixture)).read(event, load(fixture), env)


@pytest.mark.parametrize("fixture", FIXTURES)
def test_each_payload_is_read_as_what_it_is_and_as_nothing_else(fixture: str) -> None:
    event, kind = EXPECTED.get(fixture, ("", ""))
    for act in ACTS:
        seen = read(fixture, act)
        if act == event:
            assert (seen.kind, seen.why) == (kind, ""), seen
            assert seen.session
        elif client_of(fixture) != "copilot" or act in {"prompt", "answer"}:  # camelCase payloads have no name
            assert seen.kind == "ignore", (act, seen)
            assert seen.why


S = {"session": "s", "cwd": "/home/ada/project"}
CURSOR = {"conversation_id": "s", "generation_id": "g", "workspace_roots": ["/home/ada/project"]}
PLUGIN = {"id": "s", "cwd": "/home/ada/project"}


NOT_CAPTURED: list[tuple[str, str, dict[str, object], str, dict[str, object]]] = [
    ("generic", "prompt", {**S, "turn": 7, "prompt": "hi"}, "prompt", {"turn": "7", "text": "hi"}),
    ("generic", "prompt", {**S, "prompt": "/greet Bob"}, "ignore", {"why": SLASH}),
    ("generic", "answer", {**S, "answer": "a", "prompt": "hi"}, "answer", {"answer": "a", "text": "hi"}),
    ("generic", "start", {**S, "source": "clear"}, "start", {"source": "clear"}),
    ("generic", "end", {**S}, "end", {}),
    ("generic", "interrupt", {**S, "turn": "t"}, "interrupt", {"turn": "t"}),
    ("generic", "failure", {**S, "error": "api"}, "failure", {"error": "api"}),
    ("generic", "compact", {**S, "transcript": "/t"}, "compact", {"transcript": "/t"}),
    ("cursor", "start", {**CURSOR, "hook_event_name": "sessionStart"}, "start", {"cwd": "/home/ada/project"}),
    ("cursor", "end", {**CURSOR, "hook_event_name": "sessionEnd", "reason": "closed"}, "end", {"source": "closed"}),
    ("cursor", "compact", {**CURSOR, "hook_event_name": "preCompact"}, "compact", {}),
    ("cursor", "prompt", {**CURSOR, "prompt": "hi", "agent_id": "a"}, "ignore", {"why": CHILD}),
    ("opencode", "start", {"type": "session.created", "properties": {"sessionID": "s"}}, "start", {}),
    ("opencode", "compact", {"type": "session.compacted", "properties": {"sessionID": "s"}}, "compact", {}),
    (
        "opencode",
        "failure",
        {"type": "session.error", "properties": {"sessionID": "s", "error": {"data": {"message": "no model"}}}},
        "failure",
        {"error": "no model"},
    ),
    ("pi", "compact", {**PLUGIN, "event": "session_compact"}, "compact", {"cwd": "/home/ada/project"}),
    ("pi", "end", {**PLUGIN, "event": "session_shutdown", "reason": "quit"}, "end", {"source": "quit"}),
    (
        "openclaw",
        "answer",
        {"sessionKey": "s", "runId": "r", "success": False, "error": "api"},
        "failure",
        {"turn": "r", "error": "api"},
    ),
    (
        "dsh",
        "prompt",
        {**PLUGIN, "turn": 1, "messages": [{"source": {"kind": "user"}, "text": "hi"}]},
        "prompt",
        {"turn": "1", "text": "hi"},
    ),
    ("dsh", "answer", {**PLUGIN, "turn": 1, "reason": {"kind": "aborted"}}, "interrupt", {"turn": "1"}),
    ("dsh", "end", {**PLUGIN, "event": "agent/disposed"}, "end", {}),
    (
        "qwen",
        "failure",
        {"session_id": "s", "prompt_id": "p", "error": "api"},
        "failure",
        {"turn": "p", "error": "api"},
    ),
    (
        "qwen",
        "end",
        {"session_id": "s", "hook_event_name": "SessionEnd", "reason": "clear"},
        "end",
        {"source": "clear"},
    ),
    (
        "codex",
        "failure",
        {"session_id": "s", "turn_id": "t", "hook_event_name": "StopFailure"},
        "failure",
        {"turn": "t"},
    ),
]
"""Client, event, a payload as its documents or our plugin send it, the kind, and what else is read in it."""


@pytest.mark.parametrize(("client", "event", "payload", "kind", "told"), NOT_CAPTURED)
def test_a_payload_that_was_not_captured_is_read_as_its_documents_say(
    client: str, event: str, payload: dict[str, object], kind: str, told: dict[str, object]
) -> None:
    seen = adapter(client).read(event, payload, {})
    assert (seen.kind, seen.session) == (kind, "s")
    assert {name: getattr(seen, name) for name in told} == told


def test_every_event_of_every_client_has_a_payload_in_these_tests() -> None:
    tested = {(client_of(fixture), event) for fixture, (event, _) in EXPECTED.items()}
    tested |= {(client, event) for client, event, *_ in NOT_CAPTURED}
    streamed = {("pi", "start"), ("pi", "prompt"), ("openclaw", "prompt"), ("dsh", "start")}
    assert {(client, event) for client, found in ADAPTERS.items() for event in found.EVENTS} == tested | streamed


def test_the_table_names_only_fixtures_that_exist() -> None:
    assert set(EXPECTED) <= set(FIXTURES)


@pytest.mark.parametrize(
    ("fixture", "text"),
    [
        ("claude/UserPromptSubmit.json", "where is the key 钥匙 😀\nthe spare one"),
        ("codex/UserPromptSubmit.json", "where is the key 钥匙 😀\nthe spare one"),
        ("gemini/BeforeAgent.json", "where is the key 钥匙 😀\nthe spare one"),
        ("qwen/UserPromptSubmit.json", "where is the key 钥匙 😀\nthe spare one"),
        ("copilot/userPromptSubmitted.json", "where is the key 钥匙 😀"),
        ("opencode/chat.message.json", "where is the key 钥匙 😀"),
        ("cursor/beforeSubmitPrompt.json", "where is the key 钥匙"),
    ],
)
def test_a_prompt_is_the_persons_words_and_nothing_around_them(fixture: str, text: str) -> None:
    assert read(fixture, "prompt").text == text


@pytest.mark.parametrize(
    ("fixture", "answer"),
    [
        ("claude/Stop.json", "under the mat 答案 ✅"),
        ("codex/Stop-after-tools.json", "it holds one file"),
        ("gemini/AfterAgent-after-tools.json", "I will look first. \nit holds one file"),
        ("qwen/Stop.json", "under the mat 答案 ✅"),
        ("copilot/agentStop.json", ""),
        ("opencode/plugin-answer.json", "let me look\n\nunder the mat ✅"),
        ("pi/extension-answer.json", "looking\n\nFINAL 答案 ✅"),
        ("openclaw/plugin-answer.json", "under the mat 答案"),
        ("dsh/plugin-answer.json", "looking\n\nunder the mat 答案"),
        ("cursor/afterAgentResponse.json", "under the mat ✅"),
    ],
)
def test_an_answer_is_taken_from_where_the_client_puts_it(fixture: str, answer: str) -> None:
    assert read(fixture, "answer").answer == answer


def test_the_rest_of_an_event_is_filled_in() -> None:
    stop = read("claude/Stop-active.json", "answer")
    assert stop.stop_active
    assert stop.turn.endswith("0002")
    assert stop.cwd == "/home/ada/project"
    assert stop.transcript.endswith(".jsonl")
    assert read("claude/StopFailure.json", "failure").error == "unknown: API Error: 400 scripted error"
    assert read("copilot/errorOccurred.json", "failure").error.startswith('{"type":"api_error"')
    assert read("pi/extension-error.json", "answer").error == "400 scripted error"
    assert read("opencode/plugin-error.json", "failure").error == "no such model"
    assert read("opencode/plugin-answer.json", "answer").turn == read("opencode/chat.message.json", "prompt").turn
    assert read("gemini/AfterAgent.json", "answer").text == read("gemini/BeforeAgent.json", "prompt").text


def test_only_a_compaction_or_a_clear_makes_the_client_forget_what_was_injected() -> None:
    forgetting = [
        fixture
        for fixture, (event, _) in EXPECTED.items()
        if fixture.startswith("claude/") and read(fixture, event).forgets()
    ]
    assert sorted(forgetting) == [
        "claude/PostCompact.json",
        "claude/SessionStart-clear.json",
        "claude/SessionStart-compact.json",
    ]


@pytest.mark.parametrize(
    ("client", "payload", "why"),
    [
        ("claude", {"session_id": "s", "prompt": "/greet Bob"}, SLASH),
        ("claude", {"session_id": "s", "prompt": "/plugin:run"}, SLASH),
        ("claude", {"session_id": "s", "prompt": "<task-notification>\n<task-id>a"}, "by the client"),
        ("claude", {"session_id": "s", "prompt": f"  {FENCE_OPEN}\n- a"}, "came back"),
        ("claude", {"session_id": "s", "prompt": " \n"}, "empty"),
        ("claude", {"session_id": "s", "prompt": "x" * 8_000_001}, "too large"),
        ("codex", {"session_id": "s", "prompt": "look around", "agent_id": "a"}, "sub-agent"),
        ("qwen", {"session_id": "s", "prompt": "please go on, a Stop hook says"}, "empty"),
        ("gemini", {"session_id": "s", "prompt": "<hook_context>only that</hook_context>"}, "empty"),
        ("dsh", {"id": "s", "step": 2, "messages": []}, "later step"),
        ("dsh", {"id": "s", "step": 1, "messages": [{"source": {"kind": "plugin"}, "text": "x"}]}, "empty"),
        ("dsh", {"id": "s", "step": 1, "parentSession": "p", "messages": []}, "sub-agent"),
        ("openclaw", {"sessionKey": "s", "trigger": "cron", "prompt": "x"}, "not started by a person"),
        ("pi", {"id": "s", "messageType": "custom", "prompt": "x"}, "extension"),
        ("opencode", {"input": {"sessionID": "s"}, "parentID": "p", "message": {"role": "user"}}, "sub-agent"),
    ],
)
def test_what_is_not_a_persons_prompt_is_ignored_with_a_reason(
    client: str, payload: dict[str, object], why: str
) -> None:
    seen = adapter(client).read("prompt", payload, {})
    assert seen.kind == "ignore"
    assert why in seen.why
    assert seen.text == ""


@pytest.mark.parametrize(
    ("client", "said", "text"),
    [
        ("gemini", "explain @a.py\n--- Content from referenced files ---\nContent from @a.py:\nx = 1", "explain @a.py"),
        ("gemini", "<hook_context>a</hook_context>\n\n<hook_context>b</hook_context>\nhi", "hi"),
        ("claude", "what does <hook_context>a</hook_context> mean", "what does <hook_context>a</hook_context> mean"),
        ("claude", "/etc/hosts looks odd", "/etc/hosts looks odd"),
        ("claude", '"quoted" on purpose', '"quoted" on purpose'),
        ("claude", "a broken \ud83d emoji", "a broken \ufffd emoji"),
    ],
)
def test_only_what_a_client_adds_is_taken_off(client: str, said: str, text: str) -> None:
    assert adapter(client).read("prompt", {"session_id": "s", "prompt": said}, {}).text == text


def test_qwen_is_heard_only_through_the_words_as_submitted() -> None:
    payload: dict[str, object] = {"session_id": "s", "prompt": "see @a\n<whole file>", "submitted_prompt": "see @a"}
    assert adapter("qwen").read("prompt", payload, {}).text == "see @a"


def test_opencode_prompts_lose_the_quotes_of_the_command_line_and_parts_of_plugins() -> None:
    parts = [
        {"type": "text", "text": '"say \\"hi\\" to Bob"'},
        {"type": "text", "text": "RECALLED", "synthetic": True},
    ]
    payload: dict[str, object] = {"input": {"sessionID": "s"}, "message": {"role": "user"}, "parts": parts}
    assert adapter("opencode").read("prompt", payload, {}).text == 'say "hi" to Bob'


@pytest.mark.parametrize("client", ADAPTERS)
@pytest.mark.parametrize("env", [{"MEMKIT_OFF": "1"}, {"MEMKIT_HOOK_DEPTH": "1"}, {"MEMKIT_HOOK_DEPTH": "odd"}])
def test_every_adapter_bows_out_when_it_is_told_to(client: str, env: dict[str, str]) -> None:
    for fixture, (event, _) in EXPECTED.items():
        if client_of(fixture) == client:
            assert read(fixture, event, **env).kind == "ignore"


@pytest.mark.parametrize("off", ["", "0", "false", "No", " off "])
def test_switches_that_are_off_change_nothing(off: str) -> None:
    seen = read("claude/Stop.json", "answer", MEMKIT_OFF=off, MEMKIT_HOOK_DEPTH="0", COPILOT_CLI="")
    assert seen.kind == "answer"


@pytest.mark.parametrize("variable", ["COPILOT_CLI", "CURSOR_VERSION"])
def test_claudes_hooks_bow_out_when_another_client_runs_them(variable: str) -> None:
    assert read("claude/UserPromptSubmit.json", "prompt", **{variable: "1"}).kind == "ignore"
    assert read("cursor/beforeSubmitPrompt.json", "prompt", **{variable: "1"}).kind == "prompt"


@pytest.mark.parametrize("name", ["UserPromptSubmit", "Stop", "SessionStart", "SubagentStop"])
def test_claudes_adapter_turns_the_bridge_of_deepseek_harness_away(name: str) -> None:
    payload = load(f"dsh-hooks-claude-code/{name}.json")
    assert all(adapter("claude").read(act, payload, {}).kind == "ignore" for act in ACTS)


@pytest.mark.parametrize(
    ("stream", "kinds"),
    [
        ("opencode/plugin-events.jsonl", ["start", "prompt"]),
        ("pi/extension-events.jsonl", ["start", "prompt", "end"]),
        ("openclaw/plugin-events.jsonl", ["prompt", "answer"]),
        ("dsh/native-events.jsonl", ["start", "prompt"]),
    ],
)
def test_of_a_plugin_clients_stream_only_the_events_that_matter_are_taken(stream: str, kinds: list[str]) -> None:
    client = client_of(stream)
    found: list[str] = []
    for line in (PAYLOADS / stream).read_text(encoding="utf-8").splitlines():
        row = {"id": "the-session", "sessionKey": "the-session", **json.loads(line)}  # as our plugins send it
        found += [seen.kind for act in ACTS if (seen := adapter(client).read(act, row, {})).kind != "ignore"]
    assert found == kinds
