"""What an import tells: what it would do, what it did, and how that is counted on the way.

Law: of problems and asides only the first are named; their numbers are always whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit.errors import Problem
from kit.transfer import plan
from kit.transfer.pieces import KINDS, Aside, Saying, Verbatim
from kit.transfer.planned import KNOWN

if TYPE_CHECKING:
    from kit.transfer.course import Step
    from kit.transfer.planned import Planned

EXAMPLES = 3
"""Notes of each kind that a look shows."""
TOLD = 200
"""Problems and asides that one answer names; their numbers are always whole."""


class Example(NamedTuple):
    """One note that would be written."""

    kind: str
    path: str
    says: str
    origin: str


class Look(NamedTuple):
    """What an import would do."""

    kind: str
    pieces: int
    new: dict[str, int]
    """notes that would be written, by kind"""
    known: dict[str, int]
    """records that are in the vault, or were imported once, by kind"""
    examples: tuple[Example, ...]
    problems: tuple[Problem, ...]
    problem_count: int
    asides: tuple[Aside, ...]
    run: str
    finished: bool
    """False: this is what was seen so far"""


class Brought(NamedTuple):
    """What one stretch of an import did."""

    kind: str
    run: str
    at: int
    """records that are dealt with; where the next stretch goes on"""
    finished: bool
    written: dict[str, int]
    known: dict[str, int]
    problems: tuple[Problem, ...]
    problem_count: int
    asides: tuple[Aside, ...]


class Told:
    """Counts and remarks of a look or of a stretch."""

    def __init__(self) -> None:
        self.new: dict[str, int] = {}
        self.known: dict[str, int] = {}
        self.examples: list[Example] = []
        self.problems: list[Problem] = []
        self.asides: list[Aside] = []
        self.problem_count = 0

    def trouble(self, problem: Problem) -> None:
        """Note a problem."""
        self.problem_count += 1
        if len(self.problems) < TOLD:
            self.problems.append(problem)

    def seen(self, step: Step) -> None:
        """Note what a look came upon."""
        if isinstance(step, Problem):
            self.trouble(step)
        elif isinstance(step, Aside):
            self.asides.append(step)
        elif isinstance(step, list):
            for planned in step:
                (self.due if planned.drafts else self.passed)(planned)

    def passed(self, planned: Planned) -> None:
        """Note a piece of which nothing is written."""
        if planned.why == KNOWN:
            kind = KINDS[type(planned.piece)]
            self.known[kind] = self.known.get(kind, 0) + 1
        else:
            piece = planned.piece
            where = piece.path if isinstance(piece, Verbatim) else piece.origin
            if isinstance(piece, Saying):
                where = str(piece.keys.get("source") or where)
            self.trouble(Problem(where, 0, planned.why, "It was skipped."))

    def due(self, planned: Planned) -> None:
        """Note what is written for a piece."""
        for kind in plan.sort_of(planned):
            self.new[kind] = self.new.get(kind, 0) + 1
        main = planned.drafts[-1]
        if sum(example.kind == main.kind for example in self.examples) < EXAMPLES:
            says = " ".join(plan.says(planned).split())[:100]
            self.examples.append(Example(main.kind or "plain note", main.path, says, planned.piece.origin))
