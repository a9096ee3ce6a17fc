"""What a recall depends on: the question, and what the full text says to it.

Law: values alone; the same values give the same recall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit.model.perception import Perception
from kit.recall import score
from kit.recall.beside import Beside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from kit.recall import match


class TextProof(NamedTuple):
    """Where the full text found the words of a card."""

    note: str = "words found"
    """which fields"""
    worth: float = 0.0
    """the gain in words, each as rare as one that stands on a single card"""


class Phrases(NamedTuple):
    """What of a question stands together in a long card."""

    gain: float = 0.0
    """as the words gain: ÷ the rarity of all words asked"""
    said: tuple[str, ...] = ()
    """words that stand together"""


class Proofs(NamedTuple):
    """What the full text says to a question."""

    gains: Mapping[int, float] = {}
    """by card, what the words gain by BM25 ÷ the rarity of all words asked: 0 or more, seldom above 1"""
    remarks: tuple[str, ...] = ()
    rarity: Mapping[str, float] = {}
    """the words asked, each with how much it tells cards apart, 0 to 1"""
    tell: Callable[[Collection[int]], Mapping[int, TextProof]] = lambda _: {}
    """says more of the few cards that are told"""
    words: Callable[[Collection[int]], Mapping[int, Mapping[str, float]]] = lambda _: {}
    """says of some cards what each of the rarest words adds to their gains"""
    phrases: Mapping[int, Phrases] = {}
    """of the best cards those that are long, whether any words stand together there or not"""
    whole: bool = True
    """whether every card's words are known: else one that is found nowhere may still stand somewhere"""


class Query(NamedTuple):
    """Everything a recall depends on."""

    text: str
    now: datetime
    tags: tuple[str, ...] | None = None
    codes: tuple[str, ...] = ()
    """tag codes the caller knows already"""
    perception: Perception = Perception()
    scene: str = ""
    scene_sub: str = ""
    project: str = ""
    """only this project's memories and those of no project; empty: all"""
    topic: str = ""
    limit: int = 8
    threshold: float = 0.12
    weights: score.Weights = score.PROFILES["default"]
    co_tag_rounds: int = 3
    exclude: frozenset[str] = frozenset()
    """ids that may not come back: the turn's own card, what the session has seen"""
    gains: Mapping[int, float] = {}
    """what each card's words gain"""
    beside: Beside = Beside()
    phrases: Mapping[int, Phrases] = {}
    """what stands together in long cards"""
    proofs: Mapping[int, TextProof] = {}
    """more on the cards that are told"""
    unnamed: float = 0.0
    """the weight of the question's words that no feature covers"""
    remarks: tuple[str, ...] = ()
    times: tuple[match.Span, ...] = ()
    """times the question speaks of"""
    sought: score.Sought | None = None
    """the sort of answer the question asks for"""
    layer: str = ""
    """only this tier"""
    category: str = ""
    """only facts of this category"""
    further: int = 0
    """hits beyond the limit at most, one for each tag after the first that somebody chose and the question names"""
    witness: Callable[[str, Collection[str], Callable[[int], bool], int], Proofs] | None = None
    """the full text: asked with the words, those of them that name persons, which cards may be shown and how many"""
