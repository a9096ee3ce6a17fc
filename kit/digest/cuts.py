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
_CERTAIN = frozenset(
    "的了是我你您他她它们吗呢吧啊这那哪和与或跟把被让给请帮在就才又还也都很但而因若如呀哦嗯啦么嘛从不没对为到将能会要"
)
"""Single characters at which a cut is no guess."""
_LEADING = frozenset("做用改加删写查找装跑设买卖吃住占说问讲再先等比含各每")
"""Verbs and the like, of which the object is a word of its own."""


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
        return not self.before or len(self.before) > 1 or self.before in _CERTAIN | _LEADING

    @property
    def closes(self) -> bool:
        """Tell whether it ends where a word does."""
        return not self.after or len(self.after) > 1 or self.after in _CERTAIN


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
