"""Measure the full-text engines on made-up cards: `python tests/bench/bench_fulltext.py --n 1000 10000`.

The cards have 100 to 400 words whose frequencies follow Zipf's law: half are English, a fifth Chinese, the
rest mixed. Real text is kinder: its words come in company.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
from functools import partial
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from kit.index.fulltext import ENGINES, FIELDS, Doc, FullText, open_engine
from kit.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WEIGHTS = dict.fromkeys(FIELDS, 1.0) | {"title": 2.0, "tags": 2.0, "summary": 1.5}
_WORDS = 30_000
_BATCH = 2000


class Cards:
    """A stream of cards and questions from one seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311 - made-up text, no secret
        self._weights = list(accumulate(1 / (rank + 2) for rank in range(_WORDS)))
        self._english = [self._word(rank) for rank in range(_WORDS)]
        self._chinese = [self._chinese_word(rank) for rank in range(_WORDS)]

    def _word(self, rank: int) -> str:
        length = 3 + min(rank // 3000, 3) + self._random.randrange(4)
        return "".join(self._random.choice("etaoinshrdlucmfwypvbgk") for _ in range(length))

    def _chinese_word(self, rank: int) -> str:
        length = 1 if rank < 50 else 2 + (self._random.random() < 0.2)
        return "".join(chr(0x4E00 + int(3000 * self._random.random() ** 2)) for _ in range(length))

    def words(self, count: int, kind: str) -> str:
        """Write a text of `count` words."""
        if kind == "mixed":
            return self.words(count // 2, "english") + " " + self.words(count - count // 2, "chinese")
        chinese = kind == "chinese"
        words = self._chinese if chinese else self._english
        return ("" if chinese else " ").join(self._random.choices(words, cum_weights=self._weights, k=count))

    def kind(self) -> str:
        """Draw a language."""
        return self._random.choices(["english", "chinese", "mixed"], [5, 2, 3])[0]

    def card(self, num: int) -> Doc:
        """Write a card; most of it is what the agent said."""
        kind, count = self.kind(), self._random.randint(100, 400)
        user = count // 4
        fields = {
            "title": self.words(6, kind),
            "tags": self.words(3, kind),
            "summary": self.words(20, kind),
            "user": self.words(user, kind),
            "agent": self.words(count - user - 29, kind),
        }
        return Doc(num, fields)

    def some(self, size: int, count: int) -> list[int]:
        """Draw `size` of the first `count` numbers."""
        return [self._random.randrange(count) for _ in range(size)]

    def question(self, low: int, high: int) -> list[tuple[str, float]]:
        """Ask with `low` to `high` words."""
        text = self.words(self._random.randint(low, high), self.kind())
        return [(term, 1.0) for term in terms(text)]


def milliseconds(act: Callable[[], object]) -> float:
    """Time one act."""
    start = perf_counter()
    act()
    return (perf_counter() - start) * 1000


def spread(times: Sequence[float]) -> str:
    """Say the median and the 99th percentile."""
    ranked = sorted(times)
    return f"{statistics.median(ranked):8.2f} /{ranked[int(0.99 * (len(ranked) - 1))]:8.2f}"


def size_mb(folder: Path) -> float:
    """Weigh a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure(engine: FullText, folder: Path, count: int, queries: int) -> dict[str, float]:
    """Fill an engine, ask it, change it; print the figures and return the medians."""
    cards = Cards()
    spent = 0.0
    for start in range(0, count, _BATCH):
        batch = [cards.card(num) for num in range(start, min(start + _BATCH, count))]
        spent += milliseconds(partial(engine.apply, batch, (), "bench"))
    print(f"{engine.name:8} n={count:<7} {count / spent * 1000:8.0f} docs/s {size_mb(folder):8.1f} MB")
    medians: dict[str, float] = {}
    for label, low, high in (("1-6 words", 1, 6), ("30 words", 30, 30), ("300 words", 300, 300)):
        asked = [cards.question(low, high) for _ in range(queries)]
        times = [milliseconds(partial(engine.search, each, 10, weights=WEIGHTS, budget_s=1)) for each in asked]
        medians[label] = statistics.median(times)
        print(f"    {label:16} p50 / p99 {spread(times)} ms")
    for label, size in (("update of 1", 1), ("update of 50", 50)):
        edits = [[cards.card(num) for num in cards.some(size, count)] for _ in range(max(5, queries // 5))]
        times = [milliseconds(partial(engine.apply, each, ())) for each in edits]
        medians[label] = statistics.median(times)
        print(f"    {label:16} p50 / p99 {spread(times)} ms, mean {statistics.mean(times):.1f}")
    return medians


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--engines", nargs="+", default=list(ENGINES))
    parser.add_argument("--queries", type=int, default=100)
    chosen = parser.parse_args()
    for count in chosen.n:
        base: dict[str, float] = {}
        for name in chosen.engines:
            if name == "tantivy" and find_spec("tantivy") is None:
                continue
            folder = Path(tempfile.mkdtemp(prefix="bench-"))
            try:
                engine = open_engine(name, folder)
                medians = measure(engine, folder, count, chosen.queries)
                print(f"    {'close':16} {milliseconds(engine.close):8.2f} ms")
                start = perf_counter()
                again = open_engine(name, folder)
                print(f"    {'open again':16} {(perf_counter() - start) * 1000:8.2f} ms")
                again.close()
                base = base or medians
                print("    ratio to first   " + ", ".join(f"{key} {medians[key] / base[key]:.2f}" for key in medians))
            finally:
                shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
