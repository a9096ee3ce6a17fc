"""The payload shape that Claude Code defined and Codex, Gemini and Qwen took over with other key names.

Law: differences between those clients live in their adapters; here stands only what they share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import CHILD, HookEvent, answered, begin, heard, ignored, key_of, word

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_shaped(
    harness: str,
    event: str,
    payload: Mapping[str, object],
    env: Mapping[str, str],
    events: Mapping[str, str],
    *,
    turn: str = "",
    prompt: str = "prompt",
    answer: str = "last_assistant_message",
) -> HookEvent:
    """Read a payload; `turn`, `prompt` and `answer` name the keys this client keeps them under."""
    seen = begin(harness, event, env, events, said=payload.get("hook_event_name"), session=payload.get("session_id"))
    seen = seen._replace(
        turn=key_of(payload.get(turn)) if turn else "",
        cwd=word(payload, "cwd"),
        transcript=word(payload, "transcript_path"),
        stop_active=payload.get("stop_hook_active") is True,
    )
    if seen.kind != "ignore" and payload.get("agent_id"):
        seen = ignored(seen, CHILD)
    match seen.kind:
        case "prompt":
            return heard(seen, word(payload, prompt))
        case "answer":
            return answered(seen, payload.get(answer), word(payload, "prompt"))
        case "failure":
            said = (word(payload, "error"), word(payload, answer))
            return seen._replace(error=": ".join(part for part in said if part) or "unknown")
        case "start" if word(payload, "source") == "compact":
            # A session that goes on after a compaction is no new one: its running turn must not be swept.
            return seen._replace(kind="compact", source="compact")
        case _:
            return seen._replace(source=word(payload, "source") or word(payload, "reason") or word(payload, "trigger"))
    return seen
