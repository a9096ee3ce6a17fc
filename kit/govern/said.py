"""What was said in a turn, in its event: found, read and written, whatever an editor has made of the note.

Law: an answer finds its way to the disk even when the front matter of its event can't be read. What is changed
is decided on the bytes it is changed in: a side that a person has edited meanwhile is never put back.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from kit.errors import BadNoteError
from kit.model.fields import link
from kit.model.notes import Card, Event
from kit.vault import exchange, layout, note
from kit.vault.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from kit.govern.hand import Hand


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


def put(
    hand: Hand, path: str, say: Callable[[Exchange], Exchange], changes: Mapping[str, note.Value | None]
) -> Exchange:
    """Change what was said, and keys of the front matter if they can be changed; return both sides as they are now.

    `say` may be called again on a newer version of the note.
    """
    clean = hand.cleaned_front(changes)

    def change(raw: bytes) -> bytes:
        written = _said(raw, path, say)
        with suppress(BadNoteError):  # the words count; the keys of an odd front matter are left as they are
            return note.edit(written, clean, path)
        return written

    now = _body(hand.rewrite(path, change), path)
    return read(now) if now is not None else say(Exchange("", ""))


def rescue(hand: Hand, card_id: str, agent: str) -> None:
    """Write the answer of a turn whose card or event can't be read; front matters stay as they are."""
    entry = hand.linked(f"events/{card_id}") or hand.index.catalog.resolve(card_id)
    if not agent or entry is None or entry.kind not in ("event", ""):
        return
    hand.rewrite(entry.path, lambda raw: _said(raw, entry.path, lambda both: both._replace(agent=agent)))
    hand.settle(entry.path)


def _is_crlf(body: str) -> bool:
    return "\r\n" in body and body.count("\r\n") == body.count("\n")


def _body(raw: bytes, path: str) -> str | None:
    """Take the body of an event; None where it can't be told from the front matter or is no text."""
    with suppress(BadNoteError):
        return note.read(raw, path).body
    parts = note.split(raw)
    with suppress(UnicodeDecodeError):
        return parts.body.decode() if parts.opening and b"\0" not in raw else None
    return None


def _said(raw: bytes, path: str, say: Callable[[Exchange], Exchange]) -> bytes:
    """Write both sides into an event; where its body can't be told, behind all that is there."""
    body = _body(raw, path)
    if body is None:
        return _added(raw, say(Exchange("", "")))
    both = read(body)
    now = say(both)
    if now == both:
        return raw
    written = exchange.render(*now)
    return note.set_body(raw, written.replace("\n", "\r\n") if _is_crlf(body) else written)


def _added(raw: bytes, fresh: Exchange) -> bytes:
    """Add sections to bytes that can't be read; what they end with already, once."""
    told = exchange.render(*fresh) if fresh.user else exchange.answer(fresh.agent) if fresh.agent else ""
    words = told.encode(errors="replace")
    if not words or raw.endswith(words):
        return raw
    return raw + (b"\n" if raw.endswith(b"\n") else b"\n\n") + words
