"""How a benchmark times, summarises and prints; and how steady the machine is meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Spread(NamedTuple):
    """Times of one act, in milliseconds."""

    p50: float
    p99: float


def spread(times: Sequence[float]) -> Spread:
    """Take the median and the 99th percentile."""
    ranked = sorted(times)
    return Spread(statistics.median(ranked), ranked[round(0.99 * (len(ranked) - 1))])


def milliseconds(act: Callable[[], object]) -> float:
    """Time one act."""
    started = perf_counter()
    act()
    return (perf_counter() - started) * 1000


def times(act: Callable[[], object], count: int) -> Spread:
    """Time an act again and again."""
    return spread([milliseconds(act) for _ in range(count)])


def fresh(act: Callable[..., dict[str, float]], *given: object) -> dict[str, float]:
    """Run an act in a new process; add the most memory it held, as `peak`."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_weighed, act, *given).result()


def _weighed(act: Callable[..., dict[str, float]], *given: object) -> dict[str, float]:
    return {**act(*given), "peak": peak_mb()}


def peak_mb() -> float:
    """Tell the most memory this process ever held (ru_maxrss), in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)


def noise() -> str:
    """Time one loop that nothing but other programs can slow down; p99 ÷ p50 is the machine's noise."""
    found = times(lambda: sum(range(100_000)), 200)
    return f"noise of this machine: a loop of {found.p50:.2f} ms takes {found.p99 / found.p50:.2f} times that at p99"


@contextmanager
def workshop(keep: Path | None = None) -> Iterator[Path]:
    """Give a folder for vaults and derived data; the kit's own places lie in it, too."""
    with tempfile.TemporaryDirectory(prefix="bench-") as made:
        folder = keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["MEMKIT_CACHE"] = str(folder / "cache")
        os.environ["MEMKIT_CONFIG"] = str(folder / "config")
        yield folder


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table: text to the left, numbers to the right."""
    cells = [[f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    widths = [max(len(line[at]) for line in (list(heads), *cells)) for at in range(len(heads))]
    print(f"\n{title}")
    for line, sample in ((heads, ["" for _ in heads]), *zip(cells, rows, strict=True)):
        shown = (
            str(cell).rjust(width) if isinstance(value, (int, float)) or (line is heads and at) else cell.ljust(width)
            for at, (cell, width, value) in enumerate(zip(line, widths, sample, strict=True))
        )  # fmt: skip
        print("  " + "  ".join(shown).rstrip())
    sys.stdout.flush()
