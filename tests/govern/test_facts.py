"""Lasting knowledge: said once, said again, said otherwise."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from kit.errors import BadInputError
from kit.model.notes import Fact
from kit.vault import note

if TYPE_CHECKING:
    from kit.app import Kit
    from kit.govern.facts import Remembered

AUGUST = datetime(2026, 8, 19, 6, 30, tzinfo=UTC)
NOVEMBER = datetime(2026, 11, 30, 12, tzinfo=UTC)


def kept(found: Remembered | None) -> Remembered:
    assert found is not None
    return found


def fact_of(kit: Kit, found: Remembered | None) -> Fact:
    loaded = kit.load(kept(found).path)
    assert isinstance(loaded, Fact)
    return loaded


def says(fact: Fact) -> str:
    return note.first_paragraph(fact.body)


def test_a_fact_is_a_note_of_what_was_said(kit: Kit) -> None:
    found = kept(kit.remember("Reports go in tables", category="preference", tags=["report-layout"], people=["Ada"]))
    fact = fact_of(kit, found)
    assert (found.did, found.path) == ("new", "facts/Reports go in tables.md")
    assert (fact.category, fact.tags, fact.people, fact.hits) == ("preference", ("report-layout",), ("Ada",), 0)
    assert (says(fact), fact.confidence, fact.layer) == ("Reports go in tables", 0.9, "semantic")
    assert found.id in {hit.id for hit in kit.recall("how do I lay out reports?").hits}


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Reports go in tables", "Reports go in tables"),
        ("Reports go in tables", "Put reports in tables"),
        ("报告用表格", "报告请放在表格里"),
        ("I prefer dark mode", "i prefer DARK mode."),
    ],
)
def test_what_is_said_again_is_surer_and_stays_one_note(kit: Kit, first: str, again: str) -> None:
    one = kit.remember(first, confidence=0.7)
    other = kept(kit.remember(again))
    fact = fact_of(kit, one)
    assert (other.did, other.id) == ("confirmed", kept(one).id)
    assert (fact.confidence, fact.hits, says(fact)) == (0.75, 1, first)
    assert len(kit.facts()) == 1


def test_a_confidence_a_person_set_higher_is_not_lowered(kit: Kit) -> None:
    one = kept(kit.remember("Reports go in tables"))
    file = kit.root / one.path
    file.write_text(file.read_text("utf-8").replace("confidence: 0.9", "confidence: 1.0"), "utf-8")
    kit.remember("Put reports in tables")
    assert fact_of(kit, one).confidence == 1.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use tabs for indentation", "Use spaces for indentation"),
        ("Use tabs for indentation", "Don't use tabs for indentation"),
        ("代码缩进用制表符", "代码缩进用空格"),
    ],
)
def test_what_is_said_otherwise_supersedes_and_the_old_stays_below(kit: Kit, old: str, new: str) -> None:
    one = kit.remember(old, now=AUGUST)
    other = kept(kit.remember(new, now=NOVEMBER))
    fact = fact_of(kit, one)
    assert (other.did, other.id) == ("superseded", kept(one).id)
    assert other.path == kept(one).path, "links by name go on leading to it"
    assert says(fact) == new
    assert f"## Earlier\n\n- 2026-08-19 to 2026-11-30: {old}\n" in fact.body
    assert kit.log(1)[0]["before"] == old
    assert len(kit.facts()) == 1


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("My blood type is A", "My blood type is B", "B"),
        ("我的血型是 A 型", "我的血型是 O 型", "O 型"),
        ("我的车是 Model 3", "我的车是 Model Y", "Model Y"),
        ("My plan is plan A", "My plan is plan B", ""),
        ("I live in Berlin", "I live in Munich", "Munich"),
        ("我住在柏林", "我住在慕尼黑", "慕尼黑"),
        ("I work at ACME", "I work at Globex", "Globex"),
        ("Mr. Li is my landlord", "Mr. Wang is my landlord", ""),
        ("The staging server is at 10.0.0.5", "The staging server is at 10.0.0.6", ""),
        ("We deploy on Fridays", "We deploy on Tuesdays", "Tuesdays"),
    ],
)
def test_a_value_and_the_sentence_it_is_of_change_together(kit: Kit, old: str, new: str, value: str) -> None:
    one = kept(kit.remember(old, now=AUGUST))
    other = kept(kit.remember(new, now=NOVEMBER))
    fact = fact_of(kit, one)
    assert (other.did, says(fact)) == ("superseded", new)
    assert fact.value == value or (not value and new in fact.value)
    assert old in fact.body, "what it replaces stays below"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Berlin", "My sister lives in Munich"),
        ("We deploy on Fridays", "We review on Tuesdays"),
        ("I'm allergic to penicillin", "I'm allergic to peanuts"),
        ("I like chess", "I like climbing"),
        ("I take vitamin C", "I take vitamin D"),
        ("I take vitamin A daily", "I take vitamin D daily"),
        ("I write Go daily", "I write C daily"),
        ("Use tabs", "I use tabs in Go"),
        ("I write backend code in Python", "I write backend code in Go"),
        ("我对花生过敏", "我对青霉素过敏"),
        ("不要用 npm", "不要用 yarn"),
        ("函数不要超过 30 行", "函数不要有副作用"),
    ],
)
def test_two_facts_about_different_things_hold_both(kit: Kit, one: str, other: str) -> None:
    assert kept(kit.remember(one)).did == "new"
    assert kept(kit.remember(other)).did == "new"


def test_a_sentence_that_says_more_takes_the_place_of_the_shorter_and_nothing_is_lost(kit: Kit) -> None:
    one = kept(kit.remember("I'm allergic to peanuts", now=AUGUST))
    other = kept(kit.remember("I'm allergic to peanuts and penicillin", now=NOVEMBER))
    fact = fact_of(kit, one)
    assert (other.id, says(fact), fact.value) == (
        one.id, "I'm allergic to peanuts and penicillin", "peanuts and penicillin"
    )  # fmt: skip
    assert fact.confidence == 0.95
    assert kept(kit.remember("I'm allergic to peanuts")).did == "confirmed"
    assert says(fact_of(kit, one)) == "I'm allergic to peanuts and penicillin"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_a_person_wrote_into_a_fact_survives_each_change(kit: Kit, newline: str) -> None:
    one = kept(kit.remember("Use tabs for indentation", now=AUGUST))
    file = kit.root / one.path
    raw = file.read_text("utf-8").replace("kind: fact\n", "kind: fact # mine\nmood: sure\n")
    file.write_bytes((raw + "\nBen disagrees.\n\n- [ ] ask him\n").replace("\n", newline).encode())
    kit.remember("Use spaces for indentation", now=AUGUST.replace(month=9))
    kit.remember("Use tabs for indentation", now=NOVEMBER)
    after = file.read_bytes().decode()
    assert after.count("\n") == after.count(newline)
    body = after.replace("\r\n", "\n").split("---\n", 2)[2]
    assert body == (
        "Use tabs for indentation\n\nBen disagrees.\n\n- [ ] ask him\n\n## Earlier\n\n"
        "- 2026-09-19 to 2026-11-30: Use spaces for indentation\n"
        "- 2026-08-19 to 2026-09-19: Use tabs for indentation\n"
    )
    assert "kind: fact # mine" in after
    assert "mood: sure" in after


def test_not_a_byte_of_what_a_person_wrote_below_a_fact_changes(kit: Kit) -> None:
    one = kept(kit.remember("Use tabs for indentation", now=AUGUST))
    file = kit.root / one.path
    mine = "\n### Earlier\n\nBen disagrees.  \r\nAda too.\n\n\n"
    file.write_bytes(file.read_bytes() + mine.encode())
    kit.remember("Use spaces for indentation", now=AUGUST.replace(month=9))
    said = file.read_bytes().decode()
    assert f"Use spaces for indentation\n{mine}## Earlier\r\n\r\n- 2026-08-19 to" in said
    theirs = said.replace("## Earlier\r\n\r\n-", "## Earlier\r\n\r\n\n-") + "\n\nTo be asked.\n\n"
    file.write_bytes(theirs.encode())
    kit.remember("Use tabs for indentation", now=NOVEMBER)
    again = file.read_bytes().decode()
    assert mine in again
    assert again.endswith("Use tabs for indentation\r\n\n\nTo be asked.\n\n")


def test_sentences_that_are_only_alike_are_facts_of_their_own(kit: Kit) -> None:
    for sentence in ("Use Postgres for billing", "Use Postgres for search", "Deploys run on Mondays"):
        assert kept(kit.remember(sentence)).did == "new"
    assert len(kit.facts()) == 3


def test_a_key_has_one_value(kit: Kit) -> None:
    one = kit.remember("My editor is Vim", key="editor", value="Vim")
    assert kept(kit.remember("I work with Vim", key="Editor", value="vim")).did == "confirmed"
    assert kept(kit.remember("My editor is Helix now", key="editor", value="Helix")).did == "superseded"
    assert (fact_of(kit, one).value, says(fact_of(kit, one))) == ("Helix", "My editor is Helix now")
    assert kept(kit.remember("Vim keys in the shell", key="shell keys", value="Vim")).did == "new"


def test_scenes_tags_importance_and_sources_are_united(kit: Kit) -> None:
    one = kit.remember(
        "Reports go in tables", scenes=["work"], tags=["report-layout"], importance=2, source="cards/a.md"
    )
    kit.remember("Put reports in tables", scenes=["study"], tags=["tables"], importance=4, source="cards/b")
    kit.remember("Put reports in tables", importance=1, source="cards/b")
    fact = fact_of(kit, one)
    assert (fact.scenes, fact.tags, fact.importance) == (("work", "study"), ("report-layout", "tables"), 4)
    assert fact.sources == ("cards/a", "cards/b")


def test_a_fact_of_a_project_is_not_that_of_another(kit: Kit) -> None:
    one = kit.remember("Use tabs for indentation", project="harbor")
    other = kit.remember("Use spaces for indentation", project="lantern")
    assert (kept(one).did, kept(other).did) == ("new", "new")
    found = kit.recall("which indentation do we use?", project="harbor", threshold=0.0)
    assert kept(one).id in {hit.id for hit in found.hits}
    assert kept(other).id not in {hit.id for hit in found.hits}


def test_a_fact_that_holds_no_longer_is_not_said_again_but_anew(kit: Kit) -> None:
    one = kept(kit.remember("Use tabs for indentation", now=AUGUST))
    file = kit.root / one.path
    file.write_text(file.read_text("utf-8").replace("hits: 0", "hits: 0\nvalid_until: 2026-10-01"), "utf-8")
    other = kept(kit.remember("Use tabs for indentation", now=NOVEMBER))
    assert (other.did, other.path) == ("new", "facts/Use tabs for indentation 2.md")


def test_what_is_too_unsure_is_not_kept(kit: Kit) -> None:
    assert kit.remember("Perhaps tabs", confidence=0.39) is None
    assert kit.facts() == []


@pytest.mark.parametrize("params", [{"says": " "}, {"says": "x", "confidence": 5}, {"says": "x", "importance": 9}])
def test_what_can_not_be_a_fact_is_refused(kit: Kit, params: dict[str, object]) -> None:
    with pytest.raises(BadInputError):
        kit.remember(**params)  # type: ignore[arg-type]
    assert kit.facts() == []


def test_a_broken_fact_keeps_no_other_from_being_remembered(kit: Kit) -> None:
    one = kept(kit.remember("Use tabs for indentation"))
    file = kit.root / one.path
    file.write_text(file.read_text("utf-8").replace("hits: 0", "hits: [never"), "utf-8")
    assert kept(kit.remember("Use spaces for indentation")).did == "new"
    assert [problem.path for problem in kit.doctor()] == [one.path]
    assert "hits: [never" in file.read_text("utf-8")
    assert kit.explain("which indentation?", threshold=0.0).says


def test_a_card_that_is_learned_from_again_is_no_further_witness(kit: Kit) -> None:
    one = kept(kit.remember("Reports go in tables", source="cards/a.md", confidence=0.7))
    before = (kit.root / one.path).read_bytes()
    assert kept(kit.remember("Put reports in tables", source="cards/a.md")).did == "confirmed"
    assert (kit.root / one.path).read_bytes() == before
    kit.remember("Put reports in tables", source="cards/b.md")
    assert (fact_of(kit, one).hits, fact_of(kit, one).confidence) == (1, 0.75)
