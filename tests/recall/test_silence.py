"""What is told unasked: well-founded hits, and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kit.model.hits import Hit, Reason
from kit.recall import silence
from kit.recall.silence import ENOUGH, LEAST, MARGIN, worth_telling


def hit(score: float, tags: float, words: float = 0.0) -> Hit:
    return Hit(f"h{score}", "card", "cards/h.md", score, None, (silence.ground(tags, words),))


FOUND = st.lists(st.builds(hit, st.floats(0.01, 1), st.floats(0, 3), st.floats(0, 4)), max_size=6)


def test_one_rare_tag_or_two_rare_words_are_enough() -> None:
    for founded in (hit(0.4, 0.9), hit(0.4, 0.0, 1.9)):
        assert worth_telling([founded]) == [founded]


def test_a_small_share_of_the_prompt_is_enough_only_where_much_was_found() -> None:
    assert worth_telling([hit(0.2, 0.9), hit(0.25, 0.0, 1.9)]) == []
    much = hit(0.2, 0.9, 1.0)
    assert worth_telling([much]) == [much]


def test_a_lone_word_or_a_common_tag_is_not() -> None:
    assert worth_telling([hit(0.9, 0.0, 1.0), hit(0.8, 0.3), hit(0.8, 0.2, 1.0)]) == []


def test_one_rare_word_is_enough_for_a_question_after_ones_own_affairs_that_it_answers_about_whole() -> None:
    whole, part = hit(0.8, 0.0, 1.0), hit(0.6, 0.0, 1.0)
    assert worth_telling([whole], own=True) == [whole]
    assert worth_telling([part], own=True) == []
    assert worth_telling([hit(0.9, 0.0, 0.7)], own=True) == []


def test_a_hit_that_says_nothing_of_its_ground_is_never_told() -> None:
    unfounded = Hit("filled", "card", "cards/f.md", 0.9, None, ())
    assert worth_telling([unfounded]) == []
    founded = hit(0.9, 1.0)
    assert worth_telling([founded, unfounded]) == [founded]


def test_what_stays_far_behind_the_best_is_not_told_with_it() -> None:
    best, near, far = hit(0.8, 1.0), hit(0.7, 0.5), hit(0.2, 1.0)
    assert worth_telling([best, near, far]) == [best, near]


@given(FOUND)
def test_what_is_told_is_founded_near_the_best_and_in_order(found: list[Hit]) -> None:
    told = worth_telling(found)
    worth = {id(one): one.reasons[0].value for one in found}
    assert told == [one for one in found if one in told]
    if told:
        assert max(worth[id(one)] for one in found) >= ENOUGH
        assert all(worth[id(one)] >= LEAST for one in told)
        assert min(one.score for one in told) >= MARGIN * max(one.score for one in told)


def named(score: float, tag: str) -> Hit:
    reasons = (Reason("direct", 0.1, "+", f"tag '{tag}'"), silence.ground(0.9, 0.0))
    return Hit(f"h{score}{tag}", "fact", "facts/f.md", score, None, reasons)


def test_each_tag_that_is_named_gets_its_answer_however_much_else_is_asked() -> None:
    best, other, again = named(0.6, "react"), named(0.3, "redis"), named(0.25, "redis")
    assert worth_telling([best, other, again]) == [best, other]


def called(score: float, tag: str, words: float = 0.0) -> Hit:
    reasons = (
        Reason("direct", 0.1, "+", f"tag '{tag}'"), Reason("named", 1.0, "=", tag), silence.ground(0.9, words),
    )  # fmt: skip
    return Hit(f"h{score}{tag}", "fact", "facts/f.md", score, None, reasons)


def test_a_tag_that_somebody_chose_answers_to_its_name_in_the_longest_prompt() -> None:
    assert worth_telling([called(0.09, "redis")]) != []
    assert worth_telling([named(0.09, "redis")]) == []


def test_where_a_chosen_tag_answers_other_cards_are_told_only_if_they_fit_better_or_say_very_much() -> None:
    answer, beside = called(0.6, "redis"), hit(0.5, 0.0, 1.9)
    assert worth_telling([answer, beside]) == [answer]
    better, ample = hit(0.7, 0.0, 1.9), hit(0.5, 0.0, 3.0)
    assert worth_telling([better, answer, ample]) == [better, answer, ample]
