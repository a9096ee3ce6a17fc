"""Which sort of answer a question asks for, and which texts hold one."""

from __future__ import annotations

import pytest

from kit import inquiry
from kit.perceive import answers

ASKED = {
    "When did we move the gateway?": "a time", "我们什么时候换的网关？": "a time", "How long ago was that?": "a time",
    "How many retries does the client make?": "a number", "缓存能存多少条？": "a number", "how old is she": "a number",
    "Where is the config?": "a place", "Which city did Ada visit?": "a place", "配置在哪里？": "a place",
}  # fmt: skip
ASKED_NONE = ["Which port has the gateway?", "That is where it fails.", "Any number will do.", "网关在哪个端口？", ""]
HOLD = {
    "a number": ["Three times a day.", "It keeps 500 entries.", "twice a week", "最多三个。"],
    "a place": ["We met in Lisbon.", "It lies in kit/config.py.", "at the beach", "我在上海图书馆。"],
}
HOLD_NONE = {"a number": ["It is fast.", "很快。"], "a place": ["It is fast.", "He said yes to me.", "很快。"]}


@pytest.mark.parametrize(("text", "name"), ASKED.items())
def test_a_question_for_a_sort_of_answer(text: str, name: str) -> None:
    found = inquiry.sought(text)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("text", ASKED_NONE)
def test_what_asks_for_none(text: str) -> None:
    assert inquiry.sought(text) is None


@pytest.mark.parametrize("name", HOLD)
def test_a_text_holds_it_or_does_not(name: str) -> None:
    sort = next(found for text in ASKED if (found := answers.asked(text)) is not None and found.name == name)
    assert all(map(sort.held, HOLD[name]))
    assert not any(map(sort.held, HOLD_NONE[name]))
