"""MADial-Bench (children's talks, Chinese and English): which of one's own memories a reply should call up.

Each user's memories are a vault; the talk up to the reply under test is the prompt with its earlier turns.
Whose a memory is stands only in the Chinese file; its numbers are those of the English one.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.bench.quality.form import Material, Memory, Question

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LINE = re.compile(r"\s*<(?P<who>[^>]*)>:?\s*[\"“]?(?P<says>.*?)[\"”]?\s*", re.DOTALL)
_NOON = "T12:00:00+00:00"


def load(folder: Path) -> Iterator[Material]:
    """Read both languages; one vault for each user and language."""
    owners = {number: told["user-id"] for number, told in _memories(folder / "zh-memory.json").items()}
    for language in ("zh", "en"):
        memories = _memories(folder / f"{language}-memory.json")
        (talks,) = folder.glob(f"{language}-dialogue*.json")
        asked = json.loads(talks.read_text(encoding="utf-8"))
        for user in sorted(set(owners.values())):
            own = {number: told for number, told in memories.items() if owners.get(number) == user}
            yield Material(
                f"madial-{language}-{user}",
                tuple(_memory(number, told) for number, told in own.items()),
                tuple(_question(at, talk, own) for at, talk in enumerate(asked) if talk["user-id"] == user),
            )


def _memories(file: Path) -> dict[str, dict[str, Any]]:
    return {number: told for each in json.loads(file.read_text(encoding="utf-8")) for number, told in each.items()}


def _memory(number: str, told: dict[str, Any]) -> Memory:
    year, month, day = (int(part) for part in re.findall(r"\d+", told["time"])[:3])
    return Memory(number, datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}{_NOON}"), told["event"])


def _question(at: int, talk: dict[str, Any], own: dict[str, dict[str, Any]]) -> Question:
    said = [_says(line) for line in talk["dialogue"][1 : talk["test-turn"][0]]]
    expected = tuple(str(each) for each in talk["relevant-id"] if str(each) in own)
    return Question(f"d{at}", said[-1], expected, history=tuple(said[:-1]))


def _says(line: str) -> str:
    found = _LINE.fullmatch(line)
    return found["says"] if found else line.strip()
