"""What hooks left on the disk while no daemon could take it, given to the handler again until it is kept.

Law: in its order. What can't be dealt with now waits, each time twice as long; what found something away too often lets
others go first; what never can be dealt with is set aside.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from typing import TYPE_CHECKING

from kit.daemon import spool
from kit.daemon.conversation import LOG, run_hook

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kit.daemon.conversation import House, Outcome
    from kit.daemon.spool import Spooled

_AGAIN_S, _LONGEST_S = 1.0, 300.0
"""How long what is spooled waits after a trouble that passes: each time twice as long, up to the second."""
_HELD_BACK = 5
"""So often what is spooled may find that something is away before what was spooled after it goes first."""


class Replay:
    """Replays one spool folder to one house."""

    def __init__(self, house: House, folder: Path, clock: Callable[[], float], stopping: Callable[[], bool]) -> None:
        self._house, self._folder, self._clock, self._stopping = house, folder, clock, stopping
        self._running = threading.Lock()
        self._wait, self._due = _AGAIN_S, -math.inf
        self._in_vain: Counter[str] = Counter()
        """How often each spooled file was tried in vain"""

    def tick(self) -> None:
        """Begin to replay in a thread of its own, if something is due and nobody does so already."""
        if self._is_due() and self._house.handler.ready() and self._running.acquire(blocking=False):
            try:
                threading.Thread(target=self._run, daemon=True).start()
            except BaseException:
                self._running.release()
                raise

    def _is_due(self) -> bool:
        """Tell whether something spooled can be tried: all at its time; what is new at once, unless it is held back."""
        waiting = spool.waiting(self._folder)
        if self._clock() >= self._due:
            return bool(waiting)
        tries = [self._in_vain[file.name] for file in waiting]
        return 0 in tries and all(not tried or tried >= _HELD_BACK for tried in tries)

    def _run(self) -> None:
        began = self._clock()
        is_time = began >= self._due
        held = True
        try:
            with self._house.working():
                held = self._replay(is_time=is_time)
        except OSError as error:
            LOG.warning("The spool %s can't be dealt with now, and will be tried again: %s.", self._folder, error)
            self._in_vain.update(file.name for file in spool.waiting(self._folder))
        finally:
            if held:
                self._due = began + self._wait
                self._wait = min(self._wait * 2, _LONGEST_S)
            elif is_time:
                self._wait = _AGAIN_S
            self._running.release()

    def _replay(self, *, is_time: bool) -> bool:
        """Try what waits, in its order; tell whether something has to be tried again later."""
        held = False
        for item in spool.take(self._folder):
            if self._in_vain[item.path.name] >= _HELD_BACK and not is_time:
                continue
            if self._outcome(item) == "later":
                held = True
                self._in_vain[item.path.name] += 1
                if self._in_vain[item.path.name] < _HELD_BACK:
                    break
                continue
            item.path.unlink(missing_ok=True)
            del self._in_vain[item.path.name]
            if self._stopping():
                break
        return held

    def _outcome(self, item: Spooled) -> Outcome:
        if item.call is None:
            LOG.warning("%s can't be read now, and will be tried again.", item.path)
            return "later"
        env = item.call.env | {"MEMKIT_SPOOLED": str(item.at_ns)}
        outcome = run_hook(self._house, item.call._replace(env=env), lambda _reply: True)
        if outcome == "refused":
            spool.set_aside(item.path)
        return outcome
