"""Where what is put away finds its place.

Law: nothing in the archive is ever overwritten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.errors import ConflictError
from kit.vault import layout

if TYPE_CHECKING:
    from kit.govern.hand import Hand


def free(hand: Hand, path: str) -> str:
    """Name a place in the archive that nothing has: a fact may be forgotten, said again, and forgotten again."""
    stem = layout.archived_path(path).removesuffix(".md")
    for number in range(1, 1000):
        place = f"{stem}.md" if number == 1 else f"{stem} {number}.md"
        if not is_taken(hand, path, place):
            return place
    raise ConflictError(f"The archive holds a thousand notes named {path}.", "Rename some of them.")


def is_taken(hand: Hand, path: str, new_path: str) -> bool:
    """Tell whether another note stands where one is to go; one that a power cut left half moved is no other."""
    return (hand.store.root / new_path).exists() and not hand.store.is_half_moved(path, new_path)
