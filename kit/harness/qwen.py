"""Qwen Code.

Claude Code's names and keys, with `prompt_id` (`SESSION########N`) as the turn and `submitted_prompt`: the
words as typed. UserPromptSubmit fires again after every tool result with an empty prompt, and with a Stop
hook's reason as prompt: only the true one has `submitted_prompt`. Two Stops may come for one prompt. Esc
fires nothing; in print mode neither SessionEnd nor StopFailure fire. stdout: JSON as Claude's, whole up to
100 KB, silently dropped beyond.
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
    "failure": "StopFailure",
    "compact": "PreCompact",
}
LIMIT = Limit(100_000)


def read(event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
    """Read one hook payload."""
    return read_shaped("qwen", event, payload, env, EVENTS, turn="prompt_id", prompt="submitted_prompt")


def render(event: str, context: str) -> bytes:
    """Render the reply to one event."""
    return hook_output(event, context, EVENTS, LIMIT)
