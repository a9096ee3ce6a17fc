"""A vault, opened: its files, indexes and settings, and what every operation needs of them.

Law: it knows none of the themes that stand on it. Whoever reads brings it in step first (`sync`), whoever writes
holds `_writing`.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from kit import chosen, config, places, reconcile
from kit.briefing import Briefing
from kit.errors import UnavailableError
from kit.govern import summaries
from kit.govern.hand import Hand
from kit.governance import Governance
from kit.index.reflection import Index
from kit.inquiry import Inquiry
from kit.learning import Learning
from kit.llm.mind import Mind
from kit.llm.port import Settings
from kit.passages import Passages
from kit.step import Step
from kit.vault.journal import Journal
from kit.vault.store import Store
from kit.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import TracebackType

    from kit.model.perception import Perception


READ_AT_ONCE = 300
"""Cards whose words a single command reads before it answers."""


class Opened:
    """One vault's files, indexes, settings and clock."""

    def __init__(
        self,
        vault: str | Path | None = None,
        *,
        clock: Callable[[], datetime] | None = None,
        freshen: Callable[[], reconcile.Report] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Open a vault; a `folder` for what is derived serves only who reads: its lock keeps nobody else from writing.

        Raises NoFolderError when there is none.
        """
        self.root = config.find_vault(str(vault) if vault else None)
        self._settings = config.Live(self.root)
        self.config = self._settings.first
        self._only_reads = folder is not None
        self.folder = folder or places.cache_folder(self.config.text("id") or "vault", self.root)
        self.store = Store(self.root, plain_notes=self.config.flag("index.plain_notes"))
        self.index = Index(self.folder)
        self.index.expect_plain_notes(self.store.plain_notes)
        self.journal = Journal(self.store)
        self._hand = Hand(self.store, self.index, self.journal, redacts=self.config.flag("govern.redact"))
        self._step = Step(self.store, self.index, self.folder, lambda: self.pool, freshen, self._sum_up)
        self.witness = Witness(self.index, self._hand.look, self._hand.read_body, self.config.text("index.engine"))
        self.passages = Passages(self._hand)
        self._briefing = Briefing(self._hand, self.passages)
        self.pool = Governance(
            self._hand, self._writing, self.now, sync=self.sync, scene_of=self._scene_of,
            share=self.config.number("govern.tag_share"),
            caps=lambda **given: chosen.caps(self.config, **given),
        )  # fmt: skip
        self.mind = Mind(Settings.of(self.config.section("llm")), self.root, self.now)
        self._inquiry = Inquiry(self.index, self.mind)
        self.learning = Learning(
            self._hand, self._writing, self.now, self.mind, sync=self.sync, scene_of=self._scene_of
        )
        self.behind = ""
        self._clock = clock or (lambda: datetime.now(UTC).astimezone(places.ZONE.get()))

    def __enter__(self) -> Self:
        """Open."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Let the indexes go."""
        self.learning.close()
        self.witness.close()
        self.index.close()

    @property
    def is_outdated(self) -> bool:
        """Tell whether a file of settings was edited since it was read."""
        return self._settings.is_edited()

    def heed(self) -> bool:
        """Go by the settings as their files say now; False where nothing changes, or a file has faults."""
        found = self._settings.renewed()
        if found is None:
            return False
        self.config = found
        self.store.plain_notes = found.flag("index.plain_notes")
        self.index.expect_plain_notes(self.store.plain_notes)
        self._hand.redacts = found.flag("govern.redact")
        self.pool.share = found.number("govern.tag_share")
        self.witness.use(found.text("index.engine"))
        self.mind.use(Settings.of(found.section("llm")))
        return True

    def _remarks(self) -> tuple[str, ...]:
        faults = self._settings.problems
        old = f"Settings as they were before, or defaults, are in use: {faults[0]}" if faults else ""
        return tuple(filter(None, (self.behind, old)))

    def now(self) -> datetime:
        """Tell the time, in the person's zone."""
        return self._clock()

    @contextmanager
    def at(self, moment: datetime) -> Iterator[None]:
        """Let it be another time for a while: for what waited to be dealt with."""
        before, self._clock = self._clock, lambda: moment
        try:
            yield
        finally:
            self._clock = before

    def perceive(self, prompt: str, now: datetime | None = None) -> Perception:
        """Say what a prompt is like."""
        return self._inquiry.perceive(prompt, now or self._clock())

    def _scene_of(self, said: str) -> str:
        found = self.perceive(said)
        return f"{found.scene}/{found.scene_sub}" if found.scene_sub else found.scene

    # -- keeping in step

    def sync(self, progress: Callable[[int, int], None] | None = None) -> reconcile.Report:
        """Bring the indexes in step with the files: as the daemon knows how, else by an incremental scan."""
        report = self._step.fresh(progress)
        self.follow(report)
        return report

    def follow(self, report: reconcile.Report) -> None:
        """Have notes follow what a person has edited in others, unless another program is writing."""
        if not self._only_reads:
            self._step.follow(report)

    @property
    def owes(self) -> bool:
        """Tell whether there is something that `sync` would finish or have followed."""
        return self._step.owes

    def read_words(self) -> None:
        """Use full text in this process: bring it in step, unless that would take long or another has it."""
        self.sync()
        if self.witness.open() and self.witness.behind <= READ_AT_ONCE:
            self.witness.take(READ_AT_ONCE)
            self.witness.flush()

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> reconcile.Report:
        """Throw the indexes away and make them anew from the files."""
        with self._step.lock:
            self.witness.close()
            self.index.renew()
            return reconcile.scan(self.store, self.index, progress)

    def _sum_up(self, edited: Mapping[str, Collection[str]]) -> None:
        """Have the summaries that rules wrote say what edited cards say now; under the writer's lock."""
        summaries.follow_edits(self._hand, edited, self._clock(), "maintain")

    def _writing(self) -> AbstractContextManager[None]:
        if self._only_reads:
            raise UnavailableError(
                "Nothing is written to a vault without its lock.", "Set MEMKIT_CACHE to your folder."
            )
        return self._step.writing()
