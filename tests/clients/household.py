"""A person's machine in a temporary folder: home, project, vault; and the programs that run there.

Law: nothing of the real home or environment gets in, no key is real, and whatever was started is ended by its id.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kit.vault import exchange, note

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

REPOSITORY = Path(__file__).resolve().parents[2]
ENOUGH_S = 240.0


class Ran(NamedTuple):
    """What a program left behind."""

    code: int
    out: str
    err: str


class Remembered(NamedTuple):
    """A card as it lies in the vault."""

    path: Path
    front: dict[str, object]
    body: str

    @property
    def summary(self) -> str:
        """The first line of the body."""
        return self.body.strip().partition("\n")[0]

    def edit(self, summary: str) -> None:
        """Put another first line into the file, as a person does with an editor."""
        raw = self.path.read_text(encoding="utf-8")
        assert raw.count(self.summary) == 1
        self.path.write_text(raw.replace(self.summary, summary), encoding="utf-8")


class Household:
    """One home with a project under git and a vault in it."""

    def __init__(self) -> None:
        # Short, since a socket's path is.
        self.root = Path(tempfile.mkdtemp(prefix="mk"))
        self.home = self.root / "home"
        self.project = self.home / "marlin"
        self.vault = self.home / "vault"
        self.project.mkdir(parents=True)
        (self.root / "run").mkdir(mode=0o700)
        self.run(["git", "init", "-q", str(self.project)])
        self.memkit("init", str(self.vault))

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Make the environment of a program; of the real one only the path is in it."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/bash",
            "TMPDIR": str(self.root),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_STATE_HOME": str(self.home / ".local/state"),
            "XDG_RUNTIME_DIR": str(self.root / "run"),
            "MEMKIT_CACHE": str(self.home / ".cache/memkit"),
            "MEMKIT_CONFIG": str(self.home / ".config/memkit"),
            "MEMKIT_RUNTIME": str(self.root / "run"),
            "PYTHONPATH": str(REPOSITORY),
            "NO_PROXY": "127.0.0.1,localhost",
            **(more or {}),
        }

    def run(self, command: Sequence[str], more: Mapping[str, str] | None = None) -> Ran:
        """Run a program in the project to its end; its whole group is ended when that takes too long."""
        with subprocess.Popen(
            command, cwd=self.project, env=self.environment(more), text=True, errors="replace", start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            try:
                out, err = process.communicate(timeout=ENOUGH_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
        return Ran(process.returncode, out, err)

    def memkit(self, *words: str, more: Mapping[str, str] | None = None) -> Ran:
        """Run the kit's own command."""
        return self.run([sys.executable, "-m", "kit", *words], more)

    # -- the vault

    def cards(self) -> list[Remembered]:
        """Read all cards, the oldest first."""
        paths = sorted((self.vault / "cards").rglob("*.md"))
        return [Remembered(path, *note.read(path.read_bytes(), path.name)[:2]) for path in paths]

    def exchange(self, card: Remembered) -> exchange.Exchange:
        """Read what was said in a card's turn, by both."""
        event = next((self.vault / "events").rglob(f"{card.front['id']}*.md"))
        return exchange.read(note.read(event.read_bytes(), event.name).body)

    def tell(self) -> str:
        """Tell what there is, for a test that failed: cards, the ends of the logs, processes."""
        cards = [f"{card.path.name}: {card.front} {self.exchange(card)}" for card in self.cards()]
        logs = (self.home / ".cache/memkit").rglob("*.log")
        said = [f"{log.name}: {log.read_text(encoding='utf-8')[-3000:]}" for log in logs]
        return "\n".join([*cards, *said, *self.processes().values()])

    # -- processes

    def processes(self) -> dict[int, str]:
        """Find every process that lives in this home, detached ones too, with its command; on Linux only."""
        if not Path("/proc/self/environ").exists():
            return {}
        mark = f"HOME={self.home}".encode()
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal() or int(entry.name) == os.getpid():
                continue
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    if command:  # a zombie has none
                        found[int(entry.name)] = command
            except OSError:  # gone meanwhile
                continue
        return found

    def close(self) -> None:
        """End what still runs, and remove everything."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        until(lambda: not self.processes())
        shutil.rmtree(self.root, ignore_errors=True)


def until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait for something to become true, within a deadline."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        pause.wait(0.05)
