"""DeepSeek Harness, through our native plugin, which passes on what its events carry.

To every event the plugin adds `id` and `cwd` of the session's header, and `parentSession` where the header
has one. prompt: `agent/pre-step {turn, step, messages[{role, source{kind}, text}]}`; later steps of a turn
have no messages, and only `source.kind` "user" is a person's. answer: `turn/end {turn, reason{kind:
completed|error|…}}` with `messages` added: the `assistant/message` texts of the turn. `agent/session-start
{source}`, `agent/disposed`. The turn is `turn`. The bridge for Claude's hooks is turned away: it brings no
answers, echoes other hooks' context as prompts, and runs sub-agents unmarked. stdout: plain text, which the
plugin adds as a message of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import (
    CHILD,
    SAFE,
    HookEvent,
    answered,
    begin,
    heard,
    ignored,
    inner,
    key_of,
    plain,
    rows,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    "prompt": "agent/pre-step",
    "answer": "turn/end",
    "start": "agent/session-start",
    "end": "agent/disposed",
}
LIMIT = SAFE


def _ended(seen: HookEvent, payload: Mapping[str, object]) -> HookEvent:
    reason = word(inner(payload, "reason"), "kind")
    if reason == "error":
        return seen._replace(kind="failure", error=word(inner(payload, "reason"), "message") or "unknown")
    if reason != "completed":
        return seen._replace(kind="interrupt", source=reason) if reason else ignored(seen, "no reason came along")
    return answered(seen, "\n\n".join(filter(None, (word(row, "text") for row in rows(payload, "messages")))))


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read what our plugin sends for one event."""
    said = payload.get("hook_event_name", payload.get("event"))
    if said == "session/event":
        said = payload.get("type")
    seen = begin("dsh", event, env, EVENTS, said=said, session=payload.get("id"))
    seen = seen._replace(turn=key_of(payload.get("turn")), cwd=word(payload, "cwd"))
    if seen.kind != "ignore" and (payload.get("parentSession") or inner(payload, "header").get("parentSession")):
        return ignored(seen, CHILD)
    match seen.kind:
        case "prompt" if payload.get("step", 1) != 1:
            return ignored(seen, "a later step of the same turn")
        case "prompt":
            typed = [row for row in rows(payload, "messages") if inner(row, "source").get("kind") == "user"]
            return heard(seen, "\n\n".join(word(row, "text") for row in typed))
        case "answer":
            return _ended(seen, payload)
        case "start":
            return seen._replace(source=word(payload, "source"))
    return seen


def render(event: str, context: str) -> bytes:
    """Render the text the plugin adds as a message."""
    return plain(context, LIMIT) if event == "prompt" else b""
