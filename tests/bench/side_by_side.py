"""What else there is, doing the same: a plain script over SQLite FTS5, and qmd.

Law: each is used as its users would, and gives (seconds to index, ms from an edit to found, ms of a question).
"""

from __future__ import annotations

import os
import re
import sqlite3
import statistics
import subprocess
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from tests.bench import measure

if TYPE_CHECKING:
    from collections.abc import Sequence


def fts5(root: Path, folder: Path, asked: Sequence[str]) -> tuple[float, float, float]:
    """Index every note's text with FTS5; after an edit look which files are newer and take those in."""
    file = folder / "plain.sqlite3"
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, body)")
        db.execute("CREATE TABLE seen (path TEXT PRIMARY KEY, mtime INTEGER)")
        started = perf_counter()
        _update(db, root)
        indexed = perf_counter() - started
        note = next((root / "cards").rglob("*.md"))
        keep = note.read_text(encoding="utf-8")

        def edit(number: int) -> None:
            note.write_text(keep.replace("tags:\n", f"tags:\n  - plain{number}x\n", 1), encoding="utf-8")
            _update(db, root)
            assert _search(db, f"plain{number}x")

        edited = statistics.median(measure.milliseconds(lambda n=n: edit(n)) for n in range(10))  # type: ignore[misc]
        note.write_text(keep, encoding="utf-8")
        _update(db, root)
        question = statistics.median(measure.milliseconds(lambda q=q: _search(db, q)) for q in asked)  # type: ignore[misc]
    return indexed, edited, question


def _update(db: sqlite3.Connection, root: Path) -> None:
    known = dict(db.execute("SELECT path, mtime FROM seen"))
    with db:
        for here, _, names in os.walk(root):
            for name in names:
                path = f"{here}/{name}"
                if not name.endswith(".md") or known.get(path) == (at := Path(path).stat().st_mtime_ns):
                    continue
                if path in known:
                    db.execute("DELETE FROM notes WHERE path = ?", (path,))
                db.execute("INSERT INTO notes VALUES (?, ?)", (path, Path(path).read_text(encoding="utf-8")))
                db.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (path, at))


def _search(db: sqlite3.Connection, question: str) -> list[str]:
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
    rows = db.execute("SELECT path FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 8", (words,))
    return [path for (path,) in rows]


def qmd(root: Path, folder: Path, command: str, asked: Sequence[str]) -> tuple[float, float, float]:
    """Index with `collection add`, take an edit in with `update`, ask with `search` (keywords, no model)."""
    home = folder / "qmd"
    home.mkdir(exist_ok=True)
    environment = os.environ | {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    environment["PATH"] = f"{Path(command).parent}{os.pathsep}{environment['PATH']}"

    def run(*words: str) -> str:
        done = subprocess.run([command, *words], cwd=home, env=environment, check=True, capture_output=True, text=True)
        return done.stdout

    indexed = measure.milliseconds(lambda: run("collection", "add", str(root), "--name", "v")) / 1000
    note = next((root / "cards").rglob("*.md"))
    keep = note.read_text(encoding="utf-8")
    note.write_text(keep.replace("tags:\n", "tags:\n  - qmdwordx\n", 1), encoding="utf-8")
    edited = measure.milliseconds(lambda: (run("update"), run("search", "qmdwordx")))
    note.write_text(keep, encoding="utf-8")
    question = statistics.median(measure.milliseconds(lambda q=q: run("search", q)) for q in asked)  # type: ignore[misc]
    return indexed, edited, question
