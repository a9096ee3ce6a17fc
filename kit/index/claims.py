"""What a person should mend in the tag pool as a whole: names claimed twice, links that lead nowhere, merge circles.

Law: reads only, and only when asked: no edit of a note waits for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from kit.errors import Problem
from kit.model.notes import Level

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kit.index.held import Held
    from kit.index.relations import Relations

_LEVELS = get_args(Level)


def double(
    pool: Relations, claims: Mapping[str, Collection[int]], codes: Mapping[str, Collection[int]]
) -> Iterator[Problem]:
    """Find names and codes that several tags claim."""
    for key, nums in claims.items():
        owner = pool.claimant(key)
        for held in _by_path(pool, nums):
            if owner and held.num != owner.num and not _is_one(pool, held, owner):
                yield Problem(
                    held.path, 0, f"The name '{key}' already belongs to {owner.path}.",
                    "Take it out of one of the two, or merge the tags.",
                )  # fmt: skip
    for code, nums in codes.items():
        for held in _by_path(pool, nums)[1:]:
            yield Problem(held.path, 0, f"Another tag has the code '{code}'.", "Give this one another code.")


def dead_ends(pool: Relations) -> Iterator[Problem]:
    """Find merges and relations that lead to no tag, in a circle, or to the tag itself."""
    for held in pool.tags():
        tag = held.tag
        if tag.status == "merged" and not tag.merged_to:
            yield Problem(held.path, 0, "The tag is merged but names no target.", "Fill `merged_to`.")
        elif tag.status == "merged" and _leads_nowhere(pool, held):
            yield Problem(
                held.path, 0, f"`merged_to: {tag.merged_to}` leads in a circle or to no tag.",
                "Point it at an active tag.",
            )  # fmt: skip
        for level in _LEVELS:
            for link in getattr(tag, level):
                target = pool.linked(link)
                if target is None:
                    yield Problem(held.path, 0, f"`{level}` names '{link}', which is no tag.", "Mend the link.")
                elif target.num == held.num:
                    yield Problem(held.path, 0, f"`{level}` names the tag itself.", "Remove the link.")


def _by_path(pool: Relations, nums: Iterable[int]) -> list[Held]:
    return sorted((held for num in nums if (held := pool.at_num(num))), key=lambda held: held.path)


def _is_one(pool: Relations, held: Held, owner: Held) -> bool:
    """Tell whether a merge has made one tag of two: then a name may well stand on both."""
    reached, other = pool.redirect(held), pool.redirect(owner)
    return reached is not None and other is not None and reached.num == other.num


def _leads_nowhere(pool: Relations, held: Held) -> bool:
    seen: set[int] = set()
    while held.tag.status == "merged":
        onward = pool.linked(held.tag.merged_to)
        if onward is None or held.num in seen:
            return True
        seen.add(held.num)
        held = onward
    return False
