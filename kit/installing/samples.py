"""A payload of each client for an event that leaves no card: what `memkit hooks test` sends.

Law: no prompt and no answer; a session that starts writes nothing but a line in the journal when it is told something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Sample(NamedTuple):
    """An event as one client would send it."""

    event: str
    payload: Mapping[str, object]


def sample(client: str, session: str, cwd: str) -> Sample:
    """Write the start of a session; OpenClaw tells none, so an answer without words stands for it."""
    shaped: dict[str, object] = {
        "session_id": session,
        "transcript_path": "",
        "cwd": cwd,
        "hook_event_name": "SessionStart",
    }
    payloads: dict[str, dict[str, object]] = {
        "claude": shaped | {"source": "startup"},
        "codex": shaped | {"source": "startup", "model": "test", "permission_mode": "default"},
        "gemini": shaped | {"source": "startup"},
        "qwen": shaped | {"source": "startup"},
        "copilot": {"sessionId": session, "cwd": cwd, "source": "new"},
        "opencode": {
            "type": "session.created",
            "properties": {"sessionID": session, "info": {"id": session, "directory": cwd}},
        },
        "pi": {"event": "session_start", "id": session, "cwd": cwd, "reason": "startup"},
        "openclaw": {"hook": "agent_end", "sessionKey": session, "trigger": "user", "success": True, "messages": []},
        "dsh": {"event": "agent/session-start", "id": session, "cwd": cwd, "source": "startup"},
        "cursor": {"hook_event_name": "sessionStart", "conversation_id": session, "workspace_roots": [cwd]},
    }
    return Sample("answer" if client == "openclaw" else "start", payloads[client])
