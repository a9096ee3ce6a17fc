"""A vault of its own for a test, apart from the person's: laid down in a temporary folder, with its own clock."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from kit.app import Kit
from kit.govern.lay import lay

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

settings.register_profile("patient", deadline=None)  # nothing is timed in a test
settings.load_profile("patient")
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point everything the kit derives or remembers outside a vault at a temporary folder."""
    for name in list(os.environ):
        if name.startswith("MEMKIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MEMKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MEMKIT_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("MEMKIT_DAEMON_START", "false")
    return tmp_path


@pytest.fixture(scope="session")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay one vault down, to be copied: waiting for the disk 66 times a test is slow."""
    root = tmp_path_factory.mktemp("laid") / "vault"
    lay(root)
    return root


@pytest.fixture
def vault(home: Path, laid: Path) -> Path:
    """Make a new vault."""
    return shutil.copytree(laid, home / "vault")


@pytest.fixture
def kit(vault: Path) -> Iterator[Kit]:
    """Open the vault; its clock goes on by a second whenever it is read."""
    seconds = count()
    with Kit(vault, clock=lambda: NOON + timedelta(seconds=next(seconds))) as opened:
        yield opened
