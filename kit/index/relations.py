"""How tags relate: what their notes say of each other, seen from both sides.

Law: the stronger level of two notes counts, unless one of them was edited and the other is still to follow.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from kit.index.held import LEVELS, LINKED, callings_of
from kit.index.names import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kit.index.held import Held
    from kit.model.notes import Level


class Relations(Names):
    """The tags of a pool, with the ways between them."""

    @abstractmethod
    def owed(self) -> Mapping[int, frozenset[str]]:
        """List tags whose relations were edited, each with the links that came, went or changed their level."""

    def neighbours(self, held: Held, level: Level) -> list[Held]:
        """List the tags one step away at a level, redirected, without deprecated ones, in the note's order.

        A relation that stands on the other note alone counts as well, after those on its own.
        """
        known = self._near.get((held.num, level))
        if known is None:
            found: dict[int, Held] = {}
            for tag in self._family(held):
                for other in self.related(tag):
                    reached = self.redirect(other)
                    if reached and reached.num != held.num and self.level(tag, other) == level:
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
        found = [other for other in self.all_called(LINKED, callings_of(held)) if held.num in self.own(other)]
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
        targets = (self.linked(link) for link in self.owed().get(one.num, ()))
        return any(target is not None and target.num == other.num for target in targets)

    def related(self, held: Held) -> list[Held]:
        """List the tags whose notes this one's names, and those whose notes name it, as they are."""
        nums = dict.fromkeys((*self.own(held), *self._incoming(held)))
        return [other for num in nums if (other := self.at_num(num))]
