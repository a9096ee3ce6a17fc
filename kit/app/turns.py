"""The two phases of a turn: its card is framed at the prompt and completed with the answer.

Law: everything that writes holds the writer's lock; what a turn says is cleaned of secrets before it reaches a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.app.opened import Opened
from kit.errors import BadInputError
from kit.govern import alignment, scenes, turns
from kit.model.fields import check_importance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from kit.model.notes import CardStatus
    from kit.vault.journal import Who


class Turns(Opened):
    """What is written of a turn."""

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
