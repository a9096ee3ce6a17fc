"""The life of a tag: made, examined, active, deprecated, revived, renamed; and what only a person does: merge, split.

Law: every act is written down and can be taken back. Merging leaves a signpost; a name is never made twice.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadInputError, BadNoteError, ConflictError, KitError, RefusedError
from kit.govern import hand as hands
from kit.govern import relations
from kit.govern.act import Act
from kit.model.fields import link
from kit.model.notes import Card
from kit.vault import layout, note

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.changes import Change
    from kit.govern.hand import Hand
    from kit.index.pool import Held
    from kit.model.notes import Dimension, TagSource, TagStatus
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
    """Make a tag, or give a known one what it lacks: definitions and aliases are united, nothing is overwritten.

    Raise ConflictError when an alias belongs to another tag.
    """
    key = _key_of(made.name)
    if made.status == "merged":
        raise BadInputError("A new tag can't be merged.", "Make it, then use `memkit tags merge`.")
    held = hand.index.pool.claimant(key)
    own = held.key if held else key
    made = made._replace(aliases=tuple(alias for alias in _united(made.aliases) if text.key(alias) not in (own, "")))
    _refuse_taken(hand, made.aliases, held)
    act = Act(hand, now, who, "define", held.path if held else made.name)
    if held:
        act.amend(held.path, _lacking(held, made))
        return act.commit(code=held.code)
    code = fresh_code(hand, made.name)
    create(hand, act, made, now, code)
    return act.commit(code=code)


def _key_of(name: str) -> str:
    """Fold a name; raise BadInputError for one that holds neither letter nor digit."""
    if not any(char.isalnum() for char in name):
        raise BadInputError(f"A tag needs a name with a letter or digit; '{name}' has none.")
    return text.key(name)


def create(hand: Hand, act: Act, made: Defined, now: datetime, code: str) -> str:
    """Have an act make the note of a tag; return its path."""
    at = hands.day(now)
    front: dict[str, note.Value | None] = {
        "id": hands.new_id(hand, at), "kind": "tag", "created": at, "code": code, "name": made.name,
        "status": made.status, "definitions": made.definitions or None, "dimensions": made.dimensions or None,
        "aliases": made.aliases or None, "source": made.source,
    }  # fmt: skip
    return act.create(layout.named_path("tags", made.name), front, "")


def fresh_code(hand: Hand, name: str, taken: Container[str] = ()) -> str:
    """Choose a code no tag has: the name in short, where that is taken (`C`, `C++`) the name, else with a number."""
    short = text.slug(name) or name
    tries = chain((short, name), (f"{short}-{number}" for number in count(2)))
    return next(code for code in tries if code not in taken and hand.index.pool.at_code(code) is None)


def _refuse_taken(hand: Hand, aliases: Sequence[str], held: Held | None) -> None:
    for alias in aliases:
        owner = hand.index.pool.claimant(text.key(alias))
        if owner and (held is None or owner.num != held.num):
            raise ConflictError(f"'{alias}' already belongs to {owner.path}.", "Use another alias, or merge the tags.")


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


def _united(*lists: Iterable[str]) -> tuple[str, ...]:
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
    new_name = " ".join(new_name.split())
    key = _key_of(new_name)
    owner = hand.index.pool.claimant(key)
    if owner and owner.num != held.num:
        raise ConflictError(f"'{new_name}' already belongs to {owner.path}.", "Merge the two tags instead.")
    if new_name == held.tag.name:
        return None
    act = Act(hand, now, who, "rename", held.path)
    aliases = tuple(alias for alias in _united(held.tag.aliases, [held.tag.name]) if text.key(alias) != key)
    changes: dict[str, note.Value | None] = {"name": new_name, "code": held.code}
    if aliases != held.tag.aliases:
        changes["aliases"] = aliases or None
    act.amend(held.path, changes)
    _rewrite_cards(hand, act, held, [new_name])
    path = f"{held.path.rpartition('/')[0]}/{text.file_name(new_name)}.md"
    if path != held.path and not (hand.store.root / path).exists():
        _relink(hand, act, held, path.removesuffix(".md"))
        act.move(held.path, path)
    return act.commit(before=held.tag.name, after=new_name)


def _relink(hand: Hand, act: Act, held: Held, target: str) -> None:
    """Have every note that links to a tag follow it to its new path."""
    pool = hand.index.pool
    for other in pool.related(held):
        written = act.load(other.path)
        changes: dict[str, note.Value | None] = {}
        for level in relations.LEVELS:
            links = getattr(written, level)
            new = [target if _is(pool.linked(each), held) else each for each in links]
            if new != list(links):
                changes[level] = [link(each) for each in new]
        act.amend(other.path, changes)
    for other in pool.merged_into(held):
        act.amend(other.path, {"merged_to": link(target)})


def _is(one: Held | None, other: Held) -> bool:
    return one is not None and one.num == other.num


def merge(hand: Hand, name: str, into: str, now: datetime, *, dry_run: bool = False) -> list[Change] | Done | None:
    """Merge a tag into another: cards, aliases, definitions and relations move, a signpost stays."""
    source, target = relations.tag(hand, name), relations.tag(hand, into)
    if source.num == target.num:
        raise BadInputError(f"'{name}' and '{into}' are one tag already.", "Name another tag to merge into.")
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
    aliases = tuple(word for word in _united(tag.aliases, source.tag.aliases) if text.key(word) != target.key)
    united: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "aliases": (tag.aliases, aliases),
        "definitions": (tag.definitions, _united(tag.definitions, source.tag.definitions)),
        "dimensions": (tag.dimensions, tuple(dict.fromkeys((*tag.dimensions, *source.tag.dimensions)))),
    }
    act.amend(target.path, {key: new for key, (old, new) in united.items() if new != old})
    pool = hand.index.pool
    for other in pool.related(source):
        level = pool.level(source, other)
        relations.put_level(hand, act, other, source, None)
        if level and other.num != target.num:
            relations.raise_to(hand, act, target, other, level)
    end = link(target.path)
    act.amend(
        source.path,
        {"status": "merged", "merged_to": end, "aliases": None} | dict.fromkeys(relations.LEVELS),
    )


def split(
    hand: Hand, name: str, parts: Sequence[str], now: datetime, *, dry_run: bool = False
) -> list[Change] | Done | None:
    """Split a tag into others: each card gets the parts its words speak for, else all.

    The tag is deprecated, unless it is one of the parts itself. Its aliases follow the one part they speak for; the
    others stay with it, or go to the first part, since a deprecated tag's words find nothing.
    """
    source = relations.tag(hand, name)
    names = _united(" ".join(part.split()) for part in parts if _key_of(part))
    if len(names) < 2:  # noqa: PLR2004 - that would be a rename
        raise BadInputError("A tag is split into two or more.", "Use `memkit tags rename` for one.")
    act = Act(hand, now, "person", "split", source.path)
    codes: set[str] = set()
    stays = any(text.key(part) in hand.index.pool.names(source.num) for part in names)
    given = _shared_out(source, names, stays=stays)
    for part in names:
        held = hand.index.pool.claimant(text.key(part))
        if held and held.num != source.num and hand.index.pool.redirect(held) is None:
            raise RefusedError(f"'{part}' recalls nothing: it is {held.tag.status}.", "Revive it, or choose another.")
        if held is None:
            code = fresh_code(hand, part, codes)
            codes.add(code)
            create(hand, act, Defined(part, dimensions=source.tag.dimensions, aliases=given[part]), now, code)
        elif held.num != source.num and given[part]:
            act.amend(held.path, {"aliases": _united(held.tag.aliases, given[part])})
    gone = {text.key(alias) for aliases in given.values() for alias in aliases}
    kept = tuple(alias for alias in source.tag.aliases if text.key(alias) not in gone)
    changes: dict[str, note.Value | None] = {} if stays else {"status": "deprecated"}
    act.amend(source.path, changes if kept == source.tag.aliases else {**changes, "aliases": kept or None})
    _rewrite_cards(hand, act, source, names)
    return act.changes() if dry_run else act.commit(into=list(names))


def _shared_out(source: Held, parts: Sequence[str], *, stays: bool) -> dict[str, tuple[str, ...]]:
    """Share the aliases of a tag out to its parts."""
    given: dict[str, list[str]] = {part: [] for part in parts}
    words = [text.tag_word(part) for part in parts]
    for alias in source.tag.aliases:
        spoken = _spoken_for(alias, words)
        lone = parts[words.index(spoken[0])] if len(spoken) == 1 else None if stays else parts[0]
        if lone and text.key(alias) not in {text.key(part) for part in parts} | {source.key}:
            given[lone].append(alias)
    return {part: () if text.key(part) == source.key else tuple(aliases) for part, aliases in given.items()}


def _rewrite_cards(hand: Hand, act: Act, source: Held, names: Sequence[str]) -> None:
    """Put other names in place of a tag's on every card and fact that bears it.

    One that can't be read is left as it is; for a merge or a new name the signpost or the alias finds it still.
    """
    pool = hand.index.pool
    keys = {key for key in pool.names(source.num) if _is(pool.claimant(key), source)}
    words = [text.tag_word(name) for name in names]
    nums = {num for key in keys for num in hand.index.postings.cards(f"tag:{key}")}
    for num in sorted(nums):
        entry = hand.index.catalog.numbered(num)
        if entry is None:
            continue
        try:
            found = hand.load(entry.path)
        except BadNoteError:
            if len(words) > 1:
                raise
            continue
        chosen = _spoken_for(found.body, words)
        event = hand.linked(found.event) if isinstance(found, Card) and len(chosen) > 1 else None
        if event:  # what was said says more than its summary
            with suppress(KitError):
                chosen = _spoken_for(hand.load(event.path).body, words)
        tags: dict[str, str] = {}
        for tag in getattr(found, "tags", ()):
            for word in chosen if text.key(tag) in keys else (tag,):
                tags.setdefault(text.key(word), word)
        if tuple(tags.values()) != getattr(found, "tags", ()):
            act.amend(entry.path, {"tags": tuple(tags.values())})


def _spoken_for(body: str, words: Sequence[str]) -> list[str]:
    """Choose the words whose every term a text holds; all where it holds none's."""
    if len(words) == 1:
        return list(words)
    said = set(text.terms(body, unigrams=True))
    return [word for word in words if (terms := set(text.terms(word.replace("-", " ")))) and terms <= said] or list(
        words
    )
