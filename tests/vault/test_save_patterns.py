"""The ways real programs save, move and delete: after each, what the watcher names leads to the truth."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from kit.vault.walk import Stat, look, walk
from kit.vault.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.vault.watch import Batch


# The watcher is started by a fixture, and the filters it sets are put back when that is done.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning:watchdog")


class Mirror:
    """A table of the vault kept up by batches alone, the way an index is."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: dict[str, Stat] = dict(walk(root))
        self.batches: list[Batch] = []
        self.named: set[str] = set()

    def apply(self, batch: Batch) -> None:
        self.batches.append(batch)
        self.named |= batch.paths
        if batch.scan:
            self.known = dict(walk(self.root))
        for folder in batch.folders:
            self.known = {p: s for p, s in self.known.items() if not p.startswith(f"{folder}/")}
            self.known |= dict(walk(self.root, under=folder))
        for path in batch.paths:
            found = look(self.root, path)
            if found is None:
                self.known.pop(path, None)
            else:
                self.known[path] = found

    @property
    def scans(self) -> int:
        return sum(batch.scan for batch in self.batches)


class Desk:
    """A vault with a note, a watcher on it, and the table that follows."""

    def __init__(self, root: Path, watcher: Watcher) -> None:
        self.root = root
        self.note = root / "cards" / "a.md"
        self.watcher = watcher
        self.mirror = Mirror(root)
        self._ends = 0

    def follow(self) -> Mirror:
        """Apply all batches up to a last note that is written for the purpose, and compare with the disk."""
        self._ends += 1
        end = f"end {self._ends}.md"
        (self.root / end).write_text("x", encoding="utf-8")
        for _ in range(30):
            batch = self.watcher.wait(1.0)
            if batch is not None:
                self.mirror.apply(batch)
            if end in self.mirror.known and not self.watcher.pending():
                break
        self.mirror.named.discard(end)
        assert self.mirror.known == dict(walk(self.root))
        return self.mirror


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    root = tmp_path / "vault"
    (root / "cards").mkdir(parents=True)
    (root / "cards" / "a.md").write_text("first\n", encoding="utf-8")
    with Watcher(root) as watcher:
        yield Desk(root, watcher)


def run(*command: str, cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, check=True, capture_output=True, stdin=subprocess.DEVNULL)


def test_truncate_and_write_as_obsidian_vs_code_and_nano_do(desk: Desk) -> None:
    desk.note.write_text("second\n", encoding="utf-8")
    assert desk.follow().named == {"cards/a.md"}


def test_append_as_the_shell_does(desk: Desk) -> None:
    with desk.note.open("a", encoding="utf-8") as file:
        file.write("more\n")
    assert desk.follow().named == {"cards/a.md"}


def test_an_autosave_at_every_key_is_named_few_times(desk: Desk) -> None:
    for n in range(100):
        desk.note.write_text("x" * n, encoding="utf-8")
    mirror = desk.follow()
    assert mirror.named == {"cards/a.md"}
    assert len(mirror.batches) <= 3


def test_a_slow_writer_is_named_again_when_it_is_done(desk: Desk) -> None:
    slow = desk.root / "slow.md"
    with slow.open("w", encoding="utf-8") as file:
        file.write("half")
        file.flush()
        begun = desk.watcher.wait(10.0)
        assert begun is not None
        assert begun.paths == {"slow.md"}
        file.write(" and half")
    assert "slow.md" in desk.follow().named
    assert desk.mirror.known["slow.md"].size == 13


def test_vim_with_swap_file_probe_and_backup_by_rename(desk: Desk) -> None:
    folder = desk.note.parent
    (folder / ".a.md.swp").write_bytes(b"swap")
    (folder / "4913").write_text("", encoding="utf-8")
    (folder / "4913").unlink()
    desk.note.rename(folder / "a.md~")
    desk.note.write_text("second\n", encoding="utf-8")
    (folder / "a.md~").unlink()
    (folder / ".a.md.swp").unlink()
    assert desk.follow().named == {"cards/a.md"}


@pytest.mark.skipif(not shutil.which("vim"), reason="needs vim")
def test_vim_itself(desk: Desk) -> None:
    run("vim", "-u", "NONE", "-N", "-es", "-c", "normal osecond", "-c", "wq", str(desk.note), cwd=desk.root)
    assert desk.note.read_text(encoding="utf-8") == "first\nsecond\n"
    assert desk.follow().named == {"cards/a.md"}


@pytest.mark.skipif(not shutil.which("sed"), reason="needs sed")
def test_sed_in_place_writes_a_temp_file_and_renames(desk: Desk) -> None:
    run("sed", "-i.bak", "s/first/second/", str(desk.note), cwd=desk.root)
    assert desk.note.read_text(encoding="utf-8") == "second\n"
    assert desk.follow().named == {"cards/a.md"}


def test_temp_file_in_the_same_folder_then_replace(desk: Desk) -> None:
    temp = desk.note.parent / ".~a.md.tmp"
    temp.write_text("second\n", encoding="utf-8")
    temp.replace(desk.note)
    assert desk.follow().named == {"cards/a.md"}


def test_replace_by_a_file_from_outside_the_vault(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "new.md").write_text("second\n", encoding="utf-8")
    (tmp_path / "new.md").replace(desk.note)
    assert desk.follow().named == {"cards/a.md"}


def test_syncthing_renames_its_temp_file_and_keeps_a_version(desk: Desk) -> None:
    versions = desk.root / ".stversions" / "cards"
    versions.mkdir(parents=True)
    temp = desk.note.parent / ".syncthing.a.md.tmp"
    temp.write_text("second\n", encoding="utf-8")
    desk.note.rename(versions / "a~20260819-103000.md")
    temp.rename(desk.note)
    conflict = "a.sync-conflict-20260819-103000-ABCDEFG.md"
    (desk.note.parent / conflict).write_text("theirs\n", encoding="utf-8")
    assert desk.follow().named == {"cards/a.md", f"cards/{conflict}"}


def test_dropbox_moves_files_in_from_its_cache_and_adds_a_conflict_copy(desk: Desk) -> None:
    cache = desk.root / ".dropbox.cache"
    cache.mkdir()
    (cache / "x.md").write_text("second\n", encoding="utf-8")
    (cache / "x.md").replace(desk.note)
    conflict = "a (Ann's conflicted copy 2026-08-19).md"
    (desk.note.parent / conflict).write_text("theirs\n", encoding="utf-8")
    assert desk.follow().named == {"cards/a.md", f"cards/{conflict}"}


def test_a_note_renamed_is_named_under_both_names_at_once(desk: Desk) -> None:
    desk.note.rename(desk.note.with_name("b.md"))
    mirror = desk.follow()
    assert mirror.named == {"cards/a.md", "cards/b.md"}
    assert mirror.batches[0].paths >= {"cards/a.md", "cards/b.md"}


def test_a_change_of_case_is_a_rename(desk: Desk) -> None:
    desk.note.rename(desk.note.with_name("A.md"))
    assert desk.follow().named == {"cards/a.md", "cards/A.md"}


def test_a_note_deleted_trashed_or_moved_out_is_named(desk: Desk, tmp_path: Path) -> None:
    (desk.root / ".trash").mkdir()
    for n, leave in enumerate((os.remove, None, None)):
        note = desk.root / f"{n}.md"
        note.write_text("x", encoding="utf-8")
        assert f"{n}.md" in desk.follow().known
        if leave:
            leave(note)
        elif n == 1:
            note.rename(desk.root / ".trash" / note.name)
        else:
            note.rename(tmp_path / note.name)
        desk.follow()
        assert f"{n}.md" not in desk.mirror.known
    assert desk.mirror.scans == 0


def test_deleted_and_created_again_is_one_change(desk: Desk) -> None:
    desk.note.unlink()
    desk.note.write_text("second\n", encoding="utf-8")
    mirror = desk.follow()
    assert mirror.named == {"cards/a.md"}
    assert mirror.known["cards/a.md"].size == 7


def test_folders_made_with_their_files_at_once_lose_nothing(desk: Desk) -> None:
    for n in range(200):
        deep = desk.root / f"d{n}" / "e" / "f"
        deep.mkdir(parents=True)
        (deep / "x.md").write_text(str(n), encoding="utf-8")
    mirror = desk.follow()
    assert len(mirror.known) == 202
    (desk.root / "d7" / "e" / "f" / "x.md").write_text("changed", encoding="utf-8")
    assert desk.follow().known["d7/e/f/x.md"].size == 7


def test_a_folder_moved_out_takes_its_notes_along(desk: Desk, tmp_path: Path) -> None:
    (desk.root / "cards").rename(tmp_path / "gone")
    mirror = desk.follow()
    assert set(mirror.known) == {"end 1.md"}
    assert any("cards" in batch.folders for batch in mirror.batches)


def test_a_folder_moved_in_brings_its_notes(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "new" / "deep").mkdir(parents=True)
    (tmp_path / "new" / "deep" / "n.md").write_text("x", encoding="utf-8")
    (tmp_path / "new").rename(desk.root / "new")
    assert "new/deep/n.md" in desk.follow().known
    (desk.root / "new" / "deep" / "n.md").write_text("xy", encoding="utf-8")
    assert desk.follow().known["new/deep/n.md"].size == 2


def test_a_folder_renamed_moves_its_notes_and_stays_watched(desk: Desk) -> None:
    (desk.root / "cards").rename(desk.root / "karten")
    mirror = desk.follow()
    assert set(mirror.known) == {"karten/a.md", "end 1.md"}
    assert any({"cards", "karten"} <= batch.folders for batch in mirror.batches)
    (desk.root / "karten" / "a.md").write_text("xy", encoding="utf-8")
    assert desk.follow().known["karten/a.md"].size == 2


def test_a_folder_hidden_and_shown_again(desk: Desk) -> None:
    (desk.root / "cards").rename(desk.root / ".cards")
    assert "cards/a.md" not in desk.follow().known
    (desk.root / ".cards").rename(desk.root / "cards")
    assert "cards/a.md" in desk.follow().known


def test_touch_and_chmod_change_nothing_that_matters(desk: Desk) -> None:
    size = desk.mirror.known["cards/a.md"].size
    desk.note.chmod(0o600)
    assert desk.follow().named <= {"cards/a.md"}
    if shutil.which("touch"):
        run("touch", str(desk.note), cwd=desk.root)
    assert desk.follow().known["cards/a.md"].size == size


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_a_checkout_of_two_thousand_notes_is_few_batches_and_a_scan(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    git = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "gc.auto=0")
    run(*git, "init", "-q", "-b", "main", cwd=root)
    run(*git, "commit", "-q", "--allow-empty", "-m", "empty", cwd=root)
    run(*git, "checkout", "-q", "-b", "full", cwd=root)
    for n in range(2_000):
        folder = root / f"cards/{n // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{n}.md").write_text(str(n), encoding="utf-8")
    run(*git, "add", ".", cwd=root)
    run(*git, "commit", "-q", "-m", "notes", cwd=root)
    run(*git, "checkout", "-q", "main", cwd=root)
    with Watcher(root) as watcher:
        desk = Desk(root, watcher)
        run(*git, "checkout", "-q", "full", cwd=root)
        mirror = desk.follow()
        assert len(mirror.known) == 2_001
        assert mirror.scans
        assert len(mirror.batches) <= 4
        run(*git, "checkout", "-q", "main", cwd=root)
        assert set(desk.follow().known) == {"end 1.md", "end 2.md"}


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_one_note_taken_back_by_git_is_seen(desk: Desk) -> None:
    git = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    run(*git, "init", "-q", cwd=desk.root)
    run(*git, "add", ".", cwd=desk.root)
    run(*git, "commit", "-q", "-m", "notes", cwd=desk.root)
    desk.note.write_text("a longer text\n", encoding="utf-8")
    assert desk.follow().known["cards/a.md"].size == 14
    run(*git, "checkout", "-q", "--", "cards/a.md", cwd=desk.root)
    assert desk.follow().known["cards/a.md"].size == 6
