"""Each test here has one client that is installed, in a home of its own, with a model that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.clients.agents import AGENTS, Agent
from tests.clients.household import Household
from tests.clients.model_server import ModelServer
from tests.clients.person import Person

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.name)
def agent(request: pytest.FixtureRequest) -> Agent:
    """Take the clients in turn; those that are not installed are skipped."""
    taken: Agent = request.param
    if not taken.program:
        pytest.skip(f"{taken.name} is not installed: tests/clients/install.sh {taken.name}")
    return taken


@pytest.fixture
def house() -> Iterator[Household]:
    """Make a home with a project and a vault; whatever runs there at the end is ended."""
    made = Household()
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """Serve a model."""
    with ModelServer("Understood: short code, and names that say what things are.") as served:
        yield served


@pytest.fixture
def person(agent: Agent, house: Household, model: ModelServer) -> Person:
    """Seat a person at the client, who has it set up and has not met the kit yet."""
    seated = Person(agent, house, model)
    seated.settle_in()
    return seated
