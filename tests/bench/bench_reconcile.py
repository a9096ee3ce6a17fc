"""Measure the one road in: `python -m tests.bench.bench_reconcile --cards 10000`.

Each act runs in a process of its own, so that its peak of memory is its own. Floors are taken in the same
run over the same files: for a scan, listing and stat; for a first build, that plus reading and hashing.
"""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from hashlib import blake2b
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from kit import reconcile
from kit.app import Kit
from kit.daemon import builder
from kit.recall import engine
from kit.recall.query import Query
from tests.bench import measure
from tests.bench.synthetic import END, build

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADS = ("act", "ms", "floor ms", "÷ floor", "notes/s", "peak MB")
QUESTION = "what do we know about caching and performance?"


def files(folder: str) -> Iterator[tuple[str, int]]:
    """List and stat every note: what no scan can do without."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    yield from files(entry.path)
            elif entry.name.endswith(".md"):
                yield entry.path, entry.stat(follow_symlinks=False).st_mtime_ns


def lay_down(vault: Path, cards: int, events: bool) -> dict[str, float]:
    """Make the vault, unless it is there."""
    if not vault.is_dir():
        build(vault, cards, events=events)
        for path, _ in files(str(vault)):  # a file just written would be read again by the next scan
            os.utime(path, (END.timestamp(), END.timestamp()))
    return {}


def floors(vault: Path) -> dict[str, float]:
    """Time the two floors, once with a warm cache of the system."""

    def read() -> None:
        for path, _ in files(str(vault)):
            blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()

    read()
    reading = measure.times(read, 3).p50
    listing = measure.times(lambda: sum(1 for _ in files(str(vault))), 5).p50
    return {"read": reading, "list": listing}


def first_build(vault: Path) -> dict[str, float]:
    """Build every index from nothing, up to the first answer by features."""
    with Kit(vault, clock=lambda: END) as kit:
        started = perf_counter()
        report = kit.reindex()
        engine.recall(kit.index, Query(QUESTION, END))
        return {"ms": (perf_counter() - started) * 1000, "notes": report.seen}


def nothing_changed(vault: Path) -> dict[str, float]:
    """Scan a vault that is as it was; the first scan after opening, then the next ones."""
    with Kit(vault, clock=lambda: END) as kit:
        first = measure.milliseconds(kit.sync)
        return {"first": first, "ms": measure.times(kit.sync, 9).p50}


def one_file(vault: Path) -> dict[str, float]:
    """Apply one edited card, again and again, with the rest of the index in memory."""
    with Kit(vault, clock=lambda: END) as kit:
        engine.recall(kit.index, Query(QUESTION, END))
        entry = next(kit.index.catalog.of_kind("card"))
        place = vault / entry.path
        raw = place.read_bytes()
        taken: list[float] = []
        for number in range(40):
            place.write_bytes(raw + f"Edited {number}.\n".encode())
            taken.append(measure.milliseconds(lambda: reconcile.apply(kit.store, kit.index, [entry.path])))
        place.write_bytes(raw)
        reconcile.apply(kit.store, kit.index, [entry.path])
        return {"ms": measure.spread(taken).p50}


def many_files(vault: Path) -> dict[str, float]:
    """Apply half of the cards edited, as after a checkout: read here alone, then with a child that reads ahead."""
    taken: dict[str, float] = {}
    with Kit(vault, clock=lambda: END) as kit:
        engine.recall(kit.index, Query(QUESTION, END))
        entries = list(kit.index.catalog.of_kind("card"))[::2]
        for name in ("alone", "child"):
            for entry in entries:
                place = vault / entry.path
                place.write_bytes(place.read_bytes() + f"Edited for {name}.\n".encode())
            crew = builder.reading(kit.store) if name == "child" else None
            reads = crew.each if crew else None
            taken[name] = measure.milliseconds(
                lambda reads=reads: list(reconcile.portions(kit.store, kit.index, nullcontext, reads=reads))  # type: ignore[misc]
            )
        for entry in entries:
            place = vault / entry.path
            place.write_bytes(place.read_bytes().partition(b"Edited for ")[0])
        list(reconcile.portions(kit.store, kit.index, nullcontext))
    return {**taken, "notes": len(entries)}


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, nargs="+", default=[10_000])
    parser.add_argument("--events", action="store_true", help="give each card its event, which doubles the notes")
    parser.add_argument("--keep", type=Path, help="a folder where the vaults are kept for the next time")
    chosen = parser.parse_args()
    with measure.workshop(chosen.keep) as folder:
        for cards in chosen.cards:
            vault = folder / f"vault-{cards}{'-events' if chosen.events else ''}"
            measure.fresh(lay_down, vault, cards, chosen.events)
            built, least = measure.fresh(first_build, vault), measure.fresh(floors, vault)
            scanned, edited = measure.fresh(nothing_changed, vault), measure.fresh(one_file, vault)
            many = measure.fresh(many_files, vault)
            half = many["notes"]
            both, notes = least["list"] + least["read"], built["notes"]
            listing = least["list"]
            rows = [
                ("first build to an answer", built["ms"], both, built["ms"] / both, notes / built["ms"] * 1e3),
                ("scan after opening", scanned["first"], listing, scanned["first"] / listing, ""),
                ("scan, nothing changed", scanned["ms"], listing, scanned["ms"] / listing, notes / scanned["ms"] * 1e3),
                ("one edited note", edited["ms"], "", "", ""),
                (f"{half:.0f} edited notes", many["alone"], "", "", half / many["alone"] * 1e3),
                ("the same, read ahead by a child", many["child"], "", "", half / many["child"] * 1e3),
            ]
            peaks = (built["peak"], "", scanned["peak"], edited["peak"], many["peak"], "")
            shown = [(*row, peak) for row, peak in zip(rows, peaks, strict=True)]
            measure.show(f"reconcile, {cards} cards, {notes:.0f} notes", HEADS, shown)
    print(f"\n{measure.noise()}")


if __name__ == "__main__":
    main()
