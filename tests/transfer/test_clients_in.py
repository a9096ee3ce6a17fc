"""What agents remember by themselves becomes facts and cards: a person's words, never a tool's or a sub-agent's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.model.notes import Card, Fact
from kit.transfer import memory_file
from tests.transfer import foreign

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit


def all_text(kit: Kit) -> str:
    return "\n".join(
        file.read_text(encoding="utf-8") for file in kit.root.rglob("*") if file.suffix in (".md", ".jsonl")
    )


def facts_of(kit: Kit) -> dict[str, Fact]:
    found = (kit.load(entry.path) for entry in kit.index.catalog.of_kind("fact"))
    return {fact.body.splitlines()[0]: fact for fact in found if isinstance(fact, Fact)}


def cards_of(kit: Kit) -> dict[str, Card]:
    found = (kit.load(entry.path) for entry in kit.index.catalog.of_kind("card"))
    return {card.turn or card.id: card for card in found if isinstance(card, Card)}


def test_bullets_become_facts_of_their_project(kit: Kit, tmp_path: Path) -> None:
    kit.transfer.bring(str(foreign.claude(tmp_path)), seconds=60)
    facts = facts_of(kit)
    assert facts["Answer in British English"].project == ""
    assert facts["提交信息用中文写"].project == ""
    assert facts["Staging runs on port 8081"].project == "harbor"
    assert not any("Ports" in says for says in facts)


def test_a_session_becomes_cards_with_what_was_said(kit: Kit, tmp_path: Path) -> None:
    kit.transfer.bring(str(foreign.claude(tmp_path)), seconds=60)
    cards = cards_of(kit)
    assert set(cards) == {"p1", "p2", "p3", "p6", "p7"}
    assert kit.full_text(cards["p1"].id).agent == "It listens on 8081."
    assert (cards["p1"].project, cards["p1"].harness, cards["p1"].layer) == ("harbor", "claude", "episodic")
    assert cards["p2"].layer == "transient"
    assert cards["p7"].status == "interrupted"
    said = all_text(kit)
    assert "sub-agent" not in said
    assert "secret output" not in said


def test_secrets_are_taken_out_and_that_is_told(kit: Kit, tmp_path: Path) -> None:
    kit.transfer.bring(str(foreign.claude(tmp_path)), seconds=60)
    assert "sk-ant-" not in all_text(kit)
    assert "redact" in {entry["what"] for entry in kit.log(20)}


def test_what_was_plainly_stated_becomes_a_fact_as_old_as_it_is(kit: Kit, tmp_path: Path) -> None:
    kit.transfer.bring(str(foreign.claude(tmp_path)), seconds=60)
    fact = next(fact for says, fact in facts_of(kit).items() if "tabs" in says)
    assert fact.category == "preference"
    assert fact.created
    assert fact.created.isoformat().startswith("2026-08-01T10:02")
    assert fact.sources == (
        next(entry.path for entry in kit.index.catalog.of_kind("card") if "tabs" in entry.path)[:-3],
    )


def test_a_torn_line_is_told_with_its_number(kit: Kit, tmp_path: Path) -> None:
    done = kit.transfer.bring(str(foreign.claude(tmp_path)), seconds=60)
    assert [(problem.line, problem.what) for problem in done.problems] == [(5, "This line is no JSON.")]


def test_a_turn_that_a_hook_has_kept_is_not_brought_again(kit: Kit, tmp_path: Path) -> None:
    session = "11111111-2222-3333-4444-555555555555"
    kept = kit.frame("Which port does the harbor worker use?", topic=session, harness="claude", turn="p1")
    kit.complete(kept.id, "It listens on 8081.")
    done = kit.transfer.bring(str(foreign.claude(tmp_path)), seconds=60)
    assert done.known == {"card": 1}


def test_a_rollout_of_codex_becomes_a_card(kit: Kit, tmp_path: Path) -> None:
    done = kit.transfer.bring(str(foreign.codex(tmp_path / ".codex")), seconds=60)
    assert done.kind == "codex"
    card = next(iter(cards_of(kit).values()))
    assert card.project == "lantern"
    assert kit.full_text(card.id).user == "灯笼项目用什么数据库？"


def test_a_section_with_code_is_kept_whole(kit: Kit, tmp_path: Path) -> None:
    foreign.write(tmp_path / "harbor" / "CLAUDE.md", foreign.CLAUDE_MD)
    kit.transfer.bring(str(tmp_path / "harbor"), seconds=60)
    card = next(iter(cards_of(kit).values()))
    assert "```\nmake run\n```" in card.body
    assert facts_of(kit)["Commands: never push to main"].project == "harbor"
    assert facts_of(kit)["The service lives in `app/`, workers in `jobs/`."].sources


def test_what_a_source_tells_twice_is_kept_once(kit: Kit, tmp_path: Path) -> None:
    home = foreign.claude(tmp_path)
    first = next(home.rglob("projects/*/*.jsonl"))
    first.with_name("taken-up-again.jsonl").write_bytes(first.read_bytes())
    (home / "CLAUDE.md").write_text("## Build\n\n```\nmake\n```\n\n## Test\n\n```\nmake\n```\n", encoding="utf-8")
    kit.transfer.bring(str(home), seconds=60)
    ids = [kit.load(entry.path).id for entry in kit.index.catalog.of_kind("card")]
    assert len(ids) == len(set(ids))
    assert not [problem for problem in kit.doctor() if "belongs to" in problem.what]


def test_statements_are_read_as_a_person_reads_them() -> None:
    found = memory_file.statements(
        "Intro line.\n\n# Rules\n\n* **Always** run the tests\n* A bullet\n  over two lines\n<!-- hidden\n- no -->\n"
        "1. 先写测试\n2. 再写代码\n\n## Deep\n\n- Git:\n    - rebase, don't merge\n    - sign commits\n"
    )
    assert [(one.line, one.says) for one in found] == [
        (1, "Intro line."), (5, "Always run the tests"), (6, "A bullet over two lines"), (10, "先写测试"),
        (11, "再写代码"), (16, "Git: rebase, don't merge"), (17, "Git: sign commits"),
    ]  # fmt: skip
    assert found[-1].heading == "Deep"
