"""Commands that govern the pool: what they print, what they change, and how it is taken back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.govern.pooled import card, notes, tag, to

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def pooled(vault: Path) -> Path:
    tag(vault, "zcatch", related=to("zflume"))
    tag(vault, "zpawl", definitions=[])
    tag(vault, "zflume", related=to("zcatch"))
    card(vault, "one", "zcatch zflume")
    card(vault, "old", "zflume", days=200)
    return vault


def out(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def shown(call: Run, name: str) -> Any:  # noqa: ANN401 - whatever the command says
    return json.loads(out(call("tags", "show", name, "--json")))


@pytest.mark.usefixtures("pooled")
def test_a_tag_from_its_making_to_its_end(call: Run) -> None:
    assert (
        out(call("tags", "add", "zhook", "--definition", "a bent wire", "--dimension", "task", "--alias", "zbarb"))
        == "tags/zhook.md\n"
    )
    assert "nothing was changed" in call("tags", "add", "zhook", "--alias", "zbarb").stderr
    out(call("tags", "relate", "zhook", "zpawl", "--level", "synonym"))
    assert shown(call, "zbarb")["synonym"] == ["zpawl"]
    out(call("tags", "rename", "zhook", "zgaff"))
    out(call("tags", "deprecate", "zgaff", "--reason", "too vague"))
    assert shown(call, "zgaff")["status"] == "deprecated"
    out(call("tags", "revive", "zgaff"))
    tag_ = shown(call, "zgaff")
    assert (tag_["status"], tag_["code"], tag_["aliases"]) == ("active", "zhook", ["zbarb", "zhook"])
    assert "too vague" in out(call("log"))
    assert "code\tzhook\n" in out(call("tags", "show", "zgaff"))


def test_a_merge_is_shown_before_it_is_made_and_undo_takes_it_back(call: Run, pooled: Path) -> None:
    out(call("status"))
    before = notes(pooled)
    dry = call("tags", "merge", "zcatch", "zpawl", "--dry-run")
    assert 'cards/one.md\n  -   - "zcatch"\n  +   - "zpawl"\n' in out(dry)
    assert "Nothing was changed" in dry.stderr
    assert notes(pooled) == before
    made = call("tags", "merge", "zcatch", "zpawl")
    assert sorted(out(made).split()) == ["cards/one.md", "tags/zcatch.md", "tags/zflume.md", "tags/zpawl.md"]
    act = made.stderr.partition(" undo ")[2].partition("`")[0]
    undone = call("undo", act)
    out(undone)
    assert notes(pooled) == before
    redo = undone.stderr.partition(" undo ")[2].partition("`")[0]
    out(call("undo", redo))
    assert shown(call, "zcatch")["status"] == "merged"
    again = call("undo", redo)
    assert again.returncode != 0
    assert "taken back already" in again.stderr


@pytest.mark.usefixtures("pooled")
def test_a_split_names_its_parts(call: Run) -> None:
    assert "tags/zlatch.md" in out(call("tags", "split", "zcatch", "--into", "zlatch, zbolt", "--dry-run"))
    out(call("tags", "split", "zcatch", "--into", "zlatch, zbolt"))
    assert shown(call, "zlatch")["cards"] == ["one"]
    assert call("tags", "split", "zcatch", "--into", "zlatch").returncode != 0


def test_lint_suggest_and_evolve(call: Run, pooled: Path) -> None:
    assert "tags/zpawl.md: 'zpawl' lacks definitions\n" in out(call("tags", "lint"))
    tag(pooled, "zflumes", status="unexamined", definitions=["many channels"])
    said = out(call("tags", "suggest"))
    assert "0.85\tmerge zflume zflumes\ttheir names differ by form alone\n" in said
    assert "0.85\trelate zflume zflumes (synonym)\t" in said
    evolved = call("tags", "evolve")
    assert "tags/zflumes.md\n" in out(evolved)
    assert "merge zflume zflumes" in evolved.stdout
    assert "Left to you:" in evolved.stderr
    assert shown(call, "zflumes")["synonym"] == ["zflume"]


def test_scenes_are_added_and_shown(call: Run, pooled: Path) -> None:
    assert out(call("scenes", "add", "garden/pruning", "--alias", "secateurs")).split() == [
        "scenes/garden.md", "scenes/garden/pruning.md",
    ]  # fmt: skip
    card(pooled, "rose", "zflume", scene="garden", scene_sub="pruning")
    assert out(call("scenes", "show", "garden/pruning")) == "rose\tcards/rose.md\n"
    assert "garden\tpruning\t1\tsecateurs\n" in out(call("scenes"))


def test_clean_shows_what_goes_and_restore_brings_it_back(call: Run, pooled: Path) -> None:
    dry = call("clean", "--dry-run")
    assert out(dry).split("\t")[:3] == ["0.20", "old", "cards/old.md"]
    assert "1 memory would go" in dry.stderr
    assert (pooled / "cards/old.md").is_file()
    out(call("clean"))
    assert (pooled / "archive/cards/old.md").is_file()
    out(call("restore", "old"))
    assert (pooled / "cards/old.md").is_file()


@pytest.mark.parametrize(
    "line",
    [
        ("tags", "show", "zgone"),
        ("tags", "relate", "zpawl", "zpawl"),
        ("tags", "merge", "zpawl", "zgone"),
        ("undo", "nosuch"),
        ("scenes", "add", "a/b/c"),
    ],
)
@pytest.mark.usefixtures("pooled")
def test_what_makes_no_sense_is_told_in_a_sentence(call: Run, line: tuple[str, ...]) -> None:
    ran = call(*line)
    assert ran.returncode not in (0, 1)
    assert ran.stdout == ""
    assert "Traceback" not in ran.stderr
    assert ran.stderr.strip().endswith((".", "`"))
