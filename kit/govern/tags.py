"""What the C-line does with tags: takes or refuses them, and gives a note to those worth one.

Law: generic words are refused in code, with the reason. A name that is known, even as deprecated or merged,
is never made again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import digest, text
from kit.govern import hand as hands
from kit.govern import lifecycle
from kit.vault import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import TagSource
    from kit.vault.note import Value

RECURS = 2
"""A word the rules found gets a note of its own when this many turns bear it; one that was given, at once."""


def allowed(hand: Hand, words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take the words that may be tags, as Obsidian writes them; say why the others may not."""
    taken: dict[str, str] = {}
    refused: list[str] = []
    for word in words:
        fresh = text.tag_word(word)
        held = hand.index.pool.claimant(text.key(fresh))
        why = None if held else digest.keyphrases.refused(fresh, df=_df(hand), cards=_cards(hand))
        if not text.key(fresh):
            refused.append(f"'{word}' holds no letter.")
        elif why:
            refused.append(f"'{word}': {why}")
        else:
            taken.setdefault(text.key(fresh), fresh)
    return tuple(taken.values()), tuple(refused)


def suggest(hand: Hand, user: str, agent: str, borne: Sequence[str] = ()) -> list[str]:
    """Find 2 to 4 words of a turn it could be found by, those the pool knows first.

    `borne` are the words its own note bears already: they are no witness for themselves.
    """
    found = digest.keyphrases.keyphrases(
        user, agent, known=_known(hand, borne), df=_df(hand, borne), cards=_cards(hand), person=_person(hand)
    )
    return [phrase.word for phrase in found]


def ensure(hand: Hand, words: Sequence[str], given: Sequence[str], at: datetime, *, retold: bool = False) -> list[str]:
    """Make the notes of new tags: those given with the turn, and those that recur; return their paths.

    `retold` for a note that says again what a card said: the two are one turn.
    """
    explicit = {text.key(word) for word in given}
    made: list[str] = []
    codes: set[str] = set()
    for word in words:
        key = text.key(word)
        if hand.index.pool.claimant(key):
            continue
        if key in explicit or _turns(hand, key) + (not retold) >= RECURS:
            made.append(_create(hand, word, "agent" if key in explicit else "rules", at, codes))
    return made


def _turns(hand: Hand, key: str) -> int:
    """Count the turns that bear a word; a fact or a summary is of a turn that is counted already, if there is one."""
    rows = hand.index.features.rows()
    kinds = [rows[num].kind for num in hand.index.postings.cards(f"tag:{key}") if num in rows]
    return kinds.count("card") or kinds.count("fact")


def _create(hand: Hand, word: str, source: TagSource, at: datetime, codes: set[str]) -> str:
    """Make the note of a new tag; a word that stands on a card tells what the card is about."""
    name = word.replace("-", " ") if " " not in word and text.is_cjk(word) else word
    code = lifecycle.fresh_code(hand, name, codes)
    codes.add(code)
    front: dict[str, Value | None] = {
        "id": hands.new_id(hand, at), "kind": "tag", "created": at, "code": code, "name": name,
        "status": "unexamined", "dimensions": ["content"], "source": source,
    }  # fmt: skip
    return hand.create(layout.named_path("tags", name), front, "")


def _known(hand: Hand, borne: Sequence[str] = ()) -> digest.keyphrases.Known:
    df = _df(hand, borne)

    def known(candidate: str) -> str | None:
        key = text.key(candidate)
        held = hand.index.pool.claimant(key)
        if held:
            target = hand.index.pool.redirect(held)
            return text.tag_word(target.tag.name) if target else None
        return text.tag_word(candidate) if df(candidate) > 0 else None

    return known


def _person(hand: Hand) -> Callable[[str], bool]:
    return lambda name: hand.index.postings.df(f"person:{text.key(name)}") > 0


def _df(hand: Hand, borne: Sequence[str] = ()) -> digest.keyphrases.Frequency:
    own = {text.key(word) for word in borne}
    return lambda word: hand.index.postings.df(f"tag:{text.key(word)}") - (text.key(word) in own)


def _cards(hand: Hand) -> int:
    return len(hand.index.features.rows())
