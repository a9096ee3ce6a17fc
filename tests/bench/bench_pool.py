"""Measure the tag pool: `python -m tests.bench.bench_pool --tags 10000 --relations 50000`.

The same tags and cards twice, with and without relations; then what one edited tag note costs.
"""

from __future__ import annotations

import argparse
import random
import statistics
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kit import reconcile
from kit.app import Kit
from kit.reconcile import Report
from tests.bench import measure
from tests.bench.synthetic import END, mandelbrot, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.bench.synthetic import Front

CARDS = 10_000
SHARES = (1, 6, 3)
"""How many relations are synonyms, related, loose, in tenths."""
LEVELS = ("synonym", "related", "loose")
ONSETS, NUCLEI = "bdfgklmnprstvz", "aeiou"
WORK_MS = 20.0
RATIO = 1.5


def word(number: int) -> str:
    """Make up a word that is no other's."""
    found = ""
    for _ in range(4):
        number, onset = divmod(number, len(ONSETS))
        number, nucleus = divmod(number, len(NUCLEI))
        found += ONSETS[onset] + NUCLEI[nucleus]
    return found


def build(root: Path, tags: int, relations: int, cards: int) -> None:
    """Write a vault; the same numbers give the same files."""
    draw = random.Random(7)  # noqa: S311 - made-up text, no secret
    links: list[dict[str, set[int]]] = [{level: set() for level in LEVELS} for _ in range(tags)]
    for _ in range(relations):
        one, other = draw.sample(range(tags), 2)
        level = draw.choices(LEVELS, SHARES)[0]
        links[one][level].add(other)
        links[other][level].add(one)
    (root / "tags").mkdir(parents=True)
    (root / "cards").mkdir()
    (root / "memkit.toml").write_text(f'id = "{root.name}"\n', encoding="utf-8")
    for number in range(tags):
        (root / tag_path(number)).write_bytes(tag_note(number, links[number]))
    weights = mandelbrot(tags, shift=8, power=0.9)
    for number in range(cards):
        borne = tuple(dict.fromkeys(word(one) for one in draw.choices(range(tags), cum_weights=weights, k=3)))
        front: Front = {"id": f"c{number}", "kind": "card", "status": "completed", "created": END, "tags": borne}
        (root / f"cards/c{number}.md").write_bytes(render(front, f"Note {number} on {word(number % tags)}.\n"))


def tag_path(number: int) -> str:
    """Place a tag."""
    return f"tags/{word(number)}.md"


def tag_note(number: int, links: dict[str, set[int]], more: str = "") -> bytes:
    """Write a tag."""
    named = {level: tuple(f"[[tags/{word(one)}]]" for one in sorted(its)) or None for level, its in links.items()}
    front: Front = {
        "id": f"t{number}", "kind": "tag", "code": f"t{number}", "name": word(number),
        "definitions": (f"what {word(number)} is{more}",), "dimensions": ("content",), **named,
    }  # fmt: skip
    return render(front, "")


def rows(folder: Path, tags: int, relations: int) -> list[list[object]]:
    """Measure both vaults, turn by turn, and then edits in the one with relations."""
    asked = random.Random(11)  # noqa: S311 - the same
    weights = mandelbrot(tags, shift=8, power=0.9)
    pairs = [asked.choices(range(tags), cum_weights=weights, k=2) for _ in range(150)]
    questions = [f"what about {word(one)} and {word(other)}?" for one, other in pairs]
    with ExitStack() as stack:
        kits = [stack.enter_context(opened(folder, tags, count)) for count in (0, relations)]
        taken: list[list[float]] = [[], []]
        for again in range(4):
            for question in questions:
                for kit, times in zip(kits, taken, strict=True):
                    time = measure.milliseconds(partial(kit.recall, question))
                    if again:  # the first time reads from the disk
                        times.append(time)
        plain, related = map(measure.spread, taken)
        return [
            ["recall, without relations", 0, plain.p50, plain.p99, 1.0],
            ["recall, with relations", relations, related.p50, related.p99, related.p50 / plain.p50],
            *edits(kits[1], tags, related.p50, questions),
        ]


def opened(folder: Path, tags: int, relations: int) -> Kit:
    """Open a vault with so many relations, its index in step."""
    root = folder / f"pool-{tags}-{relations}"
    if not root.is_dir():
        build(root, tags, relations, CARDS)
    with Kit(root, clock=lambda: END) as kit:
        kit.sync()
    return Kit(root, clock=lambda: END, freshen=Report)


def edits(kit: Kit, tags: int, p50: float, questions: Sequence[str]) -> list[list[object]]:
    """Time what one edited tag note costs: taking it up, and the first recall after."""
    take, first = [], []
    for number in range(0, min(tags, 200), 10):
        path = tag_path(number)
        file = kit.root / path
        raw = file.read_bytes()
        file.write_bytes(raw.replace(b" is", b" is now", 1))
        take.append(measure.milliseconds(partial(reconcile.apply, kit.store, kit.index, [path])))
        first.append(measure.milliseconds(partial(kit.recall, questions[number % len(questions)])))
        file.write_bytes(raw)
        reconcile.apply(kit.store, kit.index, [path])
    return [
        ["taking an edited tag up", 1, statistics.median(take), max(take), statistics.median(take) / WORK_MS],
        ["first recall after it", 1, statistics.median(first), max(first), statistics.median(first) / p50],
    ]


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tags", type=int, default=10_000)
    parser.add_argument("--relations", type=int, default=50_000)
    parser.add_argument("--keep", type=Path, help="a folder where the vaults are kept for the next time")
    chosen = parser.parse_args()
    with measure.workshop(chosen.keep) as folder:
        heads = ("what", "relations", "p50 ms", "p99 ms", "÷ without, ÷ 20 ms, ÷ recall")
        measure.show(f"pool of {chosen.tags} tags", heads, rows(folder, chosen.tags, chosen.relations))
    print(
        f"\nwanted: with relations ≤ {RATIO} × without, an edit ≤ {WORK_MS:.0f} ms of work (≤ 1.00)\n{measure.noise()}"
    )


if __name__ == "__main__":
    main()
