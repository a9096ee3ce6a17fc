"""The script for any other agent, in a shell, with the command line behind it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit.app import Kit
from kit.model.notes import Card

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it needs a POSIX shell")
ROOT = Path(__file__).parents[2]


def test_a_turn_is_kept_and_nothing_lies_where_others_can_write(vault: Path, home: Path) -> None:
    shared = home / "tmp"
    (home / "bin").mkdir()
    shared.mkdir()
    memkit = home / "bin" / "memkit"
    memkit.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m kit --vault "{vault}" "$@"\n')
    memkit.chmod(0o755)
    env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env |= {"PATH": f"{memkit.parent}:{env['PATH']}", "HOME": str(home), "TMPDIR": str(shared)}

    def say(event: str, text: str) -> None:
        script = [str(ROOT / "hooks" / "generic" / "remember.sh"), event]
        subprocess.run(["/bin/sh", *script], input=text, env=env, text=True, check=True, timeout=120)

    say("prompt", "Why does the valve stick?")
    assert (home / ".memkit-card").stat().st_mode & 0o077 == 0
    say("answer", "It is dry.")
    assert list(shared.iterdir()) == []
    assert not (home / ".memkit-card").exists()
    with Kit(vault) as kit:
        (entry,) = kit.index.catalog.of_kind("card")
        card = kit.load(entry.path)
        assert isinstance(card, Card)
        assert card.status == "completed"
        assert kit.full_text(card.id).agent == "It is dry."
