"""The sessions of a vault's harnesses: what a hook is told, and what is done once it has its reply.

Law: as the package says; the order in which things are done is here, and nowhere else.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from kit import deliver, standing
from kit.errors import KitError
from kit.harness import event as events
from kit.harness import matching, registry
from kit.perceive import rules
from kit.places import project_of
from kit.sessions.cards import Cards
from kit.sessions.known import Known
from kit.sessions.owed import Debts, Owed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kit.app import Kit
    from kit.harness.event import HookEvent
    from kit.sessions.owed import Held

LAG_S, _LOOK_S = 1.0, 0.02
"""How long a transcript may be behind, and how often it is looked at."""
HOOK_S, RENDER_S = 0.3, 0.15
"""How long a hook waits that does not say so, and what recall and rendering need of that."""
LONG = 100_000
"""Bytes of a payload whose words are looked through for secrets before others have to wait for it."""
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


class Sessions:
    """The sessions of all harnesses of one vault."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._known = Known(kit)
        self._cards = Cards(kit, self._known)
        self._debts = Debts(self._cards.act)

    def handle(
        self, harness: str, name: str, payload: bytes, env: Mapping[str, str], hold: Callable[[], Held] | None = None
    ) -> Reply:
        """Answer one hook call; whatever is not a person's own words gives an empty reply.

        `hold` writes the call down durably: an answer then has its reply before its card is completed, and a prompt
        whose card can't be written outlives this process.
        """
        adapter = registry.adapter(harness)
        event = adapter.read(name, events.parse(payload), env)
        if event.kind == "ignore":
            return Reply(b"", lambda: self._cards.act(event, ""))
        spooled = "MEMKIT_SPOOLED" in env
        held = None if spooled else self._before(event, name, hold)
        self._known.learn(event)
        if event.forgets():
            self._known.forget_told(event)
            self._kit.note_event("compact", event.session)
        project = project_of(event.cwd)
        if held:
            self._debts.add(Owed(event, project, held))
            return Reply(adapter.render(name, ""), self.settle)
        if spooled or (event.kind != "prompt" and name != "start"):
            # On disk before it is acknowledged: a failure makes the hook, or the spool, keep it.
            self._cards.act(event, project, self._kit.now() if spooled else None)
            return Reply(adapter.render(name, ""), (lambda: self._sum_up(event)) if event.kind == "end" else _nothing)
        told, trouble = _NOTHING_TOLD, None
        try:
            if event.kind == "prompt":
                told = self._context(event, project)
            elif adapter.render(name, "-"):  # after a compaction, too; not every client listens
                told = self._opening(event, project)
        except Exception as error:  # noqa: BLE001 - a recall that fails must not cost the turn its card
            trouble = error
        owed = Owed(event, project, hold=hold)
        self._debts.add(owed)  # what comes before this one's turn does it first: a client may be quick to fail
        after = partial(self._after, owed, told, trouble)
        untold = partial(self._known.told(event).difference_update, told.ids)
        return Reply(adapter.render(name, told.text), after, untold)

    # -- before the reply

    def _before(self, event: HookEvent, name: str, hold: Callable[[], Held] | None) -> Held | None:
        """Do what is owed before an event; an answer is held, and no prompt fails for what can't be done."""
        held = None
        if hold and event.kind == "answer":
            with suppress(OSError):  # a full disk: then it is dealt with at once, or not acknowledged
                held = hold()
        if held or event.kind == "prompt" or name == "start":
            with suppress(Exception):  # it takes its turn behind what fails, and tells then what is wrong
                self._debts.settle()
        else:
            self._debts.pay()
        return held

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
        while not matching.is_told(self._known.state(harness), event, self._known.transcript(event)):
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
        told = self._known.told(event)
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
        told = self._known.told(event)
        most = registry.adapter(event.harness).LIMIT.size
        delivery = standing.standing(kit, project, kit.config.count("hooks.start_tokens"), told, most)
        told |= set(delivery.ids)
        return delivery

    # -- after the reply

    def _after(self, owed: Owed, told: deliver.Delivery, trouble: Exception | None) -> None:
        self._debts.pay_up_to(owed)
        if told.ids and self._known.told(owed.event).issuperset(told.ids):
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

    def sweep(self, most: int) -> int:
        """Close cards whose client was killed a day ago or longer, at most so many; tell how many."""
        return self._cards.sweep(most)

    def settle(self) -> None:
        """Do what is owed and has not failed, so that whoever asks next finds every card as it was told."""
        self._debts.settle()


def _nothing() -> None:
    """Do nothing: all was done before the reply."""
