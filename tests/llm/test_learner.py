"""The daemon's worker, step by step: the clock is ours, the endpoint goes down and comes back, nothing is lost."""

from __future__ import annotations

import json
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kit.daemon.learner import LONGEST_WAIT_S, Learner
from kit.model.notes import Card
from tests.govern.pooled import save
from tests.llm.conftest import turn
from tests.llm.fake_endpoint import Asked, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.app import Kit
    from tests.llm.fake_endpoint import Endpoint


class Worker:
    """A learner whose clock stands still until it is moved."""

    def __init__(self, kit: Kit) -> None:
        self.kit, self.now, self.stopping = kit, 0.0, threading.Event()
        kit.learning.owner = threading.RLock()
        self.learner = Learner(kit, self.stopping, lambda: False, lambda: self.now)

    def pass_time(self, until: Callable[[], bool], most_s: float = 20_000) -> None:
        """Step once a second of its own time."""
        end = self.now + most_s
        while not until():
            assert self.now < end, "it did not happen in time"
            self.now += 1
            self.learner.step()


@pytest.fixture
def worker(minded: Kit) -> Worker:
    return Worker(minded)


def answer_each(asked: Asked) -> str:
    number = asked.section("user").split()[-1].rstrip("?")
    return json.dumps(
        {"summary": f"Turn {number} is summed up.", "facts": [f"The valve {number} opens at {number} bar."]}
    )


def cards(kit: Kit) -> list[Card]:
    files = sorted((kit.root / "cards").rglob("*.md"))
    found = [kit.load(file.relative_to(kit.root).as_posix()) for file in files]
    return [card for card in found if isinstance(card, Card)]


def test_an_endpoint_that_is_down_for_an_hour_costs_no_card_and_no_second_lesson(
    worker: Worker, endpoint: Endpoint
) -> None:
    kit = worker.kit
    asked = "Always name valves by number. Why does it stick at number"
    ids = [turn(kit, f"{asked} {number}?", "It is dry; oil it.", "zoil") for number in range(9)]
    endpoint.answer = lambda _: Refusal(503)
    worker.pass_time(lambda: worker.now >= 3600)
    assert kit.learning.queue() == ids
    assert {card.learn for card in cards(kit)} == {"pending"}
    assert 5 < len(endpoint.asked) < 20, "it is asked ever more rarely"
    assert "503" in str(kit.status()["model_error"])
    assert kit.status()["learning_waits"] == 9
    assert [(fact.says, fact.confidence) for fact in kit.facts()] == [("Always name valves by number.", 0.95)]
    endpoint.asked.clear()
    endpoint.answer = answer_each
    worker.pass_time(lambda: not kit.learning.queue(), LONGEST_WAIT_S + 2)
    assert len(endpoint.asked) == 9
    assert {card.learn for card in cards(kit)} == {""}
    assert sorted(card.body.strip() for card in cards(kit)) == [f"Turn {number} is summed up." for number in range(9)]
    told = Counter(entry["id"] for entry in kit.journal.entries() if entry["what"] == "learn")
    assert told == Counter(ids)
    assert len(kit.facts()) == 10
    assert (
        Counter(entry["note"] for entry in kit.journal.entries() if entry["what"] == "remember").most_common(1)[0][1]
        == 9
    )
    assert kit.status()["model_error"] == "none"


def test_an_endpoint_that_names_a_time_is_left_alone_so_long(worker: Worker, endpoint: Endpoint) -> None:
    turn(worker.kit, "Why does the valve stick at number 1?", "It is dry; oil it.")
    endpoint.answer = lambda _: Refusal(429, (("Retry-After", "120"),))
    worker.now = 1
    worker.learner.step()
    for worker.now in (60.0, 120.0):
        worker.learner.step()
    assert len(endpoint.asked) == 1
    endpoint.answer = answer_each
    worker.now = 122
    assert worker.learner.step() == 1


def test_no_more_turns_are_asked_about_at_once_than_the_person_allows(worker: Worker, endpoint: Endpoint) -> None:
    for number in range(6):
        turn(worker.kit, f"Why does the valve stick at number {number}?", "It is dry; oil it.")
    at_once, most, lock = [0], [0], threading.Lock()
    both = threading.Barrier(2)

    def answer(asked: Asked) -> str:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        both.wait(20)
        with lock:
            at_once[0] -= 1
        return answer_each(asked)

    endpoint.answer = answer
    assert worker.learner.step() == 6
    assert most == [2]


def test_questions_are_answered_while_the_model_thinks(worker: Worker, endpoint: Endpoint) -> None:
    kit = worker.kit
    turn(kit, "Why does the valve stick at number 1?", "It is dry; oil it.", "zvalve", "zoil")
    endpoint.answer = answer_each
    endpoint.hold.clear()
    thread = threading.Thread(target=worker.learner.step)
    thread.start()
    while not endpoint.asked:
        assert thread.is_alive()
    with kit.learning.owner:
        assert kit.recall("zvalve").hits
    endpoint.hold.set()
    thread.join(20)
    assert kit.learning.queue() == []


def test_a_card_in_trouble_of_its_own_keeps_no_other_back(worker: Worker, endpoint: Endpoint) -> None:
    kit = worker.kit
    first = turn(kit, "Why does the valve stick at number 1?", "It is dry; oil it.")
    second = turn(kit, "Why does the valve stick at number 2?", "It is dry; oil it.")
    file = kit.root / next(entry.path for entry in kit.index.catalog.with_id(first) if entry.kind == "card")
    save(file, file.read_bytes() + b"\nMine.\n", ago=0)
    endpoint.answer = answer_each
    worker.now = 1
    worker.learner.step()
    assert kit.learning.queue() == [first]
    save(file, file.read_bytes())
    worker.pass_time(lambda: not kit.learning.queue(), 60)
    assert [asked.section("user")[-2] for asked in endpoint.asked] == ["2", "1"]
    assert second
    assert file.read_bytes().endswith(b"\nMine.\n")


def test_an_end_while_the_model_thinks_leaves_the_card_for_the_next_start(worker: Worker, endpoint: Endpoint) -> None:
    kit = worker.kit
    card = turn(kit, "Why does the valve stick at number 1?", "It is dry; oil it.")
    endpoint.answer = answer_each
    endpoint.hold.clear()
    thread = threading.Thread(target=worker.learner.step)
    thread.start()
    while not endpoint.asked:
        assert thread.is_alive()
    worker.stopping.set()
    kit.learning.close()
    thread.join(20)
    assert not thread.is_alive()
    endpoint.hold.set()
    assert kit.learning.queue() == [card]


def test_a_card_that_can_not_be_read_keeps_no_other_waiting(worker: Worker, endpoint: Endpoint) -> None:
    kit = worker.kit
    kit.mind.settings = kit.mind.settings._replace(at_once=1)
    first, *others = [turn(kit, f"Why does the valve stick at number {number}?", "It is dry.") for number in range(4)]
    file = kit.root / next(entry.path for entry in kit.index.catalog.with_id(first) if entry.kind == "card")
    whole = file.read_bytes()
    save(file, whole.replace(b"kind: card", b"kind: [card"))
    kit.sync()
    endpoint.answer = answer_each
    worker.pass_time(lambda: kit.learning.queue() == [first], 60)
    assert len(endpoint.asked) == len(others)
    assert kit.status()["model_error"] == "none"
    save(file, whole)
    worker.pass_time(lambda: not kit.learning.queue(), LONGEST_WAIT_S + 60)


def test_a_turn_the_endpoint_does_not_take_keeps_no_other_waiting_and_is_left_to_the_rules(
    worker: Worker, endpoint: Endpoint
) -> None:
    kit = worker.kit
    kit.mind.settings = kit.mind.settings._replace(at_once=1)
    long, *others = [turn(kit, f"Why does the valve stick at number {number}?", "It is dry.") for number in range(4)]
    endpoint.answer = lambda asked: Refusal(400) if "number 0" in asked.section("user") else answer_each(asked)
    worker.pass_time(lambda: kit.learning.queue() == [long], 60)
    worker.pass_time(lambda: not kit.learning.queue(), 2 * LONGEST_WAIT_S)
    by = {entry["id"]: entry.get("by") for entry in kit.journal.entries() if entry["what"] == "learn"}
    assert by == {long: "rules", **dict.fromkeys(others, "fake")}
    assert kit.mind.budget.used() == 100 * len(others), "what was not taken was not counted"


def test_an_answer_that_can_not_be_taken_up_yet_is_not_paid_for_twice(worker: Worker, endpoint: Endpoint) -> None:
    kit = worker.kit
    card = turn(kit, "Why does the valve stick at number 1?", "It is dry; oil it.")
    file = kit.root / next(entry.path for entry in kit.index.catalog.with_id(card) if entry.kind == "card")

    def answer(asked: Asked) -> str:
        save(file, file.read_bytes() + b"\nMine.\n", ago=0)
        return answer_each(asked)

    endpoint.answer = answer
    worker.now = 1
    worker.learner.step()
    assert kit.learning.queue() == [card]
    save(file, file.read_bytes())
    worker.pass_time(lambda: not kit.learning.queue(), 60)
    assert len(endpoint.asked) == 1
    assert kit.journal is not None
    assert b"Turn 1 is summed up." in file.read_bytes()
