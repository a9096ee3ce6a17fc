"""How the tag pool grows better by itself: what is certain is done and can be undone, the rest is proposed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from kit.index.pool import Pool
from tests.govern.pooled import NOW, card, edit, notes, relations, tag

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit
    from kit.evolve import Proposal
    from kit.govern.act import Done
    from kit.index.held import Held


def status(kit: Kit, name: str) -> str:
    return kit.pool.show(name).status


def examined(kit: Kit) -> list[Done]:
    return [done for one in kit.pool.judge() if (done := kit.pool.settle(one))]


def about(kit: Kit, *names: str) -> list[Proposal]:
    return [one for one in kit.pool.suggest() if one.tag in names and (not one.other or one.other in names)]


def test_new_tags_are_judged_generic_ones_go_and_others_become_active(kit: Kit, vault: Path) -> None:
    tag(vault, "zpawl", status="unexamined", source="agent")
    tag(vault, "优化", status="unexamined", source="rules", definitions=["变好"])
    tag(vault, "function", status="unexamined", source="agent")
    tag(vault, "mine", status="unexamined", name="task", source="person")
    assert len(examined(kit)) == 3
    assert [status(kit, name) for name in ("zpawl", "优化", "function", "task")] == [
        "active", "deprecated", "deprecated", "unexamined",
    ]  # fmt: skip
    assert kit.pool.show("优化").definitions == ("变好",)
    assert {entry["why"] for entry in kit.log(3)} >= {"it is concrete"}
    assert examined(kit) == []
    assert [(one.what, one.evidence) for one in about(kit, "task")] == [("deprecate", 0.6)], "a person is asked"


def test_tags_are_looked_through_only_where_one_is_new_and_something_has_changed(
    kit: Kit, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, tags = [], Pool.tags

    def counted(self: Pool) -> list[Held]:
        looks.append(1)
        return tags(self)

    monkeypatch.setattr(Pool, "tags", counted)
    tag(vault, "zbeam", definitions=['as in "status":"unexamined"'])
    assert kit.pool.judge() == []
    assert not looks
    tag(vault, "mine", status="unexamined", name="task", source="person")
    assert kit.pool.judge() == []
    seen = len(looks)
    assert seen
    assert kit.pool.judge() == []
    assert len(looks) == seen
    tag(vault, "zpawl", status="unexamined", source="agent")
    assert [one.what for one in kit.pool.judge()] == ["activate"]
    assert [one.what for one in kit.pool.judge()] == ["activate"], "what was not done is certain still"


def test_a_word_on_too_many_cards_is_no_tag(kit: Kit, vault: Path) -> None:
    tag(vault, "zpawl", status="unexamined", source="rules")
    tag(vault, "zflume", source="rules")
    for number in range(60):
        card(vault, f"c{number:02}", "zpawl zflume" if number < 20 else "zother")
    examined(kit)
    assert status(kit, "zpawl") == "deprecated"
    kit.pool.evolve()
    assert status(kit, "zflume") == "active"
    found = [one for one in about(kit, "zflume") if one.what == "deprecate"]
    assert [one.why for one in found] == ["it stands on 20 of 60 cards and tells none apart"]


def test_a_tag_that_was_never_used_goes_after_half_a_year_unless_a_person_made_it(kit: Kit, vault: Path) -> None:
    old = (NOW - timedelta(days=200)).isoformat()
    tag(vault, "zpawl", source="rules", created=old)
    tag(vault, "zflume", source="person", created=old)
    tag(vault, "zcatch", source="rules", created=(NOW - timedelta(days=100)).isoformat())
    tag(vault, "zused", source="rules", created=old)
    card(vault, "one", "zused")
    kit.pool.evolve()
    assert [status(kit, name) for name in ("zpawl", "zflume", "zcatch", "zused")] == [
        "deprecated", "active", "active", "active",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [("zpawl-gears", "zpawl gear"), ("zgear pawl", "pawl zgear"), ("zPawlgear", "z pawl gear")],
)
def test_names_that_differ_by_form_alone_are_synonyms_and_a_merge_is_proposed(
    kit: Kit, vault: Path, one: str, other: str
) -> None:
    tag(vault, one, definitions=["a"])
    tag(vault, other, status="unexamined", definitions=["b"], path="tags/other.md")
    done = examined(kit)
    assert {each.what for each in done} == {"relate", "status"}
    assert relations(kit)[one, other] == "synonym"
    assert status(kit, one) == status(kit, other) == "active"


def test_a_merge_is_left_to_the_person(kit: Kit, vault: Path) -> None:
    tag(vault, "zpawl gear")
    tag(vault, "zpawl gears")
    found = kit.pool.evolve()
    assert [(one.what, {one.tag, one.other}) for one in found.left if one.what == "merge"] == [
        ("merge", {"zpawl gear", "zpawl gears"})
    ]
    assert status(kit, "zpawl gear") == status(kit, "zpawl gears") == "active"


def test_an_alias_that_is_like_another_tags_name_makes_synonyms(kit: Kit, vault: Path) -> None:
    tag(vault, "zratchet", aliases=["zwheel lock"])
    tag(vault, "zwheellock", definitions=["another word"])
    kit.pool.evolve()
    assert relations(kit)["zratchet", "zwheellock"] == "synonym"


def test_signs_of_several_kinds_make_a_relation_certain_one_alone_is_proposed(kit: Kit, vault: Path) -> None:
    tag(vault, "zpawl", definitions=["hook"])
    tag(vault, "zpawl spring", definitions=["coil"])
    found = about(kit, "zpawl", "zpawl spring")
    assert [(one.what, one.level, one.evidence) for one in found] == [("relate", "related", 0.6)]
    assert kit.pool.evolve().done == ()
    for number in range(4):
        card(vault, f"c{number}", "zpawl zpawl-spring" if number < 3 else "zpawl")
    found = about(kit, "zpawl", "zpawl spring")
    assert found[0].evidence == 0.9
    assert found[0].why == "the name of one holds the other's; together on 3 of 4 cards"
    before = notes(vault)
    done = kit.pool.evolve().done
    assert [each.what for each in done] == ["relate"]
    assert relations(kit)["zpawl", "zpawl spring"] == "related"
    kit.pool.undo(done[0].act)
    assert notes(vault) == before


def test_definitions_that_are_alike_suggest_a_relation(kit: Kit, vault: Path) -> None:
    tag(vault, "zpawl", definitions=["a pivoted tooth that stops the wheel"])
    tag(vault, "zcatch", definitions=["a tooth, pivoted, to stop a wheel"])
    found = about(kit, "zpawl", "zcatch")
    assert [(one.what, one.level) for one in found] == [("relate", "related")]
    assert "definitions" in found[0].why


@pytest.mark.parametrize(("one", "other"), [("C", "C++"), ("zpawl", "zflume"), ("z标签", "z笔记")])
def test_tags_that_are_not_alike_stay_alone(kit: Kit, vault: Path, one: str, other: str) -> None:
    tag(vault, one, definitions=["left"], path="tags/1.md")
    tag(vault, other, definitions=["right"], path="tags/2.md")
    card(vault, "c", f"{one} {other}")
    assert about(kit, one, other) == []


def test_a_relation_a_person_weakened_is_not_proposed_again(kit: Kit, vault: Path) -> None:
    tag(vault, "zpawl gear")
    tag(vault, "zpawl gears")
    kit.pool.evolve()
    edit(vault / "tags/zpawl gear.md", "synonym:", "loose:")
    kit.pool.evolve()
    assert {level for pair, level in relations(kit).items() if "zpawl gear" in pair} == {"loose"}


def test_a_tag_that_is_being_edited_waits(kit: Kit, vault: Path) -> None:
    file = tag(vault, "zpawl", status="unexamined", ago=0)
    raw = file.read_bytes()
    assert examined(kit) == []
    left = kit.pool.evolve().left
    assert any("a moment ago" in one.why for one in left if one.tag == "zpawl")
    assert file.read_bytes() == raw


def test_acts_that_were_proposed_are_carried_out_one_by_one(kit: Kit, vault: Path) -> None:
    for name in ("zpawl", "zflume", "zcatch"):
        tag(vault, name)
    said = kit.pool.carry_out(
        [
            {"action": "deprecate", "code": "zpawl", "reason": "too vague"},
            {"action": "deprecate", "code": 7},
            {"action": "activate", "code": "zflume"},
            {"action": "merge", "code": "zflume", "other": "zcatch"},
            {"action": "explode", "code": "zflume"},
            {"action": "relate", "code": "zflume", "other": "zcatch", "level": "synonym"},
            {"action": "relate", "code": "zflume", "other": "zgone"},
            {"action": "relate", "code": "zflume", "other": "zcatch", "level": "同义"},
        ]
    )
    assert said == [
        "zpawl: deprecated", "No tag has the code ''.", "zflume was so already.",
        "Only a person may merge tags: memkit tags merge zflume …",
        "'explode' is no act; known are activate, deprecate and relate.", "zflume: related",
        said[6], said[7],
    ]  # fmt: skip
    assert "no tag 'zgone'" in said[6]
    assert "no level" in said[7]
    assert status(kit, "zpawl") == "deprecated"
    assert relations(kit)["zflume", "zcatch"] == "synonym"
