"""The operations on tiers: ask one, keep something in one, sum sessions up, keep to the caps.

Law: as the package says; it writes by `govern` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

from kit import deliver, maintain, places
from kit.errors import BadInputError, KitError
from kit.govern import summaries, turns
from kit.model.notes import Card, Category, Fact, Layer, Summary
from kit.tiers.named import check, stated
from kit.tiers.silent import Silent
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from typing import Any

    from kit.govern.facts import Remembered
    from kit.govern.hand import Hand
    from kit.govern.summaries import Committed
    from kit.model.hits import Hit, Recall
    from kit.passages import Passages
    from kit.vault.journal import Who

MOST = 20
"""Results of one question."""
LONGEST_PASSING = 300
"""Characters of a passing remark that are kept."""
RUNNING_S = 3 * 3600.0
"""A session whose newest card is younger, and that has not ended, is the one that is summed up without being named."""
LOOK_BACK_S = 14 * 86_400.0
"""Sessions that fell silent longer ago stay as they are: they were there before anyone summed up."""


class Rules(NamedTuple):
    """The settings of the tiers."""

    caps: maintain.Caps
    summary_turns: int
    silent_s: float
    tokens: int
    size: int


class Memory(NamedTuple):
    """One memory as an answer shows it; what does not apply to its tier is empty."""

    id: str
    layer: str
    kind: str
    text: str
    score: float
    category: str
    importance: int
    tags: tuple[str, ...]
    project: str
    created: datetime | None
    updated: datetime | None
    session: str
    title: str
    turns: int
    hits: int
    note: str
    """the note's name, to cite it by"""


class Found(NamedTuple):
    """An answer to a question: the memories, and a text of them that is ready to be used."""

    query: str
    results: tuple[Memory, ...]
    context: str


class Kept(NamedTuple):
    """What was remembered."""

    id: str
    path: str
    layer: str
    did: str
    """new, confirmed, superseded, or refused: too unsure"""
    refused: tuple[str, ...] = ()
    """tags that were not taken, each with its reason"""
    redacted: tuple[str, ...] = ()
    """kinds of secrets that were taken out of it"""


class Commit(NamedTuple):
    """A session that was summed up, and the facts that were taken from it."""

    summary: Committed
    facts: tuple[Kept, ...]


class Stats(NamedTuple):
    """How much is in each tier; `caps` say how much may be."""

    transient: int
    episodic: int
    semantic: int
    sessions: int
    """summary notes"""
    total: int
    caps: Mapping[str, int]
    categories: Mapping[str, int]


class Tiers:
    """Acts on tiers, one short method per operation; reached as `Kit.tiers`."""

    def __init__(
        self, hand: Hand, writing: Callable[[], AbstractContextManager[None]], clock: Callable[[], datetime],
        *, sync: Callable[[], object], passages: Passages, rules: Callable[[], Rules],
        recall: Callable[..., Recall], remember: Callable[..., Remembered | None], sink: Callable[..., Any],
    ) -> None:  # fmt: skip
        self._hand, self._writing, self._now, self._sync = hand, writing, clock, sync
        self._passages, self._rules = passages, rules
        self._recall, self._remember, self._sink = recall, remember, sink
        self._silent = Silent(hand)

    def recall(
        self, query: str, *, layer: str = "", category: str = "", limit: int = 8, project: str = "", session: str = ""
    ) -> Found:
        """Answer a question from one tier or all; `category` finds facts of it only."""
        check(layer, category)
        if not 1 <= limit <= MOST:
            raise BadInputError(f"The limit goes from 1 to {MOST}, not {limit}.")
        recall = self._recall(query, layer=layer, category=category, limit=limit, project=project, topic=session)
        rules = self._rules()
        passages = [self._passages.passage(hit) for hit in recall.hits]
        context = deliver.compose(passages, recall.route, rules.tokens, rules.size).text
        results = tuple(filter(None, (self._memory(hit) for hit in recall.hits)))
        return Found(query, results, context)

    def _memory(self, hit: Hit) -> Memory | None:
        try:
            found = self._hand.load(hit.path)
        except KitError:
            return None
        if not isinstance(found, (Card, Summary, Fact)):
            return None
        return Memory(
            found.id, getattr(found, "layer", "episodic"), found.kind, note.first_paragraph(found.body),
            round(hit.score, 6), getattr(found, "category", ""), getattr(found, "importance", 3), found.tags,
            found.project, found.created, getattr(found, "updated", None), getattr(found, "topic", ""),
            getattr(found, "title", ""), getattr(found, "turns", int(found.kind == "card")),
            getattr(found, "hits", 0), hit.path.removesuffix(".md"),
        )  # fmt: skip

    def remember(
        self, says: str, *, category: str = "", importance: int = 3, tags: Sequence[str] = (), layer: str = "semantic",
        project: str = "", session: str = "", who: Who = "person",
    ) -> Kept:  # fmt: skip
        """Keep something in a tier: a fact that lasts, something that happened, or a passing remark."""
        check(layer, category)
        if layer in ("", "semantic"):
            done = self._remember(
                says, category=category or None, importance=importance, tags=tags, project=project, who=who
            )
            if done is None:
                return Kept("", "", "semantic", "refused")
            return Kept(done.id, done.path, "semantic", done.did, done.refused, done.redacted)
        passing = layer == "transient"
        said = says.strip()[:LONGEST_PASSING] if passing else says
        card = self._sink(said, "", tags=tags, topic=session, project=project, importance=importance, who=who)
        with self._writing():
            turns.keep_in(self._hand, card.path, "transient" if passing else "episodic")
        return Kept(card.id, card.path, layer, "new", card.refused, card.redacted)

    def commit(
        self, summary: str | None = None, *, title: str = "", session: str = "", project: str = "", folder: str = "",
        facts: Sequence[Mapping[str, object]] = (), who: Who = "person",
    ) -> Commit:  # fmt: skip
        """Sum a session up, and keep the facts it brought: `{"text": …, "category": …, "importance": …}`.

        Without a name it is the session that an agent has open now in the project, or else in that of the `folder`
        one works in; where none is open, the summary is of no session but its own. Without a summary rules write it.
        """
        given = [stated(fact) for fact in facts]
        with self._writing():
            where = project or places.project_of(folder)
            named = session or summaries.open_session(self._hand, where, self._now(), RUNNING_S)
            if summary is None:
                done = self._by_rules(named, title, who)
            else:
                done = summaries.commit(self._hand, named, summary, title, self._now(), who, project=project)
        kept = [
            self.remember(
                fact.says, category=fact.category, importance=fact.importance, who=who,
                project=project if fact.category == "business" else "",
            )
            for fact in given
        ]  # fmt: skip
        return Commit(done, tuple(kept))

    def _by_rules(self, session: str, title: str, who: Who) -> Committed:
        title = " ".join(self._hand.cleaned(title)[0].split())
        done = summaries.close(self._hand, session, self._now(), who, least=1, title=title)
        if done is None:
            what = f"There is nothing new to sum up of '{session}'." if session else "No session is open here."
            raise BadInputError(what, 'Say what it came to: memkit commit --summary "We chose …"')
        return done

    def close(self, session: str, *, who: Who = "hook") -> Committed | None:
        """Sum a session up by rules, if it is worth it and nobody did."""
        with self._writing():
            least = self._rules().summary_turns
            return summaries.close(self._hand, session, self._now(), who, least=least) if least else None

    def close_silent(self, most: int) -> int:
        """Sum up sessions that fell silent without an end, at most so many; tell how many."""
        rules, now = self._rules(), self._now()
        closed = 0
        for session, newest in self._silent.between(now.timestamp() - LOOK_BACK_S, now.timestamp() - rules.silent_s):
            if closed == most:
                break
            closed += self.close(session, who="maintain") is not None
            self._silent.settled(session, newest)
        return closed

    def trim(
        self, *, layer: str = "", dry_run: bool = False, who: Who = "person", limit: int | None = None
    ) -> maintain.Cleaned:
        """Put what is over the caps, or `limit` of it, into the archive, lightest first; only one tier's, if named."""
        check(layer, "")
        with self._writing():
            caps = self._rules().caps.only(layer)
            return maintain.trim(self._hand, self._now(), who, caps, dry_run=dry_run, limit=limit)

    def stats(self) -> Stats:
        """Count what is in each tier."""
        self._sync()
        counts = dict.fromkeys(get_args(Layer), 0)
        sessions = 0
        for row in self._hand.index.features.rows().values():
            counts[row.layer] = counts.get(row.layer, 0) + 1
            sessions += row.kind == "summary"
        df = self._hand.index.postings.df
        categories = {name: df(f"category:{name}") for name in get_args(Category) if df(f"category:{name}")}
        return Stats(
            counts["transient"], counts["episodic"], counts["semantic"], sessions, sum(counts.values()),
            self._rules().caps._asdict(), categories,
        )  # fmt: skip
