"""Misspelt names: read as they were meant where nothing in the vault is written so."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from kit.app import Kit
from kit.govern.lay import lay
from tests.bench.quality.writing import read_words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FACTS = {
    "typescript": "We write everything in strict mode.",
    "kafka": "The cache has a single node.",
    "mongo": "Documents are read with the raw driver.",
    "plane": "Seats at the aisle, please.",
    "balloon": "It goes up at noon.",
}


@pytest.fixture
def kit(home: Path) -> Iterator[Kit]:
    lay(home / "vault")
    with Kit(home / "vault", clock=lambda: NOW) as made:
        for tag, says in FACTS.items():
            made.remember(says, tags=[tag], people=["Valentina"])
        read_words(made)
        yield made


def told(kit: Kit, query: str) -> tuple[list[str], tuple[str, ...]]:
    found = kit.recall(query)
    return [hit.path for hit in found.hits if any(reason.factor == "direct" for reason in hit.reasons)], found.remarks


@pytest.mark.parametrize(
    ("query", "slip", "tag"),
    [
        ("how strict is typsecript?", "typsecript", "typescript"),
        ("configure typescrpt.", "typescrpt", "typescript"),
        ("configure typescropt", "typescropt", "typescript"),
        ("Kaffka eviction", "kaffka", "kafka"),
        ("mongoo", "mongoo", "mongo"),
        ("who steers the baloon?", "baloon", "balloon"),
    ],
)
def test_a_slip_of_the_finger_is_read_as_the_name_that_was_meant(kit: Kit, query: str, slip: str, tag: str) -> None:
    paths, remarks = told(kit, query)
    assert f"Read '{slip}' as '{tag}'." in remarks
    assert len(paths) == 1
    assert FACTS[tag].split()[0] in paths[0]


@pytest.mark.parametrize(
    "query",
    ["which planet is largest?", "mango juice", "src/typescrpt/main", "typescrpt_config", "k9s pods", "ypescript"],
)
def test_another_word_is_left_as_it_is(kit: Kit, query: str) -> None:
    assert told(kit, query) == ([], ())


def test_a_word_that_somebody_wrote_is_never_doubted(kit: Kit) -> None:
    kit.remember("The lamp is called baloon.", now=NOW)
    read_words(kit)
    assert "baloon" not in str(told(kit, "where is the baloon?")[1])


def test_while_some_words_are_still_unread_no_word_is_doubted(kit: Kit) -> None:
    assert "Read 'baloon' as 'balloon'." in told(kit, "where is the baloon?")[1]
    kit.index.owe_all()
    assert kit.witness.behind
    assert "baloon" not in str(told(kit, "where is the baloon?")[1])


def test_a_person_is_found_though_the_name_is_misspelt(kit: Kit) -> None:
    found = kit.recall("what did Valentnia say?")
    assert "Read 'valentnia' as 'valentina'." in found.remarks
    assert any(reason.factor == "person" for reason in found.hits[0].reasons)
    assert found.query == "what did Valentnia say?"
