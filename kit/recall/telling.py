"""From a card that was found to a hit that can say why.

Law: every effect is a reason, and the reasons give the score again: sums of `+`, doubts of `∪`, products of `×`.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from kit.model.hits import Hit, Reason
from kit.recall import match, score, silence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kit.index.features import Features
    from kit.index.reflection import Index
    from kit.recall.engine import Query
    from kit.recall.match import Concept
    from kit.recall.sieve import Best, Found

SMALL = 100
"""Cards a vault counts as having at least where rarity founds a hit: in a small one nothing is rare."""
TWINS_NAMED = 3
"""Near-duplicates named with the card they were folded into."""


def hit(index: Index, query: Query, asked: score.Asked, concepts: Sequence[Concept], found: Found, best: Best) -> Hit:
    """Tell a card that was found, with every effect on its score."""
    row = index.features.rows()[found.num]
    said: list[Reason] = []
    weights = query.weights
    total = score.asked_weight(weights, concepts, query.unnamed)
    terms = set(index.postings.terms_of(found.num))
    for concept in concepts:
        way = next((way for way in concept.ways if terms.intersection(way.terms)), None)
        if way:
            share = score.weigh(weights, concept) / total * score.trust(weights, concept) * way.credit * weights.tags
            said.append(Reason(way.factor, share, "+", way.note))
    said += _told(query, found.num)
    said.append(_ground(index, query, concepts, found.num, terms))
    said += score.reasons(weights, row, asked)
    for num in best.same_as(row)[:TWINS_NAMED]:
        twin = index.catalog.numbered(num)
        said.append(Reason("duplicate", 1.0, "=", f"{twin.path if twin else 'another note'} says the same"))
    return _made(index, row, found.score, said)


def _ground(index: Index, query: Query, concepts: Sequence[Concept], num: int, terms: set[str]) -> Reason:
    """Say how much was found at all, whatever share of the question that is."""
    proof, tags = query.proofs.get(num), 0.0
    notes = max(SMALL, len(index.features.rows()))
    for concept in concepts:
        way = next((way for way in concept.ways if not terms.isdisjoint(way.terms)), None)
        if way and way.factor != "part":
            rare = 1.0 if way.factor == "time" else match.rarity(concept.frequency, notes)
            tags += way.credit * rare
    return silence.ground(tags, proof.worth if proof else 0.0)


def _told(query: Query, num: int) -> list[Reason]:
    """Say what the full text says for a card and beside it."""
    weights, proof, stands = query.weights, query.proofs.get(num), query.beside.get(num)
    said = [Reason("text", score.conviction(weights.text, proof.value), "∪", proof.note)] if proof else []
    if stands and stands.near:
        said.append(
            Reason("near", score.conviction(weights.near, stands.near), "∪", "words found in the turns beside it")
        )
    if stands and stands.topic:
        said.append(Reason("topic", score.conviction(weights.topic, stands.topic), "∪", "words found in its topic"))
    return said


def filled(index: Index, query: Query, asked: score.Asked, found: Found, round_: int, term: str) -> Hit:
    """Tell a card that only fills a place, with the tag that led to it."""
    row = index.features.rows()[found.num]
    word = term.partition(":")[2]
    said = [Reason("co-tag", found.proof, "+", f"shares '{word}' with a card found, round {round_}")]
    said += [one for one in score.reasons(query.weights, row, asked) if one.factor != "scene"]
    return _made(index, row, found.score, said)


def _made(index: Index, row: Features, value: float, said: Sequence[Reason]) -> Hit:
    entry = index.catalog.numbered(row.num)
    created: datetime | None = None
    with suppress(OverflowError, OSError, ValueError):  # years 1 and 9999 have no local time everywhere
        created = datetime.fromtimestamp(row.created).astimezone() if row.created else None
    return Hit(entry.id if entry else "", row.kind, entry.path if entry else "", min(1.0, value), created, tuple(said))
