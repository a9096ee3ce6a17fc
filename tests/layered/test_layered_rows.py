"""What users of dsh-layered-memory rely on, row by row of its table of features.

Row 10, the management API, is shown in `tests/web`; what it says it lacks, where that was built.
"""

from __future__ import annotations

import json
import math
import shutil
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from kit.app import Kit
from kit.govern.summaries import find
from kit.mcp.words import instructions
from kit.model.notes import Card, Fact
from kit.operations import call as operate
from kit.sessions import Sessions
from tests.govern.pooled import NOW, card
from tests.mcp.conftest import Desk, call
from tests.small_vault import front

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client


class Dsh:
    """DeepSeek Harness with the kit's plugin, in one session."""

    def __init__(self, kit: Kit, session: str = "s1") -> None:
        self.sessions, self.session, self.turn = Sessions(kit), session, 0

    def hook(self, event: str, said: str, **payload: object) -> bytes:
        told = {"event": said, "id": self.session, "cwd": "/home/ada/harbor", **payload}
        reply = self.sessions.handle("dsh", event, json.dumps(told).encode(), {})
        reply.after()
        return reply.out

    def start(self) -> bytes:
        return self.hook("start", "agent/session-start", source="startup")

    def prompt(self, text: str) -> bytes:
        self.turn += 1
        message = {"role": "user", "source": {"kind": "user"}, "text": text}
        return self.hook("prompt", "agent/pre-step", turn=self.turn, step=1, messages=[message])

    def answer(self, text: str) -> bytes:
        message = {"role": "assistant", "text": text}
        return self.hook("answer", "turn/end", turn=self.turn, reason={"kind": "completed"}, messages=[message])

    def live(self, *turns: tuple[str, str]) -> None:
        for asked, answer in turns:
            self.prompt(asked)
            self.answer(answer)

    def end(self) -> bytes:
        return self.hook("end", "agent/disposed")


TURNS = (
    (
        "Why do report exports end in a 504?",
        "nginx waits 60 seconds, because that is its default. The export takes 71.",
    ),
    ("What should the timeout be?", "Set proxy_read_timeout of nginx to 75 seconds, for that location only."),
)


def cards(kit: Kit) -> list[Card]:
    kit.sync()
    found = [kit.load(entry.path) for entry in kit.index.catalog.of_kind("card")]
    return [one for one in found if isinstance(one, Card)]


def with_settings(vault: Path, settings: str) -> Kit:
    file = vault / "memkit.toml"
    file.write_text(f"{file.read_text('utf-8')}\n{settings}\n", "utf-8")
    return Kit(vault, clock=lambda: NOW)


def test_row_1_three_tiers_each_with_its_cap_and_what_is_over_it_is_archived_oldest_first(vault: Path) -> None:
    with Kit(vault) as kit:
        assert operate(kit, "tiers.stats", {})["caps"] == {"transient": 300, "episodic": 500, "semantic": 800}  # type: ignore[index]
    for number in range(5):
        card(vault, f"t{number}", days=number, layer="transient")
        card(vault, f"e{number}", days=number)
        at = (NOW - timedelta(days=number)).isoformat()
        (vault / f"facts/f{number}.md").write_bytes(
            front({"id": f"f{number}", "kind": "fact", "created": at, "updated": at}, f"Fact number {number}.")
        )
    with with_settings(vault, "[tiers]\ntransient = 3\nepisodic = 2\nsemantic = 4") as kit:
        gone = kit.tiers.trim()
        assert [one.id for one in gone.leaving] == ["e4", "e3", "e2", "f4", "t4", "t3"]
        stats = kit.tiers.stats()
        assert (stats.transient, stats.episodic, stats.semantic) == (3, 2, 4)
        assert gone.done
        kit.pool.undo(gone.done.act)  # there they would be lost
        assert kit.tiers.stats().total == 15


def test_row_2_each_prompt_is_captured_once_within_two_seconds_and_shown_short(kit: Kit) -> None:
    dsh, long = Dsh(kit), "a very long remark " * 40
    moment = kit.now()
    with kit.at(moment):
        dsh.prompt(long)
    with kit.at(moment + timedelta(seconds=1.9)):
        dsh.prompt(long)
    (captured,) = cards(kit)
    assert captured.status == "pending"
    assert len(captured.body) <= 300
    assert kit.full_text(captured.id).user == long.strip()  # nothing is lost
    with kit.at(moment + timedelta(seconds=4)):
        dsh.prompt(long)
    assert len(cards(kit)) == 2


def test_row_2_a_prompt_that_says_nothing_lasting_stays_transient(kit: Kit) -> None:
    dsh = Dsh(kit)
    dsh.live(("continue", "Done."))
    assert [one.layer for one in cards(kit)] == ["transient"]


def test_row_3_one_record_a_session_with_title_time_points_and_message_count(kit: Kit) -> None:
    dsh = Dsh(kit)
    dsh.live(*TURNS)
    done = kit.tiers.commit("Exports needed more time than nginx gave.", title="Timeouts", session="s1")
    found = find(kit._hand, "s1")
    assert found
    path, summary = found
    assert path == done.summary.path
    assert (summary.title, summary.turns, summary.period) == ("Timeouts", 2, "2026-11-30")
    assert summary.body.strip() == "Exports needed more time than nginx gave."
    dsh.end()
    assert len(list((kit.root / "summaries").glob("*.md"))) == 1


def test_row_4_lasting_facts_have_category_importance_tags_and_hits(kit: Kit) -> None:
    for category in ("habit", "style", "business", "preference", "fact", "other"):
        kept = kit.tiers.remember(
            f"The word for {category} is quokka {category * 2}", category=category, importance=4, tags=["quokka-words"]
        )
        found = kit.load(kept.path)
        assert isinstance(found, Fact)
        assert (found.layer, found.category, found.importance, found.tags, found.hits) == (
            "semantic", category, 4, ("quokka-words",), 0,
        )  # fmt: skip
    assert set(kit.tiers.stats().categories) == {"habit", "style", "business", "preference", "fact", "other"}


def test_row_5_what_is_half_alike_is_one_fact_with_one_more_hit(kit: Kit) -> None:
    first = kit.tiers.remember("The weekly report goes to the board on Monday morning")
    again = kit.tiers.remember("The weekly report goes to the board on Monday")
    assert (again.id, again.did) == (first.id, "confirmed")
    found = kit.load(first.path)
    assert isinstance(found, Fact)
    assert found.hits == 1
    assert kit.tiers.remember("The cat sleeps on the printer").id != first.id


def test_row_6_recall_scores_by_its_formula_and_orders_by_score_then_time(vault: Path) -> None:
    card(vault, "turn", "timeouts", days=45, says="nginx timeouts of exports", importance=5)
    card(vault, "old", days=91, says="exports of nginx")
    card(vault, "new", days=90, says="nginx of exports")
    with with_settings(vault, '[recall]\nprofile = "layered"') as kit:
        hits = kit.recall("nginx timeouts").hits
        assert [hit.id for hit in hits] == ["turn", "new", "old"]
        shared = 0.15 * 2 + 0.40 * 2 / 2 + 0.10 * 2 / 4 + 0.15 * 1
        assert hits[0].score == pytest.approx(shared * 1.0 * (0.40 + 0.60 * math.exp(-1)) * 1.0)
        assert kit.recall("nginx timeouts", threshold=hits[0].score).hits == hits[:1]


def test_row_7_the_four_tools_answer_in_the_shapes_that_are_known(desk: Desk) -> None:
    async def scene(client: Client) -> None:
        kept = await call(client, "memory_remember", text="Reports go in tables", category="preference", importance=4)
        found = await call(client, "memory_recall", query="tables", layer="semantic", category="preference", limit=20)
        assert set(found) == {"query", "count", "results", "context"}
        assert found["count"] == len(found["results"]) == 1
        entry = found["results"][0]
        assert entry["id"] == kept["id"]
        assert set(entry) >= {
            "id", "layer", "text", "category", "importance", "tags", "ts", "updatedAt", "sessionId", "hits",
            "sessionTitle", "messageCount",
        }  # fmt: skip
        assert "Reports go in tables" in found["context"]
        facts = [{"text": "The board reads on Mondays", "category": "business", "importance": 5}]
        done = await call(client, "memory_commit", summary="We laid the report out anew.", facts=facts, title="Layout")
        assert (done["title"], len(done["facts"])) == ("Layout", 1)
        assert (await call(client, "memory_stats"))["semantic"] == 2

    desk.talk(scene)


def test_row_8_the_model_is_told_when_to_recall_remember_and_commit(desk: Desk) -> None:
    async def scene(client: Client) -> str:
        return client.instructions or ""

    said = " ".join(desk.talk(scene).split())
    assert said == " ".join(instructions().split())
    for rule in (
        "**Recall** at the start", "*before*, *last time*, *as usual*", "上次, 之前",
        "**Remember** what will still hold next month", "`preference`", "**Commit at the end**",
        "**Use what is found; do not recite it.**",
    ):  # fmt: skip
        assert rule in said


def test_row_9_a_session_is_followed_from_start_to_end_and_summed_up_if_the_agent_did_not(kit: Kit) -> None:
    dsh = Dsh(kit)
    dsh.start()
    dsh.live(*TURNS)
    assert not list((kit.root / "summaries").glob("*.md"))
    dsh.end()
    found = find(kit._hand, "s1")
    assert found
    assert (found[1].turns, found[1].project) == (2, "harbor")
    assert "75 seconds" in found[1].body
    other = Dsh(kit, "s2")
    other.start()
    out = other.prompt("what was the proxy_read_timeout of nginx for report exports?")
    assert b"75 seconds" in out


def test_row_11_caps_and_threshold_are_settings(vault: Path) -> None:
    settings = "[tiers]\ntransient = 30\nepisodic = 50\nsemantic = 80\n[recall]\nthreshold = 0.5"
    with with_settings(vault, settings) as kit:
        rows = {name: value for name, value, _, _ in kit.settings()}
        assert (rows["tiers.transient"], rows["tiers.episodic"], rows["tiers.semantic"]) == (30, 50, 80)
        assert kit.tiers.stats().caps == {"transient": 30, "episodic": 50, "semantic": 80}
        assert all(hit.score >= 0.5 for hit in kit.recall("anything at all").hits)


def test_row_12_parallel_writers_damage_nothing_and_a_copy_of_the_files_is_a_backup(vault: Path, home: Path) -> None:
    troubles: list[Exception] = []

    def write(number: int) -> None:
        try:
            with Kit(vault) as kit:
                for step in range(3):
                    kit.tiers.remember(f"Rack {number * 10 + step} holds server {'abcdefgh'[number] * (step + 3)}")
        except Exception as error:  # noqa: BLE001 - told below
            troubles.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert troubles == []
    copy = shutil.copytree(vault, home / "backup")
    for root in (vault, copy):
        with Kit(root) as kit:
            assert kit.tiers.stats().semantic == 12
            assert kit.doctor() == []


def test_row_13_what_a_person_asks_for_in_plain_words_the_tools_can_do(desk: Desk) -> None:
    said = instructions()
    for words in ("remember: …", "forget what I said about …", "note this session down", "what did I ask about …"):
        assert words in " ".join(said.split())

    async def scene(client: Client) -> None:
        # the person says "remember: …"
        await call(client, "memory_remember", text="Exports run at night", category="habit")
        # "forget what I said about …": recall, then put away what was meant, by the name it was recalled under
        found = await call(client, "memory_recall", query="when do exports run")
        gone = await call(client, "memory_forget", id=found["results"][0]["note"], reason="asked to")
        assert gone["undo"].startswith("memkit restore ")
        assert (await call(client, "memory_recall", query="when do exports run"))["count"] == 0
        # "note this session down"
        await call(client, "memory_commit", summary="Talked of exports and the night.", title="Exports")
        # "what did I ask about Y"
        asked = await call(client, "process_message", input="Which port does the exporter of metrics use?")
        await call(
            client, "save_memory", userInput="Which port does the exporter of metrics use?",
            agentResponse="It uses port 9187, because that is the exporter's default.", cardId=asked["frameId"],
        )  # fmt: skip
        about = await call(client, "memory_recall", query="what did I ask about the exporter of metrics")
        assert any("9187" in one["text"] for one in about["results"])

    desk.talk(scene)
