"""The MCP server, asked by the SDK's own client, mostly over stdio: tools, resources, errors, instructions."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING, Any

import anyio
import pytest
import yaml
from mcp import MCPError

from kit.app import Kit
from kit.cli.mcp_cli import mcp as mcp_command
from kit.mcp.snippets import CLIENTS
from kit.mcp.words import instructions
from kit.model.hits import FENCE_CLOSE, FENCE_OPEN
from kit.model.notes import Card
from tests.mcp.conftest import REPOSITORY, call, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client

    from tests.mcp.conftest import Desk

ASKED = "Why do report exports through nginx end in a 504?"
ANSWER = "Set proxy_read_timeout of nginx to 75 seconds, because the export takes 71 seconds."
TOOLS = {
    "memory_recall", "memory_remember", "memory_commit", "memory_stats", "memory_feedback", "memory_forget",
    "memory_explain", "process_message", "save_memory",
}  # fmt: skip


async def live_through(client: Client, asked: str = ASKED, answer: str = ANSWER, session: str = "s1") -> str:
    """Have a turn, as an agent without hooks does; return its card."""
    taken = await call(client, "process_message", input=asked, sessionId=session)
    await call(client, "save_memory", userInput=asked, agentResponse=answer, cardId=taken["frameId"])
    return str(taken["frameId"])


def test_a_client_is_told_the_rules_of_use_and_what_each_tool_does_to_the_memory(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        assert client.server_info
        assert client.server_info.name == "memkit"
        assert client.instructions == instructions()
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        for tool in tools.values():
            assert tool.description
            assert tool.output_schema
            assert tool.annotations
            assert tool.annotations.destructive_hint is not True
            assert tool.annotations.open_world_hint is False
        readers = {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint}
        assert readers == {"memory_recall", "memory_stats", "memory_explain"}
        assert tools["save_memory"].input_schema["required"] == ["userInput", "agentResponse", "cardId"]
        assert tools["process_message"].input_schema["required"] == ["input"]

    desk.talk(scene)


def test_the_instructions_are_the_rules_that_are_laid_with_tools_in_place_of_commands() -> None:
    said, laid = instructions(), (REPOSITORY / "hooks/rules/memkit.md").read_text("utf-8")
    assert "memkit " not in said
    assert "<!--" not in said
    for name in ("memory_recall", "memory_remember", "memory_commit", "memory_forget"):
        assert f"`{name}`" in said
    headings = [line.split("**")[1] for line in laid.splitlines() if line.startswith("- **")]
    assert len(headings) == 5
    assert all(f"- **{heading}**" in said for heading in headings)


def test_a_turn_of_one_session_is_the_memory_of_the_next(desk: Desk) -> None:
    async def first(client: Client) -> dict[str, Any]:
        taken = await call(client, "process_message", input=ASKED, sessionId="s1")
        pending = next((desk.vault / "cards").rglob(f"{taken['frameId']}*.md")).read_text("utf-8")
        assert "status: pending" in pending
        saved = await call(
            client, "save_memory", userInput=ASKED, agentResponse=ANSWER, cardId=taken["frameId"], status="completed"
        )
        assert saved["success"] is True
        again = await call(client, "save_memory", userInput=ASKED, agentResponse=ANSWER, cardId=taken["frameId"])
        assert "before" in again["message"]
        return taken

    async def next_(client: Client) -> dict[str, Any]:
        return await call(client, "process_message", input="what was the nginx timeout for report exports?")

    taken = desk.start(first)
    assert set(taken) == {
        "enrichedInput", "intent", "hasMemory", "memory", "missingTags", "malformedTags", "frameId",
    }  # fmt: skip
    assert (taken["hasMemory"], taken["memory"], taken["enrichedInput"]) == (False, None, ASKED)
    found = desk.talk(next_)
    assert found["hasMemory"] is True
    assert "75 seconds" in found["memory"]["summary"]
    assert 0 < found["memory"]["confidence"] <= 1
    assert found["memory"]["tags"]
    assert FENCE_OPEN in found["enrichedInput"]
    assert found["enrichedInput"].endswith(FENCE_CLOSE)
    with Kit(desk.vault) as kit:
        kit.sync()
        cards = [kit.load(entry.path) for entry in kit.index.catalog.of_kind("card")]
        held = {card.topic: card for card in cards if isinstance(card, Card)}
        assert (held["s1"].harness, held["s1"].project, held["s1"].status) == ("mcp", "harbor", "completed")
        assert set(held) == {"s1", "one of its own"}
        assert {entry["who"] for entry in kit.journal.entries()} == {"hook", "learn", "recall"}
        assert [entry["ids"] for entry in kit.journal.entries() if entry["what"] == "recall"] == [[held["s1"].id]]


def test_thanks_recall_nothing(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        await live_through(client)
        taken = await call(client, "process_message", input="thanks, continue", sessionId="s2")
        assert (taken["hasMemory"], taken["memory"]) == (False, None)
        assert taken["frameId"]

    desk.talk(scene)


def test_facts_are_remembered_confirmed_superseded_and_found_by_tier_and_category(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        said = "Reports go in tables"
        kept = await call(
            client, "memory_remember", text=said, category="preference", importance=4, tags=["board-report", "thing"]
        )
        assert [why.startswith("'thing'") for why in kept["refused"]] == [True]
        assert (kept["did"], kept["note"], kept["layer"]) == ("new", "facts/Reports go in tables", "semantic")
        assert (await call(client, "memory_remember", text=said))["did"] == "confirmed"
        await live_through(client, "How do reports reach the board?", "By mail, every Monday, because they asked so.")
        found = await call(client, "memory_recall", query="reports", layer="semantic")
        assert (found["query"], found["count"], len(found["results"])) == ("reports", 1, 1)
        (result,) = found["results"]
        shown = {
            "text": said, "layer": "semantic", "category": "preference", "importance": 4, "hits": 1,
            "tags": ["board-report"], "note": "facts/Reports go in tables",
        }  # fmt: skip
        assert {key: result[key] for key in shown} == shown
        assert result["ts"] <= result["updatedAt"]
        assert said in found["context"]
        assert FENCE_OPEN in found["context"]
        happened = await call(client, "memory_recall", query="reports", layer="episodic")
        assert [one["layer"] for one in happened["results"]] == ["episodic"]
        assert (await call(client, "memory_recall", query="reports", category="style"))["results"] == []
        assert (await call(client, "memory_recall", query="reports", limit=1))["count"] == 1
        stats = await call(client, "memory_stats")
        assert (stats["semantic"], stats["episodic"], stats["categories"]) == (1, 1, {"preference": 1})
        assert stats["caps"] == {"transient": 300, "episodic": 500, "semantic": 800}

    desk.talk(scene)


def test_a_session_is_summed_up_in_one_note_with_its_facts(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        await live_through(client)
        await live_through(client, "And the gunicorn timeout?", "72 seconds, because it has to end before nginx does.")
        facts = [{"text": "Exports take 71 seconds", "category": "business", "importance": 4}]
        done = await call(client, "memory_commit", summary="The timeouts nest now.", title="Timeouts", facts=facts)
        assert (done["sessionId"], done["messageCount"], done["did"]) == ("s1", 2, "new")
        assert [fact["note"] for fact in done["facts"]] == ["facts/Exports take 71 seconds"]
        again = await call(client, "memory_commit", summary="Nothing is left to do.", sessionId="s1")
        assert (again["id"], again["did"]) == (done["id"], "updated")
        body = (desk.vault / "summaries/Timeouts.md").read_text("utf-8")
        assert body.index("Nothing is left to do.") < body.index("## Earlier") < body.index("The timeouts nest now.")
        found = await call(client, "memory_recall", query="is anything left to do?", layer="episodic")
        (first,) = [one for one in found["results"] if one["id"] == done["id"]]
        assert (first["sessionTitle"], first["messageCount"], first["sessionId"]) == ("Timeouts", 2, "s1")

    desk.talk(scene)


def test_a_verdict_is_heeded_and_what_is_forgotten_can_be_brought_back(desk: Desk) -> None:
    async def scene(client: Client) -> str:
        card = await live_through(client)
        judged = await call(client, "memory_feedback", id=card, verdict="confirmed", reason="that was it")
        assert (judged["before"], judged["after"]) == ("", "confirmed")
        why = await call(client, "memory_explain", query=ASKED)
        (hit,) = why["results"]
        assert any("confirmed by the person" in line for line in hit["why"])
        assert why["useful"] is True
        assert FENCE_OPEN in why["told"]
        gone = await call(client, "memory_forget", id=hit["note"], reason="no longer true")
        assert all(note.startswith("archive/") for note in gone["notes"])
        assert (await call(client, "memory_recall", query=ASKED))["count"] == 0
        assert gone["undo"] == f"memkit restore {card}"
        return card

    card = desk.talk(scene)
    with Kit(desk.vault) as kit:
        kit.restore(card)

    async def back(client: Client) -> None:
        assert (await call(client, "memory_recall", query=ASKED))["count"] == 1
        await call(client, "memory_feedback", id=card, verdict="rejected")
        assert (await call(client, "memory_recall", query=ASKED))["count"] == 0

    desk.talk(back)


def test_errors_are_errors_of_the_tool_in_sentences(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        said = await refusal(client, "save_memory", userInput="x", agentResponse="y", cardId="nobody")
        assert "No note has the id 'nobody'." in said
        assert "Traceback" not in said
        assert "completed" in await refusal(
            client, "save_memory", userInput="x", agentResponse="y", cardId="z", status="done"
        )
        assert "nothing to save" in await refusal(client, "save_memory", userInput="", agentResponse=" ", cardId="")
        assert await refusal(client, "process_message", input="")
        assert "holds none" in await refusal(client, "memory_recall", query="x", layer="transient", category="style")
        assert await refusal(client, "memory_recall", query="x", limit=21)
        assert await refusal(client, "memory_commit", summary="x", facts=[{"text": "y", "colour": "z"}])
        assert await refusal(client, "memory_remember", text="y", importance=9)
        assert "No note has the id" in await refusal(client, "memory_forget", id="../../etc/passwd")
        assert (await call(client, "memory_stats"))["total"] == 0  # and it goes on serving

    desk.talk(scene)


def test_a_turn_without_its_card_is_refused_and_makes_no_second_one(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        await call(client, "process_message", input=ASKED, sessionId="s1")
        for card in ("", " ", "nobody"):
            said = await refusal(client, "save_memory", userInput=ASKED, agentResponse=ANSWER, cardId=card)
            assert "`frameId` that process_message gave" in said
        assert len(list((desk.vault / "cards").rglob("*.md"))) == 1

    desk.talk(scene)


def test_wrong_arguments_are_told_in_sentences(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        for name, arguments, said in (
            ("process_message", {}, "process_message: `input` is missing."),
            ("process_message", {"input": ""}, "`input` must not be empty."),
            ("process_message", {"input": "word " * 200_001}, "`input` is longer than 1,000,000 characters; nothing"),
            ("memory_recall", {"query": "x", "limit": 21}, "`limit` must be at most 20."),
            ("memory_recall", {"query": "x", "limit": "many"}, "`limit` must be a whole number."),
            ("memory_recall", {"query": ["x"]}, "`query` must be text."),
            ("memory_commit", {"summary": "x", "facts": [{"text": "y", "colour": "z"}]}, "colour` is not known here."),
            ("memory_feedback", {"id": "x", "verdict": "fine"}, "`verdict` must be one of 'confirmed', 'rejected'"),
        ):
            told = await refusal(client, name, **arguments)
            assert said in told
            assert "pydantic" not in told

    desk.talk(scene)


def test_a_session_ends_when_its_client_hangs_up(desk: Desk) -> None:
    async def first(client: Client) -> None:
        await live_through(client)

    async def later(client: Client) -> None:
        done = await call(client, "memory_commit", summary="Something else.", title="Else")
        assert (done["sessionId"], done["messageCount"]) == ("Else", 0)

    desk.start(first)
    desk.talk(later)


def test_cards_facts_and_tags_can_be_read_by_uri(desk: Desk) -> None:
    async def read(client: Client, uri: str) -> str:
        (part,) = (await client.read_resource(uri)).contents
        assert part.mime_type in ("application/json", "text/markdown")
        return str(getattr(part, "text", ""))

    async def scene(client: Client) -> None:
        card = await live_through(client)
        kept = await call(client, "memory_remember", text="代码要简洁", category="style", tags=["备用钥匙"])
        assert {resource.uri for resource in (await client.list_resources()).resources} == {
            "memory://cards", "memory://facts", "memory://tags",
        }  # fmt: skip
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == [
            "memory://cards/{id}", "memory://facts/{id}", "memory://tags/{name}",
        ]  # fmt: skip
        (row,) = json.loads(await read(client, "memory://cards"))
        assert row["uri"] == f"memory://cards/{card}"
        whole = await read(client, row["uri"])
        assert whole.startswith("---\n")
        assert ASKED in whole
        assert ANSWER in whole
        (row,) = json.loads(await read(client, "memory://facts"))
        assert (row["uri"], row["says"]) == (f"memory://facts/{kept['id']}", "代码要简洁")
        assert "代码要简洁" in await read(client, row["uri"])
        assert any(tag["name"] == "备用钥匙" for tag in json.loads(await read(client, "memory://tags")))
        assert "name: 备用钥匙" in await read(client, "memory://tags/备用钥匙")
        for wrong in (
            f"memory://facts/{card}",
            "memory://cards/nobody",
            "memory://tags/nobody",
            "memory://cards/..%2Fx",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)

    desk.talk(scene)


def test_many_calls_at_once_are_all_answered(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        ids: list[str] = []

        async def one(number: int) -> None:
            kept = await call(client, "memory_remember", text=f"Server number {number} runs in rack {number * 7}")
            ids.append(kept["id"])

        async with anyio.create_task_group() as group:
            for number in range(6):
                group.start_soon(one, number)
        assert len(set(ids)) == 6
        assert (await call(client, "memory_stats"))["semantic"] == 6

    desk.talk(scene)


def test_without_a_vault_each_call_says_what_to_do(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        said = await refusal(client, "memory_recall", query="anything")
        assert "No vault is here." in said
        assert "memkit init" in said
        with pytest.raises(MCPError, match="No vault is here"):
            await client.read_resource("memory://facts")

    desk.start(scene, named=False)


def test_the_vault_is_the_one_above_the_folder_the_server_was_started_in(desk: Desk) -> None:
    desk.folder = desk.vault / "cards"

    async def scene(client: Client) -> None:
        assert (await call(client, "memory_stats"))["total"] == 0

    desk.start(scene, named=False)


def test_nothing_but_the_protocol_goes_to_stdout(desk: Desk) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "0"},
        },
    }  # fmt: skip
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ask = {
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "memory_forget", "arguments": {"id": "nobody"}},
    }  # fmt: skip
    line = [sys.executable, "-m", "kit", "--vault", str(desk.vault), "mcp"]
    with subprocess.Popen(
        line, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin
        assert server.stdout
        for message in (hello, ready, ask):
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        rest, _ = server.communicate(timeout=60)
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["serverInfo"]["name"] == "memkit"
    assert answers[1]["result"]["isError"] is True
    assert rest == ""
    assert server.returncode == 0


# --- settings of clients


def printed(client: str, vault: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    mcp_command.main(["--vault", str(vault), "--print-config", client], standalone_mode=False)
    said = capsys.readouterr()
    return said.out, said.err


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_the_printed_settings_are_whole_and_say_where_they_go(
    client: str, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, where = printed(client, vault, capsys)
    match client:
        case "codex":
            held = json.dumps(tomllib.loads(text))
        case "dsh":
            held = json.dumps(yaml.safe_load(text))
        case _:
            held = json.dumps(json.loads(text))
    assert "memkit" in held
    assert json.dumps(str(vault)) in held
    assert '"mcp"' in held
    assert where.startswith("Goes into ")


def test_the_printed_command_starts_the_server(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    text, _ = printed("claude", desk.vault, capsys)
    told = json.loads(text)["mcpServers"]["memkit"]

    async def scene(client: Client) -> None:
        assert (await call(client, "memory_stats"))["total"] == 0

    desk.start(scene, [told["command"], *told["args"]])
