"""OpenClaw, through our plugin, which passes on what its hooks get.

To every event the plugin adds `sessionKey`, `runId` (the turn), `trigger` and `workspaceDir` of its
context. prompt: `before_prompt_build {prompt}`; only `trigger` "user" is a person's. answer: `agent_end
{messages[{role, text or content}], success, error}`. stdout: plain text, which the plugin returns as
`prependContext`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import SAFE, HookEvent, answered, begin, heard, ignored, key_of, plain, rows, said_in, word

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {"prompt": "before_prompt_build", "answer": "agent_end"}
LIMIT = SAFE


def _ended(seen: HookEvent, payload: Mapping[str, object]) -> HookEvent:
    if payload.get("success") is False:
        return seen._replace(kind="failure", error=word(payload, "error") or "unknown")
    run: list[str] = []
    for message in rows(payload, "messages"):
        if message.get("role") == "user":
            run = []
        elif message.get("role") == "assistant":
            run.append(said_in(message))
    return answered(seen, "\n\n".join(filter(None, run))) if run else ignored(seen, "no answer came along")


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read what our plugin sends for one event."""
    said, session = payload.get("hook"), payload.get("sessionKey")
    seen = begin("openclaw", event, env, EVENTS, said=said, session=session)
    seen = seen._replace(turn=key_of(payload.get("runId")), cwd=word(payload, "workspaceDir"))
    if seen.kind != "ignore" and payload.get("trigger", "user") != "user":
        return ignored(seen, "not started by a person")
    if seen.kind == "prompt":
        return heard(seen, word(payload, "prompt"))
    return _ended(seen, payload) if seen.kind == "answer" else seen


def render(event: str, context: str) -> bytes:
    """Render the text the plugin puts before the prompt."""
    return plain(context, LIMIT) if event == "prompt" else b""
