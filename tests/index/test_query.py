from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.errors import BadInputError
from kit.index.query import Query, match, parse, snippet

NOTE = {
    "title": "Running the C++ server",
    "tags": "code review\n标签池\nC＃",
    "user": "How do I run the server?\nIt used node.js in Tokyo, don't ask.",
    "agent": "机器学习和密码\n簿。ＦＵＬＬ width ｶﾞ",
    "people": "Anna Müller\nBo",
    "kind": "fact",
}
DAY = date(2026, 8, 19)


def found(asked: str) -> bool:
    return match(parse(asked), NOTE, DAY)


@pytest.mark.parametrize(
    "asked",
    [
        "run", "RUNS server", "c++", "node.js", "don't", "tokyo -paris", '"the c++ server"', '"run the server"',
        '"how do i run the server? it used"', "机器学习", "学习", "“密码簿”", "「学习和密码」", "full ガ", "机器 tokyo",
        "serv*", "no*js", "tok* 机器*", "title:running", 'title:"c++ server"', "user:run -title:tokyo",
        'tag:"code review"', "tag:Code-Review", "tag:标签池", "tag：标签池", "tag:c#", "-tag:c++", "person:bo",
        'person:"anna müller"', "kind:fact", "-kind:card", "date:2026", "date:2026-08", "date:2026-08-19",
        "date:2026-08..2026-09", "date:2026-08-19..", "date:..2026-08-19", "before:2026-08-20", "after:2026-07",
        "-date:2026-07", "", "the server", "-purple", '-"server c++"', "width", "-not", "c#",
    ],
)  # fmt: skip
def test_finds(asked: str) -> None:
    assert found(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "running paris", "c", "node.py", '"running server"', '"unning the"', '"the c"', "学机", "“簿密码”",
        "serv", "tok*x", "title:tokyo", "tag:code", "tag:标签", "person:anna", "kind:card", "-kind:fact", "-run",
        "-serv*", "-机器", "date:2026-07", "before:2026-08-19", "before:2026-08", "after:2026-08-19", "after:2026",
        "date:2026-08-20..", "date:..2026-08-18", "-date:2026-08", "http://a.b", "foo:run", "the purple", "-the",
    ],
)  # fmt: skip
def test_does_not_find(asked: str) -> None:
    assert not found(asked)


def test_an_instant_counts_by_the_day_of_its_own_offset() -> None:
    late = datetime(2026, 8, 31, 23, 30, tzinfo=timezone(timedelta(hours=-8)))
    assert match(parse("date:2026-08"), NOTE, late)
    assert not match(parse("date:2026-08"), NOTE, late.astimezone(UTC))
    assert not match(parse("date:2026-08"), NOTE)


@pytest.mark.parametrize(
    "asked", ["date:", "date:soon", "before:2026-13", "after:2026-02-30", "date:..", "before:..2026", "after:9999"]
)
def test_a_bad_date_says_how_to_write_one(asked: str) -> None:
    with pytest.raises(BadInputError, match="Write"):
        parse(asked)


@pytest.mark.parametrize("asked", ["tag:", "kind: fact", 'user:""'])
def test_a_field_without_a_value_is_refused(asked: str) -> None:
    with pytest.raises(BadInputError, match="has no value"):
        parse(asked)


def test_an_engine_is_asked_only_for_what_must_be_there() -> None:
    asked = parse('running "exact phrase" tag:code-review kind:fact person:bo -not wild* date:2026 标签池')
    assert [term for term, _ in asked.terms()] == [
        "run", "exact", "phrase", "code-review", "code", "review", "标签", "签池",
    ]  # fmt: skip
    assert parse("wild* -word kind:fact").terms() == []


def test_no_engine_syntax_leaks() -> None:
    for asked in ("a AND b OR (c", "NEAR(a b)", "title^2", "[a TO b]", "a:b:c", '"', '""', "***", "- -", "\\"):
        parse(asked)
        match(parse(asked), NOTE)
    assert found("server NEAR") is False
    assert parse('""') == Query()


def test_a_snippet_marks_the_matches_on_one_line() -> None:
    text = "Nothing here.\n\n" * 20 + "The\nserver was running on node.js, with 密码\n簿 and ﬁnd ｶﾞ.\n" + "Tail. " * 50
    shown = snippet(text, parse('run node.js "find ガ" 密码簿'), 80)
    assert "**running** on **node.js**, with **密码 簿** and **ﬁnd ｶﾞ**." in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "\n" not in shown


def test_a_snippet_shows_the_place_with_most_of_what_was_asked() -> None:
    text = "apple " + "filler " * 60 + "apple pear plum " + "filler " * 60 + "pear"
    assert "**apple** **pear** **plum**" in snippet(text, parse("plum pear apple -filler"), 60)


def test_a_snippet_without_matches_is_the_beginning() -> None:
    assert snippet("one two three four", parse("nine"), 9) == "one two…"
    assert snippet("机器学习和密码簿", parse("nine"), 4) == "机器学习…"
    assert snippet("short", parse("tag:x"), 60, ("<", ">")) == "short"


@settings(max_examples=150, deadline=None)
@given(
    st.text(st.characters(exclude_characters="\x01\x02"), max_size=80),
    st.lists(st.sampled_from(["server", "机器", "ﬁ", "ß", '"a b"', "-x", "w*", "İ", "ｶﾞ"]), max_size=4),
    st.integers(1, 60),
)
def test_a_snippet_is_part_of_the_text(text: str, asked: list[str], width: int) -> None:
    shown = snippet(text, parse(" ".join(asked)), width, ("\x01", "\x02"))
    bare = shown.replace("\x01", "").replace("\x02", "")
    line = " ".join(text.split())
    assert bare.removeprefix("…").removesuffix("…") in line or bare in line
    assert len(bare) <= width + 2
    assert shown.count("\x01") == shown.count("\x02")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='ab*-:"“”「」 ..标签tag', max_size=30))
def test_anything_can_be_asked(asked: str) -> None:
    try:
        query = parse(asked)
    except BadInputError:
        return
    match(query, NOTE, DAY)
    snippet(NOTE["user"], query)
