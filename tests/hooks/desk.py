"""A person's home in a temporary folder, their own hooks in it, and the `memkit hooks` command."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import kit.cli
from kit.installing import commands

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / "hooks"
MERGED = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json"}
DROPPED = {
    "copilot": ".copilot/hooks/memkit.json",
    "opencode": ".config/opencode/plugins/memkit.js",
    "pi": ".pi/agent/extensions/memkit.ts",
}
PATCH = ".dsh/cordis.patch.yml"
EXTENDED = ("gemini", "qwen")
ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="it needs links, modes or sh")


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Desk:
    """A person's home in a temporary folder, and the `memkit hooks` command."""

    def __init__(self, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.base, self.home, self.bin = base, base / "home", base / "bin"
        self._capsys = capsys

    def memkit(self, *args: str | Path) -> Ran:
        code = kit.cli.run(["hooks", *map(str, args)])
        return Ran(code, *self._capsys.readouterr())

    def install(self, client: str, *args: str) -> Ran:
        ran = self.memkit("install", client, *args)
        assert ran.code == 0, ran.err
        return ran

    def uninstall(self, client: str, *args: str) -> Ran:
        ran = self.memkit("uninstall", client, *args)
        assert ran.code == 0, ran.err
        return ran

    def status(self, client: str) -> dict[str, Any]:
        (found,) = json.loads(self.memkit("status", client, "--json").out)
        assert isinstance(found, dict)
        return found

    def file(self, name: str, raw: bytes | None = None) -> Path:
        path = self.home / name
        if raw is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        return path

    def tree(self) -> dict[str, bytes | None]:
        """List every file and folder below the base, so that nothing can be left behind unseen."""
        found = sorted(self.base.rglob("*"))
        return {str(path.relative_to(self.base)): path.read_bytes() if path.is_file() else None for path in found}

    def program(self, name: str, script: str = "exit 0") -> Path:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return path


def theirs(client: str, *, indent: int | str | None = 2) -> bytes:
    """Write a file with hooks of the person's own, in an event that we use and in one that we don't."""
    event = {"claude": "Stop", "codex": "Stop", "cursor": "stop"}[client]
    handler: dict[str, object] = {"type": "command", "command": "make note"}
    entry: object = handler if client == "cursor" else {"matcher": "*", "hooks": [handler]}
    told: dict[str, object] = {"zebra": {"b": [1, 2], "a": "钥匙"}}
    told |= {"hooks": {event: [entry], "PreToolUse": [entry]}, "apple": True, "version": 1}
    return (json.dumps(told, ensure_ascii=False, indent=indent) + "\n").encode()


def handlers(raw: bytes, client: str) -> list[tuple[str, dict[str, Any]]]:
    """List all handlers of a file: the event, the handler."""
    found = []
    for event, entries in json.loads(raw.decode("utf-8-sig")).get("hooks", {}).items():
        for entry in entries:
            found += [(event, one) for one in ([entry] if client == "cursor" else entry["hooks"])]
    return found


CASES: dict[str, Callable[[str], bytes | None]] = {
    "absent": lambda _: None,
    "empty": lambda _: b"",
    "blank": lambda _: b" \n",
    "an empty object": lambda _: b"{}",
    "an empty object over two lines": lambda _: b"{\n}\n",
    "settings without hooks": lambda _: b'{\n  "model": "x"\n}\n',
    "an empty hooks object": lambda _: b'{\n    "hooks": {},\n    "model": "x"\n}',
    "empty lists": lambda client: json.dumps({"hooks": {event: [] for event in commands.EVENTS[client]}}).encode(),
    "their hooks": theirs,
    "their hooks, tabs": lambda client: theirs(client, indent="\t"),
    "their hooks on one line": lambda client: theirs(client, indent=None),
    "their hooks, tight": lambda client: json.dumps(json.loads(theirs(client)), separators=(",", ":")).encode(),
    "CRLF": lambda client: theirs(client).replace(b"\n", b"\r\n"),
    "a BOM": lambda client: b"\xef\xbb\xbf" + theirs(client),
    "no newline at the end": lambda client: theirs(client).rstrip(b"\n"),
}
