"""What is done when nobody waits: learning from finished turns, cleaning when it is due, finishing what a crash cut.

Law: one small step at a time under the owner, so that questions come first; a step that fails is tried again
later, ever more rarely, and never stops the others.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from kit.errors import KitError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from kit.app import Kit

LOG = logging.getLogger("kit.daemon")

STEP_S, LONGEST_S = 1.0, 600.0
CLEAN_CHECK_S = 60.0


class Chores:
    """The chores of one vault."""

    def __init__(
        self, kit: Kit, owner: AbstractContextManager[object], stopping: threading.Event, paused: Callable[[], bool]
    ) -> None:
        self._kit, self._owner, self._stopping, self._paused = kit, owner, stopping, paused
        self._wait = STEP_S
        self._checked = 0.0

    @property
    def waiting(self) -> int:
        """Count the cards that wait to be learned from."""
        return self._kit.pool.waiting()

    def run(self) -> None:
        """Do chores until the daemon ends."""
        begun = False
        while not self._stopping.wait(self._wait):
            if self._paused():
                continue
            try:
                if not begun:
                    with self._owner:
                        self._kit.pool.finish_begun()
                    begun = True
                self._learn()
                self._clean()
            except KitError as error:
                self._wait = min(LONGEST_S, self._wait * 2)
                LOG.warning("a chore waits %.0f s: %s", self._wait, error)
            else:
                self._wait = STEP_S

    def _learn(self) -> None:
        while not self._stopping.is_set():
            with self._owner:
                if not self._kit.pool.waiting():
                    return
                learned = self._kit.pool.learn_next()
            if learned is None:
                return
            LOG.info("learned from %s: %s facts", learned.card, len(learned.facts))

    def _clean(self) -> None:
        if time.monotonic() - self._checked < CLEAN_CHECK_S:
            return
        self._checked = time.monotonic()
        with self._owner:
            if self._kit.cleaning_is_due():
                done = self._kit.pool.clean(who="maintain")
                LOG.info("cleaned: %s memories went into the archive", len(done.leaving))
