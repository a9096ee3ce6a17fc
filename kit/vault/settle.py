"""From single events to batches: a path is handed on when it has been quiet for a while.

Law: pure, the clock is passed in. A batch names what is worth a look, never what happened to it; when there
is too much to name, or something may have been lost, it asks for a scan instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


class Batch(NamedTuple):
    """What to look at again; false when that is nothing."""

    paths: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    """Subtrees to walk: folders that came, went, or were renamed (both names)."""
    scan: bool = False
    """Walk the whole vault; after a storm paths and folders are empty."""
    first: float = 0.0
    """When the oldest event came, by the clock of the settler."""

    def __bool__(self) -> bool:
        """Say whether there is anything to look at."""
        return bool(self.paths or self.folders or self.scan)


class _Span(NamedTuple):
    first: float
    last: float


class Settler:
    """Collects events and decides when they are due. Times in seconds.

    A path is due after `quiet`, or after `longest` if it never is. More than `storm` paths, or `busy` (git is
    at work), make a storm: one scan, after `storm_quiet` or at the latest after `storm_longest`.
    """

    def __init__(
        self,
        *,
        quiet: float = 0.2,
        longest: float = 2.0,
        storm: int = 200,
        storm_quiet: float = 0.5,
        storm_longest: float = 10.0,
        busy: Callable[[], bool] | None = None,
    ) -> None:
        self._quiet = quiet
        self._longest = longest
        self._storm = storm
        self._storm_quiet = storm_quiet
        self._storm_longest = storm_longest
        self._busy = busy
        self._paths: dict[str, _Span] = {}
        self._folders: dict[str, _Span] = {}
        self._storming: _Span | None = None

    def __len__(self) -> int:
        """Count the paths and folders that are pending; a lost event counts as one."""
        return len(self._paths) + len(self._folders) or int(self._storming is not None)

    @property
    def storming(self) -> bool:
        """Whether a scan is coming instead of single paths."""
        return self._storming is not None

    def note(self, path: str, now: float, *, is_dir: bool = False) -> None:
        """Record an event."""
        pending = self._folders if is_dir else self._paths
        old = pending.get(path)
        pending[path] = _Span(old.first if old else now, now)
        if self._storming is not None:
            self._storming = self._storming._replace(last=now)
        elif len(self) > self._storm:
            self._storming = _Span(self._first(now), now)

    def overflow(self, now: float) -> None:
        """Record that events were lost: a scan becomes due."""
        first = self._storming.first if self._storming else self._first(now)
        self._storming = _Span(first, now)

    def due(self, now: float) -> Batch | None:
        """Take what has settled, if anything has."""
        if self._storming is not None:
            return self._storm_due(now, self._storming)
        paths = {path for path, span in self._paths.items() if now >= self._due_at(span)}
        folders = {path for path, span in self._folders.items() if now >= self._due_at(span)}
        if not paths and not folders:
            return None
        if self._busy is not None and self._busy():
            self._storming = _Span(self._first(now), now)
            return None
        return self._release(paths, folders)

    def next_due(self, now: float) -> float | None:
        """Tell when `due` is worth asking again, never before `now`; None while nothing is pending."""
        if self._storming is not None:
            first, last = self._storming
            return max(now, min(last + self._storm_quiet, first + self._storm_longest))
        spans = [*self._paths.values(), *self._folders.values()]
        return max(now, min(map(self._due_at, spans))) if spans else None

    def take(self, now: float, paths: Collection[str] | None = None) -> Batch:
        """Take what is pending, settled or not; with `paths`, only those of them that are."""
        if paths is not None:
            return self._release({path for path in paths if path in self._paths}, set(), now)
        if self._storming is not None:
            batch = Batch(scan=True, first=self._storming.first)
            self._storming = None
            self._paths.clear()
            self._folders.clear()
            return batch
        return self._release(set(self._paths), set(self._folders), now)

    def _storm_due(self, now: float, storm: _Span) -> Batch | None:
        latest = now >= storm.first + self._storm_longest
        if not latest and now < storm.last + self._storm_quiet:
            return None
        if not latest and self._busy is not None and self._busy():
            # Its quiet time begins when git has let go of its lock.
            self._storming = storm._replace(last=now)
            return None
        return self.take(now)

    def _due_at(self, span: _Span) -> float:
        return min(span.last + self._quiet, span.first + self._longest)

    def _first(self, now: float) -> float:
        return min((span.first for pending in (self._paths, self._folders) for span in pending.values()), default=now)

    def _release(self, paths: set[str], folders: set[str], now: float = 0.0) -> Batch:
        spans = [self._paths.pop(path) for path in paths] + [self._folders.pop(path) for path in folders]
        first = min((span.first for span in spans), default=now)
        return Batch(frozenset(paths), frozenset(folders), first=first)
