"""Measure the two phases of a turn: `python -m tests.bench.bench_turns --cards 10000`.

The floor is the disk's own: in the same run, in the same vault, as many files of the same sizes are written
beside their place, waited for and renamed, and as many folders waited for, as the turn did.
"""

from __future__ import annotations

import argparse
import os
import stat
from time import perf_counter, process_time
from typing import TYPE_CHECKING, NamedTuple, Self
from unittest import mock

from kit.app import Kit
from kit.reconcile import Report
from tests.bench import measure
from tests.bench.synthetic import END, World, build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEADS = ("act", "p50 ms", "p99 ms", "floor p50", "÷ floor", "CPU ms", "files waited for", "folders waited for")


class Waits(NamedTuple):
    """What an act waited for: the size of each file, and how many folders."""

    files: tuple[int, ...]
    folders: int


class Counter:
    """Counts what is waited for, without changing it."""

    def __init__(self) -> None:
        self._files: list[int] = []
        self._folders = 0
        self._real = os.fsync
        self._patch = mock.patch.object(os, "fsync", self._wait)

    def _wait(self, descriptor: int) -> None:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            self._folders += 1
        else:
            self._files.append(found.st_size)
        self._real(descriptor)

    def __enter__(self) -> Self:
        """Begin."""
        self._patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._patch.stop()

    def taken(self) -> Waits:
        """Tell what was waited for since the last time."""
        found = Waits(tuple(self._files), self._folders)
        self._files, self._folders = [], 0
        return found


class Taken(NamedTuple):
    """One act, measured."""

    wall: float
    floor: float
    cpu: float
    waits: Waits


def floor(folder: Path, waits: Waits, number: int) -> float:
    """Do only what the disk must do, in milliseconds."""
    started = perf_counter()
    for at, size in enumerate(waits.files):
        temp = folder / f".~{number}-{at}.tmp"
        place = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        os.write(place, b"x" * size)
        os.fsync(place)
        os.close(place)
        temp.rename(folder / f"{number}-{at}.txt")
    for _ in range(waits.folders):
        place = os.open(folder, os.O_RDONLY)
        os.fsync(place)
        os.close(place)
    return (perf_counter() - started) * 1000


def measured(act: Callable[[], object], folder: Path, number: int, counter: Counter) -> Taken:
    """Measure one act, then its floor."""
    counter.taken()
    before, started = process_time(), perf_counter()
    act()
    wall, cpu = (perf_counter() - started) * 1000, (process_time() - before) * 1000
    waits = counter.taken()
    return Taken(wall, floor(folder, waits, number), cpu, waits)


def turns(kit: Kit, world: World, count: int, folder: Path, label: str) -> list[tuple[object, ...]]:
    """Frame and complete `count` turns."""
    framed: list[Taken] = []
    completed: list[Taken] = []
    again: list[Taken] = []
    for number in range(count):
        tags = [world.tags[number % len(world.tags)].name, world.tags[-1 - number % 7].name]
        prompt, answer = world.words(20, "mixed"), world.words(120, "en")
        cards: list[str] = []
        with Counter() as counter:
            framed.append(
                measured(lambda: cards.append(kit.frame(prompt, tags=tags).id), folder, 3 * number, counter)  # noqa: B023
            )
            for taken, at in ((completed, 1), (again, 2)):
                taken.append(measured(lambda: kit.complete(cards[0], answer), folder, 3 * number + at, counter))  # noqa: B023
    return [
        row(f"frame{label}", framed),
        row(f"complete{label}", completed),
        row(f"complete again{label}", again),
    ]


def row(act: str, taken: list[Taken]) -> tuple[object, ...]:
    """Sum up one act."""
    wall = measure.spread([one.wall for one in taken])
    least = measure.spread([one.floor for one in taken]).p50
    waits = sorted((one.waits for one in taken), key=lambda one: (len(one.files), one.folders))[len(taken) // 2]
    ratio = wall.p50 / least if waits.files else ""
    cpu = measure.spread([one.cpu for one in taken]).p50
    return act, *wall, least if waits.files else "", ratio, cpu, len(waits.files), waits.folders


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=50)
    chosen = parser.parse_args()
    with measure.workshop() as folder:
        vault, beside = folder / "vault", folder / "floor"
        (beside / "scan").mkdir(parents=True)
        build(vault, chosen.cards, events=False)
        world = World(chosen.cards)
        with Kit(vault, clock=lambda: END) as kit:
            kit.sync()
        with Kit(vault, clock=lambda: END, freshen=Report) as kit:
            rows = turns(kit, world, chosen.turns, beside, "")
        with Kit(vault, clock=lambda: END) as kit:
            rows += turns(kit, world, max(5, chosen.turns // 5), beside / "scan", " with a scan first")
        measure.show(f"turns, {chosen.cards} cards", HEADS, rows)
    print(f"\n{measure.noise()}")


if __name__ == "__main__":
    main()
