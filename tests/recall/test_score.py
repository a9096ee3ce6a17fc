"""The arithmetic of recall: every factor in its range, every profile the formula it says."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.index.features import Features
from kit.recall import score
from kit.recall.score import DAY, PROFILES, Asked, Weights

DEFAULT, WANGDEFA = PROFILES["default"], PROFILES["wangdefa"]
NOW = 1_800_000_000.0
PROFILE = st.sampled_from(sorted(PROFILES)).map(PROFILES.__getitem__)
SHARE = st.floats(0, 1)
GAIN = st.floats(0, 5)


def row(**more: object) -> Features:
    made = Features(1, "card", "completed", "episodic", "", 3, 0, NOW, 0.0, "", "", "", "", "says")
    return made._replace(**more)  # type: ignore[arg-type]  # names of its own fields


ROWS = st.builds(
    lambda layer, feedback, importance, days, scene, sub: row(
        layer=layer, feedback=feedback, importance=importance, created=NOW - days * DAY, scene=scene, scene_sub=sub
    ),
    st.sampled_from(["transient", "episodic", "semantic"]),
    st.sampled_from(["", "confirmed", "partial", "ignored", "rejected"]),
    st.integers(1, 5),
    st.floats(-10, 20000),
    st.sampled_from(["", "work"]),
    st.sampled_from(["", "review"]),
)


@pytest.mark.parametrize(("days", "expected"), [(0, 1.0), (60, 0.98 + 0.02 / math.e), (1e6, 0.98), (-5, 1.0)])
def test_age_takes_at_most_what_the_floor_leaves(days: float, expected: float) -> None:
    assert score.decay(DEFAULT, days) == pytest.approx(expected)


@given(PROFILE, st.floats(-10, 5000), st.floats(0.1, 5000))
def test_older_never_weighs_more(weights: Weights, days: float, more: float) -> None:
    assert score.decay(weights, days + more) <= score.decay(weights, days)


def test_an_ordinary_card_is_changed_by_nothing() -> None:
    assert score.standing(DEFAULT, row(), Asked(NOW)) == 1.0
    assert [reason.factor for reason in score.reasons(DEFAULT, row(), Asked(NOW))] == ["decay"]


@pytest.mark.parametrize(
    ("more", "factor"),
    [
        ({"layer": "semantic"}, 1.15), ({"layer": "transient"}, 0.55), ({"feedback": "confirmed"}, 1.15),
        ({"feedback": "rejected"}, 0.0), ({"feedback": "partial"}, 1.0), ({"feedback": "ignored"}, 1.0),
        ({"importance": 5}, 1.1), ({"importance": 1}, 0.9), ({"shown": "do you like tabs?"}, 0.9),
        ({"shown": "你喜欢制表符吗？"}, 0.9), ({"shown": "tabs? spaces."}, 1.0),
    ],
)  # fmt: skip
def test_what_a_card_brings_along(more: dict[str, object], factor: float) -> None:
    assert score.standing(DEFAULT, row(**more), Asked(NOW)) == pytest.approx(factor)


@given(PROFILE, SHARE, SHARE)
def test_two_witnesses_say_more_than_either_and_never_more_than_all(
    weights: Weights, strength: float, text: float
) -> None:
    found = score.evidence(weights, strength, weights.text * text)
    assert max(weights.tags * strength, score.conviction(weights.text, text)) - 1e-12 <= found <= 1.0
    assert score.evidence(weights, strength, 0.0) == pytest.approx(weights.tags * strength)


@given(PROFILE, SHARE, GAIN, GAIN, GAIN, st.floats(0.001, 3))
def test_more_of_any_witness_never_says_less(
    weights: Weights, strength: float, text: float, near: float, topic: float, more: float
) -> None:
    gain = weights.text * text + weights.near * near + weights.topic * topic
    found = score.evidence(weights, strength, gain)
    for weight in (weights.text, weights.near, weights.topic):
        assert score.evidence(weights, strength, gain + weight * more) >= found
    assert score.evidence(weights, min(1.0, strength + more), gain) >= found


@given(SHARE, GAIN, GAIN, GAIN)
def test_each_witness_leaves_its_own_doubt(strength: float, text: float, near: float, topic: float) -> None:
    doubts = (
        1 - DEFAULT.tags * strength, 1 - score.conviction(DEFAULT.text, text),
        1 - score.conviction(DEFAULT.near, near), 1 - score.conviction(DEFAULT.topic, topic),
    )  # fmt: skip
    gain = DEFAULT.text * text + DEFAULT.near * near + DEFAULT.topic * topic
    assert score.evidence(DEFAULT, strength, gain) == pytest.approx(1 - math.prod(doubts))


def test_of_two_texts_the_better_one_convinces_more_however_good_both_are() -> None:
    found = [score.evidence(DEFAULT, 0.0, gain) for gain in (0.5, 1.0, 1.5, 3.0)]
    assert found == sorted(set(found))
    assert found[-1] < 1.0


SOUGHT = st.sampled_from([None, score.Sought("a time", lambda _: True), score.Sought("a place", lambda _: False)])
PAST = st.lists(
    st.builds(
        lambda ago, days, share: score.Past(NOW - (ago + days) * score.DAY, NOW - ago * score.DAY, share),
        st.floats(0, 400), st.floats(0.01, 90), SHARE,
    ), max_size=2,
).map(tuple)  # fmt: skip


@given(PROFILE, ROWS, st.floats(0.001, 1), st.sampled_from(["", "work"]), st.sampled_from(["", "review"]), SOUGHT, PAST)
def test_the_ceiling_is_above_every_score(
    weights: Weights,
    card: Features,
    proof: float,
    scene: str,
    sub: str,
    sought: score.Sought | None,
    past: tuple[score.Past, ...],
) -> None:
    asked = Asked(NOW, scene, sub, sought=sought, past=past)
    tallest = score.tallest(weights, [(card.importance, card.layer, card.feedback)], asked)
    most = proof * tallest + score.scene_most(weights, asked)
    assert 0.0 <= score.total(weights, card, asked, proof) <= most + 1e-12


@given(PROFILE, ROWS, st.floats(0.001, 1), st.sampled_from(["", "work"]), st.sampled_from(["", "review"]), SOUGHT, PAST)
def test_the_reasons_give_the_score(
    weights: Weights,
    card: Features,
    proof: float,
    scene: str,
    sub: str,
    sought: score.Sought | None,
    past: tuple[score.Past, ...],
) -> None:
    asked = Asked(NOW, scene, sub, sure=bool(sub), sought=sought, past=past)
    said = score.reasons(weights, card, asked)
    product = math.prod(reason.value for reason in said if reason.kind == "×")
    bonus = sum(reason.value for reason in said if reason.kind == "+")
    assert proof * product + bonus == pytest.approx(score.total(weights, card, asked, proof), abs=1e-9)


@given(PROFILE, ROWS)
def test_a_scene_is_no_evidence(weights: Weights, card: Features) -> None:
    assert score.total(weights, card, Asked(NOW, "work", "review"), 0.0) == 0.0


def test_the_same_scene_adds_and_the_same_sub_scene_again() -> None:
    card = row(scene="work", scene_sub="review")
    assert score.scene(DEFAULT, card, Asked(NOW, "work")) == pytest.approx(0.1)
    assert score.scene(DEFAULT, card, Asked(NOW, "work", "review")) == pytest.approx(0.2)
    assert score.scene(DEFAULT, card, Asked(NOW, "home", "cooking")) == 0.0
    assert score.scene(DEFAULT, row(), Asked(NOW)) == 0.0


def test_a_scene_that_was_only_perceived_adds_less() -> None:
    card = row(scene="work", scene_sub="review")
    seen = score.scene(DEFAULT, card, Asked(NOW, "work", "review", sure=False))
    assert 0 < seen < score.scene(DEFAULT, card, Asked(NOW, "work", "review"))
    assert score.scene(WANGDEFA, card, Asked(NOW, "work", "review", sure=False)) == pytest.approx(0.2)


@given(ROWS, st.floats(1e-6, 1), st.sampled_from(["", "work"]), st.sampled_from(["", "review"]))
def test_wangdefa_is_its_formula(card: Features, strength: float, scene: str, sub: str) -> None:
    days = max(0.0, (NOW - card.created) / DAY)
    verdict = {"confirmed": 1.15, "rejected": 0.0}.get(card.feedback, 1.0)
    bonus = 0.1 * (bool(scene) and card.scene == scene) + 0.1 * (bool(sub) and card.scene_sub == sub)
    expected = strength * math.exp(-0.05 * days) * verdict + bonus
    proof = score.evidence(WANGDEFA, strength, WANGDEFA.text * 0.9)
    assert score.total(WANGDEFA, card, Asked(NOW, scene, sub), proof) == pytest.approx(expected, abs=1e-12)
