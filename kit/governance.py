"""What a person does with the tag pool and with the vault as a whole: one short method per operation.

Law: the same as `Kit`'s: every way in comes through here; nothing is decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit import evolve, maintain, text
from kit.errors import KitError
from kit.govern import alignment, lifecycle, links, relations, scenes
from kit.govern import undo as undoing
from kit.learn import rules as learn
from kit.model.rows import TagView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from kit.govern.act import Done
    from kit.govern.changes import Change
    from kit.govern.hand import Hand
    from kit.index.pool import Held
    from kit.model.notes import Dimension, Level, Tag, TagStatus
    from kit.vault.journal import Who


class Evolved(NamedTuple):
    """What evolution did, and what it leaves to the person."""

    done: tuple[Done, ...]
    left: tuple[evolve.Proposal, ...]


class Governance:
    """Acts on tags, scenes and the vault as a whole; each takes the writer's lock and leaves a line in the journal."""

    def __init__(
        self, hand: Hand, writing: Callable[[], AbstractContextManager[None]], clock: Callable[[], datetime],
        *, sync: Callable[[], object], scene_of: Callable[[str], str] = lambda _: "", share: float = 0.2,
        caps: Callable[..., maintain.Caps] = lambda **_: maintain.Caps(),
    ) -> None:  # fmt: skip
        self._hand, self._writing, self._now, self._sync = hand, writing, clock, sync
        self._scene_of, self.share, self._caps = scene_of, share, caps
        self._in_vain: tuple[object, ...] = ()
        """The state of the index in which nothing was certain"""

    def show(self, name: str) -> TagView:
        """Show one tag with its relations on both sides, and the cards that bear it."""
        self._sync()
        held = relations.tag(self._hand, name)
        pool = self._hand.index.pool
        near = {level: tuple(other.tag.name for other in pool.neighbours(held, level)) for level in relations.LEVELS}
        nums = {num for key in pool.words(held) for num in self._hand.index.postings.cards(f"tag:{key}")}
        entries = [self._hand.index.catalog.numbered(num) for num in sorted(nums)]
        tag = held.tag
        return TagView(
            held.code, tag.name, tag.status, held.path, tag.definitions, tag.dimensions, tag.aliases,
            near["synonym"], near["related"], near["loose"], tag.merged_to,
            tuple(entry.id for entry in entries if entry), held.lacks,
        )  # fmt: skip

    def add(
        self, name: str, *, definitions: Sequence[str] = (), dimensions: Sequence[Dimension] = (),
        aliases: Sequence[str] = (), status: TagStatus = "active",
    ) -> Done | None:  # fmt: skip
        """Make a tag, or unite definitions and aliases with one that is there."""
        made = lifecycle.Defined(name, tuple(definitions), tuple(dimensions), tuple(aliases), status)
        with self._writing():
            return lifecycle.add(self._hand, made, self._now(), "person")

    def relate(self, one: str, other: str, level: Level = "related", *, who: Who = "person") -> Done | None:
        """Relate two tags, on both notes."""
        with self._writing():
            return relations.relate(self._hand, one, other, level, self._now(), who)

    def activate(self, name: str, *, who: Who = "person") -> Done | None:
        """Make a tag active; a deprecated one is revived."""
        with self._writing():
            return lifecycle.set_status(self._hand, name, "active", self._now(), who)

    def deprecate(self, name: str, why: str = "", *, who: Who = "person") -> Done | None:
        """Have a tag recall nothing any more; its definition stays, and it can be revived."""
        with self._writing():
            return lifecycle.set_status(self._hand, name, "deprecated", self._now(), who, why)

    def rename(self, name: str, new_name: str) -> Done | None:
        """Give a tag another name; the old one becomes an alias."""
        with self._writing():
            return lifecycle.rename(self._hand, name, new_name, self._now(), "person")

    def merge(self, name: str, into: str, *, dry_run: bool = False) -> list[Change] | Done | None:
        """Merge a tag into another; `dry_run` lists the changes instead."""
        with self._writing():
            return lifecycle.merge(self._hand, name, into, self._now(), dry_run=dry_run)

    def split(self, name: str, parts: Sequence[str], *, dry_run: bool = False) -> list[Change] | Done | None:
        """Split a tag into others; `dry_run` lists the changes instead."""
        with self._writing():
            return lifecycle.split(self._hand, name, parts, self._now(), dry_run=dry_run)

    # -- looking a tag up, and acts proposed from outside

    def code(self, name: str, *, dimension: str = "", definitions: Sequence[str] = ()) -> str:
        """Name the code a tag's name stands for: merged ones lead on, deprecated and unknown ones give ''.

        `dimension` and `definitions` must fit, when given: one of the tag's holds, or is held by, one of those.
        """
        self._sync()
        held = self._hand.index.pool.claimant(text.key(name))
        found = self._hand.index.pool.redirect(held) if held else None
        if found is None or (dimension and dimension not in found.tag.dimensions):
            return ""
        meant = [text.fold(each) for each in found.tag.definitions]
        fits = not definitions or any(
            text.fold(each) in one or one in text.fold(each) for each in definitions for one in meant
        )
        return found.code if fits else ""

    def entry(self, code: str) -> Tag | None:
        """Find the tag of a code; None when there is none."""
        held = self._at_code(code)
        return held.tag if held else None

    def _at_code(self, code: str) -> Held | None:
        self._sync()
        return self._hand.index.pool.at_code(code)

    def relations(self, code: str) -> list[tuple[str, str]]:
        """List a tag's relations: the other tag's code and the level, strongest first."""
        held = self._at_code(code)
        if held is None:
            return []
        pool = self._hand.index.pool
        return [(other.code, level) for level in relations.LEVELS for other in pool.neighbours(held, level)]

    def is_malformed(self, code: str) -> bool:
        """Tell whether a tag lacks what the current model of a tag asks for."""
        held = self._at_code(code)
        return held is not None and bool(held.lacks)

    def carry_out(self, actions: Sequence[Mapping[str, object]]) -> list[str]:
        """Carry out proposed acts, `{"action": "activate", "code": …, "reason": …}`; say what became of each.

        Known acts are activate, deprecate and relate (with `other` and `level`). One that makes no sense is told
        and keeps no other back. Merging and splitting are refused, with the command a person would give.
        """
        with self._writing():
            return [self._carry_out(action) for action in actions]

    def _carry_out(self, action: Mapping[str, object]) -> str:
        told = {key: value.strip() for key, value in action.items() if isinstance(value, str)}
        what, code = told.get("action", ""), told.get("code", "")
        held = self._hand.index.pool.at_code(code) or self._hand.index.pool.claimant(text.key(code))
        if held is None:
            return f"No tag has the code '{code}'."
        name = held.tag.name
        if what in ("merge", "split"):
            return f"Only a person may {what} tags: memkit tags {what} {name} …"
        if what not in ("activate", "deprecate", "relate"):
            return f"'{what}' is no act; known are activate, deprecate and relate."
        try:
            done = self._judged(what, name, told)
        except KitError as error:
            return str(error)
        return f"{name}: {what}d" if done else f"{name} was so already."

    def _judged(self, what: str, name: str, told: Mapping[str, str]) -> Done | None:
        why = told.get("reason", "")
        if what == "relate":
            level: Level = told.get("level", "related")  # type: ignore[assignment]  # `relate` refuses other words
            return relations.relate(self._hand, name, told.get("other", ""), level, self._now(), "learn", why)
        status: TagStatus = "active" if what == "activate" else "deprecated"
        return lifecycle.set_status(self._hand, name, status, self._now(), "learn", why)

    def lint(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """List malformed tags: name, path, and what each lacks."""
        self._sync()
        return [
            (held.tag.name, held.path, held.lacks)
            for held in self._hand.index.pool.tags()
            if held.lacks and held.tag.status in ("active", "unexamined")
        ]

    def align(self, tags: Mapping[str, object], *, who: Who = "person") -> alignment.Aligned:
        """Complete tags, `{name: {"definition": …, "dimensions": […]}}`; only what is missing is written."""
        with self._writing():
            return alignment.align(self._hand, tags, self._now(), who)

    def suggest(self) -> list[evolve.Proposal]:
        """Say what could be done to the pool, with the evidence."""
        self._sync()
        return evolve.proposals(self._hand, self._now(), self.share)

    def judge(self) -> list[evolve.Proposal]:
        """Say what is certain about the tags that nobody has examined yet; of an unchanged vault it is asked once."""
        self._sync()
        state = self._hand.index.birth, self._hand.index.generation, self.share
        found = [] if state == self._in_vain else evolve.judge(self._hand, self.share)
        self._in_vain = () if found else state
        return found

    def settle(self, proposal: evolve.Proposal) -> Done | None:
        """Do one thing that was judged, unless somebody has decided otherwise since."""
        with self._writing():
            return evolve.settle(self._hand, proposal, self._now())

    def evolve(self) -> Evolved:
        """Do what is certain and can be undone; leave the rest to the person."""
        with self._writing():
            done, left = evolve.evolve(self._hand, self._now(), self.share)
            return Evolved(tuple(done), tuple(left))

    def follow(self, new: Iterable[str] = ()) -> list[Done]:
        """Have other notes follow relations that a person has edited; the caller holds the writer's lock."""
        return relations.follow(self._hand, new, self._now())

    def owed(self) -> dict[int, frozenset[str]]:
        """List the tags, by number, with edited links that other notes are still to follow."""
        return dict(self._hand.index.pool.owed())

    def add_scene(self, name: str, *, aliases: Sequence[str] = ()) -> Done | None:
        """Make a scene (`work`) or a sub-scene (`work/code-review`)."""
        with self._writing():
            return scenes.add(self._hand, name, tuple(aliases), self._now(), "person")

    def relink(self, *, dry_run: bool = False) -> list[Change] | Done | None:
        """Have links that name notes as they were called before say what they are called now."""
        with self._writing():
            return links.relink(self._hand, self._now(), dry_run=dry_run)

    def undo(self, act_id: str = "") -> Done:
        """Take back an act of governance, the newest when none is named."""
        with self._writing():
            return undoing.undo(self._hand, self._now(), "person", act_id)

    def clean(self, *, dry_run: bool = False, who: Who = "person") -> maintain.Cleaned:
        """Put memories of little weight, and those over the caps, into the archive; `dry_run` only says which.

        Unasked (`who` is `maintain`) only caps that the person has set count.
        """
        with self._writing():
            caps = self._caps(by_schedule=who == "maintain")
            return maintain.clean(self._hand, self._now(), who, caps=caps, dry_run=dry_run)

    def finish_begun(self) -> list[str]:
        """Finish acts that a crash cut short; the caller holds the writer's lock, so none of them is under way."""
        return undoing.finish_begun(self._hand, self._now())

    def learn_next(self) -> learn.Learned | None:
        """Learn from the oldest card that waits for it."""
        with self._writing():
            return learn.learn_next(self._hand, self._now(), self._scene_of)

    def waiting(self) -> int:
        """Count the cards that wait to be learned from."""
        return learn.waiting(self._hand)
