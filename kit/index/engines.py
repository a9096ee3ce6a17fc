"""The full-text engines there are: which one to take, and how its folder is opened, built, copied and deleted.

Law: an engine is loaded only where it is taken.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kit.errors import BadInputError, UnavailableError
from kit.index import seal
from kit.index.fulltext import FullTextBrokenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from kit.index.bm25 import Curve
    from kit.index.fulltext import Doc, FullText

ENGINES = ("whoosh", "sqlite", "tantivy")
WHOOSH_LIMIT = 5_000
"""Notes up to which Whoosh keeps its commits and its questions short."""
TANTIVY_FROM = 50_000
"""Notes from which tantivy, if installed, is worth its slow commits."""


def build(
    name: str,
    folder: Path,
    docs: Iterable[Doc],
    stamp: str,
    progress: Callable[[int], object] | None = None,
    curves: Mapping[str, Curve] | None = None,
) -> None:
    """Build the engine `name` from all notes in a folder that is new, and close it.

    Meant for a process of its own: it is fast, holds much in memory, and what a crash leaves is worth nothing,
    so let it write beside the old folder and swap the two. Each note comes once, best in the order of numbers.
    `progress` is told now and then how many notes are in.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BadInputError(f"{folder} is not empty.", "Build the full text in a new folder and swap it in.")
    engine = open_engine(name, folder, curves)
    try:
        engine.build(docs, stamp, progress)
    finally:
        engine.close()


def destroy(folder: Path) -> None:
    """Delete an engine's folder, which must be closed; nothing is lost, it is derived."""
    shutil.rmtree(folder, ignore_errors=True)


def copy(name: str, folder: Path, to: Path) -> bool:
    """Copy the engine `name` into a new folder, while nobody writes to it; False where there is none."""
    if not folder.is_dir():
        return False
    if name == "sqlite":
        from kit.index.sqlite import copy as copied  # noqa: PLC0415 - as in `open_engine`

        return copied(folder, to)
    shutil.copytree(folder, to)
    return True


def choose(count: int, setting: str = "auto") -> str:
    """Name the engine for a vault of `count` notes: the one that is set, else by size and what is installed."""
    if setting not in ("auto", *ENGINES):
        raise BadInputError(f"There is no full-text engine {setting!r}.", f"Take one of: auto, {', '.join(ENGINES)}.")
    fast = find_spec("tantivy") is not None
    if setting == "tantivy" and not fast:
        raise UnavailableError(
            "The full-text engine tantivy is not installed.", "Install it with `pip install memory-kit[fast]`."
        )
    if setting != "auto":
        return setting
    if count <= WHOOSH_LIMIT:
        return "whoosh"
    return "tantivy" if fast and count > TANTIVY_FROM else "sqlite"


def damaged(folder: Path) -> FullTextBrokenError:
    """Say that a folder is not as it was sealed."""
    return FullTextBrokenError(
        f"The full-text index in {folder} can't be read (a file differs from its seal).",
        "It will be built again from the notes; `memkit reindex` does it now.",
    )


def open_engine(
    name: str, folder: Path, curves: Mapping[str, Curve] | None = None, *, looked_over: bool = False
) -> FullText:
    """Open or create the engine `name` in a folder of its own, `looked_over` where someone else sees to its seal."""
    if not (looked_over or seal.is_whole(folder)):
        raise damaged(folder)
    if name == "whoosh":
        from kit.index.whoosh import Whoosh  # noqa: PLC0415 - takes 200 ms, and another engine may be chosen

        return Whoosh(folder, curves)
    if name == "tantivy":
        from kit.index.tantivy import Tantivy  # noqa: PLC0415 - an extra that may be missing

        return Tantivy(folder)
    from kit.index.sqlite import Sqlite  # noqa: PLC0415 - as above

    return Sqlite(folder, curves)
