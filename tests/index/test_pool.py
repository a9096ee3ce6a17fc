"""The tag pool: which names are one, whose they are, where a merge leads, what a person should mend."""

from __future__ import annotations

import itertools
import sqlite3
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit import text
from kit.index import db
from kit.index.pool import Held, Pool
from kit.model.notes import Scene, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator

SAME = [
    ("Code_Style", "code-style"), ("ＣＯＤＥ ｓｔｙｌｅ", "code style"), ("标签 池", "标签池"),
    ("C＃", "c#"), ("#rust", "Rust"), ("Ｃ＋＋", "C++"), ("Straße", "STRASSE"), ("ｶﾀｶﾅ", "カタカナ"),
    ("  a  b ", "a-b"), ("用 Python", "用python"), ("é", "e\u0301"),
]  # fmt: skip
APART = list(itertools.combinations(["C", "C++", "C#", "F#", "标签", "标签池", "a/b", "a b", "node.js", "node js"], 2))


class Tags:
    """A pool that is told of tags by name."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.executescript(db._TABLES)
        self.pool = Pool(self.db)
        self.nums: dict[str, int] = {}

    def put(self, name: str, *, path: str = "", **keys: object) -> None:
        path = path or f"tags/{text.file_name(name)}.md"
        num = self.nums.setdefault(path, len(self.nums) + 1)
        self.db.execute("INSERT OR REPLACE INTO notes VALUES (?,?,'','',0,0,0,'','','')", (num, path))
        self.pool.put(num, path, Tag.model_validate({"id": f"id{num}", "kind": "tag", "name": name, **keys}))

    def drop(self, path: str) -> None:
        self.pool.drop(self.nums.pop(path))

    def claimant(self, word: str) -> Held | None:
        return self.pool.claimant(text.key(word))

    def owner(self, word: str) -> str:
        held = self.claimant(word)
        return held.path if held else ""

    def leads_to(self, word: str) -> str:
        held = self.claimant(word)
        end = self.pool.redirect(held) if held else None
        return end.tag.name if end else ""

    def words(self, name: str) -> frozenset[str]:
        held = self.claimant(name)
        assert held
        return self.pool.keys(held.code)

    def faults(self) -> list[str]:
        return [f"{problem.path}: {problem.what}" for problem in self.pool.problems()]


@pytest.fixture
def tags() -> Iterator[Tags]:
    made = Tags()
    yield made
    made.db.close()


@pytest.mark.parametrize(("one", "other"), SAME)
def test_names_that_are_one(tags: Tags, one: str, other: str) -> None:
    tags.put(one)
    assert tags.owner(other) == f"tags/{text.file_name(one)}.md"


@pytest.mark.parametrize(("one", "other"), APART)
def test_names_that_stay_apart(tags: Tags, one: str, other: str) -> None:
    tags.put(one, path="tags/1.md")
    assert tags.owner(other) == ""
    tags.put(other, path="tags/2.md")
    assert (tags.owner(one), tags.owner(other)) == ("tags/1.md", "tags/2.md")
    assert tags.faults() == []


def test_a_name_belongs_to_the_tag_that_is_named_so_then_to_the_first_path(tags: Tags) -> None:
    tags.put("JavaScript", aliases=["js"])
    tags.put("Java Sample", aliases=["JS"])
    assert tags.owner("js") == "tags/Java Sample.md"
    tags.put("JS", path="tags/zz.md")
    assert tags.owner("js") == "tags/zz.md"
    assert tags.faults() == [
        "tags/Java Sample.md: The name 'js' already belongs to tags/zz.md.",
        "tags/JavaScript.md: The name 'js' already belongs to tags/zz.md.",
    ]
    tags.drop("tags/zz.md")
    tags.drop("tags/Java Sample.md")
    assert tags.owner("js") == "tags/JavaScript.md"
    assert tags.faults() == []


@pytest.mark.parametrize("length", [1, 2, 5, 60])
def test_a_chain_of_merges_of_any_length_leads_to_its_end(tags: Tags, length: int) -> None:
    for number in range(length):
        tags.put(f"t{number}", status="merged", merged_to=f"[[tags/t{number + 1}]]")
    tags.put(f"t{length}", aliases=["最后"])
    assert {tags.leads_to(f"t{number}") for number in range(length + 1)} == {f"t{length}"}
    assert tags.words(f"t{length}") == {"最后", *(f"t{number}" for number in range(length + 1))}
    assert tags.faults() == []


@pytest.mark.parametrize("length", [1, 2, 3, 10])
def test_a_circle_of_merges_leads_nowhere_and_is_told(tags: Tags, length: int) -> None:
    for number in range(length):
        tags.put(f"t{number}", status="merged", merged_to=f"[[tags/t{(number + 1) % length}]]")
    tags.put("in", status="merged", merged_to="[[tags/t0]]")
    assert {tags.leads_to(word) for word in ("in", "t0", f"t{length - 1}")} == {""}
    assert len(tags.faults()) == length + 1
    assert all("leads in a circle" in fault for fault in tags.faults())
    assert tags.words("t0") == {"in", *(f"t{number}" for number in range(length))}, "asking for its words ends, too"


@pytest.mark.parametrize(
    "link",
    [
        "[[tags/js-lang]]", "[[js-lang]]", "[[JavaScript]]", "[[javascript|shown]]", "[[ecma]]", "[[js_code]]",
        "tags/js-lang.md", "[[id1]]",
    ],
)  # fmt: skip
def test_a_link_reaches_a_tag_by_path_name_alias_code_file_name_or_id(tags: Tags, link: str) -> None:
    tags.put("JavaScript", path="tags/js-lang.md", code="js_code", aliases=["ecma"])
    tags.put("old", status="merged", merged_to=link)
    tags.put("other", synonym=[link])
    assert tags.leads_to("old") == "JavaScript"
    assert tags.words("JavaScript") == {"javascript", "ecma", "old"}
    held = tags.claimant("other")
    assert held
    assert [onward.tag.name for onward in tags.pool.neighbours(held, "synonym")] == ["JavaScript"]
    assert tags.faults() == []


def test_merging_may_leave_the_old_name_as_an_alias(tags: Tags) -> None:
    tags.put("js", status="merged", merged_to="[[JavaScript]]", aliases=["ecma"])
    tags.put("JavaScript", aliases=["js", "ecma"])
    assert tags.leads_to("js") == tags.leads_to("ecma") == "JavaScript"
    assert tags.words("JavaScript") == {"javascript", "js", "ecma"}
    assert tags.faults() == []


def test_a_tag_that_was_taken_out_of_a_merge_is_its_own_again(tags: Tags) -> None:
    tags.put("js", status="active", merged_to="[[JavaScript]]")
    tags.put("JavaScript")
    assert tags.leads_to("js") == "js"
    assert tags.words("JavaScript") == {"javascript"}


def test_a_deprecated_tag_recalls_nothing_and_keeps_its_name(tags: Tags) -> None:
    tags.put("stuff", status="deprecated")
    tags.put("things", status="merged", merged_to="[[stuff]]")
    assert tags.owner("stuff") == "tags/stuff.md"
    assert (tags.leads_to("stuff"), tags.leads_to("things")) == ("", "")
    tags.put("stuff", status="active")
    assert (tags.leads_to("stuff"), tags.leads_to("things")) == ("stuff", "stuff")


@pytest.mark.parametrize("status", ["active", "unexamined"])
def test_a_tag_recalls_before_it_is_examined(tags: Tags, status: str) -> None:
    tags.put("new", status=status)
    assert tags.leads_to("new") == "new"


def test_neighbours_are_redirected_and_never_the_tag_itself(tags: Tags) -> None:
    tags.put("a", synonym=["[[b]]", "[[old]]", "[[a]]", "[[gone]]", "[[dead]]", "[[B]]"])
    tags.put("b")
    tags.put("c")
    tags.put("old", status="merged", merged_to="[[c]]")
    tags.put("dead", status="deprecated")
    held = tags.claimant("a")
    assert held
    assert [onward.tag.name for onward in tags.pool.neighbours(held, "synonym")] == ["b", "c"]
    assert tags.faults() == [
        "tags/a.md: `synonym` names 'gone', which is no tag.",
        "tags/a.md: `synonym` names the tag itself.",
    ]


def test_a_merge_without_a_target_is_told(tags: Tags) -> None:
    tags.put("a", status="merged")
    tags.put("b", status="merged", merged_to="[[gone]]")
    assert tags.faults() == [
        "tags/a.md: The tag is merged but names no target.",
        "tags/b.md: `merged_to: gone` leads in a circle or to no tag.",
    ]


def test_a_code_that_two_tags_have_is_told_and_each_keeps_its_words(tags: Tags) -> None:
    tags.put("a", code="x")
    tags.put("b", code="x")
    assert tags.faults() == ["tags/b.md: Another tag has the code 'x'."]
    held = tags.claimant("b")
    assert held
    assert tags.pool.words(held) == {"b"}


def test_a_word_without_a_tag_note_is_its_own_code(tags: Tags) -> None:
    assert tags.pool.code_of("标签池") == "=标签池"
    assert tags.pool.keys("=标签池") == {"标签池"}
    assert tags.pool.keys("no such code") == set()


def test_an_alias_another_tag_is_named_by_is_not_counted_twice(tags: Tags) -> None:
    tags.put("JavaScript", aliases=["js"])
    tags.put("js")
    assert tags.words("JavaScript") == {"javascript"}
    assert tags.words("js") == {"js"}


def test_a_moved_note_keeps_its_tag(tags: Tags) -> None:
    tags.put("a", aliases=["b"])
    tags.db.execute("UPDATE notes SET path = 'tags/x/a.md'")
    tags.pool.move(1, "tags/x/a.md")
    assert tags.owner("b") == "tags/x/a.md"
    assert tags.pool.linked("tags/x/a") is tags.claimant("a")
    assert tags.pool.linked("tags/a") is tags.claimant("a"), "an old link still reaches it by its name"


NAMES = st.sampled_from(["C", "C++", "js", "JavaScript", "标签池", "标签 池"])
NOTES = st.fixed_dictionaries(
    {
        "name": NAMES,
        "aliases": st.lists(NAMES, max_size=2),
        "status": st.sampled_from(["active", "merged", "deprecated"]),
        "merged_to": st.one_of(st.just(""), NAMES, st.sampled_from(["tags/1", "3", "id2"])),
        "code": st.sampled_from(["", "x", "js"]),
        "related": st.lists(NAMES, max_size=2),
    }
)
STEPS = st.lists(st.tuples(st.sampled_from("1234"), st.one_of(st.none(), NOTES)), max_size=12)


@given(STEPS)
def test_after_any_edits_the_pool_is_what_its_notes_say(steps: list[tuple[str, dict[str, object] | None]]) -> None:
    tags = Tags()
    for name, keys in steps:
        path = f"tags/{name}.md"
        if keys is not None:
            tags.put(path=path, **keys)  # type: ignore[arg-type]  # `name` is text
        elif path in tags.nums:
            num = tags.nums[path]
            tags.drop(path)
            tags.db.execute("DELETE FROM notes WHERE num = ?", (num,))
            tags.nums = {**tags.nums, f"gone{num}": num}
        tags.pool.problems()
    fresh = Pool(tags.db)
    assert tags.pool.tags() == [held._replace() for held in fresh.tags()]
    assert tags.pool.problems() == fresh.problems()
    for word in ("C", "C++", "js", "JavaScript", "标签池", "x"):
        one, other = tags.pool.claimant(text.key(word)), fresh.claimant(text.key(word))
        assert one == other
        if one and other:
            assert tags.pool.redirect(one) == fresh.redirect(other)
            assert tags.pool.keys(one.code) == fresh.keys(other.code)
            assert tags.pool.neighbours(one, "related") == fresh.neighbours(other, "related")
    tags.db.close()


def test_scenes_lie_beside_the_tags(tags: Tags) -> None:
    tags.db.execute("INSERT INTO notes VALUES (1,'scenes/work.md','','',0,0,0,'','','')")
    tags.pool.put(1, "scenes/work.md", Scene.model_validate({"id": "s", "name": "work", "aliases": ["job"]}))
    assert [held.scene.name for held in tags.pool.scenes()] == ["work"]
    assert tags.claimant("work") is None
    tags.db.execute("UPDATE notes SET path = 'scenes/w.md'")
    tags.pool.move(1, "scenes/w.md")
    assert [held.path for held in tags.pool.scenes()] == ["scenes/w.md"]
    tags.pool.drop(1)
    assert tags.pool.scenes() == Pool(tags.db).scenes() == []
