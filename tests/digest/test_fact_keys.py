"""What a fact is filed under: what it is about, without the value, so that another value takes its place."""

from __future__ import annotations

import pytest

from kit.digest.statements import statements


def key(said: str) -> str:
    return statements(said, "")[0].key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Remember: Meetings are at nine.", "Remember: Meetings are at ten."),
        ("Remember that the standup is on Mondays at 9:30.", "Remember: the standup is on Tuesdays at 10 am"),
        ("Remember: the port of the gateway is 9090", "Remember: the port of the gateway is 8080."),
        ("记住：例会在周一上午。", "记住：例会改到周二下午三点。"),
        ("记住：周一上午开例会", "记住：周三下午开例会"),
        ("记住：网关的端口是9090", "记住：网关的端口改为8080。"),
    ],
)
def test_another_value_has_the_same_key(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Remember: Meetings are at nine.", "Remember: Meetings are on Mondays."),
        ("Remember: Meetings are at nine.", "Remember: lunch is at nine."),
        ("I never work on Fridays.", "I never work on Sundays."),
        ("Remember: the port of the gateway is 9090", "Remember: the port of the proxy is 9090"),
        ("记住：例会在周一上午。", "记住：发布在周一上午。"),
    ],
)
def test_another_matter_has_another_key(one: str, other: str) -> None:
    assert key(one) != key(other)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("记住：时区是 Asia/Shanghai", "时区"),
        ("记住：用中文回答", "中文回答"),
        ("记住：我的请求要加上签名", "签名 请求"),
        ("记住：提交信息用中文写", "中文 提交信息"),
        ("记住：会议室在三楼 302", "会议室 在"),
    ],
)
def test_a_chinese_key_is_of_whole_words(said: str, expected: str) -> None:
    assert key(said) == expected
