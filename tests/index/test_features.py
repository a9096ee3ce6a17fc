"""What is known of each card: read one by one at first, then held as a whole."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from kit.index.features import Features
from kit.index.lexicon import Lexicon
from kit.index.reflection import Index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def row(num: int, status: str = "completed") -> Features:
    return Features(num, "card", status, "episodic", "", 3, 0, 1.0, 0.0, "", "", "", "", f"says {num}")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    made = Index(tmp_path)
    with made.changing():
        for num in range(1, 8):
            made.put_card(row(num), ["tag:a"], fresh=True)
    made.close()
    made.reopen()
    yield made
    made.close()


def test_rows_are_the_same_before_while_and_after_all_are_held(index: Index) -> None:
    features = index.features
    everything = {num: row(num) for num in range(1, 8)}
    some = features.rows()
    assert (some[3], some.get(99), len(some), 5 in some) == (row(3), None, 7, True)
    assert not features.fill(2)
    assert not features.is_whole
    assert features.rows()[7] == row(7)
    assert dict(features.rows()) == everything
    assert features.is_whole
    assert features.rows() == everything


@pytest.mark.parametrize("held", [0, 3, 100])
def test_a_change_is_seen_however_many_rows_are_held(index: Index, held: int) -> None:
    index.features.fill(held)
    with index.changing():
        index.put_card(row(2, "failed"), ["tag:a"], fresh=False)
        index.put_card(row(9), ["tag:b"], fresh=True)
        index.drop(5, "card")
    rows = index.features.rows()
    assert (rows[2].status, rows.get(5), rows[9], len(rows)) == ("failed", None, row(9), 7)
    assert sorted(rows) == [1, 2, 3, 4, 6, 7, 9]


@pytest.mark.parametrize("held", [0, 1, 2, 100])
def test_names_are_found_alike_however_many_are_held(index: Index, held: int) -> None:
    with index.changing():
        index.put_card(row(1), ["tag:running shoes", "person:ann", "tag:缓存", "tag:postgres"], fresh=False)
        index.put_card(row(2), ["person:ann", "place:oslo", "key:editor theme"], fresh=False)
    index.lexicon.fill(held)
    with index.changing():
        index.put_card(row(1), ["tag:shoes", "person:ann", "tag:缓存", "tag:postgres"], fresh=False)
        index.put_card(row(3), ["tag:running shoes", "tag:backup"], fresh=True)
        index.drop(2, "card")
    every = Lexicon()
    for key, times in index.lexicon.names().items():
        every.add(key, times)
    assert every.names() == {"a": 5, "ann": 1, "shoes": 1, "缓存": 1, "postgres": 1, "running shoes": 1, "backup": 1}
    for asked in ("ann ran in a running shoe past the 缓存", "the backups of postgres", "oslo", ""):
        assert index.lexicon.find(asked) == every.find(asked)
    for word in ("postgers", "shoe", "run", "oslo", "editor"):
        assert index.lexicon.like(word) == every.like(word)
        assert index.lexicon.with_word(word) == every.with_word(word)
        assert index.lexicon.knows_word(word) == every.knows_word(word)
    assert "ann" in index.lexicon
    assert "oslo" not in index.lexicon


def test_a_change_that_fails_changes_no_name(index: Index) -> None:
    index.lexicon.fill(100)
    before = index.lexicon.names()
    with suppress(ZeroDivisionError), index.changing():
        index.put_card(row(1), ["tag:never"], fresh=False)
        raise ZeroDivisionError
    assert index.lexicon.names() == before
    assert not index.lexicon.knows_word("never")
