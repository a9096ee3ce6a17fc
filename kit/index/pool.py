"""The tag pool: what the words on cards mean, which tag a name leads to, how tags relate.

Law: in memory a tag is exactly its note; links are resolved when they are followed, so one edited note
costs one entry. A name that two tags claim belongs to the one that is *named* so, then to the first path.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import Problem
from kit.model.notes import Scene, Tag

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator

    from kit.model.notes import Level

IMPLICIT = "="
"""Before the code of a word that stands on cards but has no tag note."""


class Held(NamedTuple):
    """A tag note in the pool."""

    num: int
    path: str
    tag: Tag

    @property
    def code(self) -> str:
        """The tag's stable short name."""
        return self.tag.code or self.tag.id

    @property
    def key(self) -> str:
        """The tag's folded name."""
        return text.key(self.tag.name)


class HeldScene(NamedTuple):
    """A scene note in the pool."""

    num: int
    path: str
    scene: Scene


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
                self._hold(Held(num, path, Tag.model_validate_json(data)))
            else:
                self._scenes[num] = HeldScene(num, path, Scene.model_validate_json(data))

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
        self._release(num)
        if isinstance(note, Tag):
            self._hold(Held(num, path, note))
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
        return _names(held) if held else set()

    # -- from words to tags

    def claimant(self, key: str) -> Held | None:
        """Find the tag that a folded name belongs to."""
        self.load()
        nums = self._claims.get(key)
        if not nums:
            return None
        return min((self._tags[num] for num in nums), key=lambda held: (held.key != key, held.path))

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

    def keys(self, code: str) -> set[str]:
        """List the words that count as a tag: its name, its aliases, and those of tags merged into it."""
        if code.startswith(IMPLICIT):
            return {code.removeprefix(IMPLICIT)}
        held = self.at_code(code)
        return self.words(held) if held else set()

    def words(self, held: Held) -> set[str]:
        """List the words that count as a tag note, as `keys`; for two notes with one code, those of this one."""
        found: set[str] = set()
        queue = [held]
        seen: set[int] = set()
        while queue:
            tag = queue.pop()
            if tag.num in seen:
                continue
            seen.add(tag.num)
            found |= {key for key in _names(tag) if self.claimant(key) is tag}
            queue += self._merged_into(tag)
        return found

    def _merged_into(self, target: Held) -> list[Held]:
        links = {*_names(target), *_handles(target), text.key(target.path.removesuffix(".md")), text.key(target.code)}
        found = {num for link in links for num in self._merged.get(link, ())}
        return [
            self._tags[num]
            for num in found
            if self._tags[num].tag.status == "merged" and self.linked(self._tags[num].tag.merged_to) is target
        ]

    def neighbours(self, held: Held, level: Level) -> list[Held]:
        """List the tags one step away at a level, redirected, without deprecated ones, in the note's order."""
        found: dict[int, Held] = {}
        for link in getattr(held.tag, level):
            target = self.linked(link)
            reached = self.redirect(target) if target else None
            if reached and reached.num != held.num:
                found.setdefault(reached.num, reached)
        return list(found.values())

    # -- faults

    def problems(self) -> list[Problem]:
        """Find what only the pool as a whole can show: double claims, dead links, merge cycles."""
        self.load()
        return sorted({*self._double_claims(), *self._dead_ends()})

    def _double_claims(self) -> Iterator[Problem]:
        for key, nums in self._claims.items():
            owner = self.claimant(key)
            for held in sorted((self._tags[num] for num in nums), key=lambda held: held.path):
                if owner and held.num != owner.num and not self._is_one(held, owner):
                    yield Problem(
                        held.path, 0, f"The name '{key}' already belongs to {owner.path}.",
                        "Take it out of one of the two, or merge the tags.",
                    )  # fmt: skip
        for code, nums in self._codes.items():
            for held in sorted((self._tags[num] for num in nums), key=lambda held: held.path)[1:]:
                yield Problem(held.path, 0, f"Another tag has the code '{code}'.", "Give this one another code.")

    def _is_one(self, held: Held, owner: Held) -> bool:
        """Tell whether a merge has made one tag of two: then a name may well stand on both."""
        reached = self.redirect(held)
        return reached is not None and reached is self.redirect(owner)

    def _dead_ends(self) -> Iterator[Problem]:
        for held in self._tags.values():
            tag = held.tag
            if tag.status == "merged" and not tag.merged_to:
                yield Problem(held.path, 0, "The tag is merged but names no target.", "Fill `merged_to`.")
            elif tag.status == "merged" and self._leads_nowhere(held):
                yield Problem(
                    held.path, 0, f"`merged_to: {tag.merged_to}` leads in a circle or to no tag.",
                    "Point it at an active tag.",
                )  # fmt: skip
            for level in ("synonym", "related", "loose"):
                for link in getattr(tag, level):
                    target = self.linked(link)
                    if target is None:
                        yield Problem(held.path, 0, f"`{level}` names '{link}', which is no tag.", "Mend the link.")
                    elif target.num == held.num:
                        yield Problem(held.path, 0, f"`{level}` names the tag itself.", "Remove the link.")

    def _leads_nowhere(self, held: Held) -> bool:
        seen: set[int] = set()
        while held.tag.status == "merged":
            onward = self.linked(held.tag.merged_to)
            if onward is None or held.num in seen:
                return True
            seen.add(held.num)
            held = onward
        return False

    # -- keeping the maps

    def _hold(self, held: Held) -> None:
        self._tags[held.num] = held
        self._paths[held.path] = held.num
        for key in _names(held):
            self._claims[key].add(held.num)
        for key in _handles(held):
            self._handles[key].add(held.num)
        self._codes[held.code].add(held.num)
        if held.tag.merged_to:
            self._merged[text.key(held.tag.merged_to)].add(held.num)
            self._merged[text.key(held.tag.merged_to.rsplit("/", 1)[-1])].add(held.num)

    def _release(self, num: int) -> None:
        self._scenes.pop(num, None)
        held = self._tags.pop(num, None)
        if held is None:
            return
        self._paths.pop(held.path, None)
        for key in _names(held):
            _remove(self._claims, key, num)
        for key in _handles(held):
            _remove(self._handles, key, num)
        _remove(self._codes, held.code, num)
        if held.tag.merged_to:
            _remove(self._merged, text.key(held.tag.merged_to), num)
            _remove(self._merged, text.key(held.tag.merged_to.rsplit("/", 1)[-1]), num)


def _names(held: Held) -> set[str]:
    return {text.key(word) for word in (held.tag.name, *held.tag.aliases)} - {""}


def _handles(held: Held) -> set[str]:
    """List what else a link may call a tag: its file's name and its id."""
    return {text.key(held.path.rsplit("/", 1)[-1].removesuffix(".md")), text.key(held.tag.id)} - {""}


def _remove(where: dict[str, set[int]], key: str, num: int) -> None:
    where[key].discard(num)
    if not where[key]:
        del where[key]
