"""What one piece of an import leads to, as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kit.govern import lifecycle
    from kit.govern.intake import Draft
    from kit.transfer.pieces import Piece

KNOWN = "known"
"""Why nothing is written for what the vault has, or had, already."""


class Planned(NamedTuple):
    """What one piece leads to."""

    piece: Piece
    drafts: tuple[Draft, ...] = ()
    why: str = ""
    """why nothing is written, where nothing is: known, or a sentence"""
    define: lifecycle.Defined | None = None
    """what a known tag is to be given"""
