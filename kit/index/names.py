"""Tags in memory by everything they are called: which one a word, a link or a code leads to, and back.

Law: a tag is exactly its note, and links are resolved when they are followed, so one edited note costs one entry.
A name that two tags claim belongs to the one that is *named* so, then to the first path.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kit import text
from kit.index.held import CLAIMED, CODED, HANDLED, MERGED, Held, callings_of, names_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from kit.model.notes import Level, Tag

IMPLICIT = "="
"""Before the code of a word that stands on cards but has no tag note."""


class Names(ABC):
    """The tags of a pool, found by what they are called."""

    def __init__(self) -> None:
        self._own: dict[int, dict[int, Level]] = {}
        self._near: dict[tuple[int, Level], list[Held]] = {}
        self._known_words: dict[int, frozenset[str]] = {}

    @abstractmethod
    def at_num(self, num: int) -> Held | None:
        """Find the tag of a note's number."""

    @abstractmethod
    def at_path(self, path: str) -> Held | None:
        """Find the tag of a note's path."""

    @abstractmethod
    def called(self, sort: int, key: str) -> Collection[int]:
        """Name the tags that a word leads to in one way: see `held.callings`."""

    @abstractmethod
    def tags(self) -> list[Held]:
        """List every tag note, by path."""

    # -- by note

    def tag(self, num: int) -> Tag | None:
        """Find the tag of a note's number."""
        held = self.at_num(num)
        return held.tag if held else None

    def names(self, num: int) -> set[str]:
        """List the folded names and aliases that a tag note claims."""
        held = self.at_num(num)
        return names_of(held) if held else set()

    def all_called(self, sort: int, keys: Collection[str]) -> list[Held]:
        """List the tags that any of these words leads to in one way."""
        nums = {num for key in keys for num in self.called(sort, key)}
        return [held for num in sorted(nums) if (held := self.at_num(num))]

    # -- from words to tags

    def claimant(self, key: str) -> Held | None:
        """Find the tag that a folded name belongs to."""
        nums = self.called(CLAIMED, key)
        if len(nums) == 1:  # as nearly all
            return self.at_num(next(iter(nums)))
        claims = self.all_called(CLAIMED, (key,))
        return min(claims, key=lambda held: (held.key != key, held.path), default=None)

    def also_claiming(self, key: str) -> list[Held]:
        """List the other tags that claim a folded name, by path."""
        claims = self.all_called(CLAIMED, (key,))
        owner = self.claimant(key) if len(claims) > 1 else None
        return sorted((held for held in claims if owner and held.num != owner.num), key=lambda held: held.path)

    def at_code(self, code: str) -> Held | None:
        """Find the tag of a code."""
        return self._first(CODED, code)

    def linked(self, link: str) -> Held | None:
        """Resolve a link or a plain word to a tag: by path, then name or alias, then code, file name or id."""
        target = link.removesuffix(".md")
        if at_path := self.at_path(f"{target}.md"):
            return at_path
        word = target.rsplit("/", 1)[-1]
        found = self.claimant(text.key(word)) or self.claimant(text.key(target)) or self.at_code(target)
        return found or self._first(HANDLED, text.key(word))

    def _first(self, sort: int, key: str) -> Held | None:
        return min(self.all_called(sort, (key,)), key=lambda held: held.path, default=None)

    def code_of(self, key: str) -> str:
        """Name the code a folded name stands for; a word without a tag note is its own code."""
        held = self.claimant(key)
        return held.code if held else f"{IMPLICIT}{key}"

    def redirect(self, held: Held) -> Held | None:
        """Follow `merged_to` to the tag that recalls, through any length of chain.

        None for a deprecated tag, a missing target and a cycle.
        """
        seen: set[int] = set()
        while held.tag.status == "merged":
            if held.num in seen:
                return None
            seen.add(held.num)
            onward = self.linked(held.tag.merged_to)
            if onward is None:
                return None
            held = onward
        return None if held.tag.status == "deprecated" else held

    # -- from tags to the words cards bear

    def keys(self, code: str) -> frozenset[str]:
        """List the words that count as a tag: its name, its aliases, and those of tags merged into it."""
        if code.startswith(IMPLICIT):
            return frozenset((code.removeprefix(IMPLICIT),))
        held = self.at_code(code)
        return self.words(held) if held else frozenset()

    def words(self, held: Held) -> frozenset[str]:
        """List the words that count as a tag note, as `keys`; for two notes with one code, those of this one."""
        found = self._known_words.get(held.num)
        if found is None:
            tags = self._family(held)
            found = frozenset(key for tag in tags for key in names_of(tag) if self._belongs(key, tag))
            self._known_words[held.num] = found
        return found

    def _belongs(self, key: str, held: Held) -> bool:
        claimant = self.claimant(key)
        return claimant is not None and claimant.num == held.num

    def _family(self, held: Held) -> list[Held]:
        """List a tag and all that were merged into it, through any length of chain."""
        found: dict[int, Held] = {}
        queue = [held]
        while queue:
            tag = queue.pop()
            if tag.num not in found:
                found[tag.num] = tag
                queue += self.merged_into(tag)
        return list(found.values())

    def merged_into(self, target: Held) -> list[Held]:
        """List the tags whose signposts name this one."""
        merged = (held for held in self.all_called(MERGED, callings_of(target)) if held.tag.status == "merged")
        return [held for held in merged if (onward := self.linked(held.tag.merged_to)) and onward.num == target.num]

    def _forget_ways(self) -> None:
        if self._own or self._known_words:
            self._own, self._near, self._known_words = {}, {}, {}
