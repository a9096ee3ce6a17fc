"""The ways a vault is brought in step: whole, in portions that let others in between, or some paths of it."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

from kit.errors import UnavailableError
from kit.index import db
from kit.reconcile.differences import compare, differences, is_utf8, looker, walk_notes
from kit.reconcile.reading import NOTHING, PORTION, Ahead, is_still, read_all
from kit.reconcile.report import Report
from kit.reconcile.settling import Work
from kit.vault import layout, walk
from kit.vault.walk import RootGone

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from contextlib import AbstractContextManager

    from kit.index.reflection import Index
    from kit.reconcile.reading import Known, Reads
    from kit.vault.store import Store
    from kit.vault.walk import Stat


def scan(
    store: Store, index: Index, progress: Callable[[int, int], None] | None = None, reads: Reads | None = None
) -> Report:
    """Compare the whole vault with the catalog and apply every difference; none costs no transaction."""
    try:
        return _scan(store, index, progress, reads)
    except sqlite3.DatabaseError as error:
        if not db.is_damage(error):
            raise
    index.renew()
    return _scan(store, index, progress, None)


def _scan(store: Store, index: Index, progress: Callable[[int, int], None] | None, reads: Reads | None) -> Report:
    started = time.perf_counter()
    seen, files, faults = walk_notes(store, "")
    report = Report(problems=index.catalog.problem_count())
    if differences(index, files, seen) or faults != index.catalog.problems_of("walk"):
        with index.changing():
            index.catalog.set_found("walk", faults)
            found = differences(index, files, seen)
            report = _apply(store, index, found, progress, Ahead(found, reads) if reads else NOTHING)
    return report._replace(seconds=time.perf_counter() - started, seen=len(files))


def portions(
    store: Store, index: Index, owner: Callable[[], AbstractContextManager[object]], size: int = PORTION,
    begins: Callable[[int], bool] = lambda _count: True, reads: Reads | None = None,
) -> Iterator[Report]:  # fmt: skip
    """Scan, but apply the differences in portions, each a transaction under `owner`, so that others get in between.

    What is there comes before what is gone: a note that was moved is never missing in between. `begins` is told
    how many differences there are; when it says no, they are left alone.
    """
    found, faults = compare(store, index, owner)
    with owner():
        if faults != index.catalog.problems_of("walk"):
            with index.changing():
                index.catalog.set_found("walk", faults)
    paths = sorted(found, key=lambda path: (found[path] is None, path)) if begins(len(found)) else []
    parts = [paths[at : at + size] for at in range(0, len(paths), size)]
    pieces = [[(path, stat) for path in part if (stat := found[path])] for part in parts]
    ahead = reads(pieces) if reads else (read_all(store, piece) for piece in pieces)
    for part, read in zip(parts, ahead, strict=True):
        with owner():
            report = apply(store, index, part, ahead=read)
        yield report


def apply(
    store: Store, index: Index, paths: Collection[str], folders: Collection[str] = (),
    ahead: Known = NOTHING,
) -> Report:  # fmt: skip
    """Bring some paths, and all below some folders, in step; what is no note is passed over.

    What was read `ahead` is not read again, if it still has the same stat.
    """
    started = time.perf_counter()
    stats: dict[str, Stat | None] = {}
    for folder in folders:
        seen, files, _ = walk_notes(store, folder)
        stats |= {entry.path: None for entry in index.catalog.below(folder) if seen.covers(entry.path)}
        stats |= files
    look = looker(store)
    for path in paths:
        if layout.is_note(path) and not walk.ignored(path) and is_utf8(path):
            try:
                stats[path] = look(path)
            except RootGone:
                raise
            except UnavailableError:
                continue  # nothing can be said of it now; the next scan will
    at = index.catalog.at
    news = {path: stat for path, stat in stats.items() if stat is None or not is_still(store, at(path), path, stat)}
    report = Report(problems=index.catalog.problem_count())
    if news:
        with index.changing():
            report = _apply(store, index, news, None, ahead)
    return report._replace(seconds=time.perf_counter() - started, seen=len(stats))


def _apply(
    store: Store, index: Index, stats: Mapping[str, Stat | None], progress: Callable[[int, int], None] | None,
    ahead: Known = NOTHING,
) -> Report:  # fmt: skip
    work = Work(store, index, ahead)
    total = len(stats)
    for done, path in enumerate(sorted(stats), 1):
        stat = stats[path]
        if stat is None:
            work.lose(path)
        else:
            work.see(path, stat)
        if progress and (done % 500 == 0 or done == total):
            progress(done, total)
    return work.finish()
