"""Watching the vault: file events in, settled batches of paths out.

Law: events are hints, the walk is the truth. Whenever events may have been lost a batch asks for a scan, and
while the vault's root is away nothing is said at all, so that an absent disk never looks like deleted notes.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kit.vault.cookies import Cookies
from kit.vault.kernel import Root, count_watched, eventless, is_blind_below
from kit.vault.settle import Batch, Settler
from kit.vault.walk import RootGone, ignored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from kit.vault.ear import Ear

__all__ = ["Batch", "Settler", "Watcher"]

# The kernel's queue holds 16,384 events by default, and watchdog 6 says nothing when it runs over.
_FLOOD = 8_000
_ROOT_CHECK = 2.0
_STALE_LOCK = 60.0


class Watcher:
    """Watches one vault; one thread waits, the other methods may be called from any.

    Times in seconds. A file system without events, or one the system refuses to watch, is polled: `wait` then
    asks for a scan every `poll_every`. `polling` overrules what is found out about the file system.
    """

    def __init__(
        self,
        root: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        quiet: float = 0.2,
        longest: float = 2.0,
        poll_every: float = 3.0,
        polling: bool | None = None,
        ignore: Callable[[str], bool] = ignored,
    ) -> None:
        self.root = root
        self.root_gone = False
        """The root is away, or stands empty where it was replaced: nothing may be concluded from that."""
        self.watched = 0
        """Folders under watch when last counted."""
        self.without_barrier = False
        """The last barrier failed since there can be none here: no inotify, or events are missing altogether."""
        self._folders = 0
        self._clock = clock
        self._poll_every = poll_every
        self._told_to_poll = polling
        self._ignore = ignore
        lock = threading.RLock()
        self._changed = threading.Condition(lock)
        # Who waits for changes need not wake, and look to the root, each time a cookie comes back for a question.
        self._answered = threading.Condition(lock)
        self._arming = threading.Lock()
        self._settler = Settler(quiet=quiet, longest=longest, busy=self._git_at_work)
        self._ear: Ear | None = None
        self._armed: Root | None = None
        self._real = ""
        self._root_touched = False
        self._stopped = False
        self._next_poll = 0.0
        self._events = 0
        self._overflows = 0
        self._why_polling = ""
        self._cookies = Cookies(self._answered, lambda: self._stopped)

    def __enter__(self) -> Self:
        """Start watching."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching."""
        self.stop()

    def start(self) -> None:
        """Begin to watch; every change after the return is noticed. Raises RootGone without a root."""
        root = Root.of(self.root)
        if root is None:
            raise RootGone(self.root, "there is no such folder")
        with self._arming:
            self._stopped = False
            self._arm(root)

    def stop(self) -> None:
        """Stop watching and wake who waits; what is pending stays for `flush`."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            self._answered.notify_all()
        with self._arming:
            self._disarm()

    @property
    def polling(self) -> bool:
        """Whether scans every few seconds stand in for events, in the whole vault or in a part of it."""
        return self._ear is None or self.watched < self._folders

    def wait(self, timeout: float) -> Batch | None:
        """Block until a batch is settled; None after `timeout`, and when `stop` was called."""
        deadline = self._clock() + timeout
        while not self._stopped:
            with self._arming:
                self._tend()
            with self._changed:
                now = self._clock()
                batch = None if self.root_gone else self._due(now)
                if batch is None:
                    if now >= deadline or self._stopped:
                        return None
                    self._changed.wait(max(0.0, min(deadline, self._wake(now)) - now))
                    continue
            if batch.scan or batch.folders:
                with self._arming:
                    self._mend()
            return batch
        return None

    def serve(self, timeout: float, owner: AbstractContextManager[object], use: Callable[[Batch], None]) -> None:
        """Wait for one settled batch and give it to `use` while `owner` is held.

        It is taken only then: whoever flushes under the same `owner` never misses a batch that is on its way.
        """
        deadline = self._clock() + timeout
        while not self._stopped:
            with self._arming:
                self._tend()
            with self._changed:
                now = self._clock()
                if self.root_gone or self._wake(now) > now:
                    if now >= deadline:
                        return
                    self._changed.wait(max(0.001, min(deadline, self._wake(now)) - now))
                    continue
            with owner:
                with self._changed:
                    batch = None if self.root_gone else self._due(self._clock())
                if batch is not None:
                    use(batch)
            if batch is not None:
                if batch.scan or batch.folders:
                    with self._arming:
                        self._mend()
                return
            if now >= deadline:
                return

    def flush(self, paths: Iterable[str] | None = None) -> Batch:
        """Take what is pending right now, settled or not; with `paths`, only those of them.

        What is still on its way from the kernel comes later, so who must be certain calls `barrier` first, or
        walks. Where events are missing a scan is asked for besides, or all `paths` are named.
        """
        wanted = None if paths is None else frozenset(paths)
        with self._changed:
            now = self._clock()
            if self.root_gone or not self._is_where_it_was():
                return Batch(first=now)
            batch = self._settler.take(now, wanted)
        if not self.polling:
            if batch.folders and is_blind_below(self._real, batch.folders, self._ignore):
                with self._arming:
                    self._mend()
            return batch
        return batch._replace(scan=True) if wanted is None else batch._replace(paths=wanted)

    def barrier(self, timeout: float) -> bool:
        """Wait until every change made before this call is pending here; False when that can't be known in time.

        A cookie goes the way of the events, so nothing that came before it is still on its way.
        """
        return self._cookies.wait(timeout, self._send_cookie) and self._is_where_it_was()

    def _is_where_it_was(self) -> bool:
        """Tell whether the root is the folder that is watched."""
        return self._armed is not None and self._armed.is_still(self.root)

    def _send_cookie(self) -> bool:
        ear = self._ear
        self.without_barrier = not self.root_gone and (ear is None or self.polling or not ear.nudge())
        return not (self.without_barrier or self.root_gone)

    def is_storming(self) -> bool:
        """Tell whether so much happens, or may have been missed, that only a scan will do."""
        with self._changed:
            return self._settler.storming

    def is_astray(self) -> bool:
        """Tell whether the root is away, or an empty folder has taken its place, noticed or not; nor is its return."""
        if self._is_where_it_was():
            return False
        root = Root.of(self.root)
        return root is None or (root != self._armed and root.empty())

    def ask_for_scan(self) -> None:
        """Have a scan become due as after lost events."""
        with self._changed:
            self._settler.overflow(self._clock())
            self._changed.notify_all()

    def pending(self) -> int:
        """Count the paths that wait to settle."""
        with self._changed:
            return len(self._settler)

    def health(self) -> list[str]:
        """Say what keeps the watcher from seeing everything at once; empty when nothing does."""
        said = []
        every = f"the vault is scanned every {self._poll_every:g} s instead."
        if self.root_gone:
            said.append(f"The vault {self.root} is away; nothing is forgotten until it is back.")
        elif self._ear is None:
            said.append(f"{self._why_polling or 'Nothing is watched yet'}; {every}")
        elif self.polling:
            few = f"{self.watched} of {self._folders} folders are watched"
            said.append(f"{few}: raise fs.inotify.max_user_watches and start again; until then {every}")
        if self._overflows:
            said.append(
                f"The kernel's event queue ran over ({self._overflows}×) and the vault was scanned; "
                "raise fs.inotify.max_queued_events if that goes on."
            )
        return said

    def _arm(self, root: Root) -> None:
        self._real, self._armed, self._root_touched = root.real, root, False
        self._next_poll = self._clock() + self._poll_every
        kind = eventless(root.real)
        if self._told_to_poll or (kind and self._told_to_poll is None):
            self._why_polling = f"The vault lies on {kind}, which sends no events" if kind else "Polling is set"
            return
        from kit.vault.ear import Ear  # noqa: PLC0415 - a large vault is watched after its first answer

        try:
            self._ear = Ear(root.real, self._heard, self._lost, self._cookies.come)
        except OSError as error:
            self._why_polling = f"The vault can't be watched ({error.strerror or error})"
            return
        self._count()

    def _disarm(self) -> None:
        ear, self._ear = self._ear, None
        if ear is not None:
            ear.close()

    def _tend(self) -> None:
        """See to the root (gone, back, replaced) and to watches that died."""
        if self._stopped:
            return
        if self._ear is not None:
            self._ear.hush()
        root = Root.of(self.root)
        replaced = self._root_touched or root != self._armed
        if root is None or (replaced and root.empty()):
            if not self.root_gone:
                self._disarm()
                with self._changed:
                    self.root_gone, self._armed, self._root_touched = True, None, False
                    self._settler.take(self._clock())
        elif replaced or not (self._ear is None or self._ear.alive()):
            self._rearm(root)

    def _rearm(self, root: Root) -> None:
        self._disarm()
        self._arm(root)
        with self._changed:
            self.root_gone = False
            self._settler.overflow(self._clock())

    def _due(self, now: float) -> Batch | None:
        if self.polling and now >= self._next_poll:
            self._next_poll = now + self._poll_every
            return Batch(scan=True, first=self._settler.take(now).first)
        return self._settler.due(now)

    def _wake(self, now: float) -> float:
        wakes = [now + _ROOT_CHECK]
        if self.polling and not self.root_gone:
            wakes.append(self._next_poll)
        due = self._settler.next_due(now)
        return min(wakes if due is None else [*wakes, due])

    def _heard(self, paths: tuple[str, ...], is_dir: bool) -> None:
        with self._changed:
            now, idle = self._clock(), not len(self._settler)
            self._events += 1
            if self._events % _FLOOD == 0:
                self._settler.overflow(now)
            for full in paths:
                self._note(full, now, is_dir=is_dir)
            # Only the first of many events can make something due earlier than the waiter thinks.
            if self._root_touched or (idle and len(self._settler)):
                self._changed.notify_all()

    def _note(self, full: str, now: float, *, is_dir: bool) -> None:
        if full == self._real:
            self._root_touched = True
        prefix = f"{self._real}{os.sep}"
        if full.startswith(prefix):
            path = full[len(prefix) :].replace(os.sep, "/")
            if not self._ignore(f"{path}/" if is_dir else path):
                self._settler.note(path, now, is_dir=is_dir)

    def _lost(self) -> None:
        with self._changed:
            self._overflows += 1
            self._settler.overflow(self._clock())
            self._changed.notify_all()

    def _git_at_work(self) -> bool:
        try:
            age = time.time() - Path(self._real, ".git", "index.lock").stat().st_mtime
        except OSError:
            return False
        return age < _STALE_LOCK  # a lock that a crash left behind must not slow every save

    def _count(self) -> None:
        if self._ear is not None:
            self.watched, self._folders = count_watched(self._real, self._ignore)

    def _mend(self) -> None:
        """Watch anew if folders were left unwatched; where that does not help, a limit is reached and we poll.

        Watchdog loses folders that are made and renamed in a hurry, or moved in, and 7 swallows the ENOSPC of
        a watch limit below the root, all without a word.
        """
        blind = self.polling
        self._count()
        if self.polling and not blind and self._armed is not None and not self._stopped:
            self._rearm(self._armed)
