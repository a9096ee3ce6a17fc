from __future__ import annotations

import json
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.perceive.rules import SceneWords, perceive, spoken
from kit.text import is_cjk

if TYPE_CHECKING:
    from kit.model.perception import Perception

NOW = datetime(2026, 11, 30, 11, 30, tzinfo=timezone(timedelta(hours=8)))
HERE = Path(__file__).parent


class Labelled(NamedTuple):
    text: str
    useful: bool
    route: str
    scene: str
    intent: str


class Figures(NamedTuple):
    useful: float
    route: float
    scene: float
    intent: float
    missed: list[str]
    """useful prompts that were judged useless"""


def judge(text: str) -> Perception:
    return perceive(text, now=NOW)


def read(name: str) -> list[Labelled]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [Labelled(**json.loads(line)) for line in lines]


def measure(name: str) -> Figures:
    rows = [(row, judge(row.text)) for row in read(name)]
    wanted = [(row, got) for row, got in rows if row.useful]
    placed = [(row, got) for row, got in rows if row.scene]

    def share(hits: list[bool]) -> float:
        return sum(hits) / len(hits)

    figures = Figures(
        share([row.useful == got.useful for row, got in rows]),
        share([row.route == got.route for row, got in wanted]),
        share([row.scene == got.scene for row, got in placed]),
        share([row.intent == got.intent for row, got in wanted]),
        [row.text for row, got in wanted if not got.useful],
    )
    print(  # noqa: T201 - the figures are what these tests are read for
        f"{name}: {len(rows)} prompts, useful {figures.useful:.3f}, route {figures.route:.3f}, "
        f"scene {figures.scene:.3f}, intent {figures.intent:.3f}"
    )
    return figures


def test_the_rules_agree_with_the_labels_they_were_tuned_on() -> None:
    figures = measure("prompts.jsonl")
    assert figures.missed == []
    assert figures.useful >= 0.95
    assert figures.route >= 0.85
    assert figures.scene >= 0.8
    assert figures.intent >= 0.8


def test_the_rules_hold_on_prompts_they_were_not_tuned_on() -> None:
    figures = measure("prompts-held-out.jsonl")
    assert figures.missed == []
    assert figures.useful >= 0.85
    assert figures.route >= 0.8
    assert figures.scene >= 0.5
    assert figures.intent >= 0.7


@pytest.mark.parametrize(("name", "least"), [("routes.jsonl", 0.9), ("routes-held-out.jsonl", 0.7)])
def test_how_deep_an_answer_must_go_is_told_by_other_words_too(name: str, least: float) -> None:
    rows = [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]
    for tongue in (True, False):
        chosen = [row for row in rows if is_cjk(row["text"]) is tongue]
        right = sum(judge(row["text"]).route == row["route"] for row in chosen) / len(chosen)
        print(f"{name}: {len(chosen)} prompts, route {right:.3f}")  # noqa: T201 - as above
        assert right >= least


def test_the_labelled_sets_are_large_and_do_not_overlap() -> None:
    tuned, held_out = read("prompts.jsonl"), read("prompts-held-out.jsonl")
    assert len(tuned) >= 240
    assert len(held_out) >= 60
    assert not {row.text for row in tuned} & {row.text for row in held_out}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "…",
        "?!",
        "17",
        "https://example.org/a",
        "/help",
        "/model opus",
        "ls -la",
        "sudo make install",
        "npm test",
        "git add . && git commit -m wip",
        "go on",
        "继续",
        "好的好的",
        "thanks!!",
        "哈哈哈哈哈哈",
        "OK 👍",
        "嗯嗯 好的 谢谢",
    ],
)
def test_a_prompt_without_content_needs_no_memory(text: str) -> None:
    found = judge(text)
    assert not found.useful
    assert found.route == "shallow"
    assert any(line.startswith("no memory needed") for line in found.reasons)


@pytest.mark.parametrize(
    "text",
    [
        "make it faster",
        "go through the issues",
        "find the bug",
        "git or mercurial?",
        "code style?",
        "test the login page",
        "thanks! and how did we configure nginx last time?",
        "remember: I like tabs",
        "same as last time",
        "像上次那样",
        "continue with the parser",
        "继续写解析器",
        "no, the other branch",
        "run the tests and fix what fails",
        "/review the auth module the way we did it last week",
        "why?\n\nIt worked before.",
    ],
)
def test_a_prompt_that_says_something_is_useful(text: str) -> None:
    assert judge(text).useful


def test_a_paste_alone_is_useless_and_a_question_about_the_past_beside_it_is_useful() -> None:
    paste = "```\nKeyError: 'name'\n```"
    assert not judge(paste).useful
    assert not judge(f"fix this please\n{paste}").useful
    assert judge(f"fix this the same way as last time\n{paste}").useful
    assert judge(f"像上次那样修\n{paste}").useful


def test_spoken_keeps_a_persons_words_and_leaves_pastes_out() -> None:
    prompt = """Why does this crash?
```python
raise ValueError("boom")
```
> an answer that is quoted
Traceback (most recent call last):
  File "app.py", line 2, in <module>
    main()
ValueError: boom
2026-11-02 10:11:12 ERROR connection lost
diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,2 +1,2 @@
-old = 1
+new = 2

- it worked fine until yesterday
- 昨天还好好的
<system-reminder>Use the todo list.</system-reminder>
Thanks!"""
    assert spoken(prompt).splitlines() == [
        "Why does this crash?",
        "- it worked fine until yesterday",
        "- 昨天还好好的",
        "Thanks!",
    ]


def test_spoken_leaves_out_code_without_a_fence_and_an_open_fence() -> None:
    assert spoken("def add(a, b):\n    return a + b\n\nIs this fast enough?") == "Is this fast enough?"
    assert spoken("Look:\n~~~\nnever closed") == "Look:"
    assert spoken("````md\n```\ninner\n```\n````\nouter words") == "outer words"


def test_spoken_keeps_a_sentence_that_only_resembles_code() -> None:
    for text in (
        "let me know if it works",
        "import the contacts please",
        "class names should be nouns",
        "remember: tabs",
    ):
        assert spoken(text) == text


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("Which port does the database use?", "shallow"),
        ("Add a button", "shallow"),
        ("这个函数叫什么", "shallow"),
        ("How did we fix the import?", "medium"),
        ("总结一下我们的讨论", "medium"),
        ("What was the exact command?", "deep"),
        ("给我当时的命令", "deep"),
        ("原文是什么", "deep"),
        ("step by step as before", "deep"),
        ("Write a step by step tutorial for beginners", "shallow"),
        ("写一个完整的登录页面", "shallow"),
    ],
)
def test_the_route_follows_from_what_the_answer_needs(text: str, route: str) -> None:
    assert judge(text).route == route


def test_mood_and_topic_leave_the_route_alone() -> None:
    question = "What was the exact command we used?"
    for before in ("", "I'm so angry and tired! ", "About the film: ", "Urgent, production is down! "):
        assert judge(before + question).route == "deep"


@pytest.mark.parametrize(
    ("text", "scene", "sub"),
    [
        ("Please do a code review of the payment module", "work", "code-review"),
        ("Debug the crash in the importer", "work", "debugging"),
        ("部署到预发环境的服务器", "work", "operations"),
        ("Book a hotel for our trip to Rome", "life", "travel"),
        ("帮我列一个购物清单", "life", "shopping"),
        ("考考我法语单词", "study", "practice"),
        ("What's the plot of that film?", "play", "films"),
        ("推荐一个歌单", "play", "music"),
    ],
)
def test_scene_and_sub_scene_come_from_words(text: str, scene: str, sub: str) -> None:
    found = judge(text)
    assert (found.scene, found.scene_sub) == (scene, sub)
    assert any(line.startswith(f"scene {scene}/{sub}: ") for line in found.reasons)


def test_a_scene_note_of_the_person_takes_part_with_its_aliases() -> None:
    scenes = [SceneWords("life", "garden", ("gardening", "tomato", "种菜")), SceneWords("choir (b)", "", ("alto",))]
    for text in ("Which tomato did well?", "今年种菜的计划"):
        found = perceive(text, now=NOW, scenes=scenes)
        assert (found.scene, found.scene_sub) == ("life", "garden")
    assert perceive("who sings alto?", now=NOW, scenes=scenes).scene == "choir (b)"
    assert judge("Which tomato did well?").scene == ""


def test_mood_state_context_and_time_are_heard() -> None:
    found = judge("I'm so tired, and I don't understand the error in the parser we saw yesterday, please explain")
    assert (found.emotion, found.state, found.time) == ("tired", "wants-understanding", "yesterday")
    assert found.context == "technical"
    found = judge("刚才线上挂了，赶紧回滚！")
    assert (found.state, found.time, found.intent) == ("tense", "just-now", "execute")
    plain = judge("Rename the module")
    assert (plain.emotion, plain.state, plain.time, plain.genre) == ("neutral", "normal", "", "expository")


def test_the_genre_is_heard() -> None:
    assert judge("Yesterday I went to the lake and then, after that, we had a party").genre == "narrative"
    assert (
        judge("I think we should use SQLite, because it is simple; however, Postgres scales").genre == "argumentative"
    )


def test_every_reason_names_what_it_explains_and_the_word() -> None:
    found = judge("Why did we choose SQLite for the importer last month?")
    text = "\n".join(found.reasons)
    for start in ("useful", "route medium", "scene work", "intent query", "time"):
        assert start in text
    assert len({line.split(":")[0] for line in found.reasons}) == len(found.reasons)


@pytest.mark.parametrize(
    "text", ["データベースのポートは何番ですか？", "스테이징 서버의 포트가 뭐였지?", "Какой порт?", "¿Qué puerto?"]
)
def test_other_languages_get_sensible_defaults(text: str) -> None:
    found = judge(text)
    assert found.useful
    assert found.route == "shallow"


def test_a_long_prompt_is_judged_in_little_time() -> None:
    useful = [row.text for row in read("prompts.jsonl") if row.useful and "\n" not in row.text]
    english = " ".join(" ".join(text for text in useful if text.isascii()).split()[:300])
    chinese = "".join(text for text in useful if not text.isascii())[:500]
    for text in (english, chinese):
        judge(text)
        spent = []
        for _ in range(10):
            start = time.process_time()
            judge(text)
            spent.append(time.process_time() - start)
        print(f"{min(spent) * 1000:.2f} ms for {len(text)} characters")  # noqa: T201 - measured, not guessed
        assert min(spent) < 0.02  # ten times the aim, for slow and busy machines


@pytest.mark.parametrize(
    "piece",
    [
        "a; ",
        "<a-b>",
        "好",
        "哈哈",
        "((((",
        "hello, ",
        "> a\n",
        "1",
        "2026-11-02 10:11:12 x\n",
        "    x = 1 a b\n",
        "what the ",
        "a=b ",
    ],
)
def test_a_huge_prompt_takes_no_more_than_a_moment(piece: str) -> None:
    start = time.process_time()
    judge(piece * (200_000 // len(piece)))
    assert time.process_time() - start < 2


@settings(max_examples=100)
@given(st.text(alphabet=st.sampled_from(list("ab .?!\n`~<>-+/@{}()继续好的上次怎么ぁ가1:[]")), max_size=120))
def test_any_text_is_judged_the_same_each_time(text: str) -> None:
    found = judge(text)
    assert found == judge(text)
    assert found.useful or found.route == "shallow"


@pytest.mark.parametrize(
    "said",
    [
        'translate "see you next week" into Spanish',
        "please translate this to German: The meeting has been moved to Thursday.",
        "translate into Italian: where is the train station?",
        'how do you say "thank you very much" in Japanese?',
        "what's the French word for butterfly",
        "tell me a joke about programmers",
        "把这句话翻译成日语：会议改到星期四了。",
        "“下周见”用英语怎么说",
        "讲个程序员的笑话",
    ],
)
def test_what_brings_along_all_it_needs_asks_for_no_memory(said: str) -> None:
    assert not judge(said).useful


@pytest.mark.parametrize(
    "said",
    [
        "translate the release notes into Spanish",
        "translate our glossary as we did last time",
        "how do we say no in German in the mails to customers?",
        "tell me the joke Tom told at the party",
        "what's our word for customers",
        "把发布说明翻译成日语",
        "我们平时怎么翻译“标签池”？",
        "上次讲的那个笑话是什么？",
    ],
)
def test_what_needs_something_of_ours_does(said: str) -> None:
    assert judge(said).useful
