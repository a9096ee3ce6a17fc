"""`memkit learn` and `memkit llm test`, with and without a model, as a person types them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.llm.conftest import KEY, configure
from tests.llm.fake_endpoint import Endpoint, Refusal, closed_url, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.cli.conftest import Ran

GOOD = json.dumps({"summary": "The gate listens on port 9090."})


@pytest.fixture
def endpoint(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("MODEL_KEY", KEY)
    with serving() as made:
        made.answer = lambda _: GOOD
        configure(home, provider="openai", base_url=made.url, model="fake", key_env="MODEL_KEY")
        yield made


def have_a_turn(call: Callable[..., Ran], said: str) -> str:
    card = call("frame", said).stdout.strip()
    path = call("complete", card, "--answer", "The gate listens on port 9090, since the proxy has 8080.").stdout.strip()
    file = Path(os.environ["MEMKIT_CACHE"]).parent / "vault" / path
    os.utime(file, (0, 0))  # saved long ago: nobody has it open in an editor
    return card


def test_without_a_model_rules_learn_and_the_test_says_what_to_do(call: Callable[..., Ran]) -> None:
    have_a_turn(call, "Always put reports in tables. Which port has the gate?")
    assert "1 turn waits to be learned from" in call("status").stdout
    done = call("learn")
    assert (done.returncode, done.stdout) == (0, "facts/Always put reports in tables.md\n")
    assert "by rules: 1 fact" in done.stderr
    assert "No turn waits" in call("learn").stderr
    tried = call("llm", "test")
    assert tried.returncode == 2
    assert "works by rules" in tried.stderr
    assert "llm.provider" in tried.stderr


def test_a_person_learns_by_hand_all_or_some_again_or_not(call: Callable[..., Ran], endpoint: Endpoint) -> None:
    first, second = have_a_turn(call, "Which port has the gate?"), have_a_turn(call, "And the port of the proxy?")
    done = call("learn", first)
    assert (done.returncode, len(endpoint.asked)) == (0, 1)
    assert f"{first} by fake" in done.stderr
    rows = json.loads(call("learn", "--json").stdout)
    assert [(row["card"], row["by"]) for row in rows] == [(second, "fake")]
    assert call("learn", "--all").returncode == 0
    assert len(endpoint.asked) == 4
    assert "nothing waits" in call("status").stdout
    assert call("learn", "--since", "2999-01-01").returncode == 0
    assert len(endpoint.asked) == 4
    wrong = call("learn", "--all", first)
    assert (wrong.returncode, "exclude each other" in wrong.stderr) == (2, True)
    assert call("learn", "--since", "someday").returncode == 2
    assert call("learn", "20990101-000000-none").returncode == 3


def test_a_model_that_is_away_says_so_and_the_turn_waits(call: Callable[..., Ran], home: Path) -> None:
    have_a_turn(call, "Which port has the gate?")
    configure(home, provider="openai", base_url=closed_url(), model="fake")
    done = call("learn")
    assert done.returncode == 8
    assert "can't be reached" in done.stderr
    assert "1 turn waits still." in done.stderr
    assert "1 turn waits to be learned from" in call("status").stdout


@pytest.mark.usefixtures("endpoint")
def test_the_test_says_in_sentences_what_works(call: Callable[..., Ran]) -> None:
    done = call("llm", "test")
    assert done.returncode == 0
    assert "was reached and answered" in done.stdout
    assert "Its JSON can be used." in done.stdout
    assert "tokens this month\t100" in done.stdout
    told = json.loads(call("llm", "test", "--json").stdout)
    assert (told["json"], told["tokens"], told["provider"]) == (True, 100, "openai")
    assert KEY not in done.stdout + json.dumps(told)


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        (Refusal(401), 7, "MODEL_KEY"), (Refusal(404), 3, "'fake'"), (Refusal(503), 8, "503"),
        ("Hello!", 10, "no JSON"), (b"<html>", 10, "no chat completion"),
    ],
    ids=["key", "model", "down", "prose", "html"],
)  # fmt: skip
def test_each_trouble_has_its_exit_code(
    call: Callable[..., Ran], endpoint: Endpoint, answer: str | bytes | Refusal, code: int, says: str
) -> None:
    endpoint.answer = lambda _: answer
    done = call("llm", "test")
    assert done.returncode == code
    assert says in done.stdout + done.stderr
    assert "sk-" not in done.stdout + done.stderr


def test_a_vault_that_travels_commands_no_program_and_no_key(call: Callable[..., Ran], vault: Path) -> None:
    file = vault / "memkit.toml"
    file.write_text(f"{file.read_text('utf-8')}\n[llm]\nprovider = 'command'\ncommand = 'touch /tmp/owned'\n", "utf-8")
    done = call("recall", "x")
    assert done.returncode == 9
    assert "'llm.command' can't stand in a vault" in done.stderr
    assert "config.toml" in done.stderr
    file.write_text(f"{file.read_text('utf-8').partition('[llm]')[0]}[llm]\nvault_prompts = true\n", "utf-8")
    assert "'llm.vault_prompts' can't stand in a vault" in call("status").stderr


def test_a_model_that_talks_nonsense_keeps_no_turn_that_is_learned_from_by_hand(
    call: Callable[..., Ran], endpoint: Endpoint
) -> None:
    endpoint.answer = lambda _: "I am a teapot."
    card = have_a_turn(call, "Which port has the gate?")
    done = call("learn", card)
    assert (done.returncode, len(endpoint.asked)) == (0, 3)
    assert f"{card} by rules" in done.stderr
    assert "No turn waits" in call("learn").stderr
