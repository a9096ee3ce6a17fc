"""GitHub Copilot CLI.

stdin, camelCase: `sessionId timestamp cwd` and userPromptSubmitted `prompt`; agentStop `transcriptPath
stopReason stop_hook_active`; sessionStart `source`; sessionEnd `reason`; errorOccurred `error{message}
recoverable`. Hooks registered under PascalCase names get snake_case keys and `hook_event_name`. There is no
key of a turn (answers come in the order of the prompts) and no answer: it is in `events.jsonl`, and may lag
a few milliseconds. sessionStart may come after the first prompt. stdout: `additionalContext` at the top
level, on the prompt only; 100 KB arrive whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import (
    HookEvent,
    Limit,
    answered,
    begin,
    fit,
    heard,
    ignored,
    inner,
    jsonic,
    mend,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    "prompt": "userPromptSubmitted",
    "answer": "agentStop",
    "start": "sessionStart",
    "end": "sessionEnd",
    "failure": "errorOccurred",
}
LIMIT = Limit(100_000)
_PASCAL = {"UserPromptSubmit": "userPromptSubmitted", "Stop": "agentStop"}


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read one hook payload."""
    said = word(payload, "hook_event_name")
    said = _PASCAL.get(said, said[:1].lower() + said[1:])
    session = payload.get("sessionId", payload.get("session_id"))
    seen = begin("copilot", event, env, EVENTS, said=said or None, session=session)._replace(
        cwd=word(payload, "cwd"),
        transcript=word(payload, "transcriptPath") or word(payload, "transcript_path"),
        stop_active=payload.get("stop_hook_active") is True,
    )
    match seen.kind:
        case "prompt":
            return heard(seen, word(payload, "prompt"))
        case "answer":
            return answered(seen, None) if seen.transcript else ignored(seen, "the payload is no agentStop")
        case "failure":
            return seen._replace(error=word(inner(payload, "error"), "message") or "unknown")
        case "start" | "end":
            return seen._replace(source=word(payload, "source") or word(payload, "reason"))
    return seen


def render(event: str, context: str) -> bytes:
    """Render the reply to one event."""
    text = fit(mend(context), LIMIT)
    return jsonic({"additionalContext": text}) if event == "prompt" and text.strip() else b""
