"""Writing a vault's full text apart, in a child, for the witness to adopt: all of it, or what is owed into a copy.

Law: what it writes is true of the generation it names. What changes while it works is still owed afterwards.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from kit.index import engines, fulltext
from kit.witness import MADE_AT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kit.app import Kit
    from kit.index.fulltext import Doc, FullText

    Counts = list[tuple[int, Doc | None]]

PIECE = 64
"""Cards that are read in one go."""
BATCH = 4096
"""Cards that go into a copy in one transaction."""
MOST_OWED = 0.8
"""Up to this share of all cards it is less work to change a copy than to begin anew."""


class _Work(NamedTuple):
    """What is to be written, and into what."""

    engine: FullText
    nums: Sequence[int]
    anew: bool


def read(kit: Kit, nums: Sequence[int]) -> Counts:
    """Read some cards, with no more than an engine needs."""
    return [(num, doc and doc._replace(fields={})) for num, doc in kit.witness.documents(nums)]


def write(
    kit: Kit, folder: Path, progress: Callable[[int, int], None],
    reading: Callable[[Sequence[Sequence[int]]], Iterator[Counts]],
) -> None:  # fmt: skip
    """Write into a folder; `reading` does `read` for piece after piece."""
    generation = kit.index.generation  # before anything else is looked at: what changes from now on is owed
    name = _engine(kit)
    target = folder / f"text-{name}"
    work = _changing(kit, name, target) or _anew(kit, name, target)
    pieces = [work.nums[at : at + PIECE] for at in range(0, len(work.nums), PIECE)]
    found = chain.from_iterable(reading(pieces))
    if work.anew:
        docs = (doc for _, doc in found if doc)
        work.engine.build(docs, kit.index.birth, lambda done: progress(done, len(work.nums)))
    else:
        for done, batch in fulltext.batches(found, BATCH):
            work.engine.apply([doc for _, doc in batch if doc], [num for num, doc in batch if not doc])
            progress(done, len(work.nums))
    work.engine.close()
    (target / MADE_AT).write_text(str(generation), encoding="ascii")


def _engine(kit: Kit) -> str:
    return engines.choose(kit.index.features.count(), kit.config.text("index.engine"))


def _changing(kit: Kit, name: str, target: Path) -> _Work | None:
    """Begin with a copy of the full text there is; None where it is none of this index, or most of it is owed."""
    owed = sorted(kit.index.owed())
    if len(owed) > MOST_OWED * kit.index.features.count():
        return None
    with suppress(fulltext.FullTextBrokenError, OSError):
        if not engines.copy(name, kit.index.folder / f"text-{name}", target):
            return None
        engine = engines.open_engine(name, target)
        if engine.count() and engine.get_stamp() == kit.index.birth:
            return _Work(engine, owed, anew=False)
        engine.close()
    return None


def _anew(kit: Kit, name: str, target: Path) -> _Work:
    engines.destroy(target)
    return _Work(engines.open_engine(name, target), sorted(kit.index.features.rows()), anew=True)
