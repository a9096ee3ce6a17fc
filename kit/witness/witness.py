"""The second witness: a full text kept open, in step with the index, and asked in time.

Law: recall never waits for it beyond its budget and never fails by it: missing, late or broken, it says so in
a remark and features answer alone. What it has not taken in yet is written in the index, so a crash loses nothing.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager, suppress
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from kit.errors import KitError, UnavailableError
from kit.index import engines, fulltext, overlay, seal
from kit.recall.query import Proofs
from kit.vault.lock import VaultLock
from kit.witness.asking import WEIGHTS, Asking
from kit.witness.documents import Documents
from kit.witness.question import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from kit.index.reflection import Index
    from kit.model.notes import Note

PERSON = 0.3
"""Weight of a person's name as a word."""
CANDIDATES = 40
"""Cards the full text brings in at most, or twice as many as are asked for: more take longer and find hardly more."""
BATCH = 50
"""Cards taken in at once while others wait for the index."""
LOOKED_OVER_S = 0.2
"""How long a question waits until a large index is known to be as it was sealed; hooks have 0.3 s for all."""
PATIENT_S = 2.0
"""How long a search waits for it: to look at every note instead takes longer still."""
STUMBLES = 3
"""So often in a row a broken engine is begun anew at once."""
MADE_AT = "made-at"
"""File in a full text that waits to be adopted: the generation of the index it was made from."""


class Witness:
    """The full text of one vault."""

    def __init__(
        self, index: Index, load: Callable[[str], Note], read_body: Callable[[str], str], setting: str
    ) -> None:
        self._index, self._setting = index, setting
        self._documents = Documents(index, load, read_body)
        self._engine: overlay.Layered | None = None
        self._check: seal.Check | None = None
        """Looks whether the engine's files are as they were sealed, and is closed after the engine"""
        self._in_doubt = False
        """That is not known yet: no question is answered before"""
        self._birth = ""
        self._taken: dict[int, int] = {}
        self._broken = ""
        self._stumbles = 0
        self._lock = VaultLock(index.folder / "text.lock", timeout=0.0)
        self._locked = False

    @property
    def name(self) -> str:
        """Name the engine in use; '' while there is none."""
        return self._engine.name if self._engine else ""

    @property
    def wanted(self) -> bool:
        """Tell whether there should be an engine and is none."""
        return self._setting != "none" and self._engine is None

    @property
    def behind(self) -> int:
        """Count the cards that can't be found by their words yet."""
        owed = self._index.owed()
        return len(owed) - sum(owed.get(num) == generation for num, generation in self._taken.items())

    def use(self, setting: str) -> None:
        """Go by another setting from now on; the engine of the one before is let go."""
        if setting == self._setting:
            return
        was_open = self._engine is not None
        self.close()
        self._setting, self._broken = setting, ""
        if was_open or setting != "none":
            self.open()

    def open(self) -> bool:
        """Open the engine that suits the vault's size; one of another index, or a broken one, begins anew.

        False when it is not wanted, another process has it, or it can't be opened.
        """
        if self._setting == "none":
            return False
        if self._engine:
            return True
        if not self._take_lock():
            return False
        try:
            self._open()
        except (KitError, OSError) as error:
            self._broken = f"{error.what if isinstance(error, KitError) else error} Features answered alone."
            self.abandon()
            return False
        self._broken = ""
        return True

    def _take_lock(self) -> bool:
        try:
            self._lock.__enter__()
        except UnavailableError:
            self._broken = "Another program has the full text; features answered alone."
            return False
        self._locked = True
        return True

    def _open(self) -> None:
        name = engines.choose(len(self._index.features.rows()), self._setting)
        self._keep_only(name)
        folder = self._folder(name)
        try:
            self._check, self._in_doubt = seal.Check(folder), True
            if self._check.result(0.0) is False:
                raise engines.damaged(folder)
            engine = engines.open_engine(name, folder, looked_over=True)
        except fulltext.FullTextBrokenError:
            self._trust()
            self._set_aside(folder)
            engine = engines.open_engine(name, folder)
        self._engine, self._birth = overlay.Layered(engine), self._index.birth
        if engine.get_stamp() != self._birth:
            self._in_doubt = False
            if engine.count():
                engine.close()
                engines.destroy(folder)
                self._engine = overlay.Layered(engines.open_engine(name, folder))
            self._engine.set_stamp(self._birth)
            self._index.owe_all()

    def close(self) -> None:
        """Commit what waits and let the files go."""
        self.flush()
        self.abandon()

    def abandon(self) -> None:
        """Let the files go; what was not committed is still owed."""
        engine, self._engine, self._taken = self._engine, None, {}
        if engine:
            with suppress(KitError, OSError):
                engine.engine.close()
        self._trust()
        if self._locked:
            self._locked = False
            self._lock.__exit__(None, None, None)

    def _trust(self) -> None:
        """End a check, while no engine is open."""
        check, self._check, self._in_doubt = self._check, None, False
        if check:
            check.close()

    def take(self, limit: int = BATCH, since: int = -1) -> int:
        """Take owed cards in, so that they are found at once; return how many are still owed.

        With `since`, only those that changed after that generation.
        """
        engine = self._current(0.0)
        if not engine:
            return 0
        owed = self._index.owed()
        newest_first = takewhile(lambda each: each[1] > since, reversed(owed.items()))
        waiting = (num for num, generation in newest_first if self._taken.get(num) != generation)
        chosen = list(islice(waiting, limit + 1))
        with self._mending():
            for num in chosen[:limit]:
                doc = self._documents.of(num)
                engine.apply([doc] if doc else [], [] if doc else [num])
                self._taken[num] = owed[num]
        return len(chosen[limit:]) if since >= 0 else self.behind

    @property
    def uncommitted(self) -> int:
        """Count the cards that were taken in and are not committed."""
        return len(self._taken)

    def flush(self, limit: int | None = None) -> None:
        """Commit what was taken in, or `limit` cards of it."""
        engine = self._current(0.0) if self._taken else None
        if not engine or not self._taken:
            return
        with self._mending():
            engine.flush(limit)
            if not engine.pending:
                self._index.paid(self._taken)
                self._taken, self._stumbles = {}, 0

    def ask(
        self,
        question: str,
        budget_s: float,
        allowed: Callable[[int], bool],
        persons: Collection[str] = (),
        limit: int = 0,
    ) -> Proofs:
        """Say for each card how well its words fit a question, within a time budget; `limit` cards are asked for.

        The words of `persons` weigh little: whoever is asked about is a feature of cards already.
        """
        engine = self._current(LOOKED_OVER_S)
        if not engine:
            why = self._broken or "There is no full text; features answered alone."
            if self._in_doubt:
                why = "The full text is still being looked over for damage; features answered alone."
            return Proofs({}, () if self._setting == "none" else (why,))
        plain, words = words_of(question)
        words |= dict.fromkeys(words.keys() & set(persons), PERSON)
        if not words:
            return Proofs({})
        with self._mending():
            behind = self.behind
            return Asking(engine, self._documents, self._index.catalog, self._mending).ask(
                question, words, plain, budget_s=budget_s, allowed=self._fresh_among(allowed) if behind else allowed,
                most=max(CANDIDATES, 2 * limit), behind=behind,
            )  # fmt: skip
        return Proofs({}, ("The full text is being made anew; features answered alone.",))

    def _fresh_among(self, allowed: Callable[[int], bool]) -> Callable[[int], bool]:
        """Leave out the cards of which the full text knows an earlier state only: it would prove what was deleted."""
        owed, taken = self._index.owed(), self._taken
        return lambda num: (num not in owed or taken.get(num) == owed[num]) and allowed(num)

    def propose(self, terms: list[tuple[str, float]], most: int) -> list[int] | None:
        """Name the cards a search should look at, best first; None when only looking at all of them can tell."""
        engine = self._current(PATIENT_S)
        if not engine or not terms or self.behind:
            return None
        with self._mending():
            found = engine.search(terms, most, weights=WEIGHTS, budget_s=1.0)
            return [num for num, _ in found.hits]
        return None

    def fields(self, found: Note) -> Iterator[tuple[str, str]]:
        """Give what a card, summary or fact says, field by field."""
        return self._documents.fields(found)

    # -- made elsewhere, taken over

    def documents(self, nums: Collection[int]) -> list[tuple[int, fulltext.Doc | None]]:
        """Read cards as the full text sees them, their terms counted; None stands for those that are gone."""
        return [(num, doc._replace(known=doc.counted()) if (doc := self._documents.of(num)) else None) for num in nums]

    def adopt(self, folder: Path) -> bool:
        """Put the full text that was built in another folder in the place of this one; what changed since is owed."""
        made = next(iter(folder.glob(f"text-*/{MADE_AT}")), None)
        if made is None or self._setting == "none":
            return False
        generation, built = int(made.read_text(encoding="ascii")), made.parent
        made.unlink()
        self.abandon()
        self._keep_only("")
        built.rename(self._index.folder / built.name)
        # Anything may have become of the index meanwhile; the full text of another one begins anew.
        if not self.open() or self.name != built.name.removeprefix("text-") or self._engine is None:
            return False
        if self._engine.count():
            self._index.paid_until(generation)
        return True

    # -- trouble

    def _current(self, wait_s: float) -> overlay.Layered | None:
        """Hand out the engine; where the index was made anew under it, or its files are damaged, another one.

        None until its files have been looked over, when that takes longer than one waits.
        """
        if self._engine and self._birth != self._index.birth:
            self.abandon()
            self.open()
        if self._engine and self._check and self._in_doubt:
            whole = self._check.result(wait_s)
            if whole is None:
                return None
            self._in_doubt = False
            with self._mending():
                if not whole:
                    raise engines.damaged(self._folder(self.name))
        return self._engine

    @contextmanager
    def _mending(self) -> Iterator[None]:
        """Begin the full text anew when its engine breaks; at once the first times, later only when asked to open."""
        try:
            yield
        except fulltext.FullTextBrokenError as error:
            name = self.name
            self.abandon()
            self._set_aside(self._folder(name))
            self._broken = f"The full text broke and is made anew ({error.what}) Features answered alone."
            self._stumbles += 1
            if self._stumbles <= STUMBLES:
                self.open()

    def _folder(self, name: str) -> Path:
        return self._index.folder / f"text-{name}"

    def _keep_only(self, name: str) -> None:
        for leftover in self._index.folder.glob("text-*"):
            if leftover != self._folder(name):
                shutil.rmtree(leftover, ignore_errors=True)

    def _set_aside(self, folder: Path) -> None:
        """Move a broken engine's folder aside, in place of the last one that was."""
        aside = self._index.folder / "broken"
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(FileNotFoundError):
            folder.rename(aside)
