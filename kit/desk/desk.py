"""What a person looks at and changes when they look after their memory: one short method per operation.

Law: reads are cheap enough for a large vault, and write nothing; what changes a note is an act that can be undone.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.desk import diary, graph, memories
from kit.desk.leaf import Leaves
from kit.errors import BadInputError, NotFoundError
from kit.govern import edits, facts
from kit.model.fields import check_importance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from kit.errors import Problem
    from kit.govern.hand import Hand
    from kit.model.hits import Reason, Recall
    from kit.model.notes import Category, Layer
    from kit.model.rows import Graph, Leaf, Lines
    from kit.vault.journal import Entry
    from kit.witness import Witness

CLEARED_AT_ONCE = 100
"""Memories put away in one act: whoever clears a large layer asks again and lets others in between."""
COMPLETED_FROM = 2
"""Letters from which an unfinished word is taken for the beginning of a known one."""


class Found(NamedTuple):
    """A memory that answers a search, and why."""

    memory: memories.Memory
    score: float
    reasons: tuple[Reason, ...]
    """empty for one that only holds the letters typed"""


class Search(NamedTuple):
    """What a search found."""

    query: str
    read_as: str
    """the question with its last word completed, when that made a difference"""
    found: tuple[Found, ...]
    remarks: tuple[str, ...]


class Told(NamedTuple):
    """What was put into one prompt."""

    cursor: str
    at: str
    session: str
    prompt: str
    tokens: int
    memories: tuple[memories.Memory, ...]
    gone: int
    """memories told then that are there no more"""


class Prompts(NamedTuple):
    """A page of what was told."""

    told: tuple[Told, ...]
    next: str


class Counts(NamedTuple):
    """How much there is."""

    layers: dict[str, int]
    kinds: dict[str, int]
    months: dict[str, int]
    """cards and facts by month, newest first"""
    problems: int
    generation: str
    """changes whenever anything does"""
    vault: str


class Added(NamedTuple):
    """A memory that was written down."""

    id: str
    path: str
    did: str
    """new, confirmed, or superseded"""
    act: str
    refused: tuple[str, ...]


class Cleared(NamedTuple):
    """Memories that were put away."""

    act: str
    moved: int
    left: int


class Desk:
    """Looks and edits on one vault."""

    def __init__(
        self, hand: Hand, writing: Callable[[], AbstractContextManager[None]], clock: Callable[[], datetime],
        *, sync: Callable[[], object], witness: Witness, recall: Callable[..., Recall],
        faults: Callable[[], Sequence[Problem]] = tuple,
    ) -> None:  # fmt: skip
        self._hand, self._writing, self._now, self._sync, self._recall = hand, writing, clock, sync, recall
        self._faults = faults
        self._shelf = memories.Shelf(hand)
        self._leaves = Leaves(hand, self._shelf, witness)
        self._names: tuple[int, list[str]] = (-1, [])
        self._counts: Counts | None = None
        self._found_wrong: tuple[int, list[Problem]] = (-1, [])

    # -- looking

    def page(
        self, *, kind: str = "", layer: str = "", category: str = "", tag: str = "", scene: str = "",
        project: str = "", month: str = "", finished: bool = False, cursor: str = "", limit: int = 40,
    ) -> memories.Page:  # fmt: skip
        """List cards and facts, newest first, page by page."""
        self._sync()
        _refuse_limit(limit)
        wanted = memories.Wanted(kind, layer, category, tag, scene, project, month, finished)
        return self._shelf.page(wanted, cursor, limit)

    def memory(self, note_id: str) -> memories.Memory:
        """Show one card or fact as a row; raise NotFoundError."""
        self._sync()
        entry = self._hand.entry(note_id)
        found = self._shelf.memory(entry)
        if found is None:
            raise BadInputError(
                f"{entry.path} is no memory but a {entry.kind or 'plain note'}.", "Look at it as a note."
            )
        return found

    def note(self, ref: str) -> Leaf:
        """Read one note, by id, path or link, with its links and what leads to it."""
        self._sync()
        return self._leaves.leaf(ref)

    def counts(self) -> Counts:
        """Count what there is."""
        self._sync()
        index = self._hand.index
        if self._counts and self._counts.generation == str(index.generation):
            return self._counts._replace(problems=len(self._problems()))
        layers = dict.fromkeys(("transient", "episodic", "semantic"), 0)
        for row in index.features.rows().values():
            if row.kind in memories.KINDS:
                layers[row.layer] = layers.get(row.layer, 0) + 1
        terms = index.postings.frequencies()
        months = {term[6:]: terms[term] for term in sorted(terms, reverse=True) if term.startswith("month:")}
        kinds = {kind or "plain": count for kind, count in index.catalog.counts().items()}
        self._counts = Counts(
            layers, kinds, months, len(self._problems()), str(index.generation), str(self._hand.store.root)
        )
        return self._counts

    def problems(self) -> list[Problem]:
        """List what is known to need mending, without reading every note anew as `doctor` does."""
        self._sync()
        return self._problems()

    def _problems(self) -> list[Problem]:
        index = self._hand.index
        if self._found_wrong[0] != index.generation:
            found = sorted({*index.catalog.problems(), *index.pool.problems()})
            self._found_wrong = (index.generation, found)
        return [*self._faults(), *self._found_wrong[1]]

    def graph(self, *, centre: str = "", limit: int = 120) -> Graph:
        """Draw the tag pool, or what lies round one tag."""
        self._sync()
        _refuse_limit(limit)
        return graph.draw(self._hand.index, centre, limit)

    # -- searching as one types

    def find(self, query: str, *, layer: str = "", limit: int = 12) -> Search:
        """Recall for a question that may still be typed, each hit with its reasons; then what holds the letters."""
        _refuse_limit(limit)
        read_as = self._completed(query)
        recall = self._recall(read_as or query, limit=limit if not layer else limit * 4)
        found = [Found(row, hit.score, hit.reasons) for hit in recall.hits if (row := self._row(hit.id, layer))]
        seen = {one.memory.id for one in found}
        pieces = text.fold(query).split()
        if len(found) < limit and pieces:
            for num in self._shelf.containing(pieces, limit * 2):
                entry = self._hand.index.catalog.numbered(num)
                row = self._row(entry.id, layer) if entry and entry.id not in seen else None
                found += [Found(row, 0.0, ())] if row else []
        return Search(query, read_as, tuple(found[:limit]), recall.remarks)

    def _row(self, note_id: str, layer: str) -> memories.Memory | None:
        try:
            row = self._shelf.memory(self._hand.entry(note_id))
        except NotFoundError:
            return None
        return row if row and (not layer or row.layer == layer) else None

    def _completed(self, query: str) -> str:
        """Complete the last word by the most used name it begins; '' when it is complete or begins none."""
        head, last = query.rpartition(" ")[0], text.fold(query.rpartition(" ")[2])
        if len(last) < COMPLETED_FROM or query.endswith(" "):
            return ""
        index = self._hand.index
        if self._names[0] != index.generation:
            terms = (term.partition(":") for term in index.postings.frequencies())
            names = {key for side, _, key in terms if side in ("tag", "person", "place", "project")}
            names |= {key for held in index.pool.tags() for key in index.pool.names(held.num)}
            self._names = (index.generation, sorted(names))
        names_, at = self._names[1], bisect_left(self._names[1], last)
        begun: list[str] = []
        while at < len(names_) and names_[at].startswith(last):
            begun.append(names_[at])
            at += 1
        if not begun or last in begun:
            return ""
        best = max(begun, key=lambda name: (index.postings.df(f"tag:{name}"), -len(name)))
        return f"{head} {best}".strip()

    # -- turning back the pages

    def journal(self, *, what: str = "", note_id: str = "", acts: str = "", cursor: str = "", limit: int = 50) -> Lines:
        """Read the journal newest first; `what`: only this word; `acts` 'only': only what can be taken back."""
        _refuse_limit(limit)

        def wanted(entry: Entry) -> bool:
            mine = not note_id or note_id in (entry.get("id"), entry.get("note"))
            return mine and (not what or entry.get("what") == what) and (not acts or "changes" in entry)

        return diary.page(self._hand.journal, cursor, limit, wanted)

    def told(self, *, cursor: str = "", limit: int = 30) -> Prompts:
        """Tell what was put into which prompt, newest first."""
        self._sync()
        _refuse_limit(limit)
        told = diary.page(self._hand.journal, cursor, limit, lambda entry: entry.get("what") == "recall", (b"recall",))
        rows = []
        for line in told.lines:
            ids = line.ids or ((line.note.removesuffix(".md"),) if line.note else ())
            shown = tuple(row for one in ids if (row := self._row(one, "")))
            rows.append(Told(line.cursor, line.at, line.session, line.why, line.tokens, shown, len(ids) - len(shown)))
        return Prompts(tuple(rows), told.next)

    # -- changing

    def edit(
        self, note_id: str, *, text: str | None = None, category: Category | None = None,
        importance: int | None = None, tags: Sequence[str] | None = None, etag: str = "",
    ) -> edits.Edited:  # fmt: skip
        """Change a card or fact; with an etag only if nobody has changed it since."""
        patch = edits.Patch(text, category, importance, None if tags is None else tuple(tags))
        with self._writing():
            return edits.edit(self._hand, note_id, patch, etag, self._now(), "person")

    def put_away(self, note_id: str, reason: str = "") -> Cleared:
        """Put a memory into the archive as an act: `undo` brings it back."""
        with self._writing():
            entry = self._hand.entry(note_id)
            done = edits.put_away(self._hand, [entry], reason, self._now(), "person")
            return Cleared(done.act if done else "", 1, 0)

    def clear(self, layer: str) -> Cleared:
        """Put the oldest memories of a layer ('all': of each) away, some at a time; `left` says how many remain."""
        known = ("transient", "episodic", "semantic", "all")
        if layer not in known:
            raise BadInputError(f"'{layer}' is no layer.", f"Use one of {', '.join(known)}.")
        with self._writing():
            nums = self._shelf.nums(memories.Wanted(layer="" if layer == "all" else layer))
            due = [self._hand.index.catalog.numbered(num) for num in nums[-CLEARED_AT_ONCE:]]
            readable = [entry for entry in due if entry and self._shelf.load(entry)]
            if not readable:
                return Cleared("", 0, 0)
            done = edits.put_away(self._hand, readable, f"clear {layer}", self._now(), "person")
            return Cleared(done.act if done else "", len(readable), len(nums) - len(due))

    def add(
        self, text: str, *, layer: Layer = "semantic", category: Category | None = None, importance: int = 3,
        tags: Sequence[str] = (),
    ) -> Added:  # fmt: skip
        """Write a memory down: a fact, or a card in another layer."""
        check_importance(importance)
        with self._writing():
            if layer == "semantic":
                stated = facts.Stated(text, category, tags=tuple(tags), importance=importance)
                kept = facts.remember(self._hand, stated, self._now(), "person")
                if kept is None:
                    raise BadInputError("That is too unsure to be kept.")
                return Added(kept.id, kept.path, kept.did, "", kept.refused)
            made = edits.write_down(self._hand, text, layer, importance, tags, self._now(), "person")
            return Added(made.id, made.path, "new", made.act, made.refused)


def _refuse_limit(limit: int) -> None:
    if not 1 <= limit <= 500:  # noqa: PLR2004 - a page
        raise BadInputError(f"The limit goes from 1 to 500, not {limit}.")
