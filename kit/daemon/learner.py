"""Learning with a model when nobody waits: a few turns at a time, outside the owner, ever more rarely while it fails.

Law: the queue is the files, so whatever ends this process loses nothing. While the model fails, one card at a time
tries it again, those that failed least first; so none that always fails keeps the others waiting.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from kit import places
from kit.errors import BadNoteError, ConflictError, KitError, UnusableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kit.app import Kit

LOG = logging.getLogger("kit.daemon")

STEP_S, FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 5.0, 600.0
PROMPT_MS = "prompt-ms"
"""A file in the runtime folder by which hooks know how long a prompt may take while a model is asked about it."""
HOOK_SLACK_S = 0.3
"""What recall and rendering take beyond the model."""


class Learner:
    """The worker of one vault's model; `clock` tells the seconds by which it waits."""

    def __init__(
        self, kit: Kit, stopping: threading.Event, paused: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._kit, self._stopping, self._paused, self._clock = kit, stopping, paused, clock
        self._wait, self._due = 0.0, 0.0
        self._aside: dict[str, float] = {}
        """Cards in trouble of their own, each with the time from which it is tried again"""
        self._failed: dict[str, int] = {}
        """How often each waiting card has failed"""

    def run(self) -> None:
        """Learn until the daemon ends; nothing while no model is configured."""
        warm = None
        while not self._stopping.is_set():
            settings = self._kit.mind.settings
            if self._kit.mind.listens and settings != warm:
                warm = settings
                self._kit.mind.warm()
            if not self._stopping.wait(STEP_S) and self._kit.mind.is_there:
                self.step()

    def begin_anew(self) -> None:
        """Try at once what waited: the model is another, or is reached in another way."""
        self._wait = self._due = 0.0
        self._aside, self._failed = {}, {}

    def step(self) -> int:
        """Learn from what waits, unless the model is to be left alone; tell how many were learned from."""
        done = 0
        while not (self._stopping.is_set() or self._paused()) and self._clock() >= self._due:
            cards = self._next()
            if not cards:
                break
            done += sum(self._together(cards))
        return done

    def _next(self) -> list[str]:
        """Choose cards that may be tried, those that failed least and the oldest first; one while the model fails."""
        most = 1 if self._wait else max(1, self._kit.mind.settings.at_once)
        now = self._clock()
        self._aside = {card: due for card, due in self._aside.items() if due > now}
        with self._kit.learning.owner:
            waiting = self._kit.learning.waiting()
        self._failed = {card: self._failed[card] for card in waiting if card in self._failed}
        ready = [card for card in waiting if card not in self._aside]
        return sorted(ready, key=lambda card: self._failed.get(card, 0))[:most]

    def _together(self, cards: list[str]) -> list[bool]:
        """Learn from some cards at once, each in a thread of its own; wait for all."""
        done = [False] * len(cards)

        def learn(at: int) -> None:
            done[at] = self._learn(cards[at])

        threads = [threading.Thread(target=learn, args=(at,), daemon=True, name="learner") for at in range(len(cards))]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive() and not self._stopping.is_set():
                thread.join(0.2)
        return done

    def _learn(self, card: str) -> bool:
        try:
            learned = self._kit.learning.one(card)
        except (BadNoteError, ConflictError, UnusableError) as error:
            self._aside[card] = self._clock() + min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** self._fails(card))
            LOG.info("learning from %s waits: %s", card, error)
            return False
        except KitError as error:
            self._fails(card)
            self._back_off(getattr(error, "wait_s", 0.0))
            LOG.warning("learning waits %.0f s: %s", self._wait, error)
            self._kit.learning.tide_over()
            return False
        except Exception:
            self._fails(card)
            self._back_off(0.0)
            if not self._stopping.is_set():
                LOG.exception("learning from %s stumbled", card)
            return False
        self._wait = 0.0
        if learned:
            LOG.info("learned from %s by %s: %s facts", card, learned.by, len(learned.facts))
        return True

    def _fails(self, card: str) -> int:
        """Note down that a card failed; tell how often it had before."""
        before = self._failed.get(card, 0)
        self._failed[card] = before + 1
        return min(before, 10)

    def _back_off(self, asked_s: float) -> None:
        self._wait = min(LONGEST_WAIT_S, max(FIRST_WAIT_S, self._wait * 2, asked_s))
        self._due = self._clock() + self._wait


def tell_hooks(root: Path, kit: Kit) -> None:
    """Let hooks know how long a prompt may take, or that it takes no longer than ever."""
    file = places.runtime_folder(root) / PROMPT_MS
    with suppress(OSError):
        if kit.mind.listens:
            file.write_text(f"{round((kit.mind.settings.prompt_s + HOOK_SLACK_S) * 1000)}\n", encoding="ascii")
        else:
            file.unlink(missing_ok=True)
