"""Turns under fire: killed at every step, written by several programs at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit

ANSWER = "Set the proxy read timeout of nginx to 75 seconds, because the export takes 71."
OTHER = "Raise the worker count of gunicorn to nine, because all four were busy."

KILLED = """
import json, os, signal, sys
from kit.app import Kit
root, first, answer, step = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
TOUCHES = {"open", "os.rename", "os.link", "os.mkdir", "os.remove"}
armed, seen = [], []

def audit(event, args):
    if armed and event in TOUCHES and not str(args[0]).endswith((".py", ".pyc")):
        seen.append(event)
        if len(seen) == armed[0]:
            os.kill(os.getpid(), signal.SIGKILL)

def body(kit, note_id):
    return kit.body(note_id)

sys.addaudithook(audit)
turns = []
nth = 1
while True:
    with Kit(root) as kit:
        card = kit.frame("Why do report exports end in a 504?", tags=[f"flume{nth}", "pawl"]).id
        if first:
            kit.complete(card, first)
    pid = os.fork()
    if pid == 0:
        with Kit(root) as kit:
            armed.append(nth)
            kit.complete(card, answer)
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with Kit(root) as kit:
        done = kit.complete(card, answer)
        stands = open(os.path.join(root, done.path), encoding="utf-8").read().rsplit("---\\n", 1)[1].strip()
        turns.append([done.status, done.summary, stands, kit.body(card + "-e"), kit.body(card + "-o")])
    if ended == 0:
        break
    nth += step
with Kit(root) as kit:
    print(json.dumps({"turns": turns, "problems": [str(each) for each in kit.doctor()]}))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no fork and no SIGKILL")
@pytest.mark.parametrize("first", ["", " ".join([ANSWER] * 9)], ids=["first answer", "replaced answer"])
def test_a_turn_killed_at_any_step_is_right_once_it_is_completed_again(vault: Path, first: str) -> None:
    answer = " ".join([OTHER] * 9)
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(vault), first, answer, "4"], capture_output=True, check=False, timeout=100
    )
    assert ran.returncode == 0, ran.stderr.decode()
    found = json.loads(ran.stdout)
    last = found["turns"][-1]
    assert len(found["turns"]) > 5
    assert answer in last[3]
    assert "gunicorn" in last[1]
    assert [turn for turn in found["turns"] if turn != last] == []
    assert found["problems"] == []
    assert len(list((vault / "events").rglob("*.md"))) == len(list((vault / "overviews").rglob("*.md")))


def test_programs_that_complete_one_turn_at_once_agree(kit: Kit, vault: Path) -> None:
    framed = kit.frame("Why do report exports end in a 504?", tags=["flume"])
    program = "import sys\nfrom kit.app import Kit\nKit(sys.argv[1]).complete(sys.argv[2], sys.argv[3])\n"
    answers = [ANSWER, OTHER, ANSWER, OTHER]
    started = [subprocess.Popen([sys.executable, "-c", program, str(vault), framed.id, each]) for each in answers]
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0, 0]
    body = kit.body(f"{framed.id}-e")
    [(answer, other)] = [pair for pair in ((ANSWER, OTHER), (OTHER, ANSWER)) if pair[0] in body]
    assert other not in body
    assert not kit.complete(framed.id, answer).changed
    assert kit.status()["cards"] == {"completed": 1}
    assert kit.doctor() == []
