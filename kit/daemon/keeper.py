"""What the daemon does: answer from the state of this moment, and keep alive the threads that do the rest.

Law: whoever answers or writes owns the indexes meanwhile; how they are in step by then is the tracker's.
"""

from __future__ import annotations

import logging
import sqlite3
import sys
import threading
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from kit import operations, places
from kit.app import Kit
from kit.daemon import spool, trouble
from kit.daemon.chores import Chores
from kit.daemon.conversation import Handler, Later
from kit.daemon.learner import Learner, tell_hooks
from kit.daemon.memory import keep_loaded, memory_mb
from kit.daemon.owner import Owner
from kit.daemon.protocol import HookCall
from kit.daemon.reader import Reader
from kit.daemon.tracker import Tracker
from kit.errors import KitError
from kit.sessions import Sessions
from kit.vault.walk import RootGone
from kit.vault.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from kit.daemon.conversation import Progress

LOG = logging.getLogger("kit.daemon")

SWEPT = 8
"""Cards of killed clients that are closed in one go."""


class _Held(NamedTuple):
    """A prompt or an answer that is written down in the spool."""

    path: Path

    def done(self) -> None:
        """Forget it: it was dealt with."""
        self.path.unlink(missing_ok=True)

    def let_go(self) -> None:
        """Leave it to the replay of the spool."""
        spool.let_go(self.path)


class Keeper(Handler):
    """Owns one vault's indexes, its watcher, and the sessions of its harnesses."""

    def __init__(self, root: Path, *, watcher: Watcher | None = None) -> None:
        self._owner = Owner()
        self._stopping = threading.Event()
        self.kit = Kit(root, freshen=lambda: self.tracker.freshen())  # noqa: PLW0108 - it is made below
        self.watcher = watcher or Watcher(self.kit.root)
        self._spool = places.spool_folder(self.kit.root)
        self._sessions = Sessions(self.kit)
        self._reader = Reader(
            self.kit, self._owner, self._stopping, lambda: self.tracker.is_reading()  # noqa: PLW0108 - as above
        )  # fmt: skip
        self.tracker = Tracker(self.kit, self.watcher, self._owner, self._stopping, self._reader.stir)
        self._chores = Chores(
            self.kit, self._owner, self._stopping, lambda: not self.ready(), lambda: self._sessions.sweep(SWEPT),
            reading=self._reader.has_much,
        )  # fmt: skip
        self.kit.learning.owner = self._owner  # and that of what imports, once there is any
        self._learner = Learner(self.kit, self._stopping, lambda: not self.ready())
        self._threads: list[threading.Thread] = []

    # -- life

    def start(self) -> None:
        """Watch, bring everything in step, and begin to keep it so."""
        # Shorter turns between threads: a question must not wait 5 ms for a busy one.
        sys.setswitchinterval(0.0005)
        if not any(self.kit.root.iterdir()):
            raise RootGone(self.kit.root, "it is empty, like the place of a disk that is not mounted")
        spool.recover(self._spool)
        self.tracker.start()
        self.kit.perceive("")  # builds its tables before the first prompt needs them
        keep_loaded()
        tell_hooks(self.kit.root, self.kit)
        for work in (self.tracker.watch, self._reader.run, self._chores.run, self._learner.run):
            thread = threading.Thread(target=self._guarded, args=(work,), daemon=True, name=work.__qualname__)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """End the threads, commit what waits and close."""
        self._stopping.set()
        self.tracker.asked.set()
        self._reader.stop()
        self.kit.learning.close()
        self.watcher.stop()
        for thread in self._threads:
            thread.join(5.0)
        self._reader.stop()  # its thread may have begun a child while it was told to stop
        self.tracker.stop()
        with self._owner, suppress(sqlite3.Error):
            self.kit.witness.close()
            with suppress(OSError):
                self.kit.index.seal()
            self.kit.close()

    def gone(self) -> bool:
        """Tell whether the vault disappeared for good: no folder where it was."""
        return not self.kit.root.is_dir()

    def busy(self) -> bool:
        """Tell whether a build or uncommitted words would be cut off by an idle stop."""
        with self._owner, suppress(sqlite3.Error):
            return self.tracker.is_building or self._reader.is_busy()
        return False

    def ready(self) -> bool:
        """Tell whether what waited can be dealt with: the vault is there, and known."""
        return not self.tracker.is_building and not self.watcher.is_astray()

    # -- answering

    def call(self, op: str, params: dict[str, object], progress: Progress | None) -> object:
        """Run an operation of the kit."""
        self._heed()
        if op == "reindex":
            return operations.plain(self.tracker.rebuild(progress))
        if op in operations.APART:
            with self.tracker.mending():
                return operations.call(self.kit, op, params)
        with self._owner:
            try:
                with self.tracker.mending():
                    return self._answer(op, params)
            except trouble.MendedError:
                if op in operations.READING:
                    return self._answer(op, params)
                raise

    def _answer(self, op: str, params: dict[str, object]) -> object:
        self._settle()
        answer = operations.call(self.kit, op, params)
        self.tracker.asked.set()
        return {**answer, **self._status()} if op == "status" and isinstance(answer, dict) else answer

    def after(self, op: str, result: object) -> None:
        """Nothing waits for a reply but what `raw` hands out."""

    def raw(self, harness: str, event: str, payload: bytes, env: Mapping[str, str]) -> bytes | Later:
        """Answer a hook; the card is written once the reply is sent."""
        spooled = env.get("MEMKIT_SPOOLED", "")
        moment = (
            datetime.fromtimestamp(int(spooled) / 1e9, UTC).astimezone(places.ZONE.get())
            if spooled.isdecimal()
            else None
        )
        self._heed()
        self._sessions.wait_for_answer(harness, event, payload, env)
        self._sessions.listen(harness, event, payload, env)
        with self._owner, self.tracker.mending(), self._at(moment):
            call = HookCall(harness, event, payload, dict(env))
            reply = self._sessions.handle(harness, event, payload, env, lambda: _Held(spool.hold(self._spool, call)))
            self.tracker.asked.set()

        def then() -> None:
            with self._owner, self.tracker.mending(), self._at(moment):
                reply.after()
            self._reader.stir()

        def untold() -> None:
            with self._owner:
                reply.untold()

        return Later(reply.out, then, untold)

    def _settle(self) -> None:
        """Write the cards of prompts and answers that were acknowledged; what fails is tried again later."""
        try:
            self._sessions.settle()
        except Exception:
            LOG.exception("a turn could not be kept now, and will be tried again")

    def _heed(self) -> None:
        """Go by settings that were edited since; whoever edits them need not know that a daemon runs."""
        if not self.kit.is_outdated:
            return
        with self._owner, self.tracker.mending():
            plain = self.kit.store.plain_notes
            if not self.kit.heed():
                return
            if plain != self.kit.store.plain_notes:
                self.tracker.owe_scan()
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
            "words_trouble": self._reader.trouble,
            "learning_waits": self._chores.waiting,
            **self.tracker.state(),
            "spool_waiting": len(spool.waiting(self._spool)),
            "spool_failed": spool.failed(self._spool),
            "watching": "; ".join(self.watcher.health()) or f"{self.watcher.watched} folders",
            "memory_mb": memory_mb(),
        }

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
