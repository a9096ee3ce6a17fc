"""What takes the place of a fact, and what stands beside it: the same question answered anew, or another matter."""

from __future__ import annotations

import pytest

from kit.digest.statements import adds, agree, contradict, statements


def key(said: str) -> str:
    mark = "记住：" if any("一" <= char <= "鿿" for char in said) else "Remember: "
    return statements(mark + said, "")[0].key


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My blood type is A", "My blood type is B"),
        ("我的血型是 A 型", "我的血型是 O 型"),
        ("我的车是 Model 3", "我的车是 Model Y"),
        ("I live in Berlin", "I live in Munich"),
        ("我住在柏林", "我住在慕尼黑"),
        ("I work at ACME", "I work at Globex"),
        ("We deploy on Fridays", "We deploy on Tuesdays"),
        ("Mr. Li is my landlord", "Mr. Wang is my landlord"),
        ("The staging server is at 10.0.0.5", "The staging server is at 10.0.0.6"),
        ("My landlord is Mr. Li", "Mr. Wang is my landlord"),
        ("张三是我的房东", "李四是我的房东"),
        ("我在字节跳动工作", "我在美团工作"),
        ("我是后端工程师", "我是产品经理"),
        ("The default branch is main", "The default branch is trunk"),
        ("Our plan is plan A", "Our plan is plan B"),
        ("The seed user is alice", "The seed user is bob"),
        ("我们周五发布", "我们周二发布"),
        ("测试服务器在 10.0.0.5", "测试服务器在 10.0.0.6"),
        ("时区是 Asia/Shanghai", "时区是 Europe/Berlin"),
        ("My office is in Berlin", "My office is in Munich"),
        ("The wifi password is hunter2", "The wifi password is hunter3"),
        ("My wife is Anna", "My wife is Eva"),
        ("会议室在三楼 302", "会议室在四楼 401"),
        ("My timezone is UTC", "My timezone is CET"),
        ("The on-call channel is #ops", "The on-call channel is #alerts"),
        ("My locker is in zone A", "My locker is in zone B"),
        ("I'm a backend engineer", "I'm a data scientist"),
        ("我的领导是王强", "李雷是我的领导"),
        ("Our sprint starts on Monday", "Our sprint starts on Wednesday"),
        ("例会在周一上午", "例会改到周二下午三点"),
        ("公司邮箱的后缀是 acme.cn", "公司邮箱的后缀是 acme.com"),
    ],
)
def test_another_answer_to_the_same_question_has_its_key_and_does_not_agree(old: str, new: str) -> None:
    assert key(old) == key(new)
    assert not agree(old, new)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Berlin", "My sister lives in Munich"),
        ("We deploy on Fridays", "We review on Tuesdays"),
        ("I'm allergic to penicillin", "I'm allergic to peanuts"),
        ("My hobby is chess", "My hobby is climbing"),
        ("My wife is Anna", "My wife is a doctor"),
        ("My wife is a doctor", "My wife is a runner"),
        ("My sister is Anna", "My sister is Eva"),
        ("My sister is Anna", "My sister is a nurse"),
        ("My car is a Tesla", "My car is in the garage"),
        ("I go to the gym on Mondays", "I go to the gym on Thursdays"),
        ("I never work on Fridays", "I never work on Sundays"),
        ("We deploy on Fridays", "We never deploy on Mondays"),
        ("I work at ACME", "I work at night"),
        ("I work at ACME", "I work as a nurse"),
        ("我对花生过敏", "我对青霉素过敏"),
        ("我女儿叫米娅", "我女儿叫艾玛"),
        ("我周一去健身房", "我周四去健身房"),
        ("函数不要超过 30 行", "函数不要有副作用"),
        ("Use tabs", "I use tabs in Go"),
        ("Use Postgres for billing", "Use Postgres for search"),
        ("We use Sentry for error tracking", "We use Grafana for monitoring"),
        ("The parser is slow", "The parser is strict"),
        ("Functions are not longer than 30 lines", "Functions are not nested"),
        ("I live in Berlin", "I also live in Munich"),
        ("I take vitamin C", "I take vitamin D"),
        ("我住在柏林", "我妹妹住在慕尼黑"),
        ("The staging server is at 10.0.0.5", "The staging server is in Frankfurt"),
        ("我老婆是医生", "我老婆叫小美"),
        ("The staging server is at 10.0.0.5", "The production server is at 10.0.0.6"),
        ("My dog is Rex", "My dog is Bello"),
        ("I write backend code in Python", "I write backend code in Go"),
        ("我喜欢喝茶", "我喜欢爬山"),
        ("我们周五发布", "我们周五聚餐"),
        ("My friend is Tom", "My friend is Bob"),
        ("We use C for firmware", "We use Go for firmware"),
        ("My phone number is 555-1234", "My passport number is 555-9999"),
    ],
)
def test_facts_about_different_things_stand_side_by_side(one: str, other: str) -> None:
    assert key(one) != key(other)
    assert not agree(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Reports go in tables", "Put reports in tables"),
        ("报告用表格", "报告请放在表格里"),
        ("I prefer dark mode", "i prefer DARK mode."),
        ("I live in Berlin", "I live in Berlin now"),
        ("我住在柏林", "我住在柏林。"),
        ("My blood type is A", "my blood type is A."),
        ("The default branch is main", "Default branch is main"),
        ("We deploy on Fridays", "We always deploy on Fridays"),
    ],
)
def test_the_same_fact_in_other_words_agrees(one: str, other: str) -> None:
    assert agree(one, other)
    assert not adds(one, other)


def test_two_prohibitions_hold_both() -> None:
    assert not contradict("Never use npm", "Don't use yarn")
    assert not contradict("不要用 npm", "别用 yarn")
    assert contradict("Don't use npm", "Use npm")
    assert contradict("We use pnpm, never npm", "We use yarn, never npm")


def test_a_sentence_that_says_more_adds_to_what_is_known() -> None:
    assert adds("My editor is Neovim with LSP", "My editor is Neovim")
    assert adds("I'm allergic to peanuts and penicillin", "I'm allergic to peanuts")
    assert not adds("My editor is Neovim", "My editor is Neovim with LSP")
