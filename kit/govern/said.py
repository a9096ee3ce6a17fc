"""What was said in a turn, in its event: found, read and written, whatever an editor has made of the note.

Law: an answer finds its way to the disk even when the front matter of its event can't be read.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from kit.errors import BadNoteError
from kit.model.fields import link
from kit.model.notes import Card, Event
from kit.vault import exchange, layout, note

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.vault.exchange import Exchange


LONGEST = 900_000
"""UTF-8 bytes of one side that are kept: an event with two such sides can still be read by the store."""


def fit(words: str) -> str:
    """Leave out the middle of what is longer than any note can hold, and say so."""
    raw = words.encode()
    if len(raw) <= LONGEST:
        return words
    half = LONGEST // 2 - 100
    head, tail = raw[:half].decode(errors="ignore"), raw[-half:].decode(errors="ignore")
    left_out = len(words) - len(head) - len(tail)
    return f"{head}\n\n[{left_out} characters are left out here: the text was too long for a note.]\n\n{tail}"


def event_of(hand: Hand, card: Card, at: datetime) -> tuple[str, Event]:
    """Load a card's event; one that a person removed is made again."""
    entry = hand.linked(card.event or layout.event_path(card.id, at).removesuffix(".md"))
    found = hand.load(entry.path) if entry else None
    if entry and isinstance(found, Event):
        return entry.path, found
    created = card.created or at
    card_path = hand.entry(card.id).path
    path = hand.create(
        layout.event_path(card.id, created),
        {
            "id": f"{card.id}-e", "kind": "event", "card": link(card_path), "topic": card.topic or None,
            "type": "chat", "status": "pending", "created": created,
        },
        exchange.render(note.first_paragraph(card.body), ""),
    )  # fmt: skip
    hand.amend(card_path, {"event": link(path)})
    made = hand.load(path)
    assert isinstance(made, Event)  # noqa: S101 - written on the lines above
    return path, made


def read(body: str) -> Exchange:
    """Read both sides of the exchange, also from a body whose every line ending is CRLF."""
    return exchange.read(body.replace("\r\n", "\n") if _is_crlf(body) else body)


def put(hand: Hand, path: str, both: Exchange, changes: Mapping[str, note.Value | None]) -> None:
    """Write both sides, and keys of the front matter if they can be changed."""

    def change(raw: bytes) -> bytes:
        written = _with(raw, both)
        with suppress(BadNoteError):  # the words count; the keys of an odd front matter are left as they are
            return note.edit(written, changes, path)
        return written

    hand.rewrite(path, change)


def rescue(hand: Hand, card_id: str, agent: str) -> None:
    """Write the answer of a turn whose card or event can't be read; front matters stay as they are."""
    entry = hand.linked(f"events/{card_id}") or hand.index.catalog.resolve(card_id)
    if not agent or entry is None or entry.kind not in ("event", ""):
        return
    with suppress(UnicodeDecodeError):
        hand.rewrite(entry.path, lambda raw: _with(raw, read(note.split(raw).body.decode())._replace(agent=agent)))
        hand.settle(entry.path)


def _is_crlf(body: str) -> bool:
    return "\r\n" in body and body.count("\r\n") == body.count("\n")


def _with(raw: bytes, both: Exchange) -> bytes:
    body = exchange.render(both.user, both.agent)
    crlf = _is_crlf(note.split(raw).body.decode(errors="replace"))
    return note.set_body(raw, body.replace("\n", "\r\n") if crlf else body)
