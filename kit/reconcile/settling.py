"""What was seen and lost, put into every index once it is settled which note owns which id."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from kit.errors import NotFoundError, Problem, UnavailableError
from kit.index.catalog import Entry, fold_path
from kit.model.notes import Tag
from kit.reconcile.differences import look_at
from kit.reconcile.reading import read_one
from kit.reconcile.report import Report
from kit.vault.walk import RootGone, Stat

if TYPE_CHECKING:
    from kit.index.reflection import Index
    from kit.reconcile.reading import Known, Read
    from kit.vault.store import Store

MANY = 1000
"""New notes from which on one look at the whole catalog is less work than one for each."""


class Work:
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
        self._cards: list[tuple[str, str]] = []
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
            read = ahead if ahead and holds else read_one(self._store, path, stat)
        except NotFoundError:
            look_at(self._store, path)  # raises when it is the whole vault that went away
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
            return look_at(self._store, path) is None
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
        return Report(
            self._added, self._modified, self._moved, self._removed, problems, tags=tuple(self._tags),
            cards=tuple(self._cards),
        )  # fmt: skip

    def _settle(self, note_id: str) -> None:
        """Index the one note that owns an id: whose name bears it, the shortest path, the first; report the others.

        A note that can't be read owns one only while no other note claims it: its id is but a memory. One that
        was a copy while it could be read has left nothing to be remembered by.
        """
        catalog = self._index.catalog
        claims = self._with_id(note_id)
        unread = {entry.path for entry in claims if catalog.is_broken(entry.path)}
        lost = {path for path in unread if catalog.is_copy(path)}
        claims.sort(
            key=lambda entry: (
                entry.path in unread, entry.path in lost, note_id not in entry.path.rpartition("/")[2],
                len(entry.path), entry.path,
            )
        )  # fmt: skip
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
                    stat = look_at(self._store, entry.path) or stat
                self.see(entry.path, stat, anyway=True)
        return entry.id not in self._ids

    def _index_note(self, entry: Entry, read: Read) -> None:
        found = read.note
        if found is None:
            return
        if found.row:
            before = self._index.features.row(entry.num) if entry.num not in self._new else None
            if before and before.kind == "card":
                self._cards.append((entry.path, before.shown))
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


def _same(entry: Entry, stat: Stat) -> bool:
    return (entry.mtime_ns, entry.size, entry.ino) == (stat.mtime_ns, stat.size, stat.ino)
