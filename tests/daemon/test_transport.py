"""The server over real sockets: what it answers, how long it lives, who may have the folder."""

import contextlib
import errno
import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit import places
from kit.daemon import protocol, spool
from kit.daemon.channel import Channel, connect, read_address
from kit.daemon.server import Server
from kit.errors import BadInputError, KitError
from tests.daemon.conftest import Home, running, serves, until
from tests.daemon.demo_daemon import Demo


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextlib.contextmanager
def serving(home: Home, *, idle_s: float = 60, **options: object) -> Iterator[tuple[Server, Demo, threading.Thread]]:
    demo = Demo(home.root)
    server = Server(demo, home.folder, version="1", idle_s=idle_s, tick_s=0.02, **options)  # type: ignore[arg-type] # options of one test
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        until(lambda: serves(home.folder))
        yield server, demo, thread
    finally:
        demo.go_on.set()
        server.stop()
        thread.join(20)
        assert not thread.is_alive()


@contextlib.contextmanager
def connected(home: Home) -> Iterator[Channel]:
    channel = connect(home.folder, within_s=5)
    assert channel
    try:
        yield channel
    finally:
        channel.close()


def line(channel: Channel) -> dict[str, object]:
    told = channel.read_line(None, wait_s=20, gap_s=20)
    assert told is not None
    return protocol.decode(told)


def ask(channel: Channel, op: str, number: int = 1, version: str = "1", *, progress: bool = False) -> dict[str, object]:
    request = protocol.Request(version, number, op, {"a": "ä知"}, progress)
    channel.send(protocol.encode_request(request), within_s=5)
    return line(channel)


def is_closed(channel: Channel) -> bool:
    try:
        return channel.read_line(None, wait_s=20, gap_s=20) is None
    except ConnectionError:
        return True


def test_several_requests_are_answered_on_one_connection(home: Home) -> None:
    with serving(home), connected(home) as channel:
        for number in (7, 8):
            reply = ask(channel, "echo", number)
            assert reply["id"] == number
            assert reply["result"] == {"op": "echo", "params": {"a": "ä知"}, "pid": os.getpid()}


def test_the_socket_and_its_papers_belong_to_this_user_only(home: Home) -> None:
    with serving(home):
        assert home.folder.stat().st_mode & 0o777 == 0o700
        assert (home.folder / "socket").stat().st_mode & 0o777 == 0o600
        assert (home.folder / "daemon.json").stat().st_mode & 0o777 == 0o600
        found = read_address(home.folder)
        assert found
        assert (found.pid, found.version, found.address) == (os.getpid(), "1", str(home.folder / "socket"))


def test_progress_comes_before_the_result_and_only_if_asked_for(home: Home) -> None:
    with serving(home), connected(home) as channel:
        assert "result" in ask(channel, "count")
        assert ask(channel, "count", progress=True)["progress"] == ["notes", 1, 3]
        assert [line(channel).get("progress") for _ in range(3)] == [["notes", 2, 3], ["notes", 3, 3], None]


def test_a_crash_in_the_handler_is_told_and_the_server_lives_on(home: Home) -> None:
    with serving(home), connected(home) as channel:
        for op in ("crash", "odd"):
            error = ask(channel, op)["error"]
            assert isinstance(error, dict)
            assert op in error["what"]
            assert error["exit_code"] == 1
        assert ask(channel, "crash-after")["ok"] is True
        assert ask(channel, "echo")["ok"] is True


@pytest.mark.parametrize(
    "sent", [b"no json\n", b"[]\n", b"{}\n", b"\xff\xfe\n", b'{"v":1,"op":"x"}\n', b"[" * 99999 + b"\n", b"\n"]
)
def test_a_line_that_is_no_request_gets_an_error_and_the_connection_goes_on(home: Home, sent: bytes) -> None:
    with serving(home), connected(home) as channel:
        channel.send(sent, within_s=5)
        assert line(channel)["ok"] is False
        assert ask(channel, "echo")["ok"] is True


def test_a_line_without_end_is_refused_at_the_limit(home: Home) -> None:
    with serving(home), connected(home) as channel:
        with contextlib.suppress(OSError):  # the server may have closed before all is sent
            channel.send(b"x" * (protocol.LINE_LIMIT + 2**18), within_s=20)
        with contextlib.suppress(ConnectionError):
            assert line(channel)["ok"] is False
        assert is_closed(channel)


def test_a_line_that_is_begun_and_not_ended_loses_its_connection(home: Home) -> None:
    with serving(home), connected(home) as slow, connected(home) as idle:
        slow.send(b'{"v":', within_s=5)
        assert is_closed(slow)
        assert ask(idle, "echo")["ok"] is True


def test_another_version_is_told_to_restart_but_may_ping_and_stop(home: Home) -> None:
    with serving(home) as (_, _, thread), connected(home) as channel:
        assert ask(channel, "echo", version="2") == {"id": 1, "ok": False, "restart": True, "version": "1"}
        assert ask(channel, "ping", version="2")["result"] == {"pid": os.getpid(), "version": "1"}
        assert ask(channel, "stop", version="2")["ok"] is True
        thread.join(20)
        assert not thread.is_alive()


def test_the_address_is_gone_before_a_stop_is_answered(home: Home) -> None:
    with serving(home) as (_, demo, thread):
        with connected(home) as working, connected(home) as channel:
            working.send(protocol.encode_request(protocol.Request("1", 5, "wait", {})), within_s=5)
            assert demo.began.wait(20)
            ask(channel, "stop")
            assert not (home.folder / "daemon.json").exists()
            assert not (home.folder / "socket").exists()
            demo.go_on.set()
            assert line(working)["result"] is True  # what runs is finished first
        thread.join(20)
        assert not thread.is_alive()


def test_status_counts_requests_and_time(home: Home) -> None:
    clock = Clock()
    with serving(home, clock=clock), connected(home) as channel:
        ask(channel, "echo")
        clock.now = 5
        status = ask(channel, "load")["result"]
        assert isinstance(status, dict)
        assert (status["uptime_s"], status["requests"], status["version"]) == (5, 2, "1")


def test_idle_time_ends_it_unless_the_handler_is_busy(home: Home) -> None:
    clock = Clock()
    with serving(home, idle_s=100, clock=clock) as (server, demo, thread):
        clock.now = 90
        with connected(home) as channel:
            ask(channel, "echo")
        until(lambda: not server._working)
        clock.now = 189
        assert all(serves(home.folder) for _ in range(3))  # each connection makes it look at the clock
        demo.is_busy = True
        clock.now = 191
        assert all(serves(home.folder) for _ in range(3))
        demo.is_busy = False
        thread.join(20)
        assert not thread.is_alive()
        assert not (home.folder / "daemon.json").exists()


def test_too_many_clients_are_told_so(home: Home) -> None:
    with serving(home, most=1), contextlib.ExitStack() as stack:

        def alone() -> Channel | None:
            channel = connect(home.folder, within_s=5)
            assert channel
            stack.callback(channel.close)
            return channel if ask(channel, "ping")["ok"] else None

        until(alone)
        channel = connect(home.folder, within_s=5)
        assert channel
        stack.callback(channel.close)
        assert "too many" in str(line(channel)["error"])


def test_a_folder_that_is_cleaned_away_ends_the_server(home: Home) -> None:
    with serving(home) as (_, _, thread):
        (home.folder / "socket").unlink()
        thread.join(20)
        assert not thread.is_alive()


def test_the_reply_to_a_hook_comes_before_what_follows_it(home: Home) -> None:
    with serving(home), connected(home) as channel:
        channel.send(b"HOOK claude later 2 4\nPWD=hi", within_s=5)
        assert channel.read_line(None, wait_s=20, gap_s=20) == b"OK 20"
        assert channel.read_exactly(20, gap_s=20) == b"claude later hi PWD="
        until((home.root / "after").is_file)


@pytest.mark.parametrize("sent", [b"HOOK\n", b"HOOK a b x 1\n", b"HOOK a b 999999999 0\n", b"HOOK ../a b 1 0\nx"])
def test_a_frame_that_is_off_ends_its_connection_only(home: Home, sent: bytes) -> None:
    with serving(home):
        with connected(home) as channel:
            channel.send(sent, within_s=5)
            assert not str(channel.read_line(None, wait_s=20, gap_s=20)).startswith("OK")
        with connected(home) as channel:
            assert ask(channel, "echo")["ok"] is True


def test_a_hook_whose_handler_crashes_is_refused(home: Home) -> None:
    with serving(home), connected(home) as channel:
        channel.send(b"HOOK claude crash 2 0\nhi", within_s=5)
        assert channel.read_line(None, wait_s=20, gap_s=20) == b"NO"


def test_loopback_needs_the_token(home: Home) -> None:
    with serving(home, tcp=True):
        with connected(home) as channel:
            assert ask(channel, "echo")["ok"] is True
        found = read_address(home.folder)
        assert found
        assert len(found.token) == 64
        assert (home.folder / "daemon.json").stat().st_mode & 0o777 == 0o600
        port = int(found.address.rpartition(":")[2])
        for first in (b"POST / HTTP/1.1\n", b"0" * 64 + b"\n", "ä\n".encode()):
            stranger = Channel(socket.create_connection(("127.0.0.1", port)))
            stranger.send(first, within_s=5)
            assert is_closed(stranger)
            stranger.close()


def test_the_spool_is_worked_off_and_what_fails_is_set_aside(home: Home) -> None:
    folder = places.spool_folder(home.root)
    folder.mkdir(parents=True)
    for name, data in {
        "00000000000000000001-1-a.bin": b"HOOK claude answer 2 5\nPWD=/hi",
        "00000000000000000002-1-a.bin": b"HOOK claude crash 2 0\nhi",
        "00000000000000000003-1-a.bin": b"HOOK claude ans",
        "00000000000000000004-1-a": b"HOOK claude answer 2 0\nhi",
    }.items():
        (folder / name).write_bytes(data)
    with serving(home, spooled=folder):
        until(lambda: spool.waiting(folder) == [])
    assert (home.root / "raw").read_bytes() == b"claude answer hi MEMKIT_SPOOLED=1 PWD=/\n"
    assert sorted(path.name[19:20] for path in (folder / "failed").iterdir()) == ["2", "3"]
    assert (folder / "00000000000000000004-1-a").exists()  # still being written


def test_a_trouble_that_passes_costs_no_spooled_answer_and_keeps_the_order(home: Home) -> None:
    folder = places.spool_folder(home.root)
    folder.mkdir(parents=True)
    (folder / "00000000000000000001-1-a.bin").write_bytes(b"HOOK claude away 2 0\nhi")
    (folder / "00000000000000000002-1-a.bin").write_bytes(b"HOOK claude answer 2 0\nho")
    clock = Clock()
    with serving(home, spooled=folder, clock=clock) as (server, demo, _):
        for turn, now in enumerate((0, 2, 5), 1):  # each pause is twice as long
            clock.now = now
            until(lambda turn=turn: demo.refused == turn)  # type: ignore[misc]
            assert all(serves(home.folder) for _ in range(3))  # each connection makes it look at the spool
            assert demo.refused == turn
            assert len(spool.waiting(folder)) == 2
        (home.root / "back").touch()
        clock.now = 10
        until(lambda: spool.waiting(folder) == [])
        assert server.status()["spool_failed"] == 0
    said = b"claude away hi MEMKIT_SPOOLED=1\nclaude answer ho MEMKIT_SPOOLED=2\n"
    assert (home.root / "raw").read_bytes() == said


def test_a_spooled_answer_that_cannot_be_read_now_is_not_set_aside(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = places.spool_folder(home.root)
    folder.mkdir(parents=True)
    (folder / "00000000000000000001-1-a.bin").write_bytes(b"HOOK claude answer 2 0\nhi")
    clock, read, tried = Clock(), Path.read_bytes, threading.Event()

    def without_descriptors(path: Path) -> bytes:
        if path.suffix == ".bin":
            tried.set()
            raise OSError(errno.EMFILE, "Too many open files")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", without_descriptors)
    with serving(home, spooled=folder, clock=clock) as (server, _, _):
        until(tried.is_set)
        monkeypatch.setattr(Path, "read_bytes", read)
        clock.now = 10
        until(lambda: spool.waiting(folder) == [])
        assert server.status()["spool_failed"] == 0
    assert (home.root / "raw").read_bytes() == b"claude answer hi MEMKIT_SPOOLED=1\n"


def test_a_spool_that_can_not_be_tidied_is_tried_again_ever_later(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    folder = places.spool_folder(home.root)
    folder.mkdir(parents=True)
    (folder / "failed").touch()  # where the folder for what makes no sense should be
    (folder / "00000000000000000001-1-a.bin").write_bytes(b"no hook")
    clock = Clock()

    def tries() -> int:
        return sum("can't be dealt with" in each.message for each in caplog.records)

    with serving(home, spooled=folder, clock=clock):
        for turn, now in enumerate((0, 2, 5), 1):
            clock.now = now
            until(lambda turn=turn: tries() == turn)  # type: ignore[misc]
            assert all(serves(home.folder) for _ in range(3))  # each connection makes it look at the spool
            assert tries() == turn
        (folder / "failed").unlink()
        clock.now = 10
        until(lambda: spool.waiting(folder) == [])
    assert spool.failed(folder) == 1


def test_a_client_that_can_not_be_let_in_is_turned_away_and_the_next_one_is_served(
    home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start = threading.Thread.start

    def without_threads(thread: threading.Thread) -> None:
        if getattr(getattr(thread, "_target", None), "__name__", "") == "_talk":
            raise RuntimeError("can't start new thread")
        start(thread)

    with serving(home, most=1):
        monkeypatch.setattr(threading.Thread, "start", without_threads)
        for _ in range(3):
            client = connect(home.folder, within_s=5)
            assert client is not None
            assert is_closed(client)
            client.close()
        monkeypatch.setattr(threading.Thread, "start", start)
        until(lambda: serves(home.folder))
    assert "turned away" in caplog.text


def test_what_can_never_be_dealt_with_holds_nothing_back_for_long(home: Home) -> None:
    folder = places.spool_folder(home.root)
    folder.mkdir(parents=True)
    (folder / "00000000000000000001-1-a.bin").write_bytes(b"HOOK claude away 2 0\nhi")
    (folder / "00000000000000000002-1-a.bin").write_bytes(b"HOOK claude answer 2 0\nho")
    clock = Clock()
    with serving(home, spooled=folder, clock=clock) as (_, demo, _):
        for turn, now in enumerate((0, 2, 5, 10, 20), 1):
            clock.now = now
            until(lambda turn=turn: demo.refused == turn)  # type: ignore[misc]
        until(lambda: [path.name[19:20] for path in spool.waiting(folder)] == ["1"])
        (folder / "3.draft").write_bytes(b"HOOK claude answer 2 0\nha")
        (folder / "3.draft").rename(folder / "00000000000000000003-1-a.bin")  # later, and before the next try
        until(lambda: [path.name[19:20] for path in spool.waiting(folder)] == ["1"])
        assert demo.refused == 5
        (home.root / "back").touch()
        clock.now = 100
        until(lambda: spool.waiting(folder) == [])
    said = [line.split()[2] for line in (home.root / "raw").read_bytes().splitlines()]
    assert said == [b"ho", b"ha", b"hi"]


def test_what_was_dealt_with_when_a_stop_came_is_not_told_again(home: Home) -> None:
    folder = places.spool_folder(home.root)
    folder.mkdir(parents=True)
    with serving(home, spooled=folder) as (server, demo, thread):
        demo.on_raw = server.stop
        for number in (1, 2):
            (folder / f"{number}.draft").write_bytes(b"HOOK claude answer 2 0\nhi")
            (folder / f"{number}.draft").rename(folder / f"0000000000000000000{number}-1-a.bin")
        thread.join(20)
    assert (home.root / "raw").read_bytes().count(b"MEMKIT_SPOOLED=1\n") == 1
    assert "00000000000000000001-1-a.bin" not in [path.name for path in spool.waiting(folder)]


def test_of_two_servers_started_at_once_one_wins_and_the_other_leaves_quietly(home: Home) -> None:
    with contextlib.ExitStack() as stack:
        both = [stack.enter_context(subprocess.Popen(home.demo(), stderr=subprocess.PIPE)) for _ in range(2)]
        for process in both:
            stack.callback(process.kill)
        said = home.root / "ends"
        until(lambda: said.exists() and len(said.read_text().split()) == 2)
        loser, won = said.read_text().split()
        assert won == "False"
        quiet, winner = sorted(both, key=lambda process: process.pid != int(loser))
        assert (quiet.wait(20), quiet.stderr and quiet.stderr.read()) == (0, b"")
        assert winner.poll() is None
        assert serves(home.folder)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(home: Home, number: signal.Signals) -> None:
    with running(home) as process:
        process.send_signal(number)
        assert process.wait(20) == 0
    assert not (home.folder / "daemon.json").exists()
    assert not (home.folder / "socket").exists()


def test_a_vault_that_disappears_ends_it(home: Home) -> None:
    with running(home) as process:
        home.root.rename(home.root.with_name("away"))
        assert process.wait(20) == 0


def test_after_a_kill_the_next_one_takes_over(home: Home) -> None:
    with running(home) as process:
        process.kill()
        process.wait(20)
    assert (home.folder / "socket").exists()
    with running(home) as process:
        found = read_address(home.folder)
        assert found
        assert found.pid == process.pid


def test_a_folder_others_can_enter_is_refused(home: Home) -> None:
    home.folder.chmod(0o755)
    with pytest.raises(KitError, match="not private"):
        places.runtime_folder(home.root)
    home.folder.rmdir()
    home.folder.symlink_to(home.root)
    with pytest.raises(KitError, match="not private"):
        places.runtime_folder(home.root)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_someone_else_is_refused(home: Home) -> None:
    os.chown(home.folder, 12345, 12345)
    with pytest.raises(KitError, match="not private"):
        places.runtime_folder(home.root)


def test_a_path_too_long_for_a_socket_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_RUNTIME", f"{home.root}/{'x' * 90}")
    with pytest.raises(BadInputError, match="MEMKIT_RUNTIME"):
        places.runtime_folder(home.root)


def test_folders_of_derived_data_tell_vault_and_place_apart(home: Home) -> None:
    other = home.root.with_name("copy")
    folder = places.cache_folder("v1", home.root)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.name.startswith("v1-")
    assert places.cache_folder("v1", other) != folder
    link = home.root.with_name("link")
    link.symlink_to(home.root)
    assert places.cache_folder("v1", link) == folder
    with pytest.raises(BadInputError):
        places.cache_folder("../v1", home.root)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_bad_input(data: bytes) -> None:
    for parse in (protocol.parse_request, protocol.parse_hook_frame):
        with contextlib.suppress(BadInputError):
            parse(data)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none(), max_size=4))
def test_a_request_comes_through_the_wire_as_it_was(params: dict[str, object]) -> None:
    request = protocol.Request("1", 3, "recall", params, progress=True)
    sent = protocol.encode_request(request)
    assert sent.count(b"\n") == 1
    assert protocol.parse_request(sent) == request


def test_half_a_character_does_not_break_the_wire() -> None:
    assert json.loads(protocol.encode({"a": "x\ud800"})) == {"a": "x?"}


def test_a_private_folder_that_cannot_be_made_is_said(home: Home) -> None:
    blocked = home.root / "file"
    blocked.write_text("")
    with pytest.raises(KitError, match="can't be made"):
        places.private_folder(blocked / "folder" / "x")


def test_a_relative_or_foreign_runtime_folder_is_passed_over(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMKIT_RUNTIME")
    usual = places.runtime_path(home.root)
    for odd in ("run", str(home.root / "missing"), ""):
        monkeypatch.setenv("XDG_RUNTIME_DIR", odd)
        assert places.runtime_path(home.root) == usual
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home.root))
    assert places.runtime_path(home.root).parent == Path(home.root)
