"""A person at one client: sets it up, installs the kit's hooks, asks, and looks at what the model was sent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.clients.household import Household, Ran, Remembered, until

if TYPE_CHECKING:
    from tests.clients.agents import Agent
    from tests.clients.model_server import ModelServer


class Person(NamedTuple):
    """One person at one client, with one model behind it."""

    agent: Agent
    house: Household
    model: ModelServer

    def environment(self) -> dict[str, str]:
        """Make what the client and the kit run with: both find the client's program."""
        found = Path(self.agent.program).parent
        path = f"{self.agent.path}{os.pathsep}{found}"
        return {"PATH": path, **self.agent.environment(self.house, self.model.url)}

    def settle_in(self) -> None:
        """Write the client's own settings."""
        self.agent.prepare(self.house, self.model.url)

    def install(self) -> None:
        """Install the kit's hooks."""
        self._hooks("install")

    def uninstall(self) -> None:
        """Remove the kit's hooks."""
        self._hooks("uninstall")

    def _hooks(self, act: str) -> None:
        ran = self.house.memkit("hooks", act, self.agent.name, more=self.environment())
        assert ran.code == 0, ran
        self.agent.by_hand(self, ran.out + ran.err)

    def settings(self) -> dict[str, bytes]:
        """Read every file of the client's configuration that the kit may touch."""
        found: dict[str, bytes] = {}
        for name in self.agent.configuration:
            place = self.house.home / name
            files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
            found |= {str(file.relative_to(self.house.home)): file.read_bytes() for file in files}
        return found

    def ask(self, prompt: str) -> Ran:
        """Ask one prompt in a new session."""
        ran = self.house.run([self.agent.program, *self.agent.words(prompt)], self.environment())
        assert ran.code == 0, ran
        assert self.model.answer in ran.out, ran
        return ran

    def sent(self, prompt: str) -> str:
        """Take the text of the request to the model that carries a prompt which was asked in one session only."""
        turns = [asked for asked in self.model.asked if asked.main and prompt in asked.text]
        assert turns, [asked.newest[-300:] for asked in self.model.asked]
        return turns[0].text

    def card(self, number: int) -> Remembered:
        """Wait until so many cards are there and the last of them is finished and learned from; return it."""
        try:
            until(lambda: len(self.house.cards()) == number and _finished(self.house.cards()[-1]))
        except AssertionError as error:
            raise AssertionError(f"card {number} is not finished:\n{self.house.tell()}") from error
        return self.house.cards()[-1]


def _finished(card: Remembered) -> bool:
    return card.front["status"] == "completed" and "learn" not in card.front
