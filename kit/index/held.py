"""A tag or scene note as the pool holds it: what it is called, what it links to, and how it is written down.

Law: pure; a note decides alone, whatever else is in the pool.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

from kit import text
from kit.model.notes import Level, Scene, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVELS: tuple[Level, ...] = get_args(Level)
"""Strongest first."""
NEEDED = ("definitions", "dimensions")
"""What a tag must have to be complete."""
LEGACY = {
    "definition": "definitions", "dimension": "dimensions", "synonyms": "aliases", "related_codes": "related",
    "relations": "related",
}  # fmt: skip
"""Keys of older forms of a tag note, and the key that took the place of each."""
_INSTANTS = ("created", "updated")
_Pooled = TypeVar("_Pooled", Tag, Scene)


class Held(NamedTuple):
    """A tag note in the pool."""

    num: int
    path: str
    tag: Tag

    @property
    def code(self) -> str:
        """The tag's stable short name."""
        return self.tag.code or self.tag.id

    @property
    def key(self) -> str:
        """The tag's folded name."""
        return text.key(self.tag.name)

    @property
    def lacks(self) -> tuple[str, ...]:
        """Name what makes the tag malformed: keys that are empty, and keys of an older form."""
        empty = tuple(key for key in NEEDED if not getattr(self.tag, key))
        return empty + tuple(key for key in LEGACY if (self.tag.model_extra or {}).get(key))


class HeldScene(NamedTuple):
    """A scene note in the pool."""

    num: int
    path: str
    scene: Scene


def revived(kind: type[_Pooled], data: str) -> _Pooled:
    """Make the note anew that was written down here: it was valid then, and to validate it takes ten times as long."""
    values = json.loads(data)
    for name, value in values.items():
        if type(value) is list:
            values[name] = tuple(value)
    for name in _INSTANTS:
        if values.get(name):
            values[name] = datetime.fromisoformat(values[name])
    blank: _Pooled = _blank(kind)
    return blank.model_copy(update=values)


@cache
def _blank(kind: type[Tag | Scene]) -> Any:  # noqa: ANN401 - of that kind, which a cache can't say
    return kind.model_construct(id="")


def names_of(held: Held) -> set[str]:
    """List the folded names and aliases of a tag."""
    return {text.key(word) for word in (held.tag.name, *held.tag.aliases)} - {""}


def handles_of(held: Held) -> set[str]:
    """List what else a link may call a tag: its file's name and its id."""
    return {text.key(held.path.rsplit("/", 1)[-1].removesuffix(".md")), text.key(held.tag.id)} - {""}


def callings_of(held: Held) -> set[str]:
    """List everything a link may call a tag, folded."""
    return {*names_of(held), *handles_of(held), text.key(held.path.removesuffix(".md")), text.key(held.code)}


def targets_of(link: str) -> set[str]:
    """List what a link may be known by: whole, and by its last part."""
    return {text.key(link), text.key(link.rsplit("/", 1)[-1])}


def links_of(tag: Tag) -> Iterator[str]:
    """List the links of a tag's relations, the strongest first."""
    for level in LEVELS:
        yield from getattr(tag, level)


CLAIMED, CODED, HANDLED, MERGED, LINKED = SORTS = range(5)
"""Ways in which a word may lead to a tag: as its name or alias, its code, its file's name or id; as what it was merged
into; as what it is related to."""


def callings(held: Held) -> set[tuple[int, str]]:
    """List every way and word that lead to a tag."""
    found = {(CLAIMED, key) for key in names_of(held)} | {(HANDLED, key) for key in handles_of(held)}
    found.add((CODED, held.code))
    if held.tag.merged_to:
        found |= {(MERGED, key) for key in targets_of(held.tag.merged_to)}
    return found | {(LINKED, key) for link in links_of(held.tag) for key in targets_of(link)}


def changed_links(before: Tag, after: Tag) -> frozenset[str]:
    """List the links that came, went or changed their level."""
    one, other = ({(level, link) for level in LEVELS for link in getattr(tag, level)} for tag in (before, after))
    return frozenset(link for _, link in one ^ other)
