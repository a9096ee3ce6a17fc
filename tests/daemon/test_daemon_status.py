"""`memkit daemon status` and `memkit status`, as a person reads them and as a program does."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from kit import __version__
from tests.daemon.house import living

if TYPE_CHECKING:
    from pathlib import Path

    from tests.daemon.conftest import Home


def said(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "kit", "--vault", str(root), *args]
    return subprocess.run(line, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)


def test_the_state_of_a_daemon_is_said_in_words_and_as_json_by_its_keys(home: Home) -> None:
    with living(home.root) as house:
        pid = house.ask("status") and house.pid()
        told = said(home.root, "daemon", "status")
        assert told.returncode == 0
        assert [line.split("  ")[0] for line in told.stdout.splitlines()] == ["daemon", "version", "load", "from hooks"]
        assert f"process {pid}" in told.stdout
        assert __version__ in told.stdout
        assert "nothing waits" in told.stdout
        assert not [raw for raw in ("uptime_s", "spool_", "True", "\t", "\x1b") if raw in told.stdout]
        keys = json.loads(said(home.root, "daemon", "status", "--json").stdout)
        assert set(keys) == {
            "running", "pid", "version", "uptime_s", "requests", "connections", "spool_waiting", "spool_failed",
        }  # fmt: skip


def test_that_no_daemon_runs_is_said_too(home: Home) -> None:
    with living(home.root):
        told = said(home.root, "daemon", "status")
        assert (told.returncode, told.stdout) == (1, "daemon  none runs; the next command or hook starts it\n")
        assert json.loads(said(home.root, "daemon", "status", "--json").stdout) == {"running": False}
