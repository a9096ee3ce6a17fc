"""A vault and its indexes, kept in step: what is taken up before an answer, what follows an edit, who may write.

Law: whoever writes holds the one lock, and first takes up what others have written and finishes what a crash cut short.
Notes follow the relations a person edits in other notes, but never while another program is writing.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kit import reconcile
from kit.errors import UnavailableError
from kit.vault.lock import VaultLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kit.governance import Governance
    from kit.index.reflection import Index
    from kit.reconcile import Report
    from kit.vault.store import Store

    Progress = Callable[[int, int], None]

MIRROR_MOST = 50
"""Tag notes that came at once; more come from git or a first look, and bring both sides of their relations."""
FOLLOW_AGAIN_S = 1.0
"""Seconds until relations are tried again that could not be followed, since a note was saved a moment ago."""


class Step:
    """Keeps one vault's indexes in step; `freshen` is how a daemon does that, `pool` what notes follow by."""

    def __init__(
        self, store: Store, index: Index, folder: Path, pool: Callable[[], Governance],
        freshen: Callable[[], Report] | None,
    ) -> None:  # fmt: skip
        self._store, self._index, self._pool = store, index, pool
        self.freshen = freshen
        self.lock = VaultLock(folder / "vault.lock")
        self._try_lock = VaultLock(folder / "vault.lock", timeout=0.0)
        self._begun = False
        self._unfollowed: dict[str, None] = {}
        self._waiting: dict[int, frozenset[str]] = {}
        self._follow_at = 0.0

    def fresh(self, progress: Progress | None = None) -> Report:
        """Take up what has changed on the disk; for a recall, which writes nothing and has nobody follow."""
        self._index.refresh()
        report = self.freshen() if self.freshen else reconcile.scan(self._store, self._index, progress)
        self._note_new(report)
        return report

    def follow(self, report: Report) -> None:
        """Have tags follow relations that a person has edited in other tags, unless another program is writing."""
        self._note_new(report)
        owed = self._pool().owed()
        due = self._unfollowed or (owed and (owed != self._waiting or time.monotonic() >= self._follow_at))
        if self._begun and not due:
            return
        with suppress(UnavailableError), self._try_lock:
            self._catch_up()

    @property
    def owes(self) -> bool:
        """Tell whether there is something that `follow` would finish or have followed."""
        return not self._begun or bool(self._unfollowed or self._pool().owed())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock, with everything taken up."""
        with self.lock:
            self.fresh()
            self._catch_up()
            yield

    def _note_new(self, report: Report) -> None:
        """Remember tag notes that came new; many at once come from git or a first look, and bring both sides."""
        if len(report.tags) <= MIRROR_MOST:
            self._unfollowed |= {path: None for path, before, _ in report.tags if before is None}

    def _catch_up(self) -> None:
        """Finish what a crash cut short, then have notes follow edited relations; under the writer's lock."""
        pool = self._pool()
        if not self._begun:
            pool.finish_begun()
            self._begun = True
        if self._unfollowed or pool.owed():
            new, self._unfollowed = self._unfollowed, {}
            pool.follow(new)
            self._waiting, self._follow_at = pool.owed(), time.monotonic() + FOLLOW_AGAIN_S
