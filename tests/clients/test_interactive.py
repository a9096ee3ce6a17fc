"""What becomes of a turn that is broken off, and of words typed while the client is still busy."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.clients.agents import AGENTS, Agent
from tests.clients.household import until
from tests.clients.model_server import Answer
from tests.clients.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.clients.person import Person

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed"),
]

READY = {"claude": "❯", "codex": "›"}
BROKEN_OFF = {"claude": "Interrupted", "codex": "interrupted"}
SLOWLY = "I prefer migrations of the database that are described slowly and in full."
LATER = "and I want every migration to have a way back."
AFTERWARDS = "how do I name a migration of the database?"
LONG = Answer(" ".join(f"word{number}" for number in range(40)), pause_s=0.25)


@pytest.fixture(params=[agent for agent in AGENTS if agent.name in READY], ids=lambda agent: agent.name)
def agent(request: pytest.FixtureRequest) -> Agent:
    """Take the clients whose window is driven here."""
    taken: Agent = request.param
    if not taken.program:
        pytest.skip(f"{taken.name} is not installed: tests/clients/install.sh {taken.name}")
    return taken


@contextmanager
def window(person: Person) -> Iterator[Terminal]:
    """Open the client's window, the hooks installed and trusted."""
    person.model.script["slowly"] = LONG
    person.install()
    with Terminal(person.house, [person.agent.program], person.environment()) as opened:
        if person.agent.name == "codex":
            opened.wait_for("Trust all")
            opened.press("2")
            opened.press("Enter")
        opened.wait_for(READY[person.agent.name])
        yield opened


def test_a_turn_broken_off_with_escape_is_an_interrupted_card(person: Person) -> None:
    with window(person) as opened:
        opened.say(SLOWLY)
        opened.wait_for("word3")
        opened.press("Escape")
        opened.wait_for(BROKEN_OFF[person.agent.name])
        opened.say(AFTERWARDS)
        person.card(2)
    broken, after = person.house.cards()
    assert broken.front["status"] == "interrupted"
    assert person.house.exchange(broken).user == SLOWLY
    assert person.house.exchange(after) == (AFTERWARDS, person.model.answer)


def test_words_typed_while_the_client_is_busy_join_the_running_turn(person: Person) -> None:
    with window(person) as opened:
        opened.say(SLOWLY)
        opened.wait_for("word3")
        opened.say(LATER)
        opened.wait_for(person.model.answer)
        until(lambda: person.model.answer in person.house.exchange(person.card(1)).agent)
    (card,) = person.house.cards()
    assert person.house.exchange(card).user == f"{SLOWLY}\n\n{LATER}"
    if person.agent.name == "claude":  # Codex drops the answer it steers away from, and writes it nowhere
        assert LONG.text in person.house.exchange(card).agent
