"""A plan of changes, carried out on the disk: all of it, or none.

Law: a change is made only on the note it was planned for; when one fails, those already made are taken back.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from kit.errors import BadNoteError, KitError, NotFoundError, RefusedError
from kit.govern import changes as parts
from kit.vault import layout

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kit.govern.changes import Change
    from kit.govern.hand import Hand
    from kit.vault.journal import Who

TAKEN_BACK = layout.ARCHIVE + "/undone"
"""Where the notes go that an act had made, when it is undone."""


def carry_out(hand: Hand, act: str, plan: Sequence[Change], at: datetime, who: Who) -> None:
    """Make all changes of a plan; when one fails, take those already made back and raise."""
    made: list[Change] = []
    try:
        with hand.store.batch():
            for change in plan:
                _make(hand, change)
                made.append(change)
    except KitError:
        take_back(hand, made)
        close(hand, act, plan, at, "abandoned", who)
        raise
    close(hand, act, plan, at, "done", who)


def close(hand: Hand, act: str, plan: Sequence[Change], at: datetime, what: str, who: Who = "maintain") -> None:
    """Write down how an act ended, `done` or `abandoned`, and bring the indexes in step."""
    hand.journal.add(at, who, what, act=act, durable=False)
    settle(hand, plan)


def settle(hand: Hand, plan: Sequence[Change]) -> None:
    """Bring the indexes in step. What an act writes needs no other note to follow it, what others wrote since does."""
    pool, nothing = hand.index.pool, frozenset[str]()
    before = pool.owed()
    hand.settle(*parts.paths(plan))
    after = pool.owed()
    ours = {held.num for path in parts.paths(plan) if (held := pool.at_path(path)) and _is_as_left(hand, path, plan)}
    owed = {num: before.get(num, nothing) for num in ours if after.get(num) != before.get(num)}
    if owed:
        with hand.index.changing():
            for num, links in owed.items():
                pool.owe(num, links)


def _is_as_left(hand: Hand, path: str, plan: Sequence[Change]) -> bool:
    """Tell whether a note was taken in as an act has written it, or as it was before."""
    entry = hand.index.catalog.at(path)
    known = {tag for change in plan if path in (change.path, change.moved) for tag in (change.before, change.after)}
    return entry is not None and entry.etag in known


def take_back(hand: Hand, made: Sequence[Change]) -> None:
    """Take changes back that were made."""
    for change in parts.inverse(made):
        with suppress(KitError):  # a note that a person has changed meanwhile stays theirs
            _make(hand, change)


def _make(hand: Hand, change: Change) -> None:
    if change.moved:
        hand.move(change.path, change.moved)
    elif not change.before:
        hand.store.create(change.path, change.new.encode())
    elif not change.after:
        away = f"{TAKEN_BACK}/{change.path}"
        if (hand.store.root / away).exists():
            away = f"{away.removesuffix('.md')} {secrets.token_hex(3)}.md"
        hand.move(change.path, away)
    else:
        raw = hand.store.read(change.path)[0]
        hand.store.replace(change.path, parts.applied(change, raw), change.before)


def stages(hand: Hand, plan: Sequence[Change], *, lenient: bool = False) -> list[str]:
    """Tell of each change whether it is due, made, or foreign: its note is neither as before nor as after.

    `lenient` takes a note that can't be read for foreign, in place of raising.
    """
    now: dict[str, str] = {}
    known: dict[str, set[str]] = {}
    moved = {change.path: change.moved for change in plan if change.moved}
    for change in plan:
        for path in (change.path, change.moved):
            now.setdefault(path, etag_of(hand, path, lenient=lenient) if path else "")
            known.setdefault(path, set()).update((change.before, change.after))
    found: list[str] = []
    for change in plan:
        here = now[change.path]
        if change.moved:
            there = now[change.moved]
            if here == change.before and not there:
                found.append("due")
                now[change.path], now[change.moved] = "", here
            else:
                found.append("made" if not here and there in known[change.moved] - {""} else "foreign")
        elif here == change.before:
            found.append("due")
            now[change.path] = change.after
        else:
            away = now[moved[change.path]] if not here and change.path in moved else here
            found.append("made" if away == change.after else "foreign")
    return found


def etag_of(hand: Hand, path: str, *, lenient: bool = False) -> str:
    """Tell the state of a note; '' where none is."""
    try:
        return hand.store.read(path)[1]
    except NotFoundError:
        return ""
    except (BadNoteError, RefusedError):
        if lenient:
            return "unread"
        raise
