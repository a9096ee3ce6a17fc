"""What this process keeps in memory, and how much that is."""

from __future__ import annotations

import gc
from contextlib import suppress
from importlib import import_module

_REST = ("kit.vault.redact.passes", "kit.digest.statements")
"""What the first answer need not wait for, and a later one should not: their patterns take a tenth of a second."""


def load_rest() -> None:
    """Load what is needed sooner or later."""
    for name in _REST:
        import_module(name)


def keep_loaded() -> None:
    """Have the collector pass over all there is now: it stays, and to look through it takes a tenth of a second."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def memory_mb() -> float:
    """Measure this process in megabytes; 0 where that can't be told."""
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a real file
        return round(int(file.read().split()[1]) * 4096 / 1e6, 1)
    return 0.0
