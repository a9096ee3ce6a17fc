"""Files of ours are laid for a client, taken up by it, and taken away again without a trace."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from kit.installing import commands, writing
from tests.hooks.desk import DROPPED, EXTENDED, ON_POSIX, PATCH, ROOT, Desk, handlers

if TYPE_CHECKING:
    from collections.abc import Callable


# --- clients that get files of ours


@pytest.mark.parametrize("client", DROPPED)
def test_a_file_of_ours_is_laid_and_taken_away(desk: Desk, client: str) -> None:
    tree = desk.tree()
    desk.install(client)
    file = desk.file(DROPPED[client])
    raw = file.read_bytes()
    assert str(ROOT / "kit/hook.py").encode() in raw
    assert desk.status(client)["hooks"] == "installed"
    assert desk.install(client).out == ""
    assert file.read_bytes() == raw
    desk.uninstall(client)
    assert desk.tree() == tree


@pytest.mark.parametrize("client", DROPPED)
def test_a_file_of_anothers_by_that_name_is_refused(desk: Desk, client: str) -> None:
    file = desk.file(DROPPED[client], b"// my own plugin\n")
    ran = desk.memkit("install", client)
    assert ran.code == 7
    assert str(file) in ran.err
    desk.uninstall(client)
    assert file.read_bytes() == b"// my own plugin\n"


@pytest.mark.parametrize("client", DROPPED)
def test_what_they_wrote_into_a_file_of_ours_is_spared(desk: Desk, client: str) -> None:
    desk.install(client)
    file = desk.file(DROPPED[client])
    mine = file.read_bytes() + b"\n// mine\n"
    file.write_bytes(mine)
    desk.uninstall(client)
    assert not file.exists()
    assert file.with_name(file.name + ".yours").read_bytes() == mine


@pytest.mark.parametrize("client", DROPPED)
def test_what_they_wrote_at_another_time_is_spared_beside_the_first(desk: Desk, client: str) -> None:
    file = desk.file(DROPPED[client])
    for said in (b"\n// mine\n", b"\n// mine, too\n", b"\n// mine\n"):
        desk.install(client)
        file.write_bytes(file.read_bytes() + said)
        desk.install(client)
    spared = [path.read_bytes() for path in file.parent.iterdir() if path != file]
    assert sorted(raw.rpartition(b"// ")[2] for raw in spared) == [b"mine\n", b"mine, too\n"]
    assert desk.status(client)["hooks"] == "installed"


@pytest.mark.parametrize("client", DROPPED)
def test_an_older_file_of_ours_is_renewed_without_a_receipt(desk: Desk, client: str) -> None:
    desk.install(client)
    file = desk.file(DROPPED[client])
    good = file.read_bytes()
    (desk.base / f"settings/receipts/{client}/receipt.json").unlink()
    file.write_bytes(good.replace(str(sys.executable).encode(), b"/old/python"))
    assert desk.status(client)["hooks"] == "partly"
    desk.install(client)
    assert file.read_bytes() == good
    desk.uninstall(client)
    assert not file.exists()


PATCHES = {
    "absent": None,
    "empty": b"",
    "an empty list": b"[]\n",
    "an empty list and a comment": b"# mine\n[]\n",
    "comments": b"# mine\n",
    "rows": b"# mine\n- insert:\n    - id: a  # a\n      name: x\n- id: hmr\n  disabled: false\n",
    "no newline at the end": b"- id: hmr",
    "indented rows": b"  - id: hmr\n    disabled: false\n",
    "CRLF": b"- id: hmr\r\n  disabled: false\r\n",
    "a tag of their own": b"- id: !secret hmr\n",
}


def row_count(raw: bytes) -> int:
    node = yaml.compose(raw.decode(), Loader=yaml.SafeLoader)
    assert isinstance(node, yaml.SequenceNode)
    return len(node.value)


@pytest.mark.parametrize("case", PATCHES)
def test_dsh_gets_one_marked_row(desk: Desk, case: str) -> None:
    before = PATCHES[case]
    file = desk.file(PATCH, before)
    tree = desk.tree()
    desk.install("dsh")
    raw = file.read_bytes()
    rows = row_count(before) if before and b"- " in before else 0
    assert row_count(raw) == rows + 1
    plugin = desk.base / "settings/hooks/dsh/memkit.mjs"
    assert json.dumps(str(plugin)).encode() in raw
    assert plugin.is_file()
    assert (b"\r\n" in raw) == (case == "CRLF")
    assert desk.status("dsh")["hooks"] == "installed"
    assert desk.install("dsh").out == ""
    assert file.read_bytes() == raw
    desk.uninstall("dsh")
    assert desk.tree() == tree


def test_rows_added_to_dsh_since_stay(desk: Desk) -> None:
    file = desk.file(PATCH, b"- id: hmr\n")
    desk.install("dsh")
    file.write_bytes(file.read_bytes() + b"- id: later\n")
    desk.uninstall("dsh")
    assert file.read_bytes() == b"- id: hmr\n- id: later\n"
    desk.file(PATCH, b"[]\n")
    desk.install("dsh")
    file.write_bytes(b"# mine\n" + file.read_bytes())
    desk.uninstall("dsh")
    assert file.read_bytes() == b"# mine\n[]\n"


@pytest.mark.parametrize(
    ("before", "left"),
    [(b"- id: hmr\n", b"- id: hmr\n- id: later\n"), (b"[]\n", b"- id: later\n"), (None, b"- id: later\n")],
)
def test_rows_added_before_the_kit_moved_are_given_back_with_the_rest(
    desk: Desk, before: bytes | None, left: bytes
) -> None:
    file = desk.file(PATCH, before)
    desk.install("dsh")
    edited = file.read_bytes() + b"- id: later\n"
    file.write_bytes(edited.replace(b"memkit.mjs", b"older.mjs"))
    desk.install("dsh")
    assert file.read_bytes() == edited
    desk.uninstall("dsh")
    assert file.read_bytes() == left


@pytest.mark.parametrize(
    "odd", [b"a: b\n", b"[{id: a}]\n", b"- [\n", b"text", b"- a\n---\n- b\n", b"- \xff\n", b"- a\n...\n"]
)
def test_an_odd_patch_of_dsh_is_refused(desk: Desk, odd: bytes) -> None:
    file = desk.file(PATCH, odd)
    ran = desk.memkit("install", "dsh")
    assert ran.code == 7
    assert str(file) in ran.err
    assert file.read_bytes() == odd
    assert not (desk.base / "settings").exists()


# --- clients that take up an extension themselves

EXTENSIONS = """
place="$HOME/.{name}/extensions/memkit"
echo "$*" >>"$HOME/{name}.log"
case "$2" in
install) [ "$4" = --consent ] && mkdir -p "$place" && cp -R "$3/." "$place" ;;
uninstall) rm -r "$place" ;;
esac
"""


@pytest.fixture
def extending(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Make a program of that name which can install and uninstall an extension."""

    def make(name: str) -> Path:
        monkeypatch.setenv("PATH", f"{desk.bin}:/usr/bin:/bin")
        desk.program(name, EXTENSIONS.replace("{name}", name))
        return desk.home / f"{name}.log"

    return make


@ON_POSIX
@pytest.mark.parametrize("client", EXTENDED)
def test_an_extension_is_installed_by_the_client_itself(
    desk: Desk, client: str, extending: Callable[[str], Path]
) -> None:
    log = extending(client)
    settings = desk.file(f".{client}/settings.json", b"{ // mine\n}")
    folder, place = desk.base / f"settings/hooks/{client}", desk.file(f".{client}/extensions/memkit")
    dry = desk.memkit("install", client, "--dry-run")
    assert f"$ {client} extensions install {folder} --consent" in dry.out
    assert not log.exists()
    desk.install(client)
    assert log.read_text().splitlines() == [f"extensions install {folder} --consent"]
    assert len(handlers((place / "hooks/hooks.json").read_bytes(), client)) == len(commands.EVENTS[client])
    assert desk.status(client)["hooks"] == "installed"
    desk.install(client)
    assert len(log.read_text().splitlines()) == 1
    desk.install(client, "--rules")
    assert log.read_text().splitlines()[1:] == ["extensions uninstall memkit", f"extensions install {folder} --consent"]
    assert json.loads((place / f"{client}-extension.json").read_text())["contextFileName"] == "memkit.md"
    assert "Memory: rules of use" in (place / "memkit.md").read_text("utf-8")
    desk.install(client)
    assert len(log.read_text().splitlines()) == 3
    desk.uninstall(client)
    assert not place.exists()
    assert not (desk.base / "settings/hooks").exists()
    assert settings.read_bytes() == b"{ // mine\n}"


@pytest.mark.parametrize("client", EXTENDED)
def test_without_the_client_the_extension_is_laid_and_the_command_told(desk: Desk, client: str) -> None:
    tree = desk.tree()
    ran = desk.install(client)
    assert f"{client} extensions install {desk.base / f'settings/hooks/{client}'} --consent" in ran.err
    assert desk.status(client)["hooks"] == "partly"
    desk.uninstall(client)
    assert desk.tree() == tree


@ON_POSIX
def test_a_client_that_refuses_is_quoted(desk: Desk) -> None:
    desk.program("gemini", "echo no such luck >&2; exit 3")
    ran = desk.memkit("install", "gemini")
    assert ran.code == 8
    assert "no such luck" in ran.err


@ON_POSIX
@pytest.mark.parametrize("client", EXTENDED)
def test_a_client_that_asks_and_waits_is_stopped_with_all_it_started_and_quoted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    monkeypatch.setattr(writing, "RUN_S", 1.0)
    desk.program(client, "echo 'Do you trust the files in this folder?'; /bin/sleep 600 & echo $! > $HOME/pid; wait")
    ran = desk.memkit("install", client)
    assert ran.code == 8
    assert f"Running `{client} extensions install" in ran.err
    assert "It seems to ask whether it may trust a folder." in ran.err
    assert "Its last words: Do you trust the files in this folder?" in ran.err
    asleep = int(desk.file("pid").read_text())
    while Path(f"/proc/{asleep}").exists() and "sleep" in Path(f"/proc/{asleep}/cmdline").read_text():
        pass


@ON_POSIX
@pytest.mark.parametrize("said", ["", "false"])
def test_gemini_is_asked_to_trust_our_own_folder_alone_unless_the_person_forbids_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    if said:
        monkeypatch.setenv("GEMINI_CLI_TRUST_WORKSPACE", said)
    desk.program("gemini", 'echo "$GEMINI_CLI_TRUST_WORKSPACE $(pwd)" > "$HOME/said"')
    desk.install("gemini")
    folder = desk.base / "settings/hooks/gemini"
    assert desk.file("said").read_text() == f"{said or 'true'} {folder}\n"


@ON_POSIX
def test_what_is_changed_while_the_client_s_own_command_runs_stays(
    desk: Desk, extending: Callable[[str], Path]
) -> None:
    extending("gemini")
    desk.install("gemini", "--rules")
    rules = desk.base / "settings/hooks/gemini/memkit.md"
    desk.program("gemini", f"echo mine >> '{rules}'")
    assert "was changed meanwhile" in desk.memkit("uninstall", "gemini").err
    assert rules.read_text(encoding="utf-8").endswith("mine\n")


def test_openclaw_is_told_and_not_written(desk: Desk) -> None:
    config = desk.file(".openclaw/openclaw.json", b"{ /* mine */ }")
    tree = desk.tree()
    ran = desk.install("openclaw")
    told = json.loads(ran.err[ran.err.index("{") : ran.err.rindex("}") + 1])
    (folder,) = told["plugins"]["load"]["paths"]
    assert told["plugins"]["entries"]["memkit"]["hooks"] == {"allowConversationAccess": True}
    assert f"\nopenclaw plugins install --link {shlex.quote(folder)} --force --accept-capabilities\n" in ran.err
    assert "\nopenclaw config set plugins.entries.memkit.hooks.allowConversationAccess true\n" in ran.err
    manifest = json.loads((Path(folder) / "openclaw.plugin.json").read_text("utf-8"))
    assert manifest["id"] == "memkit"
    assert config.read_bytes() == b"{ /* mine */ }"
    assert desk.status("openclaw")["hooks"] == "partly"
    config.write_text(f"{{ /* mine */ plugins: {{load: {{paths: ['{folder}']}}}} }}", encoding="utf-8")
    assert desk.status("openclaw")["hooks"] == "installed"
    config.write_bytes(b"{ /* mine */ }")
    assert "\nopenclaw plugins uninstall memkit --force\n" in desk.uninstall("openclaw").err
    assert desk.tree() == tree
