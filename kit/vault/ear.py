"""The ear at the file system: watchdog, and all its traps.

Law: alone in knowing watchdog. It hears where something happened, not what, and never what we read ourselves.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import threading
import warnings
from typing import TYPE_CHECKING

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from kit.vault.layout import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from watchdog.observers.api import BaseObserver

# With this filter the kernel sends a quarter of the events, and none for our own reads. Only inotify can
# tell that a file was closed after writing; elsewhere "modified" has to do, or 7's "attrib".
_INOTIFY_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileClosedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
_UNHEARD = {"opened", "closed_no_write"}
# A folder is "modified" whenever something in it is, and that something has an event of its own.
_UNHEARD_OF_FOLDERS = {"modified", "attrib"}
_PAIRING = ("inotify_move_event_grouper.InotifyMoveEventGrouper", "inotify_buffer.InotifyBuffer")
"""Who holds a move's first half back until its second half comes: in watchdog 7, in 6."""
_PAIRING_S = 0.02
"""The kernel writes both halves at once. The usual 0.5 s would hold back all that comes after a note moved out."""
_LOG = "watchdog.observers.inotify_c"
_NOISY = r"watchdog\."


class Ear:
    """One observer on one real folder (watchdog hears nothing through a link).

    `heard(paths, is_dir)` gets absolute paths, both names of a move, and the root's own when that went away;
    `lost()` is called when the kernel's queue ran over, `nudged()` when the cookie of `nudge` came back.
    All come from watchdog's threads and must be quick.
    Raises OSError when the system refuses.
    """

    def __init__(
        self,
        real: str,
        heard: Callable[[tuple[str, ...], bool], None],
        lost: Callable[[], None],
        nudged: Callable[[], None] = lambda: None,
    ) -> None:
        self.hush()
        _pair_quickly()
        self._cookie = f"{real}{os.sep}{SETTINGS}"
        self._log = _OverflowLog(lost)
        logging.getLogger(_LOG).addHandler(self._log)
        self._observer: BaseObserver | None = None
        try:
            self._observer = Observer()
            events = _INOTIFY_EVENTS if getattr(Observer, "__name__", "") == "InotifyObserver" else None
            self._observer.schedule(
                _Handler(real, self._cookie, heard, nudged), real, recursive=True, event_filter=events
            )
            self._observer.start()
        except OSError:
            self.close()
            raise

    @staticmethod
    def hush() -> None:
        """Silence watchdog's RuntimeWarnings on racing folders (10–40 KB each), which as errors kill its threads.

        Cheap to repeat, for filters can be reset under a running watcher (`warnings.catch_warnings`).
        """
        if not any(getattr(known[3], "pattern", None) == _NOISY for known in warnings.filters):
            warnings.filterwarnings("ignore", category=RuntimeWarning, module=_NOISY)

    def alive(self) -> bool:
        """Say whether every thread of watchdog still runs; they end when the root is deleted, or by a fault."""
        if self._observer is None:
            return False
        emitters = list(self._observer.emitters)
        # The kernel's queue is read in a thread apart: the observer's in watchdog 7, the emitters' in 6.
        readers = [getattr(self._observer, "_inotify_fd", None), *(getattr(e, "_inotify", None) for e in emitters)]
        threads = [self._observer, *emitters, *(each for each in readers if isinstance(each, threading.Thread))]
        return all(thread.is_alive() for thread in threads)

    def nudge(self) -> bool:
        """Send a cookie after everything that has happened: the settings file opened to write, and closed.

        Nothing is written, so no byte and no time changes; inotify tells of it all the same. False where there
        is no such event or no such file.
        """
        if getattr(Observer, "__name__", "") != "InotifyObserver":
            return False
        try:
            os.close(os.open(self._cookie, os.O_WRONLY))
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Stop listening."""
        logging.getLogger(_LOG).removeHandler(self._log)
        observer, self._observer = self._observer, None
        if observer is None:
            return
        # Watchdog may stumble over watches that went with their folders, or over an observer half started.
        with contextlib.suppress(OSError, KeyError, RuntimeError):
            observer.stop()
        with contextlib.suppress(RuntimeError):
            observer.join(5.0)


def _pair_quickly() -> None:
    for place in _PAIRING:
        module, _, name = place.partition(".")
        with contextlib.suppress(ImportError):
            getattr(importlib.import_module(f"watchdog.observers.{module}"), name).delay = _PAIRING_S


class _Handler(FileSystemEventHandler):
    def __init__(
        self, real: str, cookie: str, heard: Callable[[tuple[str, ...], bool], None], nudged: Callable[[], None]
    ) -> None:
        self._real = real
        self._cookie = cookie
        self._heard = heard
        self._nudged = nudged

    def dispatch(self, event: FileSystemEvent) -> None:
        kind = event.event_type
        if kind in _UNHEARD or (event.is_directory and kind in _UNHEARD_OF_FOLDERS):
            return
        paths = tuple(os.fsdecode(path) for path in (event.src_path, event.dest_path) if path)
        if kind == "closed" and paths == (self._cookie,):
            self._nudged()
            return
        if kind == "created" and paths == (self._real,):
            return  # macOS tells of a young root like that; heard of the root, it would mean that it went
        self._heard(paths, event.is_directory)


class _OverflowLog(logging.Handler):
    """Watchdog tells of an overflow nowhere but in its log."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage().lower():
            self._lost()
