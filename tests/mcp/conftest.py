"""A real client of the SDK, talking to the real server in a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from kit.asker import Asker
from kit.mcp.server import make

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

REPOSITORY = Path(__file__).parents[2]
ENOUGH_S = 90.0
T = TypeVar("T")


class Desk:
    """A vault, and clients that are set up to serve it."""

    def __init__(self, vault: Path, folder: Path) -> None:
        self.vault, self.folder = vault, folder

    def talk(self, scene: Callable[[Client], Awaitable[T]]) -> T:
        """Play a scene with a server in this process."""
        return play(make(Asker(self.vault), project="harbor", session="one of its own"), scene)

    def start(self, scene: Callable[[Client], Awaitable[T]], command: Sequence[str] = (), *, named: bool = True) -> T:
        """Start a server in a process of its own and play a scene with it over stdio."""
        ours = [sys.executable, "-m", "kit", *(["--vault", str(self.vault)] if named else []), "mcp"]
        program, *words = command or ours
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONUTF8": "1"}
        server = StdioServerParameters(command=program, args=words, env=environment, cwd=str(self.folder))
        return play(server, scene)


def play(server: Any, scene: Callable[[Client], Awaitable[T]]) -> T:  # noqa: ANN401 - whatever the client takes
    """Connect to a server, play a scene, and hang up."""

    async def run() -> T:
        with anyio.fail_after(ENOUGH_S):
            async with Client(server) as client:
                return await scene(client)

    return anyio.run(run)


async def call(client: Client, name: str, **arguments: object) -> dict[str, Any]:
    """Call a tool that is to succeed; return its structured answer."""
    done = await client.call_tool(name, arguments)
    assert not done.is_error, done.content
    found: dict[str, Any] = done.structured_content
    return found


async def refusal(client: Client, name: str, **arguments: object) -> str:
    """Call a tool that is to fail; return what it says."""
    done = await client.call_tool(name, arguments)
    assert done.is_error, done.structured_content
    return "\n".join(part.text for part in done.content if part.type == "text")


@pytest.fixture
def desk(vault: Path, home: Path) -> Desk:
    """Seat a client in an empty folder."""
    folder = home / "harbor"
    folder.mkdir()
    return Desk(vault, folder)
