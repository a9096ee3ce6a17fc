"""What is done when nobody waits: learning from finished turns, cleaning when it is due, finishing what a crash cut.

Law: one small step at a time under the owner, so that questions come first; a step that fails is tried again
later, ever more rarely, and keeps no other back.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from kit.errors import KitError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from kit.app import Kit
    from kit.daemon.owner import Owner

LOG = logging.getLogger("kit.daemon")

STEP_S, LONGEST_S = 1.0, 600.0
EXAMINE_S, CLEAN_CHECK_S, SWEEP_S = 30.0, 60.0, 86_400.0
SUM_UP_S, TRIM_S = 300.0, 3_600.0
TRIMMED = 20
"""Memories put away under one hold of the owner: of an imported vault there may be thousands."""
SUMMED_UP = 4
"""Sessions summed up under one hold of the owner."""


class _Chore:
    """A chore, how often it is looked after, and when it is due again."""

    def __init__(self, work: Callable[[], None], every_s: float, *, is_large: bool = False) -> None:
        self._work, self._every, self.is_large = work, every_s, is_large
        self._wait, self._due = every_s, 0.0

    def attempt(self, waits: Callable[[], bool] = lambda: False) -> None:
        """Do it if it is due and need not wait; after a failure wait twice as long as before."""
        if time.monotonic() < self._due or waits():
            return
        try:
            self._work()
        except Exception as error:  # whatever an engine or a disk comes up with: the other chores go on
            self._wait = min(LONGEST_S, self._wait * 2)
            fault = None if isinstance(error, KitError) else error
            LOG.warning("a chore waits %.0f s: %s", self._wait, error, exc_info=fault)
        else:
            self._wait = self._every
        self._due = time.monotonic() + self._wait


class Chores:
    """The chores of one vault.

    `sweep` closes a few cards whose client was killed, and tells how many. While a child reads words, which is
    `reading`, it has the machine for itself, and what changes many notes waits.
    """

    def __init__(
        self,
        kit: Kit,
        owner: Owner,
        stopping: threading.Event,
        paused: Callable[[], bool],
        sweep: Callable[[], int] = lambda: 0,
        reading: Callable[[], bool] = lambda: False,
    ) -> None:
        self._kit, self._owner, self._stopping, self._paused = kit, owner, stopping, paused
        self._sweep_some, self._reading = sweep, reading
        self._chores = (
            _Chore(self._follow, STEP_S), _Chore(self._learn, STEP_S), _Chore(self._examine, EXAMINE_S),
            _Chore(self._clean, CLEAN_CHECK_S, is_large=True), _Chore(self._sweep, SWEEP_S),
            _Chore(self._sum_up, SUM_UP_S, is_large=True), _Chore(self._trim, TRIM_S, is_large=True),
        )  # fmt: skip

    @property
    def waiting(self) -> int:
        """Count the cards that wait to be learned from."""
        return self._kit.pool.waiting()

    def run(self) -> None:
        """Do chores until the daemon ends."""
        while not self._stopping.wait(STEP_S):
            for chore in self._chores:
                chore.attempt(partial(self._must_wait, is_large=chore.is_large))

    def _must_wait(self, *, is_large: bool) -> bool:
        """Tell whether what is due waits all the same; whether words are read is asked under the owner."""
        return self._stopping.is_set() or self._paused() or (is_large and self._reading())

    def _follow(self) -> None:
        """Finish what a crash cut short; have notes follow relations that could not be followed at once."""
        with self._owner.gently():
            if self._kit.owes:
                self._kit.sync()

    def _learn(self) -> None:
        if self._kit.mind.is_there:
            return  # the learner does it, since a model takes its time
        while not self._stopping.is_set():
            with self._owner.gently():
                learned = self._kit.pool.learn_next() if self._kit.pool.waiting() else None
            if learned is None:
                return
            LOG.info("learned from %s: %s facts", learned.card, len(learned.facts))

    def _examine(self) -> None:
        with self._owner.gently():
            if self._kit.mind.is_there and not self._kit.mind.last_error and self._kit.pool.waiting():
                return  # the model has the first word on new tags
            certain = self._kit.pool.judge()
        done = 0
        for one in certain:  # each writes notes and waits for the disk: others come in between
            if self._stopping.is_set():
                return
            with self._owner.gently():
                done += self._kit.pool.settle(one) is not None
        if done:
            LOG.info("examined tags: %s acts", done)

    def _clean(self) -> None:
        with self._owner.gently():
            if self._kit.cleaning_is_due():
                done = self._kit.pool.clean(who="maintain")
                LOG.info("cleaned: %s memories went into the archive", len(done.leaving))

    def _sum_up(self) -> None:
        """Sum up sessions that fell silent without an end."""
        while not self._stopping.is_set():
            with self._owner.gently():
                closed = self._kit.tiers.close_silent(SUMMED_UP)
            if not closed:
                return
            LOG.info("summed up: %s sessions that had fallen silent", closed)

    def _trim(self) -> None:
        """Keep passing turns within their cap: nothing recalls them once their session is over."""
        while not self._stopping.is_set():
            with self._owner.gently():
                done = self._kit.tiers.trim(layer="transient", who="maintain", limit=TRIMMED)
            if not done.leaving:
                return
            LOG.info("trimmed: %s passing turns went into the archive", len(done.leaving))

    def _sweep(self) -> None:
        while not self._stopping.is_set():
            with self._owner.gently():
                swept = self._sweep_some()
            if not swept:
                return
            LOG.info("swept: %s cards whose client tells nothing any more", swept)
