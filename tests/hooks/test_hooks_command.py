"""`memkit hooks` as a person uses it, and the commands it leaves for the clients to run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import kit.cli
from kit import __version__, settings
from kit.harness.event import ACTS
from kit.harness.registry import ADAPTERS
from kit.installing import commands, house, laid, merging, samples
from kit.installing.house import CLIENTS
from kit.model.hits import FENCE_OPEN
from tests.hooks.desk import DROPPED, EXTENDED, HOOKS, MERGED, ON_POSIX, ROOT, Desk, theirs

# --- the command itself


@ON_POSIX
def test_all_means_what_is_on_the_path(desk: Desk) -> None:
    assert desk.memkit("install", "--all").code == 3
    for name in ("claude", "pi", "cursor-agent", "other"):
        desk.program(name)
    told = json.loads(desk.memkit("install", "--all", "--json").out)
    assert [each["client"] for each in told] == ["claude", "pi", "cursor"]
    states = json.loads(desk.memkit("status", "--json").out)
    assert {each["client"] for each in states if each["hooks"] == "installed"} == {"claude", "pi", "cursor"}
    assert [each["client"] for each in states if each["program"]] == ["claude", "pi", "cursor"]
    (desk.bin / "pi").unlink()
    gone = json.loads(desk.memkit("uninstall", "--all", "--json").out)
    assert [each["client"] for each in gone] == ["claude", "pi", "cursor"]
    assert not desk.file(".pi").exists()


def test_words_that_are_off_are_told(desk: Desk) -> None:
    assert desk.memkit("install").code == 2
    assert desk.memkit("install", "claude", "--all").code == 2
    unknown = desk.memkit("install", "emacs")
    assert unknown.code == 2
    assert "claude" in unknown.err
    assert desk.memkit("status", "emacs").code == 2
    assert desk.memkit("test", "emacs").code == 2


@pytest.mark.parametrize("client", [*MERGED, *DROPPED, "dsh"])
def test_a_dry_run_prints_a_diff_and_writes_nothing(desk: Desk, client: str) -> None:
    tree = desk.tree()
    ran = desk.install(client, "--dry-run")
    assert "--- /dev/null" in ran.out
    assert any(line.startswith("+") and "hook.py" in line for line in ran.out.splitlines())
    assert desk.tree() == tree
    desk.install(client)
    tree = desk.tree()
    assert "+++ /dev/null" in desk.uninstall(client, "--dry-run").out
    assert desk.tree() == tree


def test_the_help_says_what_each_command_does(desk: Desk) -> None:
    said = desk.memkit("--help").out
    for command in ("install", "uninstall", "status", "test"):
        assert re.search(rf"^  {command} +\S+ \S+ \S+", said, re.MULTILINE)
        assert f"memkit hooks {command}" in desk.memkit(command, "--help").out


def test_rules_lie_beside_the_hooks_and_go_with_them(desk: Desk) -> None:
    for client in CLIENTS:
        tree = desk.tree()
        desk.install(client)
        assert not [name for name in desk.tree() if name.endswith("memkit.md")]
        ran = desk.install(client, "--rules")
        assert len([name for name in desk.tree() if name.endswith("memkit.md")]) == 1
        assert "rules of use" in ran.err
        desk.install(client)
        assert len([name for name in desk.tree() if name.endswith("memkit.md")]) == 1
        desk.uninstall(client)
        assert desk.tree() == tree


def test_rules_name_only_commands_and_categories_there_are() -> None:
    said = (HOOKS / "rules/memkit.md").read_text("utf-8")
    context = kit.cli.cli.make_context("memkit", ["--help"], resilient_parsing=True)
    for name in re.findall(r"`memkit (\w+)", said):
        assert kit.cli.cli.get_command(context, name) is not None
    assert set(re.findall(r"^  - `(\w+)`", said, re.MULTILINE)) <= {
        "preference", "habit", "style", "business", "fact", "other",
    }  # fmt: skip


def test_codex_says_what_it_has_not_trusted_yet(desk: Desk) -> None:
    file = desk.file(MERGED["codex"], theirs("codex"))
    desk.install("codex")
    (told,) = desk.status("codex")["remarks"]
    assert "UserPromptSubmit" in told
    assert "Stop" in told
    ours = merging.ours(file.read_text("utf-8"), "codex", file)
    names = {event: re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower() for event, *_ in ours}
    keys = [f"{file}:{names[event]}:{group}:0" for event, group, _, _ in ours]
    assert f"{file}:stop:1:0" in keys
    rows = "".join(f'[hooks.state.{json.dumps(key)}]\ntrusted_hash = "sha256:0"\n' for key in keys)
    config = desk.file(".codex/config.toml", rows.encode())
    assert tomllib.loads(rows)
    assert desk.status("codex")["remarks"] == []
    config.write_text(rows + "[[hooks.Stop]]\n", encoding="utf-8")
    assert "two places" in desk.status("codex")["remarks"][0]
    config.write_text("= broken", encoding="utf-8")
    assert "can't be read" in desk.status("codex")["remarks"][0]


def test_codex_says_when_their_hooks_move_up(desk: Desk) -> None:
    file = desk.file(MERGED["codex"], theirs("codex"))
    desk.install("codex")
    told = json.loads(file.read_text("utf-8"))
    told["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    assert "trust them again" not in desk.uninstall("codex", "--dry-run", "--json").out
    file.write_text(json.dumps(told), encoding="utf-8")
    assert "trust them again" in desk.uninstall("codex").err
    assert [group["hooks"][0]["command"] for group in json.loads(file.read_text("utf-8"))["hooks"]["Stop"]] == [
        "make note",
        "later",
    ]


def test_without_a_vault_the_next_step_is_told(desk: Desk) -> None:
    assert "memkit init" in desk.install("claude").err


def test_hooks_that_are_switched_off_are_told(desk: Desk) -> None:
    desk.file(MERGED["claude"], b'{"disableAllHooks": true}')
    desk.install("claude")
    assert "disableAllHooks" in desk.status("claude")["remarks"][0]


def test_the_folders_that_variables_name_are_used(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, client, file in (
        ("CLAUDE_CONFIG_DIR", "claude", "settings.json"),
        ("CODEX_HOME", "codex", "hooks.json"),
        ("COPILOT_HOME", "copilot", "hooks/memkit.json"),
        ("DSH_HOME", "dsh", "cordis.patch.yml"),
        ("XDG_CONFIG_HOME", "opencode", "opencode/plugins/memkit.js"),
        ("PI_CODING_AGENT_DIR", "pi", "extensions/memkit.ts"),
    ):
        monkeypatch.setenv(variable, str(desk.base / client))
        desk.install(client)
        assert (desk.base / client / file).is_file()


def test_a_relative_folder_that_a_variable_names_is_passed_over(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "settings")
    desk.install("opencode")
    assert desk.file(".config/opencode/plugins/memkit.js").is_file()


# --- the commands that clients run


@ON_POSIX
@pytest.mark.parametrize("client", commands.EVENTS)
def test_a_command_is_silent_once_the_kit_or_its_python_is_gone(client: str, tmp_path: Path) -> None:
    spaced = tmp_path / "it's a place" / "kit"
    spaced.mkdir(parents=True)
    (spaced / "hook.py").write_text("import sys; print(sys.argv[1:], sys.flags.isolated, sys.stdin.read())")
    here = commands.Program(Path(sys.executable), spaced / "hook.py")
    for handler in commands.wanted(client, here).values():
        line = str(handler.get("command") or handler.get("bash"))
        ran = subprocess.run(["/bin/sh", "-c", line], input=b"hi", capture_output=True, check=True)
        assert ran.stdout.decode() == f"{[client, shlex.split(line)[-1]]} 1 hi\n"
        assert commands.is_ours(line, client)
        assert not commands.is_ours(line, "another")
        for gone in (here._replace(python=tmp_path / "none"), here._replace(hook=tmp_path / "kit" / "hook.py")):
            event = shlex.split(line)[-1]
            ran = subprocess.run(["/bin/sh", "-c", gone.sh(client, event)], capture_output=True, check=False)
            assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.parametrize("client", commands.EVENTS)
def test_every_event_is_one_the_adapter_knows(client: str) -> None:
    known = ADAPTERS[client].EVENTS
    assert {event: known[act] for event, (act, _) in commands.EVENTS[client].items()} == {
        event: event for event in commands.EVENTS[client]
    }
    wanted = commands.wanted(client, commands.Program(Path("/py"), Path("/kit/hook.py")))
    for handler in wanted.values():
        seconds = handler.get("timeoutSec") or handler["timeout"]
        assert seconds in ((20_000, 5_000) if client in EXTENDED else (20, 3) if client == "codex" else (20, 5))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_sample_is_read_as_the_start_of_a_session(client: str) -> None:
    event, payload = samples.sample(client, "s1", "/home/ada/harbor")
    seen = ADAPTERS[client].read(event, payload, {})
    assert seen.session == "s1"
    assert (seen.kind, seen.cwd) in {("start", "/home/ada/harbor"), ("ignore", "")}
    assert (seen.kind == "ignore") == (client == "openclaw")


def test_windows_gets_its_own_commands() -> None:
    here = commands.Program(Path("C:/it's/python.exe"), Path("C:/kit/hook.py"), windows=True)
    assert str(commands.wanted("gemini", here)["BeforeAgent"]["command"]).startswith(
        "if ((Test-Path 'C:/it''s/python.exe')"
    )
    codex = commands.wanted("codex", here)["Stop"]
    assert str(codex["commandWindows"]).startswith('if exist "')
    assert str(codex["command"]).startswith("[ -x ")
    assert str(commands.wanted("copilot", here)["agentStop"]["powershell"]).endswith("exit 0")
    for line in (codex["commandWindows"], commands.wanted("gemini", here)["BeforeAgent"]["command"]):
        assert commands.is_ours(line, "codex" if line is codex["commandWindows"] else "gemini")


def test_what_ships_for_plugin_shops_says_the_same_as_what_is_installed() -> None:
    here = commands.Program(Path(), Path(), portable=True)

    def shipped(name: str) -> Any:  # noqa: ANN401 - whatever the file holds
        return json.loads((HOOKS / name).read_text("utf-8"))

    assert shipped("claude-plugin/hooks/hooks.json")["hooks"] == laid.grouped("claude", here)["hooks"]
    assert shipped("codex-plugin/plugins/memkit/hooks/hooks.json") == laid.grouped("codex", here)
    assert shipped("copilot/memkit.json") == laid.copilot(here)
    wanted = {event: [handler] for event, handler in commands.wanted("cursor", here).items()}
    assert shipped("cursor/hooks.json") == {"version": 1, "hooks": wanted}
    for client in EXTENDED:
        for name, raw in laid.extension(client, here, __version__, rules=False).items():
            assert (HOOKS / f"{client}-extension" / name).read_bytes() == raw
    for name in (
        "claude-plugin/.claude-plugin/plugin.json",
        "codex-plugin/plugins/memkit/.codex-plugin/plugin.json",
        "openclaw/package.json",
        "openclaw/openclaw.plugin.json",
        "dsh/package.json",
    ):
        assert shipped(name)["version"] == __version__


def test_every_plugin_has_the_line_in_which_the_paths_are_put() -> None:
    for name in ("opencode/memkit.js", "pi/memkit.ts", "openclaw/index.js", "dsh/memkit.mjs"):
        raw = (HOOKS / name).read_bytes()
        assert raw.count(laid.KIT_LINE.encode()) == 1
        assert laid.MARK in raw
        assert str(ROOT).encode() not in raw
    assert FENCE_OPEN not in (HOOKS / "rules/memkit.md").read_text("utf-8")
    assert laid.MARK in (HOOKS / "rules/memkit.md").read_bytes()


def test_what_is_for_one_person_alone_is_kept_out_of_git(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    project = desk.base / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    told = desk.install("claude", "--project").err
    assert "echo .claude/settings.local.json >> .git/info/exclude" in told
    assert ".git/info/exclude" not in desk.install("claude").err
    told = desk.install("claude", "--project", "--rules").err
    assert "echo .claude/rules/memkit.md >> .git/info/exclude" in told


def test_taking_out_what_nobody_has_is_told(desk: Desk) -> None:
    ran = desk.memkit("uninstall", "--all")
    assert (ran.code, ran.out, ran.err) == (0, "", "No client has them.\n")
    assert desk.memkit("uninstall", "--all", "--json").out == "[]\n"


def test_the_readme_of_the_hooks_says_what_is_so(desk: Desk) -> None:
    said = (HOOKS / "README.md").read_text("utf-8")
    called = said.partition("memkit-hook <harness> <event>")[2].partition("```")[0].replace("#", "").split()
    assert called == [*ADAPTERS, *ACTS]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", said, re.MULTILINE)
    assert [client for client, _ in rows] == list(CLIENTS)
    numbers = {"five": 5, "six": 6}
    for client, written in rows:
        if number := re.match(r"(\w+) handlers", written):
            assert numbers[number[1]] == len(commands.EVENTS[client])
        if file := re.search(r"`~/(.+?)`", written):
            desk.install(client)
            assert desk.file(file[1]).is_file()
    for variable, _ in house._BASES.values():
        assert not variable or f"`{variable}`" in said
    for name in re.findall(r"\]\(([^)#:]+)\)", said):
        assert (HOOKS / name).exists()
    assert set(re.findall(r"`((?:llm|hooks)\.(?!log)\w+)`", said)) <= {setting.name for setting in settings.TABLE}
