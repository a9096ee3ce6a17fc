"""The settler by a fake clock: when a path is due, and when there is a storm."""

from __future__ import annotations

import pytest

from kit.vault.settle import Batch, Settler


def test_a_path_is_due_after_its_quiet_time() -> None:
    settler = Settler(quiet=0.2)
    assert settler.next_due(0.0) is None
    settler.note("a.md", 1.0)
    assert settler.due(1.1) is None
    settler.note("a.md", 1.15)
    assert settler.due(1.3) is None
    due = settler.next_due(1.3)
    assert due == pytest.approx(1.35)
    assert due is not None
    assert settler.due(due) == Batch(frozenset({"a.md"}), first=1.0)
    assert settler.due(9.0) is None
    assert settler.next_due(9.0) is None
    assert len(settler) == 0


def test_a_path_that_never_rests_is_due_after_the_longest_wait() -> None:
    settler = Settler(quiet=0.2, longest=2.0)
    now, batch = 0.0, None
    while batch is None:
        settler.note("a.md", now)
        now += 0.1
        batch = settler.due(now)
    assert 2.0 <= now < 2.2
    assert batch.paths == {"a.md"}


def test_each_path_settles_for_itself() -> None:
    settler = Settler(quiet=0.2)
    settler.note("a.md", 0.0)
    settler.note("b.md", 0.15)
    assert settler.due(0.25) == Batch(frozenset({"a.md"}), first=0.0)
    assert settler.due(0.4) == Batch(frozenset({"b.md"}), first=0.15)


def test_folders_are_named_apart_from_paths() -> None:
    settler = Settler(quiet=0.2)
    settler.note("cards/old", 0.0, is_dir=True)
    settler.note("cards/new", 0.0, is_dir=True)
    settler.note("a.md", 0.0)
    assert len(settler) == 3
    assert settler.due(0.3) == Batch(frozenset({"a.md"}), frozenset({"cards/old", "cards/new"}), first=0.0)


def test_too_many_paths_become_one_scan_when_it_is_quiet() -> None:
    settler = Settler(storm=200, storm_quiet=0.5)
    for n in range(300):
        settler.note(f"{n}.md", n / 1000)
    assert settler.due(0.6) is None
    assert settler.next_due(0.6) == pytest.approx(0.799)
    assert settler.due(0.8) == Batch(scan=True, first=0.0)
    assert settler.due(99.0) is None


def test_a_storm_that_never_rests_ends_after_its_longest_wait() -> None:
    settler = Settler(storm=10, storm_longest=10.0)
    now, batch = 0.0, None
    while batch is None:
        for n in range(20):
            settler.note(f"{now}-{n}.md", now)
        now += 0.1
        batch = settler.due(now)
    assert 10.0 <= now < 10.2
    assert batch.scan


def test_while_git_is_at_work_even_one_path_waits_for_a_scan() -> None:
    at_work = True
    settler = Settler(quiet=0.2, storm_quiet=0.5, busy=lambda: at_work)
    settler.note("a.md", 0.0)
    assert settler.due(0.2) is None
    assert settler.due(0.8) is None
    at_work = False
    assert settler.due(1.0) is None
    assert settler.due(1.3) == Batch(scan=True, first=0.0)


def test_git_that_hangs_holds_nothing_up_for_ever() -> None:
    settler = Settler(quiet=0.2, storm_longest=10.0, busy=lambda: True)
    settler.note("a.md", 0.0)
    now, batch = 0.0, None
    while batch is None:
        due = settler.next_due(now)
        assert due is not None
        now, batch = due, settler.due(due)
    assert now == pytest.approx(10.0)
    assert batch.scan


def test_an_overflow_asks_for_a_scan_and_swallows_the_paths() -> None:
    settler = Settler(storm_quiet=0.5)
    settler.note("a.md", 0.0)
    settler.overflow(0.1)
    assert len(settler) == 1
    assert settler.due(0.3) is None
    assert settler.due(0.6) == Batch(scan=True, first=0.0)
    settler.overflow(2.0)
    assert len(settler) == 1
    assert settler.take(2.0) == Batch(scan=True, first=2.0)


def test_taking_does_not_wait_for_quiet() -> None:
    settler = Settler()
    settler.note("a.md", 0.0)
    settler.note("b.md", 0.1)
    settler.note("cards", 0.1, is_dir=True)
    assert settler.take(0.1, ["b.md", "unknown.md"]) == Batch(frozenset({"b.md"}), first=0.1)
    assert settler.take(0.1) == Batch(frozenset({"a.md"}), frozenset({"cards"}), first=0.0)
    nothing = settler.take(0.2)
    assert not nothing
    assert nothing.first == 0.2
