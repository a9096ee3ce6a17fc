"""The tag pool as a picture: tags as points, their relations as lines of three levels.

Law: reads only, and never draws more than can be looked at: the most used tags, or what lies round one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import text
from kit.errors import NotFoundError
from kit.index.pool import LEVELS
from kit.model.rows import Between, Graph, Point

if TYPE_CHECKING:
    from kit.index.pool import Held
    from kit.index.reflection import Index

STEPS = 2
"""Relations followed from the tag in the middle."""


def draw(index: Index, centre: str, limit: int) -> Graph:
    """Draw the most used tags, or those round one; raise NotFoundError for a tag that is not there."""
    pool = index.pool
    alive = {held.num: held for held in pool.tags() if held.tag.status != "merged"}
    weights = {num: sum(index.postings.df(f"tag:{key}") for key in pool.words(held)) for num, held in alive.items()}
    among = alive
    if centre:
        middle = pool.claimant(text.key(centre)) or pool.at_code(centre)
        if middle is None:
            raise NotFoundError(f"There is no tag '{centre}'.", "`memkit tags list` shows them.")
        among = {num: alive[num] for num in _round(index, middle) if num in alive}
    ranked = sorted(among, key=lambda num: (-weights[num], among[num].path))
    if centre:  # the nearest first, as they were found
        ranked = list(among)
    shown = [among[num] for num in ranked[:limit]]
    known = {held.num for held in shown}
    lines: dict[tuple[str, str], Between] = {}
    for held in shown:
        for level in LEVELS:
            for other in pool.neighbours(held, level):
                if other.num in known:
                    one, two = sorted((held.code, other.code))
                    lines.setdefault((one, two), Between(one, two, level))
    points = tuple(Point(held.code, held.tag.name, held.tag.status, weights[held.num]) for held in shown)
    return Graph(points, tuple(lines.values()), len(among) - len(shown))


def _round(index: Index, middle: Held) -> list[int]:
    """List the tags round one, nearest first."""
    found = {middle.num: None}
    edge = [middle]
    for _ in range(STEPS):
        near = [other for held in edge for level in LEVELS for other in index.pool.neighbours(held, level)]
        edge = [other for other in near if other.num not in found]
        found |= dict.fromkeys(other.num for other in edge)
    return list(found)
