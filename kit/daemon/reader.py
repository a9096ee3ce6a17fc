"""Reading the words of changed cards into the full text: a few at a time, or by a child when there is much to read.

Law: the owner is held for a few cards only, and what a crash or a child loses is still owed.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import TYPE_CHECKING

from kit.daemon.builder import Build

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.app import Kit
    from kit.daemon.owner import Owner

LOG = logging.getLogger("kit.daemon")

TAKE, FLUSH, MANY = 8, 40, 200
"""Cards taken in, and committed, in one go; and so many wait at most."""
CHILD_FROM, CHILD_SHARE = 300, 6
"""A child writes the words that are owed when they are of so many cards, and of at least one in six."""
MOST_MEANWHILE = 1_000
"""Cards that are taken in while a child works, and wait for its end."""
QUIET_S = 1.0
AGAIN_S = 10.0
"""After this an engine that could not be opened is tried again."""
CHILD_AGAIN_S, LONGEST_S = 60.0, 3_600.0
"""After this another child is tried where one has failed; each time twice as long, up to the second."""


class Reader:
    """Keeps the full text of one vault in step with its index."""

    def __init__(
        self,
        kit: Kit,
        owner: Owner,
        stopping: threading.Event,
        paused: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kit, self._owner, self._stopping, self._paused, self._clock = kit, owner, stopping, paused, clock
        self._stir = threading.Event()
        self._child: Build | None = None
        self._begun_at = -1
        self._fault = ""
        """Why the last child was in vain"""
        self._wait, self._due = CHILD_AGAIN_S, -math.inf
        self._tried = -math.inf

    @property
    def progress(self) -> str:
        """Say how far a child is; empty without one."""
        child = self._child
        return child.progress if child else ""

    @property
    def trouble(self) -> str:
        """Say why a child was in vain, and when another one is tried; empty once the words are read all the same."""
        if not self._fault or self._child or not self._kit.witness.behind:
            return ""
        minutes = (self._due - self._clock()) / 60
        return self._fault if minutes == math.inf else f"{self._fault}; tried again in {max(1, math.ceil(minutes))} min"

    def has_much(self) -> bool:
        """Tell whether a child reads words, or will do so next."""
        with self._owner.gently():
            return self._child is not None or self._is_for_child()

    def _is_for_child(self) -> bool:
        may = self._kit.witness.name and self._clock() >= self._due
        owed = self._kit.witness.behind if may else 0
        return owed > CHILD_FROM and owed * CHILD_SHARE > self._kit.index.features.count()

    def stir(self) -> None:
        """Say that something has changed."""
        self._stir.set()

    def is_busy(self) -> bool:
        """Tell whether words wait that an end would leave unread."""
        witness = self._kit.witness
        return self._child is not None or bool(witness.name and witness.behind + witness.uncommitted)

    def stop(self) -> None:
        """End the child, and wake who waits; once more when `run` has ended, which may just have begun one."""
        self._stir.set()
        if child := self._child:
            child.stop()

    def run(self) -> None:
        """Read and commit until stopped."""
        while not self._stopping.is_set():
            stirred = self._stir.wait(QUIET_S)
            self._stir.clear()
            with self._owner.gently():
                if self._paused():
                    continue
                self._tend()
                left = self._take()
            if left:
                self._stir.set()
            waiting = self._kit.witness.uncommitted
            if not self._child and (waiting >= MANY or (waiting and not stirred and not left)):
                self._commit()

    def _tend(self) -> None:
        """See to an engine that is missing, to a child that is done, and to work for one."""
        witness, now = self._kit.witness, self._clock()
        if witness.wanted and now - self._tried > AGAIN_S:
            self._tried = now
            witness.open()
        if self._child and self._child.is_done():
            self._finish(self._child)
        if not self._child and self._is_for_child() and not self._stopping.is_set():
            self._begun_at = self._kit.index.generation
            self._child = Build("words", self._kit.root, self._kit.folder, self.stir)

    def _finish(self, child: Build) -> None:
        self._child = None
        if child.failed or not self._kit.witness.adopt(child.folder):
            # Meanwhile it is done bit by bit: slower, and sure.
            self._fault = f"could not be built apart: {child.failed or 'the index was made anew meanwhile'}"
            self._due, self._wait = self._clock() + self._wait, min(LONGEST_S, 2 * self._wait)
            LOG.error("The full text %s", self._fault)
            self._kit.witness.open()
        elif self._is_for_child() and self._kit.index.generation == self._begun_at:
            # A program that was renewed under this one builds what this one can't use.
            self._fault, self._due = "what was built apart is of no use here: start the daemon again", math.inf
            LOG.error("What was built apart is of no use here; the words are read bit by bit. Start the daemon again.")
        else:
            self._fault, self._wait = "", CHILD_AGAIN_S
        self._stir.set()

    def _take(self) -> int:
        witness = self._kit.witness
        if self._child is None:
            return witness.take(TAKE)
        if witness.uncommitted < MOST_MEANWHILE:
            return witness.take(TAKE, self._begun_at)
        return 0

    def _commit(self) -> None:
        while not self._stopping.is_set():
            with self._owner.gently():
                if self._paused() or not self._kit.witness.uncommitted:
                    return
                self._kit.witness.flush(FLUSH)
