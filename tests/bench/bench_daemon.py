"""Measure the daemon as people meet it: `python -m tests.bench.bench_daemon --cards 1000 10000`.

Everything is asked through its socket, of a real process; milliseconds unless a head says otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kit import __version__, hook, places
from kit.daemon.client import Client, daemon_command
from kit.errors import KitError
from kit.places import child_environment
from tests.bench import measure, side_by_side
from tests.bench.synthetic import World, build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PARTS = ("hook", "start", "recall", "edit", "checkout", "beside")
HOOK = str(Path(hook.__file__).resolve())


class Served(NamedTuple):
    """A vault, its daemon, and how long that took to answer for the first time (seconds)."""

    root: Path
    process: subprocess.Popen[bytes]
    first_s: float
    client: Client
    """asks as a server on the person's side does: its connection stays"""

    def ask(self, op: str, **params: object) -> Any:  # noqa: ANN401 - what JSON can carry
        """Ask through the socket."""
        return self.client.ask(op, params, timeout=60.0)

    def hits(self, query: str) -> list[str]:
        """Name what a question finds."""
        return [hit["path"] for hit in self.ask("recall", query=query)["hits"]]

    def wait(self, done: Callable[[dict[str, Any]], bool]) -> float:
        """Wait until the status says so; return for how many seconds."""
        started = time.perf_counter()
        while not done(self.ask("status")):
            time.sleep(0.05)
        return time.perf_counter() - started

    def settle(self) -> float:
        """Wait until every index is in step."""
        return self.wait(lambda told: not (told["building"] or told["scan_owed"] or told["words_behind"]))

    def memory_mb(self) -> float:
        """Tell what the process holds now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6


@contextmanager
def serving(root: Path) -> Iterator[Served]:
    """Run a daemon; wait for its first answer."""
    started = time.perf_counter()
    with subprocess.Popen(daemon_command(root), env=child_environment()) as process:
        served = Served(root, process, 0.0, Client(root, version=__version__, spawn=None))
        try:
            while True:
                try:
                    served.ask("recall", query="first")
                    break
                except KitError:
                    time.sleep(0.01)
            yield served._replace(first_s=time.perf_counter() - started)
        finally:
            process.terminate()


def vault(folder: Path, cards: int) -> Path:
    """Make a vault, unless it is there."""
    root = folder / f"v{cards}"
    if not root.is_dir():
        build(root, cards)
    return root


def per(times: Sequence[float], share: float) -> float:
    """Take a percentile."""
    ranked = sorted(times)
    return ranked[min(len(ranked) - 1, round(share * (len(ranked) - 1)))]


def hooks(folder: Path, rounds: int) -> None:
    """Compare a prompt's hook with the barest programs, by turns."""
    with serving(vault(folder, 1000)) as served:
        served.settle()
        payload = json.dumps({"session_id": "s", "hook_event_name": "SessionStart", "cwd": "/"}).encode()
        environment = os.environ | {"MEMKIT_VAULT": str(served.root)}
        acts = {
            "python3 -I -S -c pass": [sys.executable, "-I", "-S", "-c", "pass"],
            "sh -c :": ["sh", "-c", ":"],
            "hook": [sys.executable, "-I", "-S", HOOK, "claude", "start"],
        }
        taken: dict[str, list[float]] = {name: [] for name in acts}
        for _ in range(rounds):
            for name, command in acts.items():
                run = partial(subprocess.run, command, input=payload, env=environment, capture_output=True, check=False)
                taken[name].append(measure.milliseconds(run))
    bare = taken["python3 -I -S -c pass"]
    rows = [
        (name, per(each, 0.5), per(each, 0.95), per(each, 0.5) / per(bare, 0.5), per(each, 0.95) / per(bare, 0.5))
        for name, each in taken.items()
    ]
    measure.show(f"hook round trip, {rounds} by turns", ("act", "p50", "p95", "p50 ÷ python's", "p95 ÷ python's"), rows)


def starts(folder: Path, sizes: Sequence[int]) -> None:
    """Start with nothing derived, then with everything."""
    rows: list[tuple[object, ...]] = []
    for cards in sizes:
        root = vault(folder, cards)
        shutil.rmtree(places.cache_base(), ignore_errors=True)
        with serving(root) as served:
            first = served.first_s
            features = first + served.wait(lambda told: not told["building"])
            told = served.ask("status")
            notes, words = sum(told["notes"].values()), served.settle()
            cold_mb = served.memory_mb()
        with serving(root) as served:
            warm = served.first_s
            served.settle()
            rows.append(
                (
                    *(cards, notes, first, features, notes / features, cards / max(words, 0.1), warm),
                    *(cold_mb, served.memory_mb()),
                )
            )
    heads = (
        "cards", "notes", "first answer s", "by features s", "notes/s", "then cards/s by words", "warm start s",
        "MB then", "MB warm",
    )  # fmt: skip
    measure.show("start", heads, rows)


def questions(world: World, words: int, language: str, count: int) -> list[str]:
    """Write questions of so many words, each naming a tag."""
    draw = random.Random(5)  # noqa: S311 - made-up text
    return [f"{draw.choice(world.tags).name} {world.words(words - 1, language)}" for _ in range(count)]


def recalls(folder: Path, sizes: Sequence[int], count: int) -> None:
    """Ask short and long questions."""
    rows: list[tuple[object, ...]] = []
    before: dict[tuple[int, str], float] = {}
    for cards in sizes:
        world = World(cards)
        with serving(vault(folder, cards)) as served:
            served.settle()
            for words, language in ((6, "en"), (6, "zh"), (30, "en"), (30, "zh"), (300, "en"), (300, "zh")):
                asked = questions(world, words, language, count)
                for each in asked[:10]:
                    served.hits(each)
                taken = [measure.milliseconds(partial(served.hits, each)) for each in asked]
                middle = per(taken, 0.5)
                grown = middle / before[words, language] if (words, language) in before else ""
                before[words, language] = middle
                rows.append((cards, f"{words} words, {language}", middle, per(taken, 0.99), grown))
    measure.show("recall through the socket", ("cards", "question", "p50", "p99", "p50 ÷ smaller vault"), rows)


def edits(folder: Path, cards: int, rounds: int) -> None:
    """Edit a note and see when it is recalled: by itself, and by the very next question."""
    root = vault(folder, cards)
    with serving(root) as served:
        served.settle()
        derived = next(places.cache_base().glob(f"*-{places.vault_key(root)[:8]}"))
        file = next(path for path in (root / "cards").rglob("*.md") if is_recallable(path))
        keep = file.read_text(encoding="utf-8")
        alone = [by_itself(derived, file, keep, n) for n in range(40)]
        right, taken = 0, []
        for n in range(rounds):
            word = f"zyx{n}x"
            file.write_text(tagged(keep, word), encoding="utf-8")
            started = time.perf_counter()
            right += served.hits(word) == [file.relative_to(root).as_posix()]
            taken.append((time.perf_counter() - started) * 1000)
        file.write_text(keep, encoding="utf-8")
    rows: list[tuple[object, ...]] = [
        ("noticed by itself", len(alone), per(alone, 0.5), per(alone, 0.95), ""),
        ("edit, then ask", rounds, per(taken, 0.5), per(taken, 0.95), f"{right} of {rounds}"),
    ]
    measure.show(f"edit to recalled, {cards} cards", ("how", "rounds", "p50", "p95", "right"), rows)


def tagged(raw: str, word: str) -> str:
    """Give a card one more tag."""
    return raw.replace("tags:\n", f"tags:\n  - {word}\n", 1)


def by_itself(derived: Path, file: Path, keep: str, number: int) -> float:
    """Look into the index file until an edit has arrived, without asking the daemon."""
    word = f"alone{number}x"
    with closing(sqlite3.connect(derived / "index.sqlite3")) as index:
        started = time.perf_counter()
        file.write_text(tagged(keep, word), encoding="utf-8")
        while not index.execute("SELECT 1 FROM postings WHERE term = ?", (f"tag:{word}",)).fetchone():
            time.sleep(0.002)
        return (time.perf_counter() - started) * 1000


def checkout(folder: Path, cards: int, changed: int) -> None:
    """Check out a branch on which many notes differ, and ask meanwhile."""
    root = folder / "git"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(vault(folder, cards), root)

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")
        subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)

    for words in (("init", "-b", "main"), ("add", "."), ("commit", "-m", "one"), ("checkout", "-b", "other")):
        git(*words)
    notes = [path for path in sorted((root / "cards").rglob("*.md")) if is_recallable(path)][:changed]
    for n, note in enumerate(notes):
        note.write_text(tagged(note.read_text(encoding="utf-8"), f"other{n}x"), encoding="utf-8")
    for words in (("commit", "-am", "two"), ("checkout", "main")):
        git(*words)
    asked = questions(World(cards), 6, "en", 100)
    with serving(root) as served:
        served.settle()
        quiet = [measure.milliseconds(partial(served.hits, each)) for each in asked]
        started, busy, draw = time.perf_counter(), [], 0
        with subprocess.Popen(["git", "checkout", "other"], cwd=root, stderr=subprocess.DEVNULL) as git_at_work:
            while git_at_work.poll() is None or not arrived(served, len(notes) - 1):
                busy.append(measure.milliseconds(partial(served.hits, asked[draw % len(asked)])))
                draw += 1
        features = time.perf_counter() - started
        served.settle()
        whole = time.perf_counter() - started
        right = sum(served.hits(f"other{n}x")[:1] != [] for n in range(0, len(notes), 50))
    share, still, meanwhile = range(0, len(notes), 50), per(quiet, 0.99), per(busy, 0.99)
    rows = [(changed, features, whole, f"{right} of {len(share)}", still, meanwhile, meanwhile / still)]
    heads = ("notes", "by features s", "and words s", "right", "quiet p99", "p99 meanwhile", "÷ quiet")
    measure.show(f"git checkout, {cards} cards", heads, rows)


def is_recallable(path: Path) -> bool:
    """Tell whether a card may be recalled at all."""
    raw = path.read_text(encoding="utf-8")
    return "status: completed" in raw and "feedback: rejected" not in raw and "layer: transient" not in raw


def arrived(served: Served, last: int) -> bool:
    """Tell whether the whole checkout is known."""
    answer = served.ask("recall", query=f"other{last}x")
    return bool(answer["hits"]) and not any("still being read" in said for said in answer.get("remarks", ()))


def beside(folder: Path, cards: int, qmd: str) -> None:
    """Do the same with a plain FTS5 script, and with qmd where it is installed."""
    root = vault(folder, cards)
    asked = questions(World(cards), 4, "en", 60)
    shutil.rmtree(places.cache_base(), ignore_errors=True)
    with serving(root) as served:
        indexed = served.first_s + served.settle()
        file = next(path for path in (root / "cards").rglob("*.md") if is_recallable(path))
        keep = file.read_text(encoding="utf-8")
        found = []
        for n in range(20):
            file.write_text(tagged(keep, f"beside{n}x"), encoding="utf-8")
            found.append(measure.milliseconds(partial(served.hits, f"beside{n}x")))
        file.write_text(keep, encoding="utf-8")
        taken = [measure.milliseconds(partial(served.hits, each)) for each in asked]
    rows = [("memkit", indexed, statistics.median(found), statistics.median(taken))]
    rows.append(("plain FTS5", *side_by_side.fts5(root, folder, asked)))
    if qmd:
        rows.append(("qmd", *side_by_side.qmd(root, folder, qmd, asked[:10])))
    measure.show(f"side by side, {cards} cards", ("what", "index s", "edit to found", "question p50"), rows)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=PARTS, help=f"which of {', '.join(PARTS)}")
    parser.add_argument("--cards", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--changed", type=int, default=5000)
    parser.add_argument("--qmd", default="", help="the command of an installed qmd")
    parser.add_argument("--keep", type=Path, help="a folder (of a short name) where the vaults are kept")
    chosen = parser.parse_args()
    with measure.workshop(chosen.keep) as folder:
        os.environ["MEMKIT_RUNTIME"] = str(folder / "r")
        middle = min(chosen.cards, key=lambda cards: abs(cards - 10_000))
        acts: dict[str, Callable[[], None]] = {
            "hook": partial(hooks, folder, 200),
            "start": partial(starts, folder, chosen.cards),
            "recall": partial(recalls, folder, chosen.cards, 150),
            "edit": partial(edits, folder, middle, chosen.rounds),
            "checkout": partial(checkout, folder, middle, chosen.changed),
            "beside": partial(beside, folder, min(5000, middle), chosen.qmd),
        }
        for part in chosen.parts:
            acts[part]()
            print(measure.noise())


if __name__ == "__main__":
    main()
