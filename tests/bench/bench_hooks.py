"""Measure what a prompt pays for its memory: `python -m tests.bench.bench_hooks --cards 10000`.

A hook is a new process for each prompt and each answer, so the floor is what the barest processes take by turns
with it. A plugin has no process to start: it speaks to the socket, and all of its time is added to the prompt.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from kit import courier, whereabouts
from kit.shipped import folder as shipped
from tests.bench import measure
from tests.bench.bench_daemon import HOOK, questions, serving, vault
from tests.bench.synthetic import World

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.bench.bench_daemon import Served

WORDS = 12
"""Words of a prompt, one of them a tag."""
TURNS_A_SESSION = 10
WAIT_S = 5.0
PAUSE_S = 0.25
"""Between two prompts, so that one does not wait for what the other leaves to be written; people are slower."""
PLUGIN = """
const { open } = await import(process.argv[1])
const ask = open("pi", null)
let text = ""
for await (const piece of process.stdin) text += piece
const taken = []
for (const payload of JSON.parse(text)) {
  await new Promise((done) => setTimeout(done, process.argv[2]))
  const started = performance.now()
  const told = await ask("prompt", payload, payload.cwd)
  taken.push([performance.now() - started, told.length])
}
console.log(JSON.stringify(taken))
"""

Taken = list[tuple[float, int]]
"""Milliseconds and characters of each reply."""


def prompts(world: World, count: int, way: str) -> Iterator[tuple[str, str, str]]:
    """Write prompts, each with its session and its turn."""
    for number, said in enumerate(questions(world, WORDS, "en", count)):
        yield f"{way}-{number // TURNS_A_SESSION}", f"turn-{number}", said


def claude(session: str, turn: str, **more: str) -> bytes:
    """Write a payload as Claude Code does."""
    return json.dumps({"session_id": session, "prompt_id": turn, "cwd": os.sep, **more}).encode()


def by_hook(served: Served, world: World, rounds: int) -> list[tuple[object, ...]]:
    """Run the hook of a prompt and of its answer by turns with the barest programs."""
    environment = os.environ | {"MEMKIT_VAULT": str(served.root)}
    bare = {"python3 -I -S -c pass": [sys.executable, "-I", "-S", "-c", "pass"], "sh -c :": ["sh", "-c", ":"]}
    taken: dict[str, Taken] = {}
    for session, turn, said in prompts(world, rounds, "hook"):
        time.sleep(PAUSE_S)
        prompt = claude(session, turn, hook_event_name="UserPromptSubmit", prompt=said)
        answer = claude(session, turn, hook_event_name="Stop", last_assistant_message=f"So it is with {said}.")
        acts = {name: (command, b"") for name, command in bare.items()}
        for event, payload in (("prompt", prompt), ("answer", answer)):
            acts[f"hook: {event}"] = ([sys.executable, "-I", "-S", HOOK, "claude", event], payload)
        for name, (command, payload) in acts.items():
            started = time.perf_counter()
            ran = subprocess.run(command, input=payload, env=environment, capture_output=True, check=True)
            taken.setdefault(name, []).append(((time.perf_counter() - started) * 1000, len(ran.stdout)))
    floors = [measure.spread([each for each, _ in taken[name]]).p50 for name in bare]
    return [_row(name, each, floors) for name, each in taken.items()]


def by_socket(served: Served, world: World, rounds: int) -> Taken:
    """Ask as a plugin in this process would."""
    folder, taken = whereabouts.runtime_path(str(served.root)), []
    for session, turn, said in prompts(world, rounds, "socket"):
        time.sleep(PAUSE_S)
        payload = claude(session, turn, hook_event_name="UserPromptSubmit", prompt=said)
        started = time.perf_counter()
        end = time.monotonic() + WAIT_S
        sock = courier.connect(folder, end)
        assert sock is not None
        with closing(sock):
            told = courier.exchange(sock, courier.frame_of("claude", "prompt", payload), end)
        taken.append(((time.perf_counter() - started) * 1000, len(told)))
    return taken


def by_plugin(served: Served, world: World, rounds: int) -> Taken:
    """Ask as the plugins of OpenCode, Pi and dsh do, within Node; nothing where there is no Node."""
    node = shutil.which("node")
    if not node:
        return []
    asked = [
        {"event": "before_agent_start", "messageType": "user", "id": session, "cwd": os.sep, "prompt": said}
        for session, _, said in prompts(world, rounds, "plugin")
    ]
    command = [
        node,
        "--input-type=module",
        "-e",
        PLUGIN,
        (shipped("hooks") / "node/link.mjs").as_uri(),
        str(PAUSE_S * 1000),
    ]
    environment = os.environ | {"MEMKIT_VAULT": str(served.root)}
    ran = subprocess.run(command, input=json.dumps(asked), env=environment, capture_output=True, check=True, text=True)
    return [(milliseconds, size) for milliseconds, size in json.loads(ran.stdout)]


def _row(name: str, taken: Taken, floors: Sequence[float]) -> tuple[object, ...]:
    found = measure.spread([each for each, _ in taken])
    ratios = tuple(part / floor for floor in floors for part in found)
    return (name, found.p50, found.p99, *ratios, f"{sum(size > 0 for _, size in taken)} of {len(taken)}")


def hooks(folder: Path, cards: int, rounds: int) -> None:
    """Print what a prompt pays, through a hook and through a plugin."""
    root = folder / f"hooks{cards}"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(vault(folder, cards), root)
    world = World(cards)
    with serving(root) as served:
        served.settle()
        rows = by_hook(served, world, rounds)
        floors = [float(str(row[1])) for row in rows[:2]]
        for name, ask in (("socket, from Python", by_socket), ("socket, from Node", by_plugin)):
            if taken := ask(served, world, rounds):
                rows.append(_row(name, taken, floors))
    heads = ("act", "p50", "p99", "p50 ÷ python", "p99 ÷ python", "p50 ÷ sh", "p99 ÷ sh", "told something")
    measure.show(f"what a prompt pays, {rounds} by turns, {cards} cards", heads, rows)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, nargs="+", default=[10_000])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="a folder (of a short name) where the vaults are kept")
    chosen = parser.parse_args()
    with measure.workshop(chosen.keep) as folder:
        os.environ["MEMKIT_RUNTIME"] = str(folder / "r")
        for cards in chosen.cards:
            hooks(folder, cards, chosen.rounds)
        print(measure.noise())


if __name__ == "__main__":
    main()
