"""OpenCode, through our plugin file, which passes on what its hooks get.

prompt: `chat.message` as `{input{sessionID}, message{id, role}, parts[{type, text, synthetic}]}`, with
`parentID` added when the session is a child (its `session.created` said so) and `directory`. `opencode run
"two words"` puts quotes around the prompt. The turn is the user message's id. answer: the event
`session.idle {properties{sessionID}}` with `messages` added, as `client.session.messages()` gives them:
`{info{id, role, parentID, error}, parts}`. failure: `session.error`, which two `session.idle` follow.
stdout: plain text, which the plugin pushes as a synthetic part; the part stays in the session for good.
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
    said_in,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    "prompt": "chat.message",
    "answer": "session.idle",
    "start": "session.created",
    "failure": "session.error",
    "compact": "session.compacted",
}
LIMIT = SAFE


def _said(message: Mapping[str, object]) -> str:
    """Join the texts of a message, without the parts that plugins added."""
    typed = [part for part in rows(message, "parts") if part.get("synthetic") is not True]
    return said_in({**message, "parts": typed}, "parts")


def _ended(seen: HookEvent, payload: Mapping[str, object]) -> HookEvent:
    replies = [row | inner(row, "info") for row in rows(payload, "messages")]
    replies = [row for row in replies if row.get("role") == "assistant" and key_of(row.get("parentID"))]
    if not replies:
        return ignored(seen, "no answer came along")
    turn = key_of(replies[-1]["parentID"])
    replies = [row for row in replies if row["parentID"] == turn]
    if replies[-1].get("error"):
        return seen._replace(kind="failure", turn=turn, error=_error(replies[-1]))
    return answered(seen._replace(turn=turn), "\n\n".join(filter(None, map(_said, replies))))


def _error(holder: Mapping[str, object]) -> str:
    error = inner(holder, "error")
    return word(inner(error, "data"), "message") or word(error, "message") or word(error, "name") or "unknown"


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read what our plugin sends for one event."""
    told, message = inner(payload, "properties"), inner(payload, "message")
    info = inner(told, "info")
    session = inner(payload, "input").get("sessionID", told.get("sessionID"))
    said = word(payload, "type") or word(payload, "hook") or None
    seen = begin("opencode", event, env, EVENTS, said=said, session=session)
    seen = seen._replace(turn=key_of(message.get("id")), cwd=word(payload, "directory") or word(info, "directory"))
    if seen.kind != "ignore" and (payload.get("parentID") or info.get("parentID")):
        return ignored(seen, CHILD)
    match seen.kind:
        case "prompt" if message.get("role") != "user":
            return ignored(seen, "no message of a person")
        case "prompt":
            return heard(seen, _said(payload))
        case "answer":
            return _ended(seen, payload)
        case "failure":
            return seen._replace(error=_error(told))
    return seen


def render(event: str, context: str) -> bytes:
    """Render the text the plugin adds to the prompt."""
    return plain(context, LIMIT) if event == "prompt" else b""
