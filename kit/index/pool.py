"""The tag pool: what the words on cards mean, which tag a name leads to, how tags relate.

Law: in memory a tag is exactly its note; links are resolved when they are followed, so one edited note
costs one entry. A name that two tags claim belongs to the one that is *named* so, then to the first path.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

from kit import text
from kit.index import claims
from kit.index.held import (
    LEVELS,
    Held,
    HeldScene,
    callings_of,
    changed_links,
    handles_of,
    links_of,
    names_of,
    revived,
    take_out,
    targets_of,
)
from kit.model.notes import Level, Scene, Tag

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping

    from kit.errors import Problem

__all__ = ["IMPLICIT", "LEVELS", "Held", "HeldScene", "Pool"]

IMPLICIT = "="
"""Before the code of a word that stands on cards but has no tag note."""
_OWED = "follow:"


class Pool:
    """Tags by code and by every name they claim; scenes beside them."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._loaded = False
        self._tags: dict[int, Held] = {}
        self._scenes: dict[int, HeldScene] = {}
        self._claims: dict[str, set[int]] = defaultdict(set)
        self._codes: dict[str, set[int]] = defaultdict(set)
        self._paths: dict[str, int] = {}
        self._handles: dict[str, set[int]] = defaultdict(set)
        self._merged: dict[str, set[int]] = defaultdict(set)
        self._back: dict[str, set[int]] = defaultdict(set)
        """Which tags' notes relate to what a link calls so"""
        self._owed: dict[int, frozenset[str]] = {}
        self._own: dict[int, dict[int, Level]] = {}
        self._near: dict[tuple[int, Level], list[Held]] = {}
        self._known_words: dict[int, frozenset[str]] = {}

    def forget_cache(self) -> None:
        """Drop what is held in memory: another process has written."""
        self.__init__(self._db)  # type: ignore[misc]  # the same empty state

    def load(self) -> None:
        """Read the pool into memory, once."""
        if self._loaded:
            return
        self._loaded = True
        rows = self._db.execute("SELECT pool.num, notes.path, pool.kind, data FROM pool JOIN notes USING (num)")
        for num, path, kind, data in rows.fetchall():
            if kind == "tag":
                self._hold(Held(num, path, revived(Tag, data)))
            else:
                self._scenes[num] = HeldScene(num, path, revived(Scene, data))
        owed = self._db.execute("SELECT name, value FROM meta WHERE name GLOB 'follow:*'")
        for name, links in owed.fetchall():
            self._owed[int(name.removeprefix(_OWED))] = frozenset(json.loads(links))

    def tags(self) -> list[Held]:
        """List every tag note, by path."""
        self.load()
        return sorted(self._tags.values(), key=lambda held: held.path)

    def scenes(self) -> list[HeldScene]:
        """List every scene note, by path."""
        self.load()
        return sorted(self._scenes.values(), key=lambda held: held.path)

    def put(self, num: int, path: str, note: Tag | Scene) -> None:
        """Add or change a tag or scene."""
        self.load()
        before = self._tags.get(num)
        self._release(num)
        if isinstance(note, Tag):
            self._hold(Held(num, path, note))
            if before and (changed := changed_links(before.tag, note)):
                self.owe(num, changed | self._owed.get(num, frozenset()))
        else:
            self._scenes[num] = HeldScene(num, path, note)
        data = note.model_dump_json(exclude_defaults=True)
        self._db.execute("INSERT OR REPLACE INTO pool VALUES (?,?,?)", (num, note.kind, data))

    def move(self, num: int, path: str) -> None:
        """Take over a note's new path."""
        self.load()
        if num in self._tags:
            held = self._tags[num]
            self._release(num)
            self._hold(held._replace(path=path))
        elif num in self._scenes:
            self._scenes[num] = self._scenes[num]._replace(path=path)

    def drop(self, num: int) -> None:
        """Forget a tag or scene."""
        self.load()
        self._release(num)
        self.owe(num, frozenset())
        self._db.execute("DELETE FROM pool WHERE num=?", (num,))

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

    # -- edited relations that the other notes are still to follow

    def owed(self) -> dict[int, frozenset[str]]:
        """List tags whose relations were edited, each with the links that came, went or changed their level."""
        self.load()
        return dict(self._owed)

    def owe(self, num: int, links: frozenset[str]) -> None:
        """Note that other tags must follow these links of a tag; none: they have."""
        if links:
            self._owed[num] = links
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (f"{_OWED}{num}", json.dumps(sorted(links))))
        elif self._owed.pop(num, None) is not None:
            self._db.execute("DELETE FROM meta WHERE name=?", (f"{_OWED}{num}",))
        self._forget_ways()

    def set_owed(self, owed: Mapping[int, frozenset[str]]) -> None:
        """Have exactly these owed."""
        for num in {*self._owed, *owed}:
            if num in self._tags:
                self.owe(num, owed.get(num, frozenset()))

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

    # -- from tags to tags

    def neighbours(self, held: Held, level: Level) -> list[Held]:
        """List the tags one step away at a level, redirected, without deprecated ones, in the note's order.

        A relation that stands on the other note alone counts as well, after those on its own.
        """
        known = self._near.get((held.num, level))
        if known is None:
            found: dict[int, Held] = {}
            for tag in self._family(held):
                for num in [*self.own(tag), *self._incoming(tag)]:
                    reached = self.redirect(self._tags[num])
                    if reached and reached.num != held.num and self.level(tag, self._tags[num]) == level:
                        found.setdefault(reached.num, reached)
            known = self._near[held.num, level] = list(found.values())
        return known

    def own(self, held: Held) -> dict[int, Level]:
        """Tell how a tag's own note relates it to others, by their numbers; the strongest level counts."""
        found = self._own.get(held.num)
        if found is None:
            found = {}
            for level in LEVELS:
                for link in getattr(held.tag, level):
                    target = self.linked(link)
                    if target and target.num != held.num:
                        found.setdefault(target.num, level)
            self._own[held.num] = found
        return found

    def _incoming(self, held: Held) -> list[int]:
        nums = {num for link in callings_of(held) for num in self._back.get(link, ())}
        found = [self._tags[num] for num in nums if held.num in self.own(self._tags[num])]
        return [other.num for other in sorted(found, key=lambda other: other.path)]

    def level(self, one: Held, other: Held) -> Level | None:
        """Tell how two tags relate: at the stronger level of the two notes, unless one was edited just now."""
        mine, theirs = self.own(one).get(other.num), self.own(other).get(one.num)
        if mine == theirs:
            return mine
        edited, others = self._edited(one, other), self._edited(other, one)
        if edited != others:
            return mine if edited else theirs
        return min((found for found in (mine, theirs) if found), key=LEVELS.index)

    def _edited(self, one: Held, other: Held) -> bool:
        return any(self.linked(link) is other for link in self._owed.get(one.num, ()))

    def related(self, held: Held) -> list[Held]:
        """List the tags whose notes this one's names, and those whose notes name it, as they are."""
        return [self._tags[num] for num in dict.fromkeys((*self.own(held), *self._incoming(held)))]

    # -- faults

    def problems(self) -> list[Problem]:
        """Find what only the pool as a whole can show: double claims, dead links, merge cycles."""
        self.load()
        return sorted({*claims.double(self, self._claims, self._codes), *claims.dead_ends(self)})

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
        self._scenes.pop(num, None)
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
