"""Every command on a real vault: what it prints, where, and how it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kit.cli import cli

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

PROMPT = "Why do report exports through nginx end in a 504?"
ANSWER = "Set the proxy read timeout of nginx to 75 seconds, because the export takes 71."
COMMANDS = sorted(set(cli.list_commands(None)) - {"daemon"})  # type: ignore[arg-type]  # it needs no context


def out(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 0, ran.stderr
    assert "\x1b" not in ran.stdout + ran.stderr
    return ran.stdout.rstrip("\n")


def loaded(ran: subprocess.CompletedProcess[str]) -> Any:  # noqa: ANN401 - whatever the command says
    return json.loads(out(ran))


@pytest.fixture
def done(call: Run) -> str:
    """Live through one turn, and keep one fact; return the card's id."""
    card = out(call("frame", PROMPT, "--tag", "nginx", "--scene", "work/debugging", "--project", "harbor"))
    out(call("complete", card, "--answer", ANSWER))
    out(call("remember", "Reports go in tables", "--tag", "report-layout"))
    return card


# --- a vault


def test_init_lays_a_vault_down_once(run: Run, home: Path) -> None:
    first = run("init", home / "memory")
    assert out(first) == str(home / "memory")
    assert "files made" in first.stderr
    assert "Next: memkit" in first.stderr
    files = {file: file.read_bytes() for file in (home / "memory").rglob("*") if file.is_file()}
    assert (home / "memory" / ".gitignore") in files
    second = run("init", home / "memory")
    assert "nothing was changed" in second.stderr
    assert {file: file.read_bytes() for file in (home / "memory").rglob("*") if file.is_file()} == files
    assert out(run("doctor")) == ""


def test_init_overwrites_nothing_and_adds_what_is_missing(run: Run, home: Path) -> None:
    root = home / "memory"
    (root / "tags").mkdir(parents=True)
    (root / ".gitignore").write_text("mine\n", encoding="utf-8")
    (root / "memkit.toml").write_text('id = "mine"\n', encoding="utf-8")
    made = loaded(run("--json", "init", root))["made"]
    assert ".gitignore" not in made
    assert "memkit.toml" not in made
    assert (root / ".gitignore").read_text("utf-8") == "mine\n"
    assert made == [path for path in made if (root / path).is_file()]


def test_the_first_vault_is_the_default_one_as_long_as_it_is_there(run: Run, home: Path) -> None:
    run("init", home / "one")
    run("init", home / "two")
    assert loaded(run("status", "--json"))["vault"] == str(home / "one")
    (home / "one").rename(home / "gone")
    run("init", home / "two")
    assert loaded(run("status", "--json"))["vault"] == str(home / "two")
    assert loaded(run("--vault", home / "gone", "status", "--json"))["vault"] == str(home / "gone")


def test_init_without_a_folder_takes_the_vault_that_was_named(run: Run, home: Path) -> None:
    assert out(run("--vault", home / "named", "init", "--no-default")) == str(home / "named")
    assert not (home / "config").exists()
    assert list((home / "empty").iterdir()) == []


def test_a_vault_is_found_from_a_folder_inside_it(run: Run, vault: Path) -> None:
    assert loaded(run("status", "--json", at=vault / "cards"))["vault"] == str(vault)


# --- a turn


def test_a_turn_is_framed_completed_and_recalled(memkit: Run, vault: Path) -> None:
    framed = memkit("frame", PROMPT, "--tag", "nginx", "--tag", "thing")
    card = out(framed)
    assert "pending: cards/" in framed.stderr
    assert "Not taken as a tag: 'thing'" in framed.stderr
    done = memkit("complete", card, "--answer", ANSWER)
    assert (vault / out(done)).is_file()
    assert "completed: " in done.stderr
    again = memkit("complete", card, "--answer", ANSWER)
    assert out(again) == out(done)
    assert "nothing changed" in again.stderr
    found = memkit("recall", "what about nginx?")
    assert "75 seconds" in out(found).splitlines()[0]
    assert card in out(found)


def test_what_was_typed_elsewhere_comes_in_by_a_pipe(memkit: Run, vault: Path) -> None:
    said = f"{PROMPT}\n\n第二行 😀\n"
    card = out(memkit("frame", "-", said=said))
    out(memkit("complete", card, "--answer", "-", said=ANSWER))
    event = next((vault / "events").rglob("*.md")).read_text("utf-8")
    assert said.strip() in event
    assert ANSWER in event
    assert "75 seconds" in out(memkit("recall", "-", said="what about nginx?"))
    assert out(memkit("remember", "-", said="Reports go in tables\n")) == "facts/Reports go in tables.md"


def test_recall_says_why_and_what_is_not_known(memkit: Run, done: str) -> None:
    found = memkit("recall", "what about nginx?", "--tag", "quasiflange", "--explain", "-k", "1")
    lines = out(found).splitlines()
    assert sum(line.startswith("1. ") for line in lines) == 1
    assert any("direct" in line and "nginx" in line for line in lines)
    assert "Not known: quasiflange." in found.stderr
    assert "understood as: nginx" in found.stderr
    answer = loaded(memkit("recall", "what about nginx?", "--json"))
    assert [hit["id"] for hit in answer["recall"]["hits"]] == [done]
    assert "75 seconds" in answer["says"][0]


def test_the_context_is_what_a_hook_would_inject(memkit: Run, done: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_RECALL_TEXT_MS", "20000")  # on a busy machine as on an idle one
    assert out(memkit("recall", "what about nginx?", "--context")) == "", "it is of another project than this folder"
    here = ("--context", "--project", "harbor")
    text = out(memkit("recall", "what about nginx?", *here, "--route", "deep"))
    assert text.startswith("--- recalled notes")
    assert f"> answered: {ANSWER}" in text
    assert loaded(memkit("recall", "what about nginx?", *here, "--json"))["ids"] == [done]
    assert out(memkit("recall", "thanks!", "--context")) == ""


@pytest.mark.parametrize("query", ["qwertyuiop zxcvbnm", "的"])
def test_a_question_nothing_is_known_for_ends_well_and_empty(call: Run, done: str, query: str) -> None:
    found = call("recall", query)
    assert out(found) == ""
    assert "Nothing useful is remembered for this." in found.stderr
    assert loaded(call("recall", query, "--json"))["recall"]["hits"] == []
    assert done


def test_a_fact_is_kept_confirmed_and_superseded(call: Run) -> None:
    first = call("remember", "Use tabs for indentation")
    assert (out(first), "kept" in first.stderr) == ("facts/Use tabs for indentation.md", True)
    assert "surer now" in call("remember", "use tabs for indentation").stderr
    other = call("remember", "Use spaces for indentation", "--category", "style", "--tag", "thing")
    assert "superseded" in other.stderr
    assert "Not taken as a tag: 'thing'" in other.stderr
    assert out(call("facts")).split("\t")[-1] == "Use spaces for indentation"


def test_a_verdict_is_given_and_taken_back(call: Run, done: str) -> None:
    assert out(call("feedback", done, "rejected", "--reason", "wrong")).endswith(".md: none → rejected")
    assert done not in out(call("recall", "what about nginx?"))
    assert out(call("feedback", done, "none")).endswith(".md: rejected → none")
    assert done in out(call("recall", "what about nginx?"))


def test_a_memory_is_put_away_and_comes_back(call: Run, done: str, vault: Path) -> None:
    away = out(call("forget", done)).splitlines()
    assert away[0].startswith("archive/cards/")
    assert done not in out(call("recall", "what about nginx?"))
    back = out(call("restore", done)).splitlines()
    assert all((vault / path).is_file() for path in back)
    assert done in out(call("recall", "what about nginx?"))


# --- looking in


def test_what_was_put_away_comes_back_by_the_path_that_was_printed(call: Run, vault: Path) -> None:
    path = call("remember", "Reports go in tables").stdout.strip()
    away = call("forget", path).stdout.strip()
    assert away == f"archive/{path}"
    for name in (away, path, path.removesuffix(".md")):
        assert call("restore", name).stdout.strip() == path
        assert (vault / path).is_file()
        call("forget", path)
    assert call("restore", "archive/../memkit.toml").returncode == 3


def test_the_log_of_a_note_nobody_knows_says_so(call: Run) -> None:
    call("remember", "Reports go in tables")
    assert "Nothing is told of 'zzz'." in call("log", "zzz").stderr


def test_book_features_tags_scenes_facts_and_log_are_rows_to_grep(call: Run, done: str) -> None:
    book = [line.split("\t") for line in out(call("book")).splitlines()]
    assert ["tag", "nginx", "nginx", "1", done] in book
    assert {row[0] for row in map(str.split, out(call("book", "--dimension", "project")).splitlines())} == {"project"}
    [features] = [line.split("\t") for line in out(call("features", done)).splitlines()]
    assert features[0] == done
    assert "scene:work/debugging" in features[2].split(" ")
    assert len(out(call("features")).splitlines()) == 2
    tags = [line.split("\t") for line in out(call("tags")).splitlines()]
    assert ["nginx", "nginx", "unexamined", "1"] in [row[:4] for row in tags] or any(row[0] == "nginx" for row in tags)
    assert out(call("tags", "list")) == out(call("tags"))
    assert ["work", "debugging", "1"] in [line.split("\t")[:3] for line in out(call("scenes")).splitlines()]
    [fact] = [line.split("\t") for line in out(call("facts")).splitlines()]
    assert fact[2:] == ["0.90", "report format", "Reports go in tables"]
    log = [line.split("\t")[1:3] for line in out(call("log")).splitlines()]
    assert log == [["person", "remember"], ["learn", "tags"], ["person", "complete"], ["person", "frame"]]
    assert len(out(call("log", done, "-n", "1")).splitlines()) == 1


def test_status_and_config_say_where_things_are(call: Run, done: str, vault: Path, home: Path) -> None:
    status = loaded(call("status", "--json"))
    assert status["vault"] == str(vault)
    assert status["derived"].startswith(str(home / "cache"))
    assert status["cards"] == {"completed": 1}
    assert {kind: status["notes"][kind] for kind in ("card", "event", "fact")} == {"card": 1, "event": 1, "fact": 1}
    said = out(call("status"))
    assert said.splitlines()[0].split() == ["vault", str(vault)]
    assert "1 completed" in said
    assert "1 card, 1 event, 1 fact" in said
    assert not [word for word in ("scan_", "words_", "False", "None", "fact 1") if word in said]
    rows = [line.split("\t") for line in out(call("config")).splitlines()]
    assert all(len(row) == 4 and row[3].endswith(".") for row in rows)
    assert ["id", str(vault / "memkit.toml")] == [rows[0][0], rows[0][2]]
    assert done


def test_reindex_ends_where_it_began(memkit: Run, done: str) -> None:
    book = out(memkit("book"))
    ran = memkit("reindex")
    assert "0 problems" in out(ran)
    assert out(memkit("book")) == book
    assert loaded(memkit("reindex", "--json"))["problems"] == 0
    assert done


def test_json_can_be_asked_for_before_or_after_any_command(call: Run, done: str) -> None:
    assert done
    for line in (
        "book", "features", "tags", "tags list", "scenes", "facts", "status", "doctor", "log", "config", "recall nginx",
    ):  # fmt: skip
        after = call(*line.split(), "--json")
        before = call("--json", *line.split())
        assert type(loaded(before)) is type(loaded(after))
        assert "\n" not in out(after)


def test_acts_answer_in_json_too(call: Run) -> None:
    framed = loaded(call("frame", PROMPT, "--json"))
    assert framed["status"] == "pending"
    assert loaded(call("complete", framed["id"], "--answer", ANSWER, "--json"))["changed"] is True
    assert loaded(call("feedback", framed["id"], "confirmed", "--json"))["after"] == "confirmed"
    assert loaded(call("remember", "Reports go in tables", "--json"))["did"] == "new"
    assert loaded(call("forget", framed["id"], "--json"))["id"] == framed["id"]
    assert loaded(call("restore", framed["id"], "--json"))["id"] == framed["id"]


# --- the rest


def test_the_demo_tells_its_story_and_leaves_nothing(run: Run, home: Path) -> None:
    said = out(run("demo"))
    assert said.startswith("1. A vault of plain Markdown")
    assert "memkit doctor: no problem" in said
    steps = loaded(run("demo", "--json"))
    assert [sorted(step) for step in steps] == [["outcome", "says", "step"]] * len(steps)
    assert loaded(run("--json", "demo", "--keep", home / "kept"))[-1]["outcome"] == []
    assert (home / "kept" / "memkit.toml").is_file()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(call: Run, command: str) -> None:
    said = out(call(command, "--help"))
    assert f"memkit {command}" in said.replace("--vault FOLDER ", "").splitlines()[0]
    assert len(said.split("\n\n")[1].strip()) > 20
    assert out(call(command, "-h")) == said


def test_the_help_lists_every_command_with_a_sentence(run: Run) -> None:
    lines = [line for line in out(run("--help")).split("Commands:\n")[1].splitlines() if line[2] != " "]
    assert {line.split()[0] for line in lines} >= set(COMMANDS)
    assert all(len(line.split()) > 3 for line in lines)
    assert out(run("--version")).startswith("memkit, version ")


def test_a_hook_answers_and_frames(memkit: Run, done: str, vault: Path) -> None:
    payload = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "what did we set for nginx?"}
    reply = loaded(memkit("hook", "claude", "prompt", said=json.dumps(payload)))
    assert "75 seconds" in reply["hookSpecificOutput"]["additionalContext"]
    assert len(list((vault / "cards").rglob("*.md"))) == 2
    assert done


def test_a_hook_in_trouble_is_silent(run: Run, memkit: Run, home: Path) -> None:
    for ran in (
        memkit("hook", "nobody", "prompt", said="{}"),
        memkit("hook", "claude", "prompt", said="\0garbage"),
        run("hook", "claude", "prompt", said="{}"),
        run("--vault", home / "nowhere", "hook", "claude", "prompt", said="{}"),
    ):
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    logs = list((home / "cache").rglob("hook.log"))
    assert logs == [home / "cache" / "hook.log"]  # the one that the README of the hooks names
    assert "nobody prompt: BadInputError: No harness is called 'nobody'." in logs[0].read_text(encoding="utf-8")
