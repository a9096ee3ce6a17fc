"""What of a recall is told: what is worth it, each thing once.

Law: reads only. A fact and the card it was learned from say the same thing, unless a person has edited one of them:
then both are heard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import deliver, digest
from kit.recall import silence

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kit.govern.hand import Hand
    from kit.model.hits import Hit
    from kit.model.notes import Route
    from kit.passages import Passages

LIKE = 0.7
"""Similarity of two statements from which on the one adds nothing to the other."""


class Briefing:
    """Chooses what is told of the notes of one vault."""

    def __init__(self, hand: Hand, passages: Passages) -> None:
        self._hand, self._passages = hand, passages

    def brief(
        self, hits: Sequence[Hit], depth: Route, tokens: int, size: int, told: Collection[str] = (), *,
        own: bool = False,
    ) -> deliver.Delivery:  # fmt: skip
        """Write what would be injected for some hits; `told` are the ids of what a session has in its context.

        `own`: the question is after the person's own affairs.
        """
        found = [self._passages.passage(hit, depth) for hit in silence.worth_telling(hits, own=own)]
        cards = {one.name for one in found if one.kind == "card"}  # where one speaks, its session's summary need not
        found = [one for one in found if one.kind != "summary" or cards.isdisjoint(one.sources)]
        if depth == "shallow":  # deeper, a card says more than the fact that was learned from it
            known = list(self._kin(found, told)) if told else []
            found = _each_once([one for one in found if not any(_adds_nothing(one, other) for other in known)])
        return deliver.compose(found, depth, tokens, size)

    def _kin(self, found: Sequence[deliver.Passage], told: Collection[str]) -> Iterator[deliver.Passage]:
        """Read what was told of the same: the facts that were, and those cards that facts were learned from."""
        catalog = self._hand.index.catalog
        sources = {entry.id: entry for one in found for link in one.sources if (entry := catalog.linked(link))}
        if any(one.kind == "card" for one in found):
            sources |= {id_: entry for id_, entry in catalog.with_ids(told).items() if entry.kind == "fact"}
        yield from (self._passages.noted(entry.path) for note_id, entry in sources.items() if note_id in told)


def _each_once(passages: Sequence[deliver.Passage]) -> list[deliver.Passage]:
    """Of a fact and a card it was learned from, keep the one that fits better: the person may have edited either."""
    kept: list[deliver.Passage] = []
    for one in passages:
        if not any(_are_kin(one, other) for other in kept):
            kept.append(one)
    return kept


def _are_kin(one: deliver.Passage, other: deliver.Passage) -> bool:
    return one.name in other.sources or other.name in one.sources


def _adds_nothing(one: deliver.Passage, other: deliver.Passage) -> bool:
    """Tell whether a passage says what its kin has said."""
    return (
        _are_kin(one, other)
        and digest.statements.agree(one.says, other.says)
        and digest.statements.similarity(one.says, other.says) >= LIKE
    )
