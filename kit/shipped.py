"""Where the files lie that ship with the kit: word lists, skeletons, the example vault, hooks.

Law: the same call works from a checkout and from an installed wheel.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Find a shipped top-level folder: `templates`, `vault-example` or `hooks`."""
    installed = _HERE / "_shipped" / name
    return installed if installed.is_dir() else _HERE.parent / name


@cache
def word_list(name: str) -> tuple[str, ...]:
    """Read `templates/words/<name>.txt`: one entry a line, `#` starts a comment line."""
    lines = (folder("templates") / "words" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
