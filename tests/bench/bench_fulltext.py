"""Measure the full-text engines on made-up cards: `python -m tests.bench.bench_fulltext --n 1000 10000`.

A card has about 1.1 KB of text with its event and overview; `--long` makes them 100 to 400 words. Word
frequencies follow Zipf's law, and most words come in company, as in real text: half of the cards are English,
a fifth Chinese, the rest mixed. The index is built in a process of its own; `steady` is how long a fixed piece
of work took meanwhile, so that figures of a busy machine can be told from those of a quiet one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import shutil
import statistics
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from kit.index.bm25 import FIELDS
from kit.index.engines import ENGINES, build, open_engine
from kit.index.fulltext import Doc, FullText
from kit.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

WEIGHTS = dict.fromkeys(FIELDS, 1.0) | {"title": 2.0, "tags": 2.0, "summary": 1.5}
BUDGET_S = 0.1
_WORDS = 30_000
_PHRASES = 20_000
_COMPANY = 0.7  # of the draws are phrases
_QUESTIONS = {"1-6 words": (1, 6), "30 words": (30, 30), "300 words": (300, 300)}
_SIZES = {False: (60, 230), True: (100, 400)}


class Cards:
    """A stream of cards and questions from one seed."""

    def __init__(self, seed: int = 7, *, long: bool = False) -> None:
        self._random = random.Random(seed)  # noqa: S311 - made-up text, no secret
        self._size = _SIZES[long]
        self._weights = list(accumulate(1 / (rank + 2) for rank in range(_WORDS)))
        self._few = self._weights[:_PHRASES]
        self._stock = {
            "english": [self._word(rank) for rank in range(_WORDS)],
            "chinese": [self._chinese_word(rank) for rank in range(_WORDS)],
        }
        self._phrases = {kind: [self._phrase(words) for _ in range(_PHRASES)] for kind, words in self._stock.items()}

    def _phrase(self, words: list[str]) -> list[str]:
        return self._random.choices(words, cum_weights=self._weights, k=self._random.randint(2, 6))

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
        gap, mark = ("", "，") if kind == "chinese" else (" ", ", ")
        parts: list[str] = []
        while count > 0:
            if self._random.random() < _COMPANY:
                words = self._random.choices(self._phrases[kind], cum_weights=self._few)[0][:count]
            else:
                words = self._random.choices(self._stock[kind], cum_weights=self._weights)
            parts.append(gap.join(words))
            count -= len(words)
        return mark.join(parts)

    def kind(self) -> str:
        """Draw a language."""
        return self._random.choices(["english", "chinese", "mixed"], [5, 2, 3])[0]

    def card(self, num: int) -> Doc:
        """Write a card; most of it is what the agent said."""
        kind, count = self.kind(), self._random.randint(*self._size)
        fields = {
            "title": self.words(6, kind),
            "tags": self.words(3, kind),
            "summary": self.words(14, kind),
            "overview": self.words(count // 5, kind),
            "user": self.words(count // 5, kind),
            "agent": self.words(count - 2 * (count // 5), kind),
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


def steady() -> float:
    """Time a fixed piece of work, in CPU milliseconds."""
    start = process_time()
    found: dict[str, list[int]] = {}
    for at in range(200_000):
        found.setdefault(str(at % 5000), []).append(at)
    return (process_time() - start) * 1000


class _Watched:
    """A stream of cards that knows how long they took to make up."""

    def __init__(self, cards: Cards, count: int) -> None:
        self._cards, self._count = cards, count
        self.wall = self.cpu = self.size = 0.0

    def __iter__(self) -> Iterator[Doc]:
        for num in range(self._count):
            wall, cpu = perf_counter(), process_time()
            doc = self._cards.card(num)
            self.size += sum(len(value.encode()) for value in doc.fields.values())
            self.wall += perf_counter() - wall
            self.cpu += process_time() - cpu
            yield doc


def fill(name: str, folder: Path, count: int, *, long: bool) -> None:
    """Build an index and print how fast that was."""
    docs = _Watched(Cards(long=long), count)
    noise = [steady()]
    wall, cpu = perf_counter(), process_time()
    build(name, folder, docs, "bench", lambda _: noise.append(steady()))
    wall, cpu = perf_counter() - wall - docs.wall, process_time() - cpu - docs.cpu
    cpu -= sum(noise[1:]) / 1000
    print(
        f"{name:8} n={count:<7} {count / wall:6.0f} notes/s, {count / cpu:6.0f} by CPU time, "
        f"{docs.size / count:5.0f} bytes each, {size_mb(folder):7.1f} MB, steady {statistics.median(noise):.0f} ms",
        flush=True,
    )


def resident_mb() -> float:
    """Tell what this process holds in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(name: str, folder: Path, count: int, queries: int, *, long: bool) -> None:
    """Ask an engine, change it; print the figures."""
    cards = Cards(long=long)
    questions = {label: [cards.question(*span) for _ in range(queries)] for label, span in _QUESTIONS.items()}
    before = resident_mb()
    start = perf_counter()
    engine: FullText = open_engine(name, folder)
    print(f"    {'open':16} {(perf_counter() - start) * 1000:8.2f} ms, steady {steady():.0f} ms")
    for label, asked in questions.items():
        times = [milliseconds(partial(engine.search, each, 10, weights=WEIGHTS, budget_s=BUDGET_S)) for each in asked]
        late = sum(engine.search(each, 10, weights=WEIGHTS, budget_s=BUDGET_S).late for each in asked)
        print(f"    {label:16} p50 / p99 {spread(times)} ms, {late} of {queries} late")
    print(f"    {'memory':16} {resident_mb() - before:8.1f} MB with the library", flush=True)
    for label, size in (("update of 1", 1), ("update of 50", 50)):
        edits = [[cards.card(num) for num in cards.some(size, count)] for _ in range(max(5, queries // 5))]
        times = [milliseconds(partial(engine.apply, each, ())) for each in edits]
        print(f"    {label:16} p50 / p99 {spread(times)} ms, mean {statistics.mean(times):.1f}")
    print(f"    {'close':16} {milliseconds(engine.close):8.2f} ms, steady {steady():.0f} ms", flush=True)


def alone(act: Callable[..., None], *given: object, **named: object) -> None:
    """Run an act in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(act, *given, **named).result()


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--engines", nargs="+", default=list(ENGINES))
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--long", action="store_true", help="cards of 100 to 400 words")
    chosen = parser.parse_args()
    for count in chosen.n:
        for name in chosen.engines:
            if name == "tantivy" and find_spec("tantivy") is None:
                continue
            folder = Path(tempfile.mkdtemp(prefix="bench-")) / name
            try:
                alone(fill, name, folder, count, long=chosen.long)
                alone(measure, name, folder, count, chosen.queries, long=chosen.long)
            finally:
                shutil.rmtree(folder.parent, ignore_errors=True)


if __name__ == "__main__":
    main()
