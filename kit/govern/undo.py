"""Acts taken back, and acts that a crash cut short, finished.

Law: an act is undone only while its notes are as it left them: the person wins. What can't be finished is taken back.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from kit.errors import ConflictError, KitError, NotFoundError, RefusedError
from kit.govern import carry
from kit.govern import changes as parts
from kit.govern import hand as hands
from kit.govern.act import Done

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.changes import Change
    from kit.govern.hand import Hand
    from kit.vault.journal import Entry, Who

LINES = 200
"""Newest lines of the journal among which an act may be that a crash cut short."""


def undo(hand: Hand, now: datetime, who: Who, act: str = "", *, partly: bool = False, dry_run: bool = False) -> Done:
    """Take an act back, the person's newest when none is named, as long as its notes are as it left them.

    An undo is an act too: named, it is taken back itself. `partly` leaves alone the notes that were changed since;
    `dry_run` only tells.
    """
    entry = _find(hand, act)
    if not act and "run" in entry:
        raise RefusedError("The newest act is an import of many notes.", "Take it back with `memkit import --undo`.")
    plan = parts.inverse(parts.plan_of(entry))
    if any(not (change.before or change.new or change.moved) for change in plan):
        raise RefusedError("What an import brought can't be made from the journal.", "Import it again.")
    stages = carry.stages(hand, plan, lenient=partly)
    if partly:
        plan = [change for change, stage in zip(plan, stages, strict=True) if stage == "due"]
        stages = ["due"] * len(plan)
    for change, stage in zip(plan, stages, strict=True):
        if stage != "due":
            raise ConflictError(
                f"{change.path} was changed since, so '{entry['what']}' can't be taken back.",
                "Change the notes by hand, or take the later change back first.",
            )
    if dry_run:
        return Done("", f"undo {entry['what']}", parts.paths(plan))
    fresh = secrets.token_hex(6)
    hand.journal.add(
        hands.day(now), who, "undo", str(entry.get("note", "")), str(entry["what"]), act=fresh,
        undoes=entry["act"], changes=[parts.plain(change) for change in plan],
    )  # fmt: skip
    carry.carry_out(hand, fresh, plan, hands.day(now), who)
    return Done(fresh, f"undo {entry['what']}", parts.paths(plan))


def finish_begun(hand: Hand, now: datetime) -> list[str]:
    """Finish acts that a crash cut short, or take them back where a person has made that impossible; name them."""
    closed: set[str] = set()
    begun: list[Entry] = []
    for number, entry in enumerate(hand.journal.entries(newest_first=True)):
        if number == LINES:
            break
        act = str(entry.get("act", ""))
        if entry.get("what") in ("done", "abandoned"):
            closed.add(act)
        elif act and act not in closed and "run" not in entry and parts.plan_of(entry):
            begun.append(entry)  # what is imported was whole before its line was written
    for entry in reversed(begun):
        with suppress(KitError):  # what can't be finished was taken back as far as it goes, and is closed
            _finish(hand, str(entry["act"]), parts.plan_of(entry), hands.day(now))
    return [str(entry["act"]) for entry in reversed(begun)]


def _finish(hand: Hand, act: str, plan: list[Change], at: datetime) -> None:
    stages = carry.stages(hand, plan)
    made = [change for change, stage in zip(plan, stages, strict=True) if stage == "made"]
    mended: list[Change] = []
    for change, stage in zip(plan, stages, strict=True):
        again = _rebased(hand, change) if stage == "foreign" else change
        if again is None:
            carry.take_back(hand, made)
            carry.close(hand, act, plan, at, "abandoned")
            return
        if stage == "due" or (stage == "foreign" and (again.old or again.new)):
            mended.append(again)
    try:
        carry.carry_out(hand, act, mended, at, "maintain")
    except KitError:
        carry.take_back(hand, made)
        raise
    finally:
        carry.settle(hand, plan)


def _rebased(hand: Hand, change: Change) -> Change | None:
    """Fit a change to a note that a person has changed since the crash."""
    if change.moved or not change.before or not change.after or not carry.etag_of(hand, change.path):
        return None
    raw = hand.store.read(change.path)[0]
    fresh = parts.reapplied(change, raw)
    return None if fresh is None else parts.difference(change.path, raw, fresh)


def _find(hand: Hand, act: str) -> Entry:
    undone: set[object] = set()
    failed: set[object] = set()
    for entry in hand.journal.entries(newest_first=True):
        name = entry.get("act")
        if entry.get("what") == "abandoned":
            failed.add(name)
        if not parts.plan_of(entry) or name in failed:
            continue
        if "undoes" in entry and name not in undone:
            undone.add(entry["undoes"])
        if act == name and name in undone:
            raise RefusedError(f"The act {act} has been taken back already.", "`memkit log` shows acts.")
        newest = not act and entry.get("who") == "person" and "undoes" not in entry and name not in undone
        if act == name or newest:
            return entry
    raise NotFoundError(
        f"No act '{act}' is in the journal." if act else "There is no act of yours to take back.",
        "`memkit log --json` shows acts with their names.",
    )
