"""The life of a tag: made, named, examined, deprecated, revived, renamed, merged, split; completed to today's form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.errors import BadInputError, ConflictError, NotFoundError, RefusedError
from kit.govern.act import Done
from tests.govern.pooled import card, edit, hits, notes, relations, save, tag, to

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit
    from kit.govern.turns import Completed


def turn(kit: Kit, *tags: str, alignments: dict[str, object] | None = None) -> Completed:
    framed = kit.frame("the ratchet slips when it rains", tags=tags)
    return kit.complete(framed.id, "Oil the pawl before the winter comes.", alignments=alignments)


def row(kit: Kit, name: str) -> tuple[str, int]:
    found = next(row for row in kit.tags() if row.name == name)
    return found.status, found.cards


# --- names


def test_a_tag_is_made_with_all_it_is_to_have(kit: Kit, vault: Path) -> None:
    done = kit.pool.add(
        "标签 池", definitions=["词条集合", "a pool"], dimensions=["content"], aliases=["zpool", "ＺＰＯＯＬ", "标签池"]
    )
    assert done
    shown = kit.pool.show("zpool")
    assert (shown.name, shown.status, shown.definitions) == ("标签 池", "active", ("词条集合", "a pool"))
    assert shown.aliases == ("zpool",), "two ways to write one name are one alias, and a tag is no alias of its own"
    assert shown.lacks == ()
    text = (vault / "tags/标签 池.md").read_text("utf-8")
    assert "source: person" in text
    assert kit.pool.add("标签池", definitions=["词条集合", "第三义"])
    assert kit.pool.show("zpool").definitions == ("词条集合", "a pool", "第三义")
    assert kit.pool.add("标签池", definitions=["第三义"]) is None


@pytest.mark.parametrize("names", [("C", "C++", "C#"), ("a/b", "a b"), ("node.js", "nodejs"), ("zlist", "zlist池")])
def test_names_that_differ_for_a_person_are_tags_of_their_own(kit: Kit, names: tuple[str, ...]) -> None:
    for name in names:
        kit.pool.add(name)
    codes = [kit.pool.show(name).code for name in names]
    assert len(set(codes)) == len(names)
    assert [kit.pool.code(name) for name in names] == codes
    assert kit.doctor() == []


@pytest.mark.parametrize(
    ("one", "other"), [("zpool style", "ZPool_Style"), ("标签 池", "标签池"), ("ｚｐｏｏｌ", "zpool"), ("Z#", "z＃")]
)
def test_names_that_are_one_for_a_person_are_one_tag(kit: Kit, one: str, other: str) -> None:
    kit.pool.add(one)
    assert kit.pool.code(other) == kit.pool.code(one) != ""
    assert kit.pool.add(other) is None


def test_no_two_tags_claim_a_name_or_an_alias(kit: Kit, vault: Path) -> None:
    kit.pool.add("pawl", aliases=["zcatch"])
    before = notes(vault)
    with pytest.raises(ConflictError, match=r"'ZCATCH' already belongs to tags/pawl.md"):
        kit.pool.add("ratchet", aliases=["ZCATCH"])
    with pytest.raises(ConflictError, match=r"already belongs to tags/pawl.md"):
        kit.pool.add("ratchet", aliases=["Pawl"])
    assert notes(vault) == before
    tag(vault, "other", aliases=["zcatch"])
    assert [problem.path for problem in kit.doctor()] == ["tags/pawl.md"]


@pytest.mark.parametrize("name", ["", "  ", "#"])
def test_a_name_without_a_letter_is_refused(kit: Kit, name: str) -> None:
    kit.pool.add("pawl")
    with pytest.raises(BadInputError, match="needs a name"):
        kit.pool.add(name)
    with pytest.raises(BadInputError, match="needs a name"):
        kit.pool.rename("pawl", name)
    with pytest.raises(BadInputError, match="can't be merged"):
        kit.pool.add("fresh", status="merged")


def test_a_file_that_lies_where_a_tag_would_go_is_left_alone(kit: Kit, vault: Path) -> None:
    save(vault / "tags/pawl.md", b"my own notes on pawls\n")
    done = kit.pool.add("pawl")
    assert done
    assert done.paths == ("tags/pawl 2.md",)
    assert (vault / "tags/pawl.md").read_bytes() == b"my own notes on pawls\n"


# --- status


def test_from_unexamined_to_active_to_deprecated_and_back(kit: Kit) -> None:
    done = turn(kit, "pawl", "flume")
    assert row(kit, "pawl") == ("unexamined", 1)
    assert done.id in hits(kit, "pawl")
    assert kit.pool.activate("pawl")
    assert row(kit, "pawl") == ("active", 1)
    definition = kit.pool.add("pawl", definitions=["holds a ratchet"])
    assert definition
    kit.pool.deprecate("pawl", "too vague")
    assert row(kit, "pawl") == ("deprecated", 1)
    assert hits(kit, "pawl") == {}
    assert kit.pool.show("pawl").definitions == ("holds a ratchet",), "the reason is in the journal"
    assert kit.log(1)[0]["why"] == "too vague"
    assert kit.pool.deprecate("pawl") is None
    kit.pool.activate("pawl")
    assert done.id in hits(kit, "pawl")


def test_a_merged_tag_changes_status_by_undo_alone(kit: Kit, vault: Path) -> None:
    tag(vault, "pawl")
    tag(vault, "catch", status="merged", merged_to="[[tags/pawl]]")
    with pytest.raises(RefusedError, match="that is merged"):
        kit.pool.activate("catch")
    with pytest.raises(RefusedError, match="that is merged"):
        kit.pool.deprecate("catch")
    with pytest.raises(NotFoundError):
        kit.pool.activate("quasiflange")


@pytest.mark.parametrize("status", ["deprecated", "merged"])
def test_a_name_that_was_put_away_is_not_made_again(kit: Kit, vault: Path, status: str) -> None:
    tag(vault, "pawl")
    tag(vault, "catch", status=status, merged_to="[[tags/pawl]]" if status == "merged" else "")
    before = {path for path in notes(vault) if path.startswith("tags/")}
    for _ in range(3):
        done = turn(kit, "catch", "pawl")
    assert {path for path in notes(vault) if path.startswith("tags/")} == before
    assert next(row.status for row in kit.tags() if row.name == "catch") == status
    assert (done.id in hits(kit, "catch")) == (status == "merged")


def test_generic_words_are_refused_with_the_reason(kit: Kit, vault: Path) -> None:
    framed = kit.frame("a prompt", tags=["thing", "问题", "优化", "pawl"])
    assert [why.split(":")[0] for why in framed.refused] == ["'thing'", "'问题'", "'优化'"]
    assert all("generic" in why for why in framed.refused)
    for number in range(60):
        card(vault, f"c{number:02}", "everywhere")
    kit.sync()
    assert kit.frame("more", tags=["everywhere"]).refused == (
        "'everywhere': it stands on 60 of 61 cards and tells none apart",
    )


# --- renaming


def test_a_rename_keeps_the_code_and_takes_cards_and_links_along(kit: Kit, vault: Path) -> None:
    tag(vault, "pawl", code="p1", related=to("flume"), aliases=["zcatch"])
    tag(vault, "flume", related=to("pawl"))
    tag(vault, "old", status="merged", merged_to="[[tags/pawl]]")
    card(vault, "one", "pawl flume")
    kit.sync()
    assert kit.pool.rename("pawl", "Ratchet  pawl")
    shown = kit.pool.show("ratchet pawl")
    assert (shown.code, shown.name, shown.aliases) == ("p1", "Ratchet pawl", ("zcatch", "pawl"))
    assert (shown.path, shown.cards, shown.related) == ("tags/Ratchet pawl.md", ("one",), ("flume",))
    assert b'  - "Ratchet-pawl"\n' in notes(vault)["cards/one.md"]
    assert b'"[[tags/Ratchet pawl]]"' in notes(vault)["tags/flume.md"]
    assert b'merged_to: "[[tags/Ratchet pawl]]"' in notes(vault)["tags/old.md"]
    assert kit.doctor() == []
    assert kit.pool.rename("p1", "Ratchet pawl") is None
    assert kit.pool.rename("p1", "ratchet-pawl")
    assert kit.pool.show("p1").aliases == ("zcatch", "pawl"), "another way to write it is no alias"


def test_a_name_of_another_tag_is_no_new_name(kit: Kit, vault: Path) -> None:
    tag(vault, "pawl")
    tag(vault, "catch", aliases=["zlatch"])
    with pytest.raises(ConflictError, match=r"already belongs to tags/catch.md"):
        kit.pool.rename("pawl", "ZLatch")


def test_a_person_who_renames_in_the_file_keeps_the_code(kit: Kit, vault: Path) -> None:
    file = tag(vault, "pawl", code="p1")
    kit.sync()
    edit(file, 'name: "pawl"', "name: catchment pawl")
    file.rename(vault / "tags/catchment.md")
    kit.sync()
    assert kit.pool.show("p1").name == "catchment pawl"


# --- merging and splitting


@pytest.fixture
def two(vault: Path) -> Path:
    tag(
        vault,
        "catch",
        definitions=["a hook"],
        dimensions=["task"],
        aliases=["zlatch"],
        synonym=to("flume"),
        loose=to("ratchet"),
    )
    tag(vault, "pawl", definitions=["a tooth"], related=to("flume"))
    tag(vault, "flume", synonym=to("catch"), related=to("pawl"))
    tag(vault, "ratchet", loose=to("catch"))
    card(vault, "one", "catch pawl flume")
    card(vault, "two", "zlatch")
    card(vault, "three", "flume")
    return vault


def test_merging_unites_everything_and_leaves_a_signpost(kit: Kit, two: Path) -> None:
    kit.sync()
    before = notes(two)
    plan = kit.pool.merge("catch", "pawl", dry_run=True)
    assert notes(two) == before
    assert isinstance(plan, list)
    done = kit.pool.merge("catch", "pawl")
    assert isinstance(done, Done)
    assert set(done.paths) == {change.path for change in plan}
    shown = kit.pool.show("pawl")
    assert (shown.definitions, shown.dimensions, shown.aliases) == (
        ("a tooth", "a hook"),
        ("content", "task"),
        ("zlatch",),
    )
    assert (shown.synonym, shown.related, shown.loose) == (("flume",), (), ("ratchet",)), "the stronger level counts"
    pairs = relations(kit)
    assert all(pairs[there, here] == level for (here, there), level in pairs.items())
    assert not any("catch" in pair for pair in pairs)
    assert set(shown.cards) == {"one", "two"}
    assert notes(two)["cards/three.md"] == before["cards/three.md"]
    signpost = kit.pool.show("catch")
    assert (signpost.status, signpost.merged_to, signpost.aliases) == ("merged", "tags/pawl", ())
    assert set(hits(kit, "catch")) >= {"one", "two"}
    assert kit.doctor() == []
    kit.pool.undo(done.act)
    assert notes(two) == before


def test_a_merge_that_makes_no_sense_is_refused(kit: Kit, two: Path) -> None:
    kit.pool.merge("catch", "pawl")
    tag(two, "dead", status="deprecated")
    for name, into in (("catch", "flume"), ("pawl", "catch"), ("flume", "dead")):
        with pytest.raises(RefusedError):
            kit.pool.merge(name, into)
    with pytest.raises(BadInputError, match="one tag already"):
        kit.pool.merge("pawl", "zlatch")
    assert kit.pool.merge("flume", "catch"), "what was merged leads on"
    assert kit.pool.show("flume").merged_to == "tags/pawl"


def test_a_card_that_cannot_be_read_keeps_no_merge_back_and_is_found_by_the_signpost(kit: Kit, two: Path) -> None:
    kit.sync()
    broken = two / "cards/two.md"
    save(broken, broken.read_bytes().replace(b"status:", b"status: ["))
    kit.pool.merge("catch", "pawl")
    assert "two" in hits(kit, "pawl")


def test_splitting_gives_each_card_what_its_words_speak_for(kit: Kit, two: Path) -> None:
    card(two, "tooth", "catch", says="The tooth of the wheel.")
    card(two, "spring", "catch", says="The spring is weak.")
    card(two, "both", "catch", says="Nothing of the kind.")
    kit.sync()
    before = notes(two)
    assert isinstance(kit.pool.split("catch", ["tooth", "spring"], dry_run=True), list)
    assert notes(two) == before
    done = kit.pool.split("catch", ["tooth", "spring"])
    assert isinstance(done, Done)
    assert set(kit.pool.show("tooth").cards) == {"tooth", "both", "one", "two"}
    assert set(kit.pool.show("spring").cards) == {"spring", "both", "one", "two"}
    assert kit.pool.show("catch").status == "deprecated"
    kit.pool.undo()
    assert notes(two) == before
    kit.pool.split("catch", ["catch", "spring"])
    assert kit.pool.show("catch").status == "active", "it is one of its own parts"
    with pytest.raises(BadInputError, match="two or more"):
        kit.pool.split("pawl", ["tooth", "Tooth"])


def test_what_a_split_tag_was_known_by_still_finds_its_cards(kit: Kit, vault: Path) -> None:
    tag(vault, "git", aliases=["commit message", "提交信息", "branch names"])
    card(vault, "one", "git", says="Commit in the imperative.")
    card(vault, "two", "git", says="Each branch is named after its ticket.")
    card(vault, "three", "git", says="As we agreed.", event="[[events/three-e]]")
    said = "## User\n\nWhat of it?\n\n## Agent\n\nEvery branch is rebased."
    save(vault / "events/three-e.md", f"---\nid: three-e\nkind: event\n---\n{said}\n".encode())
    kit.sync()
    before = notes(vault)
    assert kit.pool.split("git", ["commit", "branch"])
    assert kit.pool.show("commit").aliases == ("commit message", "提交信息")
    assert kit.pool.show("branch").aliases == ("branch names",)
    assert kit.pool.show("git").aliases == ()
    assert set(kit.pool.show("commit").cards) == {"one"}
    assert set(kit.pool.show("branch").cards) == {"two", "three"}
    for word, found in (("commit message", "one"), ("提交信息", "one"), ("branch names", "two")):
        assert found in {hit.id for hit in kit.recall(f"what of the {word}?", threshold=0.0).hits}
    kit.pool.undo()
    assert notes(vault) == before
    tag(vault, "gate", aliases=["gate key", "pump key", "闸门"])
    kit.sync()
    assert kit.pool.split("gate", ["gate", "pump"])
    assert kit.pool.show("gate").aliases == ("gate key", "闸门")
    assert kit.pool.show("pump").aliases == ("pump key",)


# --- malformed tags


def test_tags_that_lack_something_are_told_when_they_are_matched_and_by_lint(kit: Kit, vault: Path) -> None:
    tag(vault, "pawl", definitions=[])
    tag(vault, "catch", dimensions=[], synonym=to("pawl"))
    tag(vault, "flume", related_codes=["pawl"])
    tag(vault, "whole", related=to("pawl"))
    tag(vault, "dead", definitions=[], status="deprecated")
    rows = {name: lacks for name, _, lacks in kit.pool.lint() if name in ("pawl", "catch", "flume", "whole", "dead")}
    assert rows == {"pawl": ("definitions",), "catch": ("dimensions",), "flume": ("related_codes",)}
    assert kit.recall("what of the pawl and the flume?").malformed == ("tags/pawl.md", "tags/flume.md")
    assert kit.frame("what of the pawl?", tags=["catch"]).malformed == ("catch", "pawl")


def test_completing_a_turn_writes_what_a_tag_lacks_and_nothing_else(kit: Kit, vault: Path) -> None:
    tag(vault, "pawl", definitions=[])
    tag(vault, "old", status="merged", merged_to="[[tags/pawl]]")
    done = turn(
        kit, "pawl", "flume",
        alignments={
            "old": {"definition": "holds the ratchet", "dimensions": ["task"]},
            "flume": {"definition": "", "dimensions": "内容"},
            "quasiflange": {"definition": "what?"},
            "whole": "a text",
        },
    )  # fmt: skip
    assert done.status == "completed"
    assert (kit.pool.show("pawl").definitions, kit.pool.show("pawl").dimensions) == (
        ("holds the ratchet",),
        ("content",),
    )
    assert done.malformed == ("flume",)
    assert [why.partition("'")[2].partition("'")[0] for why in done.refused] == ["quasiflange", "whole"]
    again = kit.pool.align({"pawl": {"definition": "something else", "dimensions": []}})
    assert (again.done, again.refused) == (None, ())


def test_one_wrong_field_keeps_no_other_back(kit: Kit, vault: Path) -> None:
    tag(vault, "pawl", definitions=[], dimensions=[])
    tag(vault, "catch", definitions=[])
    found = kit.pool.align(
        {
            "pawl": {"definition": 7, "dimensions": ["content", "colour"], "status": "merged"},
            "catch": {"definitions": ["a hook"]},
        }
    )
    assert found.done
    assert len(found.refused) == 3
    assert (kit.pool.show("pawl").dimensions, kit.pool.show("pawl").status) == (("content",), "active")
    assert kit.pool.show("catch").definitions == ("a hook",)


def test_keys_of_an_older_form_are_brought_to_their_place_by_learning(kit: Kit, vault: Path) -> None:
    tag(vault, "flume")
    file = tag(vault, "pawl", definitions=[], dimensions=[])
    edit(
        file,
        "---\n\n",
        "definition: a tooth\ndimension: 内容\nsynonyms: [zlatch]\nrelated_codes: [flume, gone]\nmine: 1\n---\n\n",
    )
    turn(kit, "pawl", "flume")
    learned = kit.pool.learn_next()
    assert learned
    assert "tags/pawl.md" in learned.aligned
    shown = kit.pool.show("pawl")
    assert (shown.definitions, shown.dimensions, shown.aliases) == (("a tooth",), ("content",), ("zlatch",))
    assert (shown.related, kit.pool.show("flume").related, shown.lacks) == (("flume",), ("pawl",), ())
    assert "mine: 1" in file.read_text("utf-8")
