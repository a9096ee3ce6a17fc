"""The hook as harnesses run it: silent and 0 whatever happens, and nothing lost that must last."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import courier, hook, places, whereabouts
from kit.daemon import spool
from tests.daemon.conftest import Home, running, until

HOOK = str(Path(hook.__file__).resolve())
NOWHERE = "/nonexistent/python"
ALLOWED = frozenset(
    [
        "__main__",
        "_abc",
        "_blake2",
        "_codecs",
        "_collections_abc",
        "_frozen_importlib",
        "_frozen_importlib_external",
        "_imp",
        "_io",
        "_opcode",
        "_signal",
        "_socket",
        "_stat",
        "_thread",
        "_warnings",
        "_weakref",
        "abc",
        "builtins",
        "codecs",
        "courier",
        "encodings",
        "encodings.aliases",
        "encodings.utf_8",
        "genericpath",
        "io",
        "marshal",
        "nt",
        "ntpath",
        "os",
        "os.path",
        "posix",
        "posixpath",
        "stat",
        "sys",
        "time",
        "whereabouts",
        "winreg",
        "zipimport",
        "encodings.ascii",
        "encodings.latin_1",
    ]
)
HEAVY = frozenset(["_collections_abc", "genericpath", "os", "os.path", "posixpath", "stat"])
"""What only a system without `posix` has to load"""
MODULES = """
import sys
try:
    import posix as system
except ImportError:
    import os as system
sys.argv[1:2], path = [], sys.argv[1]
scope = {"__name__": "hook", "__file__": path}
with open(path) as file:
    exec(compile(file.read(), path, "exec"), scope)
system._exit = lambda code: print("", *sys.modules, sep="\\n")
scope["main"]()
"""


UNTIMED = """
import _signal, sys
del _signal.setitimer
sys.argv[1:2], path = [], sys.argv[1]
scope = {"__name__": "hook", "__file__": path}
with open(path) as file:
    exec(compile(file.read(), path, "exec"), scope)
scope["main"]()
"""

PUT_OFF = """
import _signal, sys, time
del _signal.setitimer
scope = {"__name__": "courier", "__package__": ""}
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
with open(sys.argv[1]) as file:
    exec(compile(file.read(), sys.argv[1], "exec"), scope)
scope["limit"](0.05)
scope["limit"](60)
time.sleep(0.5)
print("lives")
"""


@pytest.fixture
def vault(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    (home.root / "memkit.toml").write_text("")
    monkeypatch.setenv("MEMKIT_VAULT", str(home.root))
    monkeypatch.setenv("MEMKIT_PYTHON", NOWHERE)
    monkeypatch.setenv("MEMKIT_HOOK_DEADLINE_MS", "20000")
    return home


def run(*words: str, payload: bytes = b'{"prompt": "hi"}', cwd: Path | None = None) -> bytes:
    """Run the hook, hold it to silence on stderr and exit code 0, return what it printed."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", HOOK, *words], input=payload, capture_output=True, cwd=cwd, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def log() -> str:
    file = places.cache_base() / "hook.log"
    return file.read_text() if file.exists() else ""


def waiting(home: Home) -> list[tuple[str, bytes]]:
    folder = places.spool_folder(home.root)
    return [(item.call.event, item.call.payload) for item in spool.take(folder) if item.call]


@contextlib.contextmanager
def answering(home: Home, answer: bytes | None) -> Iterator[list[bytes]]:
    """Stand in for a daemon that reads a frame and sends these bytes; None keeps the line open and silent."""
    got: list[bytes] = []
    done = threading.Event()

    def serve(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            client, _ = listener.accept()
            with client:
                got.append(client.recv(1 << 16))
                if answer is None:
                    done.wait(60)
                else:
                    client.sendall(answer)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.folder / "socket"))
        listener.listen()
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield got
        finally:
            done.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(20)


@pytest.mark.parametrize("flag", [[], ["tcp"]])
def test_bytes_go_to_the_daemon_and_come_back_untouched(vault: Home, flag: list[str]) -> None:
    payload = "知 \r\n\0 end".encode() + b"\xff" + b"x" * 300_00
    with running(vault, "1", *flag):
        assert run("claude", "prompt", payload=payload).startswith(b"claude prompt " + payload + b" MEMKIT_CACHE=")


def test_only_known_variables_are_told_and_no_keys(vault: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDECODE", "CODEX_HOME", "CODEX_API_KEY", "MEMKIT_TOKEN", "OPENAI_API_KEY", "AUTHOR"):
        monkeypatch.setenv(name, f"v-{name}")
    monkeypatch.setenv("PWD", "/stale")
    with running(vault):
        told = run("codex", "prompt", cwd=vault.root.parent).decode()
    for present in ("CLAUDECODE=v-CLAUDECODE", "CODEX_HOME=", "MEMKIT_VAULT=", f"PWD={vault.root.parent}"):
        assert present in told
    for absent in ("API_KEY", "TOKEN", "AUTHOR", "/stale"):
        assert absent not in told


@pytest.mark.parametrize("event", ["prompt", "answer"])
def test_without_a_daemon_it_is_started_and_gets_what_waited(
    vault: Home, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    starter = vault.root / "python"
    command = " ".join(f"'{word}'" for word in vault.demo("1", "spool"))
    starter.write_text(f'#!/bin/sh\necho "$@" >> "{vault.root}/told"\nexec {command}\n')
    starter.chmod(0o755)
    monkeypatch.setenv("MEMKIT_PYTHON", str(starter))
    assert run("claude", event) == b""
    until((vault.root / "raw").exists)
    until(lambda: not spool.waiting(places.spool_folder(vault.root)))
    assert (vault.root / "raw").read_bytes().startswith(f'claude {event} {{"prompt": "hi"}} '.encode())
    assert (vault.root / "told").read_text() == f"-P -m kit daemon run --vault {vault.root}\n"
    assert os.getsid(vault.pids()[0]) == vault.pids()[0]
    assert run("claude", "prompt") != b""


def test_a_daemon_that_does_not_come_up_is_not_started_over_and_over(
    vault: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    starter = vault.root / "python"
    starter.write_text(f'#!/bin/sh\necho start >> "{vault.root}/told"\n')
    starter.chmod(0o755)
    monkeypatch.setenv("MEMKIT_PYTHON", str(starter))
    for number in range(3):
        assert run("claude", "answer", payload=b"%d" % number) == b""
    until((vault.root / "told").exists)
    assert waiting(vault) == [("answer", b"0"), ("answer", b"1"), ("answer", b"2")]
    assert (vault.root / "told").read_text() == "start\n"


@pytest.mark.parametrize("said", ["false", "0", "Off"])
def test_a_person_who_starts_the_daemon_by_hand_gets_none_started(
    vault: Home, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    starter = vault.root / "python"
    starter.write_text(f'#!/bin/sh\necho start >> "{vault.root}/told"\n')
    starter.chmod(0o755)
    monkeypatch.setenv("MEMKIT_PYTHON", str(starter))
    monkeypatch.setenv("MEMKIT_DAEMON_START", said)
    assert run("claude", "answer") == b""
    assert waiting(vault) == [("answer", b'{"prompt": "hi"}')]
    assert not (vault.folder / "start.lock").exists()


def test_what_is_spooled_is_private_and_what_need_not_last_is_not_spooled(vault: Home) -> None:
    run("claude", "start")
    assert waiting(vault) == []
    run("claude", "answer")
    folder = places.spool_folder(vault.root)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (folder, folder.parent)} == {0o700}
    assert "FileNotFoundError" in log()


def test_no_vault_means_nothing_at_all(home: Home) -> None:
    assert run("claude", "prompt", cwd=home.root) == b""
    assert run("claude", "answer", cwd=home.root) == b""
    assert not (home.root.parent / "cache").exists()


def test_the_vault_is_found_upward_and_by_the_pointer_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, outside = home.root / "cards" / "2026-08", home.root.parent / "project"
    inside.mkdir(parents=True)
    outside.mkdir()
    with running(home):
        assert run("claude", "prompt", cwd=inside) == b""
        monkeypatch.setenv("MEMKIT_HOOK_DEADLINE_MS", "20000")
        (home.root / "memkit.toml").write_text("")
        assert run("claude", "prompt", cwd=inside) != b""
        assert run("claude", "prompt", cwd=outside) == b""
        places.pointer_file().parent.mkdir(parents=True)
        places.pointer_file().write_text(f"{home.root}\n")
        assert run("claude", "prompt", cwd=outside) != b""


@pytest.mark.parametrize(
    ("name", "value"),
    [("MEMKIT_OFF", "1"), ("MEMKIT_OFF", "true"), ("MEMKIT_HOOK_DEPTH", "1"), ("MEMKIT_HOOK_DEPTH", "x")],
)
def test_it_can_be_switched_off(vault: Home, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with running(vault):
        assert run("claude", "prompt") == b""
        assert run("claude", "answer") == b""
    assert not (vault.root / "raw").exists()


@pytest.mark.parametrize("words", [(), ("claude",), ("claude", "a b"), ("../x", "answer"), ("a", "b", "c"), ("", "é")])
def test_words_that_are_off_are_silent(vault: Home, words: tuple[str, ...]) -> None:
    with running(vault):
        assert run(*words) == b""
    assert not (vault.root / "raw").exists()


@pytest.mark.usefixtures("vault")
@pytest.mark.parametrize("payload", [b"", b" \n", b"\xff\xfe\x00garbage", b"{" * 5000])
def test_garbage_on_stdin_is_silent_without_a_daemon(payload: bytes) -> None:
    assert run("claude", "prompt", payload=payload) == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("event", ["prompt", "answer"])
def test_closed_streams_are_silent(vault: Home, closed: str, event: str) -> None:
    script = f'exec "$0" -I -S "$1" claude {event} {closed}'
    with running(vault):
        done = subprocess.run(
            ["/bin/sh", "-c", script, sys.executable, HOOK], input=b"{}", capture_output=True, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (done.stdout == b"") == (closed != "2>&-")


def test_a_reader_that_left_is_no_trouble(vault: Home) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with running(vault):
        done = subprocess.run(
            [sys.executable, "-I", "-S", HOOK, "claude", "prompt"],
            input=b"{}",
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "BrokenPipe" in log()


@pytest.mark.usefixtures("vault")
def test_a_person_who_asks_what_it_is_is_told_in_a_line() -> None:
    assert run("--help", payload=b"").startswith(b"memkit-hook <harness> <event>: ")


def test_a_daemon_that_never_answers_meets_the_deadline(vault: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_HOOK_DEADLINE_MS", "100")
    for event, kept in (("prompt", []), ("answer", [("answer", b"{}")])):
        with answering(vault, None) as got:
            assert run("claude", event, payload=b"{}") == b""
            assert got
            assert got[0].startswith(f"HOOK claude {event} 2 ".encode())
        (vault.folder / "socket").unlink()
        assert waiting(vault) == kept
    assert "TimeoutError" in log()


@pytest.mark.usefixtures("vault")
def test_a_stdin_that_never_ends_meets_the_hard_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_HOOK_DEADLINE_MS", "10")
    with subprocess.Popen(
        [sys.executable, "-I", "-S", HOOK, "claude", "prompt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert (process.stdout.read(), process.wait(20)) == (b"", 0)


@pytest.mark.usefixtures("vault")
def test_a_system_without_timers_has_the_hard_stop_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_HOOK_DEADLINE_MS", "10")
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", UNTIMED, HOOK, "claude", "prompt"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout
        assert (process.stdout.read(), process.wait(20)) == (b"", 0)


@pytest.mark.parametrize(
    "answer",
    [b"", b"garbage", b"x" * 100_000, b"OK 5\nabc", b"OK 2\nabc", b"OK -1\n", b"OK x\n", b"NO\n", b"\n\n",
     b"OK 99999999\n" + b"x" * 1_000_000, b'{"ok": false}\n'],
)  # fmt: skip
def test_an_answer_that_is_none_is_not_printed_and_the_payload_is_kept(vault: Home, answer: bytes) -> None:
    with answering(vault, answer):
        assert run("claude", "answer") == b""
    assert waiting(vault) == [("answer", b'{"prompt": "hi"}')]
    assert "claude answer: " in log()


def test_an_empty_answer_prints_nothing_and_keeps_nothing(vault: Home) -> None:
    with answering(vault, b"OK 0\n"):
        assert run("claude", "answer") == b""
    assert waiting(vault) == []
    assert log() == ""


def test_a_cache_that_cannot_be_written_is_silent(vault: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = vault.root / "file"
    blocked.write_text("")
    monkeypatch.setenv("MEMKIT_CACHE", str(blocked / "cache"))
    monkeypatch.setenv("MEMKIT_RUNTIME", str(blocked / "run"))
    for event in ("prompt", "answer", "start"):
        assert run("claude", event) == b""


def test_a_socket_in_a_folder_others_can_enter_is_not_trusted(vault: Home) -> None:
    with answering(vault, b"OK 3\nabc") as got:
        vault.folder.chmod(0o777)
        assert run("claude", "prompt") == b""
        assert got == []
    vault.folder.chmod(0o700)
    assert "not private" in log()


@pytest.mark.usefixtures("vault")
def test_the_log_does_not_grow_for_ever() -> None:
    places.cache_base().mkdir()
    (places.cache_base() / "hook.log").write_text("x" * 300_000)
    run("claude")
    assert len(log().splitlines()) == 1


def test_it_loads_next_to_nothing(vault: Home) -> None:
    with running(vault):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", MODULES, HOOK, "claude", "prompt"],
            input=b"{}", capture_output=True, check=True,
        )  # fmt: skip
    answer, *modules = done.stdout.decode().split("\n")
    assert answer.startswith("claude prompt {}")
    assert set(modules) - {""} <= ALLOWED - (HEAVY if sys.platform != "win32" else set())


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"MEMKIT_CACHE": "", "MEMKIT_RUNTIME": ""},
        {"MEMKIT_CACHE": "relative", "MEMKIT_RUNTIME": "relative", "XDG_CACHE_HOME": "relative"},
        {"MEMKIT_CACHE": "", "MEMKIT_RUNTIME": "", "XDG_RUNTIME_DIR": "{base}", "XDG_CACHE_HOME": "{base}/c"},
        {"MEMKIT_RUNTIME": "", "XDG_RUNTIME_DIR": "{base}/missing", "XDG_CONFIG_HOME": "{base}/d"},
        {"MEMKIT_RUNTIME": "", "XDG_RUNTIME_DIR": "{base}/" + "x" * 90},
    ],
)
def test_hook_and_daemon_mean_the_same_places(
    home: Home, monkeypatch: pytest.MonkeyPatch, told: dict[str, str]
) -> None:
    (home.root.parent / ("x" * 90)).mkdir()
    for name, value in told.items():
        monkeypatch.setenv(name, value.format(base=home.root.parent))
    link = home.root.with_name("link")
    link.symlink_to(home.root)
    base, cards = home.root.parent, home.root / "cards"
    cards.mkdir(exist_ok=True)
    for root in (home.root, link, home.root / "missing" / "..", link / "cards", cards):
        assert whereabouts.vault_key(str(root)) == places.vault_key(root)
        assert whereabouts.runtime_path(str(root)) == str(places.runtime_path(root))
        assert f"{whereabouts.cache_base()}/spool-{places.vault_key(root)}" == str(places.spool_folder(root))
    said = (
        f"{base}/",
        f"/{base}",
        f"{cards}/.",
        f"{link}/cards/../../x",
        f"{base}/none/such",
        "~",
        "~/x",
        "x",
        ".",
        "/",
    )
    for path in said:
        assert whereabouts.real(path) == os.path.realpath(Path(path).expanduser())
    assert whereabouts.cache_base() == str(places.cache_base())
    assert f"{whereabouts.config_base()}/vault" == str(places.pointer_file())


def test_more_time_puts_the_end_off_on_systems_without_a_timer() -> None:
    command = [sys.executable, "-I", "-S", "-c", PUT_OFF, courier.__file__]
    assert subprocess.run(command, capture_output=True, check=True).stdout.strip() == b"lives"
