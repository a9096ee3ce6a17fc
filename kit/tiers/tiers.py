"""The three tiers of a memory: passing remarks, what happened, what lasts; and how one becomes the other.

Law: a tier is a key of a note (`layer`), never a place of its own. What is over a tier's cap goes to the archive,
lightest first; a session is summed up once, by its agent or else by rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

from kit import deliver, maintain, places, text
from kit.errors import BadInputError, KitError
from kit.govern import summaries, turns
from kit.model.notes import Card, Category, Fact, Layer, Summary
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
LEAST_CJK = 3
"""Characters a fact has at least in a script without spaces."""
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
        self._quiet: dict[str, float] = {}

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
        stated = [_stated(fact) for fact in facts]
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
            for fact in stated
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
        for session, newest in self._silent(now.timestamp() - LOOK_BACK_S, now.timestamp() - rules.silent_s):
            if closed == most:
                break
            closed += self.close(session, who="maintain") is not None
            self._quiet[session] = newest
        return closed

    def _silent(self, after: float, before: float) -> list[tuple[str, float]]:
        """List the sessions of agents whose newest card lies between two moments and that nobody summed up."""
        newest: dict[str, float] = {}
        for row in self._hand.index.features.rows().values():
            if row.kind == "card" and row.topic:
                newest[row.topic] = max(newest.get(row.topic, 0.0), row.created)
        found: list[tuple[str, float]] = []
        for topic, at in newest.items():
            if after < at < before and self._quiet.get(topic) != at:
                session = self._session(topic)
                if session:
                    found.append((session, at))
                else:
                    self._quiet[topic] = at
        return found

    def _session(self, topic: str) -> str:
        """Name an agent's session as its cards do; '' for a thread of a person's, and for one that is summed up."""
        if self._hand.index.postings.df(f"summary:{topic}"):
            return ""
        for num in self._hand.index.postings.cards(f"topic:{topic}"):
            entry = self._hand.index.catalog.numbered(num)
            try:
                card = self._hand.load(entry.path) if entry else None
            except KitError:
                continue
            if isinstance(card, Card):
                return card.topic if card.harness else ""
        return ""

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


def check(layer: str, category: str) -> None:
    """Refuse a tier or a category that there is none of, and two that exclude each other."""
    for value, known, what in ((layer, get_args(Layer), "tier"), (category, get_args(Category), "category")):
        if value and value not in known:
            raise BadInputError(f"'{value:.60}' is no {what}.", f"Known: {', '.join(known)}.")
    if category and layer in ("transient", "episodic"):
        raise BadInputError(f"Only facts have a category, and '{layer}' holds none.", "Leave one of the two out.")


class _Stated(NamedTuple):
    """A fact of a session, as it is told."""

    says: str
    category: str
    importance: int


def _is_lone_word(says: str) -> bool:
    word = says.strip().rstrip(".!?。！？")
    return len(word) < LEAST_CJK if text.is_cjk(word[:1]) else word.isalnum() and not any(map(text.is_cjk, word))


def _stated(fact: Mapping[str, object]) -> _Stated:
    says, category, weight = fact.get("text"), fact.get("category") or "", fact.get("importance", 3)
    odd = sorted(set(fact) - {"text", "category", "importance"})
    if odd:
        raise BadInputError(f"A fact has no '{odd[0]}'.", "It has text, category and importance.")
    if not isinstance(says, str) or not text.key(says) or not isinstance(category, str):
        raise BadInputError("A fact needs its text.", '{"text": "Reports go in tables", "category": "preference"}')
    if _is_lone_word(says):
        raise BadInputError(f"'{says.strip()}' is too short to be a fact.", "Say it in a sentence that stands alone.")
    if not isinstance(weight, int) or isinstance(weight, bool) or not 1 <= weight <= 5:  # noqa: PLR2004 - the scale
        raise BadInputError("A fact's importance is a whole number from 1 to 5.")
    check("", category)
    return _Stated(says, category, weight)
