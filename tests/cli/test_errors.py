"""Errors of the command line: a sentence on standard error, and an exit code by class."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

CARD = "id: {}\nkind: card\nstatus: completed\ntags: [nginx, docker]\n"


def write(root: Path, path: str, front: str, body: str = "What it says.") -> None:
    (root / path).write_text(f"---\n{front}---\n{body}\n", encoding="utf-8")


def error(ran: subprocess.CompletedProcess[str], code: int) -> str:
    assert (ran.returncode, ran.stdout) == (code, ""), ran.stderr
    assert "Traceback" not in ran.stderr
    return ran.stderr


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (["frame", ""], 2, "There is no prompt to frame."),
        (["frame", "  \n"], 2, "There is no prompt to frame."),
        (["frame", "x", "--importance", "9"], 2, "9 is not in the range 1<=x<=5"),
        (["frame", "x", "--now", "yesterday"], 2, "'yesterday' is no date"),
        (["frame"], 2, "Missing argument 'PROMPT'"),
        (["recall", ""], 2, "There is nothing to recall for."),
        (["recall", " \n", "--explain"], 2, "There is nothing to recall for."),
        (["recall", "", "--context"], 2, "There is nothing to recall for."),
        (["remember", ""], 2, "There is nothing to remember."),
        (["remember", "x", "--category", "whim"], 2, "'whim' is not one of"),
        (["recall", "x", "--limit", "0"], 2, "0 is not in the range"),
        (["recall", "x", "--threshold", "7"], 2, "7.0 is not in the range"),
        (["complete", "20260101-000000-zzzz", "--answer", "x"], 3, "No note has the id '20260101-000000-zzzz'"),
        (["complete", "../../etc/passwd"], 3, "No note has the id"),
        (["feedback", "nothing", "confirmed"], 3, "No note has the id 'nothing'"),
        (["feedback", "nothing", "great"], 2, "'great' is not one of"),
        (["feedback", "seed-scene-work", "confirmed"], 2, "feedback goes to cards and facts"),
        (["forget", "nothing"], 3, "`memkit recall` and `memkit log` show ids"),
        (["restore", "nothing"], 3, "The archive holds no note"),
        (["features", "nothing"], 3, "No note has the id 'nothing'"),
        (["log", "-n", "0"], 2, "0 is not in the range"),
        (["nonsense"], 2, "No such command 'nonsense'"),
        (["status", "--nonsense"], 2, "No such option"),
    ],
)
def test_a_wrong_call_is_told_by_a_sentence_and_its_code(call: Run, line: list[str], code: int, says: str) -> None:
    assert says in error(call(*line), code)


@pytest.mark.parametrize("name", ["MEMKIT_CACHE", "MEMKIT_CONFIG", "MEMKIT_RUNTIME"])
@pytest.mark.parametrize(
    ("value", "says"),
    [("here/below", "no absolute path"), ("~/kit", "no absolute path"), ("{file}", "a file"), ("{file}/x", "a file")],
)
def test_a_folder_in_the_environment_that_would_be_passed_over_is_refused(
    call: Run, vault: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    named = value.format(file=vault / "memkit.toml")
    monkeypatch.setenv(name, named)
    for line in (["status"], ["recall", "nginx"], ["init", "new"], ["hooks", "status"], ["daemon", "status"]):
        assert f"{name} is '{named}', which is {says}." in error(call(*line), 2)
        as_json = call(*line, "--json")
        assert (as_json.returncode, json.loads(as_json.stdout)["code"]) == (2, 2)


@pytest.mark.parametrize(("name", "value"), [("MEMKIT_CACHE", "here"), ("MEMKIT_CONFIG", "{file}")])
def test_a_hook_goes_on_with_the_usual_folders_in_silence(
    memkit: Run, vault: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value.format(file=vault / "memkit.toml"))
    said = json.dumps({"session": "s", "prompt": "which colour has the harbour crane at night?"})
    done = memkit("hook", "generic", "prompt", said=said)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path for path in (vault / "cards").rglob("*.md") if "which-colour" in path.name]


def test_a_process_ends_with_the_code_and_no_colour(memkit: Run) -> None:
    said = error(memkit("feedback", "nothing", "confirmed"), 3)
    assert said.startswith("memkit: No note has the id 'nothing'.")
    assert "\x1b" not in said
    assert error(memkit("frame", "x", "--importance", "9"), 2)


def test_without_a_vault_the_way_to_one_is_told(run: Run, home: Path) -> None:
    said = error(run("recall", "x"), 6)
    assert said.startswith("memkit: No vault is here.")
    assert "memkit init" in said
    assert f"There is no folder {home / 'nowhere'}." in error(run("--vault", home / "nowhere", "status"), 6)


def test_a_file_is_no_vault(run: Run, home: Path) -> None:
    (home / "file").write_text("mine", encoding="utf-8")
    assert "is a file" in error(run("init", home / "file"), 2)
    assert "can't be made" in error(run("init", home / "file" / "below"), 8)
    assert (home / "file").read_text("utf-8") == "mine"


def test_the_demo_overwrites_no_folder(run: Run, vault: Path, home: Path) -> None:
    before = {file: file.read_bytes() for file in vault.rglob("*") if file.is_file()}
    assert "is not empty" in error(run("demo", "--keep", vault), 4)
    assert {file: file.read_bytes() for file in vault.rglob("*") if file.is_file()} == before
    (home / "file").write_text("mine", encoding="utf-8")
    assert "is not empty" in error(run("demo", "--keep", home / "file"), 4)


def test_all_faults_of_the_settings_are_told_at_once_with_their_lines(call: Run, vault: Path) -> None:
    (vault / "memkit.toml").write_text('id = "x"\n[recall]\nlimit = "many"\nlimits = 5\n', encoding="utf-8")
    said = error(call("recall", "x"), 9)
    assert f"{vault / 'memkit.toml'}:3: 'recall.limit' must be a whole number, not 'many'." in said
    assert f"{vault / 'memkit.toml'}:4: There is no setting 'recall.limits'. Did you mean 'recall.limit'?" in said


def test_settings_that_are_no_toml_name_their_line(call: Run, vault: Path) -> None:
    (vault / "memkit.toml").write_text('id = "x"\n[recall\n', encoding="utf-8")
    assert f"{vault / 'memkit.toml'}:2: This is no TOML" in error(call("recall", "x"), 9)


def test_a_wrong_variable_is_told_by_name(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_RECALL_LIMIT", "0")
    monkeypatch.setenv("MEMKIT_INDEX_ENGINE", "steam")
    said = error(call("recall", "x"), 9)
    assert "MEMKIT_RECALL_LIMIT: 'recall.limit' must be at least 1 and at most 200, not 0." in said
    assert "MEMKIT_INDEX_ENGINE: 'index.engine' must be one of auto" in said


FAULTS = [
    ("[recall]\nlimits = 5\nlimit = 3\n", ":3: There is no setting 'recall.limits'"),
    ("[recall]\nlimit = 0\n", ":3: 'recall.limit' must be"),
    ("[recall\n", "This is no TOML"),
    ('[llm]\nprovider = "command"\n', "can't stand in a vault"),
]


@pytest.mark.parametrize(("fault", "says"), FAULTS)
def test_with_a_fault_in_the_settings_one_can_still_look_what_it_is(
    call: Run, vault: Path, fault: str, says: str
) -> None:
    call("remember", "Reports go in tables")
    (vault / "memkit.toml").write_text(f'id = "laid0000"\n{fault}', encoding="utf-8")
    for line in (["status"], ["config"], ["log"]):
        ran = call(*line)
        assert (ran.returncode, says in ran.stderr) == (0, True), ran.stderr
        assert ran.stdout
    ran = call("doctor")
    assert (ran.returncode, says in ran.stdout) == (1, True)
    assert says in error(call("remember", "Names say what they hold"), 9)
    assert says in error(call("recall", "x"), 9)
    assert ("recall.limit\t3" in call("config").stdout) == ("limit = 3" in fault)


@pytest.mark.parametrize(("fault", "says"), FAULTS)
def test_with_a_fault_in_the_settings_a_hook_still_tells(vault: Path, run: Run, fault: str, says: str) -> None:
    run("--vault", vault, "remember", "Reports go in tables", "--category", "preference", "--tag", "report-layout")
    (vault / "memkit.toml").write_text(f'id = "laid0000"\n{fault}', encoding="utf-8")
    told = json.dumps({"session_id": "s", "cwd": "/src/gate", "prompt": "what is the report-layout I want?"})
    ran = run("--vault", vault, "hook", "claude", "prompt", said=told)
    assert "Reports go in tables" in ran.stdout, says
    assert len(list(vault.glob("cards/*/*.md"))) == 1


def test_a_card_that_can_not_be_read_says_where_and_how_to_mend_it(call: Run, vault: Path) -> None:
    write(vault, "cards/a.md", CARD.format("20260101-000000-aaaa"))
    assert call("status").returncode == 0
    write(vault, "cards/a.md", CARD.format("20260101-000000-aaaa") + "people: [Ada\n")
    assert "cards/a.md:6: A bracket is opened here" in error(call("complete", "20260101-000000-aaaa"), 5)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"cards/a.md": CARD.format("a") + "people: [Ada\n"}, "cards/a.md:6: A bracket is opened here"),
        ({"cards/a.md": CARD.format("a") + "importance: 9\n"}, "cards/a.md:6: `importance` is 9"),
        ({"cards/a.md": "kind: card\n"}, "cards/a.md:1: `id` is missing."),
        (
            {"cards/a.md": CARD.format("a"), "cards/copy of a.md": CARD.format("a")},
            "cards/copy of a.md: Its id 'a' already belongs to cards/a.md.",
        ),
        (
            {"cards/a.md": CARD.format("a"), "cards/a.sync-conflict-20260101-101010-ABCDEFG.md": CARD.format("a")},
            "cards/a.sync-conflict-20260101-101010-ABCDEFG.md: A sync tool left this conflict copy.",
        ),
        (
            {
                "tags/one.md": "id: t1\nkind: tag\naliases: [ratchet]\n",
                "tags/two.md": "id: t2\nkind: tag\naliases: [ratchet]\n",
            },
            "tags/two.md: The name 'ratchet' already belongs to tags/one.md.",
        ),
        (
            {"cards/a.md": CARD.format("a") + 'event: "[[events/none]]"\n'},
            "cards/a.md:6: `event` links to 'events/none', which is not there.",
        ),
        ({"cards/a.md": CARD.format("a") + "# x\n" * 600_000}, "cards/a.md: The file is too large to be read"),
    ],
    ids=["broken yaml", "wrong value", "no id", "duplicate id", "conflict copy", "tag clash", "dead link", "too large"],
)
def test_doctor_finds_what_a_person_should_mend(call: Run, vault: Path, files: dict[str, str], told: str) -> None:
    for path, front in files.items():
        write(vault, path, front)
    ran = call("doctor")
    assert ran.returncode == 1
    assert [line for line in ran.stdout.splitlines() if line.startswith(told)], ran.stdout
    assert ran.stderr.strip() == "1 problem."
    for path in files:
        (vault / path).unlink()
    well = call("doctor")
    assert (well.returncode, well.stdout, well.stderr.strip()) == (0, "", "All is well.")


def test_a_text_that_is_too_long_is_refused_in_a_sentence_and_nothing_is_written(memkit: Run, vault: Path) -> None:
    told = memkit("frame", "-", said="word " * 200_001)
    assert told.returncode == 2
    assert "'prompt' is 1,000,005 characters long; at most 1,000,000 are taken." in told.stderr
    assert not list((vault / "cards").rglob("*.md"))
