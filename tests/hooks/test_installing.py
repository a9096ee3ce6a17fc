"""Hooks go into a client's own file and come out again, and nothing else in that file moves."""

from __future__ import annotations

import json
import re
import stat

import pytest

from kit.installing import commands, document
from tests.hooks.desk import CASES, MERGED, ON_POSIX, ROOT, Desk, handlers, theirs

# --- in and out


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("client", MERGED)
def test_hooks_go_in_and_come_out_without_a_trace(desk: Desk, client: str, case: str) -> None:
    before = CASES[case](client)
    file = desk.file(MERGED[client], before)
    tree = desk.tree()
    assert desk.status(client)["hooks"] == "not installed"
    desk.install(client)
    raw = file.read_bytes()
    ours = [(event, one) for event, one in handlers(raw, client) if commands.is_ours(one["command"], client)]
    assert {event for event, _ in ours} == set(commands.EVENTS[client])
    assert len(ours) == len(commands.EVENTS[client])
    assert desk.status(client)["hooks"] == "installed"
    again = desk.install(client)
    assert file.read_bytes() == raw
    assert again.out == ""
    assert "there already" in again.err
    desk.uninstall(client)
    assert desk.tree() == tree


@pytest.mark.parametrize("case", ["their hooks", "their hooks, tabs", "their hooks, tight", "CRLF", "a BOM"])
@pytest.mark.parametrize("client", MERGED)
def test_what_is_theirs_keeps_its_bytes_and_comes_first(desk: Desk, client: str, case: str) -> None:
    before = CASES[case](client)
    assert before is not None
    file = desk.file(MERGED[client], before)
    desk.install(client)
    raw = file.read_bytes()
    remaining = iter(raw)
    assert all(byte in remaining for byte in before), "bytes were only added"
    told = json.loads(raw.decode("utf-8-sig"))
    assert list(told)[:3] == ["zebra", "hooks", "apple"]
    assert next(iter(told["hooks"])) == next(iter(json.loads(before.decode("utf-8-sig"))["hooks"]))
    first = next(one for event, one in handlers(raw, client) if event.lower() == "stop")
    assert first["command"] == "make note"
    assert (b"\r\n" in before) == (b"\r\n" in raw)
    assert b"\r\n" not in before or not re.search(rb"[^\r]\n", raw)
    if b"\n\t" in before:
        assert not re.search(rb"^ ", raw, re.MULTILINE)


@pytest.mark.parametrize("client", MERGED)
def test_edits_made_since_stay(desk: Desk, client: str) -> None:
    file = desk.file(MERGED[client], theirs(client))
    desk.install(client)
    edited = file.read_bytes().replace(b'"apple": true', b'"apple":   false,\n  "pear": [ ]')
    file.write_bytes(edited)
    assert desk.status(client)["hooks"] == "installed"
    desk.uninstall(client)
    assert file.read_bytes() == theirs(client).replace(b'"apple": true', b'"apple":   false,\n  "pear": [ ]')


@pytest.mark.parametrize("client", MERGED)
def test_a_hook_added_to_a_group_of_ours_stays(desk: Desk, client: str) -> None:
    file = desk.file(MERGED[client])
    desk.install(client)
    text = file.read_text("utf-8")
    event = next(iter(commands.EVENTS[client]))
    told = json.loads(text)
    mine = {"type": "command", "command": "mine"}
    (told["hooks"][event] if client == "cursor" else told["hooks"][event][0]["hooks"]).append(mine)
    file.write_text(json.dumps(told, indent=1), encoding="utf-8")
    desk.uninstall(client)
    assert [(event, mine)] == handlers(file.read_bytes(), client)


def test_a_file_of_ours_to_which_they_added_settings_stays_with_those(desk: Desk) -> None:
    file = desk.file(MERGED["claude"])
    desk.install("claude")
    text = file.read_text("utf-8")
    file.write_text(text.replace("{", '{\n  "model": "x",', 1), encoding="utf-8")
    desk.uninstall("claude")
    assert json.loads(file.read_text("utf-8")) == {"model": "x"}


@pytest.mark.parametrize("client", MERGED)
def test_another_kit_is_replaced_in_place(desk: Desk, client: str) -> None:
    """A kit that moved: the handlers keep their positions, by which Codex knows what it trusts."""
    file = desk.file(MERGED[client], theirs(client))
    desk.install(client)
    good = file.read_bytes()
    later = good.replace(b'"PreToolUse"', b'"Later": [], "PreToolUse"')
    file.write_bytes(later.replace(str(ROOT).encode(), b"/old/place"))
    assert desk.status(client)["hooks"] == "partly"
    desk.install(client)
    assert file.read_bytes() == later
    file.write_bytes(file.read_bytes().replace(str(ROOT).encode(), b"/old/place"))
    desk.uninstall(client)
    assert file.read_bytes() == theirs(client).replace(b'"PreToolUse"', b'"Later": [], "PreToolUse"')


@pytest.mark.parametrize("client", MERGED)
def test_edits_made_before_the_kit_moved_are_given_back_with_the_rest(desk: Desk, client: str) -> None:
    """A second install has something to do, and what it takes down is the person's newest, not the oldest."""
    file = desk.file(MERGED[client], theirs(client))
    desk.install(client)
    edited = file.read_bytes().replace(b'"apple": true', b'"apple":   false,\n  "pear": [ ]')
    file.write_bytes(edited.replace(str(ROOT).encode(), b"/old/place"))
    desk.install(client)
    assert file.read_bytes() == edited
    desk.uninstall(client)
    assert file.read_bytes() == theirs(client).replace(b'"apple": true', b'"apple":   false,\n  "pear": [ ]')


@pytest.mark.parametrize("client", MERGED)
def test_a_kit_that_moved_gives_back_the_bytes_from_before_it_came(desk: Desk, client: str) -> None:
    """`{}` becomes lines when hooks go in: only what was kept knows that it was `{}`."""
    file = desk.file(MERGED[client], b"{}")
    python = desk.base / "python"
    desk.install(client)
    good = file.read_bytes()
    python.touch()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.executable", str(python))
        desk.install(client)
    assert file.read_bytes() != good
    desk.uninstall(client)
    assert file.read_bytes() == b"{}"


def test_an_event_that_is_no_longer_used_and_a_double_are_tidied(desk: Desk) -> None:
    file = desk.file(MERGED["claude"], theirs("claude"))
    desk.install("claude")
    good = json.loads(file.read_text("utf-8"))
    ours = good["hooks"]["Stop"][1]
    bad = {**good, "hooks": {**good["hooks"], "PostCompact": [ours], "Stop": [*good["hooks"]["Stop"], ours]}}
    file.write_text(json.dumps(bad, ensure_ascii=False), encoding="utf-8")
    desk.install("claude")
    assert json.loads(file.read_text("utf-8")) == good


def test_without_the_receipt_the_hooks_come_out_all_the_same(desk: Desk) -> None:
    file = desk.file(MERGED["claude"], theirs("claude"))
    desk.install("claude")
    for path in sorted((desk.base / "settings").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    desk.install("claude")
    desk.uninstall("claude")
    assert file.read_bytes() == theirs("claude")


def test_hooks_taken_out_by_hand_are_no_part_of_what_is_given_back(desk: Desk) -> None:
    file = desk.file(MERGED["claude"], theirs("claude"))
    desk.install("claude")
    file.write_bytes(b'{"model": "new"}\n')
    desk.install("claude")
    desk.uninstall("claude")
    assert file.read_bytes() == b'{"model": "new"}\n'


ODD = {
    "no JSON": b'{"hooks": ',
    "a comment": b'{\n  // mine\n  "hooks": {}\n}',
    "a trailing comma": b'{"hooks": {},\n}',
    "a list": b"[]",
    "text": b'"hooks"',
    "no UTF-8": b'{"a": "\xff"}',
    "a constant that is no JSON": b'{"a": NaN}',
    "hooks twice": b'{"hooks": {}, "hooks": {}}',
    "hooks that are a list": b'{"hooks": []}',
    "an event that is an object": b'{"hooks": {"Stop": {}}}',
    "an event twice": b'{"hooks": {"Stop": [], "Stop": []}}',
    "an entry that is a text": b'{"hooks": {"Stop": ["x"]}}',
    "too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("client", MERGED)
def test_an_odd_file_is_refused_and_not_touched(desk: Desk, client: str, case: str) -> None:
    file = desk.file(MERGED[client], ODD[case])
    tree = desk.tree()
    for act in ("install", "uninstall"):
        ran = desk.memkit(act, client)
        assert ran.code == 7
        assert str(file) in ran.err
        assert "Nothing was changed" in ran.err
    assert desk.tree() == tree
    assert desk.status(client)["hooks"] == "unclear"


@pytest.mark.parametrize("group", [b"{}", b'{"hooks": {}}', b'{"hooks": ["x"]}'])
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_group_without_its_list_is_refused(desk: Desk, client: str, group: bytes) -> None:
    desk.file(MERGED[client], b'{"hooks": {"Other": [' + group + b"]}}")
    assert desk.memkit("install", client).code == 7


def test_a_folder_where_a_file_should_be_is_refused(desk: Desk) -> None:
    desk.file(MERGED["claude"]).mkdir(parents=True)
    assert desk.memkit("install", "claude").code == 7
    desk.file(".codex", b"a file")
    assert desk.memkit("install", "codex").code == 7


def test_one_refusal_does_not_keep_the_others_out(desk: Desk) -> None:
    desk.file(MERGED["claude"], b"[]")
    ran = desk.memkit("install", "claude", "codex", "--json")
    first, second = json.loads(ran.out)
    assert ran.code == first["exit_code"] == 7
    assert second["changed"] == [str(desk.file(MERGED["codex"]))]


@ON_POSIX
def test_links_are_followed_and_stay_links(desk: Desk) -> None:
    real = desk.file("dotfiles/claude.json", theirs("claude"))
    real.chmod(0o640)
    link = desk.file(MERGED["claude"])
    link.parent.mkdir()
    link.symlink_to("../dotfiles/claude.json")
    desk.install("claude")
    assert link.is_symlink()
    assert commands.is_ours(real.read_text("utf-8"), "claude")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert [path.name for path in real.parent.iterdir()] == ["claude.json"]
    desk.uninstall("claude")
    assert link.is_symlink()
    assert real.read_bytes() == theirs("claude")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@ON_POSIX
def test_a_dangling_link_gets_its_file_and_loses_it_again(desk: Desk) -> None:
    link = desk.file(MERGED["claude"])
    link.parent.mkdir()
    link.symlink_to("../dotfiles/claude.json")
    desk.install("claude")
    assert desk.file("dotfiles/claude.json").is_file()
    desk.uninstall("claude")
    assert link.is_symlink()
    assert not desk.file("dotfiles").exists()


@ON_POSIX
def test_a_link_in_a_circle_is_refused(desk: Desk) -> None:
    link = desk.file(MERGED["claude"])
    link.parent.mkdir()
    link.symlink_to(link)
    assert desk.memkit("install", "claude").code == 7


@ON_POSIX
def test_what_is_kept_is_readable_by_nobody_else(desk: Desk) -> None:
    desk.file(MERGED["claude"], b'{"env": {"TOKEN": "secret"}}')
    desk.install("claude")
    (kept,) = (desk.base / "settings").rglob("*.before")
    assert kept.read_bytes() == b'{"env": {"TOKEN": "secret"}}'
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


# --- one project


def test_the_project_level_of_claude_is_the_persons_own_file(desk: Desk) -> None:
    tree = desk.tree()
    desk.install("claude", "--project")
    file = desk.base / "project/.claude/settings.local.json"
    assert len(handlers(file.read_bytes(), "claude")) == 5
    assert not desk.file(".claude").exists()
    assert "installed" in desk.memkit("status", "--project").out
    assert desk.status("claude")["hooks"] == "not installed"
    desk.install("claude")
    desk.uninstall("claude")
    assert file.is_file()
    desk.uninstall("claude", "--project")
    assert desk.tree() == tree


def test_other_clients_have_no_project_level(desk: Desk) -> None:
    ran = desk.memkit("install", "codex", "--project")
    assert ran.code == 2
    assert "--project" in ran.err


# --- the editing of JSON text


@pytest.mark.parametrize(
    "text", ["{}", "{ }", "{\n}", '{"a": 1}', '{"a":1}', '{\n\t"a": [\n\t\t1\n\t]\n}\n', '{\n"a": 1\n}']
)
@pytest.mark.parametrize("added", [1, "钥匙", [], {}, {"x": [{"y": "z"}]}])
def test_what_is_appended_parses_and_what_is_removed_leaves_no_trace(text: str, added: object) -> None:
    grown = document.append(text, 0, added, "new")
    assert json.loads(grown) == json.loads(text) | {"new": added}
    shrunk = document.remove(grown, 0, len(document.parts(grown, 0)) - 1)
    assert shrunk == (text if json.loads(text) else "{}")
