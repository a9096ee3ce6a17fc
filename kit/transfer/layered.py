"""The three files of dsh-layered-memory: `transient.json`, `episodic.json`, `semantic.json`.

What a person said in passing becomes a transient card, a session a summary note, a lasting fact a fact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from kit import text
from kit.errors import Problem
from kit.model.notes import Category
from kit.transfer.pieces import Saying, Topic, Turn
from kit.transfer.reading import json_of, moment, number, pick, saved_at, word, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.transfer.pieces import Reading
    from kit.transfer.reading import Row
    from kit.vault.note import Value

FILES = ("semantic.json", "episodic.json", "transient.json")
_MOST, _LEAST, _USUAL = 5, 1, 3
_SURE = 0.8
_MANY = 1e6
"""More of anything is no count but a slip."""


def fits(source: Path) -> bool:
    """Tell whether a folder holds such files."""
    return source.is_dir() and any((source / name).is_file() for name in FILES)


def read(source: Path) -> Reading:
    """Read the three files."""
    for name in FILES:
        file = source / name
        if not file.is_file():
            continue
        found = json_of(file, name)
        if isinstance(found, Problem):
            yield found
            continue
        layer = name.removesuffix(".json")
        for place, entry in _entries(found):
            where = f"{name}[{place}]"
            says = word(entry, "text", "content") if isinstance(entry, dict) else ""
            if not isinstance(entry, dict) or not (says or words(entry, "points")):
                yield Problem(where, 0, "This record has no text.", "It was skipped.")
            elif layer == "semantic":
                yield _fact(entry, says, file)
            else:
                yield _memory(entry, says, layer, file)


def _entries(found: object) -> Iterator[tuple[str, object]]:
    """Go through the records: a list, a list in an object, or an object of them."""
    if isinstance(found, dict):
        lists = [value for value in found.values() if isinstance(value, list)]
        if not lists and all(isinstance(value, dict) for value in found.values()):
            yield from found.items()
            return
        found = lists[0] if lists else [found]
    for place, entry in enumerate(found if isinstance(found, list) else [found]):
        yield str(place), entry


def _id(entry: Row, says: str) -> str:
    return word(entry, "id") or f"{pick(entry, 'ts')} {says[:80]}"


def _importance(entry: Row) -> int:
    return int(min(_MOST, max(_LEAST, number(entry, "importance", _USUAL))))


def _count(entry: Row, name: str) -> int:
    return int(min(_MANY, max(0.0, number(entry, name))))


def _fact(entry: Row, says: str, file: Path) -> Saying:
    at = moment(pick(entry, "ts", "createdAt")) or moment(pick(entry, "updatedAt")) or saved_at(file)
    category = word(entry, "category")
    keys: dict[str, Value | None] = {
        "category": category if category in get_args(Category) else "other" if category else "fact",
        "importance": _importance(entry),
        "confidence": _SURE,
        "hits": _count(entry, "hits"),
        "tags": words(entry, "tags") or None,
        "updated": moment(pick(entry, "updatedAt")) or at,
        "session": word(entry, "sessionId") or None,
    }
    return Saying(f"layered:{_id(entry, says)}", at, " ".join(says.split()), keys)


def _memory(entry: Row, says: str, layer: str, file: Path) -> Turn | Topic:
    at = moment(pick(entry, "ts", "createdAt")) or moment(pick(entry, "updatedAt")) or saved_at(file)
    origin, session, saved = f"layered:{_id(entry, says)}", word(entry, "sessionId"), moment(pick(entry, "updatedAt"))
    keys: dict[str, Value | None] = {
        "topic": session or None, "importance": _importance(entry), "tags": words(entry, "tags") or None,
    }  # fmt: skip
    if layer == "transient":
        keys |= {"layer": layer, "harness": "dsh"}
        return Turn(origin, at, user=says, says=text.first_sentence(says), ended=at, keys=keys)
    title, points = word(entry, "sessionTitle", "title"), words(entry, "points")
    body = says + ("\n\n" + "\n".join(f"- {point}" for point in points) if points else "")
    keys |= {"updated": saved or at, "turns": _count(entry, "messageCount") or None}
    return Topic(origin, at, title or text.first_sentence(says or points[0], 60), body.strip(), keys)
