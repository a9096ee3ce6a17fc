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
    from collections.abc import Callable, Sequence

    from kit.index.features import Features
    from kit.index.reflection import Index
    from kit.recall.match import Concept, Way
    from kit.recall.query import Query
    from kit.recall.sieve import Best, Found

SMALL = 100
"""Cards a vault counts as having at least where rarity founds a hit: in a small one nothing is rare."""
PICKED, PERSON = 0.45, 0.8
"""Worth in rare tags: of one that rules picked at most, little more than a word; of a person who is named at least."""
UNHEARD = 0.3
"""Rare words up to which the full text has said nothing of a card."""
TWINS_NAMED = 3
"""Near-duplicates named with the card they were folded into."""


def hits(
    index: Index, query: Query, asked: score.Asked, concepts: Sequence[Concept], best: Best, ranked: Sequence[Found]
) -> list[Hit]:
    """Tell the cards that were found, best first, with every effect on their scores."""
    nums = [found.num for found in ranked]
    places, bears = index.catalog.places(nums), index.postings.bears
    total, rows = score.asked_weight(query.weights, concepts, query.unnamed), index.features.rows()
    told: list[Hit] = []
    for found in ranked:
        row, num = rows[found.num], found.num
        ways = [(concept, way) for concept in concepts if (way := _way(concept, num, bears))]
        said = [_reached(query, concept, way, total) for concept, way in ways]
        said += _told(query, found.num)
        said += _named(ways)
        said.append(_ground(index, query, ways, found.num))
        said += score.reasons(query.weights, row, asked)
        said += _twins(index, best, row)
        told.append(_made(places.get(num), row, found.score, said))
    return told


def _way(concept: Concept, num: int, bears: Callable[[int, str], bool]) -> Way | None:
    """Find the best way from a concept to a card."""
    for way in concept.ways:
        for term in way.terms:
            if bears(num, term):
                return way
    return None


def _reached(query: Query, concept: Concept, way: Way, total: float) -> Reason:
    """Say by which way a card was reached, and the share of what was asked that this is."""
    weights = query.weights
    share = score.weigh(weights, concept) / total * score.trust(weights, concept) * way.credit * weights.tags
    return Reason(way.factor, share, "+", way.note)


def _ground(index: Index, query: Query, ways: Sequence[tuple[Concept, Way]], num: int) -> Reason:
    """Say how much was found at all, whatever share of the question that is."""
    proof, tags = query.proofs.get(num), 0.0
    words = proof.worth if proof else 0.0
    notes = max(SMALL, len(index.features.rows()))
    for concept, way in ways:
        if way.factor != "part":
            rare = 1.0 if way.factor == "time" else match.rarity(concept.frequency, notes)
            rare = max(rare, PERSON) if way.factor == "person" else rare
            # What rules picked stands in the text: a tag that does not, somebody typed; one that was asked for counts.
            is_picked = concept.trust < 1 and words > UNHEARD and concept.word not in (query.tags or ())
            tags += way.credit * rare * (PICKED if is_picked else 1.0)
    return silence.ground(tags, words)


def _named(ways: Sequence[tuple[Concept, Way]]) -> list[Reason]:
    """Say which tags that somebody chose were called by a name of theirs."""
    found: dict[str, Reason] = {}
    for concept, way in ways:
        if way.factor in silence.NAMED and concept.trust > 1 and way.credit >= match.VIA["merged"]:
            found.setdefault(concept.name, Reason("named", way.credit, "=", f"'{concept.name}', which somebody chose"))
    return list(found.values())


def _told(query: Query, num: int) -> list[Reason]:
    """Say what the full text says for a card and beside it."""
    weights, (near, topic, answer, lent) = query.weights, query.beside
    said: list[Reason] = []
    if (gain := query.gains.get(num)) is not None:
        note = query.proofs[num].note if num in query.proofs else "words found"
        said.append(Reason("text", score.conviction(weights.text, gain), "∪", note))
    if (phrases := query.phrases.get(num)) and phrases.gain:
        why = f"{', '.join(map(repr, phrases.said))} together in a long text"
        said.append(Reason("phrase", score.conviction(weights.phrase, phrases.gain), "∪", why))
    if more := near.get(num):
        said.append(Reason("near", score.conviction(weights.near, more), "∪", "words found in the turns beside it"))
    if more := topic.get(num):
        said.append(Reason("topic", score.conviction(weights.topic, more), "∪", "words found in its topic"))
    if more := answer.get(num):
        why = "it follows a question with words found"
        said.append(Reason("answer", score.conviction(weights.answer, more), "∪", why))
    if more := lent.get(num):
        why = "words it lacks found in the turns beside it"
        said.append(Reason("lent", score.conviction(weights.lent, more), "∪", why))
    return said


def _twins(index: Index, best: Best, row: Features) -> list[Reason]:
    """Name the cards that say the same and were folded into this one."""
    nums = best.same_as(row)[:TWINS_NAMED]
    if not nums:
        return []
    places = index.catalog.places(nums)
    names = [places[num][1] if num in places else "another note" for num in nums]
    return [Reason("duplicate", 1.0, "=", f"{name} says the same") for name in names]


def filled(index: Index, query: Query, asked: score.Asked, found: Found, round_: int, term: str) -> Hit:
    """Tell a card that only fills a place, with the tag that led to it."""
    row = index.features.rows()[found.num]
    word = term.partition(":")[2]
    said = [Reason("co-tag", found.proof, "+", f"shares '{word}' with a card found, round {round_}")]
    said += [one for one in score.reasons(query.weights, row, asked) if one.factor != "scene"]
    return _made(index.catalog.places([found.num]).get(found.num), row, found.score, said)


def _made(place: tuple[str, str] | None, row: Features, value: float, said: Sequence[Reason]) -> Hit:
    note_id, path = place or ("", "")
    created: datetime | None = None
    with suppress(OverflowError, OSError, ValueError):  # years 1 and 9999 have no local time everywhere
        created = datetime.fromtimestamp(row.created).astimezone() if row.created else None
    return Hit(note_id, row.kind, path, min(1.0, value), created, tuple(said))
