"""How the command line speaks: errors in JSON, columns on a terminal, escapes only where wanted, clear refusals."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kit.app.opened import READ_AT_ONCE
from tests.small_vault import front

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]

PROJECT = Path(__file__).parents[2]
needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="it has no pty")


@pytest.fixture
def on_terminal(vault: Path, run: Run) -> Callable[..., str]:  # noqa: ARG001 - `run` sets the environment
    """Make a function that runs a command line on a terminal of its own and returns what it shows."""

    def show(*args: str, **env: str) -> str:
        import pty  # noqa: PLC0415 - not on Windows

        ours, theirs = pty.openpty()
        line = [sys.executable, "-m", "kit", "--vault", str(vault), *args]
        plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, env=plain | {"TERM": "xterm"} | env):
            os.close(theirs)
            shown = b""
            try:
                while more := os.read(ours, 65536):
                    shown += more
            except OSError:  # how Linux says that the other end is closed
                pass
        os.close(ours)
        return shown.decode().replace("\r\n", "\n")

    return show


# --- errors


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["frame", ""], 2),
        (["frame", "x", "--importance", "9"], 2),
        (["complete", "20260101-000000-zzzz", "--answer", "x"], 3),
        (["nonsense"], 2),
    ],
)
def test_with_json_an_error_is_json_and_its_code_the_same(call: Run, line: list[str], code: int) -> None:
    ran = call("--json", *line)
    told = json.loads(ran.stdout)
    assert sorted(told) == ["code", "error", "mend"]
    assert (ran.returncode, told["code"], ran.stderr) == (code, code, "")
    assert told["error"]


def test_a_word_that_only_looks_like_the_option_asks_for_no_json(call: Run) -> None:
    ran = call("complete", "--answer", "x", "--", "--json")
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "No note has the id" in ran.stderr


def test_a_prompt_without_a_letter_is_refused(call: Run, vault: Path) -> None:
    ran = call("frame", "！！！")
    assert ran.returncode == 2
    assert "holds no letter and no digit" in ran.stderr
    assert not list((vault / "cards").rglob("*.md"))


@pytest.mark.usefixtures("run")  # it sets the environment
@pytest.mark.parametrize("raw", [b"\x00\x01words", b"\xff\xfe\x80"], ids=["zero bytes", "no UTF-8"])
def test_what_is_no_text_is_refused_on_standard_input(vault: Path, raw: bytes) -> None:
    line = [sys.executable, "-m", "kit", "--vault", str(vault), "frame", "-"]
    ran = subprocess.run(line, input=raw, capture_output=True, check=False, timeout=60)
    assert ran.returncode == 2
    assert b"Standard input is no text" in ran.stderr
    assert not list((vault / "cards").rglob("*.md"))


def test_a_vault_in_a_vault_is_made_only_by_force(run: Run, vault: Path) -> None:
    ran = run("init", vault / "cards" / "sub")
    assert ran.returncode == 4
    assert f"lies inside the vault {vault}" in ran.stderr
    assert not (vault / "cards" / "sub").exists()
    assert run("init", vault / "cards" / "sub", "--force", "--no-default").returncode == 0
    assert run("init", vault).returncode == 0


def test_init_names_the_vault_only_where_it_must_be_named(run: Run, home: Path) -> None:
    said = run("init", home / "one").stderr
    assert "Next: memkit hooks install --all" in said
    assert "By hand: memkit frame" in said
    assert f"Next: memkit --vault {home / 'two'} frame" in run("init", home / "two").stderr


# --- settings


def test_config_names_the_files_also_those_that_are_not_made_yet(call: Run, vault: Path, home: Path) -> None:
    said = call("config").stderr
    assert f"{home / 'config' / 'config.toml'} (not made yet)" in said
    assert f"{vault / 'memkit.toml'} (there)" in said
    rows = json.loads(call("config", "--json").stdout)
    assert {len(row) for row in rows} == {4}
    assert ["file.own", str(home / "config" / "config.toml"), "not made yet"] in [row[:3] for row in rows]


# --- on a terminal


@needs_terminal
def test_rows_are_columns_under_a_header_on_a_terminal(call: Run, on_terminal: Callable[..., str]) -> None:
    call("remember", "Reports go in tables", "--category", "preference")
    call("remember", "回答用中文", "--category", "style")
    header, *rows = on_terminal("facts", TERM="dumb").splitlines()
    assert header.split() == ["id", "category", "sure", "key", "says"]
    at = header.index("category")
    assert {row[at:].split()[0] for row in rows} == {"preference", "style"}
    assert "\t" not in header + "".join(rows)
    for command in ("book", "features", "scenes", "log"):
        assert "\t" not in on_terminal(command)
    assert on_terminal("tags", "list").split()[:2] == ["\x1b[1mcode", "name"]


@needs_terminal
def test_no_escape_is_written_where_none_is_wanted(on_terminal: Callable[..., str]) -> None:
    assert "\x1b[1m" in on_terminal("status")
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        for command in ("status", "config", "log"):
            assert "\x1b" not in on_terminal(command, **env)


# --- searching


def test_a_search_says_which_fields_there_are_and_asks_for_words(call: Run) -> None:
    call("remember", "Use std:vector for rows", "--tag", "cpp-rows")
    unknown = call("search", "foo:bar")
    assert unknown.returncode == 2
    assert "there is no field 'foo'" in unknown.stderr
    assert "person" in unknown.stderr
    assert "std:vector" in call("search", "std:vector").stdout.replace("**", "")
    empty = call("search", "  ")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert "Give words" in empty.stderr


def test_a_search_for_a_tag_finds_what_bears_its_aliases(call: Run) -> None:
    call("tags", "add", "code-style", "--definition", "How code looks", "--dimension", "content", "--alias", "写代码")
    one = call("remember", "Functions stay short", "--tag", "code-style").stdout.strip()
    two = call("remember", "Names say what they hold", "--tag", "写代码").stdout.strip()
    for tag in ("code-style", "写代码"):
        assert {line.partition(":")[0] for line in call("search", f"tag:{tag}").stdout.splitlines()} == {one, two}
    assert call("search", "kind:fact -tag:code-style").stdout == ""


# --- turns


def test_an_answer_that_takes_the_place_of_another_is_told_and_kept(call: Run) -> None:
    card = call("frame", "Why are exports slow in nginx?").stdout.strip()
    assert "replaced" not in call("complete", card, "--answer", "The proxy buffers are too small.").stderr
    again = call("complete", card, "--answer", "The disk of the proxy is full.")
    assert f" log {card} --json` still shows it" in again.stderr
    assert "The proxy buffers are too small." in call("log", card, "--json").stdout


@pytest.mark.parametrize(
    ("status", "says"), [("failed", "The answer it had stays"), ("interrupted", "nothing changed")]
)
def test_an_answer_stays_and_that_is_told_where_its_turn_ends_otherwise_later(
    call: Run, vault: Path, status: str, says: str
) -> None:
    card = call("frame", "Why are exports slow in nginx?").stdout.strip()
    assert "stays" not in call("complete", card, "--status", status).stderr
    answer = "The proxy buffers are too small."
    assert "stays" not in call("complete", card, "--answer", answer).stderr
    (event,) = (vault / "events").rglob(f"{card}.md")
    assert says in call("complete", card, "--status", status, "--error", "cut off").stderr
    assert answer in event.read_text("utf-8")
    again = call("complete", card, "--answer", answer)
    assert "status: completed" in (vault / again.stdout.strip()).read_text("utf-8")


def test_a_recall_by_a_tag_or_a_scene_needs_no_words(call: Run) -> None:
    card = call("frame", "Why are exports slow?", "--tag", "nginx", "--scene", "work").stdout.strip()
    call("complete", card, "--answer", "The proxy buffers are too small.")
    assert card in call("recall", "", "--tag", "nginx").stdout
    assert call("recall", "", "--scene", "work").returncode == 0


def test_a_note_whose_front_matter_broke_is_told_in_its_own_words(call: Run, vault: Path) -> None:
    path = call("remember", "Emacs，键位用 Dvorak", "--tag", "emacs", "--category", "preference").stdout.strip()
    file = vault / path
    assert "Emacs" in call("recall", "which keys in emacs?").stdout
    file.write_text(file.read_text("utf-8").replace("kind: fact\n", "kind: fact\npeople: [Ada\n"), encoding="utf-8")
    assert "Emacs，键位用 Dvorak" in call("recall", "which keys in emacs?").stdout


def test_one_is_not_said_as_many(call: Run) -> None:
    call("remember", "Reports go in tables")
    said = call("status").stdout
    assert "1 fact" in said
    assert "1 facts" not in said


# --- the demo


def test_the_demo_shows_the_edited_card_and_leaves_no_cache(run: Run, home: Path) -> None:
    said = run("demo").stdout
    assert "no abbreviations at all" in said.partition("5. ")[2].partition("6. ")[0]
    assert not list((home / "cache").glob("example0-*"))


# --- what a person gave is told as it was taken


SECRET = "Passw0rd!2026"  # noqa: S105 - it is to be found and taken out


@pytest.mark.parametrize(
    "line",
    [
        ["remember", f"数据库密码是 {SECRET}"],
        ["remember", "The gate has a key", "--value", f"password: {SECRET}"],
        ["frame", f"the password is {SECRET}"],
        ["complete", "CARD", "--answer", f"It is now password={SECRET}"],
        ["feedback", "CARD", "partial", "--reason", f"password={SECRET}"],
        ["forget", "CARD", "--reason", f"password={SECRET}"],
        ["commit", "--summary", f"We set password={SECRET} on the gate."],
        ["commit", "--summary", "We set up the gate.", "--fact", f"fact: The gate has password={SECRET}"],
    ],
)
def test_a_secret_that_was_taken_out_is_told(call: Run, vault: Path, line: list[str]) -> None:
    card = call("frame", "which gate do we use?").stdout.strip()
    ran = call(*[card if word == "CARD" else word for word in line])
    assert ran.returncode == 0, ran.stderr
    assert "A secret was taken out before anything was written" in ran.stderr
    assert not any(SECRET in file.read_text("utf-8") for file in vault.rglob("*.md"))
    assert "A secret" not in call("remember", "Reports go in tables").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="its command lines are no bytes")
@pytest.mark.parametrize(
    "line", [["remember", "?"], ["remember", "x", "--tag", "?"], ["frame", "?"], ["recall", "?"], ["search", "?"]]
)
def test_words_that_are_no_utf8_are_refused(call: Run, vault: Path, line: list[str]) -> None:
    before = sorted(vault.rglob("*.md"))
    ran = call(*[os.fsdecode("服务器 gbk".encode("gbk")) if word == "?" else word for word in line])
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "no text in UTF-8" in ran.stderr
    assert sorted(vault.rglob("*.md")) == before


def test_a_card_is_completed_only_with_an_answer(call: Run) -> None:
    card = call("frame", "why do logins time out?").stdout.strip()
    for answer in ([], ["--answer", " "]):
        ran = call("complete", card, *answer)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "There is no answer." in ran.stderr
    assert call("complete", card, "--answer", "The proxy waits 60 s.").returncode == 0
    ran = call("complete", card)
    assert ran.returncode == 2
    assert "The card has its answer" in ran.stderr
    assert "before" in call("complete", card, "--answer", "The proxy waits 60 s.").stderr
    other = call("frame", "and over the VPN?").stdout.strip()
    assert call("complete", other, "--status", "interrupted").returncode == 0
    assert "It was interrupted before" in call("complete", other, "--status", "interrupted").stderr


@pytest.mark.parametrize("scene", ["///", "work/", "/code", "a/b/c", " / "])
def test_a_scene_that_can_be_none_is_refused(call: Run, vault: Path, scene: str) -> None:
    ran = call("frame", "look at this", "--scene", scene)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "is no scene" in ran.stderr
    assert not list(vault.glob("cards/*/*.md"))


def test_a_scene_that_is_new_is_told(call: Run) -> None:
    told = call("frame", "look at this", "--scene", "nosuch/scene").stderr
    assert "'nosuch/scene' is no scene yet" in told
    assert "scenes add nosuch/scene" in told
    assert "no scene" not in call("frame", "look at this", "--scene", "work/code-review").stderr


def test_a_command_that_is_told_names_the_vault_it_is_for(call: Run, run: Run, vault: Path, home: Path) -> None:
    run("init", home / "usual")
    (home / "source").mkdir()
    (home / "source/a.md").write_text("# Notes\n\n- Reports go in tables\n", encoding="utf-8")
    named = f"memkit --vault {vault} "
    assert f"Take it all back with: {named}import --undo" in call("import", home / "source").stderr
    assert f"`{named}undo " in call("tags", "add", "sluice", "--definition", "a gate").stderr
    usual = run("import", home / "source").stderr
    assert "Take it all back with: memkit import --undo" in usual


@pytest.mark.parametrize("group", [[], ["hooks"], ["daemon"]])
def test_without_a_command_the_help_is_shown_as_it_is(run: Run, group: list[str]) -> None:
    done = run(*group)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(" ".join(["Usage: memkit", *group]))
    assert done.stderr == run(*group, "--help").stdout


# --- output that is not taken


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
@pytest.mark.parametrize("line", [["status"], ["tags", "list"], ["status", "--json"], ["--help"]])
def test_output_that_can_not_be_written_is_told(run: Run, vault: Path, line: list[str]) -> None:
    run("--vault", vault, "status")
    words = [sys.executable, "-m", "kit", "--vault", str(vault), *line]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 8, done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("memkit: The output can't be written (")
    assert "Traceback" not in done.stderr


def _with_closed(closed: str, vault: Path, *line: str) -> subprocess.CompletedProcess[str]:
    words = shlex.join([sys.executable, "-m", "kit", "--vault", str(vault), *line])
    return subprocess.run(["sh", "-c", f"{words} {closed}"], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.skipif(os.name == "nt", reason="it needs sh")
@pytest.mark.parametrize(
    "line",
    [
        "status",
        "recall x --json",
        "doctor --json",
        "hooks status",
        "tags list",
        "--help",
        "daemon status",
        "hooks --help",
    ],
)
def test_a_closed_output_is_told_in_a_sentence(vault: Path, line: str) -> None:
    done = _with_closed(">&-", vault, *line.split())
    assert done.returncode == 8, done.stderr
    assert done.stderr.endswith("memkit: The output can't be written (standard output is closed).\n")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="it needs sh")
def test_other_closed_streams_are_no_trouble(vault: Path) -> None:
    there = _with_closed("<&- 2>&-", vault, "tags", "list")
    assert (there.returncode, there.stdout) == (0, _with_closed("", vault, "tags", "list").stdout)
    nothing = _with_closed("<&-", vault, "recall", "-")
    assert (nothing.returncode, "Traceback" in nothing.stderr) == (2, False)
    hook = _with_closed(">&-", vault, "hook", "claude", "prompt")
    assert (hook.returncode, hook.stdout, hook.stderr) == (0, "", "")


@needs_terminal
@pytest.mark.parametrize("line", [["tags", "list"], ["book"], ["config"], ["config", "--json"]])
def test_a_reader_that_has_had_enough_is_no_trouble(run: Run, vault: Path, line: list[str]) -> None:
    run("--vault", vault, "status")
    words = [sys.executable, "-m", "kit", "--vault", str(vault), *line]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout
        assert child.stderr
        child.stdout.close()
        assert b"Errno" not in child.stderr.read()
        assert child.wait(60) == 0


# --- notes that a person has renamed


def test_links_to_a_renamed_note_are_written_anew_when_asked_for(call: Run, vault: Path) -> None:
    card = call("frame", "why do logins time out?").stdout.strip()
    path = vault / call("complete", card, "--answer", "The proxy waits 60 s, as is its default.").stdout.strip()
    assert "doctor --relink" not in call("doctor").stderr
    path.rename(path.with_name("Logins.md"))
    told = call("doctor")
    assert (told.returncode, told.stdout) == (0, "")
    assert "doctor --relink" in told.stderr
    (event,) = vault.glob("events/*/*.md")
    before = event.read_bytes()
    assert event.relative_to(vault).as_posix() in call("doctor", "--relink").stdout
    link = path.with_name("Logins").relative_to(vault).as_posix()
    assert event.read_bytes() == before.replace(path.relative_to(vault).as_posix()[:-3].encode(), link.encode())
    assert "doctor --relink" not in call("doctor").stderr
    assert "It is so already" in call("doctor", "--relink").stderr
    assert call("undo").returncode == 0
    assert event.read_bytes() == before


def test_a_note_is_shown_with_what_was_said_and_its_links(call: Run) -> None:
    card = call("frame", "why do logins time out?").stdout.strip()
    path = call("complete", card, "--answer", "The proxy waits 60 s, as is its default.").stdout.strip()
    for name in (card, path, f"[[{path.removesuffix('.md')}]]"):
        shown = call("show", name)
        assert f"id: {card}" in shown.stdout
        assert "## User\n\nwhy do logins time out?" in shown.stdout
        assert "The proxy waits 60 s, as is its default." in shown.stdout
        assert "→ events/" in shown.stdout
    assert call("show", "nothing").returncode == 3
    assert json.loads(call("show", card, "--json").stdout)["said"]["user"] == "why do logins time out?"


# --- words that are near, and looking for less


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (["recal", "x"], "Did you mean 'recall'?"),
        (["tags", "mrege"], "Did you mean 'merge'?"),
        (["scenes", "ad"], "Did you mean 'add'?"),
        (["hooks", "instal"], "Did you mean 'install'?"),
        (["daemon", "stat"], "Did you mean"),
        (["book", "--dimension", "tags"], "Did you mean 'tag'?"),
        (["book", "--dimension", "nope"], "Known: "),
    ],
)
def test_a_word_that_is_none_is_refused_with_the_one_that_is_near(call: Run, line: list[str], says: str) -> None:
    call("remember", "Reports go in tables", "--tag", "report-layout")
    ran = call(*line)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert says in ran.stderr
    assert "memkit: " in ran.stderr
    assert "Error:" not in ran.stderr


def test_a_kind_that_is_none_is_told(call: Run) -> None:
    assert "kind:banana is none" in call("search", "kind:banana").stderr
    assert "Did you mean 'fact'?" in call("search", "kind:facts").stderr
    assert "is none" not in call("search", "kind:fact").stderr


def test_facts_and_the_log_are_looked_through_for_less(call: Run) -> None:
    call("remember", "Reports go in tables", "--category", "preference")
    call("remember", "The gate listens on port 9090", "--category", "fact")
    assert "9090" not in call("facts", "--category", "preference").stdout
    assert len(call("facts").stdout.splitlines()) == 2
    call("tags", "add", "sluice", "--definition", "a gate")
    (line,) = call("log", "--what", "define").stdout.splitlines()
    assert call("undo", line.split("\t")[-1]).returncode == 0
    assert {row["who"] for row in json.loads(call("log", "--who", "person", "--json").stdout)} == {"person"}
    assert "Nothing is told of this." in call("log", "--what", "merge").stderr


def test_two_names_of_an_option_are_one(call: Run) -> None:
    for says in ("The gate is shut at noon", "A gate needs two keys", "Reports on the gate go in tables"):
        call("remember", says)
    for option in ("-k", "-n", "--limit"):
        assert len(call("search", "gate", option, "2").stdout.splitlines()) == 2
        assert len(call("log", option, "2").stdout.splitlines()) == 2
        assert len(json.loads(call("recall", "gate", option, "2", "--json").stdout)["recall"]["hits"]) <= 2
    for option in ("--topic", "--session"):
        card = call("frame", "which gate?", option, "s1").stdout.strip()
        assert "topic: s1" in call("show", card).stdout


def test_a_session_is_summed_up_by_rules_where_nobody_says_what_it_came_to(call: Run) -> None:
    refused = call("commit", "--session", "s1")
    assert refused.returncode == 2
    assert "--summary" in refused.stderr
    for prompt in ("why do logins time out at the gate?", "and which setting of the gate is it?"):
        card = call("frame", prompt, "--topic", "s1").stdout.strip()
        call("complete", card, "--answer", f"It is the proxy of the gate: {prompt[:-1]}.")
    path = call("commit", "--session", "s1").stdout.strip()
    assert path.startswith("summaries/")
    assert "gate" in call("show", path).stdout


@pytest.mark.parametrize("since", ["2026-11", "2026-11-01"])
def test_turns_are_learned_from_since_a_month(call: Run, since: str) -> None:
    for day in ("2026-10-30T10:00:00+00:00", "2026-11-20T10:00:00+00:00"):
        card = call("frame", "why do logins time out?", "--now", day).stdout.strip()
        call("complete", card, "--answer", "The proxy waits 60 s, as is its default.", "--now", day)
    assert len(json.loads(call("learn", "--since", since, "--json").stdout)) == 1


def test_learning_again_tells_only_of_facts_that_change(call: Run) -> None:
    card = call("frame", "I prefer pnpm over npm in all my projects").stdout.strip()
    call("complete", card, "--answer", "Noted.")
    assert "1 fact" in call("learn", card).stderr
    again = call("learn", "--all")
    assert again.stdout == ""
    assert "nothing new" in again.stderr


@needs_terminal
def test_a_row_is_no_wider_than_the_terminal(call: Run, on_terminal: Callable[..., str]) -> None:
    for number in range(12):
        call("remember", f"The gate number {number} of the {'very ' * 20}long dam is shut", "--tag", "gate")
    for line in (["book"], ["facts"], ["tags", "list"], ["config"]):
        for row in on_terminal(*line, COLUMNS="120").splitlines():
            shown = row.replace("\x1b[1m", "").replace("\x1b[0m", "")
            assert len(shown) <= 120 or line == ["config"], shown
    assert "true" in on_terminal("config")
    assert "False" not in call("config").stdout


# --- what a hook would inject


def test_the_context_is_what_a_hook_in_this_folder_would_inject(
    call: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for project in ("gate", "pump"):
        says = f"Reports of the {project} go in tables"
        call("remember", says, "--project", project, "--tag", "report-layout")
        (home / project / ".git").mkdir(parents=True)
    asked = "what is the report-layout I want?"
    monkeypatch.setenv("MEMKIT_RECALL_TEXT_MS", "20000")  # on a busy machine as on an idle one
    for project, other in (("gate", "pump"), ("pump", "gate")):
        monkeypatch.chdir(home / project)
        shown = call("recall", asked, "--context").stdout
        assert f"Reports of the {project}" in shown
        assert f"Reports of the {other}" not in shown
        assert f"Reports of the {other}" in call("recall", asked).stdout
        assert f"Reports of the {other}" in call("recall", asked, "--context", "--project", other).stdout
    assert call("recall", "thanks!", "--context").stdout == ""


def test_words_that_are_still_to_be_read_are_told_of_whatever_is_shown_of_a_recall(call: Run, vault: Path) -> None:
    for n in range(READ_AT_ONCE + 1):
        keys = {"id": f"c{n}", "kind": "card", "status": "completed", "created": "2026-08-19T10:00:00+08:00"}
        (vault / f"cards/c{n}.md").write_bytes(front(keys, f"The wombat{n} sleeps."))
    for line in (["--context"], ["--explain"], []):
        told = call("recall", "where does the wombat7 sleep?", *line)
        assert f"{READ_AT_ONCE + 1} notes are not in the full text yet." in told.stderr, line
