"""Words that speak of one thing, and kinds of things with what belongs to them: what stands a little for what.

Law: pure, and from the shipped lists alone, so that what is indexed and what is asked agree. A change of the lists
changes `text.ANALYSER`.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from kit import shipped, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KIN, KIND = 0.4, 0.5
"""What a word of the same family weighs that was not asked for, and one that belongs to the kind asked for."""
_FAMILY, _KIND = "=", ":"
"""How the names of families and kinds begin, as no word does."""


class _Lists(NamedTuple):
    borne: Mapping[str, tuple[str, ...]]
    """by term, the families and kinds it belongs to"""
    asked: Mapping[str, tuple[tuple[str, float], ...]]
    """by term, those it asks for"""


@cache
def _lists() -> _Lists:
    borne: dict[str, dict[str, None]] = {}
    asked: dict[str, dict[str, float]] = {}
    for language in ("en", "zh"):
        for line in shipped.word_list(f"kin.{language}"):
            family = _terms(line)
            for term in family if len(family) > 1 else ():
                borne.setdefault(term, {})[_FAMILY + family[0]] = None
                asked.setdefault(term, {})[_FAMILY + family[0]] = KIN
        for line in shipped.word_list(f"kinds.{language}"):
            names, _, members = line.partition(":")
            kinds = _terms(names)
            for term in _terms(members):
                if term not in kinds:
                    borne.setdefault(term, {})[_KIND + kinds[0]] = None
            for term in kinds:
                asked.setdefault(term, {})[_KIND + kinds[0]] = KIND
    return _Lists(
        {term: tuple(names) for term, names in borne.items()},
        {term: tuple(names.items()) for term, names in asked.items()},
    )


def _terms(line: str) -> list[str]:
    """Analyse the words of a line; what is no single term can't be told from a text."""
    found = [text.terms(word) for word in line.split()]
    return [terms[0] for terms in dict.fromkeys(map(tuple, found)) if len(terms) == 1]


def borne(terms: Iterable[str]) -> list[str]:
    """Name the families and kinds that the terms of a text belong to, each as often as its terms come."""
    known = _lists().borne
    return list(chain.from_iterable(map(known.__getitem__, filter(known.__contains__, terms))))


def asked(words: Mapping[str, float]) -> dict[str, float]:
    """Name the families and kinds that a question asks for, each with its weight, by its terms and theirs."""
    known = _lists().asked
    found: dict[str, float] = {}
    for word, weight in words.items():
        for name, share in known.get(word, ()):
            found[name] = max(found.get(name, 0.0), share * weight)
    return found


def is_name(term: str) -> bool:
    """Tell the name of a family or a kind from a term of a text."""
    return term[0] in (_FAMILY, _KIND)
