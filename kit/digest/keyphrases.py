"""The two to four words a turn is found by again: concrete, locatable, the pool's own words first.

Law: generic words are refused here, in code, with the reason; fewer tags rather than padded ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kit import shipped
from kit import text as analyser
from kit.digest import candidates, cuts

if TYPE_CHECKING:
    from collections.abc import Iterable

people = candidates.people

Known = Callable[[str], str | None]
"""Gives the pool's name of a candidate, or `None`."""
Frequency = Callable[[str], int]
"""Gives the number of cards a tag stands on."""

COMMON_SHARE = 0.2
"""A word in a larger share of the cards tells nothing apart."""
COMMON_FROM = 50
"""Below so many cards a share says nothing."""
_LONGEST_CJK = 8
_MOST_WORDS = 4
_LONGEST = 48


class Phrase(NamedTuple):
    """A tag a turn deserves."""

    word: str
    score: float
    why: str
    known: bool


@cache
def _generic() -> frozenset[str]:
    """Words that would fit ten unrelated topics, as folded stems."""
    found: set[str] = set()
    for name in ("generic.en", "generic.zh"):
        found.update(analyser.stem(analyser.key(word)) for word in shipped.word_list(name))
    return frozenset(found)


def _is_generic(name: str) -> bool:
    """Tell whether a folded name is generic, or made of nothing but generic and empty words."""
    empty = _generic() | candidates.borders() | analyser.stop_words()
    if name in cuts.whole() and len(name) > 2:  # noqa: PLR2004 - 小程序 is no 程序 that is small
        return False
    if analyser.is_cjk(name):
        at = 0
        run = name.replace(" ", "")
        while at < len(run):
            step = next((size for size in (4, 3, 2, 1) if run[at : at + size] in empty), 0)
            if not step:
                return False
            at += step
        return True
    words = re.split(r"[ \-]+", name)
    return all(analyser.stem(word) in empty or word in empty for word in words)


def _is_clause(word: str, name: str) -> bool:
    long = len(name) > _LONGEST or len(name.split()) > _MOST_WORDS
    return long or sum(map(analyser.is_cjk, name)) > _LONGEST_CJK or bool(re.search(r"[，。！？；]", word))


def refused(word: str, df: Frequency | None = None, cards: int = 0) -> str | None:
    """Say why a word may not be a tag; `None` when it may.

    `df` gives the number of cards a tag stands on, out of `cards`.
    """
    name = analyser.key(word.replace("-", " ") if not re.search(r"[./\\]", word) else word)
    tag = analyser.tag_word(word)
    reason = None
    if not name or not re.search(r"[^\W_]", name):
        reason = "it holds no word"
    elif re.fullmatch(r"[\d\s.,:/%年月日号+-]+", name):
        reason = "a number or date alone locates nothing"
    elif re.fullmatch(r"[0-9a-f]{7,}", name) and re.search(r"\d", name):
        reason = "a hash is not a word anybody asks by"
    elif (
        re.fullmatch(r"[a-z]|(?:[a-z]\.)+[a-z]?|(?:dr|mrs?|ms|prof|inc|ltd|corp)\.?", word.lower())
        and word != word.upper()[:1]
    ):
        reason = "a letter or an abbreviation locates nothing"
    elif _is_clause(word, name):
        reason = "it is a clause, not a word"
    elif name in _generic() or analyser.stem(name) in _generic():
        reason = "it is generic: it would fit ten unrelated topics"
    elif _is_generic(name):
        reason = "it is generic: an act or a filler without an object"
    elif df is not None and cards >= COMMON_FROM and df(tag) > COMMON_SHARE * cards:
        reason = f"it stands on {df(tag)} of {cards} cards and tells none apart"
    return reason


def _parts(word: str) -> frozenset[str]:
    """Split a phrase into what near-duplicates share: stems and CJK pairs."""
    parts = {analyser.stem(part) for part in re.findall(r"[^\W_]+", analyser.fold(word)) if part.isascii()}
    for run in re.findall(rf"[{analyser.CJK}]+", word):
        parts.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
    return frozenset(parts)


def _near(one: str, other: str) -> bool:
    """Tell whether two phrases are near-duplicates: same stems, or one holds the other."""
    left, right = _parts(one), _parts(other)
    return bool(left and right) and (left <= right or right <= left)


def keyphrases(
    text_user: str,
    text_agent: str,
    *,
    known: Known,
    df: Frequency,
    cards: int,
    limit: int = 4,
    person: Callable[[str], bool] = lambda _name: False,
) -> list[Phrase]:
    """Choose up to `limit` tags for a turn, best first; known tags lead.

    `known` gives the pool's name of a candidate (or `None`), `df` the number of cards a tag
    stands on, out of `cards`; `person` tells whether the vault knows somebody of that name, who is no tag.
    """
    named = {analyser.key(part) for name in people(f"{text_user}\n{text_agent}") for part in (name, *name.split())}
    weighed: dict[str, Phrase] = {}
    for found in candidates.weigh(text_user, text_agent, lambda word: known(word) is not None):
        pooled = known(found.word)
        name = pooled or found.word
        if refused(found.word, df, cards) or (not pooled and (person(name) or _names_person(name, named))):
            continue
        tag = analyser.tag_word(name)
        seen = df(tag)
        if cards >= COMMON_FROM and seen > COMMON_SHARE * cards:
            continue
        score = found.score + (3.0 if pooled else 0.3 * (seen > 0))
        why = f"known tag; {found.why}" if pooled else found.why
        if tag not in weighed or weighed[tag].score < score:
            weighed[tag] = Phrase(tag, round(score, 3), why, bool(pooled))
    ranked = sorted(weighed.values(), key=lambda phrase: (not phrase.known, -phrase.score, phrase.word))
    return _distinct(ranked, limit)


def _names_person(name: str, persons: set[str]) -> bool:
    """Tell whether a candidate is a person's name, or Chinese text that runs on from one."""
    folded = analyser.key(name)
    return folded in persons or any(analyser.is_cjk(person) and person in folded for person in persons)


def _distinct(ranked: Iterable[Phrase], limit: int) -> list[Phrase]:
    """Keep the best of near-duplicates, and let weak words go once two good ones stand."""
    kept: list[Phrase] = []
    for phrase in ranked:
        if len(kept) >= limit:
            break
        if any(_near(phrase.word, other.word) for other in kept):
            continue
        if len(kept) >= 2 and not phrase.known and phrase.score < candidates.GOOD:  # noqa: PLR2004 - two tags are enough
            break
        kept.append(phrase)
    return kept
