"""Measure how well the product recalls: `python -m tests.bench.quality FILE… [--json OUT]`."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench import measure
from tests.bench.quality import depth, everyday, runner

if TYPE_CHECKING:
    from collections.abc import Sequence

RANKING = ("R@1", "R@5", "R@10", "R@20", "Hit@1", "Hit@5", "Hit@10", "All@10", "MRR", "nDCG@10")
INJECTION = ("useful", "injected", "precision", "recall hook", "silent", "exact hook", "exact search", "tokens", "late")


def show(title: str, rows: Sequence[runner.Row]) -> None:
    """Print the two tables of some questions."""
    for part, measures in (("ranking", RANKING), ("injection", INJECTION)):
        heads = ("questions", "n", *measures, *(("p50 ms", "p99 ms") if measures is INJECTION else ()))
        lines = [
            (row.name, row.questions, *(_cell(row.scores.get(each, math.nan)) for each in measures))
            + ((row.p50, row.p99) if measures is INJECTION else ())
            for row in rows
        ]
        measure.show(f"{title}: {part}", heads, lines)


def _cell(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.3f}" if value <= 1 else f"{value:.1f}"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.quality", description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="JSON Lines files, one a vault; see README.md")
    parser.add_argument("--json", type=Path, help="where all figures are put, with every question's own")
    parser.add_argument("--engine", default="auto", help="full-text engine: auto, whoosh, sqlite, tantivy, none")
    parser.add_argument("--limit-questions", type=int, default=0, help="only so many of each file, taken evenly")
    parser.add_argument("--history", choices=("joined", "none"), default="joined", help="earlier turns, when ranking")
    parser.add_argument("--everyday", type=Path, action="append", default=[], help="a vault, or a file to make one of")
    parser.add_argument("--depth", type=Path, action="append", default=[], help="a file asked at every depth")
    chosen = parser.parse_args()
    options = runner.Options(chosen.engine, chosen.limit_questions, chosen.history == "joined")
    found: dict[str, object] = {}
    if chosen.files:
        measured = runner.measure_files(chosen.files, options)
        for one in measured:
            print(f"{one.name}: {one.remarks}, written in {one.writing_seconds:.1f} s")
        rows = runner.rows(runner.together(measured))
        show(f"{len(chosen.files)} vaults", rows)
        found["rows"] = [row._asdict() for row in rows]
        found["files"] = [{**one._asdict(), "outcomes": [each._asdict() for each in one.outcomes]} for one in measured]
    found["everyday"] = [everyday.report(each, options) for each in chosen.everyday]
    if chosen.depth:
        found["routes"] = depth.routes()
        found["depth"] = [row for each in chosen.depth for row in depth.gains(each, options)]
    if chosen.json:
        chosen.json.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
