"""How good a ranking and an injection are: pure functions of what came back and what was expected.

Law: a note may hold several memories; each expected memory is found once, by the first note that holds it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

RECALL_AT = (1, 5, 10, 20)
HIT_AT = (1, 5, 10)
ALL_AT = (5, 10)
NDCG_AT = 10


def ranking(ranked: Sequence[AbstractSet[str]], expected: AbstractSet[str]) -> dict[str, float]:
    """Score a ranking of notes, each the ids it holds; nothing is scored where nothing is expected."""
    if not expected:
        return {}
    fresh: list[int] = []
    found: set[str] = set()
    for held in ranked:
        new = held & expected - found
        found |= new
        fresh.append(len(new))
    scores = {f"R@{k}": sum(fresh[:k]) / len(expected) for k in RECALL_AT}
    scores |= {f"Hit@{k}": float(any(fresh[:k])) for k in HIT_AT}
    scores |= {f"All@{k}": float(sum(fresh[:k]) == len(expected)) for k in ALL_AT}
    first = next((at for at, count in enumerate(fresh, 1) if count), 0)
    scores["MRR"] = 1 / first if first else 0.0
    scores[f"nDCG@{NDCG_AT}"] = _gain([bool(count) for count in fresh]) / _gain([True] * len(expected))
    return scores


def _gain(relevant: Sequence[bool]) -> float:
    return sum(1 / math.log2(at + 1) for at, is_one in enumerate(relevant[:NDCG_AT], 1) if is_one)


def exact(notes: Sequence[AbstractSet[str]], expected: AbstractSet[str], allowed: AbstractSet[str]) -> bool:
    """Tell whether just what is expected came back, and nothing beside it but what may."""
    found = set().union(*notes) if notes else set()
    return expected <= found and all(held & (expected | allowed) for held in notes)


def right(notes: Sequence[AbstractSet[str]], expected: AbstractSet[str]) -> int:
    """Count the notes that hold something expected."""
    return sum(1 for held in notes if held & expected)
