"""Any other harness: the payload we would like to get, for a script of a few lines.

stdin, one JSON object: `session` (needed), `turn` (if the harness has a key of it), `prompt` or `answer`,
`cwd`, `transcript`, `source`, `error`. stdout on `prompt` and `start`: the recalled notes as plain text, or
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import ACTS, SAFE, HookEvent, answered, begin, heard, key_of, plain, word

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {act: act for act in ACTS}
LIMIT = SAFE


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read one payload."""
    seen = begin("generic", event, env, EVENTS, said=None, session=payload.get("session"))._replace(
        turn=key_of(payload.get("turn")), cwd=word(payload, "cwd"), transcript=word(payload, "transcript")
    )
    match seen.kind:
        case "prompt":
            return heard(seen, word(payload, "prompt"))
        case "answer":
            return answered(seen, payload.get("answer"), word(payload, "prompt"))
        case "failure":
            return seen._replace(error=word(payload, "error") or "unknown")
        case "start" | "end" | "compact":
            return seen._replace(source=word(payload, "source"))
    return seen


def render(event: str, context: str) -> bytes:
    """Render the reply to one event."""
    return plain(context, LIMIT) if event in {"prompt", "start"} else b""
