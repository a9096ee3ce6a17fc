"""A vault and its indexes, kept in step: what is taken up before an answer, what follows an edit, who may write.

Law: whoever writes holds the one lock, and first takes up what others have written and finishes what a crash cut short.
Tags follow the relations a person edits in other tags, summaries the cards; never while another program is writing.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kit import reconcile
from kit.errors import UnavailableError
from kit.vault.lock import VaultLock

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from kit.governance import Governance
    from kit.index.reflection import Index
    from kit.reconcile import Report
    from kit.vault.store import Store

    Progress = Callable[[int, int], None]

MIRROR_MOST = 50
"""Notes that came at once; more come from git or a first look, and bring both sides of what they say of each other."""
FOLLOW_AGAIN_S = 1.0
"""Seconds until relations are tried again that could not be followed, since a note was saved a moment ago."""


class Step:
    """Keeps one vault's indexes in step; `freshen` is how a daemon does that, `pool` what notes follow by."""

    def __init__(
        self, store: Store, index: Index, folder: Path, pool: Callable[[], Governance],
        freshen: Callable[[], Report] | None, sum_up: Callable[[Mapping[str, Collection[str]]], None],
    ) -> None:  # fmt: skip
        self._store, self._index, self._pool, self._sum_up = store, index, pool, sum_up
        self.freshen = freshen
        self.lock = VaultLock(folder / "vault.lock")
        self._try_lock = VaultLock(folder / "vault.lock", timeout=0.0)
        self._begun = False
        self._unfollowed: dict[str, None] = {}
        self._edited: dict[str, set[str]] = {}
        self._waiting: dict[int, frozenset[str]] = {}
        self._follow_at = 0.0

    def fresh(self, progress: Progress | None = None) -> Report:
        """Take up what has changed on the disk; for a recall, which writes nothing and has nobody follow."""
        self._index.refresh()
        report = self.freshen() if self.freshen else reconcile.scan(self._store, self._index, progress)
        self._note_new(report)
        return report

    def follow(self, report: Report) -> None:
        """Have notes follow what a person has edited in others, unless another program is writing."""
        self._note_new(report)
        owed = self._pool().owed()
        due = (
            self._unfollowed
            or self._edited
            or (owed and (owed != self._waiting or time.monotonic() >= self._follow_at))
        )
        if self._begun and not due:
            return
        with suppress(UnavailableError), self._try_lock:
            self._catch_up()

    @property
    def owes(self) -> bool:
        """Tell whether there is something that `follow` would finish or have followed."""
        return not self._begun or bool(self._unfollowed or self._edited or self._pool().owed())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock, with everything taken up."""
        with self.lock:
            self.fresh()
            self._catch_up()
            yield

    def _note_new(self, report: Report) -> None:
        """Remember new tags and edited cards; many at once come from git or a first look, and bring all sides."""
        if len(report.tags) <= MIRROR_MOST:
            self._unfollowed |= {path: None for path, before, _ in report.tags if before is None}
        if len(report.cards) <= MIRROR_MOST:
            for path, before in report.cards:
                self._edited.setdefault(path, set()).add(before)

    def _catch_up(self) -> None:
        """Finish what a crash cut short, then have notes follow what was edited; under the writer's lock."""
        pool = self._pool()
        if not self._begun:
            pool.finish_begun()
            self._begun = True
        if self._unfollowed or pool.owed():
            new, self._unfollowed = self._unfollowed, {}
            pool.follow(new)
            self._waiting, self._follow_at = pool.owed(), time.monotonic() + FOLLOW_AGAIN_S
        if self._edited:
            edited, self._edited = self._edited, {}
            self._sum_up(edited)
