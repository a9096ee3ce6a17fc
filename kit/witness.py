"""The second witness: what the full text says for each card, kept in step with the index and asked in time.

Law: recall never waits for it beyond its budget and never fails by it: missing, late or broken, it says so in
a remark and features answer alone. What it has not taken in yet is written in the index, so a crash loses nothing.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from kit import text
from kit.errors import KitError, UnavailableError
from kit.index import bm25, fulltext
from kit.model.notes import Card, Fact
from kit.recall.engine import Proofs, TextProof
from kit.vault import exchange, note
from kit.vault.lock import VaultLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from kit.index.reflection import Index
    from kit.model.notes import Note

WEIGHTS = {
    "title": 0.5, "tags": 1.0, "summary": 1.0, "overview": 0.6, "user": 1.0, "agent": 0.5, "facts": 1.0, "body": 0.8,
}  # fmt: skip
CANDIDATES = 200
"""Cards the full text may bring in at most."""
BATCH = 50


class Witness:
    """The full text of one vault."""

    def __init__(self, index: Index, load: Callable[[str], Note], setting: str) -> None:
        self._index, self._load, self._setting = index, load, setting
        self._engine: fulltext.Layered | None = None
        self._taken: dict[int, int] = {}
        self._broken = ""
        self._lock = VaultLock(index.folder / "text.lock", timeout=0.0)

    @property
    def name(self) -> str:
        """Name the engine in use; '' while there is none."""
        return self._engine.name if self._engine else ""

    @property
    def behind(self) -> int:
        """Count the cards that can't be found by their words yet."""
        return max(0, self._index.owed_count() - len(self._taken))

    def open(self) -> bool:
        """Open the engine that suits the vault's size; one of another index, or a broken one, begins anew.

        False when it is not wanted, or another process has it.
        """
        if self._setting == "none":
            return False
        if self._engine:
            return True
        try:
            self._lock.__enter__()
        except UnavailableError:
            self._broken = "Another program has the full text; features answered alone."
            return False
        name = fulltext.choose(len(self._index.features.rows()), self._setting)
        for leftover in self._index.folder.glob("text-*"):
            if leftover.name != f"text-{name}":
                shutil.rmtree(leftover, ignore_errors=True)
        folder = self._index.folder / f"text-{name}"
        try:
            engine = fulltext.open_engine(name, folder)
        except fulltext.FullTextBrokenError:
            self._set_aside(folder)
            engine = fulltext.open_engine(name, folder)
        self._engine = fulltext.Layered(engine)
        if engine.get_stamp() != self._index.birth:
            if engine.count():
                engine.close()
                fulltext.destroy(folder)
                self._engine = fulltext.Layered(fulltext.open_engine(name, folder))
            self._engine.set_stamp(self._index.birth)
            self._index.owe_all()
        return True

    def close(self) -> None:
        """Commit what waits and let the files go."""
        if self._engine:
            self.flush()
            self._engine.close()
            self._engine = None
            self._lock.__exit__(None, None, None)

    def take(self, limit: int = BATCH) -> int:
        """Take owed cards in, so that they are found at once; return how many are still owed."""
        if not self._engine:
            return 0
        owed = self._index.owed(limit + len(self._taken))
        waiting = [num for num, generation in owed.items() if self._taken.get(num) != generation]
        for num in islice(waiting, limit):
            doc = self._document(num)
            self._engine.apply([doc] if doc else [], [] if doc else [num])
            self._taken[num] = owed[num]
        return self.behind

    @property
    def uncommitted(self) -> int:
        """Count the cards that were taken in and are not committed."""
        return len(self._taken)

    def flush(self, limit: int | None = None) -> None:
        """Commit what was taken in, or `limit` cards of it."""
        if not self._engine or not self._taken:
            return
        self._engine.flush(limit)
        if not self._engine.pending:
            self._index.paid(self._taken)
            self._taken = {}

    def ask(self, question: str, budget_s: float, allowed: Callable[[int], bool]) -> Proofs:
        """Say for each card how well its words fit a question, 0 to 1, within a time budget."""
        if not self._engine:
            why = self._broken or "There is no full text; features answered alone."
            return Proofs({}, () if self._setting == "none" else (why,))
        words = text.terms(question)
        if not words:
            return Proofs({})
        try:
            return self._ask(words, budget_s, allowed)
        except fulltext.FullTextBrokenError as error:
            self._start_over(str(error))
            return Proofs({}, ("The full text is being made anew; features answered alone.",))

    def _ask(self, words: list[str], budget_s: float, allowed: Callable[[int], bool]) -> Proofs:
        engine = self._engine
        assert engine  # noqa: S101 - asked for by `ask`
        asked = [(word, 1.0) for word in dict.fromkeys(words)]
        found = engine.search(asked, CANDIDATES, weights=WEIGHTS, budget_s=budget_s, allowed=allowed)
        known = engine.doc_freqs([word for word, _ in asked])
        notes = max(1, engine.statistics().notes)
        mass = sum(bm25.idf(notes, known.get(word, 0)) for word, _ in asked)
        proofs = {num: _proof(fields, mass) for num, fields in found.hits}
        remarks: tuple[str, ...] = ("The full text had no time to finish.",) if found.late else ()
        if self.behind:
            remarks += (f"{self.behind} notes are not in the full text yet.",)
        return Proofs(proofs, remarks)

    def propose(self, terms: list[tuple[str, float]], most: int) -> list[int] | None:
        """Name the cards a search should look at, best first; None when only looking at all of them can tell."""
        if not self._engine or not terms or self.behind:
            return None
        try:
            found = self._engine.search(terms, most, weights=WEIGHTS, budget_s=1.0)
        except fulltext.FullTextBrokenError as error:
            self._start_over(str(error))
            return None
        return [num for num, _ in found.hits]

    def _start_over(self, why: str) -> None:
        self._broken = why
        name = self.name
        if self._engine:
            with suppress(KitError):
                self._engine.close()
        self._engine, self._taken = None, {}
        self._lock.__exit__(None, None, None)
        self._set_aside(self._index.folder / f"text-{name}")
        self.open()

    def _set_aside(self, folder: Path) -> None:
        """Move a broken engine's folder aside, in place of the last one that was."""
        aside = self._index.folder / "broken"
        shutil.rmtree(aside, ignore_errors=True)
        if folder.exists():
            folder.rename(aside)

    def _document(self, num: int) -> fulltext.Doc | None:
        row = self._index.features.rows().get(num)
        entry = self._index.catalog.numbered(num)
        if row is None or entry is None:
            return None
        try:
            found = self._load(entry.path)
        except KitError:
            return None
        fields = {name: words for name, words in self.fields(found) if words}
        return fulltext.Doc(num, fields, row.created, row.kind, entry.path)

    def fields(self, found: Note) -> Iterator[tuple[str, str]]:
        """Give what a card or fact says, field by field."""
        first = note.first_paragraph(found.body)
        yield "summary", first
        yield "body", found.body.replace(first, "", 1)
        if isinstance(found, Fact):
            yield "tags", " ".join((*found.tags, *found.people, *found.places))
            yield "facts", f"{found.key} {found.value}"
        if isinstance(found, Card):
            yield "tags", " ".join((*found.tags, *found.people, *found.places))
            yield "overview", self._body(found.overview)
            said = exchange.read(self._body(found.event))
            yield "user", said.user
            yield "agent", said.agent

    def _body(self, link: str) -> str:
        entry = self._index.catalog.resolve(link) if link else None
        try:
            return self._load(entry.path).body if entry else ""
        except KitError:
            return ""


def _proof(fields: Mapping[str, float], mass: float) -> TextProof:
    """Map BM25 to 0–1: what the words gained ÷ the idf of all words asked, at most 1."""
    total = sum(fields.values())
    named = sorted(fields, key=lambda name: -fields[name])[:3]
    said = ", ".join(f"{name} {fields[name] / mass:.2f}" for name in named if fields[name] > 0)
    return TextProof(min(1.0, total / mass) if mass else 0.0, f"words found in {said}")
