"""The life of a tag: made, examined, active, deprecated, revived, renamed; and what only a person does: merge, split.

Law: every act is written down and can be taken back. Merging leaves a signpost; a name is never made twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadInputError, ConflictError, RefusedError
from kit.govern import hand as hands
from kit.govern import relations
from kit.govern.act import Act
from kit.model.fields import link
from kit.vault import layout, note

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kit.govern.act import Change, Done
    from kit.govern.hand import Hand
    from kit.index.pool import Held
    from kit.model.notes import Dimension, Level, TagSource, TagStatus
    from kit.vault.journal import Who

_MOVES: dict[TagStatus, tuple[TagStatus, ...]] = {
    "unexamined": ("active", "deprecated"),
    "active": ("deprecated",),
    "deprecated": ("active",),
    "merged": (),
}
"""Where a status may go by command; into `merged` only by merging, out of it only by undoing that."""


class Defined(NamedTuple):
    """What a new tag is to be."""

    name: str
    definitions: tuple[str, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    aliases: tuple[str, ...] = ()
    status: TagStatus = "active"
    source: TagSource = "person"


def add(hand: Hand, made: Defined, now: datetime, who: Who) -> Done | None:
    """Make a tag, or give a known one what it lacks: definitions and aliases are united, nothing is overwritten."""
    key = text.key(made.name)
    if not key:
        raise BadInputError("A tag needs a name.")
    held = hand.index.pool.claimant(key)
    taken = [alias for alias in made.aliases if _is_taken(hand, alias, held)]
    if taken:
        owner = hand.index.pool.claimant(text.key(taken[0]))
        raise ConflictError(
            f"'{taken[0]}' already belongs to {owner.path if owner else 'a tag'}.", "Use another alias."
        )
    act = Act(hand, now, who, "define", held.path if held else layout.named_path("tags", made.name))
    if held:
        act.amend(held.path, _lacking(held, made))
        return act.commit(code=held.code)
    at = hands.day(now)
    code = text.slug(made.name) or made.name
    if hand.index.pool.at_code(code):
        code = made.name
    act.create(
        layout.named_path("tags", made.name),
        {
            "id": hands.new_id(hand, at), "kind": "tag", "created": at, "code": code, "name": made.name,
            "status": made.status, "definitions": made.definitions or None, "dimensions": made.dimensions or None,
            "aliases": made.aliases or None, "source": made.source,
        },
        "",
    )  # fmt: skip
    return act.commit(code=code)


def _is_taken(hand: Hand, alias: str, held: Held | None) -> bool:
    owner = hand.index.pool.claimant(text.key(alias))
    return owner is not None and (held is None or owner.num != held.num)


def _lacking(held: Held, made: Defined) -> dict[str, note.Value | None]:
    tag = held.tag
    changes: dict[str, note.Value | None] = {}
    for key, old, new in (
        ("definitions", tag.definitions, made.definitions),
        ("dimensions", tag.dimensions, made.dimensions),
        ("aliases", tag.aliases, made.aliases),
    ):
        united = _united(old, new)
        if united != old:
            changes[key] = united
    return changes


def _united(*lists: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for words in lists:
        for word in words:
            found.setdefault(text.key(word), word)
    return tuple(found.values())


def set_status(hand: Hand, name: str, status: TagStatus, now: datetime, who: Who, why: str = "") -> Done | None:
    """Move a tag to another status; None when it has it already."""
    held = relations.tag(hand, name)
    if held.tag.status == status:
        return None
    if status not in _MOVES[held.tag.status]:
        raise RefusedError(
            f"A tag that is {held.tag.status} can't become {status}.",
            "Merge tags with `memkit tags merge`; take a merge back with `memkit undo`.",
        )
    act = Act(hand, now, who, "status", held.path, why)
    act.amend(held.path, {"status": status})
    return act.commit(before=held.tag.status, after=status)


def rename(hand: Hand, name: str, new_name: str, now: datetime, who: Who) -> Done | None:
    """Give a tag another name; its code stays, the old name becomes an alias, cards are rewritten."""
    held = relations.tag(hand, name)
    owner = hand.index.pool.claimant(text.key(new_name))
    if owner and owner.num != held.num:
        raise ConflictError(f"'{new_name}' already belongs to {owner.path}.", "Merge the two tags instead.")
    if not text.key(new_name):
        raise BadInputError("A tag needs a name.")
    act = Act(hand, now, who, "rename", held.path)
    aliases = _united([alias for alias in held.tag.aliases if text.key(alias) != text.key(new_name)], [held.tag.name])
    act.amend(held.path, {"name": new_name, "code": held.code, "aliases": aliases})
    _rewrite_cards(hand, act, held, [new_name])
    path = layout.named_path("tags", new_name)
    if path != held.path and not (hand.store.root / path).exists():
        _relink(hand, act, held, path)
    return act.commit(before=held.tag.name, after=new_name)


def _relink(hand: Hand, act: Act, held: Held, path: str) -> None:
    """Move a tag's note to its new name and have every tag that links to it follow."""
    target = path.removesuffix(".md")
    for other in hand.index.pool.tags():
        changes: dict[str, note.Value | None] = {}
        for level in relations.LEVELS:
            links = getattr(other.tag, level)
            if any((found := hand.index.pool.linked(each)) and found.num == held.num for each in links):
                changes[level] = [
                    link(target if (found := hand.index.pool.linked(each)) and found.num == held.num else each)
                    for each in links
                ]
        merged = hand.index.pool.linked(other.tag.merged_to) if other.tag.merged_to else None
        if merged and merged.num == held.num:
            changes["merged_to"] = link(target)
        if changes and other.num != held.num:
            act.amend(other.path, changes)
    act.move(held.path, path)


def merge(hand: Hand, name: str, into: str, now: datetime, *, dry_run: bool = False) -> list[Change] | Done | None:
    """Merge a tag into another: cards, aliases, definitions and relations move, a signpost stays."""
    source, target = relations.tag(hand, name), relations.tag(hand, into)
    if source.num == target.num:
        raise BadInputError(f"'{name}' and '{into}' are one tag already.")
    if source.tag.status == "merged":
        raise RefusedError(f"'{name}' has been merged already.", "Merge the tag it leads to.")
    end = hand.index.pool.redirect(target)
    if end is None or end.num == source.num:
        raise RefusedError(f"'{into}' leads to no tag that could take '{name}' in.", "Choose an active tag.")
    act = Act(hand, now, "person", "merge", source.path)
    _unite(hand, act, source, end)
    _rewrite_cards(hand, act, source, [end.tag.name])
    return act.changes() if dry_run else act.commit(into=end.path)


def _unite(hand: Hand, act: Act, source: Held, target: Held) -> None:
    tag = target.tag
    aliases = _united(tag.aliases, source.tag.aliases)
    changes: dict[str, note.Value | None] = {
        "aliases": [alias for alias in aliases if text.key(alias) != target.key],
    }
    definitions = _united(tag.definitions, source.tag.definitions)
    if definitions != tag.definitions:
        changes["definitions"] = definitions
    act.amend(target.path, changes)
    for level in reversed(relations.LEVELS):
        for neighbour in hand.index.pool.neighbours(source, level):
            if neighbour.num not in (source.num, target.num):
                _raise_to(hand, act, target, neighbour, level)
    act.amend(
        source.path,
        {"status": "merged", "merged_to": link(_name(target)), "aliases": None}
        | {level: None for level in relations.LEVELS if getattr(source.tag, level)},
    )


def _raise_to(hand: Hand, act: Act, target: Held, neighbour: Held, level: Level) -> None:
    """Carry a relation over to the tag that remains, on both notes, never weakening one it has."""
    order = relations.LEVELS.index
    for here, there in ((target, neighbour), (neighbour, target)):
        current = relations.level_of(hand.index.pool, here, there)
        if current is None or order(current) > order(level):
            pending = note.parse(act.read(here.path), here.path, fallback_name=here.tag.name)
            written = [link(each) for each in getattr(pending, level, ())]
            if link(_name(there)) not in written:
                act.amend(here.path, {level: [*written, link(_name(there))]})


def split(
    hand: Hand, name: str, parts: Sequence[str], now: datetime, *, dry_run: bool = False
) -> list[Change] | Done | None:
    """Split a tag into others: each card gets the parts its words speak for, else all; the tag is deprecated."""
    source = relations.tag(hand, name)
    if len(parts) < 2:  # noqa: PLR2004 - that would be a rename
        raise BadInputError("A tag is split into two or more.", "Use `memkit tags rename` for one.")
    act = Act(hand, now, "person", "split", source.path)
    at = hands.day(now)
    for part in parts:
        if hand.index.pool.claimant(text.key(part)) is None:
            act.create(
                layout.named_path("tags", part),
                {
                    "id": hands.new_id(hand, at), "kind": "tag", "created": at, "code": text.slug(part) or part,
                    "name": part, "status": "active", "source": "person",
                },
                "",
            )  # fmt: skip
    act.amend(source.path, {"status": "deprecated"})
    _rewrite_cards(hand, act, source, parts)
    return act.changes() if dry_run else act.commit(into=list(parts))


def _rewrite_cards(hand: Hand, act: Act, source: Held, names: Sequence[str]) -> None:
    """Put other names in place of a tag's on every card and fact that bears it."""
    keys = hand.index.pool.names(source.num)
    words = [text.tag_word(name) for name in names]
    nums = {num for key in keys for num in hand.index.postings.cards(f"tag:{key}")}
    for num in sorted(nums):
        entry = hand.index.catalog.numbered(num)
        if entry is None:
            continue
        found = hand.load(entry.path)
        chosen = _spoken_for(found.body, words)
        tags: dict[str, str] = {}
        for tag in getattr(found, "tags", ()):
            for word in chosen if text.key(tag) in keys else (tag,):
                tags.setdefault(text.key(word), word)
        act.amend(entry.path, {"tags": tuple(tags.values())})


def _spoken_for(body: str, words: Sequence[str]) -> list[str]:
    if len(words) == 1:
        return list(words)
    said = text.key(body)
    return [word for word in words if text.key(word) in said] or list(words)


def _name(held: Held) -> str:
    return held.path.removesuffix(".md")
