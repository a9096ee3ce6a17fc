"""A real coding agent that is told of the MCP server by the settings the kit prints, and whose model calls a tool."""

from __future__ import annotations

import json

import pytest

from kit.vault import note
from tests.clients.agents import AGENTS
from tests.clients.household import Household, until
from tests.clients.model_server import Answer, ModelServer
from tests.clients.model_wire import Call
from tests.clients.person import Person

pytestmark = [pytest.mark.clients, pytest.mark.timeout(900)]

SAID = "remember: quokka reports go in tables"
REMEMBER = "mcp__memkit__memory_remember"


def test_claude_code_tells_its_model_of_the_memory_and_does_what_it_calls_for(house: Household) -> None:
    agent = next(agent for agent in AGENTS if agent.name == "claude")
    if not agent.program:
        pytest.skip("claude is not installed: tests/clients/install.sh claude")
    call = Call(REMEMBER, {"text": "Quokka reports go in tables", "category": "preference"})
    with ModelServer("It is noted.", {SAID: Answer("", call=call)}) as model:
        person = Person(agent, house, model)
        person.settle_in()
        settings = house.root / "mcp.json"
        printed = house.memkit("--vault", str(house.vault), "mcp", "--print-config", "claude")
        settings.write_text(printed.out, encoding="utf-8")
        ran = house.run(
            [agent.program, *agent.words(SAID), "--mcp-config", str(settings), "--allowedTools", REMEMBER],
            {**person.environment(), "ENABLE_TOOL_SEARCH": "false"},  # else it names its tools only when asked
        )
        assert ran.code == 0, ran
        assert model.answer in ran.out, ran
        first, last = (asked for asked in model.asked if asked.main)
        assert {tool["name"].removeprefix("mcp__memkit__") for tool in first.body["tools"]} >= {
            "memory_recall", "memory_remember", "memory_commit", "process_message", "save_memory",
        }  # fmt: skip
        assert "Memory: rules of use" in first.text
        assert "go on without it" in first.text  # their end, too: a client may cut what is long
        assert "facts/Quokka reports go in tables" in last.text
    file = house.vault / "facts/Quokka reports go in tables.md"
    assert note.read(file.read_bytes(), file.name).front["category"] == "preference"
    house.memkit("daemon", "stop")
    until(lambda: not house.processes())


@pytest.mark.parametrize("name", ["dsh", "gemini", "opencode", "copilot"])
def test_others_offer_the_tools_to_their_model_once_the_printed_settings_are_in_place(
    name: str, house: Household
) -> None:
    agent = next(agent for agent in AGENTS if agent.name == name)
    if not agent.program:
        pytest.skip(f"{name} is not installed: tests/clients/install.sh {name}")
    with ModelServer("It is noted.") as model:
        person = Person(agent, house, model)
        person.settle_in()
        printed = house.memkit("--vault", str(house.vault), "mcp", "--print-config", name)
        file = house.home / printed.err.split("~/")[-1].strip()
        if file.suffix == ".yml":
            file.write_text(printed.out, encoding="utf-8")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            held = json.loads(file.read_text("utf-8")) if file.exists() else {}
            file.write_text(json.dumps(held | json.loads(printed.out)), encoding="utf-8")
        more = ["--yolo"] if name == "gemini" else []  # nobody is there to allow it a tool
        ran = house.run([agent.program, *more, *agent.words(SAID)], person.environment())
        assert ran.code == 0, ran
        offered = json.dumps([asked.body["tools"] for asked in model.asked if asked.main])
        assert "memory_recall" in offered
        assert "save_memory" in offered
    house.memkit("daemon", "stop")
    until(lambda: not house.processes())
