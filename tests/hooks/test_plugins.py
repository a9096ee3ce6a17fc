"""The JavaScript plugins, each in a stand-in for its client under Node, with a real daemon behind them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import kit.cli
from kit import hook, places
from kit.daemon.protocol import HookCall, parse_hook_frame
from kit.model.hits import FENCE_CLOSE, FENCE_OPEN
from tests.daemon.conftest import until
from tests.daemon.house import House, living

if TYPE_CHECKING:
    from collections.abc import Iterator

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None or os.name == "nt", reason="it needs Node and a Unix socket")

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).parent / "drivers" / "client.mjs"
LINK = ROOT / "hooks" / "node" / "link.mjs"
PLUGINS = {
    "opencode": "home/.config/opencode/plugins/memkit.js",
    "pi": "home/.pi/agent/extensions/memkit.ts",
    "openclaw": "settings/hooks/openclaw/index.js",
    "dsh": "settings/hooks/dsh/memkit.mjs",
}
CLIENTS = pytest.mark.parametrize("client", PLUGINS)
PROMPT, ANSWER = "where is the spare key? 钥匙 😀", "It lies under the mat 答案 ✅"
KNOWN = "The spare key lies under the mat"


class Told(NamedTuple):
    injected: str
    threw: str
    milliseconds: float


class Player:
    """A vault with a daemon, and clients that play scenes on it."""

    def __init__(self, house: House, base: Path) -> None:
        self.house, self.base = house, base

    def plugin(self, client: str) -> Path:
        """Install a plugin as a person does; Node 20 reads no `.ts`, which holds plain JavaScript."""
        assert kit.cli.run(["hooks", "install", client]) == 0
        file = self.base / PLUGINS[client]
        return file if file.suffix != ".ts" else Path(shutil.copy(file, file.with_suffix(".mjs")))

    def play(self, client: str, how: str = "", plugin: Path | None = None, **env: str) -> Told:
        scene = {"prompt": PROMPT, "answer": ANSWER, "folder": str(self.base / "project"), "how": how}
        words = [str(NODE), str(DRIVER), client, str(plugin or self.plugin(client)), json.dumps(scene)]
        ran = subprocess.run(words, capture_output=True, check=False, timeout=60, env=os.environ | env)
        assert ran.returncode == 0, ran.stderr.decode()
        told = Told(**json.loads(ran.stdout))
        assert told.threw == ""
        return told

    def turn(self) -> tuple[str, str, bool]:
        """Tell of the only card: its status, its client, and whether the answer is on disk."""
        (card,) = self.house.cards()
        status = next(line for line in card.splitlines() if line.startswith("status:"))
        harness = next(line for line in card.splitlines() if line.startswith("harness:"))
        events = [path.read_text("utf-8") for path in (self.house.root / "events").rglob("*.md")]
        return status.split()[1], harness.split()[1], any(ANSWER in event for event in events)

    def ended(self, status: str, *, answered: bool) -> None:
        until(lambda: self.house.cards() and self.turn()[0] == status and self.turn()[2] == answered)


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> Iterator[Player]:
    base = Path(tempfile.mkdtemp(prefix="mk")).resolve()
    for name in list(os.environ):
        if name.startswith(("MEMKIT_", "XDG_", "DSH_", "PI_", "OPENCLAW_")):
            monkeypatch.delenv(name)
    for folder in ("home", "project", "run"):
        (base / folder).mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(base / "home"))
    for name in ("RUNTIME", "CACHE", "CONFIG", "VAULT"):
        folder = {"RUNTIME": "run", "CONFIG": "settings"}.get(name, name.lower())
        monkeypatch.setenv(f"MEMKIT_{name}", str(base / folder))
    monkeypatch.setenv("MEMKIT_HOOK_DEADLINE_MS", "20000")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    try:
        with living(base / "vault") as house:
            yield Player(house, base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


@CLIENTS
def test_a_turn_is_recalled_injected_and_kept(player: Player, client: str) -> None:
    player.house.ask("remember", says=KNOWN, tags=["钥匙"])
    told = player.play(client)
    assert told.injected.startswith(FENCE_OPEN)
    assert KNOWN in told.injected
    assert told.injected.rstrip().endswith(FENCE_CLOSE)
    player.ended("completed", answered=True)
    assert player.turn() == ("completed", client, True)
    (card,) = player.house.cards()
    assert "project: project" in card
    (event,) = (player.house.root / "events").rglob("*.md")
    said = event.read_text("utf-8")
    assert said.count(PROMPT) == said.count(ANSWER) == 1
    assert "older" not in said
    assert FENCE_OPEN not in said
    assert player.house.troubles() == []


@CLIENTS
def test_without_a_daemon_nothing_is_lost_and_one_is_started(player: Player, client: str) -> None:
    assert player.house.pid() == 0
    assert player.play(client).injected == ""
    player.ended("completed", answered=True)
    assert player.house.pid() != 0


@CLIENTS
@pytest.mark.parametrize(("how", "status", "answered"), [("error", "failed", False), ("aborted", "interrupted", False)])
def test_a_turn_that_fails_or_is_broken_off_is_told_as_such(
    player: Player, client: str, how: str, status: str, answered: bool
) -> None:
    if how == "aborted" and client in {"opencode", "openclaw"}:
        pytest.skip("this client does not tell")
    player.house.ask("ping")
    player.play(client, how)
    player.ended(status, answered=answered)


@CLIENTS
def test_what_is_not_the_persons_is_not_kept(player: Player, client: str) -> None:
    player.house.ask("remember", says=KNOWN, tags=["钥匙"])
    assert player.play(client, "child").injected == ""
    until(player.house.settled)
    assert player.house.cards() == []


@CLIENTS
def test_a_client_that_breaks_is_not_broken_further(player: Player, client: str) -> None:
    player.play(client, "broken", MEMKIT_PYTHON="/nowhere")


@CLIENTS
def test_a_daemon_that_hangs_holds_nothing_up_for_long(player: Player, client: str) -> None:
    plugin = player.plugin(client)
    with socket.socket(socket.AF_UNIX) as deaf:
        folder = places.runtime_folder(player.house.root)
        deaf.bind(str(folder / "socket"))
        deaf.listen()
        told = player.play(client, plugin=plugin, MEMKIT_HOOK_DEADLINE_MS="200")
        (folder / "socket").unlink()
    assert told.injected == ""
    assert told.milliseconds < 5000


@CLIENTS
@pytest.mark.parametrize("gone", ["link.mjs", "hook.py", "python", "vault"])
def test_a_kit_that_is_gone_is_silent(player: Player, client: str, gone: str) -> None:
    plugin = player.plugin(client)
    text = plugin.read_text("utf-8")
    names = {"link.mjs": "node/link.mjs", "hook.py": "kit/hook.py"}
    if gone in names:
        assert names[gone] in text
        text = text.replace(names[gone], "gone/away")
    elif gone == "python":
        text = text.replace('{"python": "', '{"python": "/gone')
    plugin.write_text(text, encoding="utf-8")
    vault = {"MEMKIT_VAULT": str(player.base / "nowhere")} if gone == "vault" else {}
    assert player.play(client, plugin=plugin, **vault).injected == ""
    assert player.house.cards() == []


@CLIENTS
@pytest.mark.parametrize("off", ["MEMKIT_OFF", "MEMKIT_HOOK_DEPTH"])
def test_switched_off_it_does_nothing(player: Player, client: str, off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(off, "1")
    assert player.play(client).injected == ""
    assert player.house.pid() == 0
    assert not places.spool_folder(player.house.root).exists()


def test_the_link_finds_the_same_places_as_the_kit(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"""
        const link = await import({json.dumps(LINK.as_uri())})
        const [folder, root] = process.argv.slice(1)
        console.log(JSON.stringify([link.findVault(folder), link.runtimePath(root)]))
    """
    root = player.base / ("知" * 30) / "vault"
    (root / "notes").mkdir(parents=True)
    (player.base / "link").symlink_to(root)

    def found() -> list[str]:
        words = [str(NODE), "--input-type=module", "-e", script, "--", str(root / "notes"), str(root)]
        ran = subprocess.run(words, capture_output=True, check=True, cwd=player.base)
        places_: list[str] = json.loads(ran.stdout)
        return places_

    monkeypatch.setenv("MEMKIT_VAULT", str(player.base / "link"))
    assert found() == [str(root), str(places.runtime_path(root))]
    monkeypatch.delenv("MEMKIT_VAULT")
    monkeypatch.delenv("MEMKIT_RUNTIME")
    (player.base / "settings").mkdir()
    (player.base / "settings" / "vault").write_text("~/memory\n", encoding="utf-8")
    assert found() == [str(player.base / "home/memory"), str(places.runtime_path(root))]
    (root / "memkit.toml").touch()
    for base in ("run", "none", "x" * 90):
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(player.base / base))
        assert found() == [str(root), str(places.runtime_path(root))]


ASK = """
    const { open } = await import(process.argv[1])
    process.stdout.write(await open("pi", null)("prompt", { prompt: "hi" }, process.cwd()))
"""


@contextmanager
def heard(player: Player) -> Iterator[list[HookCall]]:
    """Stand in for a daemon that has nothing to say, and note the frames that come."""
    got: list[HookCall] = []

    def serve(listener: socket.socket) -> None:
        while True:
            client, _ = listener.accept()
            with client:
                frame = b""
                while not frame.endswith(b'{"prompt":"hi"}'):
                    if not (piece := client.recv(1 << 16)):
                        return  # the test is over
                    frame += piece
                got.append(parse_hook_frame(frame))
                client.sendall(b"OK 0\n")

    address = str(places.runtime_folder(player.house.root) / "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield got
        finally:
            with socket.socket(socket.AF_UNIX) as last:
                last.connect(address)
            thread.join(20)


def ask_both(player: Player, **env: str) -> None:
    """Tell of a prompt by the link and by the hook."""
    program = [sys.executable, "-I", "-S", str(Path(hook.__file__).resolve()), "pi", "prompt"]
    link = [str(NODE), "--input-type=module", "-e", ASK, LINK.as_uri()]
    for words in (link, program):
        ran = subprocess.run(
            words, input=b'{"prompt":"hi"}', capture_output=True, check=True, cwd=player.base, env=os.environ | env
        )
        assert ran.stdout == ran.stderr == b""


def test_the_link_tells_the_daemon_what_a_hook_tells_it(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever asks is among it, and how long the prompt may take where a model is asked about it."""
    with heard(player) as got:
        ask_both(player, TZ="EAST-12", MEMKIT_A_KEY="x")
        monkeypatch.delenv("MEMKIT_HOOK_DEADLINE_MS")
        (places.runtime_folder(player.house.root) / "prompt-ms").write_text("60000\n", encoding="utf-8")
        ask_both(player, TZ="WEST+11")
    east, east_too, west, west_too = got
    assert (east, west) == (east_too, west_too)
    assert (east.env["MEMKIT_ZONE"], west.env["MEMKIT_ZONE"]) == (str(12 * 3600), str(-11 * 3600))
    assert (east.env["MEMKIT_HOOK_DEADLINE_MS"], west.env["MEMKIT_HOOK_DEADLINE_MS"]) == ("20000", "10000")
    assert "MEMKIT_A_KEY" not in east.env


@pytest.mark.parametrize(
    ("name", "value", "off"),
    [
        *(("MEMKIT_OFF", said, True) for said in ("1", "true", "YES", "on")),
        *(("MEMKIT_OFF", said, False) for said in ("0", "false", "No", "off")),
        ("MEMKIT_HOOK_DEPTH", "2", True),
        ("MEMKIT_HOOK_DEPTH", "0", False),
    ],
)
def test_the_link_and_the_hook_mean_the_same_by_off(player: Player, name: str, value: str, *, off: bool) -> None:
    with heard(player) as got:
        ask_both(player, **{name: value})
    assert len(got) == (0 if off else 2)


@CLIENTS
def test_a_program_that_hangs_holds_no_prompt_up(player: Player, client: str) -> None:
    """Without a daemon the hook program is run: it may end when it likes, but nobody waits for it."""
    stuck = player.base / "python"
    stuck.write_text("#!/bin/sh\nwhile kill -0 $PPID; do sleep 0.1; done 2>/dev/null\n", encoding="utf-8")
    stuck.chmod(0o755)
    told = player.play(client, MEMKIT_PYTHON=str(stuck), MEMKIT_HOOK_DEADLINE_MS="100")
    assert told.injected == ""
    assert told.milliseconds < 2900
