"""Every reply is byte for byte what its client accepts, and nothing is said where nothing may be said."""

from __future__ import annotations

import json

import pytest

from kit.harness.event import ACTS, Limit, fit
from kit.harness.registry import ADAPTERS, adapter
from kit.model.hits import FENCE_CLOSE, FENCE_OPEN

NOTES = f'{FENCE_OPEN}\n- the key 钥匙 is "under" the <mat> 🧠\n{FENCE_CLOSE}\n'
CONTEXT = json.dumps(NOTES, ensure_ascii=False)
CLAUDE_LIKE = '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":%s}}'


@pytest.mark.parametrize(
    ("client", "event", "stdout"),
    [
        *((client, "prompt", CLAUDE_LIKE % ("UserPromptSubmit", CONTEXT)) for client in ("claude", "codex", "qwen")),
        *((client, "start", CLAUDE_LIKE % ("SessionStart", CONTEXT)) for client in ("claude", "codex", "qwen")),
        ("gemini", "prompt", CLAUDE_LIKE % ("BeforeAgent", CONTEXT)),
        ("gemini", "start", CLAUDE_LIKE % ("SessionStart", CONTEXT)),
        ("copilot", "prompt", f'{{"additionalContext":{CONTEXT}}}'),
        ("copilot", "start", ""),
        ("cursor", "prompt", f'{{"continue":true,"additional_context":{CONTEXT}}}'),
        ("cursor", "start", f'{{"additional_context":{CONTEXT}}}'),
        *((client, "prompt", NOTES) for client in ("opencode", "pi", "openclaw", "dsh", "generic")),
        *((client, "start", "") for client in ("opencode", "pi", "openclaw", "dsh")),
        ("generic", "start", NOTES),
    ],
)
def test_a_reply_is_byte_for_byte_what_the_client_accepts(client: str, event: str, stdout: str) -> None:
    assert adapter(client).render(event, NOTES) == stdout.encode()


@pytest.mark.parametrize("client", ADAPTERS)
def test_nothing_is_ever_printed_without_context_or_at_events_that_carry_none(client: str) -> None:
    found = adapter(client)
    for event in (*ACTS, "Stop", "nonsense"):
        assert found.render(event, "") == b""
        assert found.render(event, " \n") == b""
        if event not in {"prompt", "start"}:
            assert found.render(event, NOTES) == b""


def test_codex_gets_no_key_it_does_not_know() -> None:
    for event in ACTS:
        out = adapter("codex").render(event, NOTES)
        if out:
            reply = json.loads(out)
            assert set(reply) == {"hookSpecificOutput"}
            assert set(reply["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}


@pytest.mark.parametrize("client", ADAPTERS)
@pytest.mark.parametrize("context", ["[memory] a\nb", "{a}\nb", "  [1]\nb", "a \ud800 b"])
def test_a_reply_is_always_utf8_and_plain_text_never_looks_like_json(client: str, context: str) -> None:
    out = adapter(client).render("prompt", context).decode("utf-8")
    assert out
    if out.lstrip().startswith(("[", "{")):
        json.loads(out)


@pytest.mark.parametrize("client", ADAPTERS)
def test_a_long_context_is_cut_to_what_the_client_takes_whole(client: str) -> None:
    limit = adapter(client).LIMIT
    lines = [FENCE_OPEN, *(f"- {n} 记忆 🧠 note" for n in range(60_000)), FENCE_CLOSE]
    out = adapter(client).render("prompt", "\n".join(lines)).decode()
    text = out if not out.startswith("{") else "\n".join(_texts(json.loads(out)))
    assert limit.of(text) <= limit.size
    assert text.splitlines()[0] == FENCE_OPEN
    assert text.splitlines()[-1] == FENCE_CLOSE
    assert set(text.splitlines()) <= set(lines)


def _texts(reply: object) -> list[str]:
    if isinstance(reply, dict):
        return [text for value in reply.values() for text in _texts(value)]
    return [reply] if isinstance(reply, str) and "\n" in reply else []


def test_limits_are_measured_in_the_clients_own_unit() -> None:
    assert fit("🧠" * 5_000, Limit(10_000, "utf16")) == "🧠" * 5_000
    assert fit("🧠" * 5_001, Limit(10_000, "utf16")) == ""
    assert fit("记" * 3_333, Limit(10_000)) == "记" * 3_333
    assert fit("first\nsecond\nlast", Limit(10)) == "first\nlast"
