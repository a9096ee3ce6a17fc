"""Settings that are edited while the daemon runs: nobody restarts it, and a file with faults changes nothing."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from kit.daemon.learner import PROMPT_MS
from kit.errors import BadInputError
from tests.daemon.conftest import Home, until
from tests.daemon.house import House, card, living
from tests.llm.conftest import configure
from tests.small_vault import front

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the model is a program for a shell")
LIMIT = "recall.limit"


@pytest.fixture
def house(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("MEMKIT_CONFIG", str(home.root.parent / "config"))
    with living(home.root) as made:
        for number in range(4):
            made.write(f"cards/{number}.md", card(f"card-{number}", "zvalve", says=f"The zvalve of pump {number}."))
        yield made


@pytest.fixture
def own(home: Home) -> Path:
    """The person's own file, which is not there yet."""
    file = home.root.parent / "config" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def value(house: House, name: str) -> object:
    return next(row[1] for row in house.ask("settings") if row[0] == name)


def test_the_vaults_and_the_persons_own_settings_hold_from_the_next_question_on(house: House, own: Path) -> None:
    assert len(house.found("zvalve")) == 4
    pid, vaults = house.pid(), house.root / "memkit.toml"
    before = vaults.read_text(encoding="utf-8")
    vaults.write_text(f"{before}\n[recall]\nlimit = 1\n", encoding="utf-8")
    assert len(house.found("zvalve")) == 1
    own.write_text("[recall]\nlimit = 2\n", encoding="utf-8")
    assert len(house.found("zvalve")) == 2
    own.unlink()
    vaults.write_text(before, encoding="utf-8")
    assert len(house.found("zvalve")) == 4
    assert house.pid() == pid


def test_a_file_with_faults_leaves_the_settings_as_they_were_and_is_told(house: House, own: Path) -> None:
    own.write_text("[recall]\nlimit = 2\n", encoding="utf-8")
    assert len(house.found("zvalve")) == 2
    own.write_text("[recall]\nlimit = many\n", encoding="utf-8")
    told = house.ask("recall", query="zvalve")
    assert len(told["hits"]) == 2
    assert any("config.toml:2" in remark for remark in told["remarks"])
    assert any(problem["path"] == str(own) for problem in house.ask("doctor"))
    own.write_text("[recall]\nlimit = 3\n", encoding="utf-8")
    told = house.ask("recall", query="zvalve")
    assert (len(told["hits"]), told["remarks"]) == (3, [])
    assert house.ask("doctor") == []


def test_what_is_fixed_when_a_vault_is_opened_follows_as_well(house: House, own: Path) -> None:
    house.write("mine.md", front({}, "The zgizmo is my own note."))
    assert house.found("zgizmo") == []
    until(house.settled)
    own.write_text('[index]\nplain_notes = true\nengine = "sqlite"\n[govern]\nredact = false\n', encoding="utf-8")
    assert house.found("zgizmo") == ["mine.md"]
    until(house.settled)
    assert house.ask("status")["engine"] == "sqlite"
    kept = house.ask("remember", says="The key of the zdoor is AKIAIOSFODNN7EXAMPLE")
    assert "AKIAIOSFODNN7EXAMPLE" in (house.root / kept["path"]).read_text("utf-8")
    own.unlink()
    assert house.found("zgizmo") == []
    kept = house.ask("remember", says="The key of the zgate is AKIAIOSFODNN7EXAMPLE")
    assert "AKIAIOSFODNN7EXAMPLE" not in (house.root / kept["path"]).read_text("utf-8")


def test_a_model_that_is_configured_later_is_asked_and_hooks_know_of_it(house: House, home: Home) -> None:
    with pytest.raises(BadInputError, match="No model is configured"):
        house.ask("learning.test")
    answer = json.dumps({"summary": "The zvalve is oiled once a month."})
    configure(home.root.parent, provider="command", command=f"echo '{answer}'", at_prompt=True)
    assert house.ask("learning.test")["json"]
    assert (house.runtime / PROMPT_MS).exists()
    house.prompt("Why does the zvalve of the pump stick in the morning?")
    house.answer("It is dry, since nobody oils it; oil it once a month.")
    until(lambda: any("The zvalve is oiled once a month." in each for each in house.cards()), 60)
    configure(home.root.parent, provider="")
    with pytest.raises(BadInputError, match="No model is configured"):
        house.ask("learning.test")
    assert not (house.runtime / PROMPT_MS).exists()
