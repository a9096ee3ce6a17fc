"""Files against catalog, and every difference into every index: the only road in.

Law: what a vault's files are now decides alone what the indexes become. The same calls in any order, twice,
late or after a crash end where a rebuild would end; all rooms change in one transaction.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kit import distil
from kit.errors import BadNoteError, NotFoundError, Problem, RefusedError, UnavailableError
from kit.index import db
from kit.index.catalog import Entry, fold_path
from kit.model.notes import Tag
from kit.vault import layout, note, plain, walk
from kit.vault.walk import RootGone, Stat

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from contextlib import AbstractContextManager

    from kit.distil import Gist
    from kit.index.reflection import Index
    from kit.vault.store import Store

    Reads = Callable[[list["Piece"]], Iterator[Mapping[str, "Read"]]]
    """Reads pieces by `read_all`, in their order"""

_UNREAD = "unread "
PORTION = 100
"""Notes in a portion: read ahead while others get at the indexes, who then wait for some 30 ms."""
RACY_NS = 2_000_000_000
"""A file read this soon after it was written may change again within the same time stamp (git's racy rule)."""

MANY = 1000
"""New notes from which on one look at the whole catalog is less work than one for each."""
Piece = list[tuple[str, Stat]]
"""Files to be read in one go"""
_MOST = 2**63
_AGAIN = -1
"""A file time no file has: the file is read again at the next look."""


class Report(NamedTuple):
    """What a reconcile did."""

    added: int = 0
    modified: int = 0
    moved: int = 0
    removed: int = 0
    problems: int = 0
    seconds: float = 0.0
    seen: int = 0
    tags: tuple[tuple[str, Tag | None, Tag], ...] = ()
    """tag notes that changed: path, the tag before (None: it is new), the tag now"""

    @property
    def changed(self) -> int:
        """Count the notes that are not as they were."""
        return self.added + self.modified + self.moved + self.removed


class Read(NamedTuple):
    """A file as it was when it was read."""

    etag: str
    stat: Stat
    at_ns: int
    """when that was"""
    plain_notes: bool
    """whether the person's own notes were to be found then"""
    note: Gist | None = None
    problems: tuple[Problem, ...] = ()
    broken: bool = False

    @property
    def known(self) -> Stat:
        """What the catalog may believe of the file's times: a file just written is looked at again."""
        is_racy = self.at_ns - self.stat.mtime_ns < RACY_NS
        return self.stat._replace(mtime_ns=_AGAIN) if is_racy or self.etag.startswith(_UNREAD) else self.stat


class Known(Protocol):
    """What was read ahead."""

    def get(self, path: str, /) -> Read | None:
        """Find what was read of a file."""


_NOTHING: Mapping[str, Read] = {}


def scan(
    store: Store, index: Index, progress: Callable[[int, int], None] | None = None, reads: Reads | None = None
) -> Report:
    """Compare the whole vault with the catalog and apply every difference; none costs no transaction."""
    try:
        return _scan(store, index, progress, reads)
    except sqlite3.DatabaseError as error:
        if not db.is_damage(error):
            raise
    index.renew()
    return _scan(store, index, progress, None)


def _scan(store: Store, index: Index, progress: Callable[[int, int], None] | None, reads: Reads | None) -> Report:
    started = time.perf_counter()
    seen, files, faults = _walk(store, "")
    report = Report(problems=index.catalog.problem_count())
    if _differences(index, files, seen) or faults != index.catalog.problems_of("walk"):
        with index.changing():
            index.catalog.set_found("walk", faults)
            found = _differences(index, files, seen)
            report = _apply(store, index, found, progress, _Ahead(found, reads) if reads else _NOTHING)
    return report._replace(seconds=time.perf_counter() - started, seen=len(files))


def differs(store: Store, index: Index, most: int) -> bool:
    """Tell whether more than `most` files are not as the catalog knows them; it looks no further than it must."""
    known = {path: tuple(stat) for path, *stat in index.catalog.stats()}
    changed = 0
    for path, stat in walk.walk(store.root):
        changed += layout.is_note(path) and known.pop(path, None) != _fit(stat)
        if changed > most:
            return True
    return changed + len(known) > most


def portions(
    store: Store, index: Index, owner: Callable[[], AbstractContextManager[object]], size: int = PORTION,
    begins: Callable[[int], bool] = lambda _count: True, reads: Reads | None = None,
) -> Iterator[Report]:  # fmt: skip
    """Scan, but apply the differences in portions, each a transaction under `owner`, so that others get in between.

    What is there comes before what is gone: a note that was moved is never missing in between. `begins` is told
    how many differences there are; when it says no, they are left alone.
    """
    seen, files, faults = _walk(store, "")
    with owner():
        found = _differences(index, files, seen)
        if faults != index.catalog.problems_of("walk"):
            with index.changing():
                index.catalog.set_found("walk", faults)
    paths = sorted(found, key=lambda path: (found[path] is None, path)) if begins(len(found)) else []
    parts = [paths[at : at + size] for at in range(0, len(paths), size)]
    pieces = [[(path, stat) for path in part if (stat := found[path])] for part in parts]
    ahead = reads(pieces) if reads else (read_all(store, piece) for piece in pieces)
    for part, read in zip(parts, ahead, strict=True):
        with owner():
            report = apply(store, index, part, ahead=read)
        yield report


def read_all(store: Store, piece: Piece) -> dict[str, Read]:
    """Read files that will be looked at once more before what was read is believed; without those that are gone."""
    found: dict[str, Read] = {}
    for path, stat in piece:
        with suppress(NotFoundError):
            found[path] = _read(store, path, stat)
    return found


class _Ahead:
    """What is read ahead for a scan, taken up piece by piece in the order in which it is asked for."""

    def __init__(self, stats: Mapping[str, Stat | None], reads: Reads) -> None:
        there = [(path, stat) for path in sorted(stats) if (stat := stats[path])]
        self._left = {path for path, _ in there}
        self._held: dict[str, Read] = {}
        self._pieces = iter(reads([there[at : at + PORTION] for at in range(0, len(there), PORTION)]))

    def get(self, path: str) -> Read | None:
        """Take what was read, once; None for what was not."""
        while path in self._left and path not in self._held:
            piece = next(self._pieces, None)
            if piece is None:
                return None
            self._held |= piece
        self._left.discard(path)
        return self._held.pop(path, None)


def _walk(store: Store, folder: str) -> tuple[walk.Walk, dict[str, Stat], list[Problem]]:
    seen = walk.walk(store.root, under=folder)
    files = {path: stat if stat.ino < _MOST else _fit(stat) for path, stat in seen if layout.is_note(path)}
    odd = [path for path in files if not path.isascii() and not _is_utf8(path)]
    faults = [
        *seen.errors, *seen.skipped,
        *(Problem(path, 0, "Its name is not UTF-8, so it can't be read.", "Rename the file.") for path in odd),
    ]  # fmt: skip
    for path in odd:
        del files[path]
    return seen, files, [fault._replace(path=fault.path.encode(errors="replace").decode()) for fault in faults]


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fit(stat: Stat) -> Stat:
    """Make the file number one that SQLite can hold: some network disks use all 64 bits."""
    return stat if stat.ino < _MOST else stat._replace(ino=stat.ino % _MOST)


def _look(store: Store, path: str) -> Stat | None:
    return _looker(store)(path)


def _looker(store: Store) -> Callable[[str], Stat | None]:
    """Look at many files at once."""
    look = walk.looker(store.root)
    return lambda path: stat if (stat := look(path)) is None else _fit(stat)


def _differences(index: Index, files: Mapping[str, Stat], seen: walk.Walk) -> dict[str, Stat | None]:
    found: dict[str, Stat | None] = {}
    same: set[str] = set()
    for path, *known in index.catalog.stats():  # one after the other: all together would take 40 MB per 100,000
        stat = files.get(path)
        if stat is None:
            if seen.covers(path):
                found[path] = None
        elif list(stat) == known:
            same.add(path)
    if len(same) < len(files):
        found |= {path: stat for path, stat in files.items() if path not in same}
    return found


def apply(
    store: Store, index: Index, paths: Collection[str], folders: Collection[str] = (),
    ahead: Known = _NOTHING,
) -> Report:  # fmt: skip
    """Bring some paths, and all below some folders, in step; what is no note is passed over.

    What was read `ahead` is not read again, if it still has the same stat.
    """
    started = time.perf_counter()
    stats: dict[str, Stat | None] = {}
    for folder in folders:
        seen, files, _ = _walk(store, folder)
        stats |= {entry.path: None for entry in index.catalog.below(folder) if seen.covers(entry.path)}
        stats |= files
    look = _looker(store)
    for path in paths:
        if layout.is_note(path) and not walk.ignored(path) and _is_utf8(path):
            try:
                stats[path] = look(path)
            except RootGone:
                raise
            except UnavailableError:
                continue  # nothing can be said of it now; the next scan will
    with index.changing():
        report = _apply(store, index, stats, None, ahead)
    return report._replace(seconds=time.perf_counter() - started, seen=len(stats))


def _same(entry: Entry, stat: Stat) -> bool:
    return (entry.mtime_ns, entry.size, entry.ino) == (stat.mtime_ns, stat.size, stat.ino)


def _apply(
    store: Store, index: Index, stats: Mapping[str, Stat | None], progress: Callable[[int, int], None] | None,
    ahead: Known = _NOTHING,
) -> Report:  # fmt: skip
    work = _Work(store, index, ahead)
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

    def __init__(self, store: Store, index: Index, ahead: Known) -> None:
        self._store, self._index, self._ahead = store, index, ahead
        self._gone: dict[str, Entry] = {}
        self._read: dict[str, Read] = {}
        self._ids: set[str] = set()
        self._folds: set[str] = set()
        self._new: set[int] = set()
        """Numbers given out here, which no index knows anything of yet"""
        self._claims: dict[str, list[Entry]] | None = {} if index.catalog.is_empty() else None
        """Who claims which id, where the catalog knows nothing but what is put into it here"""
        self._tags: list[tuple[str, Tag | None, Tag]] = []
        self._added = self._modified = self._moved = self._removed = 0

    def _at(self, path: str) -> Entry | None:
        return self._index.catalog.at(path) if self._claims is None else None  # in a first build each path comes once

    def _with_id(self, note_id: str) -> list[Entry]:
        claims = self._claims.get(note_id, ()) if self._claims is not None else ()
        return list(claims) if len(claims) == 1 else self._index.catalog.with_id(note_id)

    def lose(self, path: str) -> None:
        """Note that a path is not there any more."""
        entry = self._at(path)
        if entry:
            self._gone[path] = entry
            self._ids.add(entry.id)
            self._folds.add(entry.folded)

    def see(self, path: str, stat: Stat, *, anyway: bool = False) -> None:
        """Note a file; read it unless it is known as it is, or `anyway`."""
        entry = self._at(path)
        if entry and _same(entry, stat) and not anyway:
            return
        try:
            ahead = self._ahead.get(path)
            holds = ahead and (ahead.stat, ahead.plain_notes) == (stat, self._store.plain_notes)
            read = ahead if ahead and holds else _read(self._store, path, stat)
        except NotFoundError:
            _look(self._store, path)  # raises when it is the whole vault that went away
            self.lose(path)
            return
        self._read[path] = read
        if entry is None or entry.etag != read.etag:
            self._put(path, read, entry)
            return
        mtime_ns, size, ino = read.known
        self._index.catalog.touch([entry._replace(mtime_ns=mtime_ns, size=size, ino=ino)])
        if read.note and read.note.ages_with_file:
            self._ids.add(entry.id)

    def _put(self, path: str, read: Read, entry: Entry | None) -> None:
        found = read.note
        note_id, kind = (found.id, found.kind) if found else ("", "")
        if read.broken and entry:
            note_id, kind = entry.id, entry.kind  # its last good state stays recallable
        origin = entry or self._origin(note_id)
        self._modified += bool(entry)
        self._moved += bool(origin and not entry)
        self._added += not origin
        if origin and (origin.id, origin.kind) != (note_id, kind):
            self._ids.add(origin.id)
            self._clear(origin)
            self._index.catalog.set_problems(path, "id", ())
        fresh = Entry(origin.num if origin else 0, path, note_id, kind, *read.known, read.etag, fold_path(path))
        num = self._index.catalog.put(fresh)
        if origin is None:
            self._new.add(num)
        if self._claims is not None:
            self._claims.setdefault(note_id, []).append(fresh._replace(num=num))
        self._index.catalog.set_problems(path, "note", read.problems)
        if entry is None:  # a note that was there has the twins it had
            self._folds.add(fresh.folded)
        self._ids.add(note_id)
        if origin and origin.path != path:
            self._index.catalog.clear_problems(origin.path)
            self._index.pool.move(num, path)

    def _origin(self, note_id: str) -> Entry | None:
        """Find the entry a note came from when it was moved: same id, and its old path is gone."""
        if not note_id or self._claims is not None:
            return None
        for entry in self._index.catalog.with_id(note_id):
            if entry.path in self._gone or self._is_gone(entry.path):
                self._gone.pop(entry.path, None)
                self._folds.add(entry.folded)
                return entry
        return None

    def _is_gone(self, path: str) -> bool:
        try:
            return _look(self._store, path) is None
        except RootGone:
            raise
        except UnavailableError:
            return False

    def _owe_card_of(self, note_id: str, link: str) -> None:
        """Have the full text take in the card that an event or overview belongs to."""
        claims = self._with_id(note_id[:-2]) if note_id.endswith(("-e", "-o")) else []
        card = claims[0] if claims else self._index.catalog.resolve(link) if link else None
        if card:
            self._index.owe(card.num)

    def _clear(self, entry: Entry) -> None:
        if entry.kind in ("event", "overview"):
            self._owe_card_of(entry.id, "")
        self._index.drop(entry.num, entry.kind)

    def finish(self) -> Report:
        """Remove what is gone, index what is there, and say what a person should mend."""
        while self._gone or self._ids:
            gone, ids = list(self._gone.values()), sorted(self._ids - {""})
            self._gone, self._ids = {}, set()
            for entry in gone:
                self._removed += 1
                self._clear(entry)
                self._index.catalog.drop(entry.num)
                self._index.catalog.clear_problems(entry.path)
            for note_id in ids:
                self._settle(note_id)
        for folded in sorted(self._suspects()):
            self._check_twins(folded)
        problems = self._index.catalog.problem_count()
        return Report(self._added, self._modified, self._moved, self._removed, problems, tags=tuple(self._tags))

    def _settle(self, note_id: str) -> None:
        """Index the one note that owns an id: the shortest path, then the first; report the others.

        A note that can't be read owns one only while no other note claims it: its id is but a memory. One that
        was a copy while it could be read has left nothing to be remembered by.
        """
        catalog = self._index.catalog
        claims = self._with_id(note_id)
        unread = {entry.path for entry in claims if catalog.is_broken(entry.path)}
        lost = {path for path in unread if catalog.is_copy(path)}
        claims.sort(key=lambda entry: (entry.path in unread, entry.path in lost, len(entry.path), entry.path))
        if not claims or not self._is_as_known(claims[0]):
            return
        owner = claims[0]
        for entry in claims if owner.path in lost else claims[1:]:
            self._clear(entry)
            if entry.path in unread:
                catalog.put(entry._replace(id="", kind=""))
                catalog.set_problems(entry.path, "id", ())
                continue
            twice = Problem(
                entry.path, 0, f"Its id '{note_id}' already belongs to {owner.path}.",
                "Delete this copy, or give it an id of its own.",
            )  # fmt: skip
            catalog.set_problems(entry.path, "id", [twice])
        if owner.path not in lost:
            catalog.set_problems(owner.path, "id", ())
            self._index_note(owner, self._read[owner.path])

    def _is_as_known(self, entry: Entry) -> bool:
        """Read a note that no one has looked at yet; False when that changes who claims its id."""
        if entry.path not in self._read:
            if self._is_gone(entry.path):
                self.lose(entry.path)
            else:
                stat = Stat(entry.mtime_ns, entry.size, entry.ino)
                with suppress(UnavailableError):
                    stat = _look(self._store, entry.path) or stat
                self.see(entry.path, stat, anyway=True)
        return entry.id not in self._ids

    def _index_note(self, entry: Entry, read: Read) -> None:
        found = read.note
        if found is None:
            return
        if found.row:
            self._index.put_card(found.row._replace(num=entry.num), found.terms, fresh=entry.num in self._new)
            self._new.discard(entry.num)
        elif found.pooled:
            if isinstance(found.pooled, Tag):
                self._tags.append((entry.path, self._index.pool.tag(entry.num), found.pooled))
            self._index.put_pooled(entry.num, entry.path, found.pooled)
        elif found.kind in ("event", "overview"):
            self._owe_card_of(found.id, found.card)

    def _suspects(self) -> set[str]:
        """List the folded paths to look at for twins: of many notes that are all new, only those that have one."""
        all_new = not (self._modified or self._moved or self._removed)
        return self._folds & self._index.catalog.twinned() if all_new and self._added > MANY else self._folds

    def _check_twins(self, folded: str) -> None:
        twins = self._index.catalog.with_folded(folded)
        for entry in twins:
            twin = Problem(
                entry.path, 0, f"Its name differs from {twins[0].path} by case or accent form alone.",
                "Rename one: many systems take them for one file.",
            )  # fmt: skip
            self._index.catalog.set_problems(entry.path, "twin", [twin] if entry is not twins[0] else [])


def _read(store: Store, path: str, stat: Stat) -> Read:
    """Read a file as a note, a plain note, or a problem; NotFoundError when it has gone meanwhile."""
    name, now, plain_notes = path.rsplit("/", 1)[-1], time.time_ns(), store.plain_notes
    try:
        raw, etag = store.read(path)
    except BadNoteError as error:
        return Read(f"too large {stat}", stat, now, plain_notes, None, (error.problem,), broken=True)
    except (RefusedError, UnavailableError) as error:
        problem = Problem(path, 0, error.what, error.mend)
        return Read(f"{_UNREAD}{stat}", stat, now, plain_notes, None, (problem,), broken=True)
    if walk.conflict_copy(name):
        problem = Problem(
            path, 0, "A sync tool left this conflict copy.", "Merge what you want to keep, then delete it."
        )
        return Read(etag, stat, now, plain_notes, None, (problem,))
    try:
        found = note.parse(raw, path, fallback_name=name.removesuffix(".md"))
        if found is None and plain_notes:
            found = plain.read(raw, path)
        return Read(etag, stat, now, plain_notes, distil.gist(found, stat.mtime_ns) if found else None)
    except BadNoteError as error:
        return Read(etag, stat, now, plain_notes, None, (error.problem,), broken=True)
