"""Files against catalog, and every difference into every index: the only road in.

Law: what a vault's files are now decides alone what the indexes become. The same calls in any order, twice,
late or after a crash end where a rebuild would end; all rooms change in one transaction.
"""

from __future__ import annotations

import re
import time
import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadNoteError, Problem
from kit.index.catalog import Entry
from kit.index.features import Features
from kit.index.reflection import terms_of
from kit.model.notes import Card, Fact, Note, Scene, Tag
from kit.vault import layout, note, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from kit.index.reflection import Index
    from kit.vault.store import Store
    from kit.vault.walk import Stat

RACY_NS = 2_000_000_000
"""A file read this soon after it was written may change again within the same time stamp (git's racy rule)."""

_ID_TIME = re.compile(r"(\d{8}-\d{6})-")


class Report(NamedTuple):
    """What a reconcile did."""

    added: int = 0
    modified: int = 0
    moved: int = 0
    removed: int = 0
    problems: int = 0
    seconds: float = 0.0
    seen: int = 0

    @property
    def changed(self) -> int:
        """Count the notes that are not as they were."""
        return self.added + self.modified + self.moved + self.removed


class _Read(NamedTuple):
    """A file as it is now."""

    etag: str
    note: Note | None
    problems: tuple[Problem, ...] = ()
    broken: bool = False


def scan(store: Store, index: Index, progress: Callable[[int, int], None] | None = None) -> Report:
    """Compare the whole vault with the catalog and apply every difference; none costs no transaction."""
    started = time.perf_counter()
    seen, files = _walk(store, "")
    report = Report(problems=index.catalog.problem_count())
    faults = (*seen.errors, *seen.skipped)
    if _differences(index, files, seen) or faults != tuple(index.catalog.problems_of("walk")):
        with index.changing():
            index.catalog.set_found("walk", faults)
            report = _apply(store, index, _differences(index, files, seen), progress)
    return report._replace(seconds=time.perf_counter() - started, seen=len(files))


def _walk(store: Store, folder: str) -> tuple[walk.Walk, dict[str, Stat]]:
    seen = walk.walk(store.root, under=folder)
    return seen, {path: stat for path, stat in seen if layout.is_note(path)}


def _differences(index: Index, files: Mapping[str, Stat], seen: walk.Walk) -> dict[str, Stat | None]:
    known = index.catalog.entries()
    found: dict[str, Stat | None] = {
        path: stat for path, stat in files.items() if path not in known or not _same(known[path], stat)
    }
    return found | {path: None for path in known if path not in files and seen.covers(path)}


def apply(store: Store, index: Index, paths: Collection[str], folders: Collection[str] = ()) -> Report:
    """Bring some paths, and all below some folders, in step; what is no note is passed over."""
    started = time.perf_counter()
    stats: dict[str, Stat | None] = {}
    for folder in folders:
        seen, files = _walk(store, folder)
        stats |= {entry.path: None for entry in index.catalog.below(folder) if seen.covers(entry.path)}
        stats |= files
    for path in paths:
        if layout.is_note(path) and not walk.ignored(path):
            stats[path] = walk.look(store.root, path)
    with index.changing():
        report = _apply(store, index, stats, None)
    return report._replace(seconds=time.perf_counter() - started, seen=len(stats))


def _same(entry: Entry, stat: Stat) -> bool:
    return (entry.mtime_ns, entry.size, entry.ino) == (stat.mtime_ns, stat.size, stat.ino)


def _apply(
    store: Store, index: Index, stats: Mapping[str, Stat | None], progress: Callable[[int, int], None] | None
) -> Report:
    work = _Work(store, index)
    total = len(stats)
    for done, path in enumerate(sorted(stats), 1):
        stat = stats[path]
        if stat is None:
            work.lose(path)
        else:
            work.see(path, stat)
        if progress and (done % 500 == 0 or done == total):
            progress(done, total)
    return work.finish()


class _Work:
    """One reconcile: sees and loses paths, then settles who owns which id."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store, self._index = store, index
        self._gone: dict[str, Entry] = {}
        self._read: dict[str, _Read] = {}
        self._ids: set[str] = set()
        self._folds: set[str] = set()
        self._pool_changed = False
        self._added = self._modified = self._moved = self._removed = 0

    def lose(self, path: str) -> None:
        """Note that a path is not there any more."""
        entry = self._index.catalog.at(path)
        if entry:
            self._gone[path] = entry
            self._ids.add(entry.id)
            self._folds.add(entry.folded)

    def see(self, path: str, stat: Stat) -> None:
        """Note a file; read it unless it is known as it is."""
        entry = self._index.catalog.at(path)
        if entry and _same(entry, stat):
            return
        try:
            read = _read(self._store, path)
        except FileNotFoundError:
            self.lose(path)
            return
        if time.time_ns() - stat.mtime_ns < RACY_NS:
            stat = stat._replace(mtime_ns=-1)
        if entry and entry.etag == read.etag:
            self._index.catalog.touch([entry._replace(mtime_ns=stat.mtime_ns, size=stat.size, ino=stat.ino)])
            return
        self._put(path, stat, read, entry)

    def _put(self, path: str, stat: Stat, read: _Read, entry: Entry | None) -> None:
        found = read.note
        note_id, kind = (found.id, found.kind) if found else ("", "")
        if read.broken and entry:
            note_id, kind = entry.id, entry.kind  # its last good state stays recallable
        origin = entry or self._origin(note_id)
        if entry:
            self._modified += 1
            if (entry.id, entry.kind) != (note_id, kind):
                self._ids.add(entry.id)
                self._clear(entry)
        elif origin:
            self._moved += 1
        else:
            self._added += 1
        fresh = Entry(origin.num if origin else 0, path, note_id, kind, *stat[:3], read.etag, _folded(path))
        num = self._index.catalog.put(fresh)
        self._index.catalog.set_problems(path, "note", read.problems)
        self._folds.add(fresh.folded)
        self._ids.add(note_id)
        self._read[path] = read
        if origin and origin.path != path:
            self._index.catalog.clear_problems(origin.path)
            self._index.pool.move(num, path)

    def _origin(self, note_id: str) -> Entry | None:
        """Find the entry a note came from when it was moved: same id, and its old path is gone."""
        if not note_id:
            return None
        for entry in self._index.catalog.with_id(note_id):
            if entry.path in self._gone or walk.look(self._store.root, entry.path) is None:
                self._gone.pop(entry.path, None)
                self._folds.add(entry.folded)
                return entry
        return None

    def _clear(self, entry: Entry) -> None:
        self._pool_changed |= entry.kind in ("tag", "scene")
        self._index.drop(entry.num, entry.kind)

    def finish(self) -> Report:
        """Remove what is gone, index what is there, and say what a person should mend."""
        for entry in self._gone.values():
            self._removed += 1
            self._clear(entry)
            self._index.catalog.drop(entry.num)
            self._index.catalog.clear_problems(entry.path)
        for note_id in sorted(self._ids - {""}):
            self._settle(note_id)
        for folded in sorted(self._folds):
            self._check_twins(folded)
        if self._pool_changed:
            self._index.catalog.set_found("pool", self._index.pool.problems())
        return Report(self._added, self._modified, self._moved, self._removed, self._index.catalog.problem_count())

    def _settle(self, note_id: str) -> None:
        """Index the one note that owns an id: the shortest path, then the first; report the others."""
        claims = sorted(self._index.catalog.with_id(note_id), key=lambda entry: (len(entry.path), entry.path))
        for entry in claims[1:]:
            self._clear(entry)
            twice = Problem(
                entry.path, 0, f"Its id '{note_id}' already belongs to {claims[0].path}.",
                "Delete this copy, or give it an id of its own.",
            )  # fmt: skip
            self._index.catalog.set_problems(entry.path, "id", [twice])
        for entry in claims[:1]:
            self._index.catalog.set_problems(entry.path, "id", ())
            read = self._read.get(entry.path) or _read(self._store, entry.path)
            if read.note:
                self._index_note(entry, read.note)

    def _index_note(self, entry: Entry, found: Note) -> None:
        if isinstance(found, (Card, Fact)):
            self._index.put_card(_features(entry, found), _terms(found), fresh=False)
        elif isinstance(found, (Tag, Scene)):
            self._pool_changed = True
            self._index.put_pooled(entry.num, entry.path, found)

    def _check_twins(self, folded: str) -> None:
        twins = self._index.catalog.with_folded(folded)
        for entry in twins:
            twin = Problem(
                entry.path, 0, f"Its name differs from {twins[0].path} by case or accent form alone.",
                "Rename one: many systems take them for one file.",
            )  # fmt: skip
            self._index.catalog.set_problems(entry.path, "twin", [twin] if entry is not twins[0] else [])


def _read(store: Store, path: str) -> _Read:
    """Read a file as a note, a plain note, or a problem; FileNotFoundError when it has gone meanwhile."""
    name = path.rsplit("/", 1)[-1]
    try:
        raw, etag = store.read(path)
    except BadNoteError as error:
        return _Read(f"unread {walk.look(store.root, path)}", None, (error.problem,), broken=True)
    if walk.conflict_copy(name):
        problem = Problem(
            path, 0, "A sync tool left this conflict copy.", "Merge what you want to keep, then delete it."
        )
        return _Read(etag, None, (problem,))
    try:
        return _Read(etag, note.parse(raw, path, fallback_name=name.removesuffix(".md")))
    except BadNoteError as error:
        return _Read(etag, None, (error.problem,), broken=True)


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _created(found: Note, entry: Entry) -> float:
    """Take a note's age from its `created`, else from its id, else from its file."""
    if found.created:
        return found.created.timestamp()
    stamp = _ID_TIME.match(found.id)
    if stamp:
        try:
            return datetime.strptime(stamp.group(1), "%Y%m%d-%H%M%S").replace(tzinfo=UTC).timestamp()
        except ValueError:
            pass
    return max(entry.mtime_ns, 0) / 1e9


def _features(entry: Entry, found: Card | Fact) -> Features:
    created = _created(found, entry)
    shown = text.fold(text.first_sentence(note.first_paragraph(found.body)))
    if isinstance(found, Card):
        return Features(
            entry.num, "card", found.status, found.layer, found.feedback, found.importance, int(found.pinned),
            created, 0.0, text.key(found.scene), text.key(found.scene_sub), text.key(found.project),
            text.key(found.topic), shown,
        )  # fmt: skip
    until = found.valid_until.timestamp() if found.valid_until else 0.0
    scene = text.key(found.scenes[0]) if len(found.scenes) == 1 else ""
    changed = found.updated.timestamp() if found.updated else created
    return Features(
        entry.num, "fact", "completed", found.layer, found.feedback, found.importance, int(found.pinned),
        changed, until, scene, "", text.key(found.project), "", shown,
    )  # fmt: skip


def _terms(found: Card | Fact) -> set[str]:
    if isinstance(found, Card):
        return terms_of(
            found.tags, found.people, found.places, found.project, found.scene, found.scene_sub, found.topic
        )
    terms = terms_of(found.tags, found.people, found.places, found.project, "", "", "")
    terms |= {f"scene:{text.key(scene)}" for scene in found.scenes}
    if found.key:
        terms.add(f"key:{text.key(found.key)}")
    return terms
