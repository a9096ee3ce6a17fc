"""Claude Code.

stdin, all events: `session_id transcript_path cwd hook_event_name`, most also `prompt_id` (the turn).
UserPromptSubmit `prompt`; Stop `stop_hook_active last_assistant_message` (the last text block only: the
whole answer lies in the transcript); SessionStart `source` startup|resume|clear|compact|fork; SessionEnd
`reason`; StopFailure `error last_assistant_message`. Esc fires nothing. A prompt typed while a turn runs
comes at once with the running turn's `prompt_id`, and ends with a Stop whose `prompt_id` was never seen
before. A background task that ends comes as a prompt that begins with `<task-notification>`. stdout:
`hookSpecificOutput.additionalContext`, whole up to 10 000 UTF-16 units; never at Stop: it would continue
the turn. Copilot, Cursor and the bridge of DeepSeek Harness run Claude's hooks too: here they are turned
away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import HookEvent, Limit, hook_output, ignored
from kit.harness.shaped import read_shaped

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    "prompt": "UserPromptSubmit",
    "answer": "Stop",
    "start": "SessionStart",
    "end": "SessionEnd",
    "failure": "StopFailure",
    "compact": "PostCompact",
}
LIMIT = Limit(10_000, "utf16")


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read one hook payload."""
    seen = read_shaped("claude", event, payload, env, EVENTS, turn="prompt_id")
    if env.get("COPILOT_CLI"):
        return ignored(seen, "Copilot runs Claude's hooks; its own hook does the work")
    if env.get("CURSOR_VERSION"):
        return ignored(seen, "Cursor runs Claude's hooks; its own hook does the work")
    if seen.transcript.endswith(".zstd"):
        return ignored(seen, "the bridge of DeepSeek Harness; its plugin does the work")
    return seen


def render(event: str, context: str) -> bytes:
    """Render the reply to one event."""
    return hook_output(event, context, EVENTS, LIMIT)
