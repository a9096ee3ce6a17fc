"""How right the rules are on turns labelled by hand: a part they were tuned on and a part they were not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kit import text as analyser
from kit.digest import keyphrases, statements, summary, verdict

Turn = dict[str, Any]
TURNS: list[Turn] = [
    json.loads(line) for line in (Path(__file__).parent / "turns.jsonl").read_text(encoding="utf-8").splitlines()
]
TUNED = [turn for turn in TURNS if not turn.get("held")]
HELD = [turn for turn in TURNS if turn.get("held")]


class Share(NamedTuple):
    """So many right of so many."""

    right: int
    of: int

    @property
    def value(self) -> float:
        return self.right / self.of if self.of else 1.0

    def __str__(self) -> str:
        return f"{self.right}/{self.of} = {self.value:.3f}"


def _holds(sentence: str, words: list[str]) -> bool:
    return all(analyser.fold(word) in analyser.fold(sentence) for word in words)


def summaries(turns: list[Turn]) -> Share:
    asked = [turn for turn in turns if "summary_ok" in turn]
    right = sum(_holds(summary.summarise(turn["user"], turn["agent"]), turn["summary_ok"]) for turn in asked)
    return Share(right, len(asked))


def _name(word: str) -> str:
    return " ".join(analyser.stem(part) for part in analyser.key(word).split())


def tags(turns: list[Turn]) -> Share:
    right = total = 0
    for turn in turns:
        if "tags_ok" in turn:
            allowed = {_name(analyser.tag_word(word)) for word in turn["tags_ok"]}
            found = keyphrases.keyphrases(turn["user"], turn["agent"], known=lambda _: None, df=lambda _: 0, cards=0)
            right += sum(_name(phrase.word) in allowed for phrase in found)
            total += len(found)
    return Share(right, total)


def facts(turns: list[Turn]) -> tuple[Share, Share]:
    """Measure precision and recall; a turn without `facts` states none."""
    right = kept = found = wanted = 0
    for turn in turns:
        told = statements.statements(turn["user"], turn["agent"])
        labels = turn.get("facts", [])

        def fits(fact: statements.Statement, label: Turn) -> bool:
            return fact.category == label["category"] and _holds(fact.text, label["must"])

        kept += len(told)
        wanted += len(labels)
        right += sum(any(fits(fact, label) for label in labels) for fact in told)
        found += sum(any(fits(fact, label) for fact in told) for label in labels)
    return Share(right, kept), Share(found, wanted)


def verdicts(turns: list[Turn]) -> Share:
    judged = [turn for turn in turns if "feedback" in turn]
    right = sum(
        verdict.feedback(turn["user"], turn["agent"], turn["next"]).status == turn["feedback"] for turn in judged
    )
    return Share(right, len(judged))


@pytest.mark.parametrize(("turns", "name"), [(TUNED, "tuned on"), (HELD, "held out")], ids=["tuned", "held"])
def test_the_rules_are_right_often_enough(turns: list[Turn], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    precision, recall = facts(turns)
    with capsys.disabled():
        print(  # noqa: T201 - the figures are what a reader of the run wants
            f"\n{name}: {len(turns)} turns; summaries {summaries(turns)}; tags {tags(turns)}; "
            f"facts right {precision}, found {recall}; feedback {verdicts(turns)}"
        )
    assert summaries(turns).value >= 0.8
    assert tags(turns).value >= 0.8
    assert precision.value >= 0.9
    assert recall.value >= 0.6
    assert verdicts(turns).value >= 0.85


def test_the_set_has_both_languages_in_equal_parts() -> None:
    chinese = sum(analyser.language(turn["user"] + turn["agent"]) == "zh" for turn in TURNS)
    assert len(TURNS) >= 150
    assert 0.4 <= chinese / len(TURNS) <= 0.6


def test_every_summary_fits() -> None:
    for turn in TURNS:
        for limit in (40, 200):
            said = summary.summarise(turn["user"], turn["agent"], limit)
            assert 0 < len(said) <= limit
            assert "\n" not in said
