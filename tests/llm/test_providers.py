"""Ways to a model: what each failure is called, that no key is told to anybody, and what a program is run with."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from kit import hook
from kit.errors import BadInputError, KitError, NotFoundError, RefusedError, UnusableError
from kit.llm.command import Command
from kit.llm.endpoint import Endpoint
from kit.llm.port import ModelError, Prompt, RejectedError, Settings
from tests.daemon.conftest import alive, until
from tests.llm import fake_endpoint
from tests.llm.conftest import KEY
from tests.llm.fake_endpoint import Refusal

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = Prompt("Say yes.", "<<f user\nhello\nf user>>\n")


def settings(endpoint: fake_endpoint.Endpoint) -> Settings:
    return Settings("openai", endpoint.url, "fake", "MODEL_KEY")


def ask(endpoint: fake_endpoint.Endpoint, within_s: float = 20.0) -> str:
    way = Endpoint(settings(endpoint))
    try:
        return way.ask(PROMPT, within_s).text
    finally:
        way.close()


def test_a_question_goes_out_once_with_frame_and_data_apart(endpoint: fake_endpoint.Endpoint) -> None:
    endpoint.answer = lambda _: "yes"
    way = Endpoint(settings(endpoint))
    assert way.ask(PROMPT, 20) == ("yes", 100)
    way.close()
    asked = endpoint.asked[0]
    assert (asked.frame, asked.data, asked.key) == (PROMPT.frame, PROMPT.data, f"Bearer {KEY}")
    assert (asked.body["model"], asked.body["response_format"]) == ("fake", {"type": "json_object"})
    assert len(endpoint.asked) == 1


def test_an_endpoint_that_knows_no_json_wish_is_asked_without(endpoint: fake_endpoint.Endpoint) -> None:
    endpoint.answer = lambda asked: Refusal(400) if "response_format" in asked.body else "yes"
    way = Endpoint(settings(endpoint))
    assert (way.ask(PROMPT, 20).text, way.ask(PROMPT, 20).text) == ("yes", "yes")
    way.close()
    assert len(endpoint.asked) == 3, "it is remembered"


def test_a_question_that_is_not_taken_costs_no_other_its_wish_for_json(endpoint: fake_endpoint.Endpoint) -> None:
    endpoint.answer = lambda asked: Refusal(400) if "long" in asked.data else "yes"
    way = Endpoint(settings(endpoint))
    with pytest.raises(RejectedError, match="answered 400"):
        way.ask(Prompt("frame", "too long"), 20)
    assert way.ask(PROMPT, 20).text == "yes"
    way.close()
    assert "response_format" in endpoint.asked[-1].body


@pytest.mark.parametrize(
    ("answer", "kind", "code", "says"),
    [
        (Refusal(500), ModelError, 8, "answered 500"),
        (Refusal(429, (("Retry-After", "30"),)), ModelError, 8, "answered 429"),
        (Refusal(401), RefusedError, 7, "MODEL_KEY"),
        (Refusal(404), NotFoundError, 3, "knows no model 'fake'"),
        (Refusal(400), ModelError, 8, "answered 400"),
        (b"<html>hello</html>", UnusableError, 10, "no chat completion"),
        (b'{"choices": []}', UnusableError, 10, "no text"),
    ],
    ids=["500", "429", "401", "404", "400", "html", "empty"],
)
def test_each_failure_has_its_sentence_and_code_and_tells_no_key(
    endpoint: fake_endpoint.Endpoint, answer: fake_endpoint.Answer, kind: type[KitError], code: int, says: str
) -> None:
    endpoint.answer = lambda _: answer
    with pytest.raises(kind) as caught:
        ask(endpoint)
    assert caught.value.exit_code == code
    assert says in str(caught.value)
    assert "sk-" not in str(caught.value)
    assert caught.value.__cause__ is None
    if isinstance(caught.value, ModelError):
        assert caught.value.wait_s == (30.0 if "429" in says else 0.0)


def test_an_endpoint_that_is_slow_or_away_is_told_apart(endpoint: fake_endpoint.Endpoint) -> None:
    endpoint.hold.clear()
    with pytest.raises(ModelError, match="in time") as slow:
        ask(endpoint, 0.3)
    endpoint.hold.set()
    away = Endpoint(Settings("openai", fake_endpoint.closed_url(), "fake", "MODEL_KEY"))
    with pytest.raises(ModelError, match="can't be reached") as gone:
        away.ask(PROMPT, 20)
    away.close()
    assert (slow.value.sent, gone.value.sent) == (True, False)


def test_what_is_missing_is_named(endpoint: fake_endpoint.Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODEL_KEY")
    with pytest.raises(BadInputError, match="MODEL_KEY"):
        ask(endpoint)
    with pytest.raises(BadInputError, match=r"llm\.model"):
        Endpoint(Settings("openai", endpoint.url)).ask(PROMPT, 20)
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(BadInputError, match=r"memory-kit\[llm\]"):
        ask(endpoint)
    assert endpoint.asked == []


def test_the_key_of_openai_goes_to_no_other_endpoint(
    endpoint: fake_endpoint.Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint.answer = lambda _: "yes"
    way = Endpoint(Settings("openai", endpoint.url, "fake"))
    way.ask(PROMPT, 20)
    way.close()
    assert KEY not in endpoint.asked[0].key
    assert Settings("openai").key_name == "OPENAI_API_KEY"


def program(tmp_path: Path, source: str) -> Settings:
    file = tmp_path / "model.py"
    file.write_text(source, encoding="utf-8")
    return Settings("command", command=shlex.join([sys.executable, str(file)]))


def test_a_program_reads_the_prompt_and_its_own_hooks_do_nothing(tmp_path: Path) -> None:
    way = Command(
        program(
            tmp_path,
            "import json, os, sys\nsys.stderr.write('warming up')\n"
            "print(json.dumps([sys.stdin.read(), os.getcwd(), os.listdir(), "
            "{k: v for k, v in os.environ.items() if k.startswith('MEMKIT_')}]))",
        )
    )
    said, cwd, files, env = json.loads(way.ask(PROMPT, 60).text)
    assert said == f"{PROMPT.frame}\n\n{PROMPT.data}"
    assert (files, os.path.exists(cwd)) == ([], False)  # noqa: PTH110 - a text the program wrote
    command = [sys.executable, "-I", "-S", hook.__file__, "claude", "prompt"]
    payload = b'{"session_id": "s", "prompt": "why?"}'
    done = subprocess.run(
        command, input=payload, capture_output=True, check=True,
        env=os.environ | env | {"MEMKIT_VAULT": str(tmp_path), "MEMKIT_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (b"", b"")
    assert not (tmp_path / "cache").exists(), "nothing was spooled, nothing started"


@pytest.mark.parametrize(
    ("source", "kind", "says"),
    [
        ("import sys; sys.exit('sk-secret')", ModelError, "ended with 1"),
        ("", UnusableError, "wrote nothing"),
    ],
    ids=["fails", "is silent"],
)
def test_a_program_that_fails_is_told_without_its_words(
    tmp_path: Path, source: str, kind: type[KitError], says: str
) -> None:
    with pytest.raises(kind, match=says) as caught:
        Command(program(tmp_path, source)).ask(PROMPT, 60)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    line = f"sleep 600 & echo $! > {shlex.quote(str(mark))}; wait"
    with pytest.raises(ModelError, match="did not answer") as caught:
        Command(Settings("command", command=shlex.join(["sh", "-c", line]))).ask(PROMPT, 2)
    assert caught.value.sent
    until(lambda: not alive(int(mark.read_text())))


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInputError, match="no-such-model"):
        Command(Settings("command", command="no-such-model -p")).ask(PROMPT, 5)
    with pytest.raises(BadInputError, match=r"llm\.command"):
        Command(Settings("command"))
    with pytest.raises(BadInputError, match="can't be read"):
        Command(Settings("command", command="model 'unclosed"))


@pytest.mark.skipif(sys.platform == "win32", reason="a shell")
def test_what_a_program_leaves_running_keeps_nobody_waiting() -> None:
    line = "sleep 8 & echo hi"
    assert Command(Settings("command", command=shlex.join(["sh", "-c", line]))).ask(PROMPT, 60).text == "hi\n"
    if shutil.which("setsid"):
        line = "setsid sleep 8 & sleep 600"
        begun = time.monotonic()
        with pytest.raises(ModelError, match="did not answer"):
            Command(Settings("command", command=shlex.join(["sh", "-c", line]))).ask(PROMPT, 0.5)
        assert time.monotonic() - begun < 8, "it does not wait for those that went their own way"


def test_a_program_that_never_stops_writing_is_ended() -> None:
    line = f"{shlex.quote(sys.executable)} -c \"while True: print('y' * 10_000)\""
    with pytest.raises(ModelError, match="did not answer"):
        Command(Settings("command", command=line)).ask(PROMPT, 60)


@pytest.mark.parametrize("url", ["http://[::1/v1", "localhost:1/v1", "me:sekrit@localhost/v1", "ftp://me:sekrit@x/v1"])
def test_an_address_that_is_none_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(BadInputError, match=r"llm\.base_url") as caught:
        Endpoint(Settings("openai", url, "fake"))
    assert "sekrit" not in str(caught.value)
    assert "localhost:1/" not in caught.value.what


def test_a_key_that_was_set_in_place_of_its_variable_is_not_repeated(endpoint: fake_endpoint.Endpoint) -> None:
    with pytest.raises(BadInputError, match="never the key") as caught:
        Endpoint(Settings("openai", endpoint.url, "fake", "sk-live-0123456789abcdef")).ask(PROMPT, 20)
    assert "sk-live" not in str(caught.value)


def test_blanks_around_a_key_do_no_harm(endpoint: fake_endpoint.Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-0123\n")
    endpoint.answer = lambda _: "yes"
    ask(endpoint)
    assert endpoint.asked[0].key == "Bearer sk-0123"


def test_headers_that_come_drop_by_drop_are_late_as_well_and_cost_no_other_question(
    endpoint: fake_endpoint.Endpoint,
) -> None:
    endpoint.drips_head = True
    way = Endpoint(settings(endpoint))
    with pytest.raises(ModelError, match="did not answer in time") as told:
        way.ask(PROMPT, 0.5)
    assert told.value.sent
    endpoint.drips_head = False
    endpoint.answer = lambda _: "yes"
    assert way.ask(PROMPT, 20).text == "yes"
    way.close()


def test_an_answer_that_comes_drop_by_drop_is_late_all_the_same(endpoint: fake_endpoint.Endpoint) -> None:
    endpoint.drips = True
    with pytest.raises(ModelError, match="did not answer in time") as told:
        ask(endpoint, 0.5)
    assert told.value.sent
