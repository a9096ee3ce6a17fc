"""From a recall to the text that is injected: as deep as the prompt needs, never more than the budget.

Law: what is injected is data. Every line of a memory is prefixed, so none can close the frame or begin
one; nothing above the threshold means nothing at all, not even the frame.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.model.hits import FENCE_CLOSE, FENCE_OPEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from kit.model.notes import Route

_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
LEAST_CUT = 40
"""Characters below which the beginning of a line is not worth its tokens."""
HEAD_CUTS = (400, 120, LEAST_CUT)
"""Characters a memory's first line may have: the first that fits is taken."""
DEPTH_BUDGET = {"shallow": 0.5, "medium": 1.0, "deep": 2.0}


class Passage(NamedTuple):
    """What a hit's notes say."""

    id: str
    kind: str
    name: str
    """the note's name, for the agent to cite and the person to find"""
    created: datetime | None
    says: str
    """the summary, or the fact"""
    overview: str = ""
    user: str = ""
    agent: str = ""
    preference: bool = False
    sources: tuple[str, ...] = ()
    """names of the cards a fact was learned from, or a summary sums up: they say the same"""


class Delivery(NamedTuple):
    """A text to inject and the ids it holds."""

    text: str
    ids: tuple[str, ...]
    tokens: int


def compose(passages: Sequence[Passage], route: Route, tokens: int, size: int) -> Delivery:
    """Write the passages as one fenced text of at most `tokens` × DEPTH_BUDGET tokens and `size` UTF-8 bytes.

    Preferences come first. What does not fit is shortened at the deep parts first, then left out from the end.
    """
    ordered = sorted(passages, key=lambda one: not one.preference)
    budget = _Budget(int(tokens * DEPTH_BUDGET[route]), size)
    heads: list[str] = []
    if budget.take(f"{FENCE_OPEN}\n{FENCE_CLOSE}\n"):
        for passage in ordered:
            head = next((head for cut in HEAD_CUTS if budget.take(head := _head(passage, cut))), "")
            if not head:
                break
            heads.append(head)
    if not heads:
        return Delivery("", (), 0)
    kept = ordered[: len(heads)]
    lines = "".join(head + "".join(_depth(one, route, budget)) for head, one in zip(heads, kept, strict=True))
    whole = f"{FENCE_OPEN}\n{lines}{FENCE_CLOSE}\n"
    return Delivery(whole, tuple(one.id for one in kept), text.count_tokens(whole))


class _Budget:
    """What may still be written."""

    def __init__(self, tokens: int, size: int) -> None:
        self._tokens, self._size = tokens, size
        self._taken = ""

    def has(self, piece: str) -> bool:
        """Tell whether there is room; counted on the whole, since rounded parts don't add up."""
        return len(piece.encode()) <= self._size and text.count_tokens(self._taken + piece) <= self._tokens

    def take(self, piece: str) -> bool:
        """Use up room for a piece, if there is room."""
        if not self.has(piece):
            return False
        self._taken += piece
        self._size -= len(piece.encode())
        return True

    def cut(self, lead: str, line: str) -> str:
        """Take as much of a line as there is room for, to the end of a word; '' when too little is left."""
        if self.take(whole := f"{lead}{line}\n"):
            return whole
        low, high = 0, len(line)
        while low < high:
            middle = (low + high + 1) // 2
            if self.has(f"{lead}{line[:middle]}…\n"):
                low = middle
            else:
                high = middle - 1
        kept = line[:low]
        if not text.is_cjk(kept[-1:]):
            kept = kept[: kept.rfind(" ")] if " " in kept else ""
        piece = f"{lead}{kept.rstrip()}…\n"
        return piece if len(kept) >= LEAST_CUT and self.take(piece) else ""


def _head(passage: Passage, cut: int) -> str:
    day = f"{passage.created:%Y-%m-%d}, " if passage.created else ""
    name = " ".join(_lines(passage.name))
    says = " ".join(_lines(passage.says)) or name
    if len(says) > cut:
        says = f"{says[: cut - 1].rstrip()}…"
    return f"- {says} ({day}{name})\n"


def _depth(passage: Passage, route: Route, budget: _Budget) -> Iterable[str]:
    parts: list[tuple[str, str]] = []
    if route in ("medium", "deep") and passage.overview:
        parts.append(("overview", passage.overview))
    if route == "deep":
        parts += [("asked", passage.user), ("answered", passage.agent)]
    for title, body in parts:
        for number, line in enumerate(_lines(body)):
            lead = f"  > {title}: " if number == 0 else "  > "
            piece = budget.cut(lead, line)
            if piece:
                yield piece
            if not piece.endswith(f"{line}\n"):
                return


def _lines(body: str) -> list[str]:
    lines = (_clean(line).rstrip() for line in _BREAKS.split(body))
    return [line for line in lines if line]


_FENCE_WORDS = re.compile(r"(?<!-)-{2,}+(?=\s*(?:end of )?recalled notes)|(?<=recalled notes)\s*-{2,}", re.IGNORECASE)


def _clean(line: str) -> str:
    """Take out what hides or moves text; our own markers lose their dashes, wherever they stand."""
    return _FENCE_WORDS.sub("–", text.seen(line))
