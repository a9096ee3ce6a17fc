"""Links from note to note, as a person who renames notes leaves them: the kit still follows them, Obsidian does not.

Law: nothing is rewritten by itself, for a rename must leave git quiet; a person asks for it, and can take it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.errors import BadNoteError, NotFoundError
from kit.govern.act import Act
from kit.model.fields import link as written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.changes import Change
    from kit.govern.hand import Hand
    from kit.index.catalog import Entry

KEYS = ("event", "overview", "summary", "card", "cards", "sources")


def held(hand: Hand) -> Iterator[tuple[Entry, str, tuple[str, ...]]]:
    """Go through the links in the properties of the kit's own notes: note, key, links."""
    for kind in ("card", "event", "overview", "summary", "fact"):
        for entry in hand.index.catalog.of_kind(kind):
            try:
                found = hand.load(entry.path)
            except (BadNoteError, NotFoundError):
                continue
            for key in KEYS:
                value = getattr(found, key, ())
                links = (value,) if isinstance(value, str) else tuple(value)
                if any(links):
                    yield entry, key, links


def relink(hand: Hand, now: datetime, *, dry_run: bool = False) -> list[Change] | Done | None:
    """Have links by an old name say what their notes are called now; `dry_run` lists the changes instead."""
    act = Act(hand, now, "person", "relink")
    for entry, key, links in held(hand):
        new = tuple(_now(hand, each) for each in links)
        if new != links:
            act.amend(entry.path, {key: written(new[0]) if key[-1] != "s" else [written(each) for each in new]})
    return act.changes() if dry_run else act.commit()


def _now(hand: Hand, link: str) -> str:
    found = None if hand.index.catalog.resolve(link) else hand.linked(link)
    return found.path.removesuffix(".md") if found else link
