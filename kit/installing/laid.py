"""The files of ours that are laid beside a client's own: plugins with this machine's paths in them, and the rules.

Law: pure but for reading what ships with the kit; the paths of this machine are named in nothing that ships.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kit import __version__
from kit.installing import commands
from kit.installing.plan import Run

if TYPE_CHECKING:
    from pathlib import Path

    from kit.installing.house import House

MARK = b"memkit hooks uninstall"
"""What every file of ours says of itself where it may be laid into a folder of the person's."""
KIT_LINE = "const KIT = null"
"""The line of a plugin in which this machine's paths are put."""

_PLUGINS = {
    "opencode": ("opencode/memkit.js",),
    "pi": ("pi/memkit.ts",),
    "openclaw": ("openclaw/index.js", "openclaw/openclaw.plugin.json", "openclaw/package.json"),
    "dsh": ("dsh/memkit.mjs",),
}


def files(house: House, client: str, *, rules: bool) -> list[tuple[Path, bytes]]:
    """List what is laid for a client: path and bytes; `rules` says that an extension brings the rules along."""
    if client == "copilot":
        return [(house.base(client) / "hooks" / "memkit.json", jsonic(copilot(house.program)))]
    if client in {"gemini", "qwen"}:
        pair = extension(client, house.program, __version__, rules=rules)
        found = [(house.laid(client) / name, raw) for name, raw in pair.items()]
        return [*found, (house.laid(client) / "memkit.md", _shipped(house, "rules/memkit.md"))] if rules else found
    folder = {"opencode": house.base("opencode") / "plugins", "pi": house.base("pi") / "extensions"}
    there = folder.get(client, house.laid(client))
    return [(there / name.rpartition("/")[2], _filled(house, name)) for name in _PLUGINS[client]]


def is_ours(raw: bytes, client: str) -> bool:
    """Tell by its content whether a file is the kit's."""
    return MARK in raw or commands.is_ours(raw.decode("utf-8", "replace"), client)


def copilot(program: commands.Program) -> dict[str, object]:
    """Write the drop-in file of Copilot CLI."""
    handlers = commands.wanted("copilot", program)
    return {"version": 1, "hooks": {event: [handler] for event, handler in handlers.items()}}


def extension(client: str, program: commands.Program, version: str, *, rules: bool) -> dict[str, bytes]:
    """Write the files of an extension of Gemini CLI or Qwen Code."""
    about: dict[str, object] = {"name": "memkit", "version": version, "description": ABOUT}
    if rules:
        about["contextFileName"] = "memkit.md"
    return {f"{client}-extension.json": jsonic(about), "hooks/hooks.json": jsonic(grouped(client, program))}


def grouped(client: str, program: commands.Program) -> dict[str, object]:
    """Write a `hooks.json` with one group an event."""
    handlers = commands.wanted(client, program)
    return {"hooks": {event: [{"hooks": [handler]}] for event, handler in handlers.items()}}


def openclaw_steps(house: House) -> tuple[str, ...]:
    """Say how OpenClaw takes its plugin up: `openclaw.json` is JSON5 with comments, which the kit does not rewrite."""
    folder, allowed = house.laid("openclaw"), {"allowConversationAccess": True}
    told = {
        "plugins": {
            "load": {"paths": [folder.as_posix()]},
            "entries": {"memkit": {"enabled": True, "hooks": allowed}},
        }
    }
    link = Run(("openclaw", "plugins", "install", "--link", str(folder), "--force", "--accept-capabilities"))
    allow = Run(("openclaw", "config", "set", "plugins.entries.memkit.hooks.allowConversationAccess", "true"))
    return (
        "Run these two commands of OpenClaw's own, which read and write its settings:",
        str(link),
        str(allow),
        f"or put this into {house.base('openclaw') / 'openclaw.json'} yourself:",
        json.dumps(told, indent=2, ensure_ascii=False),
    )


ABOUT = "Remembers what was said, recalls what is useful: notes in your own vault"
_RULES = {
    "claude": "Claude Code reads them at the start of a session.",
    "codex": "Codex reads only AGENTS.md: copy what they say into {base}/AGENTS.md.",
    "gemini": "The extension brings them along.",
    "qwen": "The extension brings them along.",
    "copilot": "Copilot reads only {base}/copilot-instructions.md: copy what they say there.",
    "opencode": 'To have OpenCode read them, add "instructions": ["{path}"] to opencode.json.',
    "pi": "Pi reads only AGENTS.md: copy what they say into {base}/AGENTS.md.",
    "openclaw": "OpenClaw reads only AGENTS.md of its workspace: copy what they say there.",
    "dsh": "dsh reads only AGENTS.md of a project: copy what they say there.",
    "cursor": "Cursor takes such rules in its settings, under Rules: paste what they say there.",
}


def told_of_rules(client: str, path: Path) -> tuple[str, ...]:
    """Say where the rules lie and what reads them."""
    return (f"The rules of use lie in {path}. {_RULES[client].format(base=path.parent, path=path.as_posix())}",)


def jsonic(value: object) -> bytes:
    """Write a JSON file."""
    return json.dumps(value, ensure_ascii=False, indent=2).encode() + b"\n"


def _shipped(house: House, name: str) -> bytes:
    return (house.shipped / name).read_bytes()


def _filled(house: House, name: str) -> bytes:
    """Take a shipped file and name this machine's paths in it."""
    link = (house.shipped / "node" / "link.mjs").as_uri()
    kit = {"python": house.program.python.as_posix(), "hook": house.program.hook.as_posix(), "link": link}
    line = f"const KIT = {json.dumps(kit, ensure_ascii=False)}"
    return _shipped(house, name).decode().replace(KIT_LINE, line, 1).encode()
