"""A vault with its real daemon in a process of its own, and what a person and a harness do to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kit import __version__, hook, places
from kit.daemon.channel import read_address
from kit.daemon.client import Client, daemon_command
from kit.errors import KitError
from kit.govern.lay import lay
from tests.daemon.conftest import alive, until
from tests.small_vault import front

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HOOK = str(Path(hook.__file__).resolve())
ENOUGH_S = 60.0


def card(name: str, *words: str, says: str = "") -> bytes:
    """Write a finished card whose tags are its words, and which says something."""
    keys: dict[str, object] = {
        "id": name, "kind": "card", "status": "completed", "created": "2026-08-19T10:00:00+08:00", "tags": words,
    }  # fmt: skip
    return front(keys, says or f"About {' '.join(words)}.")


class House:
    """One vault in a short temporary folder; the environment already points there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        lay(root)

    @property
    def runtime(self) -> Path:
        return places.runtime_folder(self.root)

    @property
    def derived(self) -> Path:
        """The folder of the indexes."""
        return next(path for path in places.cache_base().glob(f"*-{places.vault_key(self.root)[:8]}"))

    def client(self, *, spawn: bool = False) -> Client:
        return Client(self.root, version=__version__, spawn=daemon_command(self.root) if spawn else None)

    def ask(self, op: str, **params: object) -> Any:  # noqa: ANN401 - what JSON can carry
        """Ask the daemon, which is started if none runs."""
        return self.client(spawn=True).ask(op, params, timeout=ENOUGH_S)

    def found(self, query: str) -> list[str]:
        """Name the notes a question finds, by path."""
        return [hit["path"] for hit in self.ask("recall", query=query)["hits"]]

    def write(self, path: str, raw: bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
        return file

    def pid(self) -> int:
        """Tell which process serves; 0 for none."""
        told = read_address(self.runtime)
        return told.pid if told and alive(told.pid) else 0

    def kill(self) -> None:
        """End the daemon as a power cut would."""
        if pid := self.pid():
            os.kill(pid, signal.SIGKILL)
            until(lambda: not alive(pid))

    def stop(self) -> None:
        """End the daemon as a person would."""
        self.client().stop(ENOUGH_S)

    def settled(self) -> bool:
        """Tell whether everything is in the indexes and committed."""
        told = self.ask("status")
        return not (told["words_behind"] or told["words_building"] or told["building"] or told["scan_owed"])

    def hook(
        self, event: str, payload: Mapping[str, object], env: Mapping[str, str] | None = None, harness: str = "claude"
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the hook as a harness does."""
        given = {"MEMKIT_VAULT": str(self.root), "MEMKIT_HOOK_DEADLINE_MS": "30000", **(env or {})}
        return subprocess.run(
            [sys.executable, "-I", "-S", HOOK, harness, event],
            input=json.dumps(payload).encode(), capture_output=True, check=False, env=os.environ | given, timeout=60,
        )  # fmt: skip

    def prompt(
        self, said: str, turn: str = "t1", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        payload = {"session_id": "s1", "prompt_id": turn, "hook_event_name": "UserPromptSubmit", "prompt": said}
        return self.hook("prompt", payload, env)

    def answer(
        self, said: str, turn: str = "t1", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        payload = {"session_id": "s1", "prompt_id": turn, "hook_event_name": "Stop", "last_assistant_message": said}
        return self.hook("answer", payload, env)

    def cards(self) -> list[str]:
        """Read the cards there are."""
        return [path.read_text(encoding="utf-8") for path in sorted((self.root / "cards").rglob("*.md"))]

    def troubles(self) -> list[str]:
        """List what the daemon's log tells of faults."""
        lines = (self.derived / "daemon.log").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if " ERROR " in line or "Traceback" in line]


@contextmanager
def living(root: Path) -> Iterator[House]:
    """Give a house, and see to it that no daemon outlives it."""
    house = House(root)
    try:
        yield house
    finally:
        try:
            house.stop()
        except KitError:
            house.kill()
