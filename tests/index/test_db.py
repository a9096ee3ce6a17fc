"""The derived file: thrown away at any doubt, left alone when it is merely busy, shared between processes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kit import reconcile, text
from kit.index import db
from kit.index.reflection import Index
from tests.small_vault import Vault, front, state

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = Vault(tmp_path)
    made.card("python build", says="The build is slow.")
    made.card("python", says="Ruff is quick.")
    made.tag("Python", aliases=["py"])
    made.scan()
    yield made
    made.index.close()


def reopened(vault: Vault) -> Index:
    vault.index.close()
    vault.index = Index(vault.index.folder)
    return vault.index


def file_of(vault: Vault) -> Path:
    return vault.index.folder / "index.sqlite3"


def test_what_was_written_is_there_after_a_restart(vault: Vault) -> None:
    before = state(vault.index)
    assert state(reopened(vault)) == before
    assert vault.scan().changed == 0


@pytest.mark.parametrize(("module", "name"), [(db, "SCHEMA"), (text, "ANALYSER")])
def test_another_number_means_drop_and_rebuild(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    before = state(vault.index)
    monkeypatch.setattr(module, name, 999)
    assert len(reopened(vault).catalog) == 0
    assert vault.scan().added == 3
    assert state(vault.index) == before


def test_a_file_of_an_older_shape_is_laid_anew(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "index.sqlite3")
    old.executescript("CREATE TABLE notes (x); CREATE TABLE odd (y); INSERT INTO odd VALUES (1);")
    old.close()
    index = Index(tmp_path)
    assert index.catalog.entries() == {}
    index.close()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda raw: raw[:0], id="empty"),
        pytest.param(lambda raw: b"garbage" * len(raw), id="garbage"),
        pytest.param(lambda raw: raw[: len(raw) // 2], id="truncated"),
        pytest.param(lambda raw: raw[:100], id="header alone"),
        pytest.param(lambda raw: b"\0" * len(raw), id="zeroes"),
        pytest.param(lambda raw: raw[:16] + b"\xff" * 84 + raw[100:], id="header"),
        pytest.param(lambda raw: raw[:100] + b"\xff" * (len(raw) - 100), id="all but the header"),
        pytest.param(lambda raw: raw[:4096] + b"\xff" * (len(raw) - 4096), id="all but the first page"),
    ],
)
def test_a_damaged_file_is_rebuilt(vault: Vault, damage: object) -> None:
    before = state(vault.index)
    vault.index.close()
    file = file_of(vault)
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]  # a function, as the table shows
    vault.index = Index(vault.index.folder)
    vault.scan()
    assert state(vault.index) == before


def test_a_file_damaged_while_it_is_open_is_rebuilt_by_the_next_scan(vault: Vault) -> None:
    before = state(vault.index)
    vault.index._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file = file_of(vault)
    file.write_bytes(file.read_bytes()[:4096] + b"\xff" * 40960)
    vault.index._forget()
    vault.index._db.execute("PRAGMA shrink_memory")
    vault.scan()
    vault.scan()
    assert state(reopened(vault)) == before


def test_a_busy_file_is_not_thrown_away(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state(vault.index)
    vault.index.close()
    other = sqlite3.connect(file_of(vault), isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    impatient = partial(sqlite3.connect, timeout=0.01)
    monkeypatch.setattr(sqlite3, "connect", impatient)
    with pytest.raises(sqlite3.OperationalError):
        Index(vault.index.folder)
    other.execute("ROLLBACK")
    other.close()
    vault.index = Index(vault.index.folder)
    assert state(vault.index) == before


def test_an_index_made_anew_never_repeats_a_generation(vault: Vault) -> None:
    before = vault.index.generation
    vault.index.renew()
    assert vault.index.generation > before
    after = vault.index.generation
    vault.scan()
    assert vault.index.generation > after


def test_a_failure_leaves_every_room_as_it_was(vault: Vault) -> None:
    before, generation = state(vault.index), vault.index.generation
    entry = next(vault.index.catalog.of_kind("card"))

    def fail() -> None:
        with vault.index.changing():
            vault.index.drop(entry.num, "card")
            vault.index.catalog.drop(entry.num)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert state(vault.index) == before
    assert vault.index.generation == generation


WRITE = """
import sys
from pathlib import Path
from kit import reconcile
from kit.index.reflection import Index
from kit.vault.store import Store
index = Index(Path(sys.argv[2]))
reconcile.scan(Store(Path(sys.argv[1])), index)
index.close()
"""


def elsewhere(vault: Vault) -> None:
    """Let another process bring the index in step."""
    subprocess.run([sys.executable, "-c", WRITE, vault.root, vault.index.folder], check=True, cwd=Path.cwd())


def test_what_another_process_wrote_is_seen(vault: Vault) -> None:
    assert "rust" not in vault.index.lexicon
    assert vault.ids("python")
    vault.card("rust python", says="Rust is strict.", id="new")
    vault.tag("Python", aliases=["snake"], path="tags/Python.md", id="t2")
    elsewhere(vault)
    assert "new" in vault.ids("rust")
    assert vault.index.postings.df("tag:python") == 3
    assert len(vault.index.postings.cards("tag:python")) == 3
    assert vault.ids("snake")
    assert not vault.ids("py")
    assert state(vault.index) == vault.rebuilt()


def test_two_processes_at_once_make_one_index(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.index.close()
    Index.remove(vault.index.folder)
    for number in range(30):
        vault.card("a b", says=f"Number {number}.")
    both = [
        subprocess.Popen([sys.executable, "-c", WRITE, vault.root, vault.index.folder], cwd=Path.cwd()) for _ in "ab"
    ]
    assert [one.wait(timeout=60) for one in both] == [0, 0]
    vault.index = Index(vault.index.folder)
    assert vault.scan().changed == 0
    assert state(vault.index) == vault.rebuilt()
    vault.index.close()


def test_removing_takes_all_that_sqlite_leaves(vault: Vault) -> None:
    vault.index.close()
    Index.remove(vault.index.folder)
    assert list(vault.index.folder.iterdir()) == []


def test_a_note_that_can_not_be_named_or_read_stops_nothing(vault: Vault) -> None:
    vault.write("cards/a\\b.md", front({"id": "x", "kind": "card"}, "Odd."))
    vault.write("cards/bell\x07.md", b"Odd.")
    vault.store.limit = 1000
    vault.write("cards/large.md", b"x" * 2000)
    report = vault.scan()
    assert report.added == 3
    told = {problem.path for problem in vault.index.catalog.problems()}
    assert told == {"cards/a\\b.md", "cards/bell\x07.md", "cards/large.md"}
    assert len(vault.ids("python")) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_no_text_stops_nothing(vault: Vault) -> None:
    odd = Path(vault.root, "cards", b"caf\xe9.md".decode(errors="surrogateescape"))
    odd.write_bytes(b"x")
    assert vault.scan().added == 0
    reconcile.apply(vault.store, vault.index, [odd.relative_to(vault.root).as_posix()], ["cards"])
    assert [problem.what for problem in vault.index.catalog.problems()] == [
        "Its name is not UTF-8, so it can't be read."
    ]
