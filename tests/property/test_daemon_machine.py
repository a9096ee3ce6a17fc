"""A daemon in the hands of fate: lost, doubled and late events, restarts and kills; its indexes end as a rebuild would.

Run it long with `MEMKIT_FUZZ=2000` (the number of stories) in the environment.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from kit import reconcile
from kit.daemon.keeper import Keeper
from kit.index.reflection import Index
from kit.vault.settle import Batch
from kit.vault.store import Store
from kit.vault.watch import Watcher
from tests.small_vault import front, state

if TYPE_CHECKING:
    from collections.abc import Mapping

STORIES = int(os.environ.get("MEMKIT_FUZZ", "0"))
FOLDERS = ("cards/a", "cards/b", "facts", "deep/er")
places = st.builds(lambda folder, name: f"{folder}/{name}.md", st.sampled_from(FOLDERS), st.sampled_from("nopqr"))


class Whispers(Watcher):
    """A watcher that hears only what it is told, and knows or does not know whether that was all."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, polling=True)
        self.heard: set[str] = set()
        self.folders: set[str] = set()
        self.lost = False
        self.sure = True

    def barrier(self, timeout: float) -> bool:
        del timeout
        return self.sure

    def flush(self, paths: object = None) -> Batch:
        del paths
        batch = Batch(scan=True) if self.lost else Batch(frozenset(self.heard), frozenset(self.folders))
        self.heard, self.folders, self.lost = set(), set(), False
        return batch

    def ask_for_scan(self) -> None:
        self.lost = True


class Fate(RuleBasedStateMachine):
    """One vault, one keeper at a time, driven step by step where threads would make the steps."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="mkfate")).resolve()
        self.before = {name: value for name, value in os.environ.items() if name.startswith("MEMKIT_")}
        os.environ.update(MEMKIT_CACHE=str(self.home / "c"), MEMKIT_CONFIG=str(self.home / "f"))
        os.environ.update(MEMKIT_RUNTIME=str(self.home / "r"), MEMKIT_INDEX_ENGINE="sqlite")
        self.root = self.home / "vault"
        self.root.mkdir()
        # Time enough: a busy machine finds what a quiet one does.
        (self.root / "memkit.toml").write_text('id = "fate"\n[recall]\ntext_ms = 60_000\n', encoding="utf-8")
        self.count = 0
        self.untold: list[str] = []
        self.untold_folders: list[str] = []
        self.keeper = self.begin()

    def teardown(self) -> None:
        self.keeper.kit.close()
        for name in [name for name in os.environ if name.startswith("MEMKIT_")]:
            del os.environ[name]
        os.environ.update(self.before)
        shutil.rmtree(self.home)

    def begin(self) -> Keeper:
        keeper = Keeper(self.root, watcher=Whispers(self.root))
        keeper.watcher.start()
        keeper.tracker.catch_up()
        self.untold, self.untold_folders = [], []
        return keeper

    @property
    def watcher(self) -> Whispers:
        return cast("Whispers", self.keeper.watcher)

    # -- files

    def here(self) -> list[str]:
        return sorted(
            path.relative_to(self.root).as_posix()
            for folder in ("cards", "facts", "deep", "moved")
            for path in (self.root / folder).rglob("*.md")
        )

    def write(self, path: str, name: str) -> None:
        self.count += 1
        keys: Mapping[str, object] = {
            "id": name, "kind": "card", "status": "completed", "created": "2026-08-19T10:00:00+08:00",
            "tags": [f"tag{letters(self.count)}"],
        }  # fmt: skip
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(front(keys, f"It says word{letters(self.count)}."))
        self.untold.append(path)

    def name_of(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8").split('id: "')[1].split('"')[0]

    @rule(path=places)
    def make(self, path: str) -> None:
        self.write(path, self.name_of(path) if (self.root / path).exists() else f"id-{letters(self.count)}")

    @precondition(lambda self: self.here())
    @rule(data=st.data(), to=places)
    def rename(self, data: st.DataObject, to: str) -> None:
        path = data.draw(st.sampled_from(self.here()))
        (self.root / to).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).replace(self.root / to)
        self.untold += [path, to]

    @precondition(lambda self: self.here())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.here()))
        (self.root / path).unlink()
        self.untold.append(path)

    @rule(folder=st.sampled_from(FOLDERS))
    def move_a_folder(self, folder: str) -> None:
        old, new = self.root / folder, self.root / "moved" / folder.replace("/", "-")
        if old.is_dir() and not new.exists():
            new.parent.mkdir(exist_ok=True)
            old.rename(new)
            self.untold_folders += [folder, new.relative_to(self.root).as_posix()]

    # -- events

    @rule(data=st.data(), times=st.integers(1, 2))
    def tell_some(self, data: st.DataObject, times: int) -> None:
        """Let the watching thread take up some of what happened; the rest is late."""
        told = [path for path in self.untold if data.draw(st.booleans())]
        for _ in range(times):
            self.keeper.tracker.use(Batch(frozenset(told)))
        self.untold = [path for path in self.untold if path not in told]

    @rule()
    def lose_events(self) -> None:
        self.untold, self.untold_folders = [], []
        self.watcher.lost = True

    @rule()
    def tell_of_a_storm(self) -> None:
        self.keeper.tracker.use(Batch(scan=True))

    @rule(steps=st.integers(1, 3), commit=st.booleans())
    def read_words(self, steps: int, commit: bool) -> None:
        for _ in range(steps):
            self.keeper._reader._take()
        if commit:
            self.keeper.kit.witness.flush(2)

    # -- ends and beginnings

    @rule()
    def restart(self) -> None:
        self.keeper.stop()
        self.keeper = self.begin()

    @rule()
    def kill(self) -> None:
        self.keeper.kit.witness.abandon()
        self.keeper.kit.index.close()
        self.keeper = self.begin()

    @rule(what=st.sampled_from(["everything", "index", "words"]))
    def clean_the_cache(self, what: str) -> None:
        folder = self.keeper.kit.folder
        if what == "everything":
            shutil.rmtree(folder, ignore_errors=True)
        for leftover in folder.glob("index.sqlite3*" if what == "index" else "text-*"):
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        # A closed door: without this the engine would go on with files that have no name any more.
        if what == "words":
            self.keeper.kit.witness.abandon()
            self.keeper.kit.witness.open()

    # -- what must hold

    @rule(sure=st.booleans())
    def ask(self, sure: bool) -> None:
        """Ask after everything; what the watcher was told and what it was not are both on disk."""
        self.watcher.sure = sure
        if sure:
            self.watcher.heard |= set(self.untold)
            self.watcher.folders |= set(self.untold_folders)
        self.untold, self.untold_folders = [], []
        self.keeper.call("status", {}, None)
        while self.keeper.kit.witness.take():
            pass
        index = self.keeper.kit.index
        fresh = Index(self.home / "fresh")
        try:
            reconcile.scan(Store(self.root), fresh)
            assert state(index) == state(fresh)
        finally:
            fresh.close()
            Index.remove(self.home / "fresh")
        for path in self.here():
            entry = index.catalog.at(path)
            assert entry
            if not index.catalog.is_broken(path) and entry.num in index.features.rows():
                number = (self.root / path).read_text(encoding="utf-8").split("It says word")[1].split(".")[0]
                assert self.found(f"tag{number}") == [path]
                assert self.found(f"the word{number}") == [path]
        known = set(self.here())
        for recent in range(max(0, self.count - 12), self.count + 1):
            assert set(self.found(f"the word{letters(recent)}")) <= known

    def found(self, query: str) -> list[str]:
        answer = self.keeper.call("recall", {"query": query, "threshold": 0.01}, None)
        assert isinstance(answer, dict)
        return [hit["path"] for hit in answer["hits"]]


def letters(number: int) -> str:
    """Write a number in letters that no stemmer shortens."""
    return "".join("bcdfghjklm"[int(digit)] for digit in str(number)) + "x"


TestFate = Fate.TestCase
TestFate.settings = settings(
    max_examples=STORIES or 12,
    stateful_step_count=40 if STORIES else 15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
