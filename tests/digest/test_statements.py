"""Lasting facts from plain statements; nothing from anything else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.digest.statements import Statement, agree, similarity, statements


def one(user: str, agent: str = "") -> Statement:
    (found,) = statements(user, agent)
    return found


@pytest.mark.parametrize(
    ("user", "category", "confidence"),
    [
        ("I prefer pathlib to os.path.", "preference", 0.9),
        ("I really like short functions.", "preference", 0.9),
        ("I don't like nested ternaries", "preference", 0.9),
        ("I usually review pull requests in the morning.", "habit", 0.7),
        ("Remember that our API speaks JSON only.", "fact", 0.9),
        ("From now on, answer in French.", "style", 0.9),
        ("Never commit generated files.", "style", 0.9),
        ("My shell is fish.", "fact", 0.9),
        ("We use Sentry for error tracking.", "fact", 0.9),
        ("Our customers are small bakeries.", "business", 0.9),
        ("I live in Vienna.", "fact", 0.9),
        ("我更喜欢用 uv 装依赖。", "preference", 0.9),
        ("我讨厌三层嵌套的循环。", "preference", 0.9),
        ("我一般晚上写文档。", "habit", 0.7),
        ("以后提交信息都用英文写。", "style", 0.9),
        ("请总是先写测试再写代码。", "style", 0.9),
        ("我的手机是 Pixel 9。", "fact", 0.9),
        ("我们用飞书做项目管理。", "fact", 0.9),
        ("我对海鲜过敏。", "fact", 0.9),
        ("用户喜欢简洁的回答", "preference", 0.9),
    ],
)
def test_plain_statements_become_facts(user: str, category: str, confidence: float) -> None:
    found = one(f"记住：{user}" if user.startswith("用户") else user)
    assert (found.category, found.confidence) == (category, confidence)
    assert found.key
    assert found.value
    assert found.why


@pytest.mark.parametrize(
    "user",
    [
        "Should I always use async?",
        "If I like it, we ship it.",
        "It always fails on Fridays.",
        "never mind",
        "Never mind that one.",
        "Remember when we changed it?",
        "Do you remember my editor?",
        "I like the second version better.",
        "I like it.",
        "I always get a 403 from the endpoint.",
        "I never said that.",
        "My test is failing.",
        "My guess is that the cache is stale.",
        'The docs say "I prefer tabs".',
        "Fix the line `I prefer spaces`.",
        "```\nI prefer tabs\n```",
        "> I prefer tabs?",
        "I prefer this one for now.",
        "Don't do that again.",
        "Please don't delete it.",
        "We use too much memory.",
        "My server is down!",
        "What if we use Kafka?",
        "I wonder whether people prefer tabs.",
        "Could you always check the handles?",
        "I'd like a coffee.",
        "My code is not working.",
        "Our build is slow.",
        "Use a lock in pool.py.",
        "Always failing tests are bad.",
        "We used Redis for that.",
        "No, that's wrong.",
        "no",
        "Suppose my name is Bob.",
        "Never again!",
        "你还记得我喜欢什么吗？",
        "如果我喜欢深色主题呢",
        "我喜欢第二个版本。",
        "测试总是失败。",
        "你总是忘记加分号。",
        "我总是收到 403 错误。",
        "不要删它。",
        "别管了。",
        "我们用了太多内存。",
        "我的测试挂了。",
        "我的想法是先做登录。",
        "我的意思是改这里。",
        "要不要总是用异步？",
        "他说“我喜欢喝茶”。",
        "请不要现在提交。",
        "这是我的问题。",
        "不对。",
    ],
)
def test_everything_else_gives_nothing(user: str) -> None:
    assert statements(user, "Fine.") == []


@pytest.mark.parametrize(
    "user",
    [
        "我老婆是医生",
        "我女儿叫米娅。",
        "我是后端工程师",
        "我在字节跳动工作",
        "我不喝咖啡",
        "函数不要超过 30 行",
        "use British spelling",
        "Use single quotes.",
        "never use default exports",
        "Don't touch files under vendor/ ever",
        "Don't ever push to main",
        "SQL keywords in lower case",
        "never Co-authored-by",
        "I don't drink coffee",
        "I don't eat pork.",
        "I don't smoke",
        "I'm a backend engineer.",
        "我妈妈住在杭州",
        "我是左撇子",
        "我不吃辣",
        "我不抽烟",
        "我是一名护士",
        "我弟弟在阿里上班",
        "提交信息不要超过 60 个字",
        "每行最多 100 个字符",
        "Keep functions under 30 lines",
        "No functions longer than 40 lines",
        "Functions should not exceed 30 lines",
        "我是四川人",
        "我就职于华为",
        "Please use conventional commits",
        "I am a data scientist",
        "我导师是刘教授",
        "SQL keywords are always in upper case",
    ],
)
def test_what_somebody_is_does_not_do_and_wants_of_all_of_a_kind_is_lasting(user: str) -> None:
    assert one(user).key
    assert one(f"{user.rstrip('.。')}{'。' if user[0] > 'z' else '.'}").category == one(user).category


@pytest.mark.parametrize(
    "user",
    [
        "我老婆是不是医生",
        "我女儿在睡觉",
        "我老板是昨天来的",
        "我是说改这里",
        "我在改代码",
        "我不喝了",
        "我不吃这个",
        "这个函数不要超过 30 行",
        "我是不是该重启",
        "我在看日志工作",
        "我同事是对的",
        "函数超过 30 行了",
        "Use single quotes in this file",
        "use a lock in pool.py",
        "use the British spelling checker here",
        "Don't touch it",
        "Never mind",
        "I don't drink it",
        "I don't eat that",
        "I'm a bit lost",
        "I'm a developer stuck on this bug and need help",
        "Put the keyword in lower case",
        "Keep the response under 100 words",
        "keep it under 30 lines",
        "我是第一次用",
        "我是从昨天开始的",
        "我不用管它",
        "我是新来的人",
        "我在家工作",
        "请求不能超过三次吗？",
        "The title is in lower case",
        "I never eat lunch before the standup?",
        "我是想问端口",
        "No more than 3 tries worked",
    ],
)
def test_what_is_about_this_moment_is_not(user: str) -> None:
    assert statements(user, "Fine.") == []


def test_the_same_thing_said_again_has_the_same_key() -> None:
    assert one("Use tabs for indentation from now on.").key == one("no, spaces not tabs").key == "indentation"
    assert one("Reports go in tables.").key == one("From now on put reports in tables.").key
    assert one("My editor is Neovim.").key == one("My editor is Helix.").key
    assert one("我的编辑器是 Neovim。").key == one("我的编辑器是 Helix。").key
    assert one("I prefer concise code").key == one("I like concise code.").key


def test_different_things_about_one_object_have_different_keys() -> None:
    assert one("I hate long commit messages.").key != one("Never use emojis in commit messages.").key


def test_corrections_are_marked() -> None:
    assert one("no, tabs not spaces").correction
    found = one("不对，端口应该是 8080。")
    assert (found.correction, found.key, found.value) == (True, "端口", "8080")
    assert one("Actually it's 8080, not 8000.", "Right, I changed the port to 8080.").key == "port"
    assert not one("My editor is Neovim.").correction


def test_a_denial_keeps_its_no() -> None:
    assert one("Please never push to main without asking.").value.startswith("never")


def test_two_statements_in_one_sentence_are_two_facts() -> None:
    assert [fact.value for fact in statements("My name is Marta and my editor is Zed.", "")] == ["Marta", "Zed"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Reports go in tables", "Put reports in tables"),
        ("以后报告都用表格", "报告请用表格"),
        ("I prefer concise code with clear names", "I like concise code and clear names."),
        ("我喜欢简洁的代码", "代码要简洁"),
    ],
)
def test_the_same_fact_in_other_words_is_similar(a: str, b: str) -> None:
    assert similarity(a, b) >= 0.5
    assert agree(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Reports go in tables", "My editor is Neovim"),
        ("我的编辑器是 Neovim", "我们的客户是牙医"),
        ("I live in Vienna", "Never use emojis in commit messages"),
    ],
)
def test_unrelated_facts_are_not(a: str, b: str) -> None:
    assert similarity(a, b) < 0.3


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I like tabs", "I don't like tabs"),
        ("The port is 8080", "The port is 9090"),
        ("Use tabs, not spaces", "Use spaces, not tabs"),
        ("我喜欢喝茶", "我不喜欢喝茶"),
    ],
)
def test_facts_that_contradict_are_never_merged(a: str, b: str) -> None:
    assert similarity(a, b) < 0.5
    assert not agree(a, b)


def test_another_value_for_one_key_does_not_agree() -> None:
    assert not agree("My editor is Neovim", "My editor is Helix")
    assert agree("My editor is Neovim", "My editor is Neovim with LSP")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0 <= similarity(a, b) <= 1
    assert agree(a, b) == agree(b, a)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for fact in statements(text, text):
        assert fact.key
        assert fact.text
