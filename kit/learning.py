"""Learning from finished turns, by the configured model or by rules: one short method per operation.

Law: a model is asked while nobody holds the indexes or the vault; `owner` is held before and after. A card is
learned from by one at a time, and leaves the queue once its lesson is on disk. Where the model does not answer,
rules do their part meanwhile and the card goes on waiting; where it may not be asked, rules do it all.
"""

from __future__ import annotations

import re
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

from kit import text
from kit.errors import BadInputError, ConflictError, KitError, UnavailableError, UnusableError
from kit.govern import traces
from kit.learn import answer, question, rules
from kit.llm.budget import SpentError
from kit.llm.port import RejectedError
from kit.model.fields import parse_instant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.learn.rules import Learned
    from kit.llm.mind import Mind, Tested, Understood

_MONTH = re.compile(r"\d{4}-\d{2}")
KEPT = 32
"""Answers that are kept at most: more than are asked for at once."""
NONSENSE_MOST = 3
"""After so many answers that can't be used, or none for this very card, rules learn from it."""


class Learning:
    """The C-line of one vault; `owner` is what whoever shares the indexes with others holds while it uses them."""

    def __init__(
        self, hand: Hand, writing: Callable[[], AbstractContextManager[None]], clock: Callable[[], datetime],
        mind: Mind, *, sync: Callable[[], object], scene_of: Callable[[str], str],
    ) -> None:  # fmt: skip
        self.owner: AbstractContextManager[object] = nullcontext()
        self._hand, self._writing, self._now, self._mind = hand, writing, clock, mind
        self._sync, self._scene_of = sync, scene_of
        self._lock = threading.Lock()
        self._taken: set[str] = set()
        self._nonsense: dict[str, int] = {}
        self._answers: dict[str, tuple[question.Question, Understood]] = {}
        """Answers that could not be taken up yet: the same question is not paid for twice"""
        self._closed = False

    def close(self) -> None:
        """Take up no more answers, and let the model go."""
        self._closed = True
        self._mind.close()

    # -- operations

    def queue(self, *, everything: bool = False, since: str = "", ids: Sequence[str] = ()) -> list[str]:
        """List the cards to be learned from, the oldest first: those that wait.

        With `since` all lasting ones from that date on, with `everything` all there are, or those named.
        """
        try:
            begin = parse_instant(f"{since}-01" if _MONTH.fullmatch(since) else since)
        except ValueError as error:
            raise BadInputError(f"{error}.") from None
        with self.owner:
            self._sync()
            if ids:
                return [self._card(each) for each in dict.fromkeys(ids)]
            if not everything and begin is None:
                return self.waiting()
            rows = sorted(self._hand.index.features.rows().values(), key=lambda row: row.created)
            found = [
                entry.id
                for row in rows
                if row.kind == "card" and row.status == "completed" and row.layer == "episodic"
                if begin is None or row.created >= begin.timestamp()
                if (entry := self._hand.index.catalog.numbered(row.num))
            ]
            return list(dict.fromkeys((*self.waiting(), *found))) if everything else found

    def waiting(self) -> list[str]:
        """List the cards in the queue, the oldest first; the caller holds the indexes."""
        rows = self._hand.index.features.rows()
        nums = [num for num in self._hand.index.postings.cards(rules.QUEUE) if num in rows]
        entries = (self._hand.index.catalog.numbered(num) for num in sorted(nums, key=lambda num: rows[num].created))
        return [entry.id for entry in entries if entry]

    def one(self, card: str, tries: int = 1) -> Learned | None:
        """Learn from one card, waiting or not; None when another has just done so.

        A model that gives no answer that can be used is asked up to `tries` times; after three, rules do it.

        Raise what keeps the model from answering; the card then waits, and rules have done what they can.
        """
        with self._taking(card):
            for _ in range(min(tries, NONSENSE_MOST) - 1):
                with suppress(UnusableError, RejectedError):
                    return self._once(card)
            return self._once(card)

    def _once(self, card: str) -> Learned | None:
        if self._mind.is_there:
            try:
                return self._by_model(card)
            except SpentError:
                pass
        return self._by_rules(card)

    def tide_over(self) -> None:
        """Have rules do their part for every card that waits for a model which does not answer."""
        with self.owner:
            cards = [] if self._closed else self.waiting()
        for card in cards:
            with suppress(KitError), self.owner:  # one that can't be dealt with now waits for the model all the same
                self._refuse_closed()
                self._meanwhile(self._path(card))

    def test(self) -> Tested:
        """Ask the model one small question, and say what works."""
        return self._mind.test()

    def state(self) -> dict[str, object]:
        """Say how many cards wait, and how the model is; the caller holds the indexes."""
        found: dict[str, object] = {"learning_waits": rules.waiting(self._hand)}
        if self._mind.is_there:
            budget = self._mind.budget
            found["model"] = self._mind.name
            found["model_tokens"] = f"{budget.used()} this month" + (f" of {budget.most}" if budget.most else "")
            found["model_error"] = self._mind.last_error or "none"
        return found

    # -- the A-line

    def listen(self, prompt: str, within_s: float) -> None:
        """Let the model say what a prompt wants, if the person lets it; what it says is in `Mind.heard`.

        To be called without the owner. It takes no longer than the person's setting and `within_s` seconds.
        """
        if not self._mind.listens:
            return
        end = time.monotonic() + min(within_s, self._mind.settings.prompt_s)
        said = self._hand.cleaned(prompt)[0]
        with self.owner:
            parts = (("words", question.words(self._hand, said)), ("scenes", question.scene_names(self._hand)))
        self._mind.listen(prompt, (("prompt", said), *parts), end - time.monotonic())

    # -- one card

    def _by_model(self, card: str) -> Learned | None:
        with self.owner:
            path = self._path(card)
            asked = question.question(self._hand, path)
        if asked is None:
            return self._by_rules(card)
        kept = self._answers.get(asked.card)
        try:
            understood = (
                kept[1] if kept and kept[0].said == asked.said else self._mind.turn(asked.language, asked.parts)
            )
        except (UnusableError, RejectedError):
            self._nonsense[card] = self._nonsense.get(card, 0) + 1
            if self._nonsense[card] < NONSENSE_MOST:
                self._meanwhile(path)
                raise
            return self._by_rules(card, f"{self._mind.name} gave {NONSENSE_MOST} answers that can't be used")
        except SpentError:
            raise
        except KitError:
            self._meanwhile(path)
            raise
        self._nonsense.pop(card, None)
        with self.owner:
            self._refuse_closed()
            self._keep_answer(asked, understood)
            with self._writing():
                done = answer.apply(self._hand, asked, understood, self._mind.name, self._now(), self._scene_of)
            self._answers.pop(asked.card, None)
            return done

    def _keep_answer(self, asked: question.Question, understood: Understood) -> None:
        """Keep an answer until it is taken up, the newest few."""
        self._answers[asked.card] = (asked, understood)
        while len(self._answers) > KEPT:
            del self._answers[next(iter(self._answers))]

    def _by_rules(self, card: str, why: str = "") -> Learned | None:
        with self.owner:
            self._refuse_closed()
            with self._writing():
                path = self._path(card)
                learned = rules.learn(self._hand, path, self._now(), self._scene_of)
                if why:
                    traces.learned(self._hand, card, path, "rules", self._now(), why)
        self._nonsense.pop(card, None)
        return learned

    def _meanwhile(self, path: str) -> None:
        with self.owner:
            self._refuse_closed()
            if rules.is_taken_up(self._hand, path):
                return
            with self._writing():
                rules.meanwhile(self._hand, path, self._now(), self._scene_of)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise UnavailableError("The daemon is ending.", "The card is learned from at its next start.")

    def _card(self, name: str) -> str:
        """Find the id of a card that a person named."""
        entry = self._hand.entry(name)
        if entry.kind != "card":
            raise BadInputError(f"'{name}' is a {entry.kind}, not a card.", "Give a card's id.")
        return entry.id

    def _path(self, card: str) -> str:
        claims = sorted(self._hand.index.catalog.with_id(card), key=lambda entry: (len(entry.path), entry.path))
        entry = next((each for each in claims if each.kind == "card"), None) or self._hand.entry(card)
        if entry.kind != "card":
            raise BadInputError(f"'{card}' is a {entry.kind}, not a card.", "Give a card's id.")
        return entry.path

    @contextmanager
    def _taking(self, card: str) -> Iterator[None]:
        key = text.key(card)
        with self._lock:
            if key in self._taken:
                raise ConflictError(f"The card {card} is being learned from already.", "Wait a moment.")
            self._taken.add(key)
        try:
            yield
        finally:
            with self._lock:
                self._taken.discard(key)
