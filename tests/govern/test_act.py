"""Acts over several notes: all or nothing, through crashes and a person's edits; taken back to the byte."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit.app import Kit
from kit.errors import ConflictError, KitError, NotFoundError, RefusedError
from kit.vault.store import Store
from tests.govern.pooled import card, edit, hits, notes, save, tag, to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Act = Callable[[Kit], object]

DYING = """
import os, signal, sys
from kit.app import Kit
from kit.vault.store import Store
left = int(sys.argv[2])
def dies(real):
    def act(*args):
        global left
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return real(*args)
    return act
for name in ("replace", "create", "move"):
    setattr(Store, name, dies(getattr(Store, name)))
kit = Kit(sys.argv[1])
exec(sys.argv[3])
"""
PROJECT = Path(__file__).parents[2]
unix_only = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


@pytest.fixture
def pooled(vault: Path) -> Path:
    """A vault with tags that relate, and cards that bear them."""
    tag(vault, "pawl", aliases=["Sperrklinke", "棘爪"], related=to("flume"), synonym=to("catch"), dimensions=[])
    tag(vault, "catch", synonym=to("pawl"))
    tag(vault, "flume", related=to("pawl", "ratchet"))
    tag(vault, "ratchet", related=to("flume"), aliases=["棘轮"])
    card(vault, "one", "pawl flume")
    card(vault, "two", "pawl ratchet", says="It is about the ratchet.")
    card(vault, "three", "棘爪")
    return vault


def dies(vault: Path, after: int, line: str) -> None:
    """Run a line in a program that is killed when it is about to write once more than `after` times."""
    ran = subprocess.run(
        [sys.executable, "-c", DYING, str(vault), str(after), line], check=False, capture_output=True, cwd=PROJECT
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr.decode()


# --- crashes


@unix_only
@pytest.mark.parametrize("after", range(7))
def test_an_act_that_was_killed_between_two_files_is_finished_at_the_next_start(pooled: Path, after: int) -> None:
    before = notes(pooled)
    dies(pooled, after, 'kit.pool.merge("pawl", "ratchet")')
    assert sum(raw != before[path] for path, raw in notes(pooled).items()) == after
    with Kit(pooled) as kit:
        kit.sync()
        assert {name for name, hit in hits(kit, "ratchet").items() if hit.reasons[0].factor == "direct"} == {
            "one", "two", "three",
        }  # fmt: skip
        assert (kit.pool.show("pawl").status, kit.doctor()) == ("merged", [])
        finished = notes(pooled)
        kit.pool.undo()
        assert notes(pooled) == before
        again = kit.pool.merge("pawl", "ratchet")
        assert again
        assert notes(pooled) == finished


@unix_only
@pytest.mark.parametrize("after", range(3))
def test_a_rename_that_was_killed_is_finished_with_its_move(pooled: Path, after: int) -> None:
    dies(pooled, after, 'kit.pool.rename("pawl", "the pawl")')
    with Kit(pooled) as kit:
        kit.sync()
        tag_ = kit.pool.show("the pawl")
        assert (tag_.path, tag_.code, set(tag_.cards)) == ("tags/the pawl.md", "pawl", {"one", "two", "three"})
        assert tag_.synonym == ("catch",)
        assert not (pooled / "tags/pawl.md").exists()
        assert kit.doctor() == []


@unix_only
def test_an_undo_that_was_killed_is_finished(pooled: Path) -> None:
    with Kit(pooled) as kit:
        before = notes(pooled)
        kit.pool.rename("pawl", "the pawl")
    dies(pooled, 1, "kit.pool.undo()")
    with Kit(pooled) as kit:
        kit.sync()
        assert notes(pooled) == before


@unix_only
def test_a_note_that_a_person_edited_after_the_crash_keeps_the_edit_and_gets_the_rest(pooled: Path) -> None:
    dies(pooled, 3, 'kit.pool.merge("pawl", "ratchet")')
    edit(pooled / "tags/ratchet.md", "what ratchet is", "a wheel that turns one way")
    with Kit(pooled) as kit:
        kit.sync()
        assert kit.pool.show("pawl").status == "merged"
        assert "a wheel that turns one way" in kit.pool.show("ratchet").definitions


@unix_only
def test_what_a_person_has_made_impossible_after_the_crash_is_taken_back_whole(pooled: Path) -> None:
    before = notes(pooled)
    dies(pooled, 3, 'kit.pool.merge("pawl", "ratchet")')
    (pooled / "tags/pawl.md").unlink()
    with Kit(pooled) as kit:
        kit.sync()
    assert notes(pooled) == {path: raw for path, raw in before.items() if path != "tags/pawl.md"}
    with Kit(pooled) as kit:
        kit.sync()
    assert notes(pooled).keys() == before.keys() - {"tags/pawl.md"}, "it is dealt with once"


@unix_only
def test_a_finished_act_is_not_done_again_when_a_person_has_put_a_note_back(pooled: Path) -> None:
    note = pooled / "tags/flume.md"
    was = note.read_bytes()
    with Kit(pooled) as kit:
        kit.pool.deprecate("flume")
        kit.pool.undo()
        kit.pool.deprecate("flume")
    save(note, was)
    with Kit(pooled) as kit:
        kit.sync()
        assert kit.pool.show("flume").status == "active"


def test_an_act_that_fails_half_way_leaves_everything_as_it_was(
    pooled: Path, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit.sync()
    before, real, left = notes(pooled), Store.replace, [3]

    def fails(store: Store, path: str, raw: bytes, etag: str) -> None:
        left[0] -= 1
        if not left[0]:
            raise ConflictError(f"{path} was changed meanwhile.")
        real(store, path, raw, etag)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "replace", fails)
        with pytest.raises(ConflictError):
            kit.pool.merge("pawl", "ratchet")
    assert notes(pooled) == before
    assert kit.pool.show("pawl").status == "active"
    with pytest.raises(NotFoundError, match="no act of yours"):
        kit.pool.undo()
    assert kit.pool.merge("pawl", "ratchet")


def test_a_note_that_a_person_changes_while_an_act_is_made_stops_it(
    pooled: Path, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit.sync()
    last, real = pooled / "tags/ratchet.md", Store.append

    def saves(store: Store, path: str, line: bytes, *, durable: bool) -> None:
        real(store, path, line, durable=durable)
        if b'"merge"' in line:
            edit(last, "what ratchet is", "the person's words")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "append", saves)
        with pytest.raises(ConflictError, match="changed meanwhile"):
            kit.pool.merge("pawl", "ratchet")
    assert "the person's words" in last.read_text("utf-8")
    assert kit.pool.show("pawl").status == "active"
    assert kit.pool.show("ratchet").definitions == ("the person's words",)


def test_the_machine_leaves_a_note_alone_that_was_saved_a_moment_ago(pooled: Path, kit: Kit) -> None:
    edit(pooled / "tags/flume.md", "what flume is", "a channel", ago=0)
    with pytest.raises(ConflictError, match="a moment ago"):
        kit.pool.deprecate("flume", who="maintain")
    assert kit.pool.deprecate("flume")


# --- undo


def test_undo_is_refused_once_a_person_has_changed_what_the_act_changed(pooled: Path, kit: Kit) -> None:
    kit.pool.merge("pawl", "ratchet")
    edit(pooled / "cards/one.md", '"ratchet"', '"ratchets, all of them"')
    after = notes(pooled)
    for act in ("", kit.log(1)[0]["act"]):
        with pytest.raises(ConflictError, match=r"cards/one.md was changed since where 'merge' had changed it"):
            kit.pool.undo(str(act))
    assert notes(pooled) == after


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_undo_leaves_every_other_line_as_a_person_has_changed_it(pooled: Path, kit: Kit, newline: str) -> None:
    card(pooled, "both", "ratchet pawl flume")
    for file in pooled.glob("[ct]a*/*.md"):
        save(file, file.read_bytes().replace(b"\n", newline.encode()))
    kit.sync()
    before = notes(pooled)
    assert kit.pool.merge("pawl", "ratchet")
    mine = [
        ("cards/one.md", "What one is about", "- pawl is what I called it; - ratchet now"),
        ("cards/one.md", 'kind: "card"', f'importance: 5{newline}kind: "card"'),
        ("cards/two.md", 'kind: "card"', f'kind: "card"{newline}people:{newline}  - ratchet'),
        ("cards/both.md", "tags:", f"mood: blue{newline}tags:"),
        ("cards/both.md", '"flume"', '"sluice"'),
        ("tags/ratchet.md", 'name: "ratchet"', f'name: "ratchet"{newline}mine: yes'),
    ]
    for path, old, new in mine:
        edit(pooled / path, old, new)
    kit.sync()
    assert kit.pool.undo()
    expected = dict(before)
    for path, old, new in mine:
        assert old.encode() in expected[path]
        expected[path] = expected[path].replace(old.encode(), new.encode())
    assert {path: raw for path, raw in notes(pooled).items() if path in expected} == expected


def test_undo_finds_a_note_that_was_renamed_since(pooled: Path, kit: Kit) -> None:
    kit.sync()
    before = notes(pooled)
    kit.pool.merge("pawl", "ratchet")
    (pooled / "cards/one.md").rename(pooled / "cards/first.md")
    assert "cards/first.md" in kit.pool.undo().paths
    assert notes(pooled) == {"cards/first.md" if path == "cards/one.md" else path: raw for path, raw in before.items()}


def test_a_bare_undo_passes_over_what_cannot_be_taken_back_and_names_it(pooled: Path, kit: Kit) -> None:
    kit.sync()
    kit.pool.deprecate("catch")
    older = notes(pooled)
    kit.pool.merge("pawl", "ratchet")
    edit(pooled / "cards/one.md", '"ratchet"', '"ratchets, all of them"')
    done = kit.pool.undo()
    assert done.what == "undo status"
    assert done.paths == ("tags/catch.md",)
    assert [why.split(":")[0].split()[0] for why in done.skipped] == ["merge"]
    assert "cards/one.md was changed since" in done.skipped[0]
    assert notes(pooled)["tags/catch.md"] != older["tags/catch.md"]
    assert b"ratchets, all of them" in notes(pooled)["cards/one.md"]


def test_a_bare_undo_brings_back_what_was_put_away_last(pooled: Path, kit: Kit) -> None:
    kit.sync()
    kit.pool.deprecate("catch")
    before = notes(pooled)
    kit.forget("one")
    kit.forget("two")
    kit.restore("two")
    assert kit.pool.undo().paths == ("cards/one.md",)
    assert notes(pooled) == before
    assert kit.pool.undo().what == "undo status"


def test_an_undo_can_be_undone_and_an_act_is_taken_back_once(pooled: Path, kit: Kit) -> None:
    kit.sync()
    before = notes(pooled)
    done = kit.pool.rename("pawl", "the pawl")
    assert done
    after = notes(pooled)
    undone = kit.pool.undo(done.act)
    assert notes(pooled) == before
    with pytest.raises(RefusedError, match="taken back already"):
        kit.pool.undo(done.act)
    redone = kit.pool.undo(undone.act)
    assert notes(pooled) == after
    with pytest.raises(RefusedError, match="taken back already"):
        kit.pool.undo(undone.act)
    assert kit.pool.undo(redone.act)
    assert notes(pooled) == before


def test_undo_without_a_name_goes_back_act_by_act(pooled: Path, kit: Kit) -> None:
    kit.sync()
    states = [notes(pooled)]
    acts: list[Act] = [
        lambda kit: kit.pool.deprecate("flume"),
        lambda kit: kit.pool.add("sluice"),
        lambda kit: kit.pool.relate("sluice", "flume"),
    ]
    for act in acts:
        assert act(kit)
        states.append(notes(pooled))
    while len(states) > 1:
        assert notes(pooled) == states.pop()
        kit.pool.undo()
    assert notes(pooled) == states[0]
    with pytest.raises(NotFoundError, match="no act of yours"):
        kit.pool.undo()
    with pytest.raises(NotFoundError, match="No act 'x'"):
        kit.pool.undo("x")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_an_act_touches_only_the_lines_that_change(pooled: Path, kit: Kit, newline: bytes) -> None:
    file = pooled / "cards/one.md"
    head = b"---\n# mine\nid: one\nkind: card\nmood:   'blue'\ntags:\n  - flume # wet\n  - pawl\n---\n"
    raw = head + b"Said. \n\nMore\xc2\xa0!"
    save(file, raw.replace(b"\n", newline))
    kit.pool.merge("pawl", "ratchet")
    assert file.read_bytes() == raw.replace(b"pawl", b"ratchet").replace(b"\n", newline)


def test_a_note_whose_body_is_no_utf8_is_changed_and_brought_back(pooled: Path, kit: Kit) -> None:
    file = pooled / "tags/flume.md"
    save(file, file.read_bytes() + "\nmüde".encode("latin-1"))
    kit.sync()
    before = notes(pooled)
    try:
        kit.pool.deprecate("flume")
    except KitError:
        assert notes(pooled) == before
        return
    kit.pool.undo()
    assert notes(pooled) == before


NAMES = ("pawl", "catch", "flume", "ratchet", "C", "C++", "标签 池", "a/b")
NAME = st.sampled_from(NAMES)
ACTS: st.SearchStrategy[Act] = st.one_of(
    st.builds(
        lambda one, other, level: lambda kit: kit.pool.relate(one, other, level),
        NAME,
        NAME,
        st.sampled_from(["synonym", "related", "loose"]),
    ),
    st.builds(lambda one, other: lambda kit: kit.pool.merge(one, other), NAME, NAME),
    st.builds(lambda one, other: lambda kit: kit.pool.rename(one, other), NAME, NAME),
    st.builds(lambda one, other: lambda kit: kit.pool.split(one, [other, "Sperre"]), NAME, NAME),
    st.builds(lambda one: lambda kit: kit.pool.deprecate(one), NAME),
    st.builds(lambda one: lambda kit: kit.pool.activate(one), NAME),
    st.builds(
        lambda one, other: lambda kit: kit.pool.add(one, aliases=[other], definitions=[f"{one}: 定义"]), NAME, NAME
    ),
)


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("busy") / "vault"
    (root / "tags").mkdir(parents=True)
    (root / "memkit.toml").write_text('id = "busy0000"\n')
    tag(root, "pawl", synonym=to("catch"))
    tag(root, "catch", synonym=to("pawl"))
    tag(root, "ratchet", aliases=["棘轮"])
    card(root, "one", "pawl flume")
    card(root, "two", "棘轮 catch")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMKIT_CACHE", str(root.parent / "cache"))
        patched.setenv("MEMKIT_CONFIG", str(root.parent / "config"))
        yield root


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=st.lists(ACTS, min_size=1, max_size=5))
def test_undoing_all_acts_brings_every_byte_back(busy: Path, acts: list[Act]) -> None:
    with Kit(busy) as kit:
        kit.sync()
        before, did = notes(busy), 0
        for act in acts:
            was = notes(busy)
            try:
                did += act(kit) is not None
            except KitError:
                assert notes(busy) == was, "what is refused changes nothing"
        for _ in range(did):
            kit.pool.undo()
        assert notes(busy) == before
        assert not kit.pool.owed()
