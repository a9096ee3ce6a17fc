"""What a rule is that reads a plain statement, and what it makes of one.

Law: values only; the rules themselves stand in `patterns` (English) and `chinese`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kit.model.notes import Category

EXPLICIT, INFERRED = 0.9, 0.7


class Match(NamedTuple):
    """What a rule read out of a clause."""

    category: Category
    about: str
    """What the key is derived from."""
    value: str
    confidence: float
    why: str
    correction: bool = False
    text: str = ""
    """The part of the clause that was read; empty: all of it."""


class Rule(NamedTuple):
    """One shape; the groups `about` and `value` are optional, the whole clause stands in for them."""

    shape: re.Pattern[str]
    category: Category
    confidence: float
    why: str
    correction: bool = False


def rule(shape: str, category: Category, confidence: float, why: str, *, correction: bool = False) -> Rule:
    """Make a rule of a pattern that ignores case."""
    return Rule(re.compile(f"(?i){shape}"), category, confidence, why, correction)
