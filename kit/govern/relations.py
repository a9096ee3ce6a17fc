"""How tags relate: synonym, related, loose; written on both notes.

Law: the machine only ever strengthens a relation, never to the tag itself, never to one that is not there, and
never touches a status. A person may weaken or remove one in either note; the other note then follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from kit import text
from kit.errors import BadInputError, NotFoundError
from kit.govern.act import Act
from kit.model.fields import link
from kit.model.notes import Level

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.hand import Hand
    from kit.index.pool import Held, Pool
    from kit.model.notes import Tag
    from kit.vault.journal import Who

LEVELS: tuple[Level, ...] = get_args(Level)
"""Strongest first."""


def tag(hand: Hand, name: str) -> Held:
    """Find a tag by name, alias or code; raise NotFoundError."""
    held = hand.index.pool.claimant(text.key(name)) or hand.index.pool.at_code(name)
    if held is None:
        raise NotFoundError(f"There is no tag '{name}'.", "`memkit tags list` shows them; `memkit tags add` makes one.")
    return held


def level_of(pool: Pool, one: Held, other: Held) -> Level | None:
    """Tell how a tag's own note relates it to another."""
    for level in LEVELS:
        if any((found := pool.linked(each)) and found.num == other.num for each in getattr(one.tag, level)):
            return level
    return None


def relate(hand: Hand, one: str, other: str, level: Level, now: datetime, who: Who, why: str = "") -> Done | None:
    """Relate two tags on both notes; None when they already are, at this level or a stronger one."""
    if level not in LEVELS:
        raise BadInputError(f"'{level}' is no level.", f"Use one of {', '.join(LEVELS)}.")
    first, second = tag(hand, one), tag(hand, other)
    if first.num == second.num:
        raise BadInputError(f"'{one}' and '{other}' are one tag.", "Relate it to another one.")
    act = Act(hand, now, who, "relate", first.path, why)
    for here, there in ((first, second), (second, first)):
        current = level_of(hand.index.pool, here, there)
        if who != "person" and current and LEVELS.index(current) <= LEVELS.index(level):
            continue
        put_level(hand, act, here, there, level)
    return act.commit(before=level_of(hand.index.pool, first, second) or "none", after=level)


def put_level(hand: Hand, act: Act, here: Held, there: Held, level: Level | None) -> None:
    """Have a tag's note name another at one level and at no other."""
    pool = hand.index.pool
    changes: dict[str, list[str] | None] = {}
    for each in LEVELS:
        links = list(getattr(here.tag, each))
        kept = [target for target in links if not ((found := pool.linked(target)) and found.num == there.num)]
        if each == level:
            named = next((target for target in links if target not in kept), _link(there))
            kept.append(named)
        if sorted(kept) != sorted(links):
            changes[each] = [link(target) for target in kept] or None
    act.amend(here.path, changes)


def mirror(hand: Hand, path: str, before: Tag | None, after: Tag, now: datetime) -> Done | None:
    """Have the other notes follow a relation that a person has added, changed or removed in one note."""
    pool = hand.index.pool
    here = next((held for held in pool.tags() if held.path == path), None)
    if here is None:
        return None
    act = Act(hand, now, "maintain", "mirror", path, "the person changed the relations of this tag")
    for num, there in _targets(pool, before, after).items():
        if num == here.num:
            continue
        wanted = level_of(pool, here, there)
        if level_of(pool, there, here) != wanted:
            put_level(hand, act, there, here, wanted)
    return act.commit()


def _targets(pool: Pool, before: Tag | None, after: Tag) -> dict[int, Held]:
    found: dict[int, Held] = {}
    for note in (before, after):
        for level in LEVELS if note else ():
            for target in getattr(note, level):
                there = pool.linked(target)
                if there:
                    found[there.num] = there
    return found


def _link(held: Held) -> str:
    return held.path.removesuffix(".md")
