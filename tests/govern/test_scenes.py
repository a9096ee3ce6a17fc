"""Scenes: made by hand, a candidate at the frame, final at completion, and what they do to the order of a recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.errors import BadInputError
from kit.model.notes import Card
from tests.govern.pooled import card, edit, hits, notes, tag

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit


def scene_of(kit: Kit, path: str) -> tuple[str, str]:
    found = kit.load(path)
    assert isinstance(found, Card)
    return found.scene, found.scene_sub


def test_a_scene_is_made_once_with_its_category_and_takes_aliases(kit: Kit, vault: Path) -> None:
    done = kit.pool.add_scene("garden/pruning", aliases=["secateurs", "剪枝"])
    assert done
    assert done.paths == ("scenes/garden.md", "scenes/garden/pruning.md")
    assert b'parent: "[[scenes/garden]]"' in notes(vault)["scenes/garden/pruning.md"]
    assert kit.pool.add_scene("Garden/Pruning") is None
    assert kit.pool.add_scene("garden/pruning", aliases=["Secateurs", "loppers", "pruning"])
    rows = [row for row in kit.scenes() if row.scene == "garden"]
    assert [(row.scene_sub, row.aliases) for row in rows] == [("", ()), ("pruning", ("secateurs", "剪枝", "loppers"))]
    assert kit.pool.undo()
    for name in ("", "/x", "a/b/c", "a/"):
        with pytest.raises(BadInputError, match="no scene"):
            kit.pool.add_scene(name)


@pytest.mark.parametrize("prompt", ["where did I leave the secateurs?", "剪枝什么时候做最好？"])
def test_a_scene_of_the_person_is_perceived_by_its_aliases(kit: Kit, prompt: str) -> None:
    kit.pool.add_scene("garden/pruning", aliases=["secateurs", "剪枝"])
    framed = kit.frame(prompt)
    assert scene_of(kit, framed.path) == ("garden", "pruning")


def test_completion_has_the_last_word_field_by_field(kit: Kit, vault: Path) -> None:
    framed = kit.frame("please look at the flume", scene="work/code-review")
    assert scene_of(kit, framed.path) == ("work", "code-review")
    kit.complete(framed.id, "Done.", scene="work")
    assert scene_of(kit, framed.path) == ("work", "code-review"), "what completion does not say, the frame said"
    kit.complete(framed.id, "Done.", scene="/debugging")
    assert scene_of(kit, framed.path) == ("work", "debugging")
    kit.complete(framed.id, "Done.", scene="garden")
    assert scene_of(kit, framed.path) == ("garden", ""), "a sub-scene stays within its category"
    assert "scenes/garden.md" in notes(vault)
    kit.complete(framed.id, "Done.")
    assert scene_of(kit, framed.path) == ("garden", "")


def test_learning_fills_in_a_scene_the_prompt_did_not_give_away_and_no_other(kit: Kit) -> None:
    kit.pool.add_scene("garden/pruning", aliases=["secateurs"])
    bare = kit.frame("which of the two blades was it?")
    assert scene_of(kit, bare.path) == ("", "")
    kit.complete(bare.id, "The blade of the secateurs fails: its spring holds 40 newtons, and the cut needs 60.")
    known = kit.frame("which of the two blades was it?", scene="life")
    kit.complete(known.id, "The blade of the secateurs fails: its spring holds 40 newtons, and the cut needs 60.")
    while kit.pool.learn_next():
        pass
    assert (scene_of(kit, bare.path), scene_of(kit, known.path)) == (("garden", "pruning"), ("life", ""))


def test_cards_of_the_same_scene_come_first_those_of_the_same_sub_scene_before_all(kit: Kit, vault: Path) -> None:
    tag(vault, "flume")
    card(vault, "elsewhere", "flume", days=1, scene="life")
    card(vault, "category", "flume", days=1.5, scene="work", scene_sub="meeting")
    card(vault, "same", "flume", days=2, scene="work", scene_sub="code-review")
    assert list(hits(kit, "flume")) == ["elsewhere", "category", "same"]
    found = hits(kit, "flume", scene="work/code-review")
    assert list(found) == ["same", "category", "elsewhere"]
    assert [sum(reason.factor == "scene" for reason in hit.reasons) for hit in found.values()] == [2, 1, 0]


def test_a_scene_note_that_is_edited_counts_for_the_next_prompt(kit: Kit, vault: Path) -> None:
    kit.pool.add_scene("garden", aliases=["secateurs"])
    edit(vault / "scenes/garden.md", "status: active", "status: deprecated")
    kit.sync()
    assert kit.perceive("the secateurs are blunt").scene != "garden"
