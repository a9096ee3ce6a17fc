"""Kit: a vault, opened; one short method per operation. The only place that joins the rooms.

Law: every way in (command line, hook, MCP, web, Python) comes through these methods.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from kit import config, deliver, maintain, places, reconcile, survey, text
from kit import search as searching
from kit.errors import BadInputError
from kit.govern import care, facts, recalls, turns
from kit.govern.hand import Hand
from kit.governance import Governance
from kit.index.reflection import Index
from kit.passages import Passages
from kit.perceive import dates, rules, spoken
from kit.recall import engine, match, score
from kit.vault.journal import Journal
from kit.vault.lock import VaultLock
from kit.vault.store import Store
from kit.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from kit.errors import Problem
    from kit.model.hits import Hit, Recall
    from kit.model.notes import CardStatus, Category, Feedback, Note, Route
    from kit.model.perception import Perception
    from kit.vault import exchange
    from kit.vault.journal import Entry, Who


MIRROR_MOST = 50
"""Tags that changed at once; more come from git or a first look, and bring both sides of their relations."""
READ_AT_ONCE = 300
"""Cards whose words a single command reads before it answers."""


class Context(NamedTuple):
    """A recall and the text that would be injected for it."""

    recall: Recall
    delivery: deliver.Delivery
    says: tuple[str, ...]
    """what each hit says, in the order of the hits"""


class Kit:
    """The memory in one vault."""

    def __init__(
        self,
        vault: str | Path | None = None,
        *,
        clock: Callable[[], datetime] | None = None,
        freshen: Callable[[], reconcile.Report] | None = None,
    ) -> None:
        self.root = config.find_vault(str(vault) if vault else None)
        self.config = config.load(self.root)
        self.folder = places.cache_folder(self.config.text("id") or "vault", self.root)
        self.store = Store(self.root)
        self.index = Index(self.folder)
        self.journal = Journal(self.store)
        self._hand = Hand(self.store, self.index, self.journal, redacts=self.config.flag("govern.redact"))
        self._lock = VaultLock(self.folder / "vault.lock")
        self.witness = Witness(self.index, self._hand.load, self.config.text("index.engine"))
        self._freshen = freshen
        self.passages = Passages(self._hand)
        self.pool = Governance(self._hand, self._writing, self.now)
        self.behind = ""
        self._clock = clock or (lambda: datetime.now(UTC).astimezone())

    def __enter__(self) -> Self:
        """Open."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Let the indexes go."""
        self.witness.close()
        self.index.close()

    # -- the two phases of a turn

    def perceive(self, prompt: str, now: datetime | None = None) -> Perception:
        """Say what a prompt is like."""
        scenes = [
            rules.SceneWords(*_scene(held.path), (held.scene.name, *held.scene.aliases))
            for held in self.index.pool.scenes()
            if held.scene.status == "active"
        ]
        return rules.perceive(prompt, now=now or self._clock(), scenes=scenes)

    def frame(
        self, prompt: str, *, tags: Sequence[str] = (), scene: str = "", topic: str = "", project: str = "",
        people: Sequence[str] = (), places: Sequence[str] = (), importance: int = 3, harness: str = "",
        turn: str = "", now: datetime | None = None, who: Who = "person",
    ) -> turns.Framed:  # fmt: skip
        """Write the pending card of a prompt."""
        if not prompt.strip():
            raise BadInputError("There is no prompt to frame.", 'Give one: memkit frame "I like concise code"')
        if not 1 <= importance <= 5:  # noqa: PLR2004 - the scale
            raise BadInputError(f"Importance goes from 1 to 5, not {importance}.")
        at = now or self._clock()
        main, _, sub = scene.partition("/")
        turn_ = turns.Turn(
            tuple(tags), tuple(people), tuple(places), main, sub, topic, project, harness, turn, importance
        )
        with self._writing():
            return turns.frame(self._hand, prompt, turn_, self.perceive(prompt, at), at, who)

    def complete(
        self, card: str, answer: str = "", *, status: CardStatus = "completed", error: str = "",
        now: datetime | None = None, who: Who = "person",
    ) -> turns.Completed:  # fmt: skip
        """Finish a card with the answer; doing it again with the same answer changes nothing."""
        if status == "pending":
            raise BadInputError("A card can't be completed as pending.", "Use completed, interrupted or failed.")
        with self._writing():
            return turns.complete(self._hand, card, answer, status, now or self._clock(), who, error=error)

    def append_prompt(self, card: str, prompt: str) -> None:
        """Add what was typed while the agent was busy."""
        with self._writing():
            turns.append_prompt(self._hand, card, prompt, self._clock(), "hook")

    def append_answer(self, card: str, answer: str) -> turns.Completed:
        """Add a further answer behind the one a card has."""
        with self._writing():
            return turns.append_answer(self._hand, card, answer, self._clock(), "hook")

    def sink(
        self, user: str, agent: str, *, tags: Sequence[str] = (), scene: str = "", topic: str = "", project: str = "",
        importance: int = 3, now: datetime | None = None, who: Who = "person",
    ) -> turns.Completed:  # fmt: skip
        """Write a whole turn at once: frame and complete."""
        card = self.frame(
            user, tags=tags, scene=scene, topic=topic, project=project, importance=importance, now=now, who=who
        )
        return self.complete(card.id, agent, now=now, who=who)

    # -- recall

    def recall(
        self, query: str, *, tags: Sequence[str] | None = None, codes: Sequence[str] = (), scene: str = "",
        project: str = "", topic: str = "", limit: int | None = None, threshold: float | None = None,
        exclude: Iterable[str] = (), now: datetime | None = None,
    ) -> Recall:  # fmt: skip
        """Recall what is useful for a question; reads only."""
        if limit is not None and limit < 1:
            raise BadInputError(f"The limit is at least 1, not {limit}.")
        self.sync()
        at = now or self._clock()
        main, _, sub = scene.partition("/")
        asked = engine.Query(
            spoken.spoken(query), at, tuple(tags) if tags is not None else None, tuple(codes),
            self.perceive(query, at), text.key(main), text.key(sub), project, topic,
            self.config.count("recall.limit") if limit is None else limit,
            self.config.number("recall.threshold") if threshold is None else threshold,
            score.PROFILES[self.config.text("recall.profile")], self.config.count("recall.co_tag_rounds"),
            frozenset(exclude), remarks=(self.behind,) if self.behind else (), times=self._times(query, at),
            witness=self._ask_witness,
        )  # fmt: skip
        return engine.recall(self.index, asked)

    def _times(self, query: str, now: datetime) -> tuple[match.Span, ...]:
        """Gather the times a question looks back to; today is where one is, not what one asks for."""
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        spans = dates.time_ranges(spoken.spoken(query), now)
        return tuple(match.Span(*span) for span in spans if span.start < midnight)

    def _ask_witness(self, question: str, allowed: Callable[[int], bool]) -> engine.Proofs:
        return self.witness.ask(question, self.config.number("recall.text_ms") / 1000, allowed)

    def explain(self, query: str, *, route: Route | None = None, tokens: int | None = None, **params: Any) -> Context:  # noqa: ANN401
        """Recall, and write what would be injected; `params` as for `recall`."""
        return self.context(self.recall(query, **params), route, tokens)

    def context(self, recall: Recall, route: Route | None = None, tokens: int | None = None) -> Context:
        """Write what would be injected for a recall; empty when nothing is useful."""
        passages = [self.passages.passage(hit) for hit in recall.hits]
        budget = self.config.count("deliver.tokens") if tokens is None else tokens
        direct = [one for one, hit in zip(passages, recall.hits, strict=True) if _is_direct(hit)]
        found = deliver.compose(direct, route or recall.route, budget, self.config.count("deliver.bytes"))
        return Context(recall, found, tuple(one.says for one in passages))

    def note_recall(self, session: str, prompt: str, delivery: deliver.Delivery) -> None:
        """Leave a recall's only trace: one line in the journal."""
        recalls.note_recall(self._hand, session, prompt, delivery.ids, delivery.tokens, self._clock())

    def note_event(self, what: str, session: str) -> None:
        """Write down that something happened to a session."""
        recalls.note_event(self._hand, what, session, self._clock())

    def told(self, session: str, lines: int) -> set[str]:
        """Gather what a session was told since its context was last compacted."""
        return recalls.told(self.journal, session, lines)

    def overview(self, card: str) -> str:
        """Read the overview of a card."""
        self.sync()
        return self.passages.overview(card)

    def full_text(self, card: str) -> exchange.Exchange:
        """Read what was said in a card's turn, verbatim."""
        self.sync()
        return self.passages.full_text(card)

    def source_path(self, topic: str, card: str) -> str:
        """Name the note behind a card of a topic: its overview, else its event."""
        self.sync()
        return self.passages.source_path(topic, card)

    def deep_search(self, query: str, **params: Any) -> list[deliver.Passage]:  # noqa: ANN401
        """Recall, and read each hit at full depth; `params` as for `recall`."""
        return [self.passages.passage(hit) for hit in self.recall(query, **params).hits]

    def body(self, link: str) -> str:
        """Read the body of a linked note; '' when there is none."""
        return self.passages.body(link)

    def load(self, path: str) -> Note:
        """Read a note."""
        return self._hand.load(path)

    def now(self) -> datetime:
        """Tell the time, in the person's zone."""
        return self._clock()

    def search(self, query: str, *, limit: int = 20) -> list[searching.Sighting]:
        """Find cards and facts by words, phrases, fields, wildcards and dates, with the place that matched."""
        self.sync()
        return searching.search(self.index, self.witness, self._hand.load, query, limit)

    # -- lasting knowledge and care

    def remember(
        self, says: str, *, category: Category | None = None, key: str = "", value: str = "",
        tags: Sequence[str] = (), scenes: Sequence[str] = (), people: Sequence[str] = (), project: str = "",
        importance: int = 3, confidence: float = 0.9, source: str = "", now: datetime | None = None,
        who: Who = "person",
    ) -> facts.Remembered | None:  # fmt: skip
        """Keep a fact or preference; said again it is confirmed, said differently it is superseded."""
        if not 1 <= importance <= 5:  # noqa: PLR2004 - the scale
            raise BadInputError(f"Importance goes from 1 to 5, not {importance}.")
        stated = facts.Stated(
            says,
            category,
            key,
            value,
            tuple(tags),
            tuple(scenes),
            tuple(people),
            project,
            importance,
            confidence,
            source,
        )
        with self._writing():
            return facts.remember(self._hand, stated, now or self._clock(), who)

    def feedback(
        self, note_id: str, verdict: Feedback, reason: str = "", *, now: datetime | None = None, who: Who = "person"
    ) -> care.Judged:
        """Say what you think of a memory: confirmed, rejected, partial or ignored; '' takes it back."""
        with self._writing():
            return care.judge(self._hand, note_id, verdict, reason, now or self._clock(), who)

    def forget(self, note_id: str, reason: str = "", *, now: datetime | None = None) -> care.PutAway:
        """Put a memory into the archive; `restore` brings it back."""
        with self._writing():
            return care.forget(self._hand, note_id, reason, now or self._clock(), "person")

    def restore(self, note_id: str, *, now: datetime | None = None) -> care.PutAway:
        """Take a memory out of the archive."""
        with self._writing():
            return care.restore(self._hand, note_id, now or self._clock(), "person")

    # -- looking in

    def book(self, dimension: str = "") -> list[survey.BookRow]:
        """List the password book: each term, its tag code, and the cards that bear it."""
        self.sync()
        return survey.book(self.index, dimension)

    def features(self, note_id: str = "") -> list[survey.FeatureRow]:
        """List the feature stats: each card and the terms it bears."""
        self.sync()
        return survey.features(self.index, self._hand.entry(note_id) if note_id else None)

    def tags(self) -> list[survey.TagRow]:
        """List the tag pool, and the words on cards that have no tag note yet."""
        self.sync()
        return survey.tags(self.index)

    def scenes(self) -> list[survey.SceneRow]:
        """List the scenes."""
        self.sync()
        return survey.scenes(self.index)

    def scene_cards(self, scene: str, scene_sub: str = "") -> list[survey.FeatureRow]:
        """List the cards of a scene, or of one of its sub-scenes."""
        self.sync()
        return survey.in_scene(self.index, text.key(scene), text.key(scene_sub))

    def facts(self) -> list[survey.FactRow]:
        """List what is lastingly known."""
        self.sync()
        return survey.facts(self._hand)

    def doctor(self) -> list[Problem]:
        """List what a person should mend, with path, line and the mend."""
        self.sync()
        return survey.problems(self._hand)

    def status(self) -> dict[str, object]:
        """Say what is in the vault and where its derived state lies."""
        report = self.sync()
        return survey.status(self.index, self.root, report)

    def settings(self) -> list[tuple[str, config.Value, str, str]]:
        """List every setting with its value, its origin and its meaning."""
        return self.config.rows()

    def log(self, limit: int = 20, note_id: str = "") -> list[Entry]:
        """List the journal's newest entries, newest first."""
        return survey.log(self.journal, limit, note_id)

    def cleaning_is_due(self) -> bool:
        """Tell whether the schedule asks for a cleaning."""
        mode = self.config.text("clean.mode")
        if mode == "manual":
            return False
        cleaned = (entry for entry in self.journal.entries(newest_first=True) if entry["what"] == "clean")
        last = next((datetime.fromisoformat(str(entry["at"])) for entry in cleaned), None)
        weekday, day = self.config.count("clean.weekday"), self.config.count("clean.day")
        return maintain.due(mode, self.config.text("clean.at"), weekday, day, last, self._clock())

    # -- keeping in step

    def sync(self, progress: Callable[[int, int], None] | None = None) -> reconcile.Report:
        """Bring the indexes in step with the files: as the daemon knows how, else by an incremental scan."""
        report = self._fresh(progress)
        self.follow(report)
        return report

    def follow(self, report: reconcile.Report) -> None:
        """Have tags follow relations that a person has edited in other tags."""
        if 0 < len(report.tags) <= MIRROR_MOST:
            with self._lock:
                self.pool.mirror(report.tags)

    def _fresh(self, progress: Callable[[int, int], None] | None = None) -> reconcile.Report:
        self.index.refresh()
        return self._freshen() if self._freshen else reconcile.scan(self.store, self.index, progress)

    def read_words(self) -> None:
        """Use full text in this process: bring it in step, unless that would take long or another has it."""
        self.sync()
        if self.witness.open() and self.witness.behind <= READ_AT_ONCE:
            self.witness.take(READ_AT_ONCE)
            self.witness.flush()

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> reconcile.Report:
        """Throw the indexes away and make them anew from the files."""
        with self._lock:
            self.witness.close()
            self.index.renew()
            return reconcile.scan(self.store, self.index, progress)

    @contextmanager
    def at(self, moment: datetime) -> Iterator[None]:
        """Let it be another time for a while: for what waited to be dealt with."""
        before, self._clock = self._clock, lambda: moment
        try:
            yield
        finally:
            self._clock = before

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock:
            report = self._fresh()
            if 0 < len(report.tags) <= MIRROR_MOST:
                self.pool.mirror(report.tags)
            yield


def _scene(path: str) -> tuple[str, str]:
    """Read category and sub-scene off a scene note's place."""
    parts = path.removeprefix("scenes/").removesuffix(".md").split("/")
    return parts[0], parts[1] if len(parts) > 1 else ""


def _is_direct(hit: Hit) -> bool:
    """Tell whether a hit has evidence of its own; what only fills places is never injected."""
    return any(
        reason.factor != "co-tag" and reason.kind in ("+", "∪") and reason.factor != "scene" for reason in hit.reasons
    )
