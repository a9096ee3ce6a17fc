"""Learning with a model in the real daemon: hooks in front, the endpoint behind, kill -9 in between."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kit.daemon.learner import PROMPT_MS
from tests.daemon.conftest import Home, until
from tests.daemon.house import House, living
from tests.llm.conftest import KEY, configure
from tests.llm.fake_endpoint import Asked, Endpoint, Refusal, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="daemons are ended by signals here")
GOOD = json.dumps({"summary": "The zvalve is oiled once a month.", "tags": ["zvalve", "oil can"]})


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as made:
        made.answer = lambda _: GOOD
        yield made


@pytest.fixture
def house(home: Home, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("MODEL_KEY", KEY)
    monkeypatch.setenv("MEMKIT_CONFIG", str(home.root.parent / "config"))
    settings = {"provider": "openai", "base_url": endpoint.url, "model": "fake", "key_env": "MODEL_KEY"}
    configure(home.root.parent, **settings)
    with living(home.root) as made:
        yield made


def have_a_turn(house: House, number: int = 1) -> None:
    house.prompt(f"Why does the zvalve of pump {number} stick in the morning?", f"t{number}")
    house.answer(f"The zvalve of pump {number} is dry, since nobody oils it; oil it once a month.", f"t{number}")


def lessons(house: House) -> Counter[object]:
    lines = [
        json.loads(line)
        for file in (house.root / "journal").glob("*.jsonl")
        for line in file.read_text("utf-8").splitlines()
    ]
    return Counter(line["id"] for line in lines if line["what"] == "learn" and line["who"] == "learn")


def test_a_daemon_that_is_killed_while_the_model_thinks_learns_at_its_next_start_once(
    house: House, endpoint: Endpoint
) -> None:
    endpoint.hold.clear()
    for number in (1, 2, 3):
        have_a_turn(house, number)
    until(lambda: len(endpoint.asked) == 2, 60)
    assert house.found("zvalve of pump"), "questions are answered meanwhile"
    house.kill()
    endpoint.hold.set()
    assert len(house.cards()) == 3
    assert all("learn: pending" in card for card in house.cards())
    until(lambda: house.ask("status")["learning_waits"] == 0, 60)
    assert all("The zvalve is oiled once a month." in card for card in house.cards())
    assert not any("learn" in card for card in house.cards())
    assert sorted(lessons(house).values()) == [1, 1, 1]
    assert house.troubles() == []
    everything = b"".join(file.read_bytes() for file in house.root.parent.rglob("*") if file.is_file())
    assert KEY.encode() not in everything


def test_a_daemon_is_stopped_at_once_though_the_model_still_thinks(house: House, endpoint: Endpoint) -> None:
    endpoint.hold.clear()
    have_a_turn(house)
    until(lambda: endpoint.asked, 60)
    house.stop()
    until(lambda: not house.pid())
    assert "learn: pending" in house.cards()[0]
    endpoint.hold.set()


def test_status_tells_the_queue_and_the_models_last_error(house: House, endpoint: Endpoint) -> None:
    endpoint.answer = lambda _: Refusal(401)
    have_a_turn(house)
    until(lambda: "401" in str(house.ask("status")["model_error"]), 60)
    told = house.ask("status")
    assert (told["learning_waits"], told["model"]) == (1, "fake")
    endpoint.answer = lambda _: GOOD
    assert house.ask("learning.one", card=house.ask("learning.queue")[0])["by"] == "fake"
    assert house.ask("status")["model_error"] == "none"


def test_a_hook_waits_for_the_model_only_where_the_person_wants_it(
    house: House, endpoint: Endpoint, home: Home
) -> None:
    have_a_turn(house)
    until(lambda: lessons(house), 60)
    assert not (house.runtime / PROMPT_MS).exists()
    house.stop()
    until(lambda: not house.pid())
    file = home.root.parent / "config" / "config.toml"
    file.write_text(f"{file.read_text('utf-8')}at_prompt = true\nprompt_s = 8\n", encoding="utf-8")
    assert house.ask("learning.test")["json"], "what a question needs is loaded"
    assert (house.runtime / PROMPT_MS).read_text("ascii") == "8300\n"
    intent = json.dumps({"route": "shallow", "useful": True, "tags": [{"name": "oil can"}]})

    def answer(asked: Asked) -> str:
        return intent if asked.section("prompt") else GOOD

    endpoint.answer = answer
    payload = {"session_id": "s2", "prompt_id": "t2", "hook_event_name": "UserPromptSubmit",
               "prompt": "what was it that had to be done each month?"}  # fmt: skip
    out = house.hook("prompt", payload, {"MEMKIT_HOOK_DEADLINE_MS": ""})
    assert "oiled once a month" in out.stdout.decode()
    assert [asked.section("prompt") for asked in endpoint.asked if asked.section("prompt")] == [
        "what was it that had to be done each month?"
    ]
