"""Kit: a vault, opened; one short method per operation. The only place that joins the rooms.

Law: every way in (command line, hook, MCP, web, Python) comes through these methods.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from kit import chosen, config, inquiry, maintain, places, reconcile, survey, text
from kit.briefing import Briefing
from kit.errors import BadInputError
from kit.govern import alignment, care, facts, recalls, scenes, turns
from kit.govern.hand import Hand
from kit.governance import Governance
from kit.index.reflection import Index
from kit.inquiry import Inquiry
from kit.learning import Learning
from kit.llm.mind import Mind
from kit.llm.port import Settings
from kit.model.fields import check_importance
from kit.model.hits import Recall
from kit.passages import Passages
from kit.perceive import answers, spoken
from kit.recall import engine, score, silence
from kit.recall.query import Query
from kit.step import Step
from kit.tiers import Tiers, check
from kit.vault.journal import Journal
from kit.vault.store import Store
from kit.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import TracebackType

    from kit import deliver
    from kit import search as searching
    from kit.desk.desk import Desk
    from kit.errors import Problem
    from kit.model.notes import CardStatus, Category, Feedback, Note, Route
    from kit.model.perception import Perception
    from kit.model.rows import SceneRow, TagRow
    from kit.recall.query import Proofs
    from kit.transfer.carrier import Carrier
    from kit.vault import exchange
    from kit.vault.journal import Entry, Who


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
        self._settings = config.Live(self.root)
        self.config = self._settings.first
        self.folder = places.cache_folder(self.config.text("id") or "vault", self.root)
        self.store = Store(self.root, plain_notes=self.config.flag("index.plain_notes"))
        self.index = Index(self.folder)
        self.index.expect_plain_notes(self.store.plain_notes)
        self.journal = Journal(self.store)
        self._hand = Hand(self.store, self.index, self.journal, redacts=self.config.flag("govern.redact"))
        self._step = Step(self.store, self.index, self.folder, lambda: self.pool, freshen, self._sum_up)
        self.witness = Witness(self.index, self._hand.look, self._hand.read_body, self.config.text("index.engine"))
        self.passages = Passages(self._hand)
        self._briefing = Briefing(self._hand, self.passages)
        self.pool = Governance(
            self._hand, self._writing, self.now, sync=self.sync, scene_of=self._scene_of,
            share=self.config.number("govern.tag_share"),
            caps=lambda **given: chosen.caps(self.config, **given),
        )  # fmt: skip
        self.mind = Mind(Settings.of(self.config.section("llm")), self.root, self.now)
        self._inquiry = Inquiry(self.index, self.mind)
        self.learning = Learning(
            self._hand, self._writing, self.now, self.mind, sync=self.sync, scene_of=self._scene_of
        )
        self.tiers = Tiers(
            self._hand, self._writing, self.now, sync=self.sync, passages=self.passages,
            rules=lambda: chosen.tier_rules(self.config),
            recall=self.recall, remember=self.remember, sink=self.sink,
        )  # fmt: skip
        self.behind = ""
        self._clock = clock or (lambda: datetime.now(UTC).astimezone(places.ZONE.get()))

    def __enter__(self) -> Self:
        """Open."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Let the indexes go."""
        self.learning.close()
        self.witness.close()
        self.index.close()

    @property
    def is_outdated(self) -> bool:
        """Tell whether a file of settings was edited since it was read."""
        return self._settings.is_edited()

    def heed(self) -> bool:
        """Go by the settings as their files say now; False where nothing changes, or a file has faults."""
        found = self._settings.renewed()
        if found is None:
            return False
        self.config = found
        self.store.plain_notes = found.flag("index.plain_notes")
        self.index.expect_plain_notes(self.store.plain_notes)
        self._hand.redacts = found.flag("govern.redact")
        self.pool.share = found.number("govern.tag_share")
        self.witness.use(found.text("index.engine"))
        self.mind.use(Settings.of(found.section("llm")))
        return True

    def _remarks(self) -> tuple[str, ...]:
        faults = self._settings.problems
        old = f"Settings as they were before, or defaults, are in use: {faults[0]}" if faults else ""
        return tuple(filter(None, (self.behind, old)))

    @cached_property
    def desk(self) -> Desk:
        """Hand out what a page shows and does."""
        from kit.desk.desk import Desk  # noqa: PLC0415 - only who uses it pays 50 ms and its memory

        return Desk(
            self._hand, self._writing, self.now, sync=self.sync, witness=self.witness, recall=self.recall,
            faults=lambda: self._settings.problems,
        )  # fmt: skip

    @cached_property
    def transfer(self) -> Carrier:
        """Hand out what imports and exports."""
        from kit.transfer.carrier import Carrier  # noqa: PLC0415 - as above

        vault = self.config.text("id")
        made = Carrier(self._hand, self._writing, self.now, sync=self.sync, perceive=self.perceive, vault=vault)
        made.owner = self.learning.owner
        return made

    # -- the two phases of a turn

    def perceive(self, prompt: str, now: datetime | None = None) -> Perception:
        """Say what a prompt is like."""
        return self._inquiry.perceive(prompt, now or self._clock())

    def _scene_of(self, said: str) -> str:
        found = self.perceive(said)
        return f"{found.scene}/{found.scene_sub}" if found.scene_sub else found.scene

    def frame(
        self, prompt: str, *, tags: Sequence[str] = (), scene: str = "", topic: str = "", project: str = "",
        people: Sequence[str] = (), places: Sequence[str] = (), importance: int = 3, harness: str = "",
        turn: str = "", now: datetime | None = None, who: Who = "person",
    ) -> turns.Framed:  # fmt: skip
        """Write the pending card of a prompt."""
        if not prompt.strip():
            raise BadInputError("There is no prompt to frame.", 'Give one: memkit frame "I like concise code"')
        check_importance(importance)
        at = now or self._clock()
        main, sub = scenes.parsed(scene) if scene else ("", "")
        turn_ = turns.Turn(
            tuple(tags), tuple(people), tuple(places), main, sub, topic, project, harness, turn, importance
        )
        with self._writing():
            lacking = self._inquiry.lacking(prompt, tags)
            return turns.frame(self._hand, prompt, turn_, self.perceive(prompt, at), at, who)._replace(
                malformed=lacking
            )

    def complete(
        self, card: str, answer: str = "", *, status: CardStatus = "completed", error: str = "", scene: str = "",
        alignments: Mapping[str, object] | None = None, now: datetime | None = None, who: Who = "person",
    ) -> turns.Completed:  # fmt: skip
        """Finish a card with the answer; doing it again with the same answer changes nothing.

        `scene` is the final one, in place of the frame's candidate. `alignments` complete malformed tags:
        `{name: {"definition": …, "dimensions": […]}}`; only what is missing is written.
        """
        if status == "pending":
            raise BadInputError("A card can't be completed as pending.", "Use completed, interrupted or failed.")
        at = now or self._clock()
        with self._writing():
            done = turns.complete(self._hand, card, answer, status, at, who, error=error)
            if scene:
                scenes.final(self._hand, done.path, scene, at, who)
            refused: tuple[str, ...] = ()
            if alignments:
                refused = alignment.align(self._hand, alignments, at, who).refused
            lacking = self._inquiry.lacking("", done.tags)
            return done._replace(malformed=lacking, refused=(*done.refused, *refused))

    def clean_ahead(self, answer: str) -> None:
        """Take secrets out of a long answer before a card is completed with it: needs neither indexes nor lock."""
        self._hand.cleaned(answer)

    def meet(self, card: str) -> bool:
        """Look for a card's file that the index may not have come by yet; tell whether it is known now."""
        with self._step.lock:
            return turns.meet(self._hand, card)

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
        exclude: Iterable[str] = (), layer: str = "", category: str = "", unasked: bool = False,
        now: datetime | None = None,
    ) -> Recall:  # fmt: skip
        """Recall what is useful for a question; reads only. `layer` asks one tier, `category` facts of it alone.

        `unasked` finds nothing for what needs no memory: thanks, chit-chat, a bare command.
        """
        if limit is not None and limit < 1:
            raise BadInputError(f"The limit is at least 1, not {limit}.")
        check(layer, category)
        self._step.fresh()  # recalling writes no note: what tags owe each other is followed elsewhere
        at = now or self._clock()
        main, _, sub = scene.partition("/")
        seen = self.perceive(query, at)
        if unasked and not seen.useful:
            return Recall(spoken.spoken(query), (), seen, seen.route)
        asked = Query(
            spoken.spoken(query), at, tuple(tags) if tags is not None else self._inquiry.clues(query), tuple(codes),
            seen, text.key(main), text.key(sub), project, topic,
            self.config.count("recall.limit") if limit is None else limit,
            chosen.threshold(self.config) if threshold is None else threshold,
            score.PROFILES[self.config.text("recall.profile")],
            0 if unasked else self.config.count("recall.co_tag_rounds"),  # what only fills a place is never told
            frozenset(exclude), remarks=self._remarks(), times=inquiry.times(query, at),
            sought=inquiry.sought(query),
            witness=self._ask_witness, layer=layer, category=category, further=silence.FURTHER if unasked else 0,
        )  # fmt: skip
        found = engine.recall(self.index, asked)
        if self.behind:  # what was deleted meanwhile is not told all the same
            found = found._replace(hits=tuple(hit for hit in found.hits if (self.root / hit.path).is_file()))
        return found

    def _ask_witness(
        self, question: str, persons: Collection[str], allowed: Callable[[int], bool], limit: int
    ) -> Proofs:
        return self.witness.ask(question, self.config.number("recall.text_ms") / 1000, allowed, persons, limit)

    def explain(self, query: str, *, route: Route | None = None, tokens: int | None = None, **params: Any) -> Context:  # noqa: ANN401
        """Recall, and write what would be injected; `params` as for `recall`."""
        return self.context(self.recall(query, **params), route, tokens)

    def context(self, recall: Recall, route: Route | None = None, tokens: int | None = None) -> Context:
        """Write what would be injected for a recall, and what each hit says."""
        says = tuple(self.passages.passage(hit, "shallow").says for hit in recall.hits)
        return Context(recall, self.delivery(recall, route, tokens), says)

    def delivery(
        self, recall: Recall, route: Route | None = None, tokens: int | None = None, told: Collection[str] = (),
        most: int | None = None,
    ) -> deliver.Delivery:  # fmt: skip
        """Write what would be injected for a recall; empty when nothing is useful.

        `told`: ids a session has heard. `most`: bytes that reach the model, if those are fewer than are allowed.
        """
        budget = self.config.count("deliver.tokens") if tokens is None else tokens
        size = self.config.count("deliver.bytes")
        size = size if most is None else min(size, most)
        own = answers.asks_own(recall.query)
        return self._briefing.brief(recall.hits, route or recall.route, budget, size, told, own=own)

    def note_recall(self, session: str, prompt: str, delivery: deliver.Delivery) -> None:
        """Leave a recall's only trace: one line in the journal."""
        self.note_told(session, prompt, delivery.ids, delivery.tokens)

    def note_told(self, session: str, prompt: str, ids: Sequence[str], tokens: int) -> None:
        """Write down what a session was told."""
        recalls.note_recall(self._hand, session, prompt, tuple(ids), tokens, self._clock())

    def note_event(self, what: str, session: str) -> None:
        """Write down that something happened to a session."""
        recalls.note_event(self._hand, what, session, self._clock())

    def told(self, session: str, lines: int, turns: Mapping[str, datetime]) -> set[str]:
        """Gather what a session has in its context since that was last compacted; `turns` are its own."""
        return recalls.told(self.journal, session, lines, turns)

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
        from kit import search as searching  # noqa: PLC0415 - its patterns take long, and few ask for it

        self.sync()
        return searching.search(self.index, self.witness, self._hand.look, query, limit)

    # -- lasting knowledge and care

    def remember(
        self, says: str, *, category: Category | None = None, key: str = "", value: str = "",
        tags: Sequence[str] = (), scenes: Sequence[str] = (), people: Sequence[str] = (), project: str = "",
        importance: int = 3, confidence: float = 0.9, source: str = "", now: datetime | None = None,
        who: Who = "person",
    ) -> facts.Remembered | None:  # fmt: skip
        """Keep a fact or preference; said again it is confirmed, said differently it is superseded."""
        check_importance(importance)
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

    def forget(
        self, note_id: str, reason: str = "", *, now: datetime | None = None, who: Who = "person"
    ) -> care.PutAway:
        """Put a memory into the archive; `restore` brings it back."""
        with self._writing():
            return care.forget(self._hand, note_id, reason, now or self._clock(), who)

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

    def tags(self) -> list[TagRow]:
        """List the tag pool, and the words on cards that have no tag note yet."""
        self.sync()
        return survey.tags(self.index)

    def scenes(self) -> list[SceneRow]:
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
        return [*self._settings.problems, *survey.problems(self._hand)]

    def status(self) -> dict[str, object]:
        """Say what is in the vault and where its derived state lies."""
        report = self.sync()
        found = survey.status(self.index, self.root, report, len(self._settings.problems))
        return {**found, **self.learning.state()}

    def settings(self) -> list[tuple[str, config.Value, str, str]]:
        """List every setting with its value, its origin and its meaning."""
        return self.config.rows()

    def log(self, limit: int = 20, note_id: str = "", *, what: str = "", by: str = "") -> list[Entry]:
        """List the journal's newest entries, newest first; `what`: only this act, `by`: only this writer's."""
        return survey.log(self.journal, limit, note_id, what, by)

    def cleaning_is_due(self) -> bool:
        """Tell whether the schedule asks for a cleaning."""
        return maintain.is_due(self.journal, chosen.cleaning(self.config, self._clock()))

    # -- keeping in step

    def sync(self, progress: Callable[[int, int], None] | None = None) -> reconcile.Report:
        """Bring the indexes in step with the files: as the daemon knows how, else by an incremental scan."""
        report = self._step.fresh(progress)
        self.follow(report)
        return report

    def follow(self, report: reconcile.Report) -> None:
        """Have notes follow what a person has edited in others, unless another program is writing."""
        self._step.follow(report)

    @property
    def owes(self) -> bool:
        """Tell whether there is something that `sync` would finish or have followed."""
        return self._step.owes

    def read_words(self) -> None:
        """Use full text in this process: bring it in step, unless that would take long or another has it."""
        self.sync()
        if self.witness.open() and self.witness.behind <= READ_AT_ONCE:
            self.witness.take(READ_AT_ONCE)
            self.witness.flush()

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> reconcile.Report:
        """Throw the indexes away and make them anew from the files."""
        with self._step.lock:
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

    def _sum_up(self, edited: Mapping[str, Collection[str]]) -> None:
        self.tiers.follow(edited)

    def _writing(self) -> AbstractContextManager[None]:
        return self._step.writing()
