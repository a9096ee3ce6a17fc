"""How tags relate: synonym, related, loose; written on both notes.

Law: the machine only ever strengthens a relation, never to the tag itself, never to one that is not there, and
never touches a status. A person may weaken or remove one in either note; the other note then follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import text
from kit.errors import BadInputError, KitError, NotFoundError, RefusedError
from kit.govern.act import Act
from kit.index.pool import LEVELS
from kit.model.fields import link

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.hand import Hand
    from kit.index.pool import Held, Pool
    from kit.model.notes import Level
    from kit.vault.journal import Who

__all__ = ["LEVELS", "complete", "follow", "mirror", "put_level", "raise_to", "relate", "stronger", "tag"]

FOLLOWED_AT_ONCE = 50
"""Edited tags whose other notes are written in one go; the rest waits for the next."""


def tag(hand: Hand, name: str) -> Held:
    """Find a tag by name, alias or code; raise NotFoundError."""
    held = hand.index.pool.claimant(text.key(name)) or hand.index.pool.at_code(name)
    if held is None:
        raise NotFoundError(f"There is no tag '{name}'.", "`memkit tags list` shows them; `memkit tags add` makes one.")
    return held


def stronger(one: Level | None, other: Level | None) -> Level | None:
    """Choose the stronger of two levels."""
    return min((level for level in (one, other) if level), key=LEVELS.index, default=None)


def relate(hand: Hand, one: str, other: str, level: Level, now: datetime, who: Who, why: str = "") -> Done | None:
    """Relate two tags on both notes; a merged one stands for the tag that took its place.

    A person's word is final; the machine never weakens. None when there is nothing to write.
    """
    if level not in LEVELS:
        raise BadInputError(f"'{level}' is no level.", f"Use one of {', '.join(LEVELS)}.")
    first, second = _end(hand, one), _end(hand, other)
    if first.num == second.num:
        raise BadInputError(f"'{one}' and '{other}' are one tag.", "Relate it to another one.")
    pool = hand.index.pool
    before = pool.level(first, second)
    after = level if who == "person" else stronger(before, level)
    act = Act(hand, now, who, "relate", first.path, why)
    put_level(hand, act, first, second, after)
    put_level(hand, act, second, first, after)
    return act.commit(before=before or "none", after=after)


def _end(hand: Hand, name: str) -> Held:
    held = tag(hand, name)
    if held.tag.status != "merged":
        return held
    end = hand.index.pool.redirect(held)
    if end is None:
        raise RefusedError(f"'{name}' was merged into no tag that recalls.", "Relate another one.")
    return end


def put_level(hand: Hand, act: Act, here: Held, there: Held, level: Level | None) -> None:
    """Have a tag's note name another at one level and at no other; None: at none."""
    written = act.load(here.path)
    changes: dict[str, list[str] | None] = {}
    for each in LEVELS:
        links: tuple[str, ...] = getattr(written, each)
        kept = [target for target in links if not _leads_to(hand.index.pool, target, there)]
        if each == level:
            named = [target for target in links if target not in kept][:1] or [there.path.removesuffix(".md")]
            kept = [target for target in links if target in kept or target in named]
            kept += [target for target in named if target not in kept]
        if kept != list(links):
            changes[each] = [link(target) for target in kept] or None
    if changes:
        act.amend(here.path, changes)


def raise_to(hand: Hand, act: Act, here: Held, there: Held, level: Level) -> None:
    """Have two notes name each other at least at a level, whatever stands in them so far."""
    pool = hand.index.pool
    written = [_written(pool, act, *pair) for pair in ((here, there), (there, here))]
    wanted = stronger(stronger(*written), level)
    put_level(hand, act, here, there, wanted)
    put_level(hand, act, there, here, wanted)


def _written(pool: Pool, act: Act, here: Held, there: Held) -> Level | None:
    found = act.load(here.path)
    return next((each for each in LEVELS if any(_leads_to(pool, one, there) for one in getattr(found, each))), None)


def _leads_to(pool: Pool, target: str, there: Held) -> bool:
    found = pool.linked(target)
    return found is not None and found.num == there.num


def follow(hand: Hand, new: Iterable[str], now: datetime) -> list[Done]:
    """Have other notes follow the relations that a person has edited, and those of tag notes that are new.

    What can't be written now (a note that was saved a moment ago, or can't be read) stays owed.
    """
    pool, nothing = hand.index.pool, frozenset[str]()
    before = pool.owed()
    owed = dict(before)
    for path in new:
        held = pool.at_path(path)
        if held and held.num not in owed and pool.own(held):
            owed[held.num] = frozenset(one for level in LEVELS for one in getattr(held.tag, level))
    done: list[Done] = []
    left: dict[int, frozenset[str]] = {}
    for number, (num, links) in enumerate(owed.items()):
        here = pool.at_num(num)
        if here is None:
            continue
        if number >= FOLLOWED_AT_ONCE:
            left[num] = links
            continue
        made, late = mirror(hand, here, links, now)
        done += made
        if late:
            left[num] = late
    after = pool.owed()
    # What is owed otherwise than at first was edited while the others were written: that is still to be followed.
    same = (num for num in owed if after.get(num) == before.get(num))
    paid = {num: left.get(num, nothing) for num in same if left.get(num, nothing) != after.get(num, nothing)}
    if paid:
        with hand.index.changing():
            for num, links in paid.items():
                pool.owe(num, links)
    return done


def mirror(hand: Hand, here: Held, links: Collection[str], now: datetime) -> tuple[list[Done], frozenset[str]]:
    """Have each note that a tag's edited links lead to say the same; return the links that must wait."""
    pool = hand.index.pool
    done: list[Done] = []
    late: set[str] = set()
    for target in sorted(links):
        there = pool.linked(target)
        if there is None or there.num == here.num:
            continue
        wanted = pool.own(here).get(there.num)
        if pool.own(there).get(here.num) == wanted:
            continue
        act = Act(hand, now, "maintain", "mirror", here.path, "the person changed the relations of this tag")
        try:
            put_level(hand, act, there, here, wanted)
            made = act.commit()
        except KitError:
            late.add(target)
            continue
        done += [made] if made else []
    return done, frozenset(late)


def complete(hand: Hand, now: datetime, who: Who) -> Done | None:
    """Write relations that stand on one note only on the other as well, at the level they have."""
    pool = hand.index.pool
    act = Act(hand, now, who, "complete", why="a relation stands on both notes")
    for here in pool.tags():
        for num in pool.own(here):
            there = pool.at_num(num)
            level = pool.level(here, there) if there else None
            if there and level and stronger(level, pool.own(there).get(here.num)) != pool.own(there).get(here.num):
                put_level(hand, act, there, here, level)
    return act.commit()
