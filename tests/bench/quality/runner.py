"""From files to figures: a throw-away vault for each, all questions asked, measures gathered by category.

Law: a file is measured in a process of its own, in a folder of its own, which is gone afterwards.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kit.app import Kit
from kit.govern.lay import lay
from kit.reconcile import Report
from tests.bench import measure
from tests.bench.quality import asking, form, writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.bench.quality.asking import Outcome
    from tests.bench.quality.form import Material, Question
    from tests.bench.quality.writing import Written

PROCESSES = 2


class Options(NamedTuple):
    """How to measure."""

    engine: str = "auto"
    questions: int = 0
    """only so many of each file, taken evenly; 0: all"""
    joined: bool = True
    """put a question's earlier turns before it, for the ranking"""


class Measured(NamedTuple):
    """One file, measured."""

    name: str
    remarks: dict[str, int]
    writing_seconds: float
    outcomes: list[Outcome]


class Row(NamedTuple):
    """One line of the table: means over the questions each measure means something for."""

    name: str
    questions: int
    scores: dict[str, float]
    p50: float
    p99: float


def measure_files(files: Sequence[Path], options: Options) -> list[Measured]:
    """Measure all files, two at a time."""
    if len(files) == 1:
        return [measure_file(files[0], options)]
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(measure_file, files, [options] * len(files)))


def measure_file(file: Path, options: Options) -> Measured:
    """Write a file's memories into a vault, and ask its questions."""
    material = form.read(file)
    with tempfile.TemporaryDirectory(prefix="quality-") as made, asking.apart(Path(made), **_settings(options)):
        vault = Path(made) / "vault"
        written = fill(vault, material)
        chosen = _some(material.questions, options.questions)
        outcomes = asking.ask(
            lambda: _open(vault), written.notes, material, chosen, joined=options.joined
        )  # fmt: skip
    return Measured(material.name, written.remarks, written.seconds, outcomes)


def fill(vault: Path, material: Material) -> Written:
    """Lay a vault down and write the memories into it."""
    lay(vault)
    with Kit(vault) as kit:
        kit.sync()
    with _open(vault) as kit:
        return writing.write(kit, material.memories)


def _open(vault: Path) -> Kit:
    kit = Kit(vault, freshen=Report)
    writing.read_words(kit)
    return kit


def _settings(options: Options) -> dict[str, str]:
    return {"MEMKIT_INDEX_ENGINE": options.engine}


def _some(values: Sequence[Question], count: int) -> Sequence[Question]:
    if not count or count >= len(values):
        return values
    return [values[at * len(values) // count] for at in range(count)]


def rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """Sum up all questions but the adversarial ones, then each category."""
    found = [_row("all", [one for one in outcomes if one.category != form.ADVERSARIAL])]
    names = sorted({one.category for one in outcomes if one.category})
    return found + [_row(name, [one for one in outcomes if one.category == name]) for name in names]


def _row(name: str, outcomes: Sequence[Outcome]) -> Row:
    measures = {each for one in outcomes for each in one.scores}
    scores = {each: asking.mean([one.scores[each] for one in outcomes if each in one.scores]) for each in measures}
    times = measure.spread([one.ms for one in outcomes]) if outcomes else measure.Spread(0.0, 0.0)
    return Row(name, len(outcomes), scores, *times)


def together(measured: Iterable[Measured]) -> list[Outcome]:
    """Put the outcomes of several files in one list."""
    return [outcome for one in measured for outcome in one.outcomes]
