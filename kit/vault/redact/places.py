"""Where in a long text secrets may stand: around a word that every secret of some shape has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kit.vault.redact.marks import COMMANDS, NAMES
from kit.vault.redact.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

_AROUND = 700
"""Characters on both sides of a hint that may belong to one secret with it; a longer one has no blanks."""
_LONGEST = 15_000
"""Characters of the longest secret."""
_PIECE = 16_000
"""Characters that are looked at in one go, where a text can be cut."""
_REACH = 100
"""Characters before the end of a line in which a name may stand whose value is in the next."""
_BLANK = re.compile(r"\s")
_HINTS = tuple({hint for shape in SHAPES for hint in shape.hints})
_SMALL_HINTS = ("://", "authorization", "bearer", "cookie", "curl", *COMMANDS, *NAMES)


def small(text: str) -> str:
    """Write a text in small letters, each in its place: those too that a pattern takes for one whatever the case."""
    return text.replace("İ", "i").replace("ı", "i").replace("ſ", "s").lower()


def places(text: str) -> list[tuple[int, int]]:
    """Find where secrets may stand; apart from each other, in order."""
    low = small(text)
    at: list[int] = []
    for within, hints in ((text, _HINTS), (low, _SMALL_HINTS)):
        for hint in hints:
            begin = within.find(hint)
            while begin >= 0:
                at.append(begin)
                begin = within.find(hint, begin + _AROUND // 2)
    found: list[tuple[int, int]] = []
    for hint_at in sorted(at):
        if found and hint_at + 2 * _AROUND <= found[-1][1]:
            continue
        begin, end = _without_blanks(text, hint_at - _AROUND, hint_at + 2 * _AROUND)
        if found and begin <= found[-1][1]:
            begin = found.pop()[0]
        found.append((begin, end))
    return [piece for place in found for piece in _in_pieces(low, *place)]


def _in_pieces(low: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a long place at ends of lines that no secret reaches across, so that others have their turn in between."""
    while end - begin > 2 * _PIECE:
        cut = low.find("\n", begin + _PIECE, end)
        while cut >= 0 and any(hint in low[cut - _REACH : cut] for hint in _SMALL_HINTS):
            cut = low.find("\n", cut + 1, end)
        if cut < 0:
            break
        yield begin, cut
        begin = cut
    yield begin, end


def _without_blanks(text: str, begin: int, end: int) -> tuple[int, int]:
    """Widen a place to the next blanks, or by as much as the longest secret has."""
    before = _BLANK.search(text[max(0, begin - _LONGEST) : max(0, begin)][::-1])
    after = _BLANK.search(text, end, end + _LONGEST)
    first = begin - before.start() if before else begin - _LONGEST
    return max(0, first), min(len(text), after.start() if after else end + _LONGEST)
