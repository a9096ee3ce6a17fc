"""What a person puts into a client's settings so that it finds this server.

Law: pure; printed, never written: the files are the person's.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "memkit"


class Snippet(NamedTuple):
    """A piece of settings, and where it goes."""

    text: str
    where: str


CLIENTS = {
    "claude": ".mcp.json of a project; for all of them: claude mcp add --scope user {name} -- {line}",
    "codex": "~/.codex/config.toml",
    "gemini": "~/.gemini/settings.json",
    "qwen": "~/.qwen/settings.json",
    "cursor": "~/.cursor/mcp.json",
    "copilot": "~/.copilot/mcp-config.json",
    "opencode": "~/.config/opencode/opencode.json",
    "vscode": ".vscode/mcp.json",
    "dsh": "~/.dsh/cordis.patch.yml",
}


def snippet(client: str, command: Sequence[str]) -> Snippet:
    """Write the settings of a client that starts the server with a command."""
    program, *words = command
    plain = {"command": program, "args": words}
    where = CLIENTS[client].format(name=NAME, line=" ".join(command))
    match client:
        case "codex":
            args = ", ".join(map(_quoted, words))
            return Snippet(f"[mcp_servers.{NAME}]\ncommand = {_quoted(program)}\nargs = [{args}]\n", where)
        case "opencode":
            value: dict[str, object] = {"mcp": {NAME: {"type": "local", "command": list(command), "enabled": True}}}
        case "copilot":
            value = {"mcpServers": {NAME: {"type": "local", **plain, "tools": ["*"]}}}
        case "vscode":
            value = {"servers": {NAME: {"type": "stdio", **plain}}}
        case "dsh":
            rows = [
                "- insert:", f"    - id: mcp-{NAME}", "      name: '@deepseek-ai/dsh-mcp-client'", "      config:",
                f"        serverName: {NAME}", "        transport: stdio", f"        command: {_quoted(program)}",
                f"        args: [{', '.join(map(_quoted, words))}]",
            ]  # fmt: skip
            return Snippet("\n".join(rows) + "\n", where)
        case _:
            value = {"mcpServers": {NAME: plain}}
    return Snippet(json.dumps(value, indent=2, ensure_ascii=False) + "\n", where)


def _quoted(word: str) -> str:
    """Quote a word; a JSON text is one of TOML and of YAML, too."""
    return json.dumps(word, ensure_ascii=False)
