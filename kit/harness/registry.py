"""The harnesses we know, by the name the command line uses.

Law: adding a harness is one adapter file and one word here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kit.errors import BadInputError
from kit.harness import claude, codex, copilot, cursor, dsh, gemini, generic, openclaw, opencode, pi, qwen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kit.harness.event import HookEvent, Limit


class Adapter(Protocol):
    """One client: how its payloads are read and its replies are written."""

    @property
    def EVENTS(self) -> Mapping[str, str]:  # noqa: N802 - a constant of the adapter's module
        """The short names of events this client has, each with the client's own name."""

    @property
    def LIMIT(self) -> Limit:  # noqa: N802 - a constant of the adapter's module
        """What the client takes whole."""

    def read(self, event: str, payload: Mapping[str, object], env: Mapping[str, str]) -> HookEvent:
        """Read one payload; never raises."""

    def render(self, event: str, context: str) -> bytes:
        """Render the reply; empty for events that carry no context."""


ADAPTERS: Mapping[str, Adapter] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "copilot": copilot,
    "opencode": opencode,
    "pi": pi,
    "openclaw": openclaw,
    "dsh": dsh,
    "cursor": cursor,
    "generic": generic,
}


def adapter(name: str) -> Adapter:
    """Find an adapter by name; raises BadInputError."""
    found = ADAPTERS.get(name)
    if found is None:
        raise BadInputError(f"No harness is called {name!r}.", f"Known are: {', '.join(ADAPTERS)}.")
    return found
