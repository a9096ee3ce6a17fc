"""Tags are concrete, few, and the pool's own first; generic words are refused with a reason."""

from __future__ import annotations

import pytest

from kit import text as analyser
from kit.digest.keyphrases import Phrase, keyphrases, people, refused


def tags(user: str, agent: str, *known: str, limit: int = 4) -> list[Phrase]:
    pool = {analyser.key(name): name for name in known}
    return keyphrases(
        user, agent, known=lambda word: pool.get(analyser.key(word)), df=lambda _: 0, cards=0, limit=limit
    )


def test_known_tags_lead() -> None:
    found = tags("Why does the sync queue stall in worker.py?", "The lock is held too long.", "sync-queue", "lock")
    assert [phrase.word for phrase in found[:2]] == ["sync-queue", "lock"]
    assert found[0].known
    assert "known tag" in found[0].why


def test_known_chinese_tags_are_found_without_spaces() -> None:
    found = tags("请看一下密码簿为什么没有更新", "倒排索引没有重建。", "密码簿", "倒排索引")
    assert {phrase.word for phrase in found if phrase.known} == {"密码簿", "倒排索引"}


def test_no_chinese_clause_becomes_a_tag() -> None:
    for phrase in tags("帮我看看为什么登录接口在高峰期总是返回超时错误", "网关的连接池太小，高峰期全部占满。"):
        assert sum(map(analyser.is_cjk, phrase.word)) <= 6


def test_code_and_file_names_are_good_tags() -> None:
    words = {phrase.word for phrase in tags("Fix test_upload.py", "`fetch_rows` in conftest.py had no timeout.")}
    assert {analyser.tag_word("test_upload.py"), analyser.tag_word("conftest.py")} <= words


def test_one_of_near_duplicates_stays() -> None:
    words = [
        phrase.word.lower()
        for phrase in tags("Rate limits: set the rate limit of the API gateway", "The rate limit is 100.")
    ]
    assert sum("rate" in word for word in words) == 1


def test_people_are_no_tags() -> None:
    text = "We agreed with Jonas to ship the beta of Helix"
    assert people(text) == ["Jonas"]
    assert "Jonas" not in {phrase.word for phrase in tags(text, "Noted in ROADMAP.md.")}


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_the_limit_holds(limit: int) -> None:
    assert len(tags("Compare Redis, Kafka, Postgres, NATS and RabbitMQ", "Kafka keeps a log.", limit=limit)) <= limit


@pytest.mark.parametrize(
    "word",
    [
        "工作",
        "问题",
        "系统优化",
        "编译",
        "测试",
        "work",
        "Problem",
        "testing",
        "system",
        "2026",
        "123",
        "2026-08-19",
        "",
        "#",
        "a",
        "3f786850e3",
        "这个系统的登录问题需要优化处理",
        "the way we decided to do it today",
        "检查",
        "do",
    ],
)
def test_words_that_locate_nothing_are_refused(word: str) -> None:
    assert refused(word)


@pytest.mark.parametrize(
    "word",
    ["Postgres", "C", "C++", "任务队列", "pytest-fixture", "登录接口", "锁", "b-tree", "ROADMAP.md", "zettelkasten"],
)
def test_concrete_words_are_allowed(word: str) -> None:
    assert refused(word) is None


def test_a_word_on_a_fifth_of_many_cards_is_refused() -> None:
    assert refused("Postgres", lambda _: 11, 50) == "it stands on 11 of 50 cards and tells none apart"
    assert refused("Postgres", lambda _: 10, 50) is None
    assert refused("Postgres", lambda _: 40, 49) is None


def test_people_are_found_with_care() -> None:
    assert people("I talked with Marta Keller and told Priya; we work with Redis") == ["Marta Keller", "Priya"]
    assert people("我和王磊商定了时间，陈静希望早点上线") == ["王磊", "陈静"]
    assert people("我和同事讨论方案，问题在高峰期") == []
    assert people("Deploy from Friday with Docker") == []
