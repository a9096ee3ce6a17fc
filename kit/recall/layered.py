"""The order of dsh-layered-memory, for those who know it: shared words, tags, importance, age, tier.

Law: pure reading; its formula and nothing else. An entry is the summary of its note. A tag counts as hit where the
question speaks of it, by whatever name the pool knows; a score may pass 1, as it does there.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.model.hits import Hit, Reason
from kit.recall import match, silence
from kit.recall.sieve import saying

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kit.index.features import Features
    from kit.index.reflection import Index
    from kit.recall.match import Concept
    from kit.recall.query import Query
    from kit.recall.sieve import Gate

WORD, MOST_WORDS, COVERAGE, DENSITY, TAG = 0.15, 3, 0.40, 0.10, 0.15
IMPORTANCE_FLOOR, AGE_FLOOR, AGE_DAYS, DAY = 0.75, 0.40, 45.0, 86400.0
TIERS = {"semantic": 1.15, "episodic": 1.0, "transient": 0.55}
SMALL = 100
"""Entries a memory counts as having at least where rarity founds a hit."""
NAMED = 6
_RUN = re.compile(rf"[{text.CJK}]+|[^\W_{text.CJK}]+")


class _Scored(NamedTuple):
    """An entry with its score; compared by score, then by when it last changed."""

    score: float
    changed: float
    num: int
    shared: frozenset[str]
    size: int


@lru_cache(maxsize=8192)
def tokens(said: str) -> frozenset[str]:
    """Split a text: CJK characters one by one and in pairs, other words whole."""
    found: set[str] = set()
    for run in _RUN.findall(text.fold(said)):
        if text.is_cjk(run):
            found.update(run)
            found.update(map("".join, pairwise(run)))
        else:
            found.add(run)
    return frozenset(found)


def overlap(matched: int, asked: int, size: int, *, tag: bool) -> float:
    """Score what an entry shares with a question, before importance, age and tier."""
    density = matched / size if size else 0.0
    return WORD * min(matched, MOST_WORDS) + COVERAGE * matched / max(1, asked) + DENSITY * density + TAG * tag


def standing(row: Features, now: float) -> float:
    """Multiply importance, age and tier."""
    days = max(0.0, (now - row.created) / DAY)
    aged = AGE_FLOOR + (1 - AGE_FLOOR) * math.exp(-days / AGE_DAYS)
    return (IMPORTANCE_FLOOR + (1 - IMPORTANCE_FLOOR) * row.importance / 5) * aged * TIERS.get(row.layer, 1.0)


def hits(index: Index, query: Query, gate: Gate, concepts: Sequence[Concept]) -> tuple[Hit, ...]:
    """Answer a question in that order; of entries that say the same, the best one."""
    asked, now = tokens(query.text), query.now.timestamp()
    tagged = _tagged(index, concepts)
    known: Counter[str] = Counter()
    found: list[_Scored] = []
    for num in index.features.rows():
        row = gate.row(num)
        if row is None:
            continue
        own = tokens(row.shown)
        shared = asked & own
        known.update(shared)
        if shared or num in tagged:
            value = overlap(len(shared), len(asked), len(own), tag=num in tagged) * standing(row, now)
            if value >= query.threshold:
                found.append(_Scored(value, row.created, num, shared, len(own)))
    rows = index.features.rows()
    distinct: dict[str, _Scored] = {}
    for one in sorted(found, key=lambda one: (-one.score, -one.changed, -one.num)):
        distinct.setdefault(saying(rows[one.num]), one)
    return tuple(
        _hit(index, one, len(asked), now, tagged.get(one.num), known) for one in list(distinct.values())[: query.limit]
    )


def _tagged(index: Index, concepts: Sequence[Concept]) -> dict[int, Concept]:
    """Find the entries that bear a tag the question names: as it is, by an alias, or merged; no detour."""
    found: dict[int, Concept] = {}
    for concept in concepts:
        for way in concept.ways:
            if way.factor in ("direct", "alias", "merged", "stem"):
                for term in way.terms:
                    found.update(dict.fromkeys(index.postings.cards(term), concept))
    return found


def _hit(index: Index, one: _Scored, asked: int, now: float, tag: Concept | None, known: Counter[str]) -> Hit:
    row, entry = index.features.rows()[one.num], index.catalog.numbered(one.num)
    matched = len(one.shared)
    named = ", ".join(sorted(one.shared, key=lambda word: (-len(word), word))[:NAMED])
    said = [
        Reason("words", WORD * min(matched, MOST_WORDS), "+", f"shares {matched}: {named}" if named else "shares none"),
        Reason("coverage", COVERAGE * matched / max(1, asked), "+", f"{matched} of the question's {asked}"),
        Reason("density", DENSITY * matched / max(1, one.size), "+", f"{matched} of its own {one.size}"),
    ]
    if tag:
        said.append(Reason("tag", TAG, "+", tag.ways[0].note))
    days = max(0.0, (now - row.created) / DAY)
    said += [
        Reason(
            "importance", IMPORTANCE_FLOOR + (1 - IMPORTANCE_FLOOR) * row.importance / 5, "×", f"{row.importance} of 5"
        ),
        Reason("decay", AGE_FLOOR + (1 - AGE_FLOOR) * math.exp(-days / AGE_DAYS), "×", f"{days:.1f} days old"),
        Reason("layer", TIERS.get(row.layer, 1.0), "×", f"{row.layer} memory"),
        _ground(index, one, tag, known),
    ]
    created = datetime.fromtimestamp(row.created).astimezone() if row.created else None
    return Hit(entry.id if entry else "", row.kind, entry.path if entry else "", one.score, created, tuple(said))


def _ground(index: Index, one: _Scored, tag: Concept | None, known: Counter[str]) -> Reason:
    """Say how much was found at all, for hooks, which tell nothing that is not well founded."""
    notes = max(SMALL, len(index.features.rows()))
    worth = 0.0
    for word in one.shared - text.stop_words():
        size = 1.0 if not text.is_cjk(word) else 0.5 if len(word) > 1 else 0.0  # pairs overlap
        worth += size * match.rarity(known[word], notes)
    return silence.ground(match.rarity(tag.frequency, notes) if tag else 0.0, worth)
