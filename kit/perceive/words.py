"""The word table: finds the phrases of `templates/words/perceive.toml` in a text, in one pass.

Law: English is compared by stem and whole word, Chinese, Japanese and Korean character by character; no phrase
reaches over the end of a sentence. A table is built once, and then kept ready-made.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kit import ready, shipped, text
from kit.text import CJK, fold, stem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

STOP = "."
ASK = "?"
FILLERS = frozenset({"filler", "deictic"})
_MARKS = frozenset({STOP, ASK})
_GAP_UNITS = 12
_LONGEST_FILLER = 80
_NOT_STEMMED = 3
_UNIT = re.compile(
    rf"(?:https?://|www\.)[!-~]+|[{CJK}]|(?:[^\W_{CJK}]|\./)+(?:['’.][^\W_{CJK}]+)*(?:\+\+|\#)?|[.!…。！;；\n]|[?？]"
)
_CHOICE = re.compile(r"\(([^()]*)\)")


class Unit(NamedTuple):
    """The smallest thing compared: a stemmed word, one CJK character, or the end of a sentence."""

    key: str
    start: int
    end: int


class Found(NamedTuple):
    """A phrase found: its group (`route`), its name in it (`deep`), the words, first and last unit + 1."""

    group: str
    name: str
    words: str
    at: int
    until: int


Part = frozenset[str] | None
"""One unit of a phrase: what it may be; None is a gap."""


Node: TypeAlias = tuple[dict[str, "Node"], list["Node"], list[tuple[str, str]]]
"""A place in the table: which units lead on, what may follow after a gap (if anything), which labels end here."""


@lru_cache(maxsize=8192)
def _key(word: str) -> str:
    folded = fold(word)
    if folded == ASK:
        return ASK
    if len(folded) == 1 and not folded.isalnum():
        return STOP
    folded = folded.replace("’", "'").removesuffix("'s")
    # the stem of a short word says less than the word: `aws` would be the stem of `awful`
    return stem(folded) if len(folded) > _NOT_STEMMED else folded


def units(text: str) -> list[Unit]:
    """Split a text into units; the first is always the beginning of a sentence. Addresses are left out."""
    found, make = [Unit(STOP, 0, 0)], tuple.__new__  # the named way of making takes three times as long
    for match in _UNIT.finditer(text):
        word = match.group()
        if len(word) > 4 and ("://" in word or word.startswith("www.")):  # noqa: PLR2004 - shorter than any address
            continue
        found.append(make(Unit, (_key(word), *match.span())))
    return found


def _branch(heads: list[list[Part]], options: list[list[Part]]) -> list[list[Part]]:
    """Continue each head with each option; options of one word are held together as one set."""
    single: set[str] = set()
    for option in options:
        single |= (option[0] or set()) if len(option) == 1 else set()
    tails: list[list[Part]] = [[frozenset(single)]] if single else []
    tails += [option for option in options if len(option) != 1 or option[0] is None]
    return [head + tail for head in heads for tail in tails] if tails else heads


def _simple(piece: str) -> list[Part]:
    parts: list[Part] = []
    for bit in re.split(r"(…|\^)", piece):
        if bit == "…":
            parts.append(None)
        elif bit == "^":
            parts.append(frozenset({STOP}))
        else:
            parts += [frozenset({unit.key}) for unit in units(bit)[1:]]
    return parts


def spread(phrase: str) -> list[list[Part]]:
    """Take a phrase apart: one list of parts for each reading that choices of several words make."""
    made: list[list[Part]] = [[]]
    for at, piece in enumerate(_CHOICE.split(phrase)):
        options = piece.split("|") if at % 2 else [piece]
        made = _branch(made, [_simple(option) for option in options])
    return made


def _insert(node: Node, parts: Sequence[Part], label: tuple[str, str]) -> None:
    on, gap, ends = node
    if not parts:
        if label not in ends:
            ends.append(label)
        return
    first, rest = parts[0], parts[1:]
    if first is None:
        if not gap:
            gap.append(new())
        _insert(gap[0], rest, label)
        return
    for key in first:
        _insert(on.setdefault(key, new()), rest, label)


def new() -> Node:
    """Begin a table."""
    return {}, [], []


def add(root: Node, group: str, name: str, phrases: Iterable[str]) -> None:
    """Add phrases to a table."""
    for phrase in phrases:
        for parts in spread(phrase):
            while parts and parts[-1] is None:
                parts.pop()
            if parts and parts[0] is not None:
                _insert(root, parts, (group, name))


class _Shipped(NamedTuple):
    """What the shipped word lists come to."""

    lists: dict[str, dict[str, list[str] | dict[str, list[str]]]]
    table: Node
    fillers: Node


@cache
def _shipped() -> _Shipped:
    file = shipped.folder("templates") / "words" / "perceive.toml"

    def make() -> tuple[object, ...]:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
        kept: dict[object, Node] = {}
        return said, *(_shared(_built(said, fillers=fillers), kept) for fillers in (False, True))

    return _Shipped._make(ready.made("perceive", (file, Path(__file__), Path(text.__file__)), make))


def lists() -> dict[str, dict[str, list[str] | dict[str, list[str]]]]:
    """Read the shipped word lists."""
    return _shipped().lists


def table(*, fillers: bool = False) -> Node:
    """Give the table of the shipped word lists, or that of the words that need no memory.

    Scenes are named `work/coding`.
    """
    return _shipped().fillers if fillers else _shipped().table


def _built(said: dict[str, dict[str, list[str] | dict[str, list[str]]]], *, fillers: bool) -> Node:
    made = new()
    for group, names in said.items():
        if group == "commands" or (group in FILLERS) is not fillers:
            continue
        for name, phrases in names.items():
            if isinstance(phrases, dict):
                for sub, inner in phrases.items():
                    add(made, group, f"{name}/{sub}".removesuffix("/any"), inner)
            else:
                add(made, group, name, phrases)
    return made


def _shared(node: Node, kept: dict[object, Node]) -> Node:
    """Make one place of all from which on the table is the same, which leaves a twelfth; nothing may be added to it."""
    on, gap, ends = {key: _shared(after, kept) for key, after in node[0].items()}, node[1], node[2]
    after_gap = [_shared(after, kept) for after in gap]
    same = frozenset((key, id(after)) for key, after in on.items()), *map(id, after_gap), *ends
    return kept.setdefault(same, (on, after_gap, ends))


def _walk(node: Node, keys: Sequence[str], at: int, ends: dict[tuple[str, str], int]) -> None:
    """Note how far each label reaches that begins before unit `at`; the longest counts."""
    while True:
        on, gap, labels = node
        for label in labels:
            if at > ends.get(label, 0):
                ends[label] = at
        if gap:
            for skip in range(at, min(at + _GAP_UNITS, len(keys))):
                after = gap[0][0].get(keys[skip])
                if after:
                    _walk(after, keys, skip + 1, ends)
                if keys[skip] in _MARKS:
                    break
        further = on.get(keys[at]) if at < len(keys) else None
        if further is None:
            return
        node = further
        at += 1


def scan(text: str, split: Sequence[Unit], roots: Sequence[Node]) -> list[Found]:
    """Find the phrases of these tables; in each group and name the longest wins where they overlap."""
    found: list[Found] = []
    taken: dict[tuple[str, str], int] = {}
    keys = [unit.key for unit in split]
    for at, key in enumerate(keys):
        ends: dict[tuple[str, str], int] = {}
        for root in roots:
            if node := root[0].get(key):
                _walk(node, keys, at + 1, ends)
        for label, end in ends.items():
            if end <= taken.get(label, 0):
                continue
            taken[label] = end
            first = split[at + 1] if key == STOP and at + 1 < end else split[at]
            found.append(Found(*label, text[first.start : split[end - 1].end], at, end))
    return found


def covered(split: Sequence[Unit], root: Node, groups: Collection[str]) -> bool:
    """Tell whether a text is made of nothing but phrases of these groups, numbers and marks."""
    if len(split) > _LONGEST_FILLER:
        return False
    keys = [unit.key for unit in split]
    reached = [True] + [False] * len(keys)
    for at, key in enumerate(keys):
        if not reached[at]:
            continue
        if not any(char.isalpha() for char in key):
            reached[at + 1] = True
        node, end = root[0].get(key), at + 1
        while node:
            on, _, labels = node
            if any(group in groups for group, _ in labels):
                reached[end] = True
            node, end = on.get(keys[end]) if end < len(keys) else None, end + 1
    return reached[-1]
