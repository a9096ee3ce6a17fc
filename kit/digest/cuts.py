"""Where Chinese text may be cut into words: at borders, but never within a word that merely holds one (个人, 时区).

Law: linear time. A piece knows what it was cut off from, so that one cut at a doubtful character can be told.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kit import shipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NO = frozenset("不没别无未勿非")
_DOUBTFUL = frozenset("个中大小上下高低新外内前后家名首台种条项次张第月里有无所并行")
"""Single characters that are as often part of a word as a border: a cut at one is a guess."""


class Piece(NamedTuple):
    """A stretch of text between two borders."""

    text: str
    before: str
    """the borders that lead up to it, '' at the beginning"""
    after: str

    @property
    def denied(self) -> bool:
        """Tell whether it follows a no: 不喝咖啡."""
        return bool(self.before) and any(char in _NO for char in self.before)

    @property
    def opens(self) -> bool:
        """Tell whether it begins where a word does."""
        return self.before not in _DOUBTFUL

    @property
    def closes(self) -> bool:
        """Tell whether it ends where a word does."""
        return self.after not in _DOUBTFUL


@cache
def whole() -> frozenset[str]:
    """Words in which a border is none."""
    return frozenset(shipped.word_list("whole.zh"))


def table(borders: frozenset[str]) -> Mapping[str, bool]:
    """Make a table of what a run is cut by: True for a border, False for a word that stays whole."""
    return {**dict.fromkeys(whole() - borders, False), **dict.fromkeys(borders, True)}


def cut(run: str, words: Mapping[str, bool]) -> Iterator[Piece]:
    """Cut a run of Chinese at its borders, the longest word first."""
    longest = 6
    at = start = 0
    before = ""
    while at < len(run):
        size = next((size for size in range(min(longest, len(run) - at), 0, -1) if run[at : at + size] in words), 0)
        if not size or not words[run[at : at + size]]:
            at += size or 1
            continue
        border = run[at : at + size]
        if at > start:
            yield Piece(run[start:at], before, border)
            before = border
        else:
            before += border
        at = start = at + size
    if start < len(run):
        yield Piece(run[start:], before, "")
