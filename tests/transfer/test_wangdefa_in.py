"""Wangdefa.Memory's folder becomes notes: nothing is lost, and what its formats hide is understood."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from kit.model.notes import Card, Fact, Summary, Tag
from kit.vault import exchange
from tests.transfer import foreign

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit
    from kit.model.notes import Note


@pytest.fixture
def brought(kit: Kit, tmp_path: Path) -> Kit:
    source = foreign.wangdefa(tmp_path / "w")
    done = kit.transfer.bring(str(source), seconds=60)
    assert done.finished
    assert done.kind == "wangdefa"
    return kit


def note_of(kit: Kit, origin: str) -> Note:
    for file in kit.root.rglob("*.md"):
        is_main = not {"events", "overviews"} & set(file.parts)
        if is_main and f"origin: wangdefa:{origin}\n" in file.read_text(encoding="utf-8"):
            return kit.load(file.relative_to(kit.root).as_posix())
    raise AssertionError(origin)


def test_a_card_keeps_summary_tags_times_and_perception(brought: Kit) -> None:
    card = note_of(brought, "认知_20260801_093000")
    assert isinstance(card, Card)
    assert card.body == "评审时先看接口再看实现\n"
    assert card.tags == ("接口", "评审顺序")
    assert card.created
    assert card.created.isoformat() == "2026-08-01T09:30:00+08:00"
    assert (card.scene, card.scene_sub, card.genre) == ("work", "code-review", "expository")
    assert (card.emotion, card.state, card.context, card.route) == ("anxious", "tense", "technical", "medium")
    assert brought.full_text(card.id) == exchange.Exchange("评审代码先看什么？", "先看接口，再看实现。")
    assert brought.overview(card.id).startswith("先读接口")


def test_a_verdict_lands_on_the_turn_it_is_about(brought: Kit) -> None:
    judged, judging = (note_of(brought, f"认知_2026080{day}") for day in ("1_093000", "2_101500"))
    assert isinstance(judged, Card)
    assert isinstance(judging, Card)
    assert (judged.feedback, judged.feedback_reason, judging.feedback) == ("confirmed", "说得对", "")


def test_a_pending_card_is_interrupted_and_takes_its_tags_from_the_password_book(brought: Kit) -> None:
    card = note_of(brought, "认知_20260803_080000")
    assert isinstance(card, Card)
    assert (card.status, card.tags) == ("interrupted", ("连接池",))


def test_an_archived_card_goes_to_the_archive_and_an_event_without_card_is_not_lost(brought: Kit) -> None:
    away = list((brought.root / "archive").rglob("*.md"))
    assert [file.read_text(encoding="utf-8").splitlines()[-1] for file in away] == ["旧的缓存方案"]
    kept = note_of(brought, "事件_20260701_120000")
    assert brought.full_text(kept.id).agent == "也不能丢。"


def test_tags_keep_code_relations_and_states(brought: Kit) -> None:
    tags = {held.tag.name: held.tag for held in brought.index.pool.tags()}
    here, there = tags["接口"], tags["评审顺序"]
    assert here.code == "TAG_CONTENT_接口_001"
    assert here.definitions == ("模块之间的约定", "对外的样子")
    assert (here.related, there.related, here.loose) == (("tags/评审顺序",), ("tags/接口",), ())
    assert there.dimensions == ("content", "task")
    assert there.status == "unexamined"
    assert tags["旧标签"].status == "deprecated"
    assert brought.pool.code("链接池") == "TAG_CONTENT_连接池_003"
    assert not brought.pool.lint() or all("系统" not in str(problem) for problem in brought.pool.lint())


def test_tags_that_differ_in_case_or_width_alone_are_one(kit: Kit, tmp_path: Path) -> None:
    source = foreign.wangdefa(tmp_path / "w")
    with sqlite3.connect(next(source.rglob("feature_pool.db"))) as db:
        for number, name in enumerate(("API", "api", "ＡＰＩ")):
            db.execute(
                "INSERT INTO tag_dictionary (tag, code, definition, dimensions, related_codes, synonyms, status)"
                " VALUES (?, ?, ?, '[]', '[]', '[\"contract\"]', 'active')",
                (name, f"TAG_API_{number}", f"meaning {number}"),
            )
    db.close()
    assert kit.transfer.bring(str(source), seconds=60).finished
    held = kit.index.pool.claimant("api")
    assert held
    assert (held.tag.name, held.tag.aliases) == ("API", ("contract",))
    assert held.tag.definitions == ("meaning 0", "meaning 1", "meaning 2")
    assert not [problem for problem in kit.doctor() if "belongs to" in problem.what]


def test_scenes_are_translated_and_own_ones_made(brought: Kit) -> None:
    scenes = {(row.scene, row.scene_sub) for row in brought.scenes()}
    assert {("life", "品茶"), ("钓鱼", ""), ("work", "code-review")} <= scenes
    assert ("work", "代码评审") not in scenes


def test_preferences_of_many_cards_become_one_fact_with_its_past(brought: Kit) -> None:
    fact = note_of(brought, "preference:评审顺序")
    assert isinstance(fact, Fact)
    assert (fact.key, fact.value, fact.category) == ("评审顺序", "先看测试", "preference")
    assert fact.scenes == ("work", "work/coding")
    assert "## Earlier\n\n- 2026-08-01 to 2026-08-02: 评审顺序：先看接口" in fact.body
    assert len(fact.sources) == 2
    assert brought.doctor() == []


def test_a_summary_of_a_file_becomes_a_summary(brought: Kit) -> None:
    found = note_of(brought, "概要_20260802_120000")
    assert isinstance(found, Summary)
    assert (found.keywords, found.entities, found.period) == (("连接池", "超时"), ("港湾",), "2026-08")


def test_what_was_brought_is_recalled(brought: Kit) -> None:
    hits = brought.recall("评审顺序是什么").hits
    assert hits
    assert any("评审" in hit.path for hit in hits)


def test_a_broken_record_is_told_with_its_place(kit: Kit, tmp_path: Path) -> None:
    done = kit.transfer.bring(str(foreign.wangdefa(tmp_path / "w")), seconds=60)
    assert [problem.path for problem in done.problems] == ["cognitive/records/认知_20260804_000000.json"]
    assert done.problems[0].line == 1


def test_nothing_of_the_source_is_changed(kit: Kit, tmp_path: Path) -> None:
    source = foreign.wangdefa(tmp_path / "w")
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in source.rglob("*") if file.is_file()}
    kit.transfer.bring(str(source), seconds=60)
    assert {
        file: (file.read_bytes(), file.stat().st_mtime_ns) for file in source.rglob("*") if file.is_file()
    } == before


def test_what_your_vault_says_counts(kit: Kit, tmp_path: Path) -> None:
    kit.pool.add("接口", definitions=["我自己的说法"])
    kit.remember("先看架构", category="preference", key="评审顺序", value="先看架构")
    kit.transfer.bring(str(foreign.wangdefa(tmp_path / "w")), seconds=60)
    tag = next(held.tag for held in kit.index.pool.tags() if held.tag.name == "接口")
    assert isinstance(tag, Tag)
    assert tag.definitions == ("我自己的说法", "模块之间的约定", "对外的样子")
    assert tag.related == ("tags/评审顺序",)
    assert [fact.says for fact in kit.facts()] == ["先看架构"]
    assert kit.doctor() == []


def test_a_card_of_two_programs_at_one_second_keeps_both(kit: Kit, tmp_path: Path) -> None:
    source = foreign.wangdefa(tmp_path / "w")
    records = source / "memory" / "cognitive" / "records"
    twin = json.loads((records / "认知_20260801_093000.json").read_text(encoding="utf-8"))
    twin |= {"Id": "认知_20260801_093000_2", "EventId": ""}
    foreign.put(records / "认知_20260801_093000_2.json", twin)
    done = kit.transfer.bring(str(source), seconds=60)
    assert done.written["card"] == 6
