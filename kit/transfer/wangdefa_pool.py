"""The tag pool and the scenes of Wangdefa.Memory, read from its SQLite files.

The password book says which card bears which tag where a card does not say so itself; feature counters are derived
and stay behind.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from kit import text
from kit.errors import Problem
from kit.model.notes import TagStatus
from kit.transfer import wangdefa_words as terms
from kit.transfer.pieces import Setting, Word
from kit.transfer.reading import moment, pick, saved_at, table, word, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from kit.transfer.reading import Row

POOL, SCENES = "feature_pool.db", "scene_store.db"
_SOURCES = {"system": "system", "user": "person", "auto": "rules", "ai": "agent"}


class Pool(NamedTuple):
    """What the databases hold."""

    words: tuple[Word, ...] = ()
    settings: tuple[Setting, ...] = ()
    borne: Mapping[str, tuple[str, ...]] = {}
    """names of the tags of each card, by the password book"""
    problems: tuple[Problem, ...] = ()


def read(base: Path) -> Pool:
    """Read tags, scenes and the password book."""
    problems: list[Problem] = []
    file = base / POOL
    tags = _good(table(file, "tag_dictionary", POOL), problems)
    names = {word(row, "code"): word(row, "tag") for row in tags if word(row, "code")}
    fallback = saved_at(file)
    found: list[Word] = []
    for place, row in enumerate(tags, 1):
        if not text.key(word(row, "tag")):
            where = f"{POOL} tag_dictionary row {place}"
            problems.append(Problem(where, 0, "This tag has no name with a letter.", "It was skipped."))
            continue
        at = moment(pick(row, "created_at")) or fallback
        found.append(
            Word(
                f"wangdefa:tag:{word(row, 'tag')}", at, word(row, "tag"), word(row, "code"), _status(row),
                _definitions(word(row, "definition")), _dimensions(row),
                tuple(alias for alias in words(row, "synonyms") if text.key(alias)),
                _relations(row, names), names.get(word(row, "merged_to"), word(row, "merged_to")),
                _SOURCES.get(word(row, "source"), "system"), moment(pick(row, "updated_at")),
            )
        )  # fmt: skip
    borne: dict[str, list[str]] = {}
    for row in _good(table(file, "password_book", POOL), problems):
        if name := names.get(word(row, "code")):
            borne.setdefault(word(row, "card_id"), []).append(name)
    return Pool(
        tuple(found), tuple(_scenes(base / SCENES, problems)),
        {card: tuple(tags) for card, tags in borne.items()}, tuple(problems),
    )  # fmt: skip


def _good(found: Iterable[Row | Problem], problems: list[Problem]) -> list[Row]:
    """Take the rows and put the problems aside."""
    good: list[Row] = []
    for each in found:
        if isinstance(each, Problem):
            problems.append(each)
        else:
            good.append(each)
    return good


def _status(row: Row) -> TagStatus:
    found = word(row, "status")
    return cast("TagStatus", found) if found in get_args(TagStatus) else "active"


def _definitions(joined: str) -> tuple[str, ...]:
    """Take apart what was joined: several definitions stand in one text."""
    return tuple(dict.fromkeys(one.strip() for one in re.split(r",\s|[，;；]", joined) if one.strip()))


def _dimensions(row: Row) -> tuple[str, ...]:
    found = (terms.DIMENSIONS.get(each, each) for each in words(row, "dimensions"))
    return tuple(dict.fromkeys(each for each in found if each in terms.DIMENSIONS.values()))


def _relations(row: Row, names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Read related codes: objects with a level, or bare codes of an older version, which count as related."""
    found: object = []
    with suppress(ValueError):
        found = json.loads(word(row, "related_codes") or "[]")
    related: dict[str, str] = {}
    for each in found if isinstance(found, list) else []:
        code = word(each, "Code") if isinstance(each, dict) else each if isinstance(each, str) else ""
        level = word(each, "Level").lower() if isinstance(each, dict) else ""
        if name := names.get(code):
            related[name] = level if level in terms.LEVELS else "related"
    return tuple((level, name) for name, level in related.items())


def _scenes(file: Path, problems: list[Problem]) -> Iterable[Setting]:
    fallback = saved_at(file)
    for row in _good(table(file, "scene_dictionary", SCENES), problems):
        main, sub = terms.scene(word(row, "category"), word(row, "sub"))
        if text.slug(main):
            own = dict.fromkeys((word(row, "sub") or word(row, "category"), *words(row, "synonyms")))
            aliases = tuple(name for name in own if name and text.key(name) != text.key(sub or main))
            status = "deprecated" if word(row, "status") == "deprecated" else "active"
            at = moment(pick(row, "created_at")) or fallback
            yield Setting(f"wangdefa:scene:{main}/{sub}", at, main, sub, aliases, status)
