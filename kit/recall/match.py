"""From a prompt's words to concepts: which tags and features it names, and every way to a card from there.

Law: pure reading. An unknown word is reported as missing; nothing is ever added to the pool here.
"""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.index.pool import IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from kit.index.lexicon import Mention
    from kit.index.pool import Held
    from kit.index.reflection import Index

SYNONYM_STEP = 0.8
"""Credit kept at each synonym hop; below 1, so a detour never beats the straight way."""
SYNONYM_HOPS = 3
RELATED_STEP = 0.5
CHOSEN, PICKED = 2.0, 0.5
"""How far a tag is trusted that a person, an agent or the kit has chosen, and one that rules picked from the words."""
TIME = 0.8
"""Credit of a card from the time that was spoken of."""
LONG_DAYS = 62
"""A time longer than this is looked up by months."""
VIA = {"name": 1.0, "alias": 0.97, "merged": 0.95, "stem": 0.93, "inside": 0.8, "part": 0.5}
"""Credit by how a name was found: as it is, an alias, by a merged tag, by its stems, in a longer name, by a part."""
PART_NAMES = 12
"""A word that is part of more names than this says too little to be followed."""
SURNAMED = 3
"""Characters of a Chinese name from which on its last two are what friends say; cards may know no more of it."""
DIMENSIONS = ("person", "place", "project", "key")


class Way(NamedTuple):
    """One way from a concept to cards."""

    code: str
    factor: str
    """direct, alias, merged, stem, part, synonym, related, person, place, project, key"""
    credit: float
    """0 to 1"""
    terms: tuple[str, ...]
    note: str


class Concept(NamedTuple):
    """One thing the prompt asks for; a card gets the credit of its best way, never of two."""

    name: str
    weight: float
    """how much it tells cards apart (idf), 0 to 1"""
    ways: tuple[Way, ...]
    """strongest first"""
    word: str = ""
    """what stood in the text"""
    frequency: int = 1
    """cards it leads to straight"""
    trust: float = 1.0
    """how far it is trusted: see `CHOSEN`"""

    @property
    def sort(self) -> str:
        """Tell a person and a time from everything else that can be asked for."""
        return next((way.factor for way in self.ways if way.factor in ("person", "time")), "")


class Span(NamedTuple):
    """A time the prompt speaks of, half-open."""

    start: datetime
    end: datetime
    words: str
    meant: bool = False
    """whether it narrows what is asked: else it only tells when something was"""


class Matched(NamedTuple):
    """What a prompt was understood as."""

    concepts: tuple[Concept, ...]
    missing: tuple[str, ...]
    malformed: tuple[str, ...]
    """paths of tag notes on the way that lack a definition or a dimension"""
    covered: frozenset[str] = frozenset()
    """search terms of the text that stand in a known name"""
    persons: frozenset[str] = frozenset()
    """those that stand in the name of a person and say no more than who is meant"""


def match(index: Index, asked: str, tags: Sequence[str] | None = None) -> Matched:
    """Understand a prompt: the tags given with it, then every known name in its text."""
    found: dict[str, Concept] = {}
    missing: list[str] = []
    on_way: dict[str, Held] = {}
    for word in tags or ():
        concept = _concept(index, [text.key(word)], "name", word, on_way)
        if concept:
            found[concept.name] = concept
        else:
            missing.append(word)
    words: dict[tuple[str, str], list[Mention]] = {}
    for mention in index.lexicon.find(asked):
        words.setdefault((mention.word, mention.via), []).append(mention)
    for (word, via), mentions in words.items():
        if via == "part":
            concept = _part_concept(index, word, mentions)
        else:
            concept = _concept(index, [mention.key for mention in mentions], via, word, on_way)
        if concept and (concept.name not in found or _credit(concept) > _credit(found[concept.name])):
            found[concept.name] = concept
    malformed = tuple(path for path, held in on_way.items() if is_malformed(held))
    covered = [word for word, _ in words if any(one.word == word for one in found.values())]
    persons = {one.word for one in found.values() if one.sort == "person"}
    given = {name[-2:] for name in persons if len(name) >= SURNAMED and text.is_cjk(name)}
    return Matched(
        tuple(found.values()), tuple(missing), malformed,
        _terms_in(covered), _terms_in(persons) - given,
    )  # fmt: skip


def is_known(index: Index, word: str) -> bool:
    """Tell whether a word leads to anything: a tag that recalls, or a word that stands on cards."""
    key = text.key(word)
    claimed = index.pool.claimant(key)
    return index.pool.redirect(claimed) is not None if claimed else index.postings.df(f"tag:{key}") > 0


def is_sought(index: Index, key: str) -> bool:
    """Tell whether a name leads to cards and was given by somebody: a tag, a person, a place, a project."""
    if any(index.postings.df(f"{dimension}:{key}") for dimension in ("person", "place", "project")):
        return True
    held = index.pool.claimant(key)
    target = index.pool.redirect(held) if held and held.tag.source != "rules" else None
    return target is not None and any(index.postings.df(term) for term in _terms(index, target))


def _terms_in(words: Iterable[str]) -> frozenset[str]:
    return frozenset(term for word in words for term in text.terms(word, unigrams=True))


def at_times(index: Index, spans: Sequence[Span]) -> list[Concept]:
    """Turn times that were spoken of into concepts: the days they cover, or the months where they are long."""
    found: list[Concept] = []
    for span in spans:
        terms = tuple(term for term in _calendar(span) if index.postings.df(term))
        if terms:
            frequency = sum(index.postings.df(term) for term in terms)
            way = Way("time", "time", TIME, terms, f"from the time of '{span.words}'")
            found.append(Concept(f"time:{span.words}", idf(index, frequency), (way,), frequency=frequency))
    return found


def _calendar(span: Span) -> Iterator[str]:
    day, last = span.start.date(), (span.end - timedelta(microseconds=1)).date()
    if (last - day).days > LONG_DAYS:
        month = day.replace(day=1)
        while month <= last:
            yield f"month:{month:%Y-%m}"
            month = (month + timedelta(days=32)).replace(day=1)
        return
    while day <= last:
        yield f"day:{day:%Y-%m-%d}"
        day += timedelta(days=1)


def is_malformed(held: Held) -> bool:
    """Tell whether a tag lacks what the current model of a tag asks for, or has keys of an older one."""
    return bool(held.lacks)


def idf(index: Index, frequency: int) -> float:
    """Weigh a feature by its rarity: 1 − ln(1+df) / ln(2+N), at least 0.05."""
    return rarity(frequency, len(index.features.rows()))


def rarity(frequency: int, total: int) -> float:
    """Weigh what stands on `frequency` of `total` cards: 1 − ln(1+df) / ln(2+N), at least 0.05."""
    return max(0.05, 1 - math.log1p(frequency) / math.log(2 + total))


def _credit(concept: Concept) -> float:
    return concept.ways[0].credit


def _concept(index: Index, keys: Sequence[str], via: str, word: str, on_way: dict[str, Held]) -> Concept | None:
    """Follow one word, whatever names it stands for: several names never ask for more than one does."""
    ways: list[Way] = []
    for key in keys:
        plain = list(_plain_ways(index, key, word))
        # Cards that merely speak of a person are found by their words; a question that names one means the person.
        if _is_chosen(index, key) or all(way.factor != "person" for way in plain):
            ways += _tag_ways(index, key, via, word, on_way)
        ways += plain
    ways.sort(key=lambda way: -way.credit)
    if not ways:
        return None
    best = {term for way in ways if way.credit == ways[0].credit for term in way.terms}
    frequency = max(1, sum(index.postings.df(term) for term in best))
    weight = idf(index, frequency) * max(1, len(_content(word)))
    trust = CHOSEN if any(_is_chosen(index, key) for key in keys) else 1.0
    if trust < CHOSEN and all(way.factor not in DIMENSIONS for way in ways):
        trust = PICKED
    return Concept(ways[0].code, weight, tuple(ways), word, frequency, trust)


def _content(word: str) -> list[str]:
    """List the words of a name that a question would be asked by; a phrase stands for all of them."""
    return [part for part in text.tokens(word) if part not in text.stop_words()]


def _is_chosen(index: Index, key: str) -> bool:
    """Tell whether somebody chose a tag: it has a note that no rule has made."""
    held = index.pool.claimant(key)
    return held is not None and held.tag.source != "rules"


def _tag_ways(index: Index, key: str, via: str, word: str, on_way: dict[str, Held]) -> Iterator[Way]:
    claimed = index.pool.claimant(key)
    if claimed is None:
        term = f"tag:{key}"
        if index.postings.df(term):
            yield Way(f"{IMPLICIT}{key}", "stem" if via == "stem" else "direct", VIA[via], (term,), f"tag '{word}'")
        return
    held = index.pool.redirect(claimed)
    if held is None:
        return
    on_way[held.path] = held
    factor, credit = "direct", VIA[via]
    said = f"tag '{held.tag.name}'"
    if held is not claimed:
        factor, credit, said = (
            "merged",
            min(credit, VIA["merged"]),
            f"tag '{held.tag.name}', merged from '{claimed.tag.name}'",
        )
    elif key != held.key:
        factor, credit, said = "alias", min(credit, VIA["alias"]), f"'{word}' is an alias of tag '{held.tag.name}'"
    elif via == "stem":
        factor, said = "stem", f"'{word}' has the stem of tag '{held.tag.name}'"
    yield Way(held.code, factor, credit, _terms(index, held), said)
    yield from _expand(index, held, credit)
    for other in index.pool.also_claiming(key):
        if onward := index.pool.redirect(other):
            note = f"'{word}' is an alias of tag '{onward.tag.name}', too"
            yield Way(onward.code, "alias", min(credit, VIA["alias"]), _terms(index, onward), note)


def _expand(index: Index, start: Held, credit: float) -> Iterator[Way]:
    """Widen a tag by its relations: synonyms level by level, related once, loose never."""
    seen = {start.num}
    level = [start]
    for hop in range(1, SYNONYM_HOPS + 1):
        reached: list[Held] = []
        for held in level:
            for onward in index.pool.neighbours(held, "synonym"):
                if onward.num not in seen:
                    seen.add(onward.num)
                    reached.append(onward)
                    note = f"'{onward.tag.name}', a synonym of '{held.tag.name}' (hop {hop})"
                    yield Way(onward.code, "synonym", credit * SYNONYM_STEP**hop, _terms(index, onward), note)
        level = reached
    for onward in index.pool.neighbours(start, "related"):
        if onward.num not in seen:
            seen.add(onward.num)
            note = f"'{onward.tag.name}', related to '{start.tag.name}'"
            yield Way(onward.code, "related", credit * RELATED_STEP, _terms(index, onward), note)


def _plain_ways(index: Index, key: str, word: str) -> Iterator[Way]:
    for dimension in DIMENSIONS:
        term = f"{dimension}:{key}"
        if index.postings.df(term):
            yield Way(term, dimension, VIA["name"], (term,), f"{dimension} '{word}'")


def _part_concept(index: Index, word: str, mentions: list[Mention]) -> Concept | None:
    """Follow a lone word that is part of known names: one concept, whatever name it leads to."""
    if len(mentions) > PART_NAMES:
        return None
    ways: dict[str, Way] = {}
    for mention in mentions:
        claimed = index.pool.claimant(mention.key)
        held = index.pool.redirect(claimed) if claimed else None
        if claimed and not held:
            continue
        code = held.code if held else f"{IMPLICIT}{mention.key}"
        own = _terms(index, held) if held else (f"tag:{mention.key}",)
        terms = (*own, *(f"{dimension}:{mention.key}" for dimension in DIMENSIONS))
        if any(index.postings.df(term) for term in terms):
            ways[code] = Way(code, "part", VIA["part"], terms, f"'{word}' is part of '{mention.key}'")
    if not ways:
        return None
    frequency = sum(index.postings.df(term) for way in ways.values() for term in way.terms)
    return Concept(f"{word}…", idf(index, frequency), tuple(ways.values()), word, frequency)


def _terms(index: Index, held: Held) -> tuple[str, ...]:
    return tuple(sorted(f"tag:{key}" for key in index.pool.words(held)))
