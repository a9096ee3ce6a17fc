"""What becomes of a model's answer: each part through the act of governing that rules would use for it.

Law: a part that can't be used is told and keeps no other back. A model only does what can be taken back; what a
person has written stays; a repetition changes nothing, so that a crash between two parts does no harm.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, ParamSpec

from kit import digest, text
from kit.errors import ConflictError, KitError
from kit.govern import alignment, care, facts, finish, lifecycle, relations, scenes, traces
from kit.learn import recurring, rules
from kit.learn.rules import Learned
from kit.model.notes import Card, Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.learn.question import Question
    from kit.llm.mind import Understood
    from kit.llm.turn import Fact, Meaning, Scene, Turn, Verdict
    from kit.model.notes import Feedback, Level

P = ParamSpec("P")
MOST_ALIASES = 4
SAME = 0.5
"""A model's fact this near to what rules have read in the same turn says it again."""
_LINK = re.compile(r"!?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
_BRACKETS = re.compile(r"!+\[+|\[{2,}")
"""What would begin a picture, or a link in a link."""
_LOADING = re.compile(r"(?i)<(?=(?:img|iframe|embed|object|audio|video|source|link|script|svg|style)\b)")
_OPENING = re.compile(r"\A(?:#+\s+|>\s*|-{3,}\s*)+")


def apply(
    hand: Hand, question: Question, understood: Understood, model: str, now: datetime, scene_of: Callable[[str], str]
) -> Learned | None:
    """Take up an answer and strike the card off the queue; None when it has been learned from meanwhile.

    Raise ConflictError when the turn went on, or a person has saved its card, since the question was put.
    """
    card = hand.load(question.path)
    if not isinstance(card, Card) or (question.waits and card.learn != "pending"):
        return None
    if rules.exchange_of(hand, card) != question.said:
        raise ConflictError(f"The turn of {question.path} went on meanwhile.", "It is learned from anew.")
    if hand.store.recently_touched(question.path, time.time()):
        raise ConflictError(f"{question.path} was saved a moment ago.", "It is learned from when it is quiet.")
    taker = _Taker(hand, card, question, now, scene_of)
    learned = taker.take(understood.turn)._replace(by=model, dropped=(*understood.dropped, *taker.dropped))
    traces.learned(
        hand, card.id, question.path, model, now, tokens=understood.tokens or None,
        summary=taker.better.summary or None, overview=taker.better.overview or None,
        dropped=list(learned.dropped) or None,
    )  # fmt: skip
    hand.amend(question.path, {"learn": None, "learned": None})
    hand.settle(question.path)
    return learned


def inert(said: str) -> str:
    """Make of a model's words what a note may hold: text that links to no note, loads nothing, and opens no section."""
    unlinked = _BRACKETS.sub("[", _LINK.sub(lambda found: (found[2] or found[1]).strip(), said))
    return _OPENING.sub("", _LOADING.sub(r"\\<", unlinked)).strip()


class _Taker:
    """Takes up the parts of one answer."""

    def __init__(
        self, hand: Hand, card: Card, question: Question, now: datetime, scene_of: Callable[[str], str]
    ) -> None:
        self._hand, self._card, self._path, self._said = hand, card, question.path, question.said
        self._now, self._scene_of = now, scene_of
        self.dropped: list[str] = []
        self._busy: ConflictError | None = None
        self.better = finish.Better()

    def take(self, turn: Turn) -> Learned:
        """Take up everything; first what the person said, since that is what a crash must not lose."""
        kept = self._facts(turn.lasting)
        judged = self._feedback(turn)
        changed = self._try("summary, overview and tags", self._retell, turn)
        kept += self._try("what recurs", self._promote)
        for name, meaning in (*turn.definitions.items(), *turn.alignments.items()):
            changed += self._try(f"the meaning of '{name}'", self._mean, name, meaning)
        for name, verdict in turn.verdicts.items():
            changed += self._try(f"the verdict on '{name}'", self._judge, name, verdict)
        for one in turn.relations:
            changed += self._try(f"'{one.one}' and '{one.other}'", self._relate, one.one, one.other, one.level)
        scene = self._scene(turn.scene)
        return Learned(self._card.id, tuple(dict.fromkeys(kept)), judged, tuple(dict.fromkeys(changed)), scene)

    def _try(self, what: str, act: Callable[P, Iterable[str]], *args: P.args, **named: P.kwargs) -> list[str]:
        """Do one part; a trouble with it is told and ends there."""
        try:
            return list(act(*args, **named))
        except KitError as error:
            self.dropped.append(f"{what}: {error.what}")
            return []

    def _facts(self, told: list[Fact]) -> list[str]:
        """Keep what rules read for certain, then what the model adds to it.

        Raise ConflictError where a fact's note is being edited: what was said is kept later, not dropped.
        """
        read = digest.statements.statements(*finish.looked_at(self._said))
        kept: list[str] = []
        for statement in () if self._card.learned else read:
            kept += self._try(statement.text, self._keep_read, statement)
        for fact in told:
            if not any(digest.statements.similarity(fact.text, one.text) >= SAME for one in read):
                kept += self._try(fact.text, self._keep, fact)
        if self._busy:
            raise self._busy
        return kept

    def _keep_read(self, statement: digest.statements.Statement) -> Iterable[str]:
        try:
            return rules.keep(self._hand, self._card, self._path, (statement,), self._now)
        except ConflictError as error:
            self._busy = error
            return ()

    def _promote(self) -> list[str]:
        card = self._hand.load(self._path)
        if not isinstance(card, Card):
            return []
        path = recurring.promote(self._hand, card, self._path, self._now, self._said.user)
        return [path] if path else []

    def _relate(self, one: str, other: str, level: Level) -> Iterable[str]:
        return _paths(relations.relate(self._hand, one, other, level, self._now, "learn"))

    def _keep(self, fact: Fact) -> list[str]:
        known = {text.key(scenes.scene_name(held.path)) for held in self._hand.index.pool.scenes()}
        stated = facts.Stated(
            inert(fact.text), fact.category, inert(fact.key), inert(fact.value),
            scenes=tuple(scene for scene in fact.scenes if text.key(scene) in known),
            project=self._card.project if fact.category == "business" else "",
            confidence=min(facts.SUREST, fact.confidence), source=self._path, said_at=self._card.created,
        )  # fmt: skip
        try:
            done = facts.remember(self._hand, stated, self._now, "learn")
        except ConflictError as error:
            self._busy = error
            return []
        return [done.path] if done and done.changed else []

    def _feedback(self, turn: Turn) -> str:
        """Put the verdict onto the card before, where the model has one; else as rules see it."""
        card, told = self._card, turn.feedback
        if told is None:
            return "" if card.learned else rules.judge_previous(self._hand, card, self._said.user, self._now)
        before = rules.previous(self._hand, card)
        if before is None or before.feedback or told.status == "ignored":
            return ""
        return "".join(self._try("feedback", self._blame, before.id, told.status, told.reason))

    def _blame(self, card: str, status: Feedback, reason: str) -> list[str]:
        return [care.judge(self._hand, card, status, reason, self._now, "learn").id]

    def _retell(self, turn: Turn) -> Iterable[str]:
        entry = self._hand.linked(self._card.event)
        event = self._hand.load(entry.path) if entry else None
        given = event.tags if isinstance(event, Event) else self._card.tags
        summary = text.first_sentence(turn.summary) if len(turn.summary) > finish.SUMMARY_AT_MOST else turn.summary
        self.better = finish.Better(
            self._hand.cleaned(inert(summary))[0], self._hand.cleaned(inert(turn.overview))[0],
            self._hand.cleaned_words(tuple(turn.tags)),
        )  # fmt: skip
        told = finish.improve(self._hand, self._card, self._path, self._said, given, self.better, self._now)
        self.dropped += told.refused
        self._hand.settle(self._path, *told.paths)
        return told.paths

    def _mean(self, name: str, meaning: Meaning) -> Iterable[str]:
        """Complete a tag: what it lacks of meaning, and other words for it that are nobody else's."""
        fields = {"definitions": [inert(each) for each in meaning.definitions], "dimensions": meaning.dimensions}
        fields = {key: words for key, words in fields.items() if words}
        aligned = alignment.align(self._hand, {name: fields}, self._now, "learn", "a model said so")
        self.dropped += aligned.refused
        held = self._hand.index.pool.claimant(text.key(name))
        held = self._hand.index.pool.redirect(held) if held else None
        if held is None:
            return _paths(aligned.done)
        free = [
            word for word in map(str.strip, meaning.synonyms)
            if self._hand.index.pool.claimant(text.key(word)) is None and not digest.keyphrases.refused(word)
        ][: max(0, MOST_ALIASES - len(held.tag.aliases))]  # fmt: skip
        made = lifecycle.Defined(held.tag.name, aliases=tuple(free))
        done = lifecycle.add(self._hand, made, self._now, "learn") if free else None
        return [*_paths(aligned.done), *_paths(done)]

    def _judge(self, name: str, verdict: Verdict) -> Iterable[str]:
        """Carry out a verdict on a tag that nobody has examined."""
        held = relations.tag(self._hand, name)
        if held.tag.status != "unexamined":
            return []
        if verdict.what == "discard":
            if held.tag.source in ("person", "system"):
                self.dropped.append(f"'{name}' was made by a person, who alone may put it away.")
                return []
            done = lifecycle.set_status(self._hand, name, "deprecated", self._now, "learn", "a model found it generic")
            return _paths(done)
        if why := digest.keyphrases.refused(held.tag.name):
            self.dropped.append(f"'{name}' was not made active: {why}")
            return []
        paths: list[str] = []
        if verdict.what != "activate":
            paths += self._try(f"the verdict on '{name}'", self._relate, name, verdict.other, verdict.what)
        return [*paths, *_paths(lifecycle.set_status(self._hand, name, "active", self._now, "learn"))]

    def _scene(self, told: Scene | None) -> str:
        """Write the scene, where it is known to the vault and the card has none but what rules have put there."""
        card = self._card
        if told is None:
            scene = "" if card.scene or card.learned else self._scene_of("\n".join(finish.looked_at(self._said)))
        else:
            scene = f"{told.category}/{told.sub}" if told.sub else told.category
            if not scenes.known(self._hand, scene) and scenes.known(self._hand, told.category):
                self.dropped.append(f"There is no scene '{scene}'.")
                scene = told.category
            if not scenes.known(self._hand, scene):
                self.dropped.append(f"There is no scene '{scene}'.")
                return ""
        now = f"{card.scene}/{card.scene_sub}" if card.scene_sub else card.scene
        if not scene or (now and text.key(now) != text.key(self._scene_of(self._said.user))):
            return ""
        return scene if self._try("scene", self._set, scene) else ""

    def _set(self, scene: str) -> Iterable[str]:
        return _paths(scenes.final(self._hand, self._path, scene, self._now, "learn"))


def _paths(done: object) -> tuple[str, ...]:
    found = getattr(done, "paths", ())
    return tuple(found)
