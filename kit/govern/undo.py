"""Acts taken back, and acts that a crash cut short, finished.

Law: only the lines an act has changed are put back, and only while they are as it left them: the person wins. What
can't be finished is taken back.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from kit.errors import ConflictError, KitError, NotFoundError, RefusedError
from kit.govern import care, carry
from kit.govern import changes as parts
from kit.govern import hand as hands
from kit.govern.act import Done
from kit.vault.store import etag

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from kit.govern.changes import Change
    from kit.govern.hand import Hand
    from kit.vault.journal import Entry, Who

LINES = 200
"""Newest lines of the journal among which an act may be that a crash cut short."""


def undo(hand: Hand, now: datetime, who: Who, act: str = "", *, partly: bool = False, dry_run: bool = False) -> Done:
    """Take an act back, the person's newest that can be when none is named, but for what a person has changed since.

    An undo is an act too: named, it is taken back itself. `partly` leaves alone the notes that were changed since;
    `dry_run` only tells.
    """
    skipped: list[str] = []
    first: KitError | None = None
    for entry in _named(hand, act) if act else _own(hand):
        try:
            if entry.get("what") == "forget":
                back = care.restore(hand, str(entry["id"]), now, who)
                return Done("", "undo forget", back.paths, tuple(skipped))
            if not act and "run" in entry:
                mend = "Take it back with `memkit import --undo`."
                raise RefusedError("The newest act is an import of many notes.", mend)
            plan = _plan(hand, entry, partly=partly)
        except (ConflictError, NotFoundError) as error:
            if act:
                raise
            first = first or error
            skipped.append(f"{entry['what']} {entry.get('act', '')}".strip() + f": {error.what}")
            continue
        done = Done("", f"undo {entry['what']}", parts.paths(plan), tuple(skipped))
        return done if dry_run else done._replace(act=_carry_out(hand, now, who, entry, plan))
    if first:
        raise first
    raise NotFoundError(
        f"No act '{act}' is in the journal." if act else "There is no act of yours to take back.",
        "`memkit log` shows acts with their names.",
    )


def _carry_out(hand: Hand, now: datetime, who: Who, entry: Entry, plan: list[Change]) -> str:
    fresh = secrets.token_hex(6)
    hand.journal.add(
        hands.day(now), who, "undo", str(entry.get("note", "")), str(entry["what"]), act=fresh,
        undoes=entry["act"], changes=[parts.plain(change) for change in plan],
    )  # fmt: skip
    carry.carry_out(hand, fresh, plan, hands.day(now), who)
    return fresh


def _plan(hand: Hand, entry: Entry, *, partly: bool) -> list[Change]:
    """Plan how an act is taken back from the notes as they are now."""
    plan = parts.inverse(parts.plan_of(entry))
    if any(not (change.before or change.new or change.moved) for change in plan):
        raise RefusedError("What an import brought can't be made from the journal.", "Import it again.")
    if partly:
        stages = carry.stages(hand, plan, lenient=True)
        return [change for change, stage in zip(plan, stages, strict=True) if stage == "due"]
    now: dict[str, bytes | None] = {}
    return [fitted for change in plan if (fitted := _fitted(hand, change, now, entry)) is not None]


def _fitted(hand: Hand, change: Change, now: dict[str, bytes | None], entry: Entry) -> Change | None:
    """Fit a change to its note, as that will be then; None where nothing is left to do."""
    change = change if change.path in now else _followed(hand, change)
    for path in filter(None, (change.path, change.moved)):
        if path not in now:
            now[path] = hand.store.read(path)[0] if carry.etag_of(hand, path) else None
    raw = now[change.path]
    here = "" if raw is None else etag(raw)
    if change.moved and raw is not None and now[change.moved] is None:
        now[change.path], now[change.moved] = None, raw
        return change._replace(before=here, after=here)
    after = None if change.moved else _after(change, raw, here)
    if after is None:
        raise ConflictError(
            f"{change.path} was changed since where '{entry['what']}' had changed it, so that can't be taken back.",
            "Change the notes by hand, or take the later change back first.",
        )
    now[change.path] = after or None
    if not change.after or raw is None:
        return change if raw or after else None
    return parts.difference(change.path, raw, after) if raw != after else None


def _after(change: Change, raw: bytes | None, here: str) -> bytes | None:
    """Tell what a note will be; empty for one that goes away, None where a person's change is in the way."""
    if here == change.before:
        return parts.applied(change, raw or b"") if change.after else b""
    if here == change.after:
        return raw or b""
    return parts.merged(change, raw) if raw is not None and change.before and change.after else None


def _followed(hand: Hand, change: Change) -> Change:
    """Follow a note that a person has renamed or moved since, when it says still what the act left there."""
    if change.moved or not change.before or carry.etag_of(hand, change.path):
        return change
    there = [held.path for held in hand.index.catalog.entries().values() if held.etag == change.before]
    return change._replace(path=there[0]) if len(there) == 1 else change


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


def _own(hand: Hand) -> Iterator[Entry]:
    """Go through what the person did and has not taken back, newest first: acts, and notes that were put away."""
    undone: set[object] = set()
    failed: set[object] = set()
    back: set[object] = set()
    for entry in hand.journal.entries(newest_first=True):
        name = entry.get("act")
        if entry.get("what") == "abandoned":
            failed.add(name)
        elif entry.get("what") == "restore":
            back.add(entry.get("id"))
        elif entry.get("what") == "forget" and entry.get("who") == "person":
            if entry.get("id") in back:
                back.discard(entry.get("id"))
            elif entry.get("id"):
                yield entry
        elif name in failed or not parts.plan_of(entry):
            continue
        elif "undoes" in entry and name not in undone:
            undone.add(entry["undoes"])
        elif entry.get("who") == "person" and "undoes" not in entry and name not in undone:
            yield entry


def _named(hand: Hand, act: str) -> Iterator[Entry]:
    """Find an act by its name."""
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
        if act == name:
            yield entry
            return
