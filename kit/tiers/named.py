"""What an operation on tiers is given: names of tiers and categories, and facts as an agent states them.

Law: what is wrong is told before anything is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

from kit import text
from kit.errors import BadInputError
from kit.model.notes import Category, Layer

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST_CJK = 3
"""Characters a fact has at least in a script without spaces."""


def check(layer: str, category: str) -> None:
    """Refuse a tier or a category that there is none of, and two that exclude each other."""
    for value, known, what in ((layer, get_args(Layer), "tier"), (category, get_args(Category), "category")):
        if value and value not in known:
            raise BadInputError(f"'{value:.60}' is no {what}.", f"Known: {', '.join(known)}.")
    if category and layer in ("transient", "episodic"):
        raise BadInputError(f"Only facts have a category, and '{layer}' holds none.", "Leave one of the two out.")


class Stated(NamedTuple):
    """A fact of a session, as it is told."""

    says: str
    category: str
    importance: int


def _is_lone_word(says: str) -> bool:
    word = says.strip().rstrip(".!?。！？")
    return len(word) < LEAST_CJK if text.is_cjk(word[:1]) else word.isalnum() and not any(map(text.is_cjk, word))


def stated(fact: Mapping[str, object]) -> Stated:
    """Read `{"text": …, "category": …, "importance": …}`; raises BadInputError."""
    says, category, weight = fact.get("text"), fact.get("category") or "", fact.get("importance", 3)
    odd = sorted(set(fact) - {"text", "category", "importance"})
    if odd:
        raise BadInputError(f"A fact has no '{odd[0]}'.", "It has text, category and importance.")
    if not isinstance(says, str) or not text.key(says) or not isinstance(category, str):
        raise BadInputError("A fact needs its text.", '{"text": "Reports go in tables", "category": "preference"}')
    if _is_lone_word(says):
        raise BadInputError(f"'{says.strip()}' is too short to be a fact.", "Say it in a sentence that stands alone.")
    if not isinstance(weight, int) or isinstance(weight, bool) or not 1 <= weight <= 5:  # noqa: PLR2004 - the scale
        raise BadInputError("A fact's importance is a whole number from 1 to 5.")
    check("", category)
    return Stated(says, category, weight)
