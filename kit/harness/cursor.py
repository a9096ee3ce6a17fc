"""Cursor (from its documents; not run).

stdin: `conversation_id generation_id hook_event_name cursor_version workspace_roots transcript_path`;
beforeSubmitPrompt `prompt`; afterAgentResponse `text`; stop `status` completed|aborted|error. The turn is
`generation_id`. afterAgentResponse brings the answer, stop only tells how the turn ended. stdout: JSON
only; `additional_context` on beforeSubmitPrompt (beside `continue`) and on sessionStart. 10 000 characters
go in whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import (
    CHILD,
    HookEvent,
    Limit,
    answered,
    begin,
    fit,
    heard,
    ignored,
    jsonic,
    key_of,
    mend,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    "prompt": "beforeSubmitPrompt",
    "answer": "afterAgentResponse",
    "start": "sessionStart",
    "end": "sessionEnd",
    "interrupt": "stop",
    "compact": "preCompact",
}
LIMIT = Limit(10_000, "utf16")


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read one hook payload."""
    said, session = payload.get("hook_event_name"), payload.get("conversation_id")
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else ""
    seen = begin("cursor", event, env, EVENTS, said=said, session=session)._replace(
        turn=key_of(payload.get("generation_id")),
        cwd=mend(root) if isinstance(root, str) else "",
        transcript=word(payload, "transcript_path"),
    )
    if seen.kind != "ignore" and payload.get("agent_id"):
        return ignored(seen, CHILD)
    match seen.kind:
        case "prompt":
            return heard(seen, word(payload, "prompt"))
        case "answer":
            return answered(seen, payload.get("text"))
        case "interrupt":
            return _stopped(seen, payload)
    return seen if seen.kind == "ignore" else seen._replace(source=word(payload, "source") or word(payload, "reason"))


def _stopped(seen: HookEvent, payload: Mapping[str, object]) -> HookEvent:
    if payload.get("status") == "error":
        return seen._replace(kind="failure", error=word(payload, "error") or "unknown")
    return seen if payload.get("status") == "aborted" else ignored(seen, "the turn was not interrupted")


def render(event: str, context: str) -> bytes:
    """Render the reply to one event."""
    text = fit(mend(context), LIMIT)
    if event not in {"prompt", "start"} or not text.strip():
        return b""
    return jsonic({"continue": True, "additional_context": text} if event == "prompt" else {"additional_context": text})
