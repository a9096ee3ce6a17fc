"""`memkit demo`: the whole story on a copy of the example vault, printed step by step."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kit import shipped
from kit.app import Kit
from kit.cli.ask import bold, counts, dim
from kit.operations import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kit.app import Context
    from kit.model.hits import Hit

_PROMPT = "I like concise code with clear names"
_ANSWER = "Got it, noted: short functions, names that say what they hold."
_QUESTION = "what should I watch for when writing code?"
_EDITED = "Prefers concise code, clear names, and no abbreviations at all."


def tell(keep: Path | None, *, as_json: bool) -> None:
    """Copy the example vault, live through a day on it, and print each step with its outcome."""
    steps: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="memkit-demo-") as scratch:
        root = keep or Path(scratch) / "vault"
        shutil.copytree(shipped.folder("vault-example"), root, dirs_exist_ok=True)
        with _cache_in(Path(scratch) / "cache"), Kit(root) as kit:
            for title, said, outcome in _steps(kit):
                steps.append({"step": title, "says": said, "outcome": plain(outcome)})
                if not as_json:
                    _print(len(steps), title, said)
    if as_json:
        click.echo(json.dumps(steps, ensure_ascii=False))
    elif keep:
        click.echo(dim(f"The vault is yours to look at: {root}"), err=True)


@contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Have what is derived lie where it goes away with the demo."""
    before = os.environ.get("MEMKIT_CACHE")
    os.environ["MEMKIT_CACHE"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["MEMKIT_CACHE"]
        else:
            os.environ["MEMKIT_CACHE"] = before


def _steps(kit: Kit) -> Iterator[tuple[str, list[str], object]]:
    status = kit.status()
    yield (
        "A vault of plain Markdown",
        [f"notes: {_counted(status['notes'])}", f"problems: {status['problems']}"],
        status,
    )

    framed = kit.frame(_PROMPT, tags=["code-style"], scene="work/code-review")
    yield "At the prompt, a pending card", [f'memkit frame "{_PROMPT}" --tag code-style', framed.path], framed

    done = kit.complete(framed.id, _ANSWER)
    yield "At the answer, the card is completed", [f"summary: {done.summary}", f"event: {done.event}"], done

    found = kit.explain(_QUESTION)
    lines = [f'memkit recall "{_QUESTION}" --explain']
    for hit, says in zip(found.recall.hits[:3], found.says[:3], strict=True):
        lines.append(f"{hit.score:.2f}  {says}")
        lines += [f"      {reason}" for reason in hit.reasons]
    yield "Recall, and why (a score ends at 1.00)", lines, found.recall

    file = kit.root / done.path
    file.write_text(file.read_text(encoding="utf-8").replace(done.summary, _EDITED), encoding="utf-8")
    again = kit.explain(_QUESTION)
    yield "You edit the note in any editor: that is what is remembered", _edited(again, done.path), again

    fact = kit.remember("Reports go in tables", category="preference", importance=4)
    yield "A lasting preference", ['memkit remember "Reports go in tables"', fact.path if fact else ""], fact

    chinese = kit.explain("标签池管理是怎么设计的？")
    yield "In Chinese, without spaces", [f"{hit.score:.2f}  {says}" for hit, says in _pairs(chinese)], chinese.recall

    silent = kit.explain("thanks, that's great!")
    yield "Chit-chat gets nothing", [silent.delivery.text or "(nothing is injected)"], silent.recall

    deep = kit.explain("how did we set the nginx timeout, step by step?", route="medium", tokens=400)
    yield "What a hook would put into the context", deep.delivery.text.splitlines(), deep.delivery

    problems = kit.doctor()
    yield "And all is well", [str(problem) for problem in problems] or ["memkit doctor: no problem"], problems


def _edited(found: Context, path: str) -> list[str]:
    """Say what recall tells of one note."""
    told = zip(found.recall.hits, found.says, strict=True)
    return [line for hit, says in told if hit.path == path for line in (f"{path}", f"{hit.score:.2f}  {says}")]


def _counted(found: object) -> str:
    return counts(found) if isinstance(found, dict) else str(found)


def _pairs(found: Context) -> list[tuple[Hit, str]]:
    return list(zip(found.recall.hits[:3], found.says[:3], strict=True))


def _print(number: int, title: str, said: list[str]) -> None:
    click.echo(f"{bold(f'{number}. {title}')}")
    for line in said:
        click.echo(f"   {line}")
    click.echo()
