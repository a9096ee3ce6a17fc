"""Memories carried in and out of one vault: what an import would do, does, and takes back; what an export writes.

Law: a look writes nothing; an import writes in batches under the writer's lock, each whole with its line in the
journal; an export writes outside the vault and over nothing.
"""

from __future__ import annotations

import math
import secrets
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from kit.errors import BadInputError, KitError, Problem
from kit.govern import intake, lifecycle, relations
from kit.transfer import leaving, plan, sources, vocabulary
from kit.transfer.course import Course
from kit.transfer.pieces import Aside, Verbatim, Word, mark
from kit.transfer.planned import KNOWN
from kit.transfer.telling import TOLD, Brought, Look, Told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Level
    from kit.model.perception import Perception
    from kit.transfer.course import Step
    from kit.transfer.planned import Planned

BATCH = 300
"""Notes that are written with one line in the journal and one look of the indexes."""
TURN_S = 2.0
"""Seconds after which an import lets go of the writer's lock for a moment."""


class Carrier:
    """Carries memories in and out of one vault."""

    def __init__(
        self, hand: Hand, writing: Callable[[], AbstractContextManager[None]], clock: Callable[[], datetime],
        *, sync: Callable[[], object], perceive: Callable[[str], Perception], vault: str = "",
    ) -> None:  # fmt: skip
        self._hand, self._writing, self._now, self._sync = hand, writing, clock, sync
        self._perceive, self._vault = perceive, vault
        self._course: tuple[str, Course, Iterator[Step]] | None = None
        self._looking: tuple[str, Course, Iterator[Step], Told] | None = None
        self.owner: AbstractContextManager[object] = nullcontext()
        """what whoever shares the indexes with others holds while they are used; an export takes it page by page"""

    # -- in

    def look(self, source: str, kind: str = "auto", *, seconds: float = math.inf, run: str = "") -> Look:
        """Say what an import would write; nothing is written. It looks for some seconds: call again until finished."""
        end = time.monotonic() + seconds
        if self._looking is None or self._looking[0] != run:
            self._sync()
            course = self._begin(source, kind)
            self._looking = (secrets.token_hex(6), course, course.steps(), Told())
        run, course, steps, told = self._looking
        finished = True
        for step in steps:
            told.seen(step)
            if time.monotonic() >= end:
                finished = False
                break
        if finished:
            self._looking = None
        return Look(
            course.name, course.pieces, told.new, told.known, tuple(told.examples), tuple(told.problems),
            told.problem_count, tuple(told.asides[:TOLD]), run, finished,
        )  # fmt: skip

    def bring(self, source: str, kind: str = "auto", *, at: int = 0, seconds: float = 5.0, run: str = "") -> Brought:
        """Import for some seconds, and tell where to go on: call again with `at` and `run` until it is finished."""
        run = run or secrets.token_hex(6)
        told, end, finished = Told(), time.monotonic() + seconds, False
        course, steps = self._resumed(source, kind, run)
        while not finished and time.monotonic() < end:
            with self._writing():  # let go of now and then, so that others get to write
                stop = min(end, time.monotonic() + TURN_S)
                while not finished and time.monotonic() < stop:
                    finished = self._batch(course, steps, told, run, at, stop)
        if finished:
            self._course = None
        return Brought(
            course.name, run, max(at, course.at), finished, told.new, told.known, tuple(told.problems),
            told.problem_count, tuple(told.asides[:TOLD]),
        )  # fmt: skip

    def take_back(self, *, dry_run: bool = False) -> intake.TakenBack:
        """Take the newest import back: its notes go into the archive, but those changed since. `dry_run` only tells."""
        with self._writing():
            if not dry_run:
                self._course = None
            return intake.take_back(self._hand, self._now(), "person", dry_run=dry_run)

    def _begin(self, source: str, kind: str) -> Course:
        path = Path(source).expanduser()
        if not path.is_absolute():
            raise BadInputError(f"{source} is no whole path.", "Begin it at the root.")
        if path.resolve() == self._hand.store.root or self._hand.store.root in path.resolve().parents:
            raise BadInputError(f"{path} lies in the vault itself.", "Import from elsewhere.")
        chosen, seen = sources.choose(kind, path), intake.imported(self._hand)
        return Course(chosen.name, chosen.read(path), plan.Planner(self._hand, self._perceive, seen), seen)

    def _resumed(self, source: str, kind: str, run: str) -> tuple[Course, Iterator[Step]]:
        """Go on where the last stretch ended; after a restart from the beginning, passing over what is done."""
        if self._course is None or self._course[0] != run:
            course = self._begin(source, kind)
            self._course = (run, course, course.steps())
        return self._course[1:]

    def _batch(self, course: Course, steps: Iterator[Step], told: Told, run: str, counted: int, stop: float) -> bool:
        """Write some notes; tell whether it was the last time."""
        due: list[Planned] = []
        finished, notes = True, 0
        for step in steps:
            is_news = course.at > counted
            if isinstance(step, Problem) and is_news:
                told.trouble(step)
            elif isinstance(step, Aside) and is_news:
                told.asides.append(step)
            elif isinstance(step, list):
                for planned in step:
                    if planned.drafts or planned.define:
                        due.append(planned)
                        notes += len(planned.drafts)
                    elif is_news:
                        told.passed(planned)
            if notes >= BATCH or time.monotonic() >= stop:
                finished = False
                break
        if due:
            self._write(due, course, told, run)
        return finished

    def _write(self, due: list[Planned], course: Course, told: Told, run: str) -> None:
        new = [planned for planned in due if planned.drafts]
        drafts = [draft for planned in new for draft in planned.drafts]
        marks = {mark(planned.piece.origin) for planned in due if not isinstance(planned.piece, Verbatim)}
        # A journal comes first: the line of this import is to stand behind its lines.
        drafts.sort(key=lambda draft: not draft.path.endswith(".jsonl"))
        taken = intake.take_in(self._hand, drafts, self._now(), "person", run, course.name, marks)
        self._hand.tell_redacted(course.planner.redacted(), self._now(), course.name)
        course.seen |= marks
        for planned in new:
            told.due(planned)
        for sentence in taken.refused:
            told.trouble(Problem("", 0, sentence, "It was skipped."))
        for wanted, got in taken.renamed:
            what = f"Another note has this name on this disk, so it is now `{got}`."
            told.trouble(Problem(wanted, 0, what, "Look whether links by name still lead to it."))
        self._unite([planned for planned in due if isinstance(planned.piece, Word)], told)

    def _unite(self, words: list[Planned], told: Told) -> None:
        """Give tags that were there what the others know of them, and relate them to those that came."""
        new = {planned.piece.name for planned in words if planned.drafts and isinstance(planned.piece, Word)}
        pool: list[Word] = [planned.piece for planned in words if isinstance(planned.piece, Word)]
        for planned in words:
            if planned.define:
                self._try(told, lambda one=planned: lifecycle.add(self._hand, one.define, self._now(), "person"))  # type: ignore[misc]
                told.passed(planned._replace(why=KNOWN))
        for one, other, level in vocabulary.relations(pool, lambda name: name in new):
            self._try(told, lambda a=one, b=other, c=level: self._relate(a, b, c))  # type: ignore[misc]

    def _relate(self, one: str, other: str, level: Level) -> None:
        relations.relate(self._hand, one, other, level, self._now(), "maintain")

    def _try(self, told: Told, do: Callable[[], object]) -> None:
        try:
            do()
        except KitError as error:
            told.trouble(Problem("tags", 0, error.what, error.mend))

    # -- out

    def carry_out(
        self, target: str, form: str = "json", *, archive: bool = False, journal: bool = False, force: bool = False
    ) -> leaving.Left:
        """Write the vault to a file (`json`) or to a folder of clean Markdown (`markdown`), outside of it."""
        with self.owner:
            self._sync()
        return leaving.leave(
            self._hand, Path(target).expanduser(), form, self._now(), self._vault, self.owner,
            archive=archive, journal=journal, force=force,
        )  # fmt: skip
