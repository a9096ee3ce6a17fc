"""Recall, the text that is injected for it, and what a session was told.

Law: recalling writes no note; its only trace is a line in the journal, added after the reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kit import chosen, inquiry, text
from kit.app.opened import Opened
from kit.errors import BadInputError
from kit.govern import recalls
from kit.model.hits import Recall
from kit.perceive import answers, spoken
from kit.recall import engine, score, silence
from kit.recall.query import Query
from kit.tiers import check

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from kit import deliver
    from kit.model.notes import Route
    from kit.recall.query import Proofs


class Context(NamedTuple):
    """A recall and the text that would be injected for it."""

    recall: Recall
    delivery: deliver.Delivery
    says: tuple[str, ...]
    """what each hit says, in the order of the hits"""


class Recalls(Opened):
    """What is recalled and told."""

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

    def deep_search(self, query: str, **params: Any) -> list[deliver.Passage]:  # noqa: ANN401
        """Recall, and read each hit at full depth; `params` as for `recall`."""
        return [self.passages.passage(hit) for hit in self.recall(query, **params).hits]
