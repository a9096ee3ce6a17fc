"""Where each client keeps its files on this machine, and how it is found.

Law: values only; the home, the environment and the kit's own places are given.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kit import places, shipped
from kit.errors import BadInputError, UnavailableError
from kit.installing.commands import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Client(NamedTuple):
    """One coding agent."""

    name: str
    title: str
    programs: tuple[str, ...]
    untested: bool = False
    """Written from its documents, never run."""


CLIENTS = {
    client.name: client
    for client in (
        Client("claude", "Claude Code", ("claude",)),
        Client("codex", "Codex CLI", ("codex",)),
        Client("gemini", "Gemini CLI", ("gemini",)),
        Client("qwen", "Qwen Code", ("qwen",)),
        Client("copilot", "GitHub Copilot CLI", ("copilot",)),
        Client("opencode", "OpenCode", ("opencode",)),
        Client("pi", "Pi", ("pi",)),
        Client("openclaw", "OpenClaw", ("openclaw",)),
        Client("dsh", "DeepSeek Harness", ("dsh",)),
        Client("cursor", "Cursor", ("cursor", "cursor-agent"), untested=True),
    )
}


class House(NamedTuple):
    """One person's machine, as far as hooks are concerned."""

    home: Path
    here: Path
    """The project's folder: where the command is run."""
    env: Mapping[str, str]
    config: Path
    """The kit's own folder of settings; plugins that name this machine's paths are laid below it."""
    shipped: Path
    """The folder `hooks` that ships with the kit."""
    program: Program
    which: Callable[[str], str | None]

    def client(self, name: str) -> Client:
        """Find a client by name; raise BadInputError with those there are."""
        if name not in CLIENTS:
            raise BadInputError(f"No client is called {name!r}.", f"Known are: {', '.join(CLIENTS)}.")
        return CLIENTS[name]

    def executable(self, name: str) -> str:
        """Find a client's program on the PATH; '' when it is not there."""
        return next(filter(None, map(self.which, CLIENTS[name].programs)), "") or ""

    def laid(self, client: str) -> Path:
        """Name the folder of what is laid for a client in the kit's own place."""
        return self.config / "hooks" / client

    def base(self, client: str) -> Path:
        """Name a client's folder of settings, which its own variable may move."""
        variable, usual = _BASES[client]
        named = self.env.get(variable, "")
        if not Path(named).is_absolute():
            return self.home / usual
        return Path(named) / "opencode" if client == "opencode" else Path(named)


_BASES = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude"),
    "codex": ("CODEX_HOME", ".codex"),
    "gemini": ("", ".gemini"),
    "qwen": ("", ".qwen"),
    "copilot": ("COPILOT_HOME", ".copilot"),
    "opencode": ("XDG_CONFIG_HOME", ".config/opencode"),
    "pi": ("PI_CODING_AGENT_DIR", ".pi/agent"),
    "openclaw": ("OPENCLAW_STATE_DIR", ".openclaw"),
    "dsh": ("DSH_HOME", ".dsh"),
    "cursor": ("", ".cursor"),
}


def this_house() -> House:
    """Describe this machine, with the running kit as the program."""
    if not sys.executable:
        raise UnavailableError("Python does not say where its program is.", "Run memkit from an installed Python.")
    hook = Path(__file__).resolve().parents[1] / "hook.py"
    program = Program(Path(sys.executable), hook, windows=sys.platform == "win32")
    return House(
        Path.home(), Path.cwd(), os.environ, places.config_base(), shipped.folder("hooks"), program, shutil.which
    )
