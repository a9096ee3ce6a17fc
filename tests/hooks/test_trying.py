"""`memkit hooks test`: the installed command is run on the real vault, and no card is left."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kit.installing.house import CLIENTS
from kit.model.hits import FENCE_OPEN
from tests.daemon.conftest import until
from tests.daemon.house import House, living
from tests.hooks.desk import ROOT, Desk

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(os.name == "nt", reason="it needs a Unix socket")


@pytest.fixture
def house(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    base = Path(tempfile.mkdtemp(prefix="mk")).resolve()
    monkeypatch.setenv("MEMKIT_RUNTIME", str(base / "run"))
    monkeypatch.setenv("MEMKIT_CACHE", str(base / "cache"))
    monkeypatch.setenv("MEMKIT_VAULT", str(base / "vault"))
    monkeypatch.setenv("MEMKIT_HOOK_DEADLINE_MS", "20000")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    try:
        with living(base / "vault") as found:
            yield found
    finally:
        shutil.rmtree(base, ignore_errors=True)
    assert desk.home.is_dir()


def tried(desk: Desk, *words: str) -> tuple[int, Any]:
    ran = desk.memkit("test", *words, "--json")
    return ran.code, json.loads(ran.out)


def test_it_shows_the_time_and_what_would_be_injected(desk: Desk, house: House) -> None:
    house.ask("remember", says="Reports go in tables", category="preference", tags=["report-layout"])
    code, told = tried(desk, "claude")
    assert (code, told["hooks"], told["exit_code"]) == (1, "not installed", 0)
    for client in CLIENTS:
        desk.install(client)
        code, told = tried(desk, client, "--prompt", "what is the report-layout I want?")
        assert told["exit_code"] == 0
        assert told["errors"] == ""
        assert 0 < told["milliseconds"] < 20_000
        assert told["prompt"].startswith(FENCE_OPEN)
        assert "Reports go in tables" in told["prompt"]
        listens = client in {"claude", "codex", "gemini", "qwen", "cursor"}
        assert ("Reports go in tables" in told["injected"]) == listens
        assert code == (1 if told["hooks"] == "partly" else 0)
    until(house.settled)
    assert house.cards() == []
    assert house.troubles() == []


def test_it_says_what_it_saw_in_words(desk: Desk, house: House) -> None:
    house.ask("ping")
    desk.install("codex")
    ran = desk.memkit("test", "codex", "--prompt", "hello")
    assert ran.code == 0
    assert "(nothing at the start of a session)\n(nothing for this prompt)" in ran.out
    assert "ms" in ran.err
    house.ask("remember", says="Reports go in tables", category="preference", tags=["report-layout"])
    told = desk.memkit("test", "codex", "--prompt", "what is the report-layout I want?").out
    assert "Reports go in tables" in told
    assert not told.endswith("\n\n")


@pytest.mark.parametrize(
    ("client", "step"),
    [("gemini", "gemini extensions install"), ("qwen", "qwen extensions install"), ("openclaw", "plugins install")],
)
def test_what_is_left_to_do_is_said_and_leads_to_no_loop(desk: Desk, house: House, client: str, step: str) -> None:
    house.ask("ping")
    assert f"hooks install {client}" in desk.memkit("test", client).err
    first, again = desk.install(client), desk.install(client)
    for ran in (first, again):
        assert f"{client}: laid; the client has yet to take them up" in ran.err
        assert step in ran.err
    tried = desk.memkit("test", client)
    assert tried.code == 1
    assert step in tried.err
    assert "hooks install" not in tried.err


def test_hooks_of_this_project_alone_are_tried(desk: Desk, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.ask("ping")
    project = desk.base / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    desk.install("claude", "--project")
    tried = desk.memkit("test", "claude")
    assert (tried.code, "hooks install" in tried.err) == (0, False)
    monkeypatch.chdir(desk.base)
    assert desk.memkit("test", "claude").code == 1
