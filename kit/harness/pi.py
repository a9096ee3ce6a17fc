"""Pi, through our extension file, which passes on what its events carry.

To every event the extension adds `id` (the session's), `cwd` and `file` (the session's transcript). prompt:
`before_agent_start {messageType user|custom, prompt}`. answer: `agent_settled {aborted}` with the
`messages` of the last `agent_end {messages[{role, text or content, stopReason}]}`: all of the session, the
last run at the end. `session_start {reason}`, `session_compact`, `session_shutdown {reason}`. There is no
key of a turn: runs are in order. stdout: plain text, which the extension returns as a message that is not
displayed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import SAFE, HookEvent, answered, begin, heard, ignored, plain, rows, said_in, word

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    "prompt": "before_agent_start",
    "answer": "agent_settled",
    "start": "session_start",
    "end": "session_shutdown",
    "compact": "session_compact",
}
LIMIT = SAFE


def _settled(seen: HookEvent, payload: Mapping[str, object]) -> HookEvent:
    run: list[dict[str, object]] = []
    for message in rows(payload, "messages"):
        run = [] if message.get("role") == "user" else [*run, message]
    replies = [message for message in run if message.get("role") == "assistant"]
    stop = replies[-1].get("stopReason") if replies else None
    if payload.get("aborted") is True or stop == "aborted":
        return seen._replace(kind="interrupt")
    if stop == "error":
        return seen._replace(kind="failure", error=word(replies[-1], "errorMessage") or "unknown")
    if not replies:
        return ignored(seen, "no answer came along")
    return answered(seen, "\n\n".join(filter(None, map(said_in, replies))))


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read what our extension sends for one event."""
    seen = begin("pi", event, env, EVENTS, said=payload.get("event"), session=payload.get("id"))
    seen = seen._replace(cwd=word(payload, "cwd"), transcript=word(payload, "file"))
    match seen.kind:
        case "prompt" if payload.get("messageType", "user") != "user":
            return ignored(seen, "an extension's message, not the person's")
        case "prompt":
            return heard(seen, word(payload, "prompt"))
        case "answer":
            return _settled(seen, payload)
        case "start" | "end" | "compact":
            return seen._replace(source=word(payload, "reason"))
    return seen


def render(event: str, context: str) -> bytes:
    """Render the text the extension adds to the run."""
    return plain(context, LIMIT) if event == "prompt" else b""
