"""`memkit daemon status` and `memkit status`, as a person reads them and as a program does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kit import __version__, places
from kit.daemon import spool
from tests.daemon.conftest import alive, until
from tests.daemon.house import card, living

if TYPE_CHECKING:
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


def test_a_daemon_that_hangs_is_told_of_costs_no_reading_and_is_ended_by_stop(home: Home) -> None:
    with living(home.root) as house:
        house.write("cards/a.md", card("a", "harbour"))
        assert house.found("harbour")
        pid = house.pid()
        os.kill(pid, signal.SIGSTOP)
        told = said(home.root, "daemon", "status")
        assert (told.returncode, f"process {pid} gives no sign of life" in told.stdout) == (8, True)
        keys = json.loads(said(home.root, "daemon", "status", "--json").stdout)
        assert keys == {"running": True, "answers": False, "pid": pid}
        for line in (["recall", "harbour"], ["status"]):
            told = said(home.root, *line)
            assert told.returncode == 0, told.stderr
            assert told.stdout
            assert told.stderr.count(f"The daemon (process {pid}) gives no sign of life. Doing it without.") == 1
        assert said(home.root, "daemon", "stop").stderr == "Stopped.\n"
        until(lambda: not alive(pid))
        assert said(home.root, "daemon", "stop").stderr == "No daemon ran.\n"
        assert house.found("harbour") == ["cards/a.md"]


def test_what_writes_waits_for_a_daemon_that_hangs_and_says_how_to_end_it(home: Home) -> None:
    with living(home.root) as house:
        house.ask("status")
        os.kill(house.pid(), signal.SIGSTOP)
        told = said(home.root, "remember", "The harbour opens at six.")
        assert (told.returncode, "`memkit daemon stop`" in told.stderr) == (8, True)
        os.kill(house.pid(), signal.SIGCONT)
        assert said(home.root, "remember", "The harbour opens at six.").returncode == 0
        assert len(house.ask("facts")) == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder where nobody, root neither, can make one")
def test_where_nothing_derived_can_be_kept_what_reads_is_answered_with_one_remark(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with living(home.root) as house:
        house.write("cards/a.md", card("a", "harbour", says="The ferry leaves the harbour at six."))
        before = {path: path.read_bytes() for path in home.root.rglob("*") if path.is_file()}
        monkeypatch.setenv("MEMKIT_CACHE", "/proc/memkit")
        for line in (["recall", "the harbour"], ["search", "ferry"], ["status"]):
            told = said(home.root, *line)
            assert told.returncode == 0, told.stderr
            assert told.stdout
            assert told.stderr.count("can't be made") == told.stderr.count("MEMKIT_CACHE") == 1, told.stderr
            assert "did not start" not in told.stderr
        for line in (["remember", "The harbour opens at six."], ["daemon", "start"]):
            told = said(home.root, *line)
            assert (told.returncode, told.stdout) == (8, "")
            assert told.stderr.count("can't be made") == told.stderr.count("MEMKIT_CACHE") == 1, told.stderr
            assert "memkit doctor" not in told.stderr
        assert {path: path.read_bytes() for path in home.root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("is_up", [True, False])
def test_what_came_from_a_client_nobody_knows_is_told_and_can_be_got_rid_of(home: Home, *, is_up: bool) -> None:
    folder = places.spool_folder(home.root)
    with living(home.root) as house:
        if is_up:
            house.ask("status")
        for event in ("prompt", "answer", "start", "nonsense"):
            done = house.hook(event, {"session_id": "s1", "prompt": "a", "answer": "b"}, harness="claud")
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        done = house.hook("nonsense", {"session_id": "s1"})
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        house.ask("status")
        until(lambda: spool.failed(folder) == 2 and not spool.waiting(folder))
        (folder / spool.FAILED / "1-1-a.bin").write_bytes(b"nothing that a hook writes")
        told = said(home.root, "doctor")
        other, whose = told.stdout.splitlines()
        assert told.returncode != 0
        assert all(word in whose for word in ("2 of", "'claud'", "claude, codex", "delete the files here"))
        assert all(word in other for word in ("1 of", "Move them back", "delete them here"))
        assert {line.partition(": ")[0] for line in (whose, other)} == {str(folder / spool.FAILED)}
        shutil.rmtree(folder / spool.FAILED)
        assert said(home.root, "doctor").returncode == 0
        assert "from hooks" not in said(home.root, "status").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is a signal only on POSIX")
def test_a_daemon_run_by_hand_shows_what_happens_and_ends_as_stopped_by_ctrl_c(home: Home) -> None:
    line = [sys.executable, "-m", "kit", "--vault", str(home.root), "daemon", "run"]
    with living(home.root) as house, subprocess.Popen([*line, "--verbose"], stderr=subprocess.PIPE, text=True) as shown:
        assert shown.stderr
        assert shown.stderr.readline() == f"Serving {home.root}, process {shown.pid}; Ctrl-C ends it.\n"
        house.ask("status")
        second = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
        assert (second.returncode, "Another daemon serves this vault." in second.stderr) == (4, True)
        house.hook("start", {"session_id": "s1", "source": "startup"})
        shown.send_signal(signal.SIGINT)
        told = shown.stderr.read()
        assert shown.wait(60) == 130
    assert "asked: status" in told
    assert "hook: claude start" in told
    assert told.endswith("memkit: stopped.\n")
