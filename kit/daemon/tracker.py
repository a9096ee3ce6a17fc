"""Every index in step with the files: events as they come, scans where events may be missing, builds by a child.

Law: one owner at a time holds the indexes, and holds them briefly; events are taken up under the same
ownership as questions, so a question sees every change that was on disk before it was asked.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from kit import reconcile
from kit.daemon import builder, trouble
from kit.daemon.ahead import Ahead
from kit.daemon.memory import keep_loaded, load_rest
from kit.daemon.reader import TAKE
from kit.errors import UnavailableError
from kit.vault.walk import RootGone

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.app import Kit
    from kit.daemon.conversation import Progress
    from kit.daemon.owner import Owner
    from kit.vault.watch import Batch, Watcher

LOG = logging.getLogger("kit.daemon")

BARRIER_S, LARGE_BARRIER_S = 0.1, 0.2
"""How long a question waits to be sure of what is on disk; then it looks for itself, where that is quick."""
SCAN_EVERY_S = 180.0
"""The safety net: events can be missed, scans cannot."""
GLANCE_S = 3.0
"""The same where events can't be vouched for, after questions and polls."""
FIRST_S = 1.0
"""For so long after a start the first question has everything for itself."""
ROWS = 2_000
"""Rows read into memory in one go."""
TURN_S = 0.25
"""After so long the watching thread looks whether a scan has become due."""
SYNC_NOTES = 2_000
"""Up to so many differences are taken in by this process, bit by bit; more are left to a child."""
AT_ONCE = 3_000
"""Files that can be walked within a question's time."""
CHANGING = "Many notes have changed and are still being read."


class Tracker:
    """Keeps the indexes of one vault in step; `stir` is called when there are words to read."""

    def __init__(
        self, kit: Kit, watcher: Watcher, owner: Owner, stopping: threading.Event, stir: Callable[[], None]
    ) -> None:
        self._kit, self._watcher, self._owner, self._stopping, self._stir = kit, watcher, owner, stopping, stir
        self.asked = threading.Event()
        """Set when a question has been answered"""
        self._mender = trouble.Mender(kit, owner, self.catch_up)
        self.mending = self._mender.mending
        self._building: builder.Build | None = None
        self._built_in_vain = False
        """A child has failed: from here on it is done bit by bit, which is slower, and sure."""
        self.ahead = Ahead(kit.store)
        self._unwatched = False
        """A large vault is watched after its first answer, which says that it may be behind."""
        self._scanning = False
        """Differences are being taken in: features come first, words after them."""
        self.scanned = self._scanned_from = self._glance_asked = 0.0
        self._lag = 0.0
        self._sized = -1, False
        """A generation of the index, and whether it was large"""
        self._owed = self._paid = 0  # changed by the owner only

    # -- life

    def start(self) -> None:
        """Watch, and come in step."""
        self._unwatched = self._kit.index.catalog.is_over(AT_ONCE)
        if not self._unwatched:
            self._watcher.start()
        with self._owner, suppress(trouble.MendedError), self.mending():
            self._kit.index.check()
            self.catch_up()

    def stop(self) -> None:
        """End the children; once no thread is left that could begin one."""
        if self._building:
            self._building.stop()
        self.ahead.dismiss()

    @property
    def is_building(self) -> bool:
        """Tell whether a child builds the index anew."""
        return self._building is not None

    def is_reading(self) -> bool:
        """Tell whether files are being read, so that their words have to wait."""
        return self._building is not None or self._scanning

    def state(self) -> dict[str, object]:
        """Say how far behind the files this may be."""
        return {
            "events_pending": self._watcher.pending(),
            "last_lag_ms": round(self._lag * 1000, 1),
            "last_scan_s_ago": round(time.monotonic() - self.scanned, 1) if self.scanned else None,
            "scan_owed": self.scan_owed,
            "building": self._building.progress if self._building else "",
        }

    # -- before an answer

    @property
    def scan_owed(self) -> bool:
        """Whether something may have changed that only a scan can find."""
        return self._owed > self._paid

    def owe_scan(self) -> None:
        """Note that something may have changed that only a scan can find; to be called by the owner."""
        self._owed += 1

    def freshen(self) -> reconcile.Report:
        """Take up every change that was on disk before now; called by the owner before each answer."""
        if self._watcher.is_astray():
            raise RootGone(self._kit.root, "it is away")
        if not self._kit.index.is_there():
            self._mender.begin_anew("its file was deleted or replaced", reopen=True)
        self._kit.behind = ""
        try:
            report = self._catch_up_for_a_question()
        except sqlite3.Error as error:
            if trouble.is_broken(error, self._kit.folder):
                self._mender.begin_anew(str(error))
                report = self._catch_up_for_a_question()
            else:
                self._owed += 1
                self._watcher.ask_for_scan()
                self._kit.behind = f"The index can't be brought in step ({error}); make room in {self._kit.folder}."
                report = reconcile.Report()
        witness = self._kit.witness
        # the words of what was just written; of many, answers say that they lack them
        if witness.name and 0 < witness.behind <= TAKE:
            witness.take(TAKE)
        return report

    def _is_large(self) -> bool:
        """Tell whether a walk would take too long; counted again only when something has changed."""
        if self._built_in_vain:
            return True  # what is known so far may be little, and says nothing of how much there is
        generation = self._kit.index.generation
        if generation != self._sized[0]:
            self._sized = generation, self._kit.index.catalog.is_over(AT_ONCE)
        return self._sized[1]

    def _catch_up_for_a_question(self) -> reconcile.Report:
        report = reconcile.Report(problems=self._kit.index.catalog.problem_count())
        if self._building:
            done, total = self._building.counts
            self._kit.behind = f"The vault is still being read{f': {done} of {total} notes' if total else ''}."
            return report
        large = self._is_large()
        if large and self._watcher.is_storming():
            # It would wait for the end of the storm; the watching thread does, and lets questions in between.
            self._kit.behind = CHANGING
            return report
        known = self._watcher.barrier(LARGE_BARRIER_S if large else BARRIER_S)
        batch = self._watcher.flush()
        if not large and (self.scan_owed or batch.scan or not known):
            return self._scan_now()
        if batch.paths or batch.folders:
            report = self._take_up(batch)
        if not known and self._watcher.without_barrier:
            self._glance_asked = time.monotonic()  # nothing says that anything is owed: a look now and then must do
            lost = batch.scan and not self._watcher.polling
        else:
            # What is late is not lost. A scan for it would make the next barrier late, and so on without end.
            lost = batch.scan
        self._owed += lost
        if self.scan_owed or not (known or self._watcher.without_barrier):
            self._kit.behind = CHANGING
        return report

    def _take_up(self, batch: Batch) -> reconcile.Report:
        owed, self._owed = self._owed, self._owed + 1  # a batch that was taken and not dealt with is lost otherwise
        report = reconcile.apply(self._kit.store, self._kit.index, batch.paths, batch.folders)
        self._owed = owed
        self._lag = time.monotonic() - batch.first if batch.first else 0.0
        if report.changed:
            LOG.info(
                "%s changed in %.1f ms: %s", report.changed, report.seconds * 1000, " ".join(sorted(batch.paths)[:5])
            )
            self._kit.witness.take(TAKE)
            self._stir()
        return report

    def _scan_now(self) -> reconcile.Report:
        self._owed += 1
        begun = time.monotonic()
        report = reconcile.scan(self._kit.store, self._kit.index)
        self.scanned, self._scanned_from, self._paid = time.monotonic(), begun, self._owed
        self._kit.witness.take(TAKE)
        self._stir()
        return report

    def catch_up(self) -> None:
        """Come in step at the start: a small vault at once, a large one bit by bit, an unknown one by a child."""
        if self._kit.index.catalog.is_over(AT_ONCE):
            self._owed += 1
        elif reconcile.differs(self._kit.store, self._kit.index, SYNC_NOTES):
            self._building = builder.Build("index", self._kit.root, self._kit.folder)
            return
        else:
            self._scan_now()
        self._kit.witness.open()

    # -- all the time

    def watch(self) -> None:
        """Take up what happens, and scan when that is due, until told to stop."""
        if not self._building:
            self.asked.wait(FIRST_S)
        if self._unwatched and not self._stopping.is_set():
            self._watcher.start()  # before the scan that is owed, so nothing falls between the two
            self._unwatched = False
        while not self._stopping.is_set():
            self._hold_rows()
            self._watcher.serve(0.0 if self.scan_owed else TURN_S, self._owner, self.use)
            self._finish_build()
            self.ahead.prepare(self._watcher.pending(), building=self.is_building, owed=self.scan_owed)
            glance = self._glance_asked > self._scanned_from
            late = time.monotonic() - self.scanned > (GLANCE_S if glance else SCAN_EVERY_S)
            if (late or self.scan_owed) and not self._building and not self._watcher.is_storming():
                self.scan_gently()

    def _hold_rows(self) -> None:
        """Have all rows in memory, a few at a time; until then each is read when a question needs it."""
        before = self._stopping.is_set() or self._building or self._kit.index.is_held
        while not (self._stopping.is_set() or self._building or self._kit.index.is_held):
            with self._owner.gently(), self.mending():
                self._kit.index.hold(ROWS)
        if not before:
            load_rest()
            keep_loaded()

    def use(self, batch: Batch) -> None:
        """Take up a settled batch; to be called by the owner."""
        if batch.scan and self._watcher.polling:
            self._glance_asked = time.monotonic()
        elif batch.scan:
            self._owed += 1
        elif not self._building:
            with self.mending():
                self._kit.follow(self._take_up(batch))

    def scan_gently(self) -> None:
        """Scan in portions, letting questions in between."""
        if self._watcher.is_astray():
            self._stopping.wait(0.2)
            return
        started, changed, owed = time.monotonic(), 0, self._owed
        with self.mending():
            try:
                for portion in reconcile.portions(
                    self._kit.store, self._kit.index, self._owner.gently, begins=self._is_for_us, reads=self.ahead.read
                ):
                    changed += portion.changed
                    with self._owner:
                        self._kit.follow(portion)
                    if self._stopping.is_set():
                        return
            finally:
                self._scanning = False
                self.ahead.dismiss()
                self._stir()
        if self._building:
            return
        with self._owner:
            self._paid = max(self._paid, owed)  # what was lost meanwhile is still owed
            self.scanned, self._scanned_from = time.monotonic(), started
        if changed:
            LOG.info("scan: %s changed in %.0f ms", changed, (self.scanned - started) * 1000)

    def _is_for_us(self, differences: int) -> bool:
        """Leave it to a child when so much has changed that building anew is quicker, and holds nobody up."""
        with self._owner:
            many = differences > SYNC_NOTES and differences * 2 > len(self._kit.index.catalog)
            if many and not self._built_in_vain:
                self._building = builder.Build("index", self._kit.root, self._kit.folder)
        self._scanning = differences > 0
        return self._building is None

    # -- built by a child

    def _finish_build(self) -> None:
        """Take over what a child has built."""
        with self._owner:
            if self._building is None or not self._building.is_done():
                return
            build, self._building = self._building, None
            self._owed += 1  # what happened meanwhile
            self._built_in_vain = bool(build.failed)
            if build.failed:
                LOG.error("The index could not be built apart, and is read bit by bit: %s", build.failed)
            else:
                self._kit.witness.abandon()
                self._kit.index.take_over(build.folder)
            self._kit.witness.open()
            if not build.failed and not self._kit.index.catalog.is_over(AT_ONCE):
                self._scan_now()

    def rebuild(self, progress: Progress | None) -> dict[str, int]:
        """Build everything anew in a child, answering from the old indexes meanwhile."""
        with self._owner:
            build = self._building = self._building or builder.Build("index", self._kit.root, self._kit.folder)
        while not build.is_done() and not self._stopping.is_set():
            if progress:
                progress("reading", *build.counts)
            time.sleep(0.1)
        self._finish_build()
        if build.failed:
            raise UnavailableError(f"The index could not be built: {build.failed}.", "Run `memkit doctor`.")
        with self._owner:
            return {"seen": build.counts[1], "problems": self._kit.index.catalog.problem_count()}
