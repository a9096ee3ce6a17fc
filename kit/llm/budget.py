"""How many tokens were used this month, over all vaults of a person.

Law: what a request may cost is written down before it is sent, so that neither a crash nor a second program spends
past the cap unseen; what it did cost corrects that. The count lies beside the settings, never in a vault.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from kit import places
from kit.errors import RefusedError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path


class SpentError(RefusedError):
    """The month's cap is reached."""


class Budget:
    """The tokens of the current month; `most` is 0 for no cap."""

    def __init__(self, most: int, clock: Callable[[], datetime]) -> None:
        self.most = most
        self._clock = clock

    def used(self) -> int:
        """Count the tokens of this month."""
        return _sum(self._file())

    def is_spent(self) -> bool:
        """Tell whether the cap is reached."""
        return bool(self.most) and self.used() >= self.most

    def reserve(self, tokens: int) -> None:
        """Write down what a request may cost; raise SpentError when that would pass the cap."""
        if self.most and (used := self.used()) + tokens > self.most:
            raise SpentError(
                f"The cap of {self.most} tokens a month would be passed ({used} are used).",
                "Raise llm.monthly_tokens, or wait for the next month; until then rules do it.",
            )
        self.add(tokens)

    def add(self, tokens: int) -> None:
        """Add to the count, or take back with a negative number; durable."""
        file = self._file()
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=places.PRIVATE)
            line = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(line, b"%d\n" % tokens)
                os.fsync(line)
            finally:
                os.close(line)
        except OSError as error:
            if self.most:
                raise UnavailableError(
                    f"The tokens can't be counted in {file} ({error.strerror}), so none are used.", "Look at that file."
                ) from None

    def _file(self) -> Path:
        return places.config_base() / "tokens" / f"{self._clock():%Y-%m}.txt"


def _sum(file: Path) -> int:
    total = 0
    with suppress(OSError):
        for line in file.read_bytes().splitlines():
            with suppress(ValueError):  # a line that a power cut tore
                total += int(line)
    return max(0, total)
