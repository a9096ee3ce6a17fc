"""What `config.toml` of Codex says of hooks: which the person has trusted, and whether there are more of them.

Law: pure, and read only: writing a trust ourselves would pass the person's review by.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from kit.installing import document, merging

if TYPE_CHECKING:
    from pathlib import Path

REVIEW = "Open `codex` and choose `Review` or `Trust all`."
STATE = "state"


def remarks(raw: bytes | None, config: Path) -> tuple[str, ...]:
    """Say what a person should know of hooks in both places."""
    hooks = _hooks(raw)
    if hooks is None:
        return (f"{config} can't be read; whether the hooks are trusted is not known.",)
    both = set(hooks) - {STATE}
    return (f"{config} has hooks as well; Codex warns of two places, and runs both.",) if both else ()


def untrusted(raw: bytes | None, text: str, file: Path) -> list[str]:
    """List the events of ours that are not trusted; Codex knows a hook by its file, event and position."""
    hooks = _hooks(raw)
    if hooks is None:
        return []
    held = hooks.get(STATE)
    known = held if isinstance(held, dict) else {}
    ours = merging.ours(text, "codex", file)
    return [event for event, group, number, _ in ours if f"{file}:{_snake(event)}:{group}:{number}" not in known]


def moves_others(text: str, file: Path) -> bool:
    """Tell whether taking ours out moves groups behind them to another position, which un-trusts those."""
    behind = {event: group for event, group, _, _ in merging.ours(text, "codex", file)}
    held = document.member(text, document.root(text), merging.HOOKS, file)
    events = document.parts(text, held.value) if held else []
    return any(len(document.parts(text, it.value)) > behind[it.key] + 1 for it in events if it.key in behind)


def _hooks(raw: bytes | None) -> dict[str, object] | None:
    try:
        found = tomllib.loads((raw or b"").decode("utf-8")).get("hooks")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    return found if isinstance(found, dict) else {}


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
