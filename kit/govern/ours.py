"""Whether a summary still says what the rules made of its cards, whatever a person has made of the cards since.

Law: reads only. What can't be told to be ours is the person's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import text
from kit.errors import KitError
from kit.govern import finish, said
from kit.model.notes import Card, Event
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kit.govern.hand import Hand
    from kit.model.notes import Summary


def is_summary(hand: Hand, known: Summary, before: Collection[str] = ()) -> bool:
    """Tell whether a summary is put together of sentences that its cards say, or said when the rules wrote them.

    `before` are others that its cards have said, folded.
    """
    told = {text.fold(sentence) for target in known.cards for sentence in _sentences(hand, target)}
    told.update(filter(None, before))
    rest = text.fold(note.first_paragraph(known.body))
    for sentence in sorted(told, key=len, reverse=True):
        rest = rest.replace(sentence, "")
    return bool(told) and not rest.strip(" .。")


def _sentences(hand: Hand, target: str) -> Iterator[str]:
    try:
        entry = hand.linked(target)
        card = hand.load(entry.path) if entry else None
        if not isinstance(card, Card):
            return
        yield from filter(None, [note.first_paragraph(card.body)])
        beside = hand.linked(card.event)
        event = hand.load(beside.path) if beside else None
    except KitError:
        return
    if isinstance(event, Event):
        yield from filter(None, finish.by_rules(card, finish.looked_at(said.read(event.body))))
