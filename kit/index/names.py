"""Tags in memory by everything they are called: which one a word, a link or a code leads to, and back.

Law: a tag is exactly its note, and links are resolved when they are followed, so one edited note costs one entry.
A name that two tags claim belongs to the one that is *named* so, then to the first path.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from typing import TYPE_CHECKING

from kit import text
from kit.index.held import Held, callings_of, handles_of, links_of, names_of, take_out, targets_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from kit.model.notes import Level, Tag

IMPLICIT = "="
"""Before the code of a word that stands on cards but has no tag note."""


class Names(ABC):
    """The tags of a pool, found by what they are called."""

    def __init__(self) -> None:
        self._tags: dict[int, Held] = {}
        self._claims: dict[str, set[int]] = defaultdict(set)
        self._codes: dict[str, set[int]] = defaultdict(set)
        self._paths: dict[str, int] = {}
        self._handles: dict[str, set[int]] = defaultdict(set)
        self._merged: dict[str, set[int]] = defaultdict(set)
        self._back: dict[str, set[int]] = defaultdict(set)
        """Which tags' notes relate to what a link calls so"""
        self._own: dict[int, dict[int, Level]] = {}
        self._near: dict[tuple[int, Level], list[Held]] = {}
        self._known_words: dict[int, frozenset[str]] = {}

    @abstractmethod
    def load(self) -> None:
        """Read the pool into memory, once."""

    # -- by note

    def tags(self) -> list[Held]:
        """List every tag note, by path."""
        self.load()
        return sorted(self._tags.values(), key=lambda held: held.path)

    def tag(self, num: int) -> Tag | None:
        """Find the tag of a note's number."""
        self.load()
        held = self._tags.get(num)
        return held.tag if held else None

    def names(self, num: int) -> set[str]:
        """List the folded names and aliases that a tag note claims."""
        self.load()
        held = self._tags.get(num)
        return names_of(held) if held else set()

    def at_path(self, path: str) -> Held | None:
        """Find the tag of a note's path."""
        self.load()
        num = self._paths.get(path)
        return None if num is None else self._tags[num]

    def at_num(self, num: int) -> Held | None:
        """Find the tag of a note's number."""
        self.load()
        return self._tags.get(num)

    # -- from words to tags

    def claimant(self, key: str) -> Held | None:
        """Find the tag that a folded name belongs to."""
        self.load()
        nums = self._claims.get(key)
        if not nums:
            return None
        return min((self._tags[num] for num in nums), key=lambda held: (held.key != key, held.path))

    def also_claiming(self, key: str) -> list[Held]:
        """List the other tags that claim a folded name, by path."""
        nums = self._claims.get(key, ())
        owner = self.claimant(key) if len(nums) > 1 else None
        others = [self._tags[num] for num in nums if owner and num != owner.num]
        return sorted(others, key=lambda held: held.path)

    def at_code(self, code: str) -> Held | None:
        """Find the tag of a code."""
        self.load()
        return self._first(self._codes.get(code, ()))

    def linked(self, link: str) -> Held | None:
        """Resolve a link or a plain word to a tag: by path, then name or alias, then code, file name or id."""
        self.load()
        target = link.removesuffix(".md")
        num = self._paths.get(f"{target}.md")
        if num is not None:
            return self._tags[num]
        word = target.rsplit("/", 1)[-1]
        found = self.claimant(text.key(word)) or self.claimant(text.key(target)) or self.at_code(target)
        return found or self._first(self._handles.get(text.key(word), ()))

    def _first(self, nums: Collection[int]) -> Held | None:
        return min((self._tags[num] for num in nums), key=lambda held: held.path, default=None)

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
            found = frozenset(key for tag in tags for key in names_of(tag) if self.claimant(key) is tag)
            self._known_words[held.num] = found
        return found

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
        found = {num for link in callings_of(target) for num in self._merged.get(link, ())}
        return [
            self._tags[num]
            for num in sorted(found)
            if self._tags[num].tag.status == "merged" and self.linked(self._tags[num].tag.merged_to) is target
        ]

    # -- keeping the maps

    def _forget_ways(self) -> None:
        if self._own or self._known_words:
            self._own, self._near, self._known_words = {}, {}, {}

    def _hold(self, held: Held) -> None:
        self._forget_ways()
        self._tags[held.num] = held
        self._paths[held.path] = held.num
        for key in names_of(held):
            self._claims[key].add(held.num)
        for key in handles_of(held):
            self._handles[key].add(held.num)
        self._codes[held.code].add(held.num)
        if held.tag.merged_to:
            self._merged[text.key(held.tag.merged_to)].add(held.num)
            self._merged[text.key(held.tag.merged_to.rsplit("/", 1)[-1])].add(held.num)
        for link in links_of(held.tag):
            for key in targets_of(link):
                self._back[key].add(held.num)

    def _release(self, num: int) -> None:
        held = self._tags.pop(num, None)
        if held is None:
            return
        self._forget_ways()
        self._paths.pop(held.path, None)
        for link in links_of(held.tag):
            for key in targets_of(link):
                take_out(self._back, key, num)
        for key in names_of(held):
            take_out(self._claims, key, num)
        for key in handles_of(held):
            take_out(self._handles, key, num)
        take_out(self._codes, held.code, num)
        if held.tag.merged_to:
            take_out(self._merged, text.key(held.tag.merged_to), num)
            take_out(self._merged, text.key(held.tag.merged_to.rsplit("/", 1)[-1]), num)
