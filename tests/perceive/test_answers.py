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


@pytest.mark.parametrize(
    "text",
    [
        "who is my supervisor?", "am I allergic to anything?", "what is my blood type", "when is my mother's birthday?",
        "where do we keep the runbook?", "which editor did I choose?", "Is our standup at nine?",
        "why did we drop Redis?",
        "我是什么血型？", "我女儿叫什么名字", "我们为什么选 Terraform", "咱们几点开会？", "我喜欢喝咖啡吗",
    ],
)  # fmt: skip
def test_a_question_after_the_persons_own_affairs(text: str) -> None:
    assert answers.asks_own(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "who invented the telephone?", "how do I delete a remote branch?", "what should I cook tonight?",
        "why is my build failing?\nTraceback (most recent call last)", "my head hurts", "I met our neighbour",
        "fix my test",
        "帮我写个脚本好吗", "我该怎么办？", "给我讲讲什么是闭包", "我最近好累啊",
        "我想学什么语言好呢", "谁发明了电话？",
        "what does my " + "very " * 30 + "long question ask?",
    ],
)  # fmt: skip
def test_any_other_prompt_is_no_such_question(text: str) -> None:
    assert not answers.asks_own(text)
