"""Times are those of whoever asks: a daemon that was started elsewhere dates nothing by its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.daemon.conftest import Home, until
from tests.daemon.house import House, living

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system takes no zone from a variable")
EAST, WEST = "EAST-12", "WEST+11"
"""Zones in which it is never the same day."""


@pytest.fixture
def house(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("TZ", EAST)
    with living(home.root) as made:
        made.ask("ping")
        monkeypatch.setenv("TZ", WEST)
        time.tzset()
        yield made
    monkeypatch.delenv("TZ")
    time.tzset()


def created(note: str) -> str:
    return next(line for line in note.splitlines() if line.startswith("created:"))


def days(house: House, folder: str) -> set[str]:
    return {file.parent.name for file in (house.root / folder).rglob("*.md")}


def test_what_a_command_writes_bears_the_time_of_its_own_zone(house: House) -> None:
    pid = house.pid()
    line = [sys.executable, "-m", "kit", "--vault", str(house.root)]
    for more in (["frame", "which gate is it?"], ["frame", "and before?", "--now", "2026-11-30T23:30"]):
        done = subprocess.run([*line, *more], capture_output=True, check=False, timeout=60, env=os.environ)
        assert done.returncode == 0, done.stderr
    assert house.pid() == pid
    assert all(created(card).endswith("-11:00") for card in house.cards())
    assert any("2026-11-30T23:30:00-11:00" in created(card) for card in house.cards())
    assert "2026-11-30" in days(house, "events")


def test_what_a_hook_tells_bears_the_time_of_its_own_zone(house: House) -> None:
    pid = house.pid()
    house.prompt("which gate is it?")
    until(lambda: len(house.cards()) == 1)
    house.answer("It is the third one.")
    until(lambda: "status: completed" in house.cards()[0])
    assert house.pid() == pid
    assert created(house.cards()[0]).endswith("-11:00")
    assert days(house, "events") == {created(house.cards()[0]).split()[1][:10]}


def test_everyone_who_asks_gets_their_own(house: House) -> None:
    house.prompt("which gate is it?", env={"TZ": EAST})
    until(lambda: len(house.cards()) == 1)
    house.ask("frame", prompt="and which pump?")
    assert sorted(created(card)[-6:] for card in house.cards()) == ["+12:00", "-11:00"]
