"""Keeping a vault small enough to read: what has weight stays, the rest goes to the archive; and when that is due.

Law: what goes and why is shown before it goes; nothing is deleted; pinned, confirmed and recently recalled
memories stay. Weights and schedule are pure functions of numbers and times passed in.
"""

from __future__ import annotations

import calendar
import time
from datetime import datetime, timedelta
from datetime import time as time_of_day
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import BadInputError, KitError
from kit.govern import archive, care, traces
from kit.govern.act import Act
from kit.vault import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kit.govern.act import Done
    from kit.govern.hand import Hand
    from kit.index.features import Features
    from kit.vault.journal import Entry, Journal, Who

LEAST_WEIGHT, LEAST_AGE_DAYS = 0.3, 30.0
RECENT_DAYS, RECENT_GAIN = 7.0, 0.15
_CURVE = ((0.0, 1.0), (20.0, 0.85), (60.0, 0.5), (150.0, 0.2))
"""Age in days and weight; straight lines in between, level after the last."""


class Leaving(NamedTuple):
    """A memory that cleaning would put away."""

    id: str
    path: str
    weight: float
    why: str


class Caps(NamedTuple):
    """How many memories a tier may hold; 0: as many as there are."""

    transient: int = 0
    episodic: int = 0
    """in each project"""
    semantic: int = 0

    def only(self, layer: str) -> Caps:
        """Keep the cap of one tier; '' keeps all."""
        return Caps()._replace(**{layer: getattr(self, layer)}) if layer else self


class Cleaned(NamedTuple):
    """What cleaning did, or would do."""

    leaving: tuple[Leaving, ...]
    done: Done | None


def weight(age_days: float, recalled_days: float | None, importance: int = 3) -> float:
    """Weigh a memory, 0.2 to 1: by age, raised up to 15 % by a recall in the last 7 days, and by importance.

    Importance 3 weighs as it is, each step more or less 5 %.
    """
    base = _CURVE[-1][1]
    for (start, high), (end, low) in pairwise(_CURVE):
        if age_days <= end:
            base = high - (high - low) * max(0.0, age_days - start) / (end - start)
            break
    if recalled_days is not None and recalled_days <= RECENT_DAYS:
        base *= 1 + RECENT_GAIN * (1 - max(0.0, recalled_days) / RECENT_DAYS)
    return min(1.0, max(0.2, base * (0.85 + 0.05 * importance)))


def last_recalls(journal: Journal, now: datetime) -> dict[str, datetime]:
    """Gather when each memory was last recalled, within the days that count."""
    found: dict[str, datetime] = {}
    for at, entry in _since(journal, now - timedelta(days=RECENT_DAYS)):
        ids = entry.get("ids")
        if entry.get("what") == "recall" and isinstance(ids, list):
            for note_id in ids:
                found.setdefault(str(note_id), at)
    return found


def _since(journal: Journal, horizon: datetime) -> Iterator[tuple[datetime, Entry]]:
    """Go through the journal's lines after a moment, newest first; a line without a time that can be read is passed."""
    for entry in journal.entries(newest_first=True):
        try:
            at = datetime.fromisoformat(str(entry.get("at")))
        except ValueError:
            continue
        at = at if at.tzinfo else at.astimezone()
        if at < horizon:
            return
        yield at, entry


def clean(hand: Hand, now: datetime, who: Who, *, caps: Caps | None = None, dry_run: bool = False) -> Cleaned:
    """Put memories of little weight and those over the caps into the archive, with event and overview, in one act."""
    light = tuple(_leaving(hand, now))
    over = tuple(_over(hand, now, caps or Caps(), {memory.id for memory in light}))
    return _put_away(
        hand, now, who, (*light, *over), f"{len(light)} of little weight, {len(over)} over the caps", dry_run
    )


def trim(
    hand: Hand, now: datetime, who: Who, caps: Caps, *, dry_run: bool = False, limit: int | None = None
) -> Cleaned:
    """Put only what is over the caps into the archive, in one act, `limit` memories of it at once.

    `who` is told in the journal if anything went.
    """
    over = tuple(_over(hand, now, caps, frozenset()))
    return _put_away(hand, now, who, over, f"{len(over)} over the caps", dry_run, "trim", limit)


def _put_away(
    hand: Hand, now: datetime, who: Who, leaving: tuple[Leaving, ...], why: str, dry_run: bool, what: str = "clean",
    limit: int | None = None,
) -> Cleaned:  # fmt: skip
    if dry_run:
        return Cleaned(leaving, None)
    act = Act(hand, now, who, what, why=why)
    gone: list[Leaving] = []
    for memory in leaving:
        paths = _movable(hand, memory.path, who)
        gone += [memory] if paths else []
        for path in paths:
            act.move(path, layout.archived_path(path))
        if len(gone) == limit:
            break
    done = act.commit()
    if done is None and who == "maintain" and what == "clean":
        traces.idle(hand, now, who, "clean", "nothing to put away")
    return Cleaned(tuple(gone), done)


def _movable(hand: Hand, path: str, who: Who) -> list[str]:
    """List the files of a memory; none while one can't be read, is being edited, or has its place taken."""
    try:
        paths = care.with_parts(hand, path)
        fresh = who == "maintain" and any(hand.store.recently_touched(each, time.time()) for each in paths)
    except KitError:
        return []
    taken = any(archive.is_taken(hand, each, layout.archived_path(each)) for each in paths)
    return [] if fresh or taken else paths


def _leaving(hand: Hand, now: datetime) -> Iterator[Leaving]:
    recalled = last_recalls(hand.journal, now)
    for row in hand.index.features.rows().values():
        entry = hand.index.catalog.numbered(row.num)
        if entry is None or row.kind != "card" or row.pinned or row.feedback == "confirmed":
            continue
        age = (now.timestamp() - row.created) / 86400
        worth = _worth(row, recalled.get(entry.id), now)
        if age > LEAST_AGE_DAYS and worth < LEAST_WEIGHT:
            shown = "" if row.status == "completed" else f", {row.status}"
            yield Leaving(
                entry.id, entry.path, round(worth, 3), f"{age:.0f} days old, importance {row.importance}{shown}"
            )


def _over(hand: Hand, now: datetime, caps: Caps, gone: Collection[str]) -> Iterator[Leaving]:
    """Find what is over the caps: the rejected first, then the lightest, then the oldest.

    Pinned, confirmed and pending memories stay, and take their place.
    """
    tiers: dict[tuple[str, str], list[Features]] = {}
    for row in hand.index.features.rows().values():
        if getattr(caps, row.layer, 0):
            tiers.setdefault((row.layer, row.project if row.layer == "episodic" else ""), []).append(row)
    full = [(tier, rows) for tier, rows in sorted(tiers.items()) if len(rows) > getattr(caps, tier[0])]
    recalled = last_recalls(hand.journal, now) if full else {}
    for (layer, project), rows in full:
        cap = getattr(caps, layer)
        held = [
            (row, entry) for row in rows if (entry := hand.index.catalog.numbered(row.num)) and entry.id not in gone
        ]
        free = [
            (row.feedback != "rejected", _worth(row, recalled.get(entry.id), now), row.created, row.num, entry)
            for row, entry in held
            if not row.pinned and row.feedback != "confirmed" and row.status != "pending"
        ]
        where = f"the {layer} tier" + (f" of '{project}'" if project else "")
        for _, worth, _, _, entry in sorted(free, key=lambda each: each[:4])[: max(0, len(held) - cap)]:
            yield Leaving(entry.id, entry.path, round(worth, 3), f"over the {cap} of {where}")


def _worth(row: Features, seen: datetime | None, now: datetime) -> float:
    since = (now - seen).total_seconds() / 86400 if seen else None
    return weight((now.timestamp() - row.created) / 86400, since, row.importance)


def is_due(journal: Journal, planned: datetime | None) -> bool:
    """Tell whether no cleaning has taken place since a planned moment.

    Both are compared by the wall clock they were written under, so that an hour that a clock change repeats or
    leaves out counts once.
    """
    if planned is None:
        return False
    wall = planned.replace(tzinfo=None)
    for at, entry in _since(journal, planned - timedelta(days=1)):
        if entry.get("what") == "clean" and at.replace(tzinfo=None) >= wall:
            return False
    return True


def latest(mode: str, at: str, weekday: int, day: int, now: datetime) -> datetime | None:
    """Find the newest planned moment that is not after now, by the wall clock; None when cleaning is by hand.

    `mode` is manual, daily, weekly or monthly; `at` is `03:00`; `weekday` 1 (Monday) to 7; `day` 1 to 31, the
    last day where a month is shorter. A machine that slept through the hour catches up once.
    """
    clock = _clock(at)
    on = now.date()
    while mode != "manual":
        planned = datetime.combine(on, clock, now.tzinfo)
        last_day = calendar.monthrange(on.year, on.month)[1]
        fits = mode == "daily" or (on.isoweekday() == weekday if mode == "weekly" else on.day == min(day, last_day))
        if fits and planned.replace(tzinfo=None) <= now.replace(tzinfo=None):
            return planned
        on -= timedelta(days=1)
    return None


def _clock(at: str) -> time_of_day:
    try:
        return time_of_day.fromisoformat(at).replace(tzinfo=None)
    except ValueError:
        raise BadInputError(f"'{at}' is no time of day.", "Write it like 03:00.") from None
