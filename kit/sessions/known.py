"""What is known of each session: its turns, what it was told, and where its transcript lies.

Law: the files say it again after a restart; sessions that were silent for long are let go.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kit import text
from kit.errors import KitError
from kit.harness import matching, transcripts
from kit.model.notes import Card
from kit.vault import exchange

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kit.app import Kit
    from kit.harness.event import HookEvent

TRANSCRIPT_TAILS = (2_000_000, 16_000_000)
"""Bytes of a transcript's end that are read; the second where a turn with much work in it began before the first."""
JOURNAL_LINES = 5_000
"""Newest journal lines that are read to learn what a session was told before a restart."""
SESSIONS = 500
"""Sessions that are kept in mind; one that was silent for longer is learned from the files again."""


class Known:
    """The sessions of all harnesses of one vault, as far as they were met."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self.states: dict[str, matching.State] = {}
        """by harness"""
        self._met: dict[tuple[str, str], None] = {}
        """the one that was met last comes last"""
        self._told: dict[tuple[str, str], set[str]] = {}
        self._transcripts: dict[tuple[str, str], str] = {}
        """Where each session's transcript lies: not every event says so."""

    def state(self, harness: str) -> matching.State:
        """Hand out the turns of a harness's sessions."""
        return self.states.get(harness, matching.State())

    def told(self, event: HookEvent) -> set[str]:
        """Hand out the ids that an event's session has in its context, to be added to."""
        return self._told.setdefault((event.harness, event.session), set())

    def forget_told(self, event: HookEvent) -> None:
        """Note that a session's context was made anew."""
        self._told[event.harness, event.session] = set()

    def transcript(self, event: HookEvent) -> Sequence[transcripts.TranscriptTurn]:
        """Read a session's turns in its client's own words."""
        session = (event.harness, event.session)
        if event.transcript and session in self._met:
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
                    found = transcripts.turns(event.harness, file.read(tail).decode(errors="replace").split("\n"))
                    if found or tail >= size:
                        break
        except OSError:
            return ()
        return found

    def learn(self, event: HookEvent) -> None:
        """Take up a session from the files, the first time it is met."""
        session = (event.harness, event.session)
        if not event.session:
            return
        if session in self._met:
            self._met[session] = self._met.pop(session)
            return
        self._kit.sync()
        state = self.state(event.harness)
        frames = sorted(self._frames(event), key=lambda frame: frame.time)
        others = (frame for frame in state.frames if frame.session != event.session)
        self.states[event.harness] = state._replace(frames=(*others, *frames))
        self._told[session] = self._kit.told(event.session, JOURNAL_LINES, {one.card: one.time for one in frames})
        self._met[session] = None
        while len(self._met) > SESSIONS:
            oldest = next(iter(self._met))
            for kept in (self._met, self._told, self._transcripts):
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
