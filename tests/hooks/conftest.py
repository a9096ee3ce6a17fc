"""A home of its own for each test, with nothing of the real one in its environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.hooks.desk import Desk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    for name in list(os.environ):
        if name.startswith(("MEMKIT_", "XDG_", "CODEX_", "CLAUDE", "COPILOT", "DSH_", "PI_", "OPENCLAW_")):
            monkeypatch.delenv(name)
    base = tmp_path.resolve()
    for folder in ("home", "bin", "project"):
        (base / folder).mkdir()
    monkeypatch.setenv("HOME", str(base / "home"))
    monkeypatch.setenv("USERPROFILE", str(base / "home"))
    monkeypatch.setenv("MEMKIT_CONFIG", str(base / "settings"))
    monkeypatch.setenv("PATH", str(base / "bin"))
    monkeypatch.chdir(base / "project")
    return Desk(base, capsys)
