"""Notes that come from elsewhere, taken in many at once: made on the disk first, then told to the journal.

Law: nothing that is there is overwritten, but a seed that is still as `memkit init` laid it. A crash leaves whole
notes and no line; who comes again finds them by their ids. `take_back` puts a whole import into the archive.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kit import shipped
from kit.errors import KitError, NotFoundError
from kit.govern import changes as parts
from kit.govern import hand as hands
from kit.govern import undo as undoing
from kit.govern.changes import Change
from kit.vault.paths import same
from kit.vault.store import etag

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.vault.journal import Who


class Draft(NamedTuple):
    """A note to be made, with all its bytes."""

    path: str
    raw: bytes
    id: str = ""
    kind: str = ""
    mtime_ns: int = 0
    """the time its file is to have; 0: now"""
    theirs: bool = False
    """whether its path is spelt as a person spelt it"""
    replaces: str = ""
    """etag of the seed it takes the place of"""


class Taken(NamedTuple):
    """What became of some drafts."""

    paths: tuple[str, ...]
    refused: tuple[str, ...]
    """one sentence for each that could not be made"""
    renamed: tuple[tuple[str, str], ...] = ()
    """names that a person had chosen and another note has here, each with the one in its place"""


class TakenBack(NamedTuple):
    """What became of an import that was taken back."""

    notes: int
    """how many went into the archive"""
    left: tuple[str, ...]
    """notes that were changed since, and stay"""
    paths: tuple[str, ...] = ()
    """the notes that would go, where this is only asked"""


def take_in(
    hand: Hand, drafts: Sequence[Draft], now: datetime, who: Who, run: str, source: str, marks: Collection[str]
) -> Taken:
    """Make notes, then write one line that names them all; `marks` are the origins that are dealt with now."""
    made: list[Change] = []
    refused: list[str] = []
    renamed: list[tuple[str, str]] = []
    for draft in (each for each in drafts if each.replaces):
        try:
            made.append(_replace(hand, draft))
        except KitError as error:
            refused.append(f"{draft.path}: {error.what}")
    new = [draft for draft in drafts if not draft.replaces]
    theirs = {draft.path for draft in new if draft.theirs}
    files = hand.store.create_all([(draft.path, draft.raw) for draft in new], theirs)
    for draft, found in zip(new, files, strict=True):
        if isinstance(found, KitError):
            refused.append(f"{draft.path}: {found.what}")
            continue
        if draft.mtime_ns:
            with suppress(OSError, OverflowError):  # a time no file can have
                os.utime(hand.store.root / found, ns=(draft.mtime_ns, draft.mtime_ns))
        if draft.theirs and same(found, cased=True) != same(draft.path, cased=True):
            renamed.append((draft.path, found))
        made.append(Change(found, "", etag(draft.raw)))
    notes = [change for change in made if not change.path.endswith(".jsonl")]
    hand.journal.add(
        hands.day(now), who, "import", source, f"{len(notes)} notes", act=secrets.token_hex(6), run=run,
        origins=sorted(marks), changes=[parts.plain(change) for change in notes],
    )  # fmt: skip
    hand.settle(*(change.path for change in notes))
    return Taken(tuple(change.path for change in notes), tuple(refused), tuple(renamed))


def _replace(hand: Hand, draft: Draft) -> Change:
    raw, _ = hand.store.read(draft.path)
    hand.store.replace(draft.path, draft.raw, draft.replaces)
    return parts.difference(draft.path, raw, draft.raw)


def is_seed(path: str, raw: bytes) -> bool:
    """Tell whether a note is still what `memkit init` laid down."""
    file = shipped.folder("templates") / "vault" / path
    with suppress(OSError):
        return path.startswith(("tags/", "scenes/")) and file.is_file() and file.read_bytes() == raw
    return False


def imported(hand: Hand) -> set[str]:
    """Gather the origins of all that was ever imported and not taken back."""
    undone = {entry["undoes"] for entry in hand.journal.entries() if "undoes" in entry}
    found: set[str] = set()
    for entry in hand.journal.entries():
        origins = entry.get("origins")
        if isinstance(origins, list) and entry.get("act") not in undone:
            found.update(map(str, origins))
    return found


def take_back(hand: Hand, now: datetime, who: Who, *, dry_run: bool = False) -> TakenBack:
    """Take the newest import back, act by act; a note that was changed since stays. `dry_run` only tells."""
    undone: set[object] = set()
    run, due, all_paths = "", [], []
    for entry in hand.journal.entries(newest_first=True):
        if "undoes" in entry:
            undone.add(entry["undoes"])
        plan = parts.plan_of(entry) if entry.get("what") == "import" and entry.get("act") not in undone else []
        if plan and run in ("", entry.get("run")):
            run = str(entry.get("run", ""))
            due.append(str(entry["act"]))
            all_paths += [change.path for change in plan]
    if not due:
        raise NotFoundError("There is no import to take back.", "`memkit log` shows what was done.")
    gone = {path for act in due for path in undoing.undo(hand, now, who, act, partly=True, dry_run=dry_run).paths}
    left = tuple(path for path in all_paths if path not in gone)
    return TakenBack(len(gone), left, tuple(sorted(gone)) if dry_run else ())
