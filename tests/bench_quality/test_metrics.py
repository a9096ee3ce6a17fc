"""Metrics against sums done by hand."""

from __future__ import annotations

import math

import pytest

from tests.bench.quality import metrics

A, B, C, X = (frozenset({name}) for name in "abcx")


def test_a_ranking_is_scored_as_by_hand() -> None:
    scores = metrics.ranking([X, A, X, X, X, B], frozenset("abc"))
    assert scores["R@1"] == 0
    assert scores["R@5"] == pytest.approx(1 / 3)
    assert scores["R@10"] == pytest.approx(2 / 3)
    assert scores["Hit@1"] == 0
    assert scores["Hit@5"] == 1
    assert scores["All@10"] == 0
    assert scores["MRR"] == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert scores["nDCG@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(7)) / ideal)


def test_a_perfect_ranking_scores_one_everywhere_it_can() -> None:
    scores = metrics.ranking([A], frozenset("a"))
    assert set(scores.values()) == {1.0}


def test_a_note_that_holds_two_memories_finds_both_and_a_second_note_of_one_finds_nothing_new() -> None:
    scores = metrics.ranking([frozenset("ab"), A], frozenset("ab"))
    assert scores["R@1"] == 1
    assert scores["All@5"] == 1


def test_where_nothing_is_expected_no_ranking_is_scored() -> None:
    assert metrics.ranking([A], frozenset()) == {}


def test_nothing_found_scores_zero() -> None:
    assert set(metrics.ranking([], frozenset("a")).values()) == {0.0}


@pytest.mark.parametrize(
    ("came", "is_exact"),
    [([A, B], True), ([A], False), ([A, B, X], False), ([A, B, C], True), ([], False)],
)
def test_an_exact_set_has_all_that_is_expected_and_beside_it_only_what_may_come(
    came: list[frozenset[str]],
    is_exact: bool,
) -> None:
    assert metrics.exact(came, frozenset("ab"), frozenset("c")) is is_exact


def test_an_empty_set_is_exact_when_nothing_came() -> None:
    assert metrics.exact([], frozenset(), frozenset())
    assert not metrics.exact([X], frozenset(), frozenset())
