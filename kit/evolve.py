"""How the tag pool grows better by itself: examines new tags, proposes relations and merges, by rules.

Law: certain and reversible things are done and written down; the rest is proposed with its evidence. Merging
is only ever proposed. A model may take the place of these rules; what it may do is the same.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.digest import keyphrases, statements
from kit.govern import lifecycle, relations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.hand import Hand
    from kit.index.pool import Held
    from kit.model.notes import Level, TagStatus

CERTAIN = 0.8
"""Evidence from which a proposal is carried out without asking, when it can be undone."""
TOGETHER = 3
"""Cards two tags must share before that says anything."""
ALIKE = 0.5
"""Definitions, or sets of cards, this alike suggest a relation."""
UNUSED_DAYS = 180.0


class Proposal(NamedTuple):
    """Something that could be done to the pool."""

    what: str
    """activate, deprecate, relate or merge"""
    tag: str
    other: str
    level: str
    evidence: float
    """0 to 1"""
    why: str


def proposals(hand: Hand, now: datetime) -> list[Proposal]:
    """Say all that could be done, the surest first."""
    found = [*_examine(hand), *_unused(hand, now), *_alike(hand), *_together(hand)]
    return sorted(found, key=lambda one: (-one.evidence, one.tag, one.other))


def evolve(hand: Hand, now: datetime) -> tuple[list[Done], list[Proposal]]:
    """Do what is certain and can be undone; return that, and what is left to the person."""
    done: list[Done] = []
    left: list[Proposal] = []
    for proposal in proposals(hand, now):
        if proposal.what == "merge" or proposal.evidence < CERTAIN:
            left.append(proposal)
            continue
        act = _carry_out(hand, proposal, now)
        if act:
            done.append(act)
    return done, left


def _carry_out(hand: Hand, proposal: Proposal, now: datetime) -> Done | None:
    if proposal.what == "relate":
        level: Level = "synonym" if proposal.level == "synonym" else "related"
        return relations.relate(hand, proposal.tag, proposal.other, level, now, "maintain", proposal.why)
    status: TagStatus = "active" if proposal.what == "activate" else "deprecated"
    return lifecycle.set_status(hand, proposal.tag, status, now, "maintain", proposal.why)


def _examine(hand: Hand) -> Iterator[Proposal]:
    """Judge every unexamined tag: generic ones go, others become active."""
    cards = len(hand.index.features.rows())
    for held in hand.index.pool.tags():
        if held.tag.status != "unexamined":
            continue
        why = keyphrases.refused(held.tag.name, df=lambda word: _df(hand, word), cards=cards)
        if why:
            yield Proposal("deprecate", held.tag.name, "", "", 0.9, why)
        elif not any(_names_alike(held, other) for other in hand.index.pool.tags() if other.num != held.num):
            yield Proposal("activate", held.tag.name, "", "", 0.85, "concrete, and like no other tag")
        else:
            yield Proposal("activate", held.tag.name, "", "", 0.8, "concrete; see the tags it is like")


def _unused(hand: Hand, now: datetime) -> Iterator[Proposal]:
    for held in hand.index.pool.tags():
        tag = held.tag
        if tag.status != "active" or tag.source in ("person", "system") or not tag.created:
            continue
        age = (now - tag.created).total_seconds() / 86400
        if age > UNUSED_DAYS and not _cards(hand, held):
            yield Proposal("deprecate", tag.name, "", "", CERTAIN, f"{age:.0f} days old and on no card")


def _alike(hand: Hand) -> Iterator[Proposal]:
    """Compare names, aliases and definitions of tags that share a word."""
    by_word: dict[str, list[Held]] = {}
    for held in hand.index.pool.tags():
        if held.tag.status in ("active", "unexamined"):
            for word in set(text.terms(" ".join((held.tag.name, *held.tag.aliases, *held.tag.definitions)))):
                by_word.setdefault(word, []).append(held)
    seen: set[tuple[int, int]] = set()
    for group in by_word.values():
        for one, other in combinations(group[:30], 2):
            pair = (min(one.num, other.num), max(one.num, other.num))
            if pair in seen or relations.level_of(hand.index.pool, one, other):
                continue
            seen.add(pair)
            yield from _compare(one, other)


def _compare(one: Held, other: Held) -> Iterator[Proposal]:
    if _names_alike(one, other):
        yield Proposal("merge", one.tag.name, other.tag.name, "", 0.85, "their names differ by form alone")
        yield Proposal("relate", one.tag.name, other.tag.name, "synonym", 0.85, "their names differ by form alone")
        return
    likeness = statements.similarity("; ".join(one.tag.definitions), "; ".join(other.tag.definitions))
    if one.tag.definitions and other.tag.definitions and likeness >= ALIKE:
        why = f"their definitions are {likeness:.0%} alike"
        yield Proposal("relate", one.tag.name, other.tag.name, "related", round(likeness, 2), why)


def _names_alike(one: Held, other: Held) -> bool:
    """Tell whether two names have the same stems, whatever their order and blanks."""
    first, second = sorted(text.terms(one.tag.name)), sorted(text.terms(other.tag.name))
    return bool(first) and (first == second or one.key.replace(" ", "") == other.key.replace(" ", ""))


def _together(hand: Hand) -> Iterator[Proposal]:
    """Find tags that stand together on most of their cards (Jaccard)."""
    pairs: Counter[tuple[int, int]] = Counter()
    for num in hand.index.features.rows():
        bearers = (
            hand.index.pool.claimant(term[4:]) for term in hand.index.postings.terms_of(num) if term[:4] == "tag:"
        )
        pairs.update(combinations(sorted({held.num for held in bearers if held}), 2))
    tags = {held.num: held for held in hand.index.pool.tags() if held.tag.status in ("active", "unexamined")}
    for (first, second), shared in pairs.items():
        if shared < TOGETHER or first not in tags or second not in tags:
            continue
        one, other = tags[first], tags[second]
        either = len(_cards(hand, one) | _cards(hand, other))
        if shared / either >= ALIKE and not relations.level_of(hand.index.pool, one, other):
            why = f"together on {shared} of {either} cards"
            yield Proposal("relate", one.tag.name, other.tag.name, "related", round(shared / either, 2), why)


def _cards(hand: Hand, held: Held) -> set[int]:
    return {num for key in hand.index.pool.keys(held.code) for num in hand.index.postings.cards(f"tag:{key}")}


def _df(hand: Hand, word: str) -> int:
    return hand.index.postings.df(f"tag:{text.key(word)}")
