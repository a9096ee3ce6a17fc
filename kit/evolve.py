"""How the tag pool grows better by itself: examines new tags, proposes relations and merges, by rules.

Law: certain and reversible things are done and written down; the rest is proposed with its evidence. Merging
is only ever proposed. A model may take the place of these rules; what it may do is the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, islice
from typing import TYPE_CHECKING, NamedTuple

from kit import digest, text
from kit.errors import KitError
from kit.govern import lifecycle, relations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.hand import Hand
    from kit.index.pool import Held
    from kit.model.notes import Level, TagStatus

CERTAIN = 0.8
"""Evidence from which a proposal is carried out without asking, when it can be undone."""
TOGETHER = 3
"""Cards two tags must share before that says anything."""
ALIKE = 0.5
"""Definitions, or sets of cards, this alike suggest a relation."""
SAME_NAME, WITHIN_NAME = 0.85, 0.6
"""What it says when two names differ by form alone; when one holds the other (`tag pool`, `tag pool management`)."""
UNUSED_DAYS = 180.0
_AT_ONCE = 1_000
CROWD = 30
"""A word that more tags share tells none of them apart."""


class Proposal(NamedTuple):
    """Something that could be done to the pool."""

    what: str
    """activate, deprecate, relate or merge"""
    tag: str
    other: str
    level: str
    evidence: float
    """0 to 1"""
    why: str


class _Sign(NamedTuple):
    """One thing that speaks for a relation of two tags."""

    evidence: float
    why: str
    level: Level = "related"


def proposals(hand: Hand, now: datetime, share: float) -> list[Proposal]:
    """Say all that could be done, the surest first; `share` of the cards is too many for one tag."""
    tags = _living(hand)
    found = [*_judged(hand, share), *_common(hand, share), *_unused(hand, now), *_related(hand, tags, tags)]
    return sorted(found, key=lambda one: (-one.evidence, one.tag, one.other, one.what))


def evolve(hand: Hand, now: datetime, share: float) -> tuple[list[Done], list[Proposal]]:
    """Do what is certain and can be undone; return that, and what is left to the person."""
    done, left = _carry_out_all(hand, proposals(hand, now, share), now)
    try:
        whole = relations.complete(hand, now, "maintain")
    except KitError:
        whole = None
    return [*done, *([whole] if whole else [])], left


def judge(hand: Hand, share: float) -> list[Proposal]:
    """Judge the tags nobody has examined: generic ones go, others become active, related to what they are like.

    What is certain only, in the order in which to do it.
    """
    if not hand.index.pool.has_unexamined():  # mostly so, and of a large pool all else takes a while
        return []
    tags = _living(hand)
    fresh = [held for held in tags if held.tag.status == "unexamined"]
    found = sorted(
        [*_judged(hand, share), *_related(hand, fresh, tags)], key=lambda one: (one.what != "relate", -one.evidence)
    )
    return [one for one in found if _is_certain(one)]


def settle(hand: Hand, proposal: Proposal, now: datetime) -> Done | None:
    """Do what was judged certain, unless somebody has decided about the tag since."""
    held = hand.index.pool.claimant(text.key(proposal.tag))
    if held is None or (proposal.what != "relate" and held.tag.status != "unexamined"):
        return None
    try:
        return _carry_out(hand, proposal, now)
    except KitError:  # its note is being edited, or can't be read: the next time will do
        return None


def _is_certain(proposal: Proposal) -> bool:
    return proposal.what != "merge" and proposal.evidence >= CERTAIN


def _carry_out_all(hand: Hand, found: Iterable[Proposal], now: datetime) -> tuple[list[Done], list[Proposal]]:
    done: list[Done] = []
    left: list[Proposal] = []
    for proposal in found:
        if not _is_certain(proposal):
            left.append(proposal)
            continue
        try:
            made = _carry_out(hand, proposal, now)
        except KitError as error:  # its note is being edited, or can't be read: the next time will do
            left.append(proposal._replace(why=f"{proposal.why} ({error.what})"))
            continue
        done += [made] if made else []
    return done, left


def _carry_out(hand: Hand, proposal: Proposal, now: datetime) -> Done | None:
    if proposal.what == "relate":
        level: Level = "synonym" if proposal.level == "synonym" else "related"
        return relations.relate(hand, proposal.tag, proposal.other, level, now, "maintain", proposal.why)
    status: TagStatus = "active" if proposal.what == "activate" else "deprecated"
    return lifecycle.set_status(hand, proposal.tag, status, now, "maintain", proposal.why)


def _living(hand: Hand) -> list[Held]:
    return [held for held in hand.index.pool.tags() if held.tag.status in ("active", "unexamined")]


def _judged(hand: Hand, share: float) -> Iterator[Proposal]:
    """Judge every unexamined tag: generic ones go, others become active. What a person made is never refused."""
    cards = len(hand.index.features.rows())
    for held in hand.index.pool.tags():
        if held.tag.status != "unexamined":
            continue
        why = digest.keyphrases.refused(held.tag.name) or _too_common(hand, held, cards, share)
        if why and held.tag.source not in ("person", "system"):
            yield Proposal("deprecate", held.tag.name, "", "", 0.9, why)
        elif why:
            yield Proposal("deprecate", held.tag.name, "", "", 0.6, why)
        else:
            yield Proposal("activate", held.tag.name, "", "", 0.85, "it is concrete")


def _too_common(hand: Hand, held: Held, cards: int, share: float) -> str:
    bearing = len(_cards(hand, held)) if cards >= digest.keyphrases.COMMON_FROM else 0
    return f"it stands on {bearing} of {cards} cards and tells none apart" if bearing > share * cards else ""


def _common(hand: Hand, share: float) -> Iterator[Proposal]:
    """Find active tags that stand on too many cards; whether they may go is the person's to say."""
    cards = len(hand.index.features.rows())
    for held in hand.index.pool.tags():
        why = _too_common(hand, held, cards, share) if held.tag.status == "active" else ""
        if why:
            yield Proposal("deprecate", held.tag.name, "", "", 0.7, why)


def _unused(hand: Hand, now: datetime) -> Iterator[Proposal]:
    for held in hand.index.pool.tags():
        tag = held.tag
        if tag.status != "active" or tag.source in ("person", "system") or not tag.created:
            continue
        age = (now - tag.created).total_seconds() / 86400
        if age > UNUSED_DAYS and not _cards(hand, held):
            yield Proposal("deprecate", tag.name, "", "", CERTAIN, f"{age:.0f} days old and on no card")


def _related(hand: Hand, some: Collection[Held], tags: Collection[Held]) -> Iterator[Proposal]:
    """Propose relations of some tags to any: every sign for a pair makes it surer, 1 − ∏(1 − sign)."""
    signs: defaultdict[tuple[int, int], list[_Sign]] = defaultdict(list)
    asked = {held.num for held in some}
    for one, other in _near(some, tags):
        signs[one.num, other.num] += _compare(one, other)
    for pair, sign in _together(hand, asked, {held.num: held for held in tags}):
        signs[pair].append(sign)
    for pair, found in signs.items():
        first, second = hand.index.pool.at_num(pair[0]), hand.index.pool.at_num(pair[1])
        if not found or first is None or second is None or hand.index.pool.level(first, second):
            continue
        doubt = 1.0
        for sign in found:
            doubt *= 1 - sign.evidence
        why = "; ".join(sign.why for sign in found)
        level = "synonym" if any(sign.level == "synonym" for sign in found) else "related"
        evidence = round(min(0.95, 1 - doubt), 2)
        yield Proposal("relate", first.tag.name, second.tag.name, level, evidence, why)
        if level == "synonym":
            yield Proposal("merge", first.tag.name, second.tag.name, "", evidence, why)


def _near(some: Collection[Held], tags: Collection[Held]) -> Iterator[tuple[Held, Held]]:
    """Pair tags that share a word in their names, aliases or definitions."""
    by_word: dict[str, list[Held]] = {}
    for held in tags:
        words = text.terms(" ".join((held.key, *held.tag.aliases, *held.tag.definitions)))
        for word in {*words, *_bare(held)}:
            by_word.setdefault(word, []).append(held)
    asked = {held.num for held in some}
    seen: set[tuple[int, int]] = set()
    for group in by_word.values():
        for first, second in combinations(group[:CROWD], 2):
            one, other = (first, second) if first.num < second.num else (second, first)
            if (one.num, other.num) not in seen and asked.intersection((one.num, other.num)):
                seen.add((one.num, other.num))
                yield one, other


def _bare(held: Held) -> set[str]:
    """Write each name of a tag without its blanks."""
    return {text.key(name).replace(" ", "") for name in (held.tag.name, *held.tag.aliases)}


def _compare(one: Held, other: Held) -> list[_Sign]:
    """Weigh what the notes of two tags say for a relation."""
    found: list[_Sign] = []
    if _bare(one) & _bare(other) or _stems(one.tag.name) == _stems(other.tag.name) != ():
        found.append(_Sign(SAME_NAME, "their names differ by form alone", "synonym"))
    elif _holds(one.tag.name, other.tag.name) or _holds(other.tag.name, one.tag.name):
        found.append(_Sign(WITHIN_NAME, "the name of one holds the other's"))
    likeness = digest.statements.similarity("; ".join(one.tag.definitions), "; ".join(other.tag.definitions))
    if one.tag.definitions and other.tag.definitions and likeness >= ALIKE:
        found.append(_Sign(round(likeness, 2), f"their definitions are {likeness:.0%} alike"))
    return found


def _stems(name: str) -> tuple[str, ...]:
    return tuple(sorted(text.terms(text.key(name))))


def _holds(whole: str, part: str) -> bool:
    """Tell whether a name of several words holds another in full; `C++` does not hold `C`."""
    if text.is_cjk(part):
        return len(text.key(part)) > 1 and text.key(part) in text.key(whole)
    parts, wholes = set(_stems(part)), set(_stems(whole))
    return bool(parts) and parts < wholes


def _together(hand: Hand, asked: Collection[int], tags: Mapping[int, Held]) -> Iterator[tuple[tuple[int, int], _Sign]]:
    """Find tags that stand together with one of the asked on most of their cards (Jaccard)."""
    cards = set[int]().union(*(_turns(hand, tags[num]) for num in asked))
    pairs: Counter[tuple[int, int]] = Counter()
    stream = iter(sorted(cards))
    while some := list(islice(stream, _AT_ONCE)):
        for terms in hand.index.postings.terms_of_all(some).values():
            nums = {found for term in terms if (found := _bearer(hand, term)) in tags}
            both = combinations(sorted(num for num in nums if num is not None), 2)
            pairs.update((one, other) for one, other in both if one in asked or other in asked)
    for pair, shared in pairs.items():
        if shared < TOGETHER:
            continue
        either = len(_turns(hand, tags[pair[0]]) | _turns(hand, tags[pair[1]]))
        if shared / either >= ALIKE:
            yield pair, _Sign(round(shared / either, 2), f"together on {shared} of {either} cards")


def _bearer(hand: Hand, term: str) -> int | None:
    if not term.startswith("tag:"):
        return None
    held = hand.index.pool.claimant(term[4:])
    end = hand.index.pool.redirect(held) if held else None
    return end.num if end else None


def _cards(hand: Hand, held: Held) -> set[int]:
    return {num for key in hand.index.pool.words(held) for num in hand.index.postings.cards(f"tag:{key}")}


def _turns(hand: Hand, held: Held) -> set[int]:
    """Find the cards of a tag, without the facts and summaries that say again what a card said."""
    rows = hand.index.features.rows()
    return {num for num in _cards(hand, held) if num in rows and rows[num].kind == "card"}
