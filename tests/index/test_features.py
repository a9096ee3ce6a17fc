"""What is known of each card: read one by one at first, then held as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.index.features import Features
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


def test_names_are_found_alike_with_their_spellings_written_down(index: Index) -> None:
    with index.changing():
        index.put_card(row(1), ["tag:running shoes", "person:ann", "tag:缓存"], fresh=False)
    asked = "ann ran in a running shoe past the 缓存"
    found = index.lexicon.find(asked)
    index.keep_spellings()
    index.reopen()
    assert index.lexicon.find(asked) == found
