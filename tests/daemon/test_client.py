"""The client: it starts the daemon it needs, once, and ends its waits at the deadline."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kit.daemon import client as clients
from kit.daemon.channel import read_address
from kit.daemon.client import Client, daemon_command
from kit.errors import BadInputError, BadNoteError, ConfigError, ConflictError, KitError, Problem, UnavailableError
from tests.daemon.conftest import Home, alive, running, serves, until

ASKER = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from kit.daemon.client import Client
result = Client(Path(sys.argv[2]), version="1", spawn=sys.argv[3:]).ask("echo", timeout=60)
print(result["pid"])
"""
REPOSITORY = str(Path(__file__).parents[2])


def client(home: Home, version: str = "1", spawn: list[str] | None = None) -> Client:
    return Client(home.root, version=version, spawn=spawn)


def test_a_missing_daemon_is_started_and_stays(home: Home) -> None:
    asking = client(home, spawn=home.demo())
    first = asking.ask("echo", {"a": 1}, timeout=60)
    assert first == {"op": "echo", "params": {"a": 1}, "pid": home.pids()[0]}
    assert client(home).ask("echo", {"a": 1}) == first
    assert len(home.pids()) == 1
    assert os.getsid(home.pids()[0]) == home.pids()[0]  # detached: a closed terminal does not end it


def test_ten_clients_at_once_start_one_daemon(home: Home) -> None:
    command = [sys.executable, "-c", ASKER, REPOSITORY, str(home.root), *home.demo()]
    with contextlib.ExitStack() as stack:
        askers = [stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) for _ in range(10)]
        answers = {asker.communicate(timeout=100)[0].strip() for asker in askers}
    assert answers == {str(pid) for pid in home.pids()}
    assert len(home.pids()) == 1


def test_ten_threads_at_once_start_one_daemon(home: Home) -> None:
    asking = client(home, spawn=home.demo())
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: asking.ask("echo", timeout=60), range(10)))
    assert len(home.pids()) == 1


def test_errors_come_back_as_what_they_were(home: Home) -> None:
    with running(home):
        asking = client(home)
        with pytest.raises(ConflictError, match="Read it again") as conflict:
            asking.ask("conflict")
        assert (conflict.value.what, conflict.value.exit_code) == ("The note changed.", 4)
        with pytest.raises(BadNoteError) as bad_note:
            asking.ask("bad-note")
        assert bad_note.value.problem == Problem("cards/a.md", 3, "No id.", "Add one.")
        with pytest.raises(ConfigError) as config:
            asking.ask("config")
        assert [problem.line for problem in config.value.problems] == [1, 2]
        with pytest.raises(KitError, match="a bug"):
            asking.ask("crash")


def test_progress_is_handed_on(home: Home) -> None:
    seen: list[tuple[str, int, int]] = []
    with running(home):
        client(home).ask("count", progress=lambda *step: seen.append(step))
    assert seen == [("notes", 1, 3), ("notes", 2, 3), ("notes", 3, 3)]


@pytest.mark.parametrize("flag", [[], ["tcp"]])
def test_a_daemon_of_another_version_is_replaced(home: Home, flag: list[str]) -> None:
    with running(home, "1", *flag) as old:
        answer = client(home, "2", home.demo("2", *flag)).ask("echo", timeout=60)
        assert isinstance(answer, dict)
        assert answer["pid"] == home.pids()[1]
        assert old.wait(20) == 0


def test_two_clients_replace_a_daemon_of_another_version_together(home: Home) -> None:
    with running(home):
        asking = client(home, "2", home.demo("2"))
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: asking.ask("ping", timeout=60), range(4)))
            answers = list(pool.map(lambda _: asking.ask("echo", timeout=60), range(4)))
        assert len({str(answer) for answer in answers}) == 1


def test_a_client_that_may_start_none_says_so(home: Home) -> None:
    with pytest.raises(UnavailableError, match="memkit daemon start"):
        client(home).ask("echo")
    with running(home), pytest.raises(UnavailableError, match="version 1"):
        client(home, "2").ask("echo")


def test_a_start_that_keeps_making_another_version_is_not_tried_for_ever(home: Home) -> None:
    with running(home), pytest.raises(UnavailableError, match="version 1"):
        client(home, "2", home.demo("1")).ask("echo", timeout=60)


@pytest.mark.parametrize(
    ("spawn", "said"),
    [
        (["/nonexistent/python"], "can't be started"),
        ([sys.executable, "-c", "import sys; sys.exit('no such vault')"], "no such vault"),
        ([sys.executable, "-c", "import sys; sys.exit(3)"], "said nothing"),
    ],
)
def test_a_daemon_that_cannot_start_is_reported_with_its_last_words(home: Home, spawn: list[str], said: str) -> None:
    with pytest.raises(UnavailableError, match=said):
        client(home, spawn=spawn).ask("echo", timeout=60)


def test_the_deadline_holds_when_the_start_brings_no_daemon(home: Home) -> None:
    with pytest.raises(UnavailableError, match="in time"):
        client(home, spawn=[sys.executable, "-c", "pass"]).ask("echo", timeout=0.5)


@pytest.mark.parametrize(("patience", "timeout"), [(15.0, 0.2), (0.2, 100.0)])
def test_a_daemon_that_does_not_greet_is_not_waited_for(
    home: Home, monkeypatch: pytest.MonkeyPatch, patience: float, timeout: float
) -> None:
    monkeypatch.setattr(clients, "_SILENT_S", patience)
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(home.folder / "socket"))
        mute.listen()
        with pytest.raises(UnavailableError, match="no sign of life"):
            client(home).ask("echo", timeout=timeout)


def test_a_daemon_that_dies_at_work_is_reported_and_the_next_call_starts_another(home: Home) -> None:
    asking = client(home, spawn=home.demo())
    with pytest.raises(UnavailableError, match="broke off"):
        asking.ask("die", timeout=60)
    assert asking.ask("echo", timeout=60)
    assert len(home.pids()) == 2


def test_a_request_that_is_too_long_is_not_sent(home: Home) -> None:
    with running(home), pytest.raises(BadInputError, match="too long"):
        client(home).ask("echo", {"a": "x" * 9_000_000})


def test_a_connection_into_a_dying_process_is_taken_for_none(home: Home) -> None:
    with socket.socket(socket.AF_UNIX) as dying:
        dying.bind(str(home.folder / "socket"))
        dying.listen()

        def reset() -> None:
            dying.accept()[0].close()
            dying.close()

        thread = threading.Thread(target=reset)
        thread.start()
        assert client(home, spawn=home.demo()).ask("echo", timeout=60)
        thread.join(20)


def test_stop_waits_until_the_daemon_is_gone(home: Home) -> None:
    asking = client(home, spawn=home.demo())
    asking.ask("echo", timeout=60)
    pid = home.pids()[0]
    assert asking.stop() is True
    until(lambda: not alive(pid))
    assert asking.stop() is False
    assert not serves(home.folder)


def test_a_stale_socket_does_not_stop_a_start(home: Home) -> None:
    with running(home) as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait(20)
    assert read_address(home.folder)
    assert client(home, spawn=home.demo()).ask("echo", timeout=60)


def test_the_usual_command_runs_this_installation_and_no_folder_of_the_project(home: Home) -> None:
    command = daemon_command(home.root)
    assert command == [sys.executable, "-P", "-m", "kit", "daemon", "run", "--vault", str(home.root)]


def test_the_client_is_light() -> None:
    code = "import sys, kit.daemon.client; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"click", "pydantic", "whoosh", "watchdog", "yaml", "asyncio", "logging", "subprocess"} & set(loaded)


def test_a_reaper_is_the_only_trace_of_a_started_daemon(home: Home) -> None:
    before = threading.active_count()
    asking = client(home, spawn=home.demo())
    asking.ask("echo", timeout=60)
    asking.stop()
    until(lambda: threading.active_count() == before)
