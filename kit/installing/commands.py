"""What a client runs for an event: its name for the event, our command, and the time it gives us.

Law: a command whose program is gone is silent and ends with 0 (a bare one would block every Gemini turn), and
so is one whose kit is gone while its Python stays: that would end with 2, which blocks a prompt.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Handler = dict[str, object]

PROMPT_S, QUICK_S = 20, 5
CODEX_S = 3
"""The most Codex gives an interrupt and the end of a session; more makes it warn at every start."""
CODEX_TOKENS = 4_000
"""What Codex is told to take whole; its own limit is 2 500 tokens, less than a deep recall may be."""


class Program(NamedTuple):
    """The Python and the hook file that commands name; `portable` names the console script instead."""

    python: Path
    hook: Path
    windows: bool = False
    portable: bool = False

    def sh(self, client: str, event: str) -> str:
        """Write the command for a POSIX shell (Claude Code runs one on Windows, too)."""
        if self.portable:
            return f"command -v memkit-hook >/dev/null 2>&1 || exit 0; exec memkit-hook {client} {event}"
        python, hook = shlex.quote(self.python.as_posix()), shlex.quote(self.hook.as_posix())
        return f"[ -x {python} ] && [ -f {hook} ] || exit 0; exec {python} -I -S {hook} {client} {event}"

    def powershell(self, client: str, event: str) -> str:
        """Write the command for PowerShell; a child takes over its standard input."""
        if self.portable:
            return f"if (Get-Command memkit-hook -ErrorAction Ignore) {{ memkit-hook {client} {event} }}; exit 0"
        python, hook = ("'" + str(path).replace("'", "''") + "'" for path in (self.python, self.hook))
        there = f"(Test-Path {python}) -and (Test-Path {hook})"
        return f"if ({there}) {{ & {python} -I -S {hook} {client} {event} }}; exit 0"

    def cmd(self, client: str, event: str) -> str:
        """Write the command for `cmd.exe`."""
        if self.portable:
            return f"where memkit-hook >nul 2>nul && memkit-hook {client} {event} || exit /b 0"
        python, hook = f'"{self.python}"', f'"{self.hook}"'
        return f"if exist {python} if exist {hook} {python} -I -S {hook} {client} {event}"

    def native(self, client: str, event: str) -> str:
        """Write the command for a client that runs the system's own shell."""
        return self.powershell(client, event) if self.windows else self.sh(client, event)


def is_ours(command: object, client: str) -> bool:
    """Tell whether a command is one of ours, whichever kit wrote it."""
    if not isinstance(command, str):
        return False
    program = r"(?:[\\/]kit[\\/]hook\.py|\bmemkit-hook(?:\.exe)?|\bmemkit(?:\.exe)?['\"]? hook)['\"]?"
    return re.search(rf"{program} +{client} +[a-z]+\b", command) is not None


def wanted(client: str, program: Program) -> Mapping[str, Handler]:
    """List what a client shall run: its own name of each event, and one handler."""
    return {name: _HANDLERS[client](program, event, seconds) for name, (event, seconds) in EVENTS[client].items()}


def to_run(client: str, program: Program, event: str) -> list[str]:
    """Give the words that run an event as the client does: its command in a shell, or a plugin's program."""
    handlers = wanted(client, program).values() if client in EVENTS and not program.windows else ()
    for handler in handlers:
        command = str(handler.get("command") or handler.get("bash"))
        if command.endswith(f" {client} {event}"):
            return ["/bin/sh", "-c", command]
    return [str(program.python), "-I", "-S", str(program.hook), client, event]


EVENTS: Mapping[str, Mapping[str, tuple[str, int]]] = {
    "claude": {
        "SessionStart": ("start", PROMPT_S),
        "UserPromptSubmit": ("prompt", PROMPT_S),
        "Stop": ("answer", PROMPT_S),
        "SessionEnd": ("end", QUICK_S),
        "StopFailure": ("failure", PROMPT_S),
    },
    "codex": {
        "SessionStart": ("start", PROMPT_S),
        "UserPromptSubmit": ("prompt", PROMPT_S),
        "Stop": ("answer", PROMPT_S),
        "Interrupt": ("interrupt", CODEX_S),
        "SessionEnd": ("end", CODEX_S),
    },
    "gemini": {
        "SessionStart": ("start", PROMPT_S),
        "BeforeAgent": ("prompt", PROMPT_S),
        "AfterAgent": ("answer", PROMPT_S),
        "SessionEnd": ("end", QUICK_S),
    },
    "qwen": {
        "SessionStart": ("start", PROMPT_S),
        "UserPromptSubmit": ("prompt", PROMPT_S),
        "Stop": ("answer", PROMPT_S),
        "StopFailure": ("failure", PROMPT_S),
        "PreCompact": ("compact", PROMPT_S),
        "SessionEnd": ("end", QUICK_S),
    },
    "copilot": {
        "sessionStart": ("start", PROMPT_S),
        "userPromptSubmitted": ("prompt", PROMPT_S),
        "agentStop": ("answer", PROMPT_S),
        "errorOccurred": ("failure", PROMPT_S),
        "sessionEnd": ("end", QUICK_S),
    },
    "cursor": {
        "sessionStart": ("start", PROMPT_S),
        "beforeSubmitPrompt": ("prompt", PROMPT_S),
        "afterAgentResponse": ("answer", PROMPT_S),
        "stop": ("interrupt", PROMPT_S),
        "preCompact": ("compact", PROMPT_S),
        "sessionEnd": ("end", QUICK_S),
    },
}


def _claude(program: Program, event: str, seconds: int) -> Handler:
    return {"type": "command", "command": program.sh("claude", event), "timeout": seconds}


def _codex(program: Program, event: str, seconds: int) -> Handler:
    told = program.sh("codex", event), program.cmd("codex", event)
    found: Handler = {"type": "command", "command": told[0], "commandWindows": told[1], "timeout": seconds}
    return found | ({"additionalContextLimit": CODEX_TOKENS} if event in {"prompt", "start"} else {})


def _gemini(program: Program, event: str, seconds: int) -> Handler:
    told = program.native("gemini", event)
    return {"type": "command", "name": "memkit", "command": told, "timeout": seconds * 1000}


def _qwen(program: Program, event: str, seconds: int) -> Handler:
    told = program.native("qwen", event)
    return {"type": "command", "name": "memkit", "command": told, "timeout": seconds * 1000}


def _copilot(program: Program, event: str, seconds: int) -> Handler:
    told = program.sh("copilot", event), program.powershell("copilot", event)
    return {"type": "command", "bash": told[0], "powershell": told[1], "timeoutSec": seconds}


def _cursor(program: Program, event: str, seconds: int) -> Handler:
    return {"command": program.native("cursor", event), "timeout": seconds}


_HANDLERS = {
    "claude": _claude, "codex": _codex, "gemini": _gemini, "qwen": _qwen, "copilot": _copilot, "cursor": _cursor,
}  # fmt: skip
