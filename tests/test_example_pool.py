"""The worked example: the tag pool of the example vault, asked in English and Chinese, and edited by hand."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from kit import shipped
from kit.app import Kit
from tests.govern.pooled import edit, notes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAMES = {
    "tag pool": "tag-pool", "标签池": "tag-pool", "词表": "tag-pool", "tag vocabulary": "tag-pool",
    "tag library": "tag-library", "标签库": "tag-library", "tag pool management": "tag-pool-management",
    "标签池管理": "tag-pool-management", "标签治理": "tag-pool-management",
}  # fmt: skip
QUESTIONS = [
    "how did we design the tag pool?", "what is the tag library for?", "who does tag pool management?",
    "标签池应该怎么设计", "标签库和标签池要不要统一", "标签池管理谁来做",
]  # fmt: skip


@pytest.fixture
def example(home: Path) -> Iterator[Kit]:
    shutil.copytree(shipped.folder("vault-example"), home / "example")
    with Kit(home / "example", clock=lambda: NOW) as kit:
        yield kit


def found(kit: Kit, query: str) -> dict[str, set[str]]:
    """Name what was found and by which ways."""
    hits = kit.recall(query, limit=30, threshold=0.0, now=NOW).hits
    return {hit.id: {reason.factor for reason in hit.reasons} for hit in hits}


def bearing(kit: Kit, tag: str) -> set[str]:
    return set(kit.pool.show(tag).cards)


@pytest.mark.parametrize(("name", "code"), NAMES.items())
def test_each_name_leads_to_its_tag_in_both_languages(example: Kit, name: str, code: str) -> None:
    assert example.pool.code(name) == code


@pytest.mark.parametrize("query", QUESTIONS)
def test_tag_pool_tag_library_and_management_are_found_through_each_other(example: Kit, query: str) -> None:
    example.sync()
    wanted = bearing(example, "tag-pool") | bearing(example, "tag-library") | bearing(example, "tag-pool-management")
    assert len(wanted) >= 4
    assert wanted <= set(found(example, query))


def test_a_relation_that_is_edited_by_hand_changes_the_next_recall(example: Kit) -> None:
    example.sync()
    only = bearing(example, "tag-pool") - bearing(example, "tag-library") - bearing(example, "tag-pool-management")
    asked = "what is a tag catalogue?"
    assert all("synonym" in found(example, asked)[each] for each in only)
    pool, library = (example.root / f"tags/{name}.md" for name in ("tag-pool", "tag-library"))
    edit(library, 'synonym:\n  - "[[tags/tag-pool]]"\n', "")
    assert not any("synonym" in ways for ways in found(example, asked).values())
    example.sync()
    assert "tag-library" not in pool.read_text("utf-8"), "the other note follows"
    edit(pool, "related:\n", 'related:\n  - "[[tags/tag-library]]"\n')
    assert all("related" in found(example, asked)[each] for each in only)
    assert example.doctor() == []


def test_the_example_needs_no_care(example: Kit) -> None:
    before = notes(example.root)
    example.sync()
    example.recall("标签池")
    assert notes(example.root) == before
    assert not example.pool.owed()
    assert [row for row in example.pool.lint() if row[0].startswith("tag-")] == []
