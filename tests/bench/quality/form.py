"""The plain form every data set is brought into: JSON Lines, one file a vault, memories and questions.

Law: what a line says is all there is. A line that is neither, or lacks what it needs, is named with its number.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ADVERSARIAL = "adversarial"
"""Questions of this category are counted apart and never in the row of all."""


class Memory(NamedTuple):
    """Something that happened or holds."""

    id: str
    time: datetime
    user: str = ""
    agent: str = ""
    kind: str = "turn"
    """turn or fact"""
    topic: str = ""
    project: str = ""
    speaker: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    """other words for its first tag"""
    superseded_by: str = ""
    until: datetime | None = None
    """since when it no longer holds"""
    covers: tuple[str, ...] = ()
    """ids of evidence that it holds besides its own"""

    @property
    def says(self) -> str:
        """What was said first."""
        return self.user or self.agent


class Question(NamedTuple):
    """Something asked, and what should come back."""

    id: str
    text: str
    expected: tuple[str, ...] = ()
    time: datetime | None = None
    """when it is asked; else a day after the last memory"""
    history: tuple[str, ...] = ()
    topic: str = ""
    project: str = ""
    category: str = ""
    allowed: tuple[str, ...] = ()
    """what may come back as well without being wrong"""


class Material(NamedTuple):
    """One vault's memories and the questions about it."""

    name: str
    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]

    def asked_at(self, question: Question) -> datetime:
        """Tell when a question is asked."""
        if question.time:
            return question.time
        last = max((memory.time for memory in self.memories), default=datetime.fromisoformat("2026-01-01T12:00:00Z"))
        return last + timedelta(days=1)


_LISTS = ("tags", "aliases", "covers", "expected", "history", "allowed")
_TIMES = ("time", "until")


def read(file: Path) -> Material:
    """Read a file; raise ValueError that names the line."""
    memories: list[Memory] = []
    questions: list[Question] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = _typed(json.loads(line))
            if "memory" in row:
                memories.append(_memory(row))
            else:
                questions.append(Question(id=row.pop("question"), **row))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{file.name}, line {number}: this is no memory and no question ({error}).") from error
    return Material(file.stem, tuple(memories), tuple(questions))


def write(folder: Path, material: Material) -> Path:
    """Write a vault's file; what is empty is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{material.name}.jsonl"
    rows = [*_rows("memory", material.memories), *_rows("question", material.questions)]
    file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return file


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    for name in _LISTS:
        if name in row:
            row[name] = tuple(row[name])
    for name in _TIMES:
        if row.get(name):
            at = datetime.fromisoformat(row[name])
            row[name] = at if at.tzinfo else at.astimezone()
    return row


def _memory(row: dict[str, Any]) -> Memory:
    memory = Memory(id=row.pop("memory"), **row)
    if not memory.says.strip():
        raise ValueError("it has no text")
    if memory.kind not in ("turn", "fact"):
        raise ValueError(f"'{memory.kind}' is neither turn nor fact")
    return memory


def _rows(name: str, values: Iterable[Memory | Question]) -> Iterable[dict[str, Any]]:
    for value in values:
        row = {key: each for key, each in value._asdict().items() if each}
        row = {key: each.isoformat() if isinstance(each, datetime) else each for key, each in row.items()}
        if isinstance(value, Question):
            row |= {"text": value.text, "expected": value.expected}  # an empty one says something
        yield {name: row.pop("id"), **row}
