"""Known names in running text: the longest first, with and without blanks, never a name nobody bears."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit import text
from kit.index.lexicon import Lexicon, Mention

NAMES = [
    "c", "c++", "c#", "python", "unit test", "test", "tests", "testing", "code review",
    "标签", "标签池", "标签 池", "密码簿",
    "node.js", "r&d", "a/b", "a b", "a:b", "utf 8", "gpt 4", "标签pool", "x", "", "++", "running shoe",
]  # fmt: skip
KEYS = st.sampled_from(sorted({text.key(name) for name in NAMES}))


def knows(*names: str) -> Lexicon:
    lexicon = Lexicon()
    for name in names:
        lexicon.add(text.key(name))
    return lexicon


def found(asked: str, *names: str) -> list[tuple[str, str]]:
    return [(mention.key, mention.via) for mention in knows(*names).find(asked)]


@pytest.mark.parametrize(
    ("asked", "names", "expected"),
    [
        ("合并标签池怎么做", ["标签", "标签池", "池"], ["标签池"]),
        ("标签池和密码簿都要更新", ["标签池", "密码簿"], ["标签池", "密码簿"]),
        ("标签 池", ["标签池"], ["标签池"]),
        ("用Python写标签池", ["python", "标签池"], ["python", "标签池"]),
        ("如何review代码", ["review", "代码"], ["review", "代码"]),
        ("the unit test of a unit", ["unit test", "unit"], ["unit test", "unit"]),
        ("unit-test, Unit_Test", ["unit test"], ["unit test"]),
        ("ＰＹＴＨＯＮ　是什么", ["Python"], ["python"]),
        ("C or C++ or C#?", ["C", "C++", "C#"], ["c", "c++", "c#"]),
        ("I like C++", ["C"], []),
        ("Python's build", ["python"], ["python"]),
        ("node.js and node", ["node.js", "node"], ["node.js", "node"]),
        ("our R&D budget", ["R&D"], ["r&d"]),
        ("a/b testing", ["a/b", "a b"], ["a/b"]),
        ("a b testing", ["a/b", "a b"], ["a b"]),
        ("標籤池", ["标签池"], []),
        ("タグプールを見る", ["タグプール"], ["タグプール"]),
        ("태그 풀 정리", ["태그 풀"], ["태그풀"]),
        ("", ["x"], []),
        ("?!  \n", ["x"], []),
    ],
)  # fmt: skip
def test_names_are_found_longest_first(asked: str, names: list[str], expected: list[str]) -> None:
    assert [key for key, via in found(asked, *names) if via == "name"] == expected


@pytest.mark.parametrize("asked", ["unit. Test it", "unit, test", "the unit (test)", "unit: test", "unit & test"])
def test_words_with_punctuation_between_them_are_no_name(asked: str) -> None:
    assert ("unit test", "name") not in found(asked, "unit test")


@pytest.mark.parametrize("asked", ["标签。池", "标签，池", "标签（池）"])
def test_chinese_punctuation_parts_too(asked: str) -> None:
    assert ("标签池", "name") not in found(asked, "标签池")


def test_another_form_of_a_word_is_found_by_its_stem() -> None:
    assert found("I was testing it", "tests") == [("tests", "stem")]
    assert found("code reviews", "code review") == [("code review", "stem")]
    assert found("testing", "tests", "test") == [("test", "stem"), ("tests", "stem")]


def test_the_exact_word_is_taken_before_its_stem() -> None:
    assert found("tests", "tests", "test") == [("tests", "name")]


def test_a_lone_word_finds_the_names_it_is_part_of() -> None:
    assert found("the review", "code review") == [("code review", "part")]
    assert found("a reviewed text", "code review") == [("code review", "part")]
    assert found("review", "code review", "review") == [("review", "name")]


def test_neither_stop_words_nor_the_shortest_words_are_parts() -> None:
    assert found("the of is", "state of the art") == []
    assert found("go", "go build") == []


def test_a_chinese_character_alone_is_no_part() -> None:
    assert found("池", "标签池") == []


def test_a_mention_shows_what_stood_in_the_text() -> None:
    assert knows("code review").find("Our Code-Reviews") == [Mention("code review", "stem", "code-reviews")]


def test_a_name_of_very_many_words_is_known_but_not_looked_for() -> None:
    long = " ".join(f"w{number}" for number in range(40))
    lexicon = knows(long)
    assert text.key(long) in lexicon
    assert lexicon.find(long) == []
    lexicon.discard(text.key(long))
    assert len(lexicon) == 0


TEXTS = st.one_of(
    st.lists(st.sampled_from([*NAMES, "the", "，", ". ", " "]), max_size=8).map(" ".join), st.text(max_size=30)
)
STEPS = st.lists(st.tuples(st.booleans(), KEYS, st.integers(1, 3)), max_size=30)


@given(STEPS, TEXTS)
def test_a_name_taken_back_was_never_there(steps: list[tuple[bool, str, int]], asked: str) -> None:
    lexicon, held = Lexicon(), dict[str, int]()
    for adds, key, times in steps:
        if adds:
            lexicon.add(key, times)
            held[key] = held.get(key, 0) + times
        else:
            lexicon.discard(key, times)
            held[key] = max(0, held.get(key, 0) - times)
    fresh = Lexicon()
    for key in sorted(held):
        fresh.add(key, held[key])
    assert lexicon.names() == fresh.names()
    assert len(lexicon) == len(fresh)
    assert lexicon.find(asked) == fresh.find(asked)
    assert all(lexicon.find(key) == fresh.find(key) for key in held)


@given(st.lists(KEYS, max_size=10), TEXTS)
def test_only_names_that_are_borne_are_found_and_looking_adds_none(keys: list[str], asked: str) -> None:
    lexicon = knows(*keys)
    before = lexicon.names()
    mentions = lexicon.find(asked)
    assert {mention.key for mention in mentions} <= set(before)
    assert "never heard of" not in lexicon
    assert lexicon.names() == before
    assert lexicon.find(asked) == mentions


@given(KEYS.filter(lambda key: any(char.isalnum() for char in key)), TEXTS)
def test_every_name_is_found_where_it_stands_alone(key: str, asked: str) -> None:
    del asked
    assert key in [mention.key for mention in knows(*NAMES).find(key)]
