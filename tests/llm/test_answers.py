"""Reading a model's answer: whatever its form, what can be used is used, and nothing else is lost with what can't."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.llm import answers, fields
from kit.llm.intent import Intent
from kit.llm.turn import Turn

WHOLE = {"summary": "nginx waits 75 s.", "tags": ["nginx", "timeout"]}


@pytest.mark.parametrize(
    "said",
    [
        '{"summary": "nginx waits 75 s.", "tags": ["nginx", "timeout"]}',
        'Sure! Here:\n```json\n{"summary": "nginx waits 75 s.", "tags": ["nginx", "timeout",],}\n```\nAnything {else}?',
        "{'summary': 'nginx waits 75 s.', tags: ['nginx', 'timeout']}",
        "｛“summary”：“nginx waits 75 s.”，“tags”：［“nginx”、“timeout”］｝",
        '<think>{"summary": "a draft"} no…</think>{"summary": "nginx waits 75 s." "tags": ["nginx" "timeout"]}',
        '{"note": 1}\n{"summary": "nginx waits 75 s.", "tags": ["nginx", "timeout"]}',
        '{"summary": "nginx waits 75 s.", "tags": ["nginx", "timeout"], "overview": "half of',
        '{"summary": "nginx waits 75 s.", "tags": ["nginx", "timeout"',
    ],
    ids=[
        "plain",
        "fenced in prose",
        "python",
        "full width",
        "after a thought",
        "the second of two",
        "cut off",
        "unclosed",
    ],
)
def test_an_object_is_found_in_whatever_form_it_comes(said: str) -> None:
    found = answers.read_object(said, fields.names(Turn))
    assert found == WHOLE


@pytest.mark.parametrize(
    "said", ["", "I can't do that.", "[1, 2]", "{}", "{ no colon here }", "{" * 5000, '{"a' * 5000]
)
def test_what_is_no_object_gives_nothing(said: str) -> None:
    assert not answers.read_object(said)


def test_quotes_within_a_text_belong_to_it() -> None:
    assert answers.read_object('{"summary": "he said "no" to it", "n": 2}') == {"summary": 'he said "no" to it', "n": 2}


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="{}[]\":,，：“”\\ntrue1 a'", max_size=80))
def test_any_text_is_read_without_an_error(said: str) -> None:
    found = answers.read_object(said)
    assert found is None or isinstance(found, dict)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(max_size=9), st.text(max_size=9) | st.booleans() | st.lists(st.integers(), max_size=3)))
def test_good_json_is_read_as_it_is(value: dict[str, object]) -> None:
    assert (answers.read_object(json.dumps(value)) or {}) == value


def test_wrong_types_are_read_as_what_they_plainly_mean() -> None:
    found = fields.take(
        Turn,
        {
            "Summary": ["nginx", "waits", 75], "tags": "nginx、timeout; nginx conf", "feedback": "Confirmed",
            "scene": "work／debugging", "facts": ["Reports go in tables.", {"key": "indent", "value": "tabs"}],
            "verdicts": {"bug": "Discard", "504": "synonym： gateway timeout"},
            "definitions": {"nginx": "the web server", "vite": {"definition": "a bundler", "dimension": "content"}},
            "preferences": [{"text": "I like tea.", "confidence": "90%", "scenes": "work"}],
        },
    )  # fmt: skip
    turn = Turn.built(found.values)
    assert not found.dropped
    assert turn.summary == "nginx waits 75"
    assert turn.tags == ["nginx", "timeout", "nginx conf"]
    assert turn.feedback
    assert (turn.feedback.status, turn.scene and (turn.scene.category, turn.scene.sub)) == (
        "confirmed",
        ("work", "debugging"),
    )
    assert [(one.text, one.category) for one in turn.lasting] == [
        ("Reports go in tables.", "fact"), ("indent: tabs", "fact"), ("I like tea.", "preference"),
    ]  # fmt: skip
    assert turn.lasting[2].confidence == 0.9
    assert {name: (one.what, one.other) for name, one in turn.verdicts.items()} == {
        "bug": ("discard", ""), "504": ("synonym", "gateway timeout"),
    }  # fmt: skip
    assert turn.definitions["nginx"].definitions == ["the web server"]
    assert turn.definitions["vite"].dimensions == ["content"]


def test_chinese_keys_and_values_are_understood() -> None:
    turn = Turn.built(
        fields.take(
            Turn,
            {
                "摘要": "nginx 超时设为 75 秒", "标签": ["nginx", "导出超时"],
                "反馈": {"状态": "否定", "原因": "说不对"},
                "判定": {"问题": "丢弃", "网关": "近义：nginx"}, "偏好": [{"内容": "我喜欢表格。", "置信度": "高"}],
                "关系": [{"源": "nginx", "目标": "网关", "程度": "弱关联"}],
                "场景": {"类别": "work", "细分": "debugging"},
            },
        ).values
    )  # fmt: skip
    assert (turn.summary, turn.tags) == ("nginx 超时设为 75 秒", ["nginx", "导出超时"])
    assert turn.feedback
    assert (turn.feedback.status, turn.feedback.reason) == ("rejected", "说不对")
    assert [(one.what, one.other) for one in turn.verdicts.values()] == [("discard", ""), ("synonym", "nginx")]
    assert (turn.lasting[0].category, turn.lasting[0].confidence) == ("preference", 0.9)
    assert turn.relations[0].level == "loose"
    intent = Intent.built(
        fields.take(Intent, {"文体": "说明文", "路由": "深", "情绪": "着急", "标签": ["导出超时"]}).values
    )
    assert (intent.genre, intent.route, intent.emotion, intent.tags[0].name) == (
        "expository",
        "deep",
        "anxious",
        "导出超时",
    )


def test_each_thing_that_cannot_be_used_is_dropped_alone_and_told() -> None:
    found = fields.take(
        Turn,
        {
            "summary": "It works.", "overview": {"no": "text"}, "tags": 7, "feedback": {"status": "perhaps"},
            "facts": [{"category": "fact"}, "The port is 9090.", 12,
                      {"text": "Good.", "confidence": "7", "category": "odd"}],
            "verdicts": {"a": "eat it", "b": "activate"}, "relations": "none", "definitions": ["x"],
        },
    )  # fmt: skip
    turn = Turn.built(found.values)
    assert turn.summary == "It works."
    assert [one.text for one in turn.facts] == ["The port is 9090.", "Good."]
    assert list(turn.verdicts) == ["b"]
    assert (turn.overview, turn.tags, turn.feedback, turn.definitions) == ("", [], None, {})
    told = {each.partition(":")[0] for each in found.dropped}
    assert told == {
        "overview", "tags", "feedback, status", "feedback", "facts 1", "facts 3", "facts 4, confidence",
        "facts 4, category", "verdicts 'a', what", "verdicts 'a'", "relations 1", "definitions",
    }  # fmt: skip
    assert turn.facts[1].confidence == 0.7
