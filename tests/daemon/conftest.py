"""Folders of their own for each test, and daemons that are ended by their pid."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kit import places
from kit.daemon.channel import connect, read_address

DEMO = Path(__file__).parent / "demo_daemon.py"


class Home(NamedTuple):
    """A vault and the folders of one person."""

    root: Path
    folder: Path

    def demo(self, version: str = "1", *flags: str) -> list[str]:
        return [sys.executable, str(DEMO), str(self.root), version, *flags]

    def pids(self) -> list[int]:
        """Everyone who was started as a demo daemon of this vault."""
        file = self.root / "starts"
        return [int(line) for line in file.read_text().split()] if file.exists() else []


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    # Short, unlike tmp_path: a socket's path has room for 100 bytes.
    base = Path(tempfile.mkdtemp(prefix="mk")).resolve()
    root = base / "vault"
    root.mkdir()
    for name in [name for name in os.environ if name.startswith(("MEMKIT_", "CODEX_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(base / "home"))
    monkeypatch.setenv("MEMKIT_RUNTIME", str(base / "run"))
    monkeypatch.setenv("MEMKIT_CACHE", str(base / "cache"))
    found = Home(root, places.runtime_folder(root))
    pids: list[int] = []
    try:
        yield found
        pids = found.pids()
    finally:
        for pid in pids or found.pids():
            end(pid)
        shutil.rmtree(base, ignore_errors=True)


def end(pid: int) -> None:
    """End a process and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not alive(pid))


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits for its parent does not."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:
        return sys.platform != "linux"


def until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Wait for something to become true, within a deadline."""
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        pause.wait(0.01)


@contextlib.contextmanager
def running(home: Home, version: str = "1", *flags: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a demo daemon in a process of its own."""
    with subprocess.Popen(home.demo(version, *flags)) as process:
        try:
            until(lambda: serves(home.folder))
            yield process
        finally:
            process.kill()


def serves(folder: Path) -> bool:
    """Tell whether a daemon answers in a runtime folder."""
    if read_address(folder) is None or (channel := connect(folder, within_s=5)) is None:
        return False
    channel.close()
    return True
