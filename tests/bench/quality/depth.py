"""How deep a prompt is answered: whether the route is the right one, and what each depth costs and gains.

Law: the labels are those of `tests/perceive`; gains are of the product's own delivery, whatever route it would take.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from kit import text
from kit.model.notes import Route
from kit.perceive.rules import perceive
from tests.bench import measure
from tests.bench.quality import asking, form, runner, writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kit.app import Kit
    from tests.bench.quality.form import Material
    from tests.bench.quality.runner import Options

LABELS = Path(__file__).parents[2] / "perceive"
FILES = ("prompts.jsonl", "prompts-held-out.jsonl", "routes.jsonl", "routes-held-out.jsonl")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ROUTES: tuple[Route, ...] = get_args(Route)


class Gain(NamedTuple):
    """What one question gets at one depth."""

    tokens: int
    evidence: float
    """share of the words of what was expected that stand in the injected text"""


def routes() -> list[dict[str, Any]]:
    """Judge the labelled prompts that need a memory; print and return the accuracy by file, language and route."""
    right: Counter[tuple[str, str, str]] = Counter()
    total: Counter[tuple[str, str, str]] = Counter()
    for name in FILES:
        for line in (LABELS / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("useful", True):
                language = "zh" if text.is_cjk(row["text"]) else "en"
                for at in ((name, language, row["route"]), (name, language, "all")):
                    total[at] += 1
                    right[at] += perceive(row["text"], now=NOW).route == row["route"]
    heads = ("labels", "language", "route", "n", "accuracy")
    rows = [(*at, total[at], right[at] / total[at]) for at in sorted(total)]
    measure.show("route of prompts that need a memory", heads, rows)
    return [dict(zip(heads, row, strict=True)) for row in rows]


def gains(file: Path, options: Options) -> list[dict[str, Any]]:
    """Ask a file's answerable questions at every depth; print and return tokens and evidence."""
    material = form.read(file)
    with (
        tempfile.TemporaryDirectory(prefix="quality-") as made,
        asking.apart(Path(made), MEMKIT_INDEX_ENGINE=options.engine),
    ):
        vault = Path(made) / "vault"
        runner.fill(vault, material)
        asked = [one for one in material.questions if one.expected and one.category != form.ADVERSARIAL]
        with asking.opened(vault, NOW) as kit:
            writing.read_words(kit)
            found = {route: [_gain(kit, material, each, route) for each in asked] for route in ROUTES}
    heads = ("depth", "n", "tokens a question", "evidence told")
    rows = [(route, len(ones), *_means(ones)) for route, ones in found.items()]
    measure.show(f"depth, {material.name}", heads, rows)
    return [{"file": material.name, **dict(zip(heads, row, strict=True))} for row in rows]


def _gain(kit: Kit, material: Material, question: form.Question, route: Route) -> Gain:
    told = kit.recall(
        question.text, project=question.project, topic=question.topic, now=material.asked_at(question), unasked=True,
        limit=kit.config.count("recall.hook_limit"), threshold=kit.config.number("recall.hook_threshold"),
    )  # fmt: skip
    delivery = kit.delivery(told, route)
    said = set(text.terms(delivery.text))
    wanted = {
        word
        for memory in material.memories
        if not {memory.id, *memory.covers}.isdisjoint(question.expected)
        for word in text.terms(f"{memory.user}\n{memory.agent}")
    }
    return Gain(delivery.tokens, len(wanted & said) / len(wanted) if wanted else 0.0)


def _means(ones: Sequence[Gain]) -> tuple[float, float]:
    return asking.mean([float(one.tokens) for one in ones]), asking.mean([one.evidence for one in ones])
