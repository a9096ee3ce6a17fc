"""What a harness event does: recall before the reply, cards after it, and what a session has seen already.

Law: recall comes before the turn's own frame; a session is told a memory once, until its context is compacted;
whose card an event is about is decided by `harness.matching` alone, from the files after a restart.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kit import deliver, standing, text
from kit.errors import KitError, NotFoundError
from kit.harness import event as events
from kit.harness import matching, registry, transcripts
from kit.model.notes import Card
from kit.perceive import rules
from kit.places import project_of
from kit.vault import exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from kit.app import Kit
    from kit.harness.event import HookEvent

TRANSCRIPT_TAILS = (2_000_000, 16_000_000)
"""Bytes of a transcript's end that are read; the second where a turn with much work in it began before the first."""
JOURNAL_LINES = 5_000
"""Newest journal lines that are read to learn what a session was told before a restart."""

LAG_S, _LOOK_S = 1.0, 0.02
"""How long a transcript may be behind, and how often it is looked at."""
HOOK_S, RENDER_S = 0.3, 0.15
"""How long a hook waits that does not say so, and what recall and rendering need of that."""
LONG = 100_000
"""Bytes of a payload whose words are looked through for secrets before others have to wait for it."""
SESSIONS = 500
"""Sessions that are kept in mind; one that was silent for longer is learned from the files again."""
START = "start of a session"
LONGEST_WHY = 2_000
"""Characters of a prompt that are looked at for its line in the journal."""

_NOTHING_TOLD = deliver.Delivery("", (), 0)


class Reply(NamedTuple):
    """What a hook prints, and what is to be done once it is printed."""

    out: bytes
    after: Callable[[], None]
    untold: Callable[[], None] = lambda: None
    """Take back what the session counts as told; to be called first where the reply came too late."""


class Held(Protocol):
    """An answer that is on the disk as it came."""

    def done(self) -> None:
        """Forget it: it was dealt with."""

    def let_go(self) -> None:
        """Leave it to be dealt with again later."""


class _Owed(NamedTuple):
    """What is still to be done about an event whose hook has its reply."""

    event: HookEvent
    project: str
    held: Held | None = None


class Sessions:
    """The sessions of all harnesses of one vault."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._states: dict[str, matching.State] = {}
        self._known: dict[tuple[str, str], None] = {}
        """the one that was met last comes last"""
        self._told: dict[tuple[str, str], set[str]] = {}
        self._owed: list[_Owed] = []
        self._stuck: _Owed | None = None
        """What failed and waits for the next hook: no question waits, too, for what may hold it up"""
        self._transcripts: dict[tuple[str, str], str] = {}
        """Where each session's transcript lies: not every event says so."""

    def handle(
        self, harness: str, name: str, payload: bytes, env: Mapping[str, str], hold: Callable[[], Held] | None = None
    ) -> Reply:
        """Answer one hook call; whatever is not a person's own words gives an empty reply.

        `hold` writes the call down durably: an answer then has its reply before its card is completed.
        """
        adapter = registry.adapter(harness)
        event = adapter.read(name, events.parse(payload), env)
        if event.kind == "ignore":
            return Reply(b"", lambda: self._act(event, ""))
        spooled = "MEMKIT_SPOOLED" in env
        if not spooled:
            self._pay()
        self._learn(event)
        if event.forgets():
            self._told[harness, event.session] = set()
            self._kit.note_event("compact", event.session)
        project = project_of(event.cwd)
        if hold and event.kind == "answer" and not spooled:
            self._owed.append(_Owed(event, project, hold()))
            return Reply(adapter.render(name, ""), self.settle)
        if spooled or (event.kind != "prompt" and name != "start"):
            # On disk before it is acknowledged: a failure makes the hook, or the spool, keep it.
            self._act(event, project, self._kit.now() if spooled else None)
            return Reply(adapter.render(name, ""), (lambda: self._sum_up(event)) if event.kind == "end" else _nothing)
        told, trouble = _NOTHING_TOLD, None
        try:
            if event.kind == "prompt":
                told = self._context(event, project)
            elif adapter.render(name, "-"):  # after a compaction, too; not every client listens
                told = self._opening(event, project)
        except Exception as error:  # noqa: BLE001 - a recall that fails must not cost the turn its card
            trouble = error
        owed = _Owed(event, project)
        self._owed.append(owed)  # what comes before this one's turn does it first: a client may be quick to fail
        own = self._told.get((harness, event.session), set())
        after = partial(self._after, owed, told, trouble)
        return Reply(adapter.render(name, told.text), after, partial(own.difference_update, told.ids))

    # -- before the reply

    def wait_for_answer(self, harness: str, name: str, payload: bytes, env: Mapping[str, str]) -> None:
        """Wait while a client that tells its answers only in its transcript still writes there, a second at most.

        To be called without the lock under which the rest is called: others need not wait, too, nor for a long text.
        """
        long = len(payload) > LONG
        if harness not in matching.UNTOLD and not long:
            return
        event = registry.adapter(harness).read(name, events.parse(payload), env)
        if long:
            self._kit.clean_ahead(event.answer)  # a prompt has a reply that waits; it is cleaned after that
        if harness not in matching.UNTOLD:
            return
        end = time.monotonic() + LAG_S
        while not matching.is_told(self._states.get(harness, matching.State()), event, self._transcript(event)):
            if time.monotonic() > end:
                return
            time.sleep(_LOOK_S)

    def listen(self, harness: str, name: str, payload: bytes, env: Mapping[str, str]) -> None:
        """Let a model, if one may, say what a prompt wants, within what the hook has left.

        To be called without the lock under which the rest is called.
        """
        if not self._kit.mind.listens or "MEMKIT_SPOOLED" in env:
            return
        event = registry.adapter(harness).read(name, events.parse(payload), env)
        if event.kind == "prompt" and rules.perceive(event.text, now=self._kit.now()).useful:
            told = env.get("MEMKIT_HOOK_DEADLINE_MS", "")
            self._kit.learning.listen(event.text, (int(told) / 1000 if told.isdecimal() else HOOK_S) - RENDER_S)

    def _context(self, event: HookEvent, project: str) -> deliver.Delivery:
        kit = self._kit
        told = self._told.setdefault((event.harness, event.session), set())
        found = kit.recall(
            event.text, project="" if kit.config.flag("hooks.all_projects") else project, topic=event.session,
            exclude=told, unasked=True, limit=kit.config.count("recall.hook_limit"),
            threshold=kit.config.number("recall.hook_threshold"),
        )  # fmt: skip
        delivery = kit.delivery(found, told=told, most=registry.adapter(event.harness).LIMIT.size)
        told |= set(delivery.ids)
        return delivery

    def _opening(self, event: HookEvent, project: str) -> deliver.Delivery:
        """Say what holds in this project whatever is asked, once a session."""
        kit = self._kit
        told = self._told.setdefault((event.harness, event.session), set())
        most = registry.adapter(event.harness).LIMIT.size
        delivery = standing.standing(kit, project, kit.config.count("hooks.start_tokens"), told, most)
        told |= set(delivery.ids)
        return delivery

    # -- after the reply

    def _after(self, owed: _Owed, told: deliver.Delivery, trouble: Exception | None) -> None:
        while any(one is owed for one in self._owed):
            self._do_first()
        if told.ids and self._told.get((owed.event.harness, owed.event.session), set()).issuperset(told.ids):
            why = owed.event.text[:LONGEST_WHY] or f"{START} in {owed.project}".removesuffix(" in ")
            self._kit.note_recall(owed.event.session, why, told)
        if trouble:
            raise trouble

    def _sum_up(self, event: HookEvent) -> None:
        """Sum up a session that has ended; where that fails, the daemon does it once it is long silent."""
        with suppress(KitError):
            if event.session:
                self._kit.note_event("end", event.session)
            self._kit.tiers.close(event.session)

    def _pay(self) -> None:
        """Do what waits or failed after an earlier reply, in its order, before anything new."""
        while self._owed:
            with suppress(Exception) if self._owed[0].held else nullcontext():
                self._do_first()  # what was held is let go by now: whoever tries it again tells what is wrong

    def settle(self) -> None:
        """Do what is owed and has not failed, so that whoever asks next finds every card as it was told."""
        while self._owed and self._owed[0] is not self._stuck:
            self._do_first()

    def _do_first(self) -> None:
        owed = self._owed.pop(0)
        try:
            self._act(owed.event, owed.project)
        except BaseException as error:
            if owed.held:
                owed.held.let_go()
            elif isinstance(error, (KitError, OSError, sqlite3.Error)):  # an index that breaks is made anew
                self._stuck = owed
                self._owed.insert(0, owed)  # the hook has its reply; the next one pays
            raise
        if owed.held:
            owed.held.done()

    def _act(self, event: HookEvent, project: str, at: datetime | None = None) -> None:
        state = self._states.get(event.harness, matching.State())
        if event.kind == "prompt" and matching.is_echo(state, event, self._kit.now()):
            return
        self._carry_out(matching.match(state, event, self._transcript(event), at), event, project)

    def sweep(self, most: int) -> int:
        """Close cards whose client was killed a day ago or longer, at most so many; tell how many."""
        kit, swept = self._kit, 0
        now = kit.now()
        for row in [row for row in kit.index.features.rows().values() if row.status == "pending"]:
            entry = kit.index.catalog.numbered(row.num)
            if not entry or row.created > (now - matching.STALE).timestamp():
                continue
            with suppress(KitError):
                card = kit.load(entry.path)
                if isinstance(card, Card) and card.harness:  # what a person framed by command is theirs to complete
                    self._learn(events.HookEvent("end", card.harness, card.topic))
        for harness, state in self._states.items():
            acts = list(_singly(matching.sweep_stale(state, now)))[: most - swept]
            swept += len(acts)
            self._carry_out(acts, events.HookEvent("end", harness), "")
        return swept

    def _carry_out(self, acts: Iterable[matching.Act], event: HookEvent, project: str) -> None:
        state = self._states.get(event.harness, matching.State())
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
        self._states[event.harness] = matching.advance(state, event, done, card=made, now=self._kit.now())
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
                self._told.setdefault((event.harness, event.session), set()).add(card)
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

    def _transcript(self, event: HookEvent) -> Sequence[transcripts.TranscriptTurn]:
        session = (event.harness, event.session)
        if event.transcript and session in self._known:
            self._transcripts[session] = event.transcript
        path = event.transcript or self._transcripts.get(session, "")
        if not path or event.kind == "ignore":
            return ()
        try:
            if not Path(path).is_file():  # a pipe would hold everybody up
                return ()
            with Path(path).open("rb") as file:
                size = file.seek(0, 2)
                for tail in TRANSCRIPT_TAILS:
                    file.seek(max(0, size - tail))
                    found = transcripts.turns(event.harness, file.read(tail).decode(errors="replace").splitlines())
                    if found or tail >= size:
                        break
        except OSError:
            return ()
        return found

    # -- across restarts

    def _learn(self, event: HookEvent) -> None:
        """Take up a session from the files, the first time it is met."""
        session = (event.harness, event.session)
        if not event.session:
            return
        if session in self._known:
            self._known[session] = self._known.pop(session)
            return
        self._kit.sync()
        state = self._states.get(event.harness, matching.State())
        frames = sorted(self._frames(event), key=lambda frame: frame.time)
        others = (frame for frame in state.frames if frame.session != event.session)
        self._states[event.harness] = state._replace(frames=(*others, *frames))
        self._told[session] = self._kit.told(event.session, JOURNAL_LINES, {one.card: one.time for one in frames})
        self._known[session] = None
        while len(self._known) > SESSIONS:
            oldest = next(iter(self._known))
            for kept in (self._known, self._told, self._transcripts):
                kept.pop(oldest, None)

    def _frames(self, event: HookEvent) -> Iterator[matching.Frame]:
        kit = self._kit
        for num in kit.index.postings.cards(f"topic:{text.key(event.session)}"):
            entry = kit.index.catalog.numbered(num)
            try:
                card = kit.load(entry.path) if entry else None
                said = exchange.read(kit.body(card.event)) if isinstance(card, Card) else None
            except KitError:
                continue
            if not isinstance(card, Card) or not said or card.harness != event.harness or not card.created:
                continue
            yield matching.Frame(
                card.id, event.session, card.turn, said.user, card.created, card.status, (), said.agent
            )


def _singly(acts: Iterable[matching.Act]) -> Iterator[matching.Act]:
    """Take a sweep of many cards apart, so that each succeeds or fails alone."""
    for act in acts:
        if isinstance(act, matching.Sweep):
            yield from (act._replace(cards=(card,)) for card in act.cards)
        else:
            yield act


def _nothing() -> None:
    """Do nothing: all was done before the reply."""


def _cards(act: matching.Act) -> tuple[str, ...]:
    return act.cards if isinstance(act, matching.Sweep) else (getattr(act, "card", ""),)
