"""Gemini CLI.

stdin: `session_id transcript_path cwd hook_event_name timestamp`; BeforeAgent `prompt`; AfterAgent `prompt
prompt_response stop_hook_active`; SessionStart `source` startup|resume|clear; SessionEnd `reason`
exit|clear, up to three times on one quit. There is no key of a turn: an answer is matched on session and
prompt. In print mode the prompt carries `<hook_context>` of SessionStart in front; `@file` puts the file's
text behind it. Esc fires AfterAgent with the partial answer, unmarked. PreCompress fires before every model
call: not used. stdout: JSON only; plain text is shown to the person instead. No limit was found (3 MB
arrived).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.harness.event import HookEvent, Limit, hook_output, ignored, not_a_person
from kit.harness.shaped import read_shaped

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Mapping[str, str] = {
    "prompt": "BeforeAgent",
    "answer": "AfterAgent",
    "start": "SessionStart",
    "end": "SessionEnd",
}
LIMIT = Limit(1_000_000)


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read one hook payload."""
    seen = read_shaped("gemini", event, payload, env, EVENTS, answer="prompt_response")
    if seen.kind == "answer" and (why := not_a_person(seen.text)):
        return ignored(seen, why)
    return seen


def render(event: str, context: str) -> bytes:
    """Render the reply to one event."""
    return hook_output(event, context, EVENTS, LIMIT)
