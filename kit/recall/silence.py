"""Whether what was recalled is worth telling unasked, and which of it: a wrong note costs more than a missing one.

Law: pure. Judged is how much was found at all, not only its share of the prompt: of a long prompt one rare tag is
enough, of a short one a lone common word is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.model.hits import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kit.model.hits import Hit

TAG_WORTH, WORD_WORTH = 2.0, 0.9
"""A tag was chosen by somebody; a word just occurs. Both times their rarity, 0 to 1."""
ENOUGH = 1.6
"""What the best founded hit must have: one rare tag, a person, or two rare words."""
SURE, AMPLE = 0.26, 2.5
"""Score the best founded hit must have: a fair share of the prompt; unless it has so much that any share will do.

So much are a word that is a tag by itself, and two rare words.
"""
WHOLE, ALONE = 0.75, 0.8
"""Who asks after their own affairs is told a hit that answers about all that is asked, though by one rare word."""
LEAST = 0.5
"""What every hit that is told must have of its own."""
MARGIN = 0.7
"""Share of the best hit's score below which another is not told with it, unless it answers for another named tag."""
FURTHER = 3
"""Hits asked for beyond the limit at most, one for each further tag that somebody chose and the prompt names."""
NAMED = ("direct", "alias", "merged")
"""The ways to a card from a name in the prompt."""


def ground(tags: float, words: float) -> Reason:
    """Say what a hit is founded on: the rarity of its tags and of its words, each rare one counting 1."""
    worth = TAG_WORTH * tags + WORD_WORTH * words
    return Reason("ground", worth, "=", f"founded on {tags:.1f} tags and {words:.1f} words, as rare ones count")


def worth_telling(hits: Sequence[Hit], *, own: bool = False) -> list[Hit]:
    """Choose the hits to tell unasked; none where not even one is well founded; `own`: see `WHOLE`.

    Where the prompt calls tags by their names, their cards answer; others only if they fit better or say very much.
    """
    founded = [(hit, _ground(hit), any(reason.factor == "named" for reason in hit.reasons)) for hit in hits]
    sound = [each for each in founded if each[1] >= ENOUGH or (own and each[0].score >= WHOLE and each[1] >= ALONE)]
    if not any(chosen or hit.score >= SURE or worth >= AMPLE for hit, worth, chosen in sound):
        return []
    best = max(hit.score for hit, worth, _ in founded if worth >= LEAST)
    called = max((hit.score for hit, _, chosen in sound if chosen), default=0.0)
    told: list[Hit] = []
    answered: set[str] = set()
    for hit, worth, chosen in founded:
        near = worth >= LEAST and hit.score >= MARGIN * best
        if called and not chosen:
            near = near and (worth >= AMPLE or (worth >= ENOUGH and hit.score >= called))
        names = {reason.note for reason in hit.reasons if reason.factor in NAMED}
        if near or (worth >= ENOUGH and not names <= answered):
            told.append(hit)
            answered |= names
    return told


def _ground(hit: Hit) -> float:
    return next((reason.value for reason in hit.reasons if reason.factor == "ground"), 0.0)
