"""The script for any other agent, in a shell, with the command line behind it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit.app import Kit
from kit.model.hits import FENCE_OPEN
from kit.model.notes import Card
from kit.sessions import Sessions

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it needs a POSIX shell")
ROOT = Path(__file__).parents[2]


class Harness:
    """Any agent that can run the script, in a home of its own."""

    def __init__(self, vault: Path, home: Path) -> None:
        self.home, self.shared = home, home / "tmp"
        (home / "bin").mkdir()
        self.shared.mkdir()
        memkit = home / "bin" / "memkit"
        memkit.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m kit --vault "{vault}" "$@"\n')
        memkit.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self.env = kept | {"PATH": f"{memkit.parent}:{kept['PATH']}", "HOME": str(home), "TMPDIR": str(self.shared)}

    def say(self, event: str, text: str, **env: str) -> str:
        """Run the script; it is silent on stderr and ends with 0, whatever happens."""
        script = ["/bin/sh", str(ROOT / "hooks" / "generic" / "remember.sh"), event]
        ran = subprocess.run(
            script, input=text, env=self.env | env, capture_output=True, text=True, check=True, timeout=120
        )
        assert ran.stderr == ""
        return ran.stdout


@pytest.fixture
def harness(vault: Path, home: Path) -> Harness:
    return Harness(vault, home)


def test_a_turn_is_kept_and_nothing_lies_where_others_can_write(harness: Harness, vault: Path, home: Path) -> None:
    harness.say("prompt", "Why does the valve stick?")
    assert (home / ".memkit-card").stat().st_mode & 0o077 == 0
    harness.say("answer", "It is dry.")
    assert list(harness.shared.iterdir()) == []
    assert not (home / ".memkit-card").exists()
    with Kit(vault) as kit:
        (entry,) = kit.index.catalog.of_kind("card")
        card = kit.load(entry.path)
        assert isinstance(card, Card)
        assert card.status == "completed"
        assert kit.full_text(card.id).agent == "It is dry."


def test_what_is_remembered_is_printed(harness: Harness, vault: Path) -> None:
    with Kit(vault) as kit:
        kit.remember("The valve sticks when it is dry", tags=["valve"])
    told = harness.say("prompt", "Why does the valve stick?")
    assert told.startswith(FENCE_OPEN)
    assert "The valve sticks when it is dry" in told


@pytest.mark.parametrize(
    "env", [{"MEMKIT_OFF": "1"}, {"MEMKIT_OFF": "Yes"}, {"MEMKIT_HOOK_DEPTH": "1"}], ids=lambda env: str(*env.items())
)
def test_switched_off_it_does_nothing(harness: Harness, vault: Path, home: Path, env: dict[str, str]) -> None:
    before = sorted(vault.rglob("*"))
    assert harness.say("prompt", "Why does the valve stick?", **env) == ""
    assert harness.say("answer", "It is dry.", **env) == ""
    assert sorted(vault.rglob("*")) == before
    assert not (home / ".memkit-card").exists()


def test_off_that_is_off_keeps_the_turn(harness: Harness, home: Path) -> None:
    harness.say("prompt", "Why does the valve stick?", MEMKIT_OFF="False", MEMKIT_HOOK_DEPTH="0")
    assert (home / ".memkit-card").exists()


@pytest.mark.parametrize("trouble", ["nowhere to put the card's id", "no memkit", "no such event"])
def test_on_any_trouble_it_is_silent(harness: Harness, home: Path, trouble: str) -> None:
    env = {"MEMKIT_CARD_FILE": str(home / "none" / "card")} if trouble.startswith("nowhere") else {}
    if trouble == "no memkit":
        (home / "bin" / "memkit").unlink()
    event = "stop" if trouble == "no such event" else "prompt"
    assert harness.say(event, "Why does the valve stick?", **env) == ""
    assert harness.say("answer", "It is dry.", **env) == ""


def test_a_harness_that_speaks_json_has_the_turn_kept_and_is_told_once_until_it_compacts(vault: Path) -> None:
    """The contract in `hooks/README.md` of `memkit-hook generic <event>`."""
    with Kit(vault) as kit:
        kit.remember("The valve sticks when it is dry", tags=["valve"])
        sessions = Sessions(kit)

        def tell(event: str, **said: object) -> bytes:
            reply = sessions.handle("generic", event, json.dumps({"session": "s1", **said}).encode(), {})
            reply.after()
            return reply.out

        assert tell("start", source="startup") == b""
        told = tell("prompt", prompt="Why does the valve stick?", turn=1)
        assert told.startswith(FENCE_OPEN.encode())
        assert tell("answer", answer="It is dry.", turn=1) == b""
        assert b"valve" not in tell("prompt", prompt="And the other valve?", turn=2)
        assert tell("failure", error="no model", turn=2) == b""
        assert tell("compact") == b""
        assert b"The valve sticks when it is dry" in tell("prompt", prompt="Which valve was dry?", turn=3)
        assert tell("end") == b""
        kit.sync()
        cards = [kit.load(entry.path) for entry in kit.index.catalog.of_kind("card")]
        assert sorted(card.status for card in cards if isinstance(card, Card)) == ["completed", "failed", "interrupted"]
