"""A prompt with a model's help: asked only if the person wants it, within the hook's time, rules standing by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kit.app import Kit
from kit.llm.intent import Intent
from kit.model.perception import Perception
from kit.perceive import model
from kit.sessions import Sessions
from tests.govern.pooled import card, tag
from tests.llm.conftest import configure
from tests.llm.fake_endpoint import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.llm.fake_endpoint import Endpoint

ASKED = "what was it with the thing at the front that gave up on us?"
PATIENT = {"MEMKIT_HOOK_DEADLINE_MS": "20000"}
SAYS = json.dumps({
    "route": "medium", "scene": "work", "scene_sub": "debugging", "emotion": "anxious", "useful": True,
    "tags": [{"name": "front server", "synonyms": ["zproxy"]}, {"name": "unheard of"}],
})  # fmt: skip


@pytest.fixture
def asking(home: Path, vault: Path, endpoint: Endpoint) -> Iterator[Kit]:
    configure(
        home, provider="openai", base_url=endpoint.url, model="fake", key_env="MODEL_KEY", at_prompt=True, prompt_s=10.0
    )
    tag(vault, "zproxy")
    card(vault, "about-proxy", "zproxy", says="The front server waits 75 seconds.")
    with Kit(vault) as kit:
        kit.mind.warm()
        yield kit


def prompt(kit: Kit, said: str = ASKED, env: dict[str, str] | None = None) -> tuple[Sessions, bytes]:
    payload = json.dumps({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": said}).encode()
    sessions = Sessions(kit)
    sessions.listen("claude", "prompt", payload, PATIENT if env is None else env)
    reply = sessions.handle("claude", "prompt", payload, {})
    reply.after()
    return sessions, reply.out


def test_a_model_finds_what_the_words_of_a_prompt_do_not_name(asking: Kit, endpoint: Endpoint) -> None:
    endpoint.answer = lambda _: SAYS
    _, out = prompt(asking)
    assert b"The front server waits 75 seconds." in out
    found = asking.recall(ASKED)
    assert (found.route, found.missing, found.perception.scene_sub) == ("medium", (), "debugging")
    assert "route medium: a model said so" in found.perception.reasons
    framed = next(entry for entry in asking.journal.entries(newest_first=True) if entry["what"] == "frame")
    front = (asking.root / str(framed["note"])).read_text("utf-8")
    assert "emotion: anxious" in front
    assert "front server" not in front, "an inferred word never becomes a tag of the card"
    assert len(endpoint.asked) == 1


def test_by_default_a_model_is_not_asked_about_prompts(home: Path, vault: Path, endpoint: Endpoint) -> None:
    configure(home, provider="openai", base_url=endpoint.url, model="fake", key_env="MODEL_KEY")
    with Kit(vault) as kit:
        prompt(kit)
    assert endpoint.asked == []


def test_chit_chat_and_what_waited_on_disk_ask_nobody(asking: Kit, endpoint: Endpoint) -> None:
    prompt(asking, "thanks, that's great!")
    prompt(asking, env={**PATIENT, "MEMKIT_SPOOLED": "1790000000000000000"})
    assert endpoint.asked == []


@pytest.mark.parametrize("answer", [Refusal(500), "nonsense", '{"route": "de'], ids=["500", "nonsense", "half"])
def test_rules_answer_where_the_model_does_not(asking: Kit, endpoint: Endpoint, answer: str | Refusal) -> None:
    endpoint.answer = lambda _: answer
    _, out = prompt(asking, "how long does the zproxy wait?")
    assert b"The front server waits 75 seconds." in out


def test_a_model_that_is_slower_than_the_hook_allows_is_not_waited_for(asking: Kit, endpoint: Endpoint) -> None:
    asking.mind.warm()
    endpoint.hold.clear()
    _, out = prompt(asking, "how long does the zproxy wait?", env={})
    assert b"The front server waits 75 seconds." in out
    assert asking.mind.heard("how long does the zproxy wait?") is None
    endpoint.hold.set()


def test_secrets_in_a_prompt_are_not_sent(asking: Kit, endpoint: Endpoint) -> None:
    endpoint.answer = lambda _: SAYS
    prompt(asking, f"{ASKED} my key is ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    assert "ghp_" not in endpoint.asked[0].data
    assert asking.perceive(f"{ASKED} my key is ghp_abcdefghijklmnopqrstuvwxyz0123456789").route == "medium"


def test_only_known_scenes_count_and_an_empty_word_overrules_nothing() -> None:
    rules = Perception(
        scene="work", route="deep", emotion="happy", reasons=("route deep: the words", "emotion happy: :)")
    )
    said = Intent.model_construct(scene="moon", route="shallow", useful=False)
    found = model.joined(rules, said, ("work", "life"))
    assert (found.scene, found.route, found.emotion, found.useful) == ("work", "shallow", "happy", False)
    assert found.reasons == ("emotion happy: :)", "route shallow: a model said so", "useful False: a model said so")
    assert model.joined(rules, None) == rules
