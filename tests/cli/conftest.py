"""The `memkit` command, run as a person runs it: in a process of its own, its output piped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kit.cli

if TYPE_CHECKING:
    from collections.abc import Callable

    Ran = subprocess.CompletedProcess[str]

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Make a function that runs a command line in an empty folder."""
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    monkeypatch.setenv("PYTHONUTF8", "1")
    where = home / "empty"
    where.mkdir()

    def run_(*args: str | Path, said: str = "", at: Path = where) -> Ran:
        line = [sys.executable, "-m", "kit", *map(str, args)]
        return subprocess.run(
            line, input=said, capture_output=True, text=True, encoding="utf-8", cwd=at, check=False, timeout=60
        )

    return run_


@pytest.fixture
def call(vault: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Make a function that runs a command line in this process: the same door, for tests of many lines."""

    def call_(*args: str | Path) -> Ran:
        line = ["--vault", str(vault), *map(str, args)]
        code = kit.cli.run(line)
        said = capsys.readouterr()
        return subprocess.CompletedProcess(line, code, said.out, said.err)

    return call_


@pytest.fixture
def memkit(run: Callable[..., Ran], vault: Path) -> Callable[..., Ran]:
    """Make a function that runs a command line on a vault of its own."""
    return lambda *args, said="": run("--vault", vault, *args, said=said)
