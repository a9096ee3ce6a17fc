"""What the daemon does beside answering: scans that are owed, children that build, chores that fail."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from kit import places
from kit.daemon import builder, chores, reader, tracker
from kit.daemon.builder import Build
from kit.daemon.keeper import Keeper
from kit.daemon.owner import Owner
from kit.govern.lay import lay
from kit.vault.ear import Ear
from kit.vault.watch import Batch
from kit.witness import Witness
from tests.daemon.conftest import Home, until
from tests.daemon.house import card

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.reconcile import Report


@pytest.fixture
def filled(home: Home) -> Path:
    """Make a vault that counts as large where `AT_ONCE` is small."""
    lay(home.root)
    for n in range(9):
        (home.root / "cards" / f"n{n}.md").write_bytes(card(f"n{n}", f"harbour{n}"))
    return home.root


@pytest.fixture
def unheard(filled: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    """Keep a large vault where events come and no cookie does, as on macOS and Windows."""
    with Keeper(filled).kit as kit:
        kit.sync()  # known already, as after a restart
    monkeypatch.setattr(tracker, "AT_ONCE", 3)
    monkeypatch.setattr(tracker, "GLANCE_S", 1000.0)
    monkeypatch.setattr(Ear, "nudge", lambda _self: False)
    made = Keeper(filled)
    made.start()
    try:
        until(lambda: not status(made)["scan_owed"] and status(made)["last_scan_s_ago"] is not None)
        yield made
    finally:
        made.stop()


def status(kept: Keeper) -> dict[str, object]:
    told = kept.call("status", {}, None)
    assert isinstance(told, dict)
    return told


def found(kept: Keeper, query: str) -> list[str]:
    """Ask, and hold the answer to having nothing to apologise for but words that are not read yet."""
    told = kept.call("recall", {"query": query}, None)
    assert isinstance(told, dict)
    assert tracker.CHANGING not in told.get("remarks", ())
    return [hit["path"] for hit in told["hits"]]


def test_where_no_barrier_is_to_be_had_questions_neither_walk_nor_complain(unheard: Keeper) -> None:
    before = unheard.tracker.scanned
    (unheard.kit.root / "cards" / "new.md").write_bytes(card("new", "quokka"))
    until(lambda: found(unheard, "quokka") == ["cards/new.md"])
    for _ in range(20):
        assert found(unheard, "harbour3") == ["cards/n3.md"]
    assert unheard.tracker.scanned == before
    assert status(unheard)["scan_owed"] is False


def test_where_no_barrier_is_to_be_had_a_question_has_the_vault_looked_through_now_and_then(
    unheard: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = unheard.tracker.scanned
    monkeypatch.setattr(tracker, "GLANCE_S", 0.0)
    found(unheard, "harbour3")
    until(lambda: unheard.tracker.scanned > before)


def test_events_lost_while_a_scan_runs_are_still_owed_after_it(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Keeper(filled)
    follow = kept.kit.follow

    def follow_and_lose(report: Report) -> None:
        follow(report)
        kept.tracker.use(Batch(scan=True))

    monkeypatch.setattr(kept.kit, "follow", follow_and_lose)
    monkeypatch.setattr(type(kept.watcher), "polling", property(lambda _self: False))
    kept.tracker.scan_gently()
    assert kept.tracker.scan_owed
    monkeypatch.setattr(kept.kit, "follow", follow)
    kept.tracker.scan_gently()
    assert not kept.tracker.scan_owed
    kept.kit.close()


def test_a_child_that_warns_a_lot_is_not_held_up(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noisy = filled.parent / "noisy"
    noisy.mkdir()
    (noisy / "sitecustomize.py").write_text("import sys\nprint('x' * 300_000, file=sys.stderr)\n")
    monkeypatch.setenv("PYTHONPATH", str(noisy))
    build = Build("index", filled, places.cache_folder("v", filled))
    try:
        until(build.is_done, 60)
        assert build.failed == ""
        assert build.counts[0] == build.counts[1] > 0
    finally:
        build.stop()


def test_a_child_that_fails_is_quoted(filled: Path) -> None:
    build = Build("index", filled / "gone", places.cache_folder("v", filled))
    until(build.is_done, 60)
    assert "gone" in build.failed
    build.stop()


def test_a_vault_that_no_child_can_build_is_read_bit_by_bit_and_the_child_not_begun_again(
    filled: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with Keeper(filled).kit as kit:
        kit.sync()  # known already, as before a large checkout
    for n in range(99):
        (filled / "cards" / f"new{n}.md").write_bytes(card(f"new{n}", f"lantern{n}"))
    monkeypatch.setattr(tracker, "AT_ONCE", 3)
    monkeypatch.setattr(tracker, "SYNC_NOTES", 2)
    monkeypatch.setattr(builder, "_command", lambda *_: [sys.executable, "-c", "raise SystemExit('no memory')"])
    made = Keeper(filled)
    made.start()
    try:
        until(lambda: "could not be built" in caplog.text, 60)
        until(lambda: not status(made)["building"] and not status(made)["scan_owed"], 60)
        assert found(made, "lantern3") == ["cards/new3.md"]
        assert caplog.text.count("could not be built") == 1
    finally:
        made.stop()


def test_a_chore_that_stumbles_keeps_no_other_back(filled: Path) -> None:
    stopping, done = threading.Event(), threading.Event()

    def sweep() -> int:
        done.set()
        raise RuntimeError("a bug")

    with Keeper(filled).kit as kit:
        work = chores.Chores(kit, Owner(), stopping, lambda: False, sweep)
        thread = threading.Thread(target=work.run)
        thread.start()
        until(done.is_set)
        stopping.set()
        thread.join(20)
    assert not thread.is_alive()


def test_a_chore_that_failed_waits_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now, tries = [100.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def work() -> None:
        tries.append(now[0])
        raise OSError(5, "the disk coughs")

    chore = chores._Chore(work, 1.0)
    for now[0] in (100.0, 101.9, 102.0, 105.9, 106.0):
        chore.attempt()
    assert tries == [100.0, 102.0, 106.0]


class Rounds(threading.Event):
    """Ends the chores after some rounds, which take no time."""

    left = 20

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - the signature of an event
        self.left -= 1
        return self.left <= 0


def test_whether_words_are_read_is_asked_only_for_what_is_due(filled: Path) -> None:
    asked = []

    def reading() -> bool:
        asked.append(1)
        return False

    with Keeper(filled).kit as kit:
        work = chores.Chores(kit, Owner(), Rounds(), lambda: False, reading=reading)
        work.run()
    assert len(asked) == sum(chore.is_large for chore in work._chores)


def test_a_child_that_failed_is_tried_again_ever_later_and_that_is_told(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ill, begun, now, stopping = filled.parent / "ill", [], [100.0], threading.Event()
    ill.mkdir()
    fault = ill / "sitecustomize.py"
    fault.write_text("import os, sys\nprint('no room', file=sys.stderr, flush=True)\nos._exit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(ill))
    monkeypatch.setattr(reader, "CHILD_FROM", 2)
    monkeypatch.setattr(Witness, "take", lambda *_: 0)  # as if bit by bit took its time

    class Counted(Build):
        def __init__(self, *given: Any) -> None:  # noqa: ANN401 - as a build has them
            begun.append(now[0])
            super().__init__(*given)

    monkeypatch.setattr(reader, "Build", Counted)
    with Keeper(filled).kit as kit:
        kit.sync()
        kit.witness.open()
        owner = Owner()
        work = reader.Reader(kit, owner, stopping, lambda: False, clock=lambda: now[0])

        def told() -> str:
            work.stir()
            with owner:
                return work.trouble

        thread = threading.Thread(target=work.run)
        thread.start()
        try:
            until(lambda: told() == "could not be built apart: no room; tried again in 1 min", 60)
            for now[0] in (159.0, 160.0, 279.0):
                until(lambda: bool(told()) and len(begun) == (1 if now[0] < 160 else 2), 60)
            assert told().endswith("tried again in 1 min")
            fault.unlink()
            now[0] = 280.0
            until(lambda: told() == "" and len(begun) == 3, 60)
            until(lambda: not kit.witness.behind, 60)
        finally:
            stopping.set()
            work.stop()
            thread.join(20)
        assert begun == [100.0, 160.0, 280.0]
        assert told() == ""


def test_what_a_child_built_in_vain_is_read_bit_by_bit_and_not_built_again(
    filled: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reader, "CHILD_FROM", 2)
    monkeypatch.setattr(Witness, "adopt", lambda self, _folder: self.open())  # as of a program of another version
    made = Keeper(filled)
    made.start()
    try:
        until(lambda: not status(made)["words_behind"] and not status(made)["words_building"], 60)
        answer = made.call("recall", {"query": "harbour3"}, None)
        assert isinstance(answer, dict)
        assert answer["hits"][0]["path"] == "cards/n3.md"
        assert caplog.text.count("is of no use here") == 1
    finally:
        made.stop()
