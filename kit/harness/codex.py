"""Codex CLI.

stdin, all events: `session_id transcript_path cwd hook_event_name model permission_mode`, turns also
`turn_id`. UserPromptSubmit `prompt`; Stop `stop_hook_active last_assistant_message` (may be null);
SessionStart `source`; SessionEnd `reason`; Interrupt only the common keys. Words typed while a turn runs
steer it: a second prompt with the same `turn_id`, one Stop for both. Sub-agents send `agent_id` and the
parent's `session_id`. stdout: one unknown key and the whole reply is refused, so only `hookSpecificOutput`
with `hookEventName` and `additionalContext`; at Stop and Interrupt nothing. Whole up to 10 000 UTF-8 bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import HookEvent, Limit, hook_output
from kit.harness.shaped import read_shaped

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    "prompt": "UserPromptSubmit",
    "answer": "Stop",
    "start": "SessionStart",
    "end": "SessionEnd",
    "interrupt": "Interrupt",
    "failure": "StopFailure",
    "compact": "PostCompact",
}
LIMIT = Limit(10_000)


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read one hook payload."""
    return read_shaped("codex", event, payload, env, EVENTS, turn="turn_id")


def render(event: str, context: str) -> bytes:
    """Render the reply to one event."""
    return hook_output(event, context, EVENTS, LIMIT)
