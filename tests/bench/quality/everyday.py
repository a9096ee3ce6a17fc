"""Prompts of every day, that no memory can help with: how often is something injected, and at what price?

Law: what is asked is in `everyday.jsonl`, written for this; none of it is about what the vaults hold.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kit.app import Kit
from tests.bench import measure
from tests.bench.quality import asking, form, runner, writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.bench.quality.asking import Injected
    from tests.bench.quality.runner import Options

PROMPTS = Path(__file__).with_name("everyday.jsonl")
MORE = Path(__file__).with_name("everyday-more.jsonl")
"""Written later, and asked apart: what was learned from the first is to hold on these."""
LATEST = Path(__file__).with_name("everyday-latest.jsonl")
"""Written last, short commands and questions on tools among them; the first 146 were looked at, the rest only asked."""
WORST = 12


class Prompt(NamedTuple):
    """One prompt."""

    prompt: str
    kind: str
    language: str


def prompts(file: Path = PROMPTS) -> list[Prompt]:
    """Read the prompts."""
    return [Prompt(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def report(source: Path, options: Options) -> dict[str, Any]:
    """Ask every prompt of a vault (a copy of it) or of one made from a file; print what was injected."""
    return {"source": str(source), "sets": [_report(source, file, options) for file in (PROMPTS, MORE, LATEST)]}


def _report(source: Path, file: Path, options: Options) -> dict[str, Any]:
    asked = prompts(file)
    given = ask(source, asked, options)
    groups = {"all": given}
    for prompt, one in zip(asked, given, strict=True):
        groups.setdefault(f"{prompt.kind} {prompt.language}", []).append(one)
    rows = [_row(name, ones) for name, ones in groups.items()]
    heads = ("prompts", "n", "thought useful", "injected", "tokens a prompt", "p50 ms", "p99 ms")
    measure.show(f"{file.stem}, over {source.name}", heads, rows)
    loud = sorted(
        ((one, prompt) for prompt, one in zip(asked, given, strict=True) if one.ids), key=lambda pair: -pair[0].tokens
    )
    for one, prompt in loud[:WORST]:
        print(f"  {one.tokens:4} tokens for {prompt.kind} {prompt.prompt[:70]!r}: {one.text.splitlines()[1][:110]}")
    return {
        "prompts": file.name,
        "rows": [dict(zip(heads, row, strict=True)) for row in rows],
        "loud": [{**prompt._asdict(), "tokens": one.tokens, "text": one.text} for one, prompt in loud],
    }


def ask(source: Path, asked: Sequence[Prompt], options: Options) -> list[Injected]:
    """Ask as a hook does, a day after the newest memory."""
    with (
        tempfile.TemporaryDirectory(prefix="quality-") as made,
        asking.apart(Path(made), MEMKIT_INDEX_ENGINE=options.engine),
    ):
        vault = Path(made) / "vault"
        if source.is_dir():
            shutil.copytree(source, vault)
        else:
            runner.fill(vault, form.read(source))
        with Kit(vault) as kit:
            kit.sync()
            writing.read_words(kit)
            newest = max((row.created for row in kit.index.features.rows().values()), default=0.0)
        now = datetime.fromtimestamp(newest).astimezone() + timedelta(days=1)
        with asking.opened(vault, now) as kit:
            writing.read_words(kit)
            return [asking.inject(kit, each.prompt, now) for each in asked]


def _row(name: str, given: Sequence[Injected]) -> tuple[str, int, float, float, float, float, float]:
    times = measure.spread([one.ms for one in given])
    return (
        name, len(given), asking.mean([float(one.useful) for one in given]),
        asking.mean([float(bool(one.ids)) for one in given]), asking.mean([float(one.tokens) for one in given]), *times,
    )  # fmt: skip
