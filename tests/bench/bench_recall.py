"""Measure recall in one process: `python -m tests.bench.bench_recall --cards 1000 10000`.

The kit is open and its index warm, as in the daemon, whose watcher has told it of every file already: so
the scan that a single command makes before it recalls is left out here; `bench_reconcile` measures it.
"""

from __future__ import annotations

import argparse
import statistics
from functools import partial
from pathlib import Path

from kit.app import Kit
from kit.recall import match
from kit.reconcile import Report
from tests.bench import measure
from tests.bench.questions import Questions
from tests.bench.synthetic import END, World, build

HEADS = ("kind", "cards matched", "hits", "p50 ms", "p99 ms", "of it perceiving", "p50 ÷ smaller vault")


def matched(kit: Kit, question: str) -> int:
    """Count the cards a question leads to."""
    concepts = match.match(kit.index, question).concepts
    terms = {term for concept in concepts for way in concept.ways for term in way.terms}
    return len({num for term in terms for num in kit.index.postings.cards(term)})


def prepare(folder: Path, cards: int) -> World:
    """Make the vault, unless it is there, and its index."""
    vault = folder / f"vault-{cards}"
    if not vault.is_dir():
        build(vault, cards, events=False)
    with Kit(vault, clock=lambda: END) as kit:
        kit.sync()
    return World(cards)


def rows(folder: Path, cards: int, count: int, smaller: dict[str, float]) -> list[tuple[object, ...]]:
    """Ask every kind of question; `smaller` holds the medians of the vault before and takes the new ones."""
    world = prepare(folder, cards)
    with Kit(folder / f"vault-{cards}", clock=lambda: END, freshen=Report) as kit:
        made: list[tuple[object, ...]] = []
        first = measure.milliseconds(lambda: kit.recall("what do we know about caching?", now=END))
        for kind, draw in Questions(world, kit.index.postings.frequencies()).kinds().items():
            asked = [draw() for _ in range(count)]
            kit.recall(asked[0], now=END)
            found = [kit.recall(question, now=END) for question in asked[:20]]
            taken = measure.spread([measure.milliseconds(partial(kit.recall, each, now=END)) for each in asked])
            seen = measure.spread([measure.milliseconds(partial(kit.perceive, each, END)) for each in asked])
            met = round(statistics.median(matched(kit, each) for each in asked))
            hits = round(statistics.median(len(each.hits) for each in found))
            ratio = taken.p50 / smaller[kind] if kind in smaller else ""
            smaller[kind] = taken.p50
            made.append((kind, met, hits, taken.p50, taken.p99, seen.p50, ratio))
        made.append(("open to first answer", "", "", first, "", "", ""))
    return made


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--questions", type=int, default=100, help="questions of each kind")
    parser.add_argument("--keep", type=Path, help="a folder where the vaults are kept for the next time")
    chosen = parser.parse_args()
    smaller: dict[str, float] = {}
    with measure.workshop(chosen.keep) as folder:
        for cards in chosen.cards:
            measure.show(f"recall, {cards} cards", HEADS, rows(folder, cards, chosen.questions, smaller))
    print(f"\n{measure.noise()}")


if __name__ == "__main__":
    main()
