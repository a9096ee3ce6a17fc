"""A client that tells its answers only in its transcript may still be writing there when its hook is run."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from kit.sessions import Sessions

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit


def row(kind: str, content: str) -> str:
    return json.dumps({"type": kind, "data": {"content": content, "toolRequests": []}}) + "\n"


def test_an_answer_that_is_written_down_a_moment_late_is_on_the_card(kit: Kit, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    sessions = Sessions(kit)
    asked = {"sessionId": "s", "cwd": str(tmp_path), "prompt": "how are migrations of the database named?"}
    sessions.handle("copilot", "prompt", json.dumps(asked).encode(), {}).after()

    stop = json.dumps({"sessionId": "s", "cwd": str(tmp_path), "transcriptPath": str(events)}).encode()
    waiting = threading.Thread(target=sessions.wait_for_answer, args=("copilot", "answer", stop, {}))
    waiting.start()
    events.write_text(row("user.message", asked["prompt"]), encoding="utf-8")
    with events.open("a", encoding="utf-8") as file:
        file.write(row("assistant.message", "By their number."))
    waiting.join()
    sessions.handle("copilot", "answer", stop, {}).after()

    (path,) = (kit.root / "cards").rglob("*.md")
    assert "status: completed" in path.read_text(encoding="utf-8")
    (event,) = (kit.root / "events").rglob("*.md")
    assert "By their number." in event.read_text(encoding="utf-8")


def test_other_clients_are_not_waited_for(kit: Kit, tmp_path: Path) -> None:
    stop = {"session_id": "s", "hook_event_name": "Stop", "transcript_path": str(tmp_path / "none.jsonl")}
    Sessions(kit).wait_for_answer("claude", "answer", json.dumps(stop).encode(), {})
