"""Which questions ask for a time, and which texts tell any."""

from __future__ import annotations

import pytest

from kit.perceive import moments

ASKED = [
    "When did we move the gateway?", "so when's the review", "What date is the release?", "How long ago was that?",
    "我们什么时候换的网关？", "発売日はいつですか", "회의가 언제였지?",
]  # fmt: skip
NOT_ASKED = [
    "When I build it, it fails.", "Which port has the gateway?", "网关在哪个端口？", "いつもの設定で", "어디에 있어?",
    "",
]  # fmt: skip
TOLD = [
    "We met last Friday.", "It was on May 3rd.", "in 2023-05 we left", "two weeks ago", "上周我们换了网关", "3月5日",
    "先週行きました", "어제 만났다", "We go in May.",
]  # fmt: skip
NOT_TOLD = ["You may go.", "The march of time", "port 2023", "网关在机架上", "It is the second one."]


@pytest.mark.parametrize("text", ASKED)
def test_a_question_for_a_time(text: str) -> None:
    assert moments.asks_when(text)


@pytest.mark.parametrize("text", NOT_ASKED)
def test_what_does_not_ask_for_a_time(text: str) -> None:
    assert not moments.asks_when(text)


@pytest.mark.parametrize("text", TOLD)
def test_a_text_that_tells_a_time(text: str) -> None:
    assert moments.tells_when(text)


@pytest.mark.parametrize("text", NOT_TOLD)
def test_a_text_that_tells_none(text: str) -> None:
    assert not moments.tells_when(text)
