"""Looking in: what is in the vault, list by list and note by note.

Law: reads only, and brings the indexes in step before it answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import chosen, maintain, survey, text
from kit.app.opened import Opened

if TYPE_CHECKING:
    from kit import search as searching
    from kit.errors import Problem
    from kit.model.notes import Note
    from kit.model.rows import SceneRow, TagRow
    from kit.settings import Value
    from kit.vault import exchange
    from kit.vault.journal import Entry


class Views(Opened):
    """What can be looked at."""

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

    def settings(self) -> list[tuple[str, Value, str, str]]:
        """List every setting with its value, its origin and its meaning."""
        return self.config.rows()

    def log(self, limit: int = 20, note_id: str = "", *, what: str = "", by: str = "") -> list[Entry]:
        """List the journal's newest entries, newest first; `what`: only this act, `by`: only this writer's."""
        return survey.log(self.journal, limit, note_id, what, by)

    def cleaning_is_due(self) -> bool:
        """Tell whether the schedule asks for a cleaning."""
        return maintain.is_due(self.journal, chosen.cleaning(self.config, self._clock()))

    def search(self, query: str, *, limit: int = 20) -> list[searching.Sighting]:
        """Find cards and facts by words, phrases, fields, wildcards and dates, with the place that matched."""
        from kit import search as searching  # noqa: PLC0415 - its patterns take long, and few ask for it

        self.sync()
        return searching.search(self.index, self.witness, self._hand.look, query, limit)

    # -- the notes behind a card

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

    def body(self, link: str) -> str:
        """Read the body of a linked note; '' when there is none."""
        return self.passages.body(link)

    def load(self, path: str) -> Note:
        """Read a note."""
        return self._hand.load(path)
