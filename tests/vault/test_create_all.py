"""Many new files at once: each whole under its name or not at all, none over another, faults told one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.errors import ConflictError, RefusedError
from kit.vault.store import Store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_files_are_made_and_a_name_that_is_taken_gives_the_next_free_one(store: Store) -> None:
    store.create("facts/Tea.md", b"old")
    made = store.create_all([("facts/tea.md", b"one"), ("facts/TEA.md", b"two"), ("a/b/c.md", b"three")])
    assert made == ["facts/tea 2.md", "facts/TEA 3.md", "a/b/c.md"]
    assert [store.read(str(path))[0] for path in made] == [b"one", b"two", b"three"]
    assert store.read("facts/Tea.md")[0] == b"old"


def test_what_can_not_be_made_keeps_no_other_back(store: Store) -> None:
    store.create("journal/2026-11.jsonl", b"{}\n")
    made = store.create_all([("../out.md", b"x"), ("journal/2026-11.jsonl", b"x"), ("a?.md", b"x"), ("good.md", b"y")])
    assert [type(one) for one in made] == [RefusedError, ConflictError, RefusedError, str]
    assert store.read("good.md")[0] == b"y"
    assert store.read("journal/2026-11.jsonl")[0] == b"{}\n"


def test_nothing_temporary_is_left(store: Store) -> None:
    store.create_all([(f"{number}.md", b"x") for number in range(20)])
    assert sorted(file.name for file in store.root.iterdir()) == sorted(f"{number}.md" for number in range(20))


def test_no_files_are_no_trouble(store: Store) -> None:
    assert store.create_all([]) == []
