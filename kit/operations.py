"""The operations by name: parameters as JSON gives them in, values that JSON can carry out.

Law: a name here is a method of `Kit`; nothing is decided here. Unknown names and parameters are told, not guessed,
and a value of the wrong type never reaches a note.
"""

from __future__ import annotations

import inspect
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel

from kit.errors import BadInputError
from kit.model.fields import LONGEST, parse_instant
from kit.model.notes import CardStatus, Category, Feedback, Level, Route

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kit.app import Kit

READING = (
    "recall", "explain", "deep_search", "search", "perceive", "book", "features", "tags", "scenes", "scene_cards",
    "facts", "doctor", "status", "log", "settings", "sync", "overview", "full_text", "source_path",
    "tiers.recall", "tiers.stats", "learning.queue", "learning.test",
    "pool.show", "pool.lint", "pool.suggest", "pool.code", "pool.entry", "pool.relations", "pool.is_malformed",
    "desk.page", "desk.memory", "desk.note", "desk.counts", "desk.problems", "desk.graph", "desk.find", "desk.journal",
    "desk.told",
    "transfer.look",
)  # fmt: skip
"""Operations that may be run again without a second thought."""

WRITING = (
    "frame", "complete", "note_told", "note_event", "sink", "remember", "feedback", "forget", "restore", "reindex",
    "tiers.remember", "tiers.commit", "tiers.trim",
    "pool.add", "pool.relate", "pool.activate", "pool.deprecate", "pool.rename", "pool.merge", "pool.split",
    "pool.evolve", "pool.align", "pool.carry_out", "pool.add_scene", "pool.relink", "pool.undo", "pool.clean",
    "pool.learn_next", "learning.one", "desk.edit", "desk.put_away", "desk.clear", "desk.add",
    "transfer.bring", "transfer.take_back", "transfer.carry_out",
)  # fmt: skip

OPERATIONS = READING + WRITING
APART = ("learning.one", "learning.test", "transfer.carry_out")
"""Operations that wait for a model or write for long: they take what they need for as long as they need it."""

_LISTS = frozenset(
    {"tags", "codes", "people", "places", "scenes", "exclude", "definitions", "dimensions", "aliases", "parts", "ids"}
)
_FLAGS = frozenset({"unasked", "dry_run", "everything", "archive", "journal", "force", "finished"})
_MAPS = {("complete", "alignments"), ("pool.align", "tags")}
"""Operations' parameters that are JSON objects."""
_OBJECTS = frozenset({"actions", "facts"})
_NUMBERS = frozenset({"at", "seconds", "importance", "limit", "tokens", "tries", "confidence", "threshold"})
_WHOLE = frozenset({"at", "importance", "limit", "tokens", "tries"})
_CHOICES: dict[str, tuple[str, ...]] = {
    "status": get_args(CardStatus), "category": get_args(Category), "verdict": get_args(Feedback),
    "route": get_args(Route), "level": get_args(Level), "who": ("hook", "learn", "maintain", "person"),
}  # fmt: skip
_OPTIONAL = frozenset({"tags", "alignments", "limit", "threshold", "tokens", "category", "route", "now"})
_NOT_TAKEN = frozenset({"self", "progress"})


def call(kit: Kit, name: str, params: Mapping[str, object]) -> object:
    """Run an operation and return its result as plain JSON values."""
    if name not in OPERATIONS:
        raise BadInputError(f"There is no operation '{name}'.", f"Known: {', '.join(OPERATIONS)}.")
    method: Callable[..., object] = attrgetter(name)(kit)
    known = _taken(getattr(method, "__func__", method))
    if "params" in known:  # `explain` hands the rest on to `recall`
        known = {**_taken(type(kit).recall), **{param: known[param] for param in known if param != "params"}}
    unknown = [param for param in params if param not in known]
    if unknown:
        raise BadInputError(f"'{name}' takes no '{unknown[0]}'.", f"It takes: {', '.join(known)}.")
    missing = [param for param, is_needed in known.items() if is_needed and param not in params]
    if missing:
        raise BadInputError(f"'{name}' needs '{missing[0]}'.", f"It takes: {', '.join(known)}.")
    values = {param: _checked(name, param, value) for param, value in params.items()}
    if isinstance(values.get("now"), str):
        try:
            values["now"] = parse_instant(values["now"])
        except ValueError as error:
            raise BadInputError(f"{error}.") from None
    return plain(method(**values))


@lru_cache(maxsize=2 * len(OPERATIONS))  # looking at a signature takes longer than many an operation
def _taken(function: Callable[..., object]) -> Mapping[str, bool]:
    """Name the parameters of an operation, and whether each must be given."""
    known = inspect.signature(function).parameters
    return {param: what.default is what.empty for param, what in known.items() if param not in _NOT_TAKEN}


def _checked(name: str, param: str, value: object) -> object:
    if value is None and param in _OPTIONAL:
        return None
    if (name, param) in _MAPS:
        good, due = isinstance(value, dict), "an object"
    elif param in _OBJECTS:
        good = isinstance(value, (list, tuple)) and all(isinstance(each, dict) for each in value)
        due = "a list of objects"
    elif param in _CHOICES:
        good, due = value in _CHOICES[param], f"one of {', '.join(each or '``' for each in _CHOICES[param])}"
    elif param in _LISTS:
        good = isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)
        due = "a list of texts"
    elif param in _FLAGS:
        good, due = isinstance(value, bool), "true or false"
    elif param in _NUMBERS:
        kinds = int if param in _WHOLE else (int, float)
        good = isinstance(value, kinds) and not isinstance(value, bool)
        due = "a whole number" if param in _WHOLE else "a number"
    else:
        good, due = isinstance(value, (str, datetime) if param == "now" else str), "text"
    if not good:
        raise BadInputError(f"'{param}' must be {due}, not {value!r:.60}.")
    if isinstance(value, str) and len(value) > LONGEST:
        what = f"'{param}' is {len(value):,} characters long; at most {LONGEST:,} are taken."
        raise BadInputError(what, "Nothing was changed. Give the part that matters, or what it comes to.")
    return value


_LEAVES = frozenset({str, int, float, bool, type(None)})


def plain(value: object) -> object:
    """Turn a value into what JSON can carry: named tuples and models into objects, times into ISO text."""
    if type(value) in _LEAVES:
        return value
    if isinstance(value, tuple) and (names := getattr(value, "_fields", None)):
        if not _LEAVES.issuperset(map(type, value)):
            value = [inner if type(inner) in _LEAVES else plain(inner) for inner in value]
        return dict(zip(names, value, strict=True))
    if isinstance(value, (list, tuple, set, frozenset)):
        return [inner if type(inner) in _LEAVES else plain(inner) for inner in value]
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_defaults=True)
    if isinstance(value, dict):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value
