"""Measure the page's server as a browser meets it: `python -m tests.bench.bench_web --cards 20000`.

A real `memkit web` and its daemon, asked over HTTP on one kept connection; milliseconds of the whole round trip. The
floor is a file of the page, served by the same process in the same run: what HTTP alone costs here.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from kit import __version__
from kit.daemon.client import Client
from kit.places import child_environment
from tests.bench import measure
from tests.bench.synthetic import World, build

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST = ("/", "/style.css", "/js/main.js", "/api/memory/list?limit=30", "/api/memory/stats")
"""What the first view needs of the server, apart from more files like these."""
LEAST_TYPED = 2


class Served(NamedTuple):
    """A running page."""

    connection: http.client.HTTPConnection
    token: str

    def get(self, path: str) -> Any:  # noqa: ANN401 - what JSON can carry
        """Ask for one thing."""
        self.connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        answer = self.connection.getresponse()
        raw = answer.read()
        assert answer.status == 200, raw
        return json.loads(raw) if answer.headers["content-type"] == "application/json" else raw


@contextmanager
def serving(root: Path) -> Iterator[Served]:
    """Serve a vault, and wait until its indexes are in step."""
    command = [sys.executable, "-P", "-m", "kit", "--vault", str(root), "--json", "web", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=child_environment(), text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            host = told["url"].removeprefix("http://").rstrip("/")
            served = Served(http.client.HTTPConnection(host, timeout=600), told["token"])
            while not _is_settled(served.get("/api/health")["status"]):
                time.sleep(0.5)
            yield served
        finally:
            process.send_signal(signal.SIGINT)
            Client(root, version=__version__, spawn=None).stop(60)


def _is_settled(told: dict[str, Any]) -> bool:
    return not (told.get("building") or told.get("scan_owed") or told.get("words_behind") or told.get("words_building"))


def typed(world: World, count: int, seed: int = 5) -> list[str]:
    """Make up what stands in the field while people type: beginnings of tags, and of tags among other words."""
    source = random.Random(seed)  # noqa: S311 - made-up questions, no secret
    names = [tag.name for tag in world.tags]
    found: list[str] = []
    while len(found) < count:
        name = source.choice(names)
        whole = name if source.random() < 0.5 else f"{source.choice(names)} {name}"
        found += [whole[:end] for end in range(min(LEAST_TYPED, len(whole)), len(whole) + 1)]
    return found[:count]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--typed", type=int, default=600, help="states of the search field")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with measure.workshop(given.keep) as folder:
        os.environ["MEMKIT_RUNTIME"] = str(folder / "run")
        root = folder / f"v{given.cards}"
        if not root.is_dir():
            build(root, given.cards)
        with serving(root) as served:
            cold = measure.milliseconds(lambda: [served.get(path) for path in FIRST])
            floor = measure.times(lambda: served.get("/style.css"), given.rounds * 5)
            first = measure.times(lambda: [served.get(path) for path in FIRST], given.rounds)
            queries = [
                f"/api/memory/search?limit=8&query={quote(query)}" for query in typed(World(given.cards), given.typed)
            ]
            for path in queries[:50]:
                served.get(path)
            taken = [measure.milliseconds(lambda path=path: served.get(path)) for path in queries]  # type: ignore[misc]
            search = measure.spread(taken)
            others = {
                path: measure.times(lambda path=path: served.get(path), given.rounds)  # type: ignore[misc]
                for path in (
                    "/api/graph?limit=90",
                    "/api/tags?limit=1000",
                    "/api/journal",
                    "/api/told",
                    "/api/facts",
                    "/api/problems",
                )
            }
        rows: list[tuple[object, ...]] = [("floor: a file of the page", *floor, 1.0)]
        rows += [
            (name, *each, each.p50 / floor.p50)
            for name, each in {"first view": first, "search as one types": search, **others}.items()
        ]
        measure.show(
            f"the page over {given.cards} cards (first view when nothing was asked before: {cold:.0f} ms)",
            ("what", "p50", "p99", "p50 ÷ floor"),
            rows,
        )
        print(measure.noise())


if __name__ == "__main__":
    main()
