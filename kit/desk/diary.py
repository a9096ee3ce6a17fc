"""The journal as a person turns its pages: newest first, each act with what it changed and whether it was taken back.

Law: reads only; a page begins at a byte of a month's file, so lines that are added meanwhile move nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.errors import BadInputError
from kit.model.rows import Change, Line, Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kit.vault.journal import Entry, Journal

SHOWN = 600
"""Characters of an old and a new text that are shown of a change."""
CHANGES = 20
"""Changed files that are shown of an act."""
LOOKED_AT = 5_000
"""Lines looked at for one page; what is rare may give a page with fewer, and the next begins there."""
_QUIET = ("done", "abandoned")


def page(
    journal: Journal, cursor: str, limit: int, wanted: Callable[[Entry], bool], holding: tuple[bytes, ...] = ()
) -> Lines:
    """Read a page of the lines that are wanted, newest first; a line without `holding` can't be one of them."""
    undone, failed = _ends(journal)
    found: list[Line] = []
    place = ""
    for number, (place, entry) in enumerate(_backwards(journal, cursor, holding)):
        if entry.get("what") not in _QUIET and entry.get("act") not in failed and wanted(entry):
            found.append(_line(place, entry, undone))
        if len(found) == limit or number == LOOKED_AT:
            return Lines(tuple(found), place)
    return Lines(tuple(found), "")


def _backwards(journal: Journal, cursor: str, holding: tuple[bytes, ...]) -> Iterator[tuple[str, Entry]]:
    try:
        return journal.backwards(cursor, holding)
    except ValueError:
        raise BadInputError(
            f"'{cursor:.60}' is no place in the journal.", "Use the `next` of the page before."
        ) from None


def _ends(journal: Journal) -> tuple[set[str], set[str]]:
    """List the acts that were taken back, and those that came to nothing."""
    undone: set[str] = set()
    failed: set[str] = set()
    for number, (_, entry) in enumerate(journal.backwards(holding=(b"undoes", b"abandoned"))):
        if number == LOOKED_AT:
            break
        act = _text(entry, "act")
        if entry.get("what") == "abandoned":
            failed.add(act)
        elif entry.get("undoes") and act not in failed and act not in undone:  # an undo may be taken back itself
            undone.add(_text(entry, "undoes"))
    return undone, failed


def _line(place: str, entry: Entry, undone: set[str]) -> Line:
    raw = entry.get("changes")
    told = [one for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []
    act, ids, tokens = _text(entry, "act"), entry.get("ids"), entry.get("tokens")
    return Line(
        cursor=place, at=_text(entry, "at"), who=_text(entry, "who"), what=_text(entry, "what"),
        note=_text(entry, "note"), why=_text(entry, "why"), id=_text(entry, "id"), act=act if told else "",
        undone=act in undone, files=len(told), changes=tuple(map(_change, told[:CHANGES])),
        session=_text(entry, "session"), ids=tuple(str(one) for one in ids) if isinstance(ids, list) else (),
        tokens=tokens if isinstance(tokens, int) else 0,
    )  # fmt: skip


def _change(told: Entry) -> Change:
    return Change(*(_text(told, name)[:SHOWN] for name in ("path", "moved", "old", "new")))


def _text(entry: Entry, name: str) -> str:
    found = entry.get(name)
    return found if isinstance(found, str) else "" if found is None else str(found)
