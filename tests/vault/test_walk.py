"""The full walk: what it sees, what it leaves out, and what it refuses to conclude."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from kit.errors import UnavailableError
from kit.vault.walk import RootGone, Stat, conflict_copy, ignored, look, walk

if TYPE_CHECKING:
    from pathlib import Path


def put(root: Path, path: str, text: str = "x") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_notes_are_found_at_any_depth_with_their_stat(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    put(tmp_path, "cards/2026-08/b.md", "some text")
    put(tmp_path, "archive/c.MD")
    found = dict(walk(tmp_path))
    assert sorted(found) == ["a.md", "archive/c.MD", "cards/2026-08/b.md"]
    real = (tmp_path / "cards/2026-08/b.md").stat()
    assert found["cards/2026-08/b.md"] == Stat(real.st_mtime_ns, 9, real.st_ino)


def test_two_walks_see_the_same_order(tmp_path: Path) -> None:
    for n in range(20):
        put(tmp_path, f"d{n % 3}/{n}.md")
    assert list(walk(tmp_path)) == list(walk(tmp_path))


@pytest.mark.parametrize(
    "path",
    [
        ".obsidian/a.md",
        ".git/a.md",
        ".trash/a.md",
        "cards/.stversions/a.md",
        ".hidden.md",
        "cards/.#a.md",
        "#a.md#",
        "a.md~",
        "a.tmp",
        "a.md.tmp",
        "4913",
        ".a.md.swp",
        "a.md.swp",
        ".syncthing.a.md.tmp",
        "sedAbC123",
        "memkit.toml",
        "md",
        "journal/2026-11.jsonl",
        ".git/",
        "cards/.cache/",
    ],
)
def test_what_is_no_note_is_ignored(path: str, tmp_path: Path) -> None:
    assert ignored(path)
    if not path.endswith("/"):
        put(tmp_path, path)
        assert dict(walk(tmp_path)) == {}


@pytest.mark.parametrize("path", ["a.md", "archive/a.md", "A.Md", "a.b.md", "笔记/早安.md", "v1.2/", "cards/"])
def test_notes_and_folders_are_not_ignored(path: str) -> None:
    assert not ignored(path)


@pytest.mark.parametrize(
    "name",
    [
        "Plan (Conflicted copy PHONE 202608191030).md",
        "Plan (Ann's conflicted copy 2026-08-19).md",
        "Plan (conflicted copy 2026-08-19 1).md",
        "计划 (小明的冲突副本 2026-08-19).md",
        "Plan.sync-conflict-20260819-103000-ABCDEFG.md",
    ],
)
def test_conflict_copies_are_known_by_name(name: str) -> None:
    assert conflict_copy(name)
    assert not ignored(name)


@pytest.mark.parametrize(
    "name",
    [
        "Plan.md",
        "Plan 2.md",
        "Plan-HOST.md",
        "On conflicted copy.md",
        "Solving (conflicted copy).md",
        "冲突副本.md",
    ],
)
def test_ordinary_names_are_no_conflict_copies(name: str) -> None:
    assert not conflict_copy(name)


def test_names_come_as_they_are_spelt_on_disk(tmp_path: Path) -> None:
    put(tmp_path, "caf\u00e9.md")
    put(tmp_path, "cafe\u0301 2.md")
    assert set(dict(walk(tmp_path))) == {p.name for p in tmp_path.iterdir()}


@pytest.mark.skipif(os.name != "posix", reason="only there may names be any bytes")
def test_a_name_that_is_no_utf8_survives_the_round_trip(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/b\xff.md"
    try:
        os.close(os.open(raw, os.O_CREAT | os.O_WRONLY))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (path,) = dict(walk(tmp_path))
    assert os.fsencode(path) == b"b\xff.md"
    assert look(tmp_path, path) is not None


def test_a_linked_folder_is_not_followed_even_when_it_makes_a_circle(tmp_path: Path) -> None:
    put(tmp_path, "cards/a.md")
    (tmp_path / "cards" / "loop").symlink_to(tmp_path, target_is_directory=True)
    pass_ = walk(tmp_path)
    assert [seen.path for seen in pass_] == ["cards/a.md"]
    assert [problem.path for problem in pass_.skipped] == ["cards/loop"]
    assert list(walk(tmp_path, under="cards/loop")) == []
    assert look(tmp_path, "cards/loop/cards/a.md") is None


def test_a_linked_file_counts_only_if_it_stays_inside(tmp_path: Path) -> None:
    outside = put(tmp_path, "outside.md")
    root = tmp_path / "vault"
    target = put(root, "cards/a.md", "four")
    (root / "in.md").symlink_to(target)
    (root / "out.md").symlink_to(outside)
    (root / "broken.md").symlink_to(root / "nowhere.md")
    (root / "self.md").symlink_to(root / "self.md")
    pass_ = walk(root)
    found = dict(pass_)
    assert set(found) == {"cards/a.md", "in.md"}
    assert found["in.md"] == found["cards/a.md"]
    assert {p.path: "leads" in p.what for p in pass_.skipped} == {"out.md": True, "broken.md": True}
    assert [p.path for p in pass_.errors] == ["self.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_named_like_a_note_is_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    pass_ = walk(tmp_path)
    assert list(pass_) == []
    assert [p.path for p in pass_.skipped] == ["pipe.md"]


def test_only_the_named_folder_is_walked(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    put(tmp_path, "cards/x/b.md")
    put(tmp_path, "cards2/c.md")
    part = walk(tmp_path, under="cards")
    assert [seen.path for seen in part] == ["cards/x/b.md"]
    assert part.covers("cards/gone.md")
    assert not part.covers("cards2/c.md")
    assert not part.covers("a.md")


@pytest.mark.parametrize("under", ["gone", "a.md", ".git", "../outside", "cards/.."])
def test_a_folder_that_is_gone_or_hidden_or_outside_yields_nothing(tmp_path: Path, under: str) -> None:
    put(tmp_path, "outside/a.md")
    root = tmp_path / "vault"
    put(root, "a.md")
    put(root, "cards/a.md")
    put(root, ".git/b.md")
    assert list(walk(root, under=under)) == []


def test_a_caller_can_leave_out_more(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    put(tmp_path, "Templates/t.md")
    found = dict(walk(tmp_path, ignore=lambda path: ignored(path) or path.startswith("Templates/")))
    assert set(found) == {"a.md"}


def test_a_missing_root_is_an_error_and_never_an_empty_vault(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    with pytest.raises(RootGone, match="nothing is forgotten"):
        dict(walk(root))
    with pytest.raises(RootGone):
        look(root, "a.md")
    put(tmp_path, "file")
    with pytest.raises(UnavailableError):
        dict(walk(tmp_path / "file"))


def test_a_root_replaced_during_the_walk_is_an_error(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    put(root, "a.md")
    put(root, "cards/b.md")
    steps = iter(walk(root))
    assert next(steps).path == "a.md"
    root.rename(tmp_path / "moved")
    with pytest.raises(RootGone):
        next(steps)
    root.mkdir()
    steps = iter(walk(tmp_path / "moved"))
    next(steps)
    shutil.rmtree(tmp_path / "moved")
    with pytest.raises(RootGone):
        list(steps)


def test_a_linked_root_is_walked(tmp_path: Path) -> None:
    put(tmp_path / "real", "cards/a.md")
    (tmp_path / "vault").symlink_to(tmp_path / "real", target_is_directory=True)
    assert set(dict(walk(tmp_path / "vault"))) == {"cards/a.md"}
    assert look(tmp_path / "vault", "cards/a.md") is not None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_folder_is_reported_and_its_notes_are_not_taken_for_deleted(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    put(tmp_path, "locked/b.md")
    (tmp_path / "locked").chmod(0)
    pass_ = walk(tmp_path)
    try:
        assert [seen.path for seen in pass_] == ["a.md"]
        assert [p.path for p in pass_.errors] == ["locked"]
        assert not pass_.covers("locked/b.md")
        with pytest.raises(UnavailableError):
            look(tmp_path, "locked/b.md")
    finally:
        (tmp_path / "locked").chmod(0o755)


@pytest.mark.skipif(os.name != "posix", reason="paths are limited in another way")
def test_a_folder_too_deep_to_list_is_reported_and_the_rest_is_seen(tmp_path: Path) -> None:
    put(tmp_path, "z.md")
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    pass_ = walk(tmp_path)
    assert [seen.path for seen in pass_] == ["z.md"]
    (problem,) = pass_.errors
    assert "can't be listed" in problem.what
    assert not pass_.covers(f"{problem.path}/lost.md")
    assert pass_.covers("gone.md")


def test_looking_at_one_note_agrees_with_the_walk(tmp_path: Path) -> None:
    put(tmp_path, "cards/a.md", "text")
    put(tmp_path, ".git/a.md")
    assert look(tmp_path, "cards/a.md") == dict(walk(tmp_path))["cards/a.md"]
    for path in ("cards/gone.md", "gone/a.md", ".git/a.md", "cards", "cards/a.md/x.md", "../x.md"):
        assert look(tmp_path, path) is None
