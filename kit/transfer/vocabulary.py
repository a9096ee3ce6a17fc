"""What becomes of tags and scenes that come from elsewhere: made, united with those that are there, or known.

Law: reads only. A tag that is there keeps its name, its code and its standing; it is only given what it lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from kit import text
from kit.govern import lifecycle
from kit.govern.relations import LEVELS
from kit.transfer.compose import tag_path
from kit.transfer.pieces import Setting, mark
from kit.transfer.planned import KNOWN, Planned
from kit.vault import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Level, TagStatus
    from kit.transfer.compose import Composer
    from kit.transfer.pieces import Word


class _Pool(NamedTuple):
    """Tags that come together."""

    named: dict[str, Word]
    back: dict[str, list[tuple[str, str]]]
    """relations by the tag they lead to"""

    @classmethod
    def of(cls, words: Sequence[Word]) -> _Pool:
        """Gather tags by name."""
        back: dict[str, list[tuple[str, str]]] = {}
        for word in words:
            for level, other in word.relations:
                back.setdefault(text.key(other), []).append((level, word.name))
        return cls({text.key(word.name): word for word in words}, back)

    def relations(self, word: Word) -> list[tuple[str, str]]:
        """List a tag's relations, those that only the other one names among them; the strongest of each pair."""
        own = text.key(word.name)
        found: dict[str, tuple[str, str]] = {}
        for level, other in (*word.relations, *self.back.get(own, ())):
            key = text.key(other)
            if key != own and (key not in found or LEVELS.index(level) < LEVELS.index(found[key][0])):
                found[key] = (level, other)
        return list(found.values())


class Vocabulary:
    """Plans tags and scenes; `turned` holds the paths that are given out."""

    def __init__(
        self, hand: Hand, composer: Composer, give_id: Callable[[str, datetime], str], seen: set[str], turned: set[str]
    ) -> None:
        self._hand, self._composer, self._id, self._seen, self._turned = hand, composer, give_id, seen, turned
        self._codes: set[str] = set()
        self._made: dict[str, Word] = {}
        """tags planned here, by the name they have"""
        self._aliases: set[str] = set()

    def words(self, words: Sequence[Word]) -> list[Planned]:
        """Plan the tags of a pool together, so that they can be related to each other."""
        pool = _Pool.of(words)
        return [
            Planned(word, why=KNOWN) if mark(word.origin) in self._seen else self._word(word, pool) for word in words
        ]

    def _word(self, word: Word, new: _Pool) -> Planned:
        pool, key, named = self._hand.index.pool, text.key(word.name), new.named
        held = pool.claimant(key)
        if held and getattr(held.tag, "origin", "") != word.origin:
            return self._united(word, held.tag.name, held.tag.status, named)
        if not held and (twin := self._made.get(key)):
            return self._united(word, twin.name, twin.status, named)
        if held or tag_path(word.name) in self._turned:
            return Planned(word, why=KNOWN)
        self._made[key] = word
        self._turned.add(tag_path(word.name))
        code = word.code if word.code and pool.at_code(word.code) is None and word.code not in self._codes else ""
        code = code or lifecycle.fresh_code(self._hand, word.name, self._codes)
        self._codes.add(code)
        links: dict[str, list[str]] = {}
        for level, other in new.relations(word):
            if text.key(other) in named and pool.claimant(text.key(other)) is None:
                links.setdefault(level, []).append(f"[[{tag_path(named[text.key(other)].name).removesuffix('.md')}]]")
        drafts = self._composer.word(
            word._replace(aliases=self._free_aliases(word, named)), self._id(word.origin, word.at), code, links,
            self._merged(word, named),
        )  # fmt: skip
        return Planned(word, tuple(drafts))

    def _united(self, word: Word, name: str, status: TagStatus, named: dict[str, Word]) -> Planned:
        """Give a tag that has the name already what this one knows."""
        united = lifecycle.Defined(name, word.definitions, word.dimensions, self._free_aliases(word, named))  # type: ignore[arg-type]  # known words
        return Planned(word, why=KNOWN, define=united if status == "active" else None)

    def _free_aliases(self, word: Word, named: dict[str, Word]) -> tuple[str, ...]:
        """Take the aliases that no other tag is called by, here or in the vault."""
        found = tuple(
            each
            for each in word.aliases
            if (key := text.key(each)) not in self._aliases
            if key not in named and self._hand.index.pool.claimant(key) is None
        )
        self._aliases.update(map(text.key, found))
        return found

    def _merged(self, word: Word, named: dict[str, Word]) -> str:
        held = self._hand.index.pool.claimant(text.key(word.merged_to)) if word.merged_to else None
        target = held.path if held else ""
        if not target and text.key(word.merged_to) in named:
            target = tag_path(named[text.key(word.merged_to)].name)
        return f"[[{target.removesuffix('.md')}]]" if target else ""

    def setting(self, setting: Setting) -> Planned:
        """Plan a scene, and the one above it."""
        path = layout.named_path("scenes", setting.sub or setting.main, setting.main if setting.sub else "")
        wanted = text.key(f"{setting.main}/{setting.sub}" if setting.sub else setting.main)
        held = {
            text.key(each.path.removeprefix("scenes/").removesuffix(".md")) for each in self._hand.index.pool.scenes()
        }
        if wanted in held or path in self._turned:
            return Planned(setting, why=KNOWN)
        self._turned.add(path)
        drafts = self._composer.scene(setting, self._id(setting.origin, setting.at))
        if setting.sub and text.key(setting.main) not in held:
            above = Setting(f"{setting.origin}/..", setting.at, setting.main)
            drafts = [*self.setting(above).drafts, *drafts]
        return Planned(setting, tuple(drafts))


def relations(words: Sequence[Word], is_new: Callable[[str], bool]) -> list[tuple[str, str, Level]]:
    """List the relations that lead to a tag the vault had already: those are written as acts of their own."""
    found: dict[frozenset[str], tuple[str, str, Level]] = {}
    for word in words:
        for level, other in word.relations:
            pair = frozenset((text.key(word.name), text.key(other)))
            weaker = pair in found and LEVELS.index(found[pair][2]) <= LEVELS.index(cast("Level", level))
            if len(pair) > 1 and not weaker and not (is_new(word.name) and is_new(other)):
                found[pair] = (word.name, other, cast("Level", level))
    return list(found.values())
