"""What the daemon does: keep every index in step with the files, and answer from the state of this moment.

Law: one owner at a time holds the indexes, and holds them briefly; events are taken up under the same
ownership as questions, so a question sees every change that was on disk before it was asked.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kit import operations, reconcile
from kit.app import Kit
from kit.daemon import builder
from kit.daemon.conversation import Handler, Later
from kit.errors import KitError
from kit.sessions import Sessions
from kit.vault.walk import RootGone
from kit.vault.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from kit.daemon.conversation import Progress
    from kit.vault.watch import Batch

LOG = logging.getLogger("kit.daemon")

BARRIER_S = 0.1
"""How long a question waits to be sure of what is on disk; then it looks for itself."""
SCAN_EVERY_S = 180.0
"""The safety net: events can be missed, scans cannot."""
SYNC_NOTES = 2_000
"""Up to so many differences are taken in by this process, bit by bit; more are left to a child."""
AT_ONCE = 3_000
"""Files that can be walked within a question's time."""
TAKE, FLUSH, MANY = 8, 8, 200
"""Cards taken in, and committed, in one go; and so many wait at most."""


class Keeper(Handler):
    """Owns one vault's indexes, its watcher, and the sessions of its harnesses."""

    def __init__(self, root: Path) -> None:
        self._owner = threading.RLock()
        self._stopping = threading.Event()
        self._stir = threading.Event()
        self.kit = Kit(root, freshen=self._freshen)
        self.watcher = Watcher(self.kit.root)
        self._sessions = Sessions(self.kit)
        self._threads: list[threading.Thread] = []
        self._building: builder.Build | None = None
        self._scanned = 0.0
        self._lag = 0.0
        self._scan_owed = False

    # -- life

    def start(self) -> None:
        """Watch, bring everything in step, and begin to keep it so."""
        # Shorter turns between threads: a question must not wait 5 ms for a busy one.
        sys.setswitchinterval(0.0005)
        self.watcher.start()
        self._catch_up()
        self.kit.perceive("")  # builds its tables before the first prompt needs them
        for work in (self._watch, self._read_words):
            thread = threading.Thread(target=self._guarded, args=(work,), daemon=True, name=work.__name__)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """End the threads, commit what waits and close."""
        self._stopping.set()
        self._stir.set()
        self.watcher.stop()
        for thread in self._threads:
            thread.join(5.0)
        if self._building:
            self._building.stop()
        with self._owner:
            self.kit.close()

    def gone(self) -> bool:
        """Tell whether the vault disappeared for good: no folder where it was."""
        return not self.kit.root.is_dir()

    def busy(self) -> bool:
        """Tell whether a build or uncommitted words would be cut off by an idle stop."""
        return self._building is not None or self.kit.witness.behind > 0

    # -- answering

    def call(self, op: str, params: dict[str, object], progress: Progress | None) -> object:
        """Run an operation of the kit."""
        if op == "reindex":
            return self._reindex(progress)
        with self._owner:
            if op == "status":
                return {**_plain(operations.call(self.kit, op, params)), **self._status()}
            return operations.call(self.kit, op, params)

    def after(self, op: str, result: object) -> None:
        """Nothing waits for a reply but what `raw` hands out."""

    def raw(self, harness: str, event: str, payload: bytes, env: Mapping[str, str]) -> bytes | Later:
        """Answer a hook; the card is written once the reply is sent."""
        spooled = env.get("MEMKIT_SPOOLED", "")
        moment = datetime.fromtimestamp(int(spooled) / 1e9, UTC).astimezone() if spooled.isdecimal() else None
        with self._owner:
            reply = self._sessions.handle(harness, event, payload, env)

        def then() -> None:
            with self._owner:
                if moment:
                    with self.kit.at(moment):
                        reply.after()
                else:
                    reply.after()
            self._stir.set()

        return Later(reply.out, then)

    def _status(self) -> dict[str, object]:
        return {
            "engine": self.kit.witness.name or "none",
            "words_behind": self.kit.witness.behind,
            "events_pending": self.watcher.pending(),
            "last_lag_ms": round(self._lag * 1000, 1),
            "last_scan_s_ago": round(time.monotonic() - self._scanned, 1) if self._scanned else None,
            "building": self._building.progress if self._building else "",
            "watching": "; ".join(self.watcher.health()) or f"{self.watcher.watched} folders",
            "memory_mb": _memory_mb(),
        }

    # -- in step with the files

    def _freshen(self) -> reconcile.Report:
        """Take up every change that was on disk before now; called by the owner before each answer."""
        if self.watcher.root_gone:
            raise RootGone(self.kit.root, "it is away")
        report = reconcile.Report(problems=self.kit.index.catalog.problem_count())
        if self._building:
            done, total = self._building.counts
            self.kit.behind = f"The vault is still being read: {done} of {total or '?'} notes."
            return report
        self.kit.behind = ""
        known = self.watcher.barrier(BARRIER_S)
        batch = self.watcher.flush()
        if batch.scan or not known:
            if len(self.kit.index.catalog) > AT_ONCE:
                self._scan_owed = True
            else:
                return self._scan_now()
        elif batch:
            report = self._take_up(batch)
        if self._scan_owed:
            self.kit.behind = "Many notes have changed and are still being read."
        return report

    def _take_up(self, batch: Batch) -> reconcile.Report:
        report = reconcile.apply(self.kit.store, self.kit.index, batch.paths, batch.folders)
        self._lag = time.monotonic() - batch.first if batch.first else 0.0
        if report.changed:
            LOG.info(
                "%s changed in %.1f ms: %s", report.changed, report.seconds * 1000, " ".join(sorted(batch.paths)[:5])
            )
            self.kit.witness.take(TAKE)
            self._stir.set()
        return report

    def _scan_now(self) -> reconcile.Report:
        report = reconcile.scan(self.kit.store, self.kit.index)
        self._scanned = time.monotonic()
        self._scan_owed = False
        self._stir.set()
        return report

    def _catch_up(self) -> None:
        """Come in step at the start: at once when little has changed, by a child when much has."""
        if reconcile.count_differences(self.kit.store, self.kit.index) > SYNC_NOTES:
            self._building = builder.Build(self.kit.root, self.kit.folder)
        else:
            self._scan_now()
            self.kit.witness.open()

    def _watch(self) -> None:
        while not self._stopping.is_set():
            self.watcher.serve(1.0, self._owner, self._use)
            self._finish_build()
            late = time.monotonic() - self._scanned > SCAN_EVERY_S
            if (late or self._scan_owed) and not self.watcher.root_gone and not self._building:
                self._scan_gently()

    def _use(self, batch: Batch) -> None:
        if batch.scan:
            self._scan_owed = True
        elif not self._building:
            self._take_up(batch)

    def _scan_gently(self) -> None:
        """Scan in portions, letting questions in between."""
        started, changed = time.perf_counter(), 0
        self._scan_owed = True
        for portion in reconcile.portions(self.kit.store, self.kit.index, self._owner):
            changed += portion.changed
            self._stir.set()
            if self._stopping.is_set():
                return
        self._scan_owed = False
        self._scanned = time.monotonic()
        if changed:
            LOG.info("scan: %s changed in %.0f ms", changed, (time.perf_counter() - started) * 1000)

    def _finish_build(self) -> None:
        """Take over what a child has built."""
        if self._building is None or not self._building.is_done():
            return
        build, self._building = self._building, None
        with self._owner:
            if build.failed:
                LOG.error("The index could not be built: %s", build.failed)
                self._scan_now()
            else:
                self.kit.witness.close()
                self.kit.index.take_over(build.folder)
                self._scan_now()
            self.kit.witness.open()

    def _reindex(self, progress: Progress | None) -> object:
        """Build everything anew in a child, answering from the old indexes meanwhile."""
        build = builder.Build(self.kit.root, self.kit.folder)
        self._building = build
        while not build.is_done() and not self._stopping.is_set():
            if progress:
                progress("reading", *build.counts)
            time.sleep(0.1)
        self._finish_build()
        return operations.plain({"seen": build.counts[1], "problems": self.kit.index.catalog.problem_count()})

    # -- words

    def _read_words(self) -> None:
        """Take changed cards into the full text, a few at a time, and commit them when it is quiet."""
        while not self._stopping.is_set():
            if not self._stir.wait(1.0) and not self.kit.witness.uncommitted:
                continue
            quiet = not self._stir.is_set()
            self._stir.clear()
            left = self._take_words()
            if left:
                self._stir.set()
            if self.kit.witness.uncommitted >= MANY or (quiet and not left):
                self._commit()

    def _take_words(self) -> int:
        with self._owner:
            return 0 if self._building else self.kit.witness.take(TAKE)

    def _commit(self) -> None:
        while self.kit.witness.uncommitted and not self._stopping.is_set():
            with self._owner:
                self.kit.witness.flush(FLUSH)

    def _guarded(self, work: Callable[[], None]) -> None:
        """Keep a thread alive through whatever a file system or an engine comes up with."""
        while not self._stopping.is_set():
            try:
                work()
            except RootGone:
                self._stopping.wait(1.0)
            except KitError as error:
                LOG.warning("%s: %s", work.__name__, error)
                self._stopping.wait(1.0)
            except Exception:
                LOG.exception("%s stumbled and goes on", work.__name__)
                self._stopping.wait(1.0)


def _plain(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _memory_mb() -> float:
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a real file
        return round(int(file.read().split()[1]) * 4096 / 1e6, 1)
    return 0.0
