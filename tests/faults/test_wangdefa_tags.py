"""Faults of the system this one descends from that concern tags, cleaning and learning: each stays mended."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from kit import reconcile
from kit.app import Kit
from kit.errors import RefusedError
from kit.model.notes import Card, Event
from kit.recall import engine
from kit.recall.query import Query
from kit.sessions import Sessions
from tests.govern.pooled import NOW, card, hits, notes, relations, save, tag, to

if TYPE_CHECKING:
    from pathlib import Path

ANSWER = "Set the proxy read timeout of nginx to 75 seconds, because the export takes 71."


def turn(kit: Kit, prompt: str, answer: str, *tags: str) -> str:
    framed = kit.frame(prompt, tags=tags, topic="s1")
    kit.complete(framed.id, answer)
    return framed.id


def test_the_rules_relate_new_tags_to_those_that_are_there(kit: Kit, vault: Path) -> None:
    """Fault 9.1-7: candidates were tags of the very same name, so no relation was ever built, no word refused."""
    tag(vault, "zpawl gear")
    done = turn(kit, "why does the wheel slip?", "The teeth of the zpawl are worn.", "zpawl-gears", "zwheel")
    tag(vault, "zbug", status="unexamined", name="bugs", source="rules")
    assert {each.what for one in kit.pool.judge() if (each := kit.pool.settle(one))} == {"relate", "status"}
    assert relations(kit)["zpawl-gears", "zpawl gear"] == "synonym"
    assert kit.pool.show("bugs").status == "deprecated"
    assert hits(kit, "zpawl gear")[done].reasons[0].factor == "synonym"


def test_a_tag_with_relations_is_well_formed_and_older_forms_are_not(kit: Kit, vault: Path) -> None:
    """Fault 9.1-12: every tag with relations of the new form counted as malformed; the old form never went away."""
    tag(vault, "zpawl", synonym=to("zcatch"), related=to("zflume"))
    tag(vault, "zcatch", synonym=to("zpawl"))
    tag(vault, "zflume", related=to("zpawl"), related_codes=["zcatch"])
    assert [name for name, _, _ in kit.pool.lint() if name.startswith("z")] == ["zflume"]
    turn(kit, "why does the flume leak?", ANSWER, "zflume", "zcatch")
    kit.pool.learn_next()
    assert [name for name, _, _ in kit.pool.lint() if name.startswith("z")] == []
    assert relations(kit)["zcatch", "zflume"] == "related"
    from_start = [name for name, _, lacks in kit.pool.lint() if lacks]
    assert from_start == [], "the tags a vault is laid down with lack nothing"


def test_a_dimension_is_found_whatever_the_language(kit: Kit, vault: Path) -> None:
    """Fault 9.1-13: dimensions were stored escaped and looked for as they are written."""
    tag(vault, "标签池", code="pool", dimensions=["content", "task"], definitions=["词条的集合"])
    assert kit.pool.code("标签 池", dimension="task") == "pool"
    assert kit.pool.code("标签池", definitions=["词条"]) == "pool"
    assert b"\\u" not in notes(vault)["tags/标签池.md"]
    kit.pool.add("标签库", definitions=["另一种叫法"])
    assert "另一种叫法".encode() in notes(vault)["tags/标签库.md"]
    assert "标签库" in (vault / "journal/2026-11.jsonl").read_text("utf-8")


def test_what_is_perceived_and_judged_has_an_effect(kit: Kit) -> None:
    """Fault 9.1-17: `off` was ignored, times were never read, durations never set, verdicts never used."""
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "thanks, that's great!"}
    done = turn(kit, "why does the export break behind the zpawl?", ANSWER, "zpawl", "zexport")
    assert Sessions(kit).handle("claude", "prompt", json.dumps(payload).encode(), {}).out == b""
    event = kit.load(kit.index.catalog.with_id(f"{done}-e")[0].path)
    assert isinstance(event, Event)
    assert event.duration_ms
    later = kit.recall("what did we do yesterday?", now=NOW + timedelta(days=1), threshold=0.0).hits[0]
    assert later.id == done
    assert "time" in {reason.factor for reason in later.reasons}
    assert kit.pool.carry_out([{"action": "deprecate", "code": "zpawl"}]) == ["zpawl: deprecated"]


def test_cleaning_takes_all_that_is_due_with_all_that_belongs_to_it(kit: Kit, vault: Path) -> None:
    """Fault 9.2-31: a budget was shared by cards and indexes, thresholds were ignored, dangling rows stayed."""
    for number in range(110):
        card(vault, f"c{number:03}", "zpawl", days=200, event=f"[[events/c{number:03}]]")
        save(
            vault / f"events/c{number:03}.md",
            f"---\nid: c{number:03}-e\nkind: event\n---\n## User\n\n{number}?\n".encode(),
        )
    card(vault, "fresh", "zpawl", days=100)
    assert len(kit.pool.clean().leaving) == 110
    assert list((vault / "events").rglob("*.md")) == []
    assert [row.cards for row in kit.book("tag") if row.term == "zpawl"] == [("fresh",)]
    assert kit.doctor() == []


def test_merging_destroys_nothing_and_is_taken_back(kit: Kit, vault: Path) -> None:
    """Fault 9.2-32: the merger read indexes as records and kept almost nothing of them."""
    tag(vault, "zcatch", mine="kept", related=to("zpawl"))
    tag(vault, "zpawl", related=to("zcatch"))
    card(vault, "one", "zcatch", mood="blue", says="All of it.\n\nAnd more.")
    before = notes(vault)
    kit.pool.merge("zcatch", "zpawl")
    after = notes(vault)
    assert after.keys() == before.keys()
    assert after["cards/one.md"] == before["cards/one.md"].replace(b"zcatch", b"zpawl")
    assert b'mine: "kept"' in after["tags/zcatch.md"]
    kit.pool.undo()
    assert notes(vault) == before


def test_the_status_of_an_event_follows_its_turn(kit: Kit) -> None:
    """Fault 9.2-34: a blank in the text that was looked for kept a status from ever changing."""
    framed = kit.frame("why does the export break?")
    for status in ("interrupted", "failed", "completed"):
        kit.complete(framed.id, ANSWER, status=status)
        event = kit.load(kit.index.catalog.with_id(f"{framed.id}-e")[0].path)
        assert isinstance(event, Event)
        assert event.status == status


def test_one_wrong_field_loses_no_other(kit: Kit, vault: Path) -> None:
    """Fault 9.2-37: a field of the wrong type dropped all that came with it; a full-width mark was passed over."""
    tag(vault, "zpawl", definitions=[], dimensions=[])
    framed = kit.frame("the zpawl", tags=["zpawl"])
    done = kit.complete(
        framed.id, ANSWER, alignments={"zpawl": {"definition": ["a tooth"], "dimensions": {"a": 1}, "need": "yes"}}
    )
    assert len(done.refused) == 2
    assert kit.pool.show("zpawl").definitions == ("a tooth",)
    said = kit.pool.carry_out(
        [{"action": "synonym：zpawl"}, {"action": ["activate"]}, {"action": "activate", "code": "zpawl"}]
    )
    assert said[2] == "zpawl was so already."
    assert all(said)


def test_no_merge_makes_a_circle(kit: Kit, vault: Path) -> None:
    """Fault 9.2-39: two tags merged into each other were both lost."""
    for name in ("zpawl", "zcatch", "zhook"):
        tag(vault, name)
        card(vault, name, name)
    kit.pool.merge("zpawl", "zcatch")
    kit.pool.merge("zcatch", "zhook")
    for into in ("zpawl", "zcatch"):
        with pytest.raises(RefusedError):
            kit.pool.merge("zhook", into)
    assert set(hits(kit, "zpawl")) == set(hits(kit, "zhook")) == {"zpawl", "zcatch", "zhook"}
    assert kit.doctor() == []


def test_a_record_holds_what_was_said_and_is_read(kit: Kit) -> None:
    """Fault 9.2-40: the summary was stored as what the person said, and nobody ever read it."""
    done = turn(kit, "why does the export break behind the zpawl?", ANSWER, "zpawl", "zexport")
    said = kit.full_text(done)
    assert (said.user, said.agent) == ("why does the export break behind the zpawl?", ANSWER)
    assert done in {hit.id for hit in kit.recall("zexport takes 71", threshold=0.0).hits}


def test_new_tags_are_completed_also_when_a_matched_one_is_malformed(kit: Kit, vault: Path) -> None:
    """Fault 9.2-43: one malformed tag that was matched kept the new ones from being completed."""
    tag(vault, "zflume", definitions=[], dimensions=[])
    framed = kit.frame("the zflume leaks at the zpawl", tags=["zpawl", "zflume"])
    assert framed.malformed == ("zflume",)
    done = kit.complete(
        framed.id, ANSWER, alignments={"zflume": {"definition": "a channel"}, "zpawl": {"definition": "a tooth"}}
    )
    assert done.refused == ()
    kit.pool.learn_next()
    assert [name for name, _, _ in kit.pool.lint() if name in ("zflume", "zpawl")] == []


def test_put_away_tags_are_not_hit_and_aliases_are_no_tags(kit: Kit, vault: Path) -> None:
    """Fault 9.2-45: deprecated tags were hit, merged ones lost their cards, each synonym became a tag of its own."""
    tag(vault, "zdead", status="deprecated")
    tag(vault, "zold", status="merged", merged_to="[[tags/zpawl]]")
    tag(vault, "zpawl", aliases=["zcatch", "棘爪"], definitions=["a tooth"])
    card(vault, "dead", "zdead")
    card(vault, "old", "zold")
    card(vault, "alias", "zcatch")
    assert hits(kit, "zdead") == {}
    assert set(hits(kit, "zold")) == set(hits(kit, "棘爪")) == {"old", "alias"}
    turn(kit, "the zcatch is worn", ANSWER, "zcatch", "棘爪")
    assert {row.name for row in kit.tags()} & {"zcatch", "棘爪"} == set()
    kit.pool.add("zcatch", definitions=["a hook"])
    kit.pool.deprecate("zpawl", "too vague")
    assert kit.pool.show("zpawl").definitions == ("a tooth", "a hook")


def test_a_card_that_never_got_an_answer_goes_in_the_end(kit: Kit, vault: Path) -> None:
    """Fault 9.2-46: pending cards stayed for ever."""
    card(vault, "asked", "zpawl", days=200, status="pending")
    card(vault, "asking", "zpawl", days=20, status="pending")
    assert [memory.id for memory in kit.pool.clean().leaving] == ["asked"]
    found = kit.load("cards/asking.md")
    assert isinstance(found, Card)


def test_ten_thousand_recalls_with_unknown_words_change_no_file(vault: Path) -> None:
    """Fault 9.1-9: the line that only reads has written tags."""
    for number in range(20):
        card(vault, f"c{number}", f"zpawl zflume z{number}")
    tag(vault, "zpawl", synonym=to("zflume"), definitions=[])
    tag(vault, "zflume", synonym=to("zpawl"))
    with Kit(vault, clock=lambda: NOW) as kit:
        kit.sync()
    before = {file: sha256(file.read_bytes()).digest() for file in vault.rglob("*") if file.is_file()}
    with Kit(vault, clock=lambda: NOW, freshen=reconcile.Report) as kit:  # nothing changes, so nothing is scanned
        names, rows = set(kit.index.lexicon.names()), len(kit.tags())
        for number in range(10_000):
            asked = f"qu{number}x", ("zpawl", f"unknown{number}")
            if number % 50:
                found = engine.recall(kit.index, Query(asked[0], NOW, asked[1], limit=1))
            else:
                found = kit.recall(asked[0], tags=asked[1], limit=1)
            assert found.missing == (f"unknown{number}",)
        assert set(kit.index.lexicon.names()) == names
        assert len(kit.tags()) == rows
    assert {file: sha256(file.read_bytes()).digest() for file in vault.rglob("*") if file.is_file()} == before


def test_people_places_times_and_projects_are_features_with_reasons(kit: Kit, vault: Path) -> None:
    """Fault 9.1-17: the time was asked for and never read; features were tags alone."""
    card(
        vault, "one", "zpawl", days=20, people=["Mei Tanaka", "林小雨"], places=["Osaka"], project="harbor",
        says="The wheel was mended.",
    )  # fmt: skip
    card(vault, "two", "zpawl", days=300, says="The wheel was broken.")
    kit.sync()
    dimensions = {row.dimension: row.cards for row in kit.book() if "one" in row.cards}
    assert {"tag", "person", "place", "project", "day", "month"} <= dimensions.keys()
    for question, factor in (
        ("what did Mei Tanaka say?", "person"), ("林小雨怎么说的？", "person"), ("what happened in Osaka?", "place"),
        ("how is harbor?", "project"), ("what did we do on 10 November?", "time"), ("11月10日做了什么？", "time"),
    ):  # fmt: skip
        found = kit.recall(question, threshold=0.0, now=NOW).hits
        assert [hit.id for hit in found][:1] == ["one"], question
        assert factor in {reason.factor for reason in found[0].reasons}, question
