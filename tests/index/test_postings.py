"""The password book: words as they stand on cards, counted right after every change."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.index import db
from kit.index.postings import Postings, term
from kit.index.reflection import terms_of
from tests.small_vault import Vault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = Vault(tmp_path)
    yield made
    made.index.close()


TERMS = st.sets(st.sampled_from(["tag:a", "tag:b", "tag:标签池", "person:ann", "topic:t"]), max_size=4)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 4), TERMS, st.booleans()), max_size=12))
def test_after_any_changes_the_book_says_what_the_cards_bear(changes: list[tuple[int, set[str], bool]]) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(db._TABLES)
    postings = Postings(connection)
    bears: dict[int, set[str]] = {}
    for num, terms, asks in changes:
        if asks:  # what was asked before must not outlive the change
            assert postings.df("tag:a") == sum("tag:a" in found for found in bears.values())
            assert list(postings.cards("tag:b")) == sorted(one for one, found in bears.items() if "tag:b" in found)
        added, gone = postings.put(num, terms)
        before = bears.get(num, set())
        assert (added, gone) == (terms - before, before - terms)
        bears[num] = terms
    expected = Counter(one for terms in bears.values() for one in terms)
    assert postings.frequencies() == expected
    for name in expected:
        assert list(postings.cards(name)) == sorted(num for num, terms in bears.items() if name in terms)
    for num, terms in bears.items():
        assert postings.terms_of(num) == sorted(terms)
    fresh = Postings(connection)
    assert fresh.frequencies() == expected
    assert list(fresh.rows()) == list(postings.rows())
    connection.close()


def test_asking_for_a_word_adds_nothing(vault: Vault) -> None:
    vault.card("python")
    vault.scan()
    before = dict(vault.index.postings.frequencies())
    assert vault.index.postings.df("tag:nobody") == 0
    assert not vault.index.postings.cards("tag:nobody")
    assert dict(vault.index.postings.frequencies()) == before


def test_every_feature_of_a_card_has_its_own_dimension() -> None:
    found = terms_of(["Code_Style", "#C++"], ["Ann"], ["北京"], "Kit", "work", "code-review", "s-1")
    assert found == {
        "tag:code style", "tag:c++", "person:ann", "place:北京", "project:kit", "scene:work",
        "scene:work/code review", "topic:s 1",
    }  # fmt: skip
    assert terms_of([], [], [], "", "", "", "") == set()
    assert terms_of([], [], [], "", "", "code-review", "") == set(), "a sub-scene is one of a scene"


def test_the_same_word_in_two_dimensions_is_two_terms(vault: Vault) -> None:
    vault.card("Rust")
    vault.card(people=["Rust"])
    vault.scan()
    assert vault.index.postings.df(term("tag", "rust")) == 1
    assert vault.index.postings.df(term("person", "rust")) == 1


def test_a_tag_edit_touches_no_posting(vault: Vault) -> None:
    vault.card("js")
    vault.tag("JavaScript", aliases=["js"])
    vault.scan()
    before = list(vault.index.postings.rows())
    vault.tag("JavaScript", aliases=["ecma"], status="deprecated")
    vault.scan()
    assert list(vault.index.postings.rows()) == before


def test_pending_and_rejected_cards_stand_in_the_book_too(vault: Vault) -> None:
    vault.card("x", status="pending")
    vault.card("x", feedback="rejected")
    vault.scan()
    assert vault.index.postings.df("tag:x") == 2


def test_a_card_that_becomes_something_else_leaves_the_book(vault: Vault) -> None:
    note_id = vault.card("x", path="cards/one.md")
    vault.scan()
    vault.tag("One", path="cards/one.md", id=note_id)
    vault.scan()
    assert vault.index.postings.df("tag:x") == 0
    assert [held.path for held in vault.index.pool.tags()] == ["cards/one.md"]
    vault.write("cards/one.md", b"Mine now.\n")
    vault.scan()
    assert vault.index.pool.tags() == []
    assert vault.index.catalog.problems() == []
