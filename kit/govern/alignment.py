"""Bringing tags of an older form up to what the model of a tag asks for now.

Law: only what is missing is written; an empty value never overwrites. What can't be used is told, field by field,
and keeps no other field back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, get_args

from kit import text
from kit.errors import KitError
from kit.govern import relations
from kit.govern.act import Act
from kit.index.held import LEGACY
from kit.model.fields import link_target
from kit.model.notes import Dimension, Tag

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.hand import Hand
    from kit.index.pool import Held
    from kit.model.notes import Level
    from kit.vault.journal import Who
    from kit.vault.note import Value

_DIMENSIONS = {
    **{text.key(name): name for name in get_args(Dimension)},
    "内容": "content", "任务": "task", "约束": "constraint", "场景": "scene",
}  # fmt: skip


class Aligned(NamedTuple):
    """What came of an alignment."""

    done: Done | None
    refused: tuple[str, ...]
    """a sentence for each field that can't be used"""


def align(hand: Hand, wanted: Mapping[str, object], now: datetime, who: Who, why: str = "") -> Aligned:
    """Complete tags, `{name: {"definition": …, "dimensions": […]}}`; merged names lead on to their tag."""
    act = Act(hand, now, who, "align", why=why)
    refused: list[str] = []
    for name, fields in wanted.items():
        held = hand.index.pool.claimant(text.key(name)) or hand.index.pool.at_code(name)
        end = hand.index.pool.redirect(held) if held else None
        if end is None:
            refused.append(f"There is no tag '{name}' to complete.")
        elif not isinstance(fields, Mapping):
            refused.append(f"'{name}' is to be completed by an object of fields, not by {fields!r:.40}.")
        else:
            act.amend(end.path, _missing(end, name, fields, refused))
    return Aligned(act.commit(), tuple(refused))


def by_rules(hand: Hand, names: Iterable[str], now: datetime) -> Done | None:
    """Complete the tags of a card as far as rules can: its words tell content, older keys get their place."""
    act = Act(hand, now, "learn", "align", why="by rules")
    for name in names:
        held = hand.index.pool.claimant(text.key(name))
        end = hand.index.pool.redirect(held) if held else None
        if end and end.lacks:
            _modernise(hand, act, end)
            written = act.load(end.path)
            if isinstance(written, Tag) and not written.dimensions:
                act.amend(end.path, {"dimensions": ["content"]})
    return act.commit()


def _missing(held: Held, name: str, fields: Mapping[str, object], refused: list[str]) -> dict[str, Value | None]:
    changes: dict[str, Value | None] = {}
    for field, value in fields.items():
        key = LEGACY.get(field, field)
        words = _words(value)
        if key not in ("definitions", "dimensions") or words is None:
            refused.append(f"'{name}' can't be completed by `{field}: {value!r:.40}`.")
            continue
        if key == "dimensions":
            odd = [word for word in words if text.key(word) not in _DIMENSIONS]
            refused += [f"'{word}' is no dimension of '{name}': use {', '.join(get_args(Dimension))}." for word in odd]
            words = [_DIMENSIONS[text.key(word)] for word in words if word not in odd]
        if words and not getattr(held.tag, key) and key not in changes:
            changes[key] = list(dict.fromkeys(words))
    return changes


def _words(value: object) -> list[str] | None:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, (list, tuple)) or not all(isinstance(word, str) for word in found):
        return None
    return [word.strip() for word in found if word.strip()]


def _modernise(hand: Hand, act: Act, held: Held) -> None:
    """Move what stands under keys of an older form to those of today; relations only to tags that are there."""
    extra = held.tag.model_extra or {}
    for old, key in LEGACY.items():
        if old not in extra:
            continue
        if key == "related":
            for other, level in _legacy_relations(hand, extra[old]):
                if other.num != held.num:
                    relations.raise_to(hand, act, held, other, level)
        else:
            words = _words(extra[old]) or []
            if key == "dimensions":
                words = [_DIMENSIONS[text.key(word)] for word in words if text.key(word) in _DIMENSIONS]
            if key == "aliases":
                words = [word for word in words if hand.index.pool.claimant(text.key(word)) in (None, held)]
            if words and not getattr(held.tag, key):
                act.amend(held.path, {key: words})
        act.amend(held.path, {old: None})


def _legacy_relations(hand: Hand, value: object) -> list[tuple[Held, Level]]:
    found: list[tuple[Held, Level]] = []
    for each in value if isinstance(value, (list, tuple)) else ():
        named = {text.key(str(key)): str(one) for key, one in each.items()} if isinstance(each, Mapping) else {}
        target = named.get("code", "") if named else str(each)
        level: Level = next((level for level in relations.LEVELS if level == named.get("level")), "related")
        try:
            other = hand.index.pool.redirect(relations.tag(hand, link_target(target)))
        except KitError:
            continue
        found += [(other, level)] if other else []
    return found
