"""What a model is asked about a finished turn: everything it needs, gathered at one moment.

Law: reads only. Whoever asks the model need not hold the vault meanwhile.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import ConflictError, KitError
from kit.govern import finish, scenes
from kit.learn import rules
from kit.model.notes import Card, Fact
from kit.vault import note

if TYPE_CHECKING:
    from kit.govern.hand import Hand
    from kit.index.pool import Held
    from kit.vault.exchange import Exchange

_WORDS, _FACTS, _SCENES = 80, 20, 60


class Question(NamedTuple):
    """One turn, as a model is asked about it."""

    card: str
    path: str
    said: Exchange
    language: str
    parts: tuple[tuple[str, str], ...]
    waits: bool
    """whether the card stood in the queue"""


def question(hand: Hand, path: str) -> Question | None:
    """Gather what a model needs for one card; None when it is no card, or holds no exchange.

    Raise ConflictError when a person has saved it a moment ago.
    """
    card = hand.load(path)
    if not isinstance(card, Card) or card.status != "completed":
        return None
    if hand.store.recently_touched(path, time.time()):
        raise ConflictError(f"{path} was saved a moment ago.", "It is learned from when it is quiet.")
    said = rules.exchange_of(hand, card)
    if not said.user and not said.agent:
        return None
    seen = finish.looked_at(said)
    before = rules.previous(hand, card)
    earlier = rules.exchange_of(hand, before) if before and not before.feedback else None
    parts = (
        ("user", seen.user), ("agent", seen.agent),
        ("before user", earlier.user if earlier else ""), ("before agent", earlier.agent if earlier else ""),
        ("tags", _tags(hand, card)), ("words", words(hand, f"{seen.user}\n{seen.agent}", card.tags)),
        ("facts", _facts(hand, card, seen.user)), ("scenes", scene_names(hand)),
    )  # fmt: skip
    return Question(card.id, path, said, text.language(f"{seen.user}\n{seen.agent}"), parts, card.learn == "pending")


def words(hand: Hand, said: str, borne: tuple[str, ...] = ()) -> str:
    """List living tags, those a text names first, then by how much they are used; shipped ones after the person's."""
    mentioned = {text.key(found.key) for found in hand.index.lexicon.find(said)}
    own = {text.key(tag) for tag in borne}

    def rank(held: Held) -> tuple[bool, int, bool]:
        used = hand.index.postings.df(f"tag:{held.key}")
        return held.key not in mentioned, -used, held.tag.source == "system"

    living = [held for held in hand.index.pool.tags() if held.tag.status in ("active", "unexamined")]
    return "\n".join(
        held.tag.name for held in islice((held for held in sorted(living, key=rank) if held.key not in own), _WORDS)
    )


def scene_names(hand: Hand) -> str:
    """List the scenes that are given, one a line."""
    active = (scenes.scene_name(held.path) for held in hand.index.pool.scenes() if held.scene.status == "active")
    return "\n".join(islice(active, _SCENES))


def _tags(hand: Hand, card: Card) -> str:
    lines = []
    for word in card.tags:
        held = hand.index.pool.claimant(text.key(word))
        if held is None:
            lines.append(f"{word} | no note yet")
            continue
        lacks = f" | lacks {', '.join(held.lacks)}" if held.lacks else ""
        lines.append(f"{held.tag.name} | {held.tag.status} | {'; '.join(held.tag.definitions)}{lacks}")
    return "\n".join(lines)


def _facts(hand: Hand, card: Card, user: str) -> str:
    """List known facts that share words with what the person said, the nearest first."""
    asked = set(text.terms(user))
    shared = {
        num: len(asked & set(text.terms(row.shown)))
        for num, row in hand.index.features.rows().items()
        if row.kind == "fact" and row.project in ("", text.key(card.project))
    }
    lines = []
    for num in sorted((num for num, count in shared.items() if count), key=lambda num: -shared[num])[:_FACTS]:
        entry = hand.index.catalog.numbered(num)
        try:
            fact = hand.load(entry.path) if entry else None
        except KitError:
            continue
        if isinstance(fact, Fact):
            lines.append(f"{fact.key or '-'}: {note.first_paragraph(fact.body)}")
    return "\n".join(lines)
