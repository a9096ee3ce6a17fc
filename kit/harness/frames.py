"""What is known of a client's turns, and what an event does to their cards: values, no rule.

Law: frozen; `matching` alone decides which act an event leads to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

Status = Literal["pending", "completed", "interrupted", "failed"]


class Frame(NamedTuple):
    """A card and the turn it stands for."""

    card: str
    session: str
    turn: str
    prompt: str
    time: datetime
    status: Status = "pending"
    late: tuple[str, ...] = ()
    """Keys of turns whose answers were added to this card: what was typed while it ran had no card of its own."""
    last: str = ""
    """The last answer that arrived, to know it when it comes again."""


class State(NamedTuple):
    """All that matching knows about one harness: frames in the order they were made, the pending and the finished."""

    frames: tuple[Frame, ...] = ()
    muted: tuple[tuple[str, str], ...] = ()
    """Sessions and turns of slash commands: their answers belong to no card."""


class New(NamedTuple):
    """Make a card for this prompt."""


class Append(NamedTuple):
    """Add the prompt to this card: it steers the running turn, or waits behind it."""

    card: str


class Interrupt(NamedTuple):
    """Close a card whose turn has a part of an answer."""

    card: str
    answer: str = ""
    status: Literal["interrupted", "failed"] = "interrupted"
    error: str = ""


class Sweep(NamedTuple):
    """Close cards without any answer."""

    cards: tuple[str, ...]
    status: Literal["interrupted", "failed"] = "interrupted"
    error: str = ""


class Complete(NamedTuple):
    """Complete a pending card; an empty answer means that the client has not told one."""

    card: str
    answer: str


class CompleteAgain(NamedTuple):
    """Overwrite the answer of a card: Stop was not final, or came after all."""

    card: str
    answer: str


class AppendAnswer(NamedTuple):
    """Add an answer behind the one the card has."""

    card: str
    answer: str


Act = New | Append | Interrupt | Sweep | Complete | CompleteAgain | AppendAnswer
