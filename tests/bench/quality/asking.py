"""Questions put to a vault: once for the ranking, once as a search, once exactly as a hook does.

Law: every answer comes from the product's own recall; what is measured is only counted here.
"""

from __future__ import annotations

import math
import os
from contextlib import contextmanager
from itertools import starmap
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from kit.app import Kit
from kit.reconcile import Report
from tests.bench.quality import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from tests.bench.quality.form import Material, Question

DEPTH = 20
"""Hits that are looked at in a ranking."""
UNHURRIED_MS = "60000"
"""Time the full text has for a ranking, so that a busy machine does not change its quality."""

Holds = dict[str, frozenset[str]]
"""The memories each note holds."""


class Injected(NamedTuple):
    """What a hook injects for a prompt."""

    useful: bool
    """whether the prompt was thought to need any memory"""
    ids: tuple[str, ...]
    text: str
    tokens: int
    ms: float
    late: bool
    """whether the full text had no time to finish"""


class Outcome(NamedTuple):
    """One question, measured."""

    id: str
    category: str
    scores: dict[str, float]
    """each measure that means something for this question"""
    ms: float
    top: tuple[str, ...]
    """paths of the first five notes, for a person to look at"""


@contextmanager
def apart(home: Path, **settings: str) -> Iterator[None]:
    """Keep everything the kit derives or is told outside a vault in a folder of our own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMKIT_")}
    places = {"MEMKIT_CACHE": str(home / "cache"), "MEMKIT_CONFIG": str(home / "config")}
    with mock.patch.dict(os.environ, kept | places | settings, clear=True):
        yield


@contextmanager
def opened(vault: Path, now: datetime) -> Iterator[Kit]:
    """Open a vault as the daemon has it: told of every file, so nothing is scanned before an answer."""
    with Kit(vault, clock=lambda: now, freshen=Report) as kit:
        yield kit


def rank(kit: Kit, material: Material, question: Question, *, joined: bool) -> list[str]:
    """List the notes recalled for a question, however weak."""
    asked = "\n".join((*question.history, question.text)) if joined else question.text
    found = kit.recall(
        asked, project=question.project, topic=question.topic, limit=DEPTH, threshold=0.0,
        now=material.asked_at(question),
    )  # fmt: skip
    return [hit.id for hit in found.hits]


def search(kit: Kit, material: Material, question: Question) -> list[str]:
    """List what `memkit recall` shows by default."""
    found = kit.recall(question.text, project=question.project, topic=question.topic, now=material.asked_at(question))
    return [hit.id for hit in found.hits]


def inject(kit: Kit, prompt: str, now: datetime, project: str = "", topic: str = "") -> Injected:
    """Do what `kit.sessions` does at a prompt, in a session that was told nothing yet."""
    started = perf_counter()
    found = kit.recall(
        prompt, project=project, topic=topic, now=now, unasked=True,
        limit=kit.config.count("recall.hook_limit"), threshold=kit.config.number("recall.hook_threshold"),
    )  # fmt: skip
    delivery = kit.delivery(found)
    late = any("no time" in remark for remark in found.remarks)
    useful = found.perception.useful
    return Injected(useful, delivery.ids, delivery.text, delivery.tokens, (perf_counter() - started) * 1000, late)


def ask(
    open_kit: Callable[[], Kit], holds: Holds, material: Material, questions: Sequence[Question], *, joined: bool
) -> list[Outcome]:
    """Ask all questions both ways, each way in a kit of its own."""
    with mock.patch.dict(os.environ, {"MEMKIT_RECALL_TEXT_MS": UNHURRIED_MS}), open_kit() as kit:
        ranked = [rank(kit, material, question, joined=joined) for question in questions]
        paths = [_paths(kit, ids[:5]) for ids in ranked]
    with open_kit() as kit:
        searched = [search(kit, material, question) for question in questions]
        injected = [
            inject(kit, question.text, material.asked_at(question), question.project, question.topic)
            for question in questions
        ]
    rows = zip(questions, ranked, searched, injected, paths, strict=True)
    return list(starmap(lambda *row: _outcome(holds, *row), rows))


def _outcome(
    holds: Holds, question: Question, ranked: list[str], searched: list[str], injected: Injected, top: tuple[str, ...]
) -> Outcome:
    expected, allowed = frozenset(question.expected), frozenset(question.allowed)
    scores = metrics.ranking(_held(holds, ranked), expected)
    given = _held(holds, injected.ids)
    right = metrics.right(given, expected)
    wrong = sum(1 for held in given if not held & (expected | allowed))
    scores["exact hook"] = float(metrics.exact(given, expected, allowed))
    scores["exact search"] = float(metrics.exact(_held(holds, searched), expected, allowed))
    scores |= {"injected": float(bool(given)), "tokens": float(injected.tokens), "useful": float(injected.useful)}
    scores["late"] = float(injected.late)
    if right + wrong:
        scores["precision"] = right / (right + wrong)
    if expected:
        found = frozenset().union(*given) if given else frozenset()
        scores["recall hook"] = len(found & expected) / len(expected)
    else:
        scores["silent"] = float(not wrong)
    return Outcome(question.id, question.category, scores, injected.ms, top)


def _held(holds: Mapping[str, frozenset[str]], ids: Iterable[str]) -> list[frozenset[str]]:
    return [holds.get(each, frozenset()) for each in ids]


def _paths(kit: Kit, ids: Iterable[str]) -> tuple[str, ...]:
    found = [kit.index.catalog.with_id(each) for each in ids]
    return tuple(entries[0].path for entries in found if entries)


def mean(values: Sequence[float]) -> float:
    """Take the mean; not a number of none."""
    return sum(values) / len(values) if values else math.nan
