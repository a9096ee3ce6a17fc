"""What an event does to the cards of its session: framed, added to, completed, closed.

Law: each card succeeds or fails alone; one that a person has removed is not missed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from kit.errors import KitError, NotFoundError
from kit.harness import event as events
from kit.harness import matching
from kit.model.notes import Card

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from kit.app import Kit
    from kit.harness.event import HookEvent
    from kit.sessions.known import Known


class Cards:
    """The cards of all sessions that are known."""

    def __init__(self, kit: Kit, known: Known) -> None:
        self._kit, self._known = kit, known

    def act(self, event: HookEvent, project: str, at: datetime | None = None) -> None:
        """Do to the cards what an event says; `at` is when it was, if that is not now."""
        state = self._known.state(event.harness)
        if event.kind == "prompt" and matching.is_echo(state, event, self._kit.now()):
            return
        self._carry_out(matching.match(state, event, self._known.transcript(event), at), event, project)

    def sweep(self, most: int) -> int:
        """Close cards whose client was killed a day ago or longer, at most so many; tell how many."""
        kit, swept = self._kit, 0
        now = kit.now()
        for num in kit.index.features.with_status("pending"):
            row, entry = kit.index.features.row(num), kit.index.catalog.numbered(num)
            if not row or not entry or row.created > (now - matching.STALE).timestamp():
                continue
            with suppress(KitError):
                card = kit.load(entry.path)
                if isinstance(card, Card) and card.harness:  # what a person framed by command is theirs to complete
                    self._known.learn(events.HookEvent("end", card.harness, card.topic))
        for harness, state in self._known.states.items():
            acts = list(_singly(matching.sweep_stale(state, now)))[: most - swept]
            swept += len(acts)
            self._carry_out(acts, events.HookEvent("end", harness), "")
        return swept

    def _carry_out(self, acts: Iterable[matching.Act], event: HookEvent, project: str) -> None:
        state = self._known.state(event.harness)
        done: list[matching.Act] = []
        made, trouble = "", None
        for act in _singly(acts):
            try:
                made = self._do(act, event, project) or made
            except NotFoundError:
                # The person has removed the card meanwhile, unless the index has not come by it yet.
                if any(self._kit.meet(card) for card in _cards(act)):
                    made = self._do(act, event, project) or made
            except KitError as error:  # one card's trouble is not the other's
                trouble = trouble or error
                continue
            done.append(act)
        self._known.states[event.harness] = matching.advance(state, event, done, card=made, now=self._kit.now())
        if trouble:
            raise trouble

    def _do(self, act: matching.Act, event: HookEvent, project: str) -> str:
        kit = self._kit
        match act:
            case matching.New():
                card = kit.frame(
                    event.text, topic=event.session, project=project, harness=event.harness, turn=event.turn, who="hook"
                ).id
                # The session has its own turns in its context until that is compacted.
                self._known.told(event).add(card)
                return card
            case matching.Append(card):
                kit.append_prompt(card, event.text)
            case matching.Complete(card, answer) | matching.CompleteAgain(card, answer):
                kit.complete(card, answer, who="hook")
            case matching.AppendAnswer(card, answer):
                kit.append_answer(card, answer)
            case matching.Interrupt(card, answer, status, error):
                kit.complete(card, answer, status=status, error=error, who="hook")
            case matching.Sweep(cards, status, error):  # of one card
                for card in cards:
                    kit.complete(card, "", status=status, error=error, who="hook")
        return ""


def _singly(acts: Iterable[matching.Act]) -> Iterator[matching.Act]:
    """Take a sweep of many cards apart, so that each succeeds or fails alone."""
    for act in acts:
        if isinstance(act, matching.Sweep):
            yield from (act._replace(cards=(card,)) for card in act.cards)
        else:
            yield act


def _cards(act: matching.Act) -> tuple[str, ...]:
    return act.cards if isinstance(act, matching.Sweep) else (getattr(act, "card", ""),)
