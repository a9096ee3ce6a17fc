"""What single turns say one likes or does, gathered into one fact a key: surer when said again, superseded when not."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.transfer.pieces import Saying

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from kit.vault.note import Value

_SURER, _SUREST, _LEAST = 0.05, 0.95, 0.4
_SOURCES = 20
"""Cards a fact names as its sources at most, the newest."""


class Like(NamedTuple):
    """One preference of one turn."""

    at: datetime
    key: str
    value: str
    confidence: float
    scenes: tuple[str, ...]
    source: str
    """origin of the turn"""
    says: str = ""
    """the sentence; empty: key and value say it"""
    category: str = "preference"
    project: str = ""


def sayings(name: str, likes: Iterable[Like]) -> Iterator[Saying]:
    """Make one fact of all that have one key and project; those below 0.4 are too unsure to be kept."""
    by_key: dict[str, list[Like]] = {}
    for like in likes:
        if like.confidence >= _LEAST:
            by_key.setdefault("/".join(filter(None, (text.key(like.project), text.key(like.key)))), []).append(like)
    for key, said in by_key.items():
        yield _one(f"{name}:preference:{key}", sorted(said, key=lambda like: (like.at, like.source)))


def _one(origin: str, said: list[Like]) -> Saying:
    first, last = said[0], said[-1]
    confidence, since = first.confidence, first.at
    earlier: list[str] = []
    for before, like in pairwise(said):
        if text.key(before.value or before.says) == text.key(like.value or like.says):
            confidence = min(_SUREST, confidence + _SURER)
        else:
            earlier.insert(0, f"{since:%Y-%m-%d} to {like.at:%Y-%m-%d}: {_sentence(before)}")
            confidence, since = like.confidence, like.at
    keys: dict[str, Value | None] = {
        "category": last.category, "key": last.key or None, "value": last.value or None,
        "project": last.project or None, "confidence": round(min(_SUREST, confidence), 2),
        "scenes": tuple(dict.fromkeys(scene for like in said for scene in like.scenes)) or None,
        "hits": len(said) - 1, "updated": last.at,
    }  # fmt: skip
    sources = tuple(dict.fromkeys(like.source for like in said))[-_SOURCES:]
    return Saying(origin, first.at, _sentence(last), keys, tuple(earlier), sources)


def _sentence(like: Like) -> str:
    """Say a preference: its sentence, else its value, led by its key where that says more."""
    if like.says:
        return like.says
    if text.key(like.key) in text.key(like.value):
        return like.value
    return f"{like.key}{'：' if text.is_cjk(like.key + like.value) else ': '}{like.value}"
