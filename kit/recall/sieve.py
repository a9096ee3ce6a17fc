"""Which cards may be shown at all, and the best of those that may.

Law: the gate stands before the cut, so no card that may not be shown takes the place of one that may; nor
does a card that says what a better one says.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kit.index.features import Features


class Found(NamedTuple):
    """A card with its score; compared as recall orders them: by score, then the newer one."""

    score: float
    created: float
    num: int
    proof: float
    """what speaks for it before its standing is weighed, 0 to 1"""


class Gate:
    """Lets a card through if it may be shown now, here, to this session."""

    def __init__(
        self, rows: Mapping[int, Features], shut: Collection[int], *, project: str, topic: str, now: float,
        layer: str = "", among: Collection[int] | None = None, passing: bool = False,
    ) -> None:  # fmt: skip
        self._rows, self._shut, self._among = rows, shut, among
        self._project, self._topic, self._now = project, topic, now
        self._layer, self._passing = layer, passing or layer == "transient"

    def opens(self, num: int) -> bool:
        """Tell whether a card may be shown."""
        return self.row(num) is not None

    def row(self, num: int) -> Features | None:
        """Hand out a card's row if the card may be shown."""
        row = self._rows.get(num)
        if row is None or row.status != "completed" or row.feedback == "rejected" or num in self._shut:
            return None
        if self._project and row.project and row.project != self._project:
            return None
        if row.layer == "transient" and row.topic != self._topic and not self._passing:
            return None
        if (self._layer and row.layer != self._layer) or (self._among is not None and num not in self._among):
            return None
        return row if not row.until or row.until > self._now else None


def saying(row: Features) -> str:
    """Name what a card says, with or without a full stop; a card that says nothing is like no other."""
    return row.shown.rstrip(".。") or f"\0{row.num}"


class Best:
    """The best cards offered so far, at most `room`, no two of which say the same."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._heap: list[tuple[Found, str]] = []
        self._saying: dict[str, Found] = {}
        self._also: dict[str, list[Found]] = {}

    def is_settled(self, ceiling: float) -> bool:
        """Tell whether no card that scores at most `ceiling` could still get in."""
        return len(self._heap) >= self._room and (not self._heap or self._heap[0][0].score >= ceiling)

    def offer(self, row: Features, value: float, proof: float) -> None:
        """Take a card in if it is good enough, in place of the least or of one that says the same."""
        says = saying(row)
        first = self._saying.get(says)
        if first is None and len(self._heap) >= self._room and not (self._heap and value >= self._heap[0][0].score):
            return
        found = Found(value, row.created, row.num, proof)
        if first is not None:
            self._also.setdefault(says, []).append(min(first, found))
            if found > first:
                self._heap[self._heap.index((first, says))] = (found, says)
                heapq.heapify(self._heap)
                self._saying[says] = found
        elif len(self._heap) < self._room:
            heapq.heappush(self._heap, (found, says))
            self._saying[says] = found
        elif self._heap and found > self._heap[0][0]:
            _, gone = heapq.heapreplace(self._heap, (found, says))
            del self._saying[gone]
            self._saying[says] = found

    def ranked(self) -> list[Found]:
        """List what is kept, best first."""
        return [found for found, _ in sorted(self._heap, reverse=True)]

    def says(self) -> set[str]:
        """List what the kept cards say."""
        return set(self._saying)

    def same_as(self, row: Features) -> list[int]:
        """List the cards that were folded into a kept one, best first."""
        return [found.num for found in sorted(self._also.get(saying(row), ()), reverse=True)]
