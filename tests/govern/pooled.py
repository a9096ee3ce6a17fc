"""Tags and cards in a laid vault, written as a person writes them: by hand, a while ago."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.small_vault import front

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit
    from kit.model.hits import Hit

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LEVELS = ("synonym", "related", "loose")


def save(file: Path, raw: bytes, *, ago: float = 3600) -> None:
    """Write a file that was last saved so many seconds ago."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(raw)
    at = time.time() - ago
    os.utime(file, (at, at))


def tag(root: Path, name: str, /, *, ago: float = 3600, path: str = "", **keys: object) -> Path:
    """Write a complete tag note; `keys` come in place of what it would have."""
    values: dict[str, object] = {
        "id": f"tag-{name}", "kind": "tag", "code": name, "name": name, "definitions": [f"what {name} is"],
        "dimensions": ["content"],
    }  # fmt: skip
    file = root / (path or f"tags/{name}.md")
    save(file, front({key: value for key, value in {**values, **keys}.items() if value not in ("", [])}, ""), ago=ago)
    return file


def card(root: Path, name: str, tags: str = "", *, days: float = 1, says: str = "", **keys: object) -> Path:
    """Write a completed card, so many days old."""
    values: dict[str, object] = {
        "id": name, "kind": "card", "status": "completed", "created": (NOW - timedelta(days=days)).isoformat(),
        "tags": tags.split(),
    }  # fmt: skip
    file = root / "cards" / f"{name}.md"
    save(file, front({**values, **keys}, says or f"What {name} is about."))
    return file


def edit(file: Path, old: str, new: str, *, ago: float = 3600) -> None:
    """Change a note by hand."""
    text = file.read_bytes().decode()
    assert old in text
    save(file, text.replace(old, new).encode(), ago=ago)


def to(*names: str) -> list[str]:
    """Write links to tags."""
    return [f"[[tags/{name}]]" for name in names]


def hits(kit: Kit, *tags: str, **params: object) -> dict[str, Hit]:
    """Recall by tags; every hit by its id."""
    found = kit.recall("", tags=tags, limit=50, threshold=0.0, now=NOW, **params)  # type: ignore[arg-type]
    return {hit.id: hit for hit in found.hits}


def notes(root: Path) -> dict[str, bytes]:
    """Read every note that is not put away."""
    found = {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*.md")}
    return {path: raw for path, raw in found.items() if not path.startswith("archive/")}


def relations(kit: Kit) -> dict[tuple[str, str], str]:
    """Read off the notes who relates to whom, and how."""
    kit.sync()
    pool = kit.index.pool
    found: dict[tuple[str, str], str] = {}
    for held in pool.tags():
        for num, level in pool.own(held).items():
            other = pool.at_num(num)
            assert other is not None
            found[held.tag.name, other.tag.name] = level
    return found
