"""What a person sees on a terminal of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
PROJECT = Path(__file__).parents[2]


def shown(*args: str, columns: int = 80) -> str:
    """Run a command line on a terminal; return what came there."""
    ours, theirs = os.openpty()
    env = os.environ | {"PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1", "TERM": "xterm", "COLUMNS": str(columns)}
    done = subprocess.Popen([sys.executable, "-m", "kit", *args], stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # what Linux says at the end
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert done.wait(60) == 0, said
    return said.decode()


def test_a_note_can_not_write_on_the_terminal_it_is_shown_on(vault: Path) -> None:
    note = "---\nid: 20260819-063022-k3f9\nkind: fact\nkey: valve\n---\n"
    evil = "The valve \x1b]0;owned\x07\x1b[2Jsticks\x9b8m, \u202eoil\u202c it\r!"
    (vault / "facts" / "valve.md").write_text(f"{note}{evil}\n", encoding="utf-8", newline="")
    for line in (["search", "valve"], ["facts"], ["recall", "valve"], ["features"]):
        said = shown("--vault", str(vault), *line)
        assert "valve" in said
        assert not {"\x07", "\x9b", "\u202e"} & set(said)
        assert "\x1b]" not in said
        assert "\x1b[2J" not in said


def test_on_a_narrow_terminal_what_is_said_of_one_thing_goes_on_below_itself_between_words(vault: Path) -> None:
    wide = shown("--vault", str(vault), "status", columns=400)
    lines = shown("--vault", str(vault), "status", columns=28).splitlines()
    for line in lines:
        assert len(re.sub("\x1b\\[[0-9;]*m", "", line)) <= 28 or len(line.split()[-1]) > 12, line  # a path stays whole
    assert sum(line.startswith("    ") for line in lines) >= 1
    assert len(lines) > len(wide.splitlines())
    explained = shown("--vault", str(vault), "recall", "valve", "--explain", columns=44)
    assert "Traceback" not in explained
