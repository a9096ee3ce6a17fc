"""Scenes: made by a person, or by the C-line when a turn is plainly set in one that is new.

Law: a scene that is there is never made again; a sub-scene's category is made with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import text
from kit.errors import BadInputError
from kit.govern import hand as hands
from kit.govern.act import Act
from kit.model.fields import link
from kit.model.notes import Card
from kit.vault import layout

if TYPE_CHECKING:
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.hand import Hand
    from kit.vault.journal import Who


def known(hand: Hand, name: str) -> bool:
    """Tell whether a scene (`work` or `work/code-review`) has a note."""
    return any(text.key(scene_name(held.path)) == text.key(name) for held in hand.index.pool.scenes())


def final(hand: Hand, card_path: str, scene: str, now: datetime, who: Who) -> Done | None:
    """Write the scene a finished turn was set in onto its card, field by field; make the scene where it is new.

    What the C-line knows (`scene`) comes first, the candidate of the frame fills the rest; a sub-scene stays only
    within its own category.
    """
    main, _, sub = (part.strip() for part in scene.partition("/"))
    found = hand.load(card_path)
    if not isinstance(found, Card) or not (main or sub):
        return None
    category = main or found.scene
    stays = found.scene_sub if text.key(category) == text.key(found.scene) else ""
    changes = {"scene": category or None, "scene_sub": sub or stays or None}
    act = Act(hand, now, who, "scene", card_path)
    for name in (category, f"{category}/{sub or stays}" if sub or stays else ""):
        if name and who != "learn" and not known(hand, name):
            _put(hand, act, name, (), now)
    act.amend(card_path, changes)
    return act.commit()


def scene_name(path: str) -> str:
    """Read `work/code-review` off a scene note's path."""
    return path.removeprefix("scenes/").removesuffix(".md")


def parsed(name: str) -> tuple[str, str]:
    """Take a scene's name apart, `work` or `work/code-review`; raise BadInputError for what is none."""
    main, _, sub = (part.strip() for part in name.partition("/"))
    if not text.slug(main) or (sub and not text.slug(sub)) or (name.count("/") and not sub) or "/" in sub:
        raise BadInputError(f"'{name}' is no scene.", "Write `work`, or `work/code-review` for a sub-scene.")
    return main, sub


def add(hand: Hand, name: str, aliases: tuple[str, ...], now: datetime, who: Who) -> Done | None:
    """Make a scene, and its category where that is missing; unite aliases with one that is there."""
    main, sub = parsed(name)
    act = Act(hand, now, who, "scene", name)
    for each, words in ((main, () if sub else aliases), (f"{main}/{sub}", aliases))[: 2 if sub else 1]:
        _put(hand, act, each, words, now)
    return act.commit()


def _put(hand: Hand, act: Act, name: str, aliases: tuple[str, ...], now: datetime) -> None:
    main, _, sub = name.partition("/")
    for held in hand.index.pool.scenes():
        if text.key(scene_name(held.path)) == text.key(name):
            words: dict[str, str] = {}
            for word in (*held.scene.aliases, *aliases):
                words.setdefault(text.key(word), word)
            words.pop(text.key(held.scene.name), None)
            united = tuple(dict.fromkeys((*held.scene.aliases, *words.values())))
            if united != held.scene.aliases:
                act.amend(held.path, {"aliases": united})
            return
    path = layout.named_path("scenes", sub or main, main if sub else "")
    act.create(
        path,
        {
            "id": hands.new_id(hand, hands.day(now)), "kind": "scene", "created": hands.day(now),
            "code": text.slug(name) or name, "name": sub or main,
            "parent": link(layout.named_path("scenes", main)) if sub else None, "aliases": aliases or None,
            "status": "active",
        },
        "",
    )  # fmt: skip
