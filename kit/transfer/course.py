"""A source being read, and what is planned from it, step by step.

Law: nothing is written here; all tags of a pool are planned together, everything else piece by piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kit.errors import Problem
from kit.transfer.pieces import Aside, Pause, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kit.transfer import plan
    from kit.transfer.pieces import Found
    from kit.transfer.planned import Planned

Step: TypeAlias = "Problem | Aside | Pause | list[Planned]"


class Course:
    """A source being read, with what was planned from it so far."""

    def __init__(self, name: str, found: Iterator[Found], planner: plan.Planner, seen: set[str]) -> None:
        self.name, self.planner, self.seen = name, planner, seen
        self._found = found
        self.at = self.pieces = 0

    def steps(self) -> Iterator[Step]:
        """Plan piece by piece; all tags of a pool are planned together."""
        words: list[Word] = []
        for found in self._found:
            if isinstance(found, Word):
                words.append(found)
                continue
            if words:
                yield self._all(words)
                words = []
            if isinstance(found, Pause):
                yield found
                continue
            self.at += 1
            if isinstance(found, (Problem, Aside)):
                yield found
            else:
                self.pieces += 1
                yield [self.planner.plan(found)]
        if words:
            yield self._all(words)

    def _all(self, words: list[Word]) -> list[Planned]:
        self.at += len(words)
        self.pieces += len(words)
        return self.planner.plan_words(words)
