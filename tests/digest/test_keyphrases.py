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


@pytest.mark.parametrize(
    ("user", "agent", "whole", "cut"),
    [
        ("个人记忆检索怎么做", "用倒排索引做个人记忆检索。", "个人记忆检索", "人记忆检索"),
        ("帮我定一个跑步计划", "跑步计划每周三次。", "跑步计划", "步计划"),
        ("桌面端启动慢", "桌面端启动要三秒。", "桌面端启动", "桌面端启"),
        ("并行事实怎么合并", "并行事实按时间合并。", "并行事实", "行事实"),
        ("时区设成什么", "时区是 Asia/Shanghai。", "时区", "区"),
        ("回答用中文", "好的，用中文。", "中文", "文"),
        ("变量名用什么风格", "变量名用蛇形。", "变量名", "变量"),
        ("上海的会议室在几楼", "会议室在三楼。", "会议室", "议室"),
        ("小程序怎么登录", "小程序走 OAuth。", "小程序", "程序"),
        ("中间件放哪里", "中间件放在网关。", "中间件", "间件"),
        ("路由器型号是什么", "路由器是 AX86U。", "路由器", "路"),
        ("过敏原查了吗", "过敏原是花粉。", "过敏原", "敏原"),
        ("供应商换了吗", "供应商换成了鼎新。", "供应商", "供"),
        ("里程碑定在几号", "里程碑是五月。", "里程碑", "程碑"),
        ("家庭账本怎么记", "家庭账本每周记一次。", "家庭账本", "庭账本"),
    ],
)
def test_a_chinese_tag_is_a_whole_word(user: str, agent: str, whole: str, cut: str) -> None:
    words = [phrase.word for phrase in tags(user, agent)]
    assert whole in words
    assert cut not in words


@pytest.mark.parametrize(
    ("user", "agent", "denied"),
    [
        ("我不喝咖啡", "好的，记下了。", ("喝咖啡", "咖啡")),
        ("We use pnpm, never npm", "Noted.", ("npm",)),
        ("不要用 yarn，用 pnpm", "好的。", ("yarn",)),
        ("Answer without emojis in Postgres reviews", "Will do.", ("emojis",)),
        ("We chose Kafka instead of RabbitMQ", "Noted.", ("RabbitMQ",)),
    ],
)
def test_what_is_denied_is_no_tag(user: str, agent: str, denied: tuple[str, ...]) -> None:
    assert not {phrase.word for phrase in tags(user, agent)} & set(denied)


@pytest.mark.parametrize("word", ["家用空调", "货币兑换", "跨行缓存", "公共汽车站"])
def test_a_verb_at_the_end_of_a_word_is_part_of_it(word: str) -> None:
    assert word in {phrase.word for phrase in tags(f"{word}怎么样", f"{word}的说明。")}


def test_what_is_denied_here_and_told_there_is_one() -> None:
    assert "npm" in {phrase.word for phrase in tags("Never npm, I said", "The lock file of npm is gone.")}
    assert "咖啡机" in {phrase.word for phrase in tags("不要咖啡机", "咖啡机的滤网到了。")}


@pytest.mark.parametrize("word", ["dr", "Dr.", "Prof", "U.S.", "e.g.", "Mr", "Inc"])
def test_abbreviations_are_no_tags(word: str) -> None:
    assert refused(word)


def test_parts_of_names_and_hosts_are_no_tags() -> None:
    words = {phrase.word for phrase in tags("never Co-authored-by in commits", "See grafana.intern for the panel.")}
    assert not words & {"Co", "grafana．intern"}


def test_another_word_for_a_tag_of_the_pool_leads_to_it_however_generic_its_name() -> None:
    found = keyphrases(
        "变量名用什么风格", "变量名用蛇形。", known=lambda word: "naming" if word == "变量名" else None,
        df=lambda _: 0, cards=0,
    )  # fmt: skip
    assert found[0].word == "naming"


def test_the_end_of_a_pattern_is_no_file_and_a_professor_is_a_person() -> None:
    text = "Prof. Lindqvist leaves src/**/*.test.ts out"
    words = {phrase.word for phrase in tags(text, "Noted.")}
    assert not words & {"test．ts", "Lindqvist", "lindqvist"}
    assert people(text) == ["Lindqvist"]
