"""What a person is shown of a vault, row by row: tags and scenes, one note, the journal, the pool as a picture.

Law: these names and types are what goes over HTTP too, and what the description of the API says; so no type of them is
imported for checking alone.
"""

from __future__ import annotations

from typing import NamedTuple

from kit.model.notes import Level  # noqa: TC001 - read when the API is described


class TagRow(NamedTuple):
    """One tag of the pool."""

    code: str
    name: str
    status: str
    cards: int
    aliases: tuple[str, ...]
    path: str


class SceneRow(NamedTuple):
    """One scene."""

    scene: str
    scene_sub: str
    cards: int
    aliases: tuple[str, ...]


class TagView(NamedTuple):
    """A tag as a person wants to see it."""

    code: str
    name: str
    status: str
    path: str
    definitions: tuple[str, ...]
    dimensions: tuple[str, ...]
    aliases: tuple[str, ...]
    synonym: tuple[str, ...]
    related: tuple[str, ...]
    loose: tuple[str, ...]
    merged_to: str
    cards: tuple[str, ...]
    lacks: tuple[str, ...]


class Linked(NamedTuple):
    """A note at the other end of a link."""

    target: str
    """what the link says; '' for what leads here"""
    id: str
    kind: str
    path: str
    """'' when there is no such note"""
    title: str


class Said(NamedTuple):
    """What was said in a turn."""

    user: str
    agent: str


class Leaf(NamedTuple):
    """One note, whole."""

    id: str
    kind: str
    path: str
    etag: str
    title: str
    raw: str
    front: dict[str, str | list[str]]
    body: str
    says: str
    """its first paragraph: what an edit of its text changes"""
    links: tuple[Linked, ...]
    backlinks: tuple[Linked, ...]
    overview: str
    """the overview of a card"""
    said: Said
    """what was said in a card's turn"""
    file: str
    """the file's own path on this machine"""


class Change(NamedTuple):
    """What an act did to one file."""

    path: str
    moved: str
    old: str
    new: str


class Line(NamedTuple):
    """One line of the journal."""

    cursor: str
    at: str
    who: str
    what: str
    note: str
    why: str
    id: str
    act: str
    """the name by which it can be taken back; '' when it is no act"""
    undone: bool
    files: int
    changes: tuple[Change, ...]
    session: str
    ids: tuple[str, ...]
    tokens: int


class Lines(NamedTuple):
    """A page of the journal."""

    lines: tuple[Line, ...]
    next: str


class Point(NamedTuple):
    """A tag."""

    code: str
    name: str
    status: str
    cards: int


class Between(NamedTuple):
    """A relation, by the codes of its tags."""

    one: str
    other: str
    level: Level


class Graph(NamedTuple):
    """Tags and what joins them."""

    points: tuple[Point, ...]
    lines: tuple[Between, ...]
    left_out: int
