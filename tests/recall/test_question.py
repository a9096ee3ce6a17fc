"""What of a question counts as a word where it is judged how well a hit is founded."""

from __future__ import annotations

import pytest

from kit.witness.question import shares_of, solidity


@pytest.mark.parametrize(
    ("term", "worth"), [("merg", 1.0), ("缓存", 1.0), ("缓", 0.5), ("存的", 0.0), ("x", 0.0), ("404", 0.0)]
)
def test_letters_numbers_and_fillers_are_no_words(term: str, worth: float) -> None:
    assert solidity(term) == worth


def test_of_what_a_card_gains_only_words_found_it() -> None:
    gains = {1: {"缓存": 2.0, "缓": 1.0, "存": 1.0}, 2: {"merg": 3.0}, 3: {"7": 1.0, "x": 2.0}, 4: {}}
    assert shares_of(gains) == {1: 0.75, 2: 1.0, 3: 0.0, 4: 0.0}
