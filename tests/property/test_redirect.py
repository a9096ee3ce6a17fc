"""Whatever a person writes into `merged_to`, every question about a tag ends."""

from __future__ import annotations

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from kit.index import db
from kit.index.pool import LEVELS, Pool
from kit.model.notes import Tag

SIZE = 9
STATUS = st.sampled_from(["active", "merged", "merged", "merged", "deprecated", "unexamined"])
LINKS = st.lists(st.tuples(st.sampled_from(LEVELS), st.integers(0, SIZE)), max_size=3)
TAGS = st.lists(st.tuples(STATUS, st.integers(0, SIZE), LINKS), min_size=1, max_size=SIZE)


@given(TAGS)
def test_a_redirect_ends_for_any_graph_of_merges(made: list[tuple[str, int, list[tuple[str, int]]]]) -> None:
    with sqlite3.connect(":memory:", isolation_level=None) as base:
        base.executescript(db._TABLES)
        pool = Pool(base)
        for num, (status, target, links) in enumerate(made):
            keys: dict[str, list[str]] = {
                level: [f"tags/t{other}" for its, other in links if its == level] for level in LEVELS
            }
            tag: dict[str, object] = dict(keys)
            tag |= {"id": f"id{num}", "kind": "tag", "name": f"t{num}", "status": status, "merged_to": f"t{target}"}
            pool.put(num, f"tags/t{num}.md", Tag.model_validate(tag))
        for held in pool.tags():
            end = pool.redirect(held)
            assert end is None or end.tag.status in ("active", "unexamined")
            assert held.key in pool.words(held)
            assert end is None or held.key in pool.words(end)
            for level in LEVELS:
                for near in pool.neighbours(held, level):
                    assert near.num != held.num
                    assert near.tag.status in ("active", "unexamined")
                    back = pool.neighbours(near, level)
                    assert end is not held or any(pool.redirect(one) is held for one in [*back, held])
        pool.problems()
    base.close()


@given(TAGS)
def test_relations_are_followed_from_both_sides(made: list[tuple[str, int, list[tuple[str, int]]]]) -> None:
    with sqlite3.connect(":memory:", isolation_level=None) as base:
        base.executescript(db._TABLES)
        pool = Pool(base)
        for num, (_, _, links) in enumerate(made):
            keys: dict[str, list[str]] = {
                level: [f"tags/t{other}" for its, other in links if its == level] for level in LEVELS
            }
            pool.put(
                num, f"tags/t{num}.md", Tag.model_validate({"id": f"id{num}", "kind": "tag", "name": f"t{num}", **keys})
            )
        for held in pool.tags():
            for level in LEVELS:
                for near in pool.neighbours(held, level):
                    assert held in pool.neighbours(near, level)
    base.close()
