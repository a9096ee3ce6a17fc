"""What a source holds, in words that belong to no source: turns, sayings, words, scenes, topics, and notes as they are.

Law: a piece names where it comes from by `origin`, the same at every reading; nothing here does any I/O.
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kit.errors import Problem
from kit.vault.layout import BASE32

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kit.model.notes import TagStatus
    from kit.vault.note import Value


class Turn(NamedTuple):
    """One exchange, or something that was written down once: it becomes a card."""

    origin: str
    at: datetime
    user: str = ""
    agent: str = ""
    says: str = ""
    """its summary; empty: the rules make one"""
    overview: str = ""
    body: str = ""
    """text that stands below the summary, or that begins with it"""
    ended: datetime | None = None
    keys: Mapping[str, Value | None] = {}
    """front matter of the card"""
    event: Mapping[str, Value | None] = {}
    """front matter of its event"""
    name: str = ""
    """the file name wanted, where people link to it by name"""
    own_tags: bool = True
    """False: the rules may add tags"""
    archived: bool = False
    hooked: bool = False
    """True: a hook of the kit may have kept it when it happened"""


class Saying(NamedTuple):
    """One lasting statement: it becomes a fact."""

    origin: str
    at: datetime
    says: str
    keys: Mapping[str, Value | None] = {}
    earlier: tuple[str, ...] = ()
    """what it said before, one line each, newest first"""
    sources: tuple[str, ...] = ()
    """origins of the turns it was learned from"""
    about: str = ""
    """words beside it that tell what it is about, to choose tags by"""


class Word(NamedTuple):
    """One tag."""

    origin: str
    at: datetime
    name: str
    code: str = ""
    status: TagStatus = "active"
    definitions: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    """level and the other tag's name"""
    merged_to: str = ""
    source: str = "system"
    updated: datetime | None = None


class Setting(NamedTuple):
    """One scene, or sub-scene."""

    origin: str
    at: datetime
    main: str
    sub: str = ""
    aliases: tuple[str, ...] = ()
    status: str = "active"


class Topic(NamedTuple):
    """What a session, a document or a project was about: it becomes a summary note."""

    origin: str
    at: datetime
    title: str
    says: str
    keys: Mapping[str, Value | None] = {}
    cards: tuple[str, ...] = ()
    """origins of its turns"""


class Verbatim(NamedTuple):
    """A file of a vault, byte for byte."""

    origin: str
    path: str
    raw: bytes
    id: str = ""
    kind: str = ""
    mtime_ns: int = 0


class Aside(NamedTuple):
    """Something that is on purpose not brought, and why."""

    where: str
    why: str


class Pause(NamedTuple):
    """A moment in which nothing was found yet: whoever reads may look at the clock."""


Piece: TypeAlias = Turn | Saying | Word | Setting | Topic | Verbatim
Found: TypeAlias = Piece | Problem | Aside | Pause
Reading: TypeAlias = "Iterator[Found]"

KINDS: dict[type, str] = {
    Turn: "card",
    Saying: "fact",
    Word: "tag",
    Setting: "scene",
    Topic: "summary",
    Verbatim: "note",
}
"""What each sort of piece becomes."""


def mark(origin: str) -> str:
    """Name an origin in short, for the journal."""
    return blake2b(origin.encode("utf-8", "replace"), digest_size=8).hexdigest()


def made_id(origin: str, at: datetime, number: int = 0) -> str:
    """Make the id of a piece, the same at every import; `number` counts on where another piece has it."""
    digest = int.from_bytes(blake2b(f"{number}:{origin}".encode("utf-8", "replace"), digest_size=4).digest())
    tail = "".join(BASE32[digest >> shift & 31] for shift in (0, 5, 10, 15))
    return f"{at.astimezone(UTC):%Y%m%d-%H%M%S}-{tail}"
