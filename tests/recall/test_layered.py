"""The profile `layered` is the order of dsh-layered-memory: its formula, worked out here once more and apart."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest

from kit.recall import layered
from kit.recall.score import PROFILES
from tests.small_vault import Vault

if TYPE_CHECKING:
    from pathlib import Path

LAYERED = PROFILES["layered"]


class Entry(NamedTuple):
    """A memory as that system would hold it."""

    id: str
    layer: str
    text: str
    tags: tuple[str, ...]
    importance: int
    age_days: float


def pieces(said: str) -> set[str]:
    """CJK characters one by one and in pairs, and Latin words."""
    found: set[str] = set()
    for run in re.findall(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]+|[a-z0-9]+", said.lower()):
        if run.isascii():
            found.add(run)
        else:
            found |= set(run) | {a + b for a, b in pairwise(run)}
    return found


def score(asked: str, entry: Entry) -> float:
    """Score an entry by the formula of that system."""
    query, own = pieces(asked), pieces(entry.text)
    matched = len(query & own)
    tag_hit = any(pieces(tag) <= query for tag in entry.tags)
    shared = 0.15 * min(matched, 3) + 0.40 * matched / len(query) + 0.10 * matched / len(own) + 0.15 * tag_hit
    worth = 0.75 + 0.25 * entry.importance / 5
    aged = 0.40 + 0.60 * math.exp(-entry.age_days / 45)
    return shared * worth * aged * {"semantic": 1.15, "episodic": 1.0, "transient": 0.55}[entry.layer]


ENTRIES = (
    ("semantic", "Reports go in tables, one table a topic", ("tables",), 4, 3),
    ("semantic", "代码要简洁，命名要清楚", ("代码风格",), 5, 40),
    ("semantic", "Deploys happen on Monday mornings only", ("deploys",), 2, 90),
    ("episodic", "The report export took 71 seconds, so nginx waits 75 now", ("nginx", "export"), 3, 12),
    ("episodic", "讨论了标签池的设计：一个标签要有定义和同义词", ("标签池",), 3, 60),
    ("episodic", "Sourdough needs 75 percent water in the heat", ("sourdough",), 3, 7),
    ("transient", "can the report be a table", (), 3, 1),
    ("transient", "标签池在哪里", ("标签池",), 3, 0.5),
    ("episodic", "Mei asked for tables in every report", ("tables",), 3, 200),
)
QUESTIONS = (
    "should the report be in tables?",
    "how long does nginx wait for the report export",
    "标签池怎么设计",
    "代码风格有什么要求",
    "when do deploys happen",
    "sourdough water",
    "tables",
    "nothing of all this",
    "report 报告 标签",
)


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Vault, list[Entry]]:
    vault = Vault(tmp_path)
    entries = []
    for layer, text, tags, importance, days in ENTRIES:
        if layer == "semantic":
            name = vault.fact(text, " ".join(tags), days=days, importance=importance)
        else:
            name = vault.card(" ".join(tags), days=days, says=text, importance=importance, layer=layer, topic="other")
        entries.append(Entry(name, layer, text, tags, importance, days))
    vault.scan()
    return vault, entries


@pytest.mark.parametrize("asked", QUESTIONS)
def test_scores_and_order_are_those_of_the_formula(kept: tuple[Vault, list[Entry]], asked: str) -> None:
    vault, entries = kept
    found = vault.ask(asked, weights=LAYERED, threshold=0.08, limit=20)
    due = sorted(((score(asked, entry), -entry.age_days, entry.id) for entry in entries), reverse=True)
    due = [each for each in due if each[0] >= 0.08]
    assert [hit.id for hit in found.hits] == [name for _, _, name in due]
    assert [hit.score for hit in found.hits] == pytest.approx([value for value, _, _ in due], abs=1e-12)


@pytest.mark.parametrize("asked", QUESTIONS)
def test_the_reasons_give_the_score_again(kept: tuple[Vault, list[Entry]], asked: str) -> None:
    for hit in kept[0].ask(asked, weights=LAYERED, threshold=0.0, limit=20).hits:
        total = sum(reason.value for reason in hit.reasons if reason.kind == "+")
        for reason in hit.reasons:
            total *= reason.value if reason.kind == "×" else 1.0
        assert total == pytest.approx(hit.score)


def test_of_equal_scores_the_one_that_changed_last_comes_first(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    old = vault.card(says="quokkas eat leaves", days=400_000)
    new = vault.card(says="quokkas eat grass", days=399_999)
    vault.scan()
    assert vault.ids("quokkas eat", weights=LAYERED, threshold=0.08) == [new, old]


def test_what_may_not_be_shown_is_not_scored(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    shown = vault.card(says="quokkas eat leaves", project="zoo")
    vault.card(says="quokkas eat grass", status="pending")
    vault.card(says="quokkas eat bark", feedback="rejected")
    vault.card(says="quokkas eat roots", project="farm")
    vault.scan()
    assert vault.ids("quokkas", weights=LAYERED, threshold=0.08, project="zoo") == [shown]


def test_an_alias_hits_the_tag_as_its_name_does(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.tag("code-style", aliases=["house rules"])
    held = vault.card("code-style", says="Short functions.")
    vault.scan()
    (hit,) = vault.ask("house rules", weights=LAYERED, threshold=0.08).hits
    assert hit.id == held
    assert next(reason.value for reason in hit.reasons if reason.factor == "tag") == layered.TAG


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("Node.js in 2026", {"node", "js", "in", "2026"}),
        ("标签池", {"标", "签", "池", "标签", "签池"}),
        ("ＡＢＣ 표는", {"abc", "표", "는", "표는"}),
        ("", set()),
    ],
)
def test_tokens_are_characters_pairs_and_words(said: str, due: set[str]) -> None:
    assert layered.tokens(said) == due
