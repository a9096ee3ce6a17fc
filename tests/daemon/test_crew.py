"""A child that works ahead: the results are those of working alone, whatever becomes of it."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from kit import reconcile
from kit.app import Kit
from kit.daemon import scribe
from kit.daemon.crew import Crew
from kit.daemon.keeper import Keeper
from kit.govern.lay import lay
from kit.index import engines
from kit.vault.walk import walk
from tests.daemon.conftest import until
from tests.daemon.house import card

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.daemon.conftest import Home

SQUARES = """
import os, sys
from kit.daemon.crew import serve
def square(number):
    if number == {dies_at}:
        os._exit(1)
    print("noise")
    return number, number * number, os.getpid()
serve(square)
"""
NUMBERS = range(200)


def squares(dies_at: int = -1) -> Crew[int, tuple[int, int, int]]:
    """Let a child square numbers, as this process does."""
    command = [sys.executable, "-c", SQUARES.format(dies_at=dies_at)]
    return Crew(command, lambda number: (number, number * number, 0), 8)


def by_child(crew: Crew[int, tuple[int, int, int]]) -> int:
    """Go through the results once the child has some; count those that are its own."""
    until(lambda: crew._child is None or crew._child.poll() is None)
    found = list(crew.each(NUMBERS))
    assert [(number, square) for number, square, _ in found] == [(number, number**2) for number in NUMBERS]
    return sum(pid != 0 for _, _, pid in found)


def test_results_come_in_their_order() -> None:
    by_child(squares())


@pytest.mark.parametrize("dies_at", [0, 7, 150])
def test_what_a_child_takes_with_it_is_done_here(dies_at: int) -> None:
    by_child(squares(dies_at))


def test_without_a_second_core_there_is_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert by_child(squares()) == 0


def test_a_child_that_cannot_be_begun_is_not_missed() -> None:
    assert [*Crew(["/nowhere/python"], str, 8).each([1, 2])] == ["1", "2"]


def test_the_child_ends_with_the_last_result() -> None:
    crew = squares()
    child = crew._child
    list(crew.each(NUMBERS))
    assert child is None or child.poll() is not None


def test_it_ends_with_who_goes_through_half_of_them() -> None:
    crew = squares()
    results = crew.each(NUMBERS)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert crew._child is None or crew._child.poll() is not None


@pytest.mark.parametrize("engine", ["whoosh", "sqlite"])
def test_words_written_into_a_copy_are_those_of_a_new_full_text(home: Home, tmp_path: Path, engine: str) -> None:
    lay(home.root)
    settings = home.root / "memkit.toml"
    settings.write_text(f'{settings.read_text(encoding="utf-8")}\n[index]\nengine = "{engine}"\n', encoding="utf-8")
    files = [home.root / "cards" / f"n{n}.md" for n in range(9)]
    for n, file in enumerate(files):
        file.write_bytes(card(f"n{n}", f"harbour{n}"))
    with Kit(home.root) as kit:
        kit.sync()
        kit.witness.open()
        while kit.witness.take():
            pass
        kit.witness.flush()
        files[0].write_bytes(card("n0", "harbour0") + b"\nZanzibar.\n")
        files[1].unlink()
        kit.sync()
        assert len(kit.index.owed()) == 2
        texts, told = [], list[tuple[int, int]]()
        for place in ("copy", "new"):
            if place == "new":
                kit.index.owe_all()
            scribe.write(
                kit, tmp_path / place, lambda *done: told.append(done), lambda nums: (scribe.read(kit, n) for n in nums)
            )
            texts.append(engines.open_engine(engine, tmp_path / place / f"text-{engine}"))
        assert told[0] == (2, 2)
        copied, new = texts
        assert copied.statistics() == new.statistics()
        assert copied.doc_freqs(["zanzibar"]) == new.doc_freqs(["zanzibar"]) == {"zanzibar": 1}
        assert [num for num in range(50) if copied.has(num)] == [num for num in range(50) if new.has(num)]
        for each in texts:
            each.close()


def terms(kit: Kit) -> dict[str, list[str]]:
    """List what each card is found by."""
    return {entry.path: kit.index.postings.terms_of(entry.num) for entry in kit.index.catalog.of_kind("card")}


def test_a_storm_that_a_child_reads_ends_where_a_rebuild_would(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(home.root)
    cards = home.root / "cards"
    for n in range(250):
        (cards / f"n{n}.md").write_bytes(card(f"n{n}", f"harbour{n}"))
    with Kit(home.root) as kit:
        kit.sync()
    monkeypatch.setattr("kit.daemon.ahead.CREW_FROM", 1)
    kept = Keeper(home.root)
    for n in range(230):
        (cards / f"n{n}.md").write_bytes(card(f"n{n}", f"storm{n}"))
    (cards / "n241.md").rename(cards / "moved.md")
    (cards / "n242.md").unlink()
    kept.tracker.scan_gently()
    assert kept.tracker.ahead._crew is None
    found = terms(kept.kit)
    kept.kit.reindex()
    assert found == terms(kept.kit)
    assert "tag:storm229" in found["cards/n229.md"]
    assert "tag:harbour241" in found["cards/moved.md"]
    kept.kit.close()


def test_what_changed_after_it_was_read_ahead_is_read_again(home: Home) -> None:
    lay(home.root)
    file = home.root / "cards" / "n.md"
    file.write_bytes(card("n", "before"))

    def reads(pieces: list[reconcile.Piece]) -> Iterator[dict[str, reconcile.Read]]:
        for piece in pieces:
            found = reconcile.read_all(kit.store, piece)
            file.write_bytes(card("n", "meanwhile"))
            yield found

    with Kit(home.root) as kit:
        list(reconcile.portions(kit.store, kit.index, nullcontext, reads=reads))
        assert "tag:meanwhile" in terms(kit)["cards/n.md"]


def test_what_was_read_just_after_it_was_written_is_looked_at_again_however_late_it_is_taken_up(home: Home) -> None:
    lay(home.root)
    (home.root / "cards" / "n.md").write_bytes(card("n", "fresh"))
    with Kit(home.root) as kit:
        path, stat = next((path, stat) for path, stat in walk(home.root) if path == "cards/n.md")
        ahead = reconcile.read_all(kit.store, [(path, stat)])
        late = ahead[path]._replace(at_ns=stat.mtime_ns + reconcile.RACY_NS)
        for read, is_believed in ((ahead[path], False), (late, True)):
            assert (read.known.mtime_ns == stat.mtime_ns) is is_believed
