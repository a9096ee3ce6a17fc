"""What is still to be done about events whose hooks have their reply, in its order.

Law: what fails stays first in line and on the disk, and is tried again before anything new is done; an answer that was
on the disk before is left to be dealt with from there. What waits in vain costs no prompt its recall.
"""

from __future__ import annotations

import sqlite3
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kit.errors import KitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.harness.event import HookEvent


class Held(Protocol):
    """A prompt or an answer that is on the disk as it came."""

    def done(self) -> None:
        """Forget it: it was dealt with."""

    def let_go(self) -> None:
        """Leave it to be dealt with again later."""


@dataclass(eq=False, slots=True)
class Owed:
    """What is still to be done about an event whose hook has its reply."""

    event: HookEvent
    project: str
    held: Held | None = None
    hold: Callable[[], Held] | None = None
    """Writes it down once it can't be done; None for what is let go then, since it is on the disk already"""


class Debts:
    """What is owed of one vault; `act` is how it is done."""

    def __init__(self, act: Callable[[HookEvent, str], None]) -> None:
        self._act = act
        self._owed: list[Owed] = []
        self._stuck: Owed | None = None
        """What failed and waits for the next hook: no question waits, too, for what may hold it up"""

    def add(self, owed: Owed) -> None:
        """Owe something more."""
        self._owed.append(owed)

    def pay_up_to(self, owed: Owed) -> None:
        """Do what is owed until this is done, if it is not yet."""
        while any(one is owed for one in self._owed):
            self._do_first()

    def pay(self) -> None:
        """Do what waits or failed after an earlier reply, in its order, before anything new."""
        while self._owed:
            first = self._owed[0]
            with suppress(Exception) if first.held and not first.hold else nullcontext():
                self._do_first()  # what was held is let go by now: whoever tries it again tells what is wrong

    def settle(self) -> None:
        """Do what is owed and has not failed, so that whoever asks next finds every card as it was told."""
        while self._owed and self._owed[0] is not self._stuck:
            self._do_first()

    def _do_first(self) -> None:
        owed = self._owed.pop(0)
        try:
            self._act(owed.event, owed.project)
        except BaseException as error:
            if owed.held and not owed.hold:
                owed.held.let_go()
            elif isinstance(error, (KitError, OSError, sqlite3.Error)):  # an index that breaks is made anew
                self._stuck = owed
                self._owed.insert(0, owed)  # the hook has its reply; the next one pays
                self._write_down()
            elif owed.held:
                owed.held.let_go()
            raise
        if owed.held:
            owed.held.done()

    def _write_down(self) -> None:
        """Have on the disk what waits, so that it outlives this process; a full disk leaves it in memory alone."""
        with suppress(OSError):
            for owed in self._owed:
                if owed.hold and not owed.held:
                    owed.held = owed.hold()
