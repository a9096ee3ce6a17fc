"""One sentence, one paragraph, and whether a turn is worth keeping."""

from __future__ import annotations

import time

import pytest

from kit.digest import prose
from kit.digest.summary import is_acknowledged, lasting, overview, summarise

LONG = """Great question! Here is what I found.

## Findings
- The indexer opens the catalog once for each note, which costs 4 ms a note.
- Whoosh commits after every document; a commit takes 35 ms on this disk.

```python
for note in notes:
    index(note)
```

We decided to commit in batches of 200 because a commit is the dearest step by far. The catalog is now opened
once and passed down. With both changes 10,000 notes are indexed in 21 seconds instead of 6 minutes and 40 seconds.
Memory stays below 90 MB, measured with tracemalloc on a vault of 31 MB. I did not touch the full-text schema,
so no reindexing is needed. The new setting is `index.batch` in memkit.toml and its default is 200. Two tests
cover it: one counts the commits and the other kills the process between two batches and checks that nothing is
lost. The remaining time is spent in stemming English words. It could be cached, yet the gain would be small.

Let me know if you need anything else!"""


def test_the_decision_is_the_summary() -> None:
    said = summarise("Why is indexing slow?", LONG)
    assert "commit in batches of 200 because" in said
    assert "Great question" not in said
    assert "Let me know" not in said


def test_a_short_answer_is_led_by_its_question() -> None:
    assert summarise("What is the capital of Australia?", "Canberra.") == "What is the capital of Australia → Canberra."
    assert summarise("澳大利亚的首都是哪里？", "堪培拉。") == "澳大利亚的首都是哪里 → 堪培拉。"


@pytest.mark.parametrize("answer", ["Got it, noted.", "Understood! I'll keep that in mind.", "", "Okay."])
def test_where_the_answer_takes_note_the_summary_is_what_was_said(answer: str) -> None:
    said = summarise("Remember: I prefer concise code with clear names", answer)
    assert said == "I prefer concise code with clear names"


def test_marks_and_code_are_gone_and_names_stay() -> None:
    said = summarise(
        "Where do settings live?",
        "**Sure!** The settings live in `app.toml`, see [docs](http://x.y/z).\n```\nx = 1\n```",
    )
    assert said == "The settings live in app.toml, see docs."


def test_cutting_ends_at_a_word() -> None:
    said = summarise("Tell me about it", "We use " + "carefully chosen words " * 40)
    assert len(said) <= 200
    assert said.endswith("…")
    assert not said.endswith("wor…")


def test_hard_wrapped_lines_are_one_sentence() -> None:
    assert prose.sentences(prose.plain("The cause is\na missing lock.\n\n- first\n- second")) == [
        "The cause is a missing lock.",
        "first",
        "second",
    ]


def test_an_overview_is_of_the_asked_length_and_in_order() -> None:
    told = overview("Why is indexing slow?", LONG)
    assert 80 <= prose.size(told) <= 200
    assert told.startswith("Why is indexing slow?")
    assert "batches of 200" in told
    assert "Let me know" not in told
    sentences = prose.sentences(told)[1:]
    places = [prose.plain(LONG).find(sentence[:30]) for sentence in sentences]
    assert places == sorted(places)


def test_a_chinese_overview_is_measured_in_characters() -> None:
    answer = (
        "索引慢的原因是每写一篇笔记就提交一次，每次提交要三十五毫秒。" * 2
        + "我们决定每两百篇提交一次，因为提交是最贵的一步。" * 8
    )
    told = overview("索引为什么慢？", answer)
    assert 100 <= prose.size(told) <= 300


def test_a_short_exchange_gets_no_overview() -> None:
    assert overview("Why?", "Because the lock was missing.") == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "continue",
        "Continue.",
        "go on",
        "thanks!",
        "thank you very much",
        "ok",
        "yes, go ahead",
        "hello",
        "run it",
        "commit and push",
        "继续",
        "谢谢！",
        "好的，继续",
        "你好",
        "可以，提交吧",
        "嗯嗯",
        "",
    ],
)
def test_bare_words_say_nothing_lasting(prompt: str) -> None:
    assert not lasting(prompt, "Done, continuing with the next file.")


@pytest.mark.parametrize(
    "prompt", ["Which database do we use?", "Remember: tabs", "修一下登录页", "我叫李明", "Deploy helix to staging"]
)
def test_words_about_something_are_worth_keeping(prompt: str) -> None:
    assert lasting(prompt, "Done.")


def test_work_done_under_a_bare_continue_is_worth_keeping() -> None:
    assert lasting("continue", LONG)


def test_a_large_answer_is_digested_in_linear_time() -> None:
    began = time.perf_counter()
    summarise("What changed?", "The parser reads `a.py` now. " * 6000 + "* " * 20000 + "`" * 20000)
    assert time.perf_counter() - began < 10


def test_many_promises_are_digested_in_linear_time() -> None:
    began = time.process_time()
    said = "I'll raise the limit of the port to 5. The parser reads it now. 会议室在三楼。我会先查日志。" * 600
    summarise(said, said)
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("user", "agent", "told"),
    [
        ("文件服务器的地址是多少", "现在是 10.8.0.3,旧的 10.8.0.2 不用了。", "10.8.0.3"),
        ("缓存怎么做", "不用 Redis,用进程内的 LRU,够了。", "LRU"),
        ("定一下缓存方案", "不用 Redis,用进程内的 LRU。", "LRU"),
        ("怎么防止同时启动两次", "程序会先检查锁文件,存在就退出。", "锁文件"),
        ("登录怎么防爆破", "连续五次失败会加验证码。", "验证码"),
        ("发布脚本做了什么", "发布脚本会先备份数据库再替换文件。", "备份"),
        ("nginx 上传超时", "将 nginx 的超时改为 75 秒。", "75"),
        ("周会在哪开", "会议室在三楼 302。", "302"),
        ("日志在哪", "记录在 /var/log/app.log。", "/var/log/app.log"),
        ("nginx times out on uploads", "I'll raise proxy_read_timeout to 75 s.", "75 s"),
        ("Uploads break", "I'll move the limit to 20 MB in nginx.conf.", "20 MB"),
        ("How do we stop double starts?", "I will add a lock file in run/app.lock.", "app.lock"),
        ("按钮颜色定哪个", "统一用 #0a84ff。", "#0a84ff"),
        ("接口超时", "会员接口一定先查缓存,再查库。", "缓存"),
        ("备份多久一次", "不再每天,改成每周日 03:00。", "03:00"),
        ("谁负责发版", "会由小林负责,每周三。", "小林"),
        ("部署用什么", "以后用 Ansible,不再用脚本。", "Ansible"),
        ("What about retries?", "Got it working: three retries with backoff.", "three retries"),
        ("测试挂了", "将 fixture 的范围改成 session 就好了。", "session"),
        ("导入失败", "记号用错了,应为 utf-8。", "utf-8"),
        ("磁盘满了怎么办", "会计系统的日志先压缩再删。", "压缩"),
        ("数据库连不上", "不会是网络问题,是密码过期了。", "密码过期"),
    ],
)
def test_an_answer_is_no_promise_for_the_characters_it_begins_with(user: str, agent: str, told: str) -> None:
    assert told in summarise(user, agent)


@pytest.mark.parametrize(
    ("user", "agent"),
    [
        ("From now on put reports in tables, not in prose.", "Understood. I'll use tables for reports."),
        ("We use pnpm for package management, never npm.", "Noted, I'll stick with pnpm."),
        ("以后报告都用表格，不要写成大段文字。", "明白，以后报告用表格。"),
        ("我不喜欢太长的提交信息，控制在 60 个字以内。", "好的，会控制长度。"),
        ("每次提交前都要先跑一遍 ruff。", "好的，提交前会先跑 ruff。"),
        ("我们用 pnpm 做包管理。", "好的，记下了。"),
        ("Please don't use semicolons in my TypeScript.", "Okay, I'll leave out semicolons."),
        ("I'm allergic to penicillin.", "I'll keep that in mind."),
        ("我对青霉素过敏。", "好的，我会记住的。"),
        ("My landlord is Mr. Li.", "Noted."),
        ("Answer in French from now on.", "Will do."),
        ("我住在柏林。", "记住了。"),
        ("以后提交信息用英文。", "好的，以后我会用英文写提交信息。"),
        ("Use British spelling.", "I will use British spelling."),
    ],
)
def test_a_promise_to_heed_what_was_said_is_no_answer(user: str, agent: str) -> None:
    assert is_acknowledged(user, agent)


@pytest.mark.parametrize(
    ("user", "agent", "told"),
    [
        (
            "How do I run the e2e tests?",
            "`pnpm e2e:up` starts the containers. The seed user is alice@example.test.",
            "alice",
        ),
        (
            "Where are the dashboards?",
            "They are in Grafana. The folder is infra/alerts. Ask Wang for access.",
            "infra/alerts",
        ),
        ("怎么跑端到端测试？", "先用 pnpm e2e:up 启动容器。种子用户是 alice@example.test。", "alice"),
        ("小林是设计师，首页的图标找她要。", "首页的图标放在 assets/icons，用 SVG 格式。", "小林是设计师"),
        ("老王负责告警规则。", "告警规则在 alerts.yml 里。", "老王"),
        ("小程序用什么框架？", "小程序用 Taro。", "Taro"),
    ],
)
def test_what_else_has_room_beside_the_best_sentence_is_told(user: str, agent: str, told: str) -> None:
    assert told in summarise(user, agent)


def test_a_sentence_without_a_detail_costs_no_room() -> None:
    said = summarise(
        "Which port is it?", "The port is 8080 because of the proxy. It was quite a surprise to everybody here."
    )
    assert said == "The port is 8080 because of the proxy."
