"""What a reconcile must get right when files change faster, later or stranger than it is told."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import pytest

from kit import reconcile
from kit.reconcile import differences
from kit.vault.walk import RootGone
from tests.small_vault import NOW, Vault, front, state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROKEN = b"---\nid: a\nkind: card\nimportance: nine\n---\n"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = Vault(tmp_path)
    yield made
    made.index.close()


@pytest.fixture
def nine(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill the vault with nine cards, which further scans look at two at a time."""
    monkeypatch.setattr(differences, "_AT_ONCE", 2)
    for n in range(9):
        vault.card(f"x{n}", id=f"c{n}", path=f"cards/{n}.md")
    vault.scan()


def tell(vault: Vault, *paths: str) -> reconcile.Report:
    return reconcile.apply(vault.store, vault.index, paths)


def faults(vault: Vault) -> list[tuple[str, str]]:
    return [(problem.path, problem.what) for problem in vault.index.catalog.problems()]


def test_a_first_scan_and_a_scan_without_changes(vault: Vault) -> None:
    vault.card("x")
    vault.tag("x")
    assert vault.scan().added == 2
    generation = vault.index.generation
    assert vault.scan().changed == 0
    assert vault.index.generation == generation, "no difference costs no transaction"


def test_what_was_written_and_taken_up_just_now_is_not_taken_up_again(vault: Vault) -> None:
    ids = [f"20261130-120000-000{n}" for n in (1, 2)]
    kept, edited = (f"cards/{note_id}.md" for note_id in ids)
    tick = time.time() + 3600  # later than any look here, so that its time never tells whether a file has changed

    def write(said: str, note_id: str, path: str) -> None:
        vault.card("x", id=note_id, path=path, says=said)
        os.utime(vault.root / path, (tick, tick))

    for note_id, path in zip(ids, (kept, edited), strict=True):
        write("So it is.", note_id, path)
    tell(vault, kept, edited)
    generation = vault.index.generation
    assert tell(vault, kept, edited).changed == 0
    assert vault.index.generation == generation, "an event of one's own writing costs no transaction"
    write("So it was", ids[1], edited)
    assert tell(vault, kept, edited).modified == 1, "as long as it was, and of the same tick of the clock"
    assert state(vault.index) == vault.rebuilt()


@pytest.mark.usefixtures("nine")
def test_a_scan_that_looks_at_few_files_at_a_time_finds_every_difference(vault: Vault) -> None:
    (vault.root / "cards/0.md").unlink()
    (vault.root / "cards/4.md").unlink()
    (vault.root / "cards/8.md").rename(vault.root / "cards/moved.md")
    vault.card("changed", id="c2", path="cards/2.md")
    vault.card("added", id="new", path="cards/5b.md")
    reports = list(reconcile.portions(vault.store, vault.index, nullcontext, size=2))
    assert [sum(each) for each in zip(*(report[:4] for report in reports), strict=True)] == [1, 1, 1, 2]
    assert state(vault.index) == vault.rebuilt()
    assert not list(reconcile.portions(vault.store, vault.index, nullcontext))


@pytest.mark.usefixtures("nine")
def test_what_changes_while_a_scan_looks_around_is_neither_lost_nor_taken_for_gone(vault: Vault) -> None:
    (vault.root / "cards/5.md").unlink()
    turns = iter(range(100))

    @contextmanager
    def owner() -> Iterator[None]:
        """Take up an edit, a new note and a loss between any two looks, as events do."""
        turn = next(turns)
        if turn < 6:
            vault.card(f"new{turn}", id=f"n{turn}", path=f"cards/{turn}{turn}.md")
            vault.card("other" * (turn + 1), id=f"c{turn // 2}", path=f"cards/{turn // 2}.md")
            tell(vault, f"cards/{turn}{turn}.md", f"cards/{turn // 2}.md")
        yield

    list(reconcile.portions(vault.store, vault.index, owner))
    there = {path.relative_to(vault.root).as_posix() for path in (vault.root / "cards").glob("*.md")}
    assert set(vault.index.catalog.entries()) == there
    assert state(vault.index) == vault.rebuilt()


def test_a_renamed_note_is_moved_not_made_anew(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/a.md")
    vault.scan()
    num = vault.index.catalog.with_id("a")[0].num
    (vault.root / "cards/a.md").rename(vault.root / "cards/A.md")
    assert vault.scan()[:4] == (0, 0, 1, 0)
    assert [(entry.num, entry.path) for entry in vault.index.catalog.with_id("a")] == [(num, "cards/A.md")]
    assert state(vault.index) == vault.rebuilt()


def test_a_note_that_was_moved_and_made_another_kind_at_once(vault: Vault) -> None:
    vault.tag("js", id="a", path="tags/js.md", aliases=["ecma"])
    vault.scan()
    (vault.root / "tags/js.md").unlink()
    vault.card("x", id="a", path="cards/a.md")
    vault.scan()
    assert vault.index.pool.tags() == []
    assert "ecma" not in vault.index.lexicon
    assert state(vault.index) == vault.rebuilt()


def test_two_notes_that_change_places(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/1.md")
    vault.tag("t", id="b", path="cards/2.md")
    vault.scan()
    (vault.root / "cards/1.md").rename(vault.root / "cards/3.md")
    (vault.root / "cards/2.md").rename(vault.root / "cards/1.md")
    (vault.root / "cards/3.md").rename(vault.root / "cards/2.md")
    vault.scan()
    assert state(vault.index) == vault.rebuilt()


def test_a_copy_under_a_shorter_name_takes_no_id_from_the_card_whose_name_bears_it(vault: Vault) -> None:
    vault.card("x", id="20260819-k3f9", path="cards/2026-08/20260819-k3f9 the ratchet slips.md")
    vault.scan()
    vault.card("y", id="20260819-k3f9", path="cards/a.md")
    vault.scan()
    assert faults(vault) == [
        ("cards/a.md", "Its id '20260819-k3f9' already belongs to cards/2026-08/20260819-k3f9 the ratchet slips.md.")
    ]
    assert vault.ids("y") == []


def test_a_copy_is_told_until_it_is_no_copy_any_more(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/a.md")
    vault.card("y", id="a", path="cards/a copy.md")
    vault.scan()
    assert faults(vault) == [("cards/a copy.md", "Its id 'a' already belongs to cards/a.md.")]
    assert vault.ids("y") == []
    vault.write("cards/a copy.md", b"A note of mine now.\n")
    vault.scan()
    assert faults(vault) == []
    vault.card("y", id="a", path="cards/a copy.md")
    vault.scan()
    (vault.root / "cards/a.md").unlink()
    vault.scan()
    assert faults(vault) == []
    assert vault.ids("y") == ["a"], "the copy takes the place of the one it was copied from"


def test_the_heir_of_an_id_is_read_as_it_is_now(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/a.md")
    old = vault.root / "cards/heir.md"
    vault.card("y", id="a", path="cards/heir.md")
    vault.scan()
    was = old.read_bytes()
    (vault.root / "cards/a.md").unlink()
    vault.tag("z", id="other", path="cards/heir.md")
    tell(vault, "cards/a.md")
    assert state(vault.index) == vault.rebuilt(), "what nobody told of the heir was seen too"
    vault.write("cards/heir.md", was, age=60)
    tell(vault, "cards/heir.md")
    assert state(vault.index) == vault.rebuilt()


def test_an_heir_that_has_gone_unsaid_is_no_error(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/a.md")
    vault.card("y", id="a", path="cards/heir.md")
    vault.scan()
    (vault.root / "cards/a.md").unlink()
    (vault.root / "cards/heir.md").unlink()
    tell(vault, "cards/a.md")
    assert state(vault.index) == vault.rebuilt()


def test_a_note_that_can_not_be_read_keeps_its_last_good_state(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/a.md")
    vault.scan()
    vault.write("cards/a.md", BROKEN, age=10)
    vault.scan()
    assert vault.ids("x") == ["a"]
    assert [path for path, _ in faults(vault)] == ["cards/a.md"]
    vault.card("y", id="a", path="cards/a.md")
    vault.scan()
    assert (vault.ids("x"), vault.ids("y"), faults(vault)) == ([], ["a"], [])


def test_a_note_that_can_not_be_read_does_not_keep_its_id_from_one_that_can(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/a.md")
    vault.scan()
    vault.write("cards/a.md", BROKEN, age=10)
    vault.scan()
    vault.card("y", id="a", path="cards/mended copy.md")
    vault.scan()
    assert (vault.ids("x"), vault.ids("y")) == ([], ["a"])
    assert [path for path, _ in faults(vault)] == ["cards/a.md"]
    assert state(vault.index) == vault.rebuilt()


def test_a_copy_that_can_not_be_read_inherits_nothing(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/a.md")
    vault.card("y", id="a", path="cards/copy.md")
    vault.scan()
    (vault.root / "cards/a.md").unlink()
    vault.write("cards/copy.md", BROKEN, age=10)
    vault.scan()
    assert (vault.ids("x"), vault.ids("y")) == ([], [])
    assert [path for path, _ in faults(vault)] == ["cards/copy.md"]
    assert state(vault.index) == vault.rebuilt()


def test_a_note_without_a_date_is_as_old_as_its_file(vault: Vault) -> None:
    vault.write("facts/mine.md", front({"id": "mine", "kind": "fact", "tags": ["x"]}, "So it is."), age=86400)
    vault.scan()
    assert vault.ask("x").hits[0].created == NOW.replace(day=18)
    os.utime(vault.root / "facts/mine.md", (NOW.timestamp(), NOW.timestamp()))
    assert vault.scan().changed == 0
    assert vault.ask("x").hits[0].created == NOW
    assert state(vault.index) == vault.rebuilt()


def test_a_note_that_was_just_written_is_not_of_1970(vault: Vault) -> None:
    raw = front({"id": "mine", "kind": "fact", "tags": ["x"]}, "So it is.")
    (vault.root / "mine.md").write_bytes(raw)
    vault.scan()
    created = vault.ask("x").hits[0].created
    assert created is not None
    assert created.year > 1970


def test_twins_by_case_are_told_until_one_goes(vault: Vault) -> None:
    vault.card("x", path="cards/a.md")
    vault.card("x", path="cards/A.md")
    vault.scan()
    assert len(faults(vault)) == 1
    (vault.root / "cards/A.md").rename(vault.root / "cards/b.md")
    tell(vault, "cards/b.md")
    assert faults(vault) == []


def test_a_vault_that_went_away_loses_nothing(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/a.md")
    vault.scan()
    before = state(vault.index)
    vault.root.rename(vault.home / "unmounted")
    with pytest.raises(RootGone):
        vault.scan()
    with pytest.raises(RootGone):
        tell(vault, "cards/a.md")
    assert state(vault.index) == before


@pytest.mark.parametrize(
    "path", ["../out.md", "/etc/passwd.md", "cards/../../x.md", "a//b.md", ".git/x.md", "cards", ""]
)
def test_what_is_no_note_of_the_vault_is_passed_over(vault: Vault, path: str) -> None:
    (vault.home / "out.md").write_bytes(front({"id": "out", "kind": "card"}, "Out."))
    assert tell(vault, path).changed == 0
    assert len(vault.index.catalog) == 0


def test_a_folder_is_told_as_a_whole(vault: Vault) -> None:
    vault.card("x", id="a", path="cards/1/a.md")
    vault.card("x", id="b", path="cards/10/b.md")
    vault.scan()
    (vault.root / "cards/1").rename(vault.root / "cards/2")
    report = reconcile.apply(vault.store, vault.index, [], ["cards/1", "cards/2"])
    assert (report.moved, report.removed, report.added) == (1, 0, 0)
    assert state(vault.index) == vault.rebuilt()
