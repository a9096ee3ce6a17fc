"""A small real vault for tests: write notes with one call each, reconcile, look at what the indexes hold."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from kit import reconcile
from kit.index.reflection import Index
from kit.recall import engine
from kit.recall.query import Query
from kit.vault.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kit.model.hits import Recall

NOW = datetime(2026, 8, 19, 12, 0, tzinfo=UTC)

State = dict[str, object]


def front(keys: Mapping[str, object], body: str) -> bytes:
    """Write a note as a person would."""
    lines = []
    for key, value in keys.items():
        if isinstance(value, (list, tuple)):
            lines += [f"{key}:", *(f'  - "{item}"' for item in value)]
        else:
            lines.append(f"{key}: {value}" if isinstance(value, (int, float)) else f'{key}: "{value}"')
    return ("---\n" + "\n".join(lines) + f"\n---\n{body}\n").encode()


def state(index: Index) -> State:
    """Everything derived, by path and term, without the numbers that are the index's own affair."""
    catalog, pool = index.catalog, index.pool
    paths = {entry.num: path for path, entry in catalog.entries().items()}
    terms: dict[str, set[str]] = {}
    for term, num in index.postings.rows():
        terms.setdefault(term, set()).add(paths[num])
    return {
        "files": {(entry.path, entry.id, entry.kind, entry.etag, entry.folded) for entry in catalog.entries().values()},
        "postings": terms,
        "cards of a term": {term: {paths[num] for num in index.postings.cards(term)} for term in terms},
        "df": {term: count for term, count in index.postings.frequencies().items() if count},
        "features": {paths[num]: row[1:] for num, row in index.features.rows().items()},
        "tags": {held.path: held.tag.model_dump() for held in pool.tags()},
        "scenes": {held.path: held.scene.model_dump() for held in pool.scenes()},
        "problems": sorted(index._db.execute("SELECT sort, path, line, what, mend FROM problems")),
        "names": index.lexicon.names(),
    }


class Vault:
    """A vault in a folder, its store and its index."""

    def __init__(self, home: Path) -> None:
        self.root = home / "vault"
        self.root.mkdir()
        self.home = home
        self.store = Store(self.root)
        self.index = Index(home / "index")
        self._count = 0

    def write(self, path: str, raw: bytes, *, age: float = 3600.0) -> str:
        """Put a file there, last changed `age` seconds before now."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
        at = NOW.timestamp() - age
        os.utime(file, (at, at))
        return path

    def card(self, tags: str = "", *, days: float = 1, says: str = "", path: str = "", **keys: object) -> str:
        """Write a card, `days` old; return its id."""
        self._count += 1
        note_id = str(keys.pop("id", f"c{self._count:05}"))
        values: dict[str, object] = {"id": note_id, "kind": "card", "tags": tags.split(), **keys}
        values.setdefault("created", (NOW - timedelta(days=days)).isoformat())
        self.write(path or f"cards/{note_id}.md", front(values, says or f"Card {note_id}."))
        return note_id

    def fact(self, says: str, tags: str = "", *, days: float = 1, **keys: object) -> str:
        """Write a fact, learned `days` ago; return its id."""
        self._count += 1
        note_id = f"f{self._count:05}"
        values: dict[str, object] = {"id": note_id, "kind": "fact", "tags": tags.split(), **keys}
        values.setdefault("created", (NOW - timedelta(days=days)).isoformat())
        self.write(f"facts/{note_id}.md", front(values, says))
        return note_id

    def tag(self, name: str, *, path: str = "", **keys: object) -> str:
        """Write a tag note; return its path."""
        self._count += 1
        values: dict[str, object] = {"id": f"t{self._count:05}", "kind": "tag", "name": name, **keys}
        return self.write(path or f"tags/{name}.md", front(values, ""))

    def scan(self) -> reconcile.Report:
        """Bring the index in step."""
        return reconcile.scan(self.store, self.index)

    def rebuilt(self, root: Path | None = None) -> State:
        """Tell what an index made anew holds, of this vault or of another."""
        fresh = Index(self.home / "fresh")
        try:
            reconcile.scan(Store(root or self.root), fresh)
            return state(fresh)
        finally:
            fresh.close()
            Index.remove(fresh.folder)

    def ask(self, text: str, *, now: datetime = NOW, **more: object) -> Recall:
        """Recall."""
        query = Query(text, now)._replace(**more)  # type: ignore[arg-type]  # names of Query's own fields
        return engine.recall(self.index, query)

    def ids(self, text: str, *, now: datetime = NOW, **more: object) -> list[str]:
        """Recall, and name only what was found."""
        return [hit.id for hit in self.ask(text, now=now, **more).hits]
