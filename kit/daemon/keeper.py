"""What the daemon does: keep every index in step with the files, and answer from the state of this moment.

Law: one owner at a time holds the indexes, and holds them briefly; events are taken up under the same
ownership as questions, so a question sees every change that was on disk before it was asked.
"""

from __future__ import annotations

import gc
import logging
import sqlite3
import sys
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kit import operations, places, reconcile
from kit.app import Kit
from kit.daemon import builder, spool, trouble
from kit.daemon.chores import Chores
from kit.daemon.conversation import Handler, Later
from kit.daemon.learner import Learner, tell_hooks
from kit.daemon.owner import Owner
from kit.daemon.reader import TAKE, Reader
from kit.errors import KitError, UnavailableError
from kit.sessions import Sessions
from kit.vault.walk import RootGone
from kit.vault.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from kit.daemon.conversation import Progress
    from kit.daemon.crew import Crew
    from kit.vault.watch import Batch

LOG = logging.getLogger("kit.daemon")

BARRIER_S, LARGE_BARRIER_S = 0.1, 0.2
"""How long a question waits to be sure of what is on disk; then it looks for itself, where that is quick."""
SCAN_EVERY_S = 180.0
"""The safety net: events can be missed, scans cannot."""
FIRST_S = 1.0
"""For so long after a start the first question has everything for itself."""
ROWS = 2_000
"""Rows read into memory in one go."""
TURN_S = 0.25
"""After so long the watching thread looks whether a scan has become due."""
SYNC_NOTES = 2_000
"""Up to so many differences are taken in by this process, bit by bit; more are left to a child."""
GLANCE_S = 3.0
"""The same where events can't be vouched for, after questions and polls."""
CREW_FROM = 1_000
"""Files that are worth a child which reads them ahead: it takes half a second to get ready."""
AT_ONCE = 3_000
"""Files that can be walked within a question's time."""
SWEPT = 8
"""Cards of killed clients that are closed in one go."""
CHANGING = "Many notes have changed and are still being read."


class Keeper(Handler):
    """Owns one vault's indexes, its watcher, and the sessions of its harnesses."""

    def __init__(self, root: Path, *, watcher: Watcher | None = None) -> None:
        self._owner = Owner()
        self._stopping = threading.Event()
        self._asked = threading.Event()
        self.kit = Kit(root, freshen=self._freshen)
        self.watcher = watcher or Watcher(self.kit.root)
        self._spool = places.spool_folder(self.kit.root)
        self._sessions = Sessions(self.kit)
        self._reader = Reader(self.kit, self._owner, self._stopping, self._is_reading)
        self._chores = Chores(
            self.kit, self._owner, self._stopping, lambda: not self.ready(), lambda: self._sessions.sweep(SWEPT)
        )
        self.kit.learning.owner = self._owner  # and that of what imports, once there is any
        self._learner = Learner(self.kit, self._stopping, lambda: not self.ready())
        self._threads: list[threading.Thread] = []
        self._building: builder.Build | None = None
        self._crew: Crew[reconcile.Piece, Mapping[str, reconcile.Read]] | None = None
        self._unwatched = False
        """A large vault is watched after its first answer, which says that it may be behind."""
        self._scanning = False
        """Differences are being taken in: features come first, words after them."""
        self._scanned = self._scanned_from = self._glance_asked = 0.0
        self._lag = 0.0
        self._owed = self._paid = 0  # changed by the owner only

    # -- life

    def start(self) -> None:
        """Watch, bring everything in step, and begin to keep it so."""
        # Shorter turns between threads: a question must not wait 5 ms for a busy one.
        sys.setswitchinterval(0.0005)
        if not any(self.kit.root.iterdir()):
            raise RootGone(self.kit.root, "it is empty, like the place of a disk that is not mounted")
        self._unwatched = self.kit.index.catalog.is_over(AT_ONCE)
        if not self._unwatched:
            self.watcher.start()
        with self._owner, suppress(trouble.MendedError), self._mending():
            self._catch_up()
        self.kit.perceive("")  # builds its tables before the first prompt needs them
        _keep_loaded()
        tell_hooks(self.kit.root, self.kit)
        for work in (self._watch, self._reader.run, self._chores.run, self._learner.run):
            thread = threading.Thread(target=self._guarded, args=(work,), daemon=True, name=work.__qualname__)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """End the threads, commit what waits and close."""
        self._stopping.set()
        self._asked.set()
        self._reader.stop()
        self.kit.learning.close()
        self.watcher.stop()
        for thread in self._threads:
            thread.join(5.0)
        self._reader.stop()  # its thread may have begun a child while it was told to stop
        if self._building:
            self._building.stop()
        self._dismiss()
        with self._owner, suppress(sqlite3.Error):
            self.kit.close()

    def gone(self) -> bool:
        """Tell whether the vault disappeared for good: no folder where it was."""
        return not self.kit.root.is_dir()

    def busy(self) -> bool:
        """Tell whether a build or uncommitted words would be cut off by an idle stop."""
        with self._owner, suppress(sqlite3.Error):
            return self._building is not None or self._reader.is_busy()
        return False

    def _is_reading(self) -> bool:
        """Tell whether files are being read, so that their words have to wait."""
        return self._building is not None or self._scanning

    def ready(self) -> bool:
        """Tell whether what waited can be dealt with: the vault is there, and known."""
        return self._building is None and not self.watcher.is_astray()

    # -- answering

    def call(self, op: str, params: dict[str, object], progress: Progress | None) -> object:
        """Run an operation of the kit."""
        self._heed()
        if op == "reindex":
            return self._reindex(progress)
        if op in operations.APART:
            with self._mending():
                return operations.call(self.kit, op, params)
        with self._owner:
            try:
                with self._mending():
                    return self._answer(op, params)
            except trouble.MendedError:
                if op in operations.READING:
                    return self._answer(op, params)
                raise

    def _answer(self, op: str, params: dict[str, object]) -> object:
        answer = operations.call(self.kit, op, params)
        self._asked.set()
        return {**answer, **self._status()} if op == "status" and isinstance(answer, dict) else answer

    def after(self, op: str, result: object) -> None:
        """Nothing waits for a reply but what `raw` hands out."""

    def raw(self, harness: str, event: str, payload: bytes, env: Mapping[str, str]) -> bytes | Later:
        """Answer a hook; the card is written once the reply is sent."""
        spooled = env.get("MEMKIT_SPOOLED", "")
        moment = datetime.fromtimestamp(int(spooled) / 1e9, UTC).astimezone() if spooled.isdecimal() else None
        self._heed()
        self._sessions.wait_for_answer(harness, event, payload, env)
        self._sessions.listen(harness, event, payload, env)
        with self._owner, self._mending(), self._at(moment):
            reply = self._sessions.handle(harness, event, payload, env)
            self._asked.set()

        def then() -> None:
            with self._owner, self._mending(), self._at(moment):
                reply.after()
            self._reader.stir()

        return Later(reply.out, then)

    def _heed(self) -> None:
        """Go by settings that were edited since; whoever edits them need not know that a daemon runs."""
        if not self.kit.is_outdated:
            return
        with self._owner, self._mending():
            plain = self.kit.store.plain_notes
            if not self.kit.heed():
                return
            self._owed += plain != self.kit.store.plain_notes
            self._learner.begin_anew()
        tell_hooks(self.kit.root, self.kit)
        LOG.info("settings were edited, and are in use")

    def _at(self, moment: datetime | None) -> AbstractContextManager[None]:
        return self.kit.at(moment) if moment else nullcontext()

    def _status(self) -> dict[str, object]:
        return {
            "engine": self.kit.witness.name or "none",
            "words_behind": self.kit.witness.behind,
            "words_building": self._reader.progress,
            "learning_waits": self._chores.waiting,
            "events_pending": self.watcher.pending(),
            "last_lag_ms": round(self._lag * 1000, 1),
            "last_scan_s_ago": round(time.monotonic() - self._scanned, 1) if self._scanned else None,
            "scan_owed": self._scan_owed,
            "building": self._building.progress if self._building else "",
            "spool_waiting": len(spool.waiting(self._spool)),
            "spool_failed": spool.failed(self._spool),
            "watching": "; ".join(self.watcher.health()) or f"{self.watcher.watched} folders",
            "memory_mb": _memory_mb(),
        }

    # -- in step with the files

    @property
    def _scan_owed(self) -> bool:
        """Whether something may have changed that only a scan can find."""
        return self._owed > self._paid

    def _freshen(self) -> reconcile.Report:
        """Take up every change that was on disk before now; called by the owner before each answer."""
        if self.watcher.is_astray():
            raise RootGone(self.kit.root, "it is away")
        if not self.kit.index.is_there():
            self._begin_anew("its file was deleted or replaced", reopen=True)
        self.kit.behind = ""
        try:
            report = self._catch_up_for_a_question()
        except sqlite3.Error as error:
            if trouble.is_broken(error, self.kit.folder):
                self._begin_anew(str(error))
                report = self._catch_up_for_a_question()
            else:
                self._owed += 1
                self.watcher.ask_for_scan()
                self.kit.behind = f"The index can't be brought in step ({error}); make room in {self.kit.folder}."
                report = reconcile.Report()
        if 0 < self.kit.witness.behind <= TAKE:  # the words of what was just written; of many, answers say they lack
            self.kit.witness.take(TAKE)
        return report

    def _catch_up_for_a_question(self) -> reconcile.Report:
        report = reconcile.Report(problems=self.kit.index.catalog.problem_count())
        if self._building:
            done, total = self._building.counts
            self.kit.behind = f"The vault is still being read: {done} of {total or '?'} notes."
            return report
        large = self.kit.index.catalog.is_over(AT_ONCE)
        if large and self.watcher.is_storming():
            # It would wait for the end of the storm; the watching thread does, and lets questions in between.
            self.kit.behind = CHANGING
            return report
        known = self.watcher.barrier(LARGE_BARRIER_S if large else BARRIER_S)
        batch = self.watcher.flush()
        if not large and (self._scan_owed or batch.scan or not known):
            return self._scan_now()
        if batch.paths or batch.folders:
            report = self._take_up(batch)
        if not known and self.watcher.without_barrier:
            self._glance_asked = time.monotonic()  # nothing says that anything is owed: a look now and then must do
            lost = batch.scan and not self.watcher.polling
        else:
            # What is late is not lost. A scan for it would make the next barrier late, and so on without end.
            lost = batch.scan
        self._owed += lost
        if self._scan_owed or not (known or self.watcher.without_barrier):
            self.kit.behind = CHANGING
        return report

    def _take_up(self, batch: Batch) -> reconcile.Report:
        owed, self._owed = self._owed, self._owed + 1  # a batch that was taken and not dealt with is lost otherwise
        report = reconcile.apply(self.kit.store, self.kit.index, batch.paths, batch.folders)
        self._owed = owed
        self._lag = time.monotonic() - batch.first if batch.first else 0.0
        if report.changed:
            LOG.info(
                "%s changed in %.1f ms: %s", report.changed, report.seconds * 1000, " ".join(sorted(batch.paths)[:5])
            )
            self.kit.witness.take(TAKE)
            self._reader.stir()
        return report

    def _scan_now(self) -> reconcile.Report:
        self._owed += 1
        begun = time.monotonic()
        report = reconcile.scan(self.kit.store, self.kit.index)
        self._scanned, self._scanned_from, self._paid = time.monotonic(), begun, self._owed
        self.kit.witness.take(TAKE)
        self._reader.stir()
        return report

    def _catch_up(self) -> None:
        """Come in step at the start: a small vault at once, a large one bit by bit, an unknown one by a child."""
        if self.kit.index.catalog.is_over(AT_ONCE):
            self._owed += 1
        elif reconcile.differs(self.kit.store, self.kit.index, SYNC_NOTES):
            self._building = builder.Build("index", self.kit.root, self.kit.folder)
            return
        else:
            self._scan_now()
        self.kit.witness.open()

    def _watch(self) -> None:
        if not self._building:
            self._asked.wait(FIRST_S)
        if self._unwatched and not self._stopping.is_set():
            self.watcher.start()  # before the scan that is owed, so nothing falls between the two
            self._unwatched = False
        while not self._stopping.is_set():
            self._hold_rows()
            self.watcher.serve(0.0 if self._scan_owed else TURN_S, self._owner, self._use)
            self._finish_build()
            self._prepare()
            glance = self._glance_asked > self._scanned_from
            late = time.monotonic() - self._scanned > (GLANCE_S if glance else SCAN_EVERY_S)
            if (late or self._scan_owed) and not self._building and not self.watcher.is_storming():
                self._scan_gently()

    def _hold_rows(self) -> None:
        """Have all rows in memory, a few at a time; until then each is read when a question needs it."""
        before = self._stopping.is_set() or self._building or self.kit.index.features.is_whole
        while not (self._stopping.is_set() or self._building or self.kit.index.features.is_whole):
            with self._owner.gently(), self._mending():
                self.kit.index.features.fill(ROWS)
        if not before:
            _keep_loaded()

    def _use(self, batch: Batch) -> None:
        if batch.scan and self.watcher.polling:
            self._glance_asked = time.monotonic()
        elif batch.scan:
            self._owed += 1
        elif not self._building:
            with self._mending():
                self.kit.follow(self._take_up(batch))

    def _scan_gently(self) -> None:
        """Scan in portions, letting questions in between."""
        if self.watcher.is_astray():
            self._stopping.wait(0.2)
            return
        started, changed, owed = time.monotonic(), 0, self._owed
        with self._mending():
            try:
                for portion in reconcile.portions(
                    self.kit.store, self.kit.index, self._owner.gently, begins=self._is_for_us, reads=self._read
                ):
                    changed += portion.changed
                    with self._owner:
                        self.kit.follow(portion)
                    if self._stopping.is_set():
                        return
            finally:
                self._scanning = False
                self._dismiss()
                self._reader.stir()
        if self._building:
            return
        with self._owner:
            self._paid = max(self._paid, owed)  # what was lost meanwhile is still owed
            self._scanned, self._scanned_from = time.monotonic(), started
        if changed:
            LOG.info("scan: %s changed in %.0f ms", changed, (self._scanned - started) * 1000)

    def _is_for_us(self, differences: int) -> bool:
        """Leave it to a child when so much has changed that building anew is quicker, and holds nobody up."""
        with self._owner:
            if differences > SYNC_NOTES and differences * 2 > len(self.kit.index.catalog):
                self._building = builder.Build("index", self.kit.root, self.kit.folder)
        self._scanning = differences > 0
        return self._building is None

    def _prepare(self) -> None:
        """Have a child get ready while a storm still rages, which will have many files read."""
        many = self.watcher.pending() >= CREW_FROM
        if many and self._crew is None and not self._building:
            self._crew = builder.reading(self.kit.store)
        elif not many and not self._scan_owed:
            self._dismiss()  # what raged has been dealt with, or was nothing to us

    def _read(self, pieces: list[reconcile.Piece]) -> Iterator[Mapping[str, reconcile.Read]]:
        """Read files for a scan, with a child where there are many."""
        if self._crew is None and sum(map(len, pieces)) >= CREW_FROM:
            self._crew = builder.reading(self.kit.store)
        if self._crew:
            return self._crew.each(pieces)
        return (reconcile.read_all(self.kit.store, piece) for piece in pieces)

    def _dismiss(self) -> None:
        crew, self._crew = self._crew, None
        if crew:
            crew.stop()

    def _finish_build(self) -> None:
        """Take over what a child has built."""
        with self._owner:
            if self._building is None or not self._building.is_done():
                return
            build, self._building = self._building, None
            self._owed += 1  # what happened meanwhile
            if build.failed:
                LOG.error("The index could not be built: %s", build.failed)
            else:
                self.kit.witness.abandon()
                self.kit.index.take_over(build.folder)
            self.kit.witness.open()
            if not self.kit.index.catalog.is_over(AT_ONCE):
                self._scan_now()

    def _reindex(self, progress: Progress | None) -> object:
        """Build everything anew in a child, answering from the old indexes meanwhile."""
        with self._owner:
            build = self._building = self._building or builder.Build("index", self.kit.root, self.kit.folder)
        while not build.is_done() and not self._stopping.is_set():
            if progress:
                progress("reading", *build.counts)
            time.sleep(0.1)
        self._finish_build()
        if build.failed:
            raise UnavailableError(f"The index could not be built: {build.failed}.", "Run `memkit doctor`.")
        with self._owner:
            return operations.plain({"seen": build.counts[1], "problems": self.kit.index.catalog.problem_count()})

    # -- trouble

    @contextmanager
    def _mending(self) -> Iterator[None]:
        """Begin the indexes anew when they broke, and say what came of it in a sentence."""
        try:
            yield
        except sqlite3.Error as error:
            if not trouble.is_broken(error, self.kit.folder):
                raise trouble.sentence(error, self.kit.folder) from error
            with self._owner:
                self._begin_anew(str(error))
            raise trouble.MendedError(error) from error

    def _begin_anew(self, why: str, *, reopen: bool = False) -> None:
        LOG.warning("The index is made anew: %s", why)
        self.kit.witness.abandon()
        try:
            if reopen:
                self.kit.index.reopen()
            else:
                self.kit.index.renew()
            self._catch_up()
        except (sqlite3.Error, OSError) as error:
            raise trouble.sentence(error, self.kit.folder) from error

    def _guarded(self, work: Callable[[], None]) -> None:
        """Keep a thread alive through whatever a file system or an engine comes up with."""
        while not self._stopping.is_set():
            try:
                work()
            except RootGone:
                self._stopping.wait(1.0)
            except KitError as error:
                LOG.warning("%s: %s", work.__qualname__, error)
                self._stopping.wait(1.0)
            except Exception:
                LOG.exception("%s stumbled and goes on", work.__qualname__)
                self._stopping.wait(1.0)


def _keep_loaded() -> None:
    """Have the collector pass over all there is now: it stays, and to look through it takes a tenth of a second."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def _memory_mb() -> float:
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a real file
        return round(int(file.read().split()[1]) * 4096 / 1e6, 1)
    return 0.0
