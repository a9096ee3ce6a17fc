"""Text made plain: names, numbers, paths and patterns survive; abbreviations end no sentence."""

from __future__ import annotations

import time

import pytest

from kit import text
from kit.digest import prose
from kit.digest.summary import summarise


@pytest.mark.parametrize(
    "code",
    [
        "OnCalendar=*-*-* 06:30",
        "src/**/*.test.ts",
        "kit/__init__.py",
        "run(*args, **kwargs)",
        "0 3 * * *",
        "__dirname",
        "prod-*",
        "`pip install -U 'foo[bar]==1.*'`",
        "*/5 * * * *",
        "def f(*args): g(**kw)",
        "*.py and *.js",
        "2 * 3 * 4",
        "a*b*c",
        "__main__ guard",
        "rm -rf build/* dist/*",
        "SELECT * FROM t WHERE a * b",
        "`[x](y)`",
        "`**kwargs`",
        "foo__bar__baz",
        "__init__.py and __main__.py",
        "x ** 2 and y ** 3",
        "char *p, char *q",
        "git add *.md",
        "`a_*_b`",
        "__all__",
        "/etc/nginx/conf.d/*.conf",
        "5*",
        "f(**a, **b)",
        "glob **/*.md",
        "* * * * * run.sh",
        "C:\\temp\\*.log",
        ">=3.11",
        "matches `*` only",
        "`__init__`",
        "`x`y",
        "^a*b*$",
    ],
)
@pytest.mark.parametrize("said", ["Set {} now", "{}", "The rule is: {}", "规则是 {} 吧"])
def test_names_paths_and_patterns_survive(code: str, said: str) -> None:
    assert prose.plain(said.format(code)) == said.format(code.replace("`", ""))


@pytest.mark.parametrize(
    ("marked", "bare"),
    [
        ("**Sure!** The x", "Sure! The x"),
        ("**注意**：超时", "注意：超时"),
        ("用**缓存**来做", "用缓存来做"),
        ("*really* good", "really good"),
        ("**use `x*y`** now", "use x*y now"),
        ("***both***", "both"),
        ("__very important__", "very important"),
        ("a **b** c **d** e", "a b c d e"),
        ("(*see below*)", "(see below)"),
        ("**bold *in* it**", "bold in it"),
        ("see [docs](http://x/y) `a`", "see docs a"),
        ("“**a**”", "“a”"),
        ("*重点*是", "重点是"),
        ("**1. Install**", "1. Install"),
        ("- **Name**: x", "Name: x"),
        ("**kwargs, then **bold** x", "**kwargs, then bold x"),
        ("> quoted", "quoted"),
        ("``a`b`` c", "a`b c"),
    ],
)
def test_marks_of_markdown_go(marked: str, bare: str) -> None:
    assert prose.plain(marked) == bare


@pytest.mark.parametrize(
    "said",
    [
        "My supervisor is Prof. Lindqvist, room 302.",
        "Dr. Brandt and Prof. Lindqvist signed it.",
        "We met Mr. Li and Mrs. Wang.",
        "George W. Bush came.",
        "J. R. R. Tolkien wrote it.",
        "J.R.R. Tolkien wrote it.",
        "It is written by J. Smith.",
        "See fig. 3 for it.",
        "It is no. 5 of 7.",
        "He works for Acme Inc. Berlin.",
        "The U.S. Navy uses it.",
        "We use Postgres, Redis etc. on Linux.",
        "Use one, e.g. Redis, for that.",
        "at 9 a.m. Monday",
        "on Nov. 30 we ship",
        "I live in St. Petersburg.",
        "Lindqvist et al. 2019 say so.",
        "Chapter vs. Section",
        "v. 2 is out",
        "1. Install it",
        "Use approx. 5 GB",
    ],
)
def test_abbreviations_initials_and_list_numbers_end_no_sentence(said: str) -> None:
    assert list(text.sentences(said)) == [said]
    assert text.first_sentence(said) == said


@pytest.mark.parametrize(
    "said",
    [
        "My blood type is A. My wife's is B.",
        "No. Use tabs.",
        "We took plan A. Deploy it tomorrow.",
        "We use C. Python is slow.",
        "It starts at 9 a.m. We meet then.",
        "He works for Acme Inc. They pay well.",
        "The port is 80. Then restart.",
        "It is in the U.S. The other is in Asia.",
        "Wait a sec. Then go.",
        "Use Redis etc. The rest stays.",
        "这是第一。这是第二",
        "Is it? Yes.",
        "Take vitamin C. Sleep well.",
        "I am not so sure. Ask Tom.",
        "See Appendix B. Deploy it.",
    ],
)
def test_a_letter_a_short_word_or_an_abbreviation_may_well_end_one(said: str) -> None:
    assert len(list(text.sentences(said))) == 2


@pytest.mark.parametrize(
    "said",
    [
        "litestream.yml is there",
        "minAppVersion is 1",
        "kit/x.py holds it",
        "__init__ is run",
        "e2e tests run",
        "snake_case is the rule",
        "docker-compose up starts it",
        "https://a.b is up",
    ],
)
def test_the_name_of_a_file_or_a_variable_gets_no_capital(said: str) -> None:
    assert prose.capital(said) == said
    assert summarise("Which one is it?", f"Sure, {said} because of the lock.").endswith(f"{said} because of the lock.")


def test_other_sentences_begin_with_a_capital() -> None:
    assert [prose.capital(said) for said in ("restart it", "it's fine", "the port")] == [
        "Restart it",
        "It's fine",
        "The port",
    ]


def test_odd_marks_take_linear_time() -> None:
    began = time.process_time()
    for odd in (
        "**a " * 20_000,
        "*a" * 30_000,
        "__a b" * 20_000,
        "`a" * 30_000,
        "*" * 40_000,
        "A. " * 20_000,
        "[a](" * 9_000,
    ):
        prose.sentences(prose.plain(odd))
    assert time.process_time() - began < 20
