"""Which times narrow a question, and what that is worth to a card."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest

from kit import inquiry
from kit.recall import match, score
from kit.recall.query import Proofs
from kit.recall.score import PROFILES
from tests.recall.test_engine import add_up, factors
from tests.small_vault import NOW, Vault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEANT = [
    "What did we decide on 7 July, 2026?", "Why did the review slip in May 2026?", "2026年7月7日我们决定了什么？",
    "What did we decide last week?", "我们昨天决定了什么？",
]  # fmt: skip
NOT_MEANT = [
    "Yesterday I met an old friend.", "昨天我画了一张画，你觉得好看吗？",
    "I bought a rose yesterday, which vase suits it?", "What have we decided recently?",
    "What did we eat yesterday?\nI like soup.",
]  # fmt: skip


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = Vault(tmp_path)
    yield made
    made.index.close()


@pytest.mark.parametrize("text", MEANT)
def test_a_time_that_is_asked_about(text: str) -> None:
    assert [span.meant for span in inquiry.times(text, NOW)] == [True]


@pytest.mark.parametrize("text", NOT_MEANT)
def test_a_time_that_is_only_told(text: str) -> None:
    assert [span.meant for span in inquiry.times(text, NOW)] == [False]


def test_of_two_cards_with_the_same_words_the_one_of_the_time_asked_about_answers(vault: Vault) -> None:
    newer = vault.card(days=1, says="We moved the gateway.")
    then = vault.card(days=31, says="We moved a gateway.")
    soon = vault.card(days=27, says="We moved the old gateway.")
    vault.scan()
    both = {entry.num: 1.0 for entry in vault.index.catalog.of_kind("card")}
    asked = partial(vault.ask, witness=lambda *_: Proofs(both), threshold=0.0)
    at = NOW - timedelta(days=31)
    found = asked("who moved it?", times=(match.Span(at - timedelta(hours=6), at + timedelta(hours=6), "then", True),))
    assert [hit.id for hit in found.hits] == [then, soon, newer]
    assert {hit.id for hit in found.hits if "timely" in factors(hit)} == {then, soon}
    assert add_up(found)
    told = asked("who moved it?", times=(match.Span(at - timedelta(hours=6), at + timedelta(hours=6), "then"),))
    assert not any("timely" in factors(hit) for hit in told.hits)


def test_a_time_narrows_if_it_is_over_and_the_less_the_longer_it_is() -> None:
    def share(start: datetime, days: float) -> float:
        span = match.Span(start, start + timedelta(days=days), "then", True)
        return max((one.share for one in score.narrowing([span], NOW.timestamp())), default=0.0)

    past = NOW - timedelta(days=400)
    assert share(past, 1) == share(past, 7) > share(past, 31) > share(past, 365) == 0
    assert share(NOW - timedelta(hours=1), 1) == 0
    asked = score.Asked(NOW.timestamp(), past=score.narrowing([match.Span(past, past + timedelta(1), "", True)], 2e9))
    in_it, after, later = (past.timestamp() + days * score.DAY for days in (0.5, 3, 30))
    weights = PROFILES["default"]
    assert score.timely(weights, in_it, asked) > score.timely(weights, after, asked) > 1
    assert score.timely(weights, later, asked) == 1
