"""Whatever happens to a vault, in whatever order it is told: the indexes end where a rebuild would end.

Run it long with `MEMKIT_FUZZ=2000` (the number of stories) in the environment.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kit import reconcile
from kit.errors import BadNoteError
from kit.index.reflection import Index
from kit.vault import note, walk
from kit.vault.store import etag
from tests.small_vault import State, Vault, front, state

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, where there is one: the disk is not what is tested
STORIES = int(os.environ.get("MEMKIT_FUZZ", "0"))

NAMES = ("C", "C++", "js", "标签池", "标签 池", "Ｃ")
# Few ids and few places, so that they meet
IDS = ("a1", "b2", "20260819-063022-k3f9")
FOLDERS = ("cards", "tags", "")
STEMS = ("a", "A", "js", "js (conflicted copy PHONE 202608191030)")
words = st.lists(st.sampled_from(NAMES), max_size=3)
paths = st.builds(
    lambda folder, stem: f"{folder}/{stem}.md".lstrip("/"), st.sampled_from(FOLDERS), st.sampled_from(STEMS)
)


@st.composite
def cards(draw: st.DrawFn) -> bytes:
    keys: dict[str, object] = {
        "id": draw(st.sampled_from(IDS)), "kind": "card", "tags": draw(words),
        "status": draw(st.sampled_from(["completed", "pending"])), "people": draw(words),
        "project": draw(st.sampled_from(["", "kit"])), "scene": draw(st.sampled_from(["", "work"])),
    }  # fmt: skip
    if draw(st.booleans()):
        keys["created"] = "2026-08-19"
    return front(keys, draw(st.sampled_from(["First.", "Second.", "# No sentence"])))


@st.composite
def facts(draw: st.DrawFn) -> bytes:
    keys = {"id": draw(st.sampled_from(IDS)), "kind": "fact", "tags": draw(words), "key": draw(st.sampled_from(NAMES))}
    return front(keys, "So it is.")


@st.composite
def tags(draw: st.DrawFn) -> bytes:
    keys: dict[str, object] = {"id": draw(st.sampled_from(IDS)), "kind": "tag", "aliases": draw(words)}
    keys["status"] = draw(st.sampled_from(["active", "merged", "deprecated"]))
    if draw(st.booleans()):
        keys["name"] = draw(st.sampled_from(NAMES))
    if draw(st.booleans()):
        keys["code"] = draw(st.sampled_from(["c", "js"]))
    for key in ("synonym", "related"):
        keys[key] = [f"[[{word}]]" for word in draw(words)]
    if draw(st.booleans()):
        keys["merged_to"] = f"[[{draw(st.sampled_from([*NAMES, 'tags/js', 'tags/a', 'a', 'b2']))}]]"
    return front(keys, "")


scenes = st.builds(
    lambda note_id, aliases: front({"id": note_id, "kind": "scene", "aliases": aliases}, ""),
    st.sampled_from(IDS),
    words,
)
plain = st.sampled_from([b"", b"Just a note.\n", b"---\ntags: [a]\n---\nMine.\n"])
broken = st.sampled_from(
    [
        b"---\nid: a1\nkind: card\n",
        b"---\nid: a1\nkind: card\nimportance: 9\n---\n",
        b"---\nid: b2\nkind: nonsense\n---\n",
        b"\xff\xfe",
    ]
)
contents = st.one_of(cards(), tags(), facts(), scenes, plain, broken)


class Memory(NamedTuple):
    """What the index last saw of a note while it could be read."""

    raw: bytes
    mtime: float
    id: str


def identity(raw: bytes, path: str) -> str | None:
    """Name the id of a file; '' for a plain note, None for one that can't be read."""
    if walk.conflict_copy(path):
        return ""
    try:
        found = note.parse(raw, path, fallback_name="x")
    except BadNoteError:
        return None
    return found.id if found else ""


class Life(RuleBasedStateMachine):
    """A vault in the hands of people, editors and sync tools that tell little, late and twice."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="memkit-life-", dir=MEMORY if MEMORY.is_dir() else None))
        self.vault = Vault(self.home)
        self.untold: list[str] = []
        self.bin: list[bytes] = []
        self.ticks = 0
        self.memories: dict[str, Memory] = {}
        self.contested: set[str] = set()
        self.pace, self.steps = 1, 0

    def teardown(self) -> None:
        self.vault.index.close()
        shutil.rmtree(self.home)

    # -- what happens to the files

    def here(self) -> list[str]:
        files = self.vault.root.rglob("*.md")
        return sorted(file.relative_to(self.vault.root).as_posix() for file in files if file.is_file())

    def put(self, path: str, raw: bytes) -> None:
        self.ticks += 1
        if not (self.vault.root / path).is_dir():
            self.vault.write(path, raw, age=1e6 - self.ticks)
            self.untold.append(path)

    @rule(path=paths, raw=contents)
    def write(self, path: str, raw: bytes) -> None:
        self.put(path, raw)

    @precondition(lambda self: self.here())
    @rule(data=st.data(), raw=contents)
    def edit(self, data: st.DataObject, raw: bytes) -> None:
        self.put(data.draw(st.sampled_from(self.here())), raw)

    @precondition(lambda self: self.here())
    @rule(data=st.data(), raw=contents)
    def save_with_the_old_clock(self, data: st.DataObject, raw: bytes) -> None:
        path = data.draw(st.sampled_from(self.here()))
        file = self.vault.root / path
        before = file.stat()
        old = file.read_bytes()
        fresh = file.with_name(".new")
        # as many bytes as before where that is possible without cutting
        fresh.write_bytes(raw + b" " * max(0, len(old) - len(raw)))
        os.utime(fresh, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.ticks += 1
        file.rename(self.home / f"kept-{self.ticks}")  # or its number is free for the next file
        fresh.rename(file)
        self.untold.append(path)

    @precondition(lambda self: self.here())
    @rule(data=st.data(), place=paths)
    def rename(self, data: st.DataObject, place: str) -> None:
        path = data.draw(st.sampled_from(self.here()))
        (self.vault.root / place).parent.mkdir(parents=True, exist_ok=True)
        (self.vault.root / path).replace(self.vault.root / place)
        self.untold += [path, place]

    @precondition(lambda self: self.here())
    @rule(data=st.data())
    def rename_by_case_alone(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.here()))
        folder, _, name = path.rpartition("/")
        target = f"{folder}/{name.removesuffix('.md').swapcase()}.md".lstrip("/")
        (self.vault.root / path).replace(self.vault.root / target)
        self.untold += [path, target]

    @precondition(lambda self: self.here())
    @rule(data=st.data())
    def copy(self, data: st.DataObject) -> None:
        source, target = data.draw(st.sampled_from(self.here())), data.draw(paths)
        self.put(target, (self.vault.root / source).read_bytes())

    @precondition(lambda self: self.here())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.here()))
        self.bin.append((self.vault.root / path).read_bytes())
        (self.vault.root / path).unlink()
        self.untold.append(path)

    @precondition(lambda self: self.bin)
    @rule(data=st.data(), path=paths)
    def restore(self, data: st.DataObject, path: str) -> None:
        self.put(path, data.draw(st.sampled_from(self.bin)))

    @rule(
        source=st.sampled_from(["cards", "tags"]),
        place=st.sampled_from(["moved", "moved/on", "archive"]),
    )
    def move_a_folder(self, source: str, place: str) -> None:
        old, new = self.vault.root / source, self.vault.root / place
        if old.is_dir() and not new.exists():
            below = [path for path in self.here() if path.startswith(f"{source}/")]
            new.parent.mkdir(exist_ok=True)
            old.rename(new)
            self.untold += [*below, *(f"{place}/{path.removeprefix(f'{source}/')}" for path in below)]

    @precondition(lambda self: self.here())
    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.here()))
        self.put(path, (self.vault.root / path).read_bytes())

    # -- what the index is told

    @precondition(lambda self: self.untold)
    @rule(data=st.data(), times=st.integers(1, 2))
    def tell(self, data: st.DataObject, times: int) -> None:
        told = [path for path in data.draw(st.permutations(self.untold)) if data.draw(st.booleans())]
        for _ in range(times):
            self.look(told)
        self.untold = [path for path in self.untold if path not in told]

    @precondition(lambda self: self.untold)
    @rule(data=st.data())
    def tell_one_by_one(self, data: st.DataObject) -> None:
        for path in data.draw(st.permutations(self.untold))[:4]:
            self.look([path])
            self.untold.remove(path)

    @precondition(lambda self: self.untold)
    @rule(folder=st.sampled_from(["cards", "tags", "moved"]))
    def tell_a_folder(self, folder: str) -> None:
        reconcile.apply(self.vault.store, self.vault.index, [], [folder])
        self.remember()

    def look(self, told: list[str]) -> None:
        reconcile.apply(self.vault.store, self.vault.index, told)
        self.remember()

    def remember(self) -> None:
        """Keep in mind what the index has seen of each note while it could be read, and who contests its id."""
        entries = self.vault.index.catalog.entries()
        self.memories = {path: memory for path, memory in self.memories.items() if path in entries}
        for path in set(self.here()) & set(entries):
            file = self.vault.root / path
            raw = file.read_bytes()
            found = identity(raw, path)
            if found is not None and etag(raw) == entries[path].etag:
                self.memories[path] = Memory(raw, file.stat().st_mtime, found)
                self.contested.discard(path)
        for path, memory in self.memories.items():
            if any(entry.id == memory.id for other, entry in entries.items() if other != path):
                self.contested.add(path)

    # -- what must hold

    @initialize(pace=st.sampled_from([2, 3, 5]), files=st.dictionaries(paths, contents, min_size=4, max_size=8))
    def begin(self, pace: int, files: dict[str, bytes]) -> None:
        self.pace = pace
        for path, raw in files.items():
            self.put(path, raw)
        self.check()

    @invariant()
    def ends_where_a_rebuild_ends(self) -> None:
        self.steps += 1
        if self.steps % self.pace == 0:
            self.check()

    def check(self) -> None:
        """Scan, and compare with a rebuild of the vault in which broken notes are as the index last knew them."""
        self.vault.scan()
        self.remember()
        self.untold.clear()
        recalled = self.recalled()
        found, expected = state(self.vault.index), self.rebuilt_with(recalled)
        assert without_faults(found, recalled) == without_faults(expected, recalled)
        self.vault.index.close()
        self.vault.index = Index(self.vault.index.folder)
        assert state(self.vault.index) == found, "what is held in memory differs from what is stored"
        assert self.vault.scan().changed == 0

    @invariant()
    def holds_no_loose_ends(self) -> None:
        db = self.vault.index._db
        for table in ("cards", "postings", "pool"):
            assert not db.execute(f"SELECT 1 FROM {table} WHERE num NOT IN (SELECT num FROM notes)").fetchall()

    def recalled(self) -> set[str]:
        """List the notes that can't be read and whose last good state the index must still hold.

        It may let go of one only when another note has claimed its id since.
        """
        entries = self.vault.index.catalog.entries()
        kept: set[str] = set()
        for path in set(self.here()) & set(entries):
            if identity((self.vault.root / path).read_bytes(), path) is None:
                memory = self.memories.get(path)
                if entries[path].id:
                    assert memory
                    assert entries[path].id == memory.id
                    kept.add(path)
                elif memory and memory.id:
                    assert path in self.contested, f"{path} was forgotten"
        return kept

    def rebuilt_with(self, recalled: set[str]) -> State:
        copy = self.home / "copy"
        shutil.copytree(self.vault.root, copy)
        try:
            for path in recalled:
                memory = self.memories[path]
                (copy / path).write_bytes(memory.raw)
                os.utime(copy / path, (memory.mtime, memory.mtime))
            return self.vault.rebuilt(copy)
        finally:
            shutil.rmtree(copy)


def without_faults(found: State, paths: set[str]) -> State:
    """Leave out what shows that a note can't be read now: its fingerprint and its fault."""
    files = {entry if entry[0] not in paths else entry[:3] for entry in found["files"]}  # type: ignore[attr-defined]
    problems = [one for one in found["problems"] if one[0] != "note" or one[1] not in paths]  # type: ignore[attr-defined]
    return {**found, "files": files, "problems": problems}


TestLife = Life.TestCase
TestLife.pytestmark = [pytest.mark.timeout(3600 if STORIES else 300)]  # type: ignore[attr-defined]  # where pytest looks
TestLife.settings = settings(
    max_examples=STORIES or 40,
    stateful_step_count=40 if STORIES else 20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
