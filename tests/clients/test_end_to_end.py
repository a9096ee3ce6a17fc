"""What a person meets who installs the hooks in a real coding agent and works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.model.hits import FENCE_OPEN
from tests.clients.household import until

if TYPE_CHECKING:
    from tests.clients.person import Person

pytestmark = [pytest.mark.clients, pytest.mark.timeout(900)]

SAID = "I prefer concise code with clear names in code reviews, the quokka way."
ASKED = "what do I prefer in code reviews when it comes to concise code and clear names?"
EDITED = "Concise code and clear names in code reviews, but wombats are never names."
ASKED_AGAIN = "what did I say about wombats and names in code reviews?"
ASKED_ALONE = "what else do I prefer in code reviews about names?"


def test_a_memory_reaches_the_next_session_once_and_as_the_person_edited_it(person: Person) -> None:
    house, model = person.house, person.model
    before = person.settings()
    person.install()

    person.ask(SAID)
    card = person.card(1)
    assert house.exchange(card) == (SAID, model.answer)
    assert card.front["harness"] == person.agent.name
    assert card.front["project"] == house.project.name
    assert FENCE_OPEN not in person.sent(SAID)

    first_answer, model.answer = model.answer, "Mind the tests."
    person.ask(ASKED)
    assert person.sent(ASKED).count("quokka way") == 1
    second = person.card(2)
    assert house.exchange(second) == (ASKED, model.answer)
    assert second.front["topic"] != card.front["topic"]

    card.edit(EDITED)
    model.answer = "Mind the marsupials."
    person.ask(ASKED_AGAIN)
    sent = person.sent(ASKED_AGAIN)
    assert sent.count(EDITED) == 1
    assert card.summary not in sent
    assert first_answer not in sent
    person.card(3)
    assert house.cards()[0].summary == EDITED

    person.uninstall()
    assert person.settings() == before
    person.ask(ASKED_ALONE)
    assert FENCE_OPEN not in person.sent(ASKED_ALONE)
    assert len(house.cards()) == 3

    house.memkit("daemon", "stop")
    until(lambda: not house.processes())
