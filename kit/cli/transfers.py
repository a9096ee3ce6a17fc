"""Commands that carry memories in and out."""

from __future__ import annotations

from pathlib import Path

import click

from kit import config
from kit.cli.ask import Answer, Asker, asking, bold, count, counts, dim, remark
from kit.errors import BadInputError

SOURCES = (
    "auto", "wangdefa", "layered", "claude", "codex", "gemini", "qwen", "copilot", "pi", "markdown", "vault", "json",
)  # fmt: skip
_STRETCH_S, _ALONE_S = 0.5, 600.0
"""Seconds of one stretch of an import: while a daemon answers others in between, and in this process."""
_SHOWN = 20


@click.command("import")
@click.argument("source", required=False, type=click.Path(path_type=Path))
@click.option("--from", "kind", type=click.Choice(SOURCES), default="auto", show_default=True, help="What it is.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, or taken back; write nothing.")
@click.option("--undo", is_flag=True, help="Take the newest import back; notes you changed since stay.")
@asking
def import_(asker: Asker, source: Path | None, kind: str, dry_run: bool, undo: bool) -> None:
    """Bring memories in from SOURCE: another memory, an agent's own files, a folder of notes.

    Nothing in the source is changed, and nothing of yours. What was brought once is never brought again, so an import
    that was broken off is simply run again.
    """
    if undo:
        say = _say_would_go if dry_run else _say_taken_back
        asker.show(asker.ask("transfer.take_back", dry_run=dry_run), say)
        return
    if source is None:
        raise BadInputError("There is nothing to import.", "Name a folder or file: memkit import ~/.claude")
    where = str(source.expanduser().absolute())
    if dry_run:
        asker.show(_look(asker, where, kind), _say_look)
        return
    asker.show(_bring(asker, where, kind), lambda found: _say_brought(found, asker.line("import --undo")))


def _stretch(asker: Asker) -> float:
    return _STRETCH_S if config.load(asker.root).flag("daemon.start") else _ALONE_S


def _look(asker: Asker, where: str, kind: str) -> Answer:
    """Look stretch by stretch, so that others are answered in between."""
    most, run = {"seconds": _stretch(asker)}, ""
    while True:
        told = asker.ask("transfer.look", source=where, kind=kind, run=run, **most)
        if told["finished"]:
            return told
        if run and told["run"] != run:  # no daemon keeps what was seen so far, so it is all to be seen at once
            most = {}
        run = told["run"]
        remark(dim(f"{count(told['pieces'], 'record')} read …"))


def _bring(asker: Asker, where: str, kind: str) -> Answer:
    """Import stretch by stretch, so that others are answered in between."""
    seconds = _stretch(asker)
    total: Answer = {"written": {}, "known": {}, "problems": [], "asides": [], "problem_count": 0}
    at, run = 0, ""
    while True:
        told = asker.ask("transfer.bring", source=where, kind=kind, at=at, run=run, seconds=seconds)
        for name in ("written", "known"):
            for sort, number in told[name].items():
                total[name][sort] = total[name].get(sort, 0) + number
        total["problems"] += told["problems"]
        total["asides"] += told["asides"]
        total["problem_count"] += told["problem_count"]
        at, run, total["kind"], total["run"] = told["at"], told["run"], told["kind"], told["run"]
        if told["finished"]:
            return {**total, "over": _over(asker), "learning_waits": asker.ask("status")["learning_waits"]}
        written = count(sum(total["written"].values()), "note")
        remark(dim(f"{count(at, 'record')} read, {written} written …"))


def _over(asker: Asker) -> list[str]:
    """Say which tiers hold more than they may, and what that leads to."""
    stats = asker.ask("tiers.stats")
    cap, held = stats["caps"]["transient"], stats["transient"]
    over = [f"{held} passing turns are more than {cap}: the lightest go to archive/; `tiers.transient = 0` keeps all."]
    found = over if 0 < cap < held else []
    for tier, what in (("episodic", "cards and summaries"), ("semantic", "facts")):
        cap, held = stats["caps"][tier], stats[tier]
        if 0 < cap < held:
            found.append(f"{held} {what}: `memkit clean --dry-run` says whether some are over `tiers.{tier}` = {cap}.")
    return found


def _say_look(found: Answer) -> None:
    click.echo(f"{bold(found['kind'])}: {count(found['pieces'], 'record')}")
    click.echo(f"would write\t{counts(dict(sorted(found['new'].items())))}")
    click.echo(f"known already\t{counts(dict(sorted(found['known'].items())))}")
    for example in found["examples"]:
        click.echo(f"{example['path']}\t{example['says']}\t{dim(example['origin'])}")
    shown = [example["kind"] for example in found["examples"]]
    rest = {kind: number - shown.count(kind) for kind, number in found["new"].items()}
    if more := {kind: number for kind, number in rest.items() if number > 0}:
        remark(f"… and {counts(dict(sorted(more.items())))} more.")
    _remarks(found)
    remark("Nothing was written.")


def _say_brought(found: Answer, undo: str) -> None:
    click.echo(f"written\t{counts(dict(sorted(found['written'].items())))}")
    click.echo(f"known already\t{counts(dict(sorted(found['known'].items())))}")
    _remarks(found)
    for said in found["over"]:
        remark(said)
    if waits := found["learning_waits"]:
        waiting = count(waits, "turn waits", "turns wait")
        remark(f"{waiting} to be learned from: the daemon does it by itself, `memkit learn` at once.")
    if found["written"]:
        remark(f"Take it all back with: {undo}")


def _say_would_go(found: Answer) -> None:
    click.echo(f"{_notes(found['notes'])} would go to archive/undone/")
    for path in found["paths"][:_SHOWN]:
        click.echo(path)
    if found["notes"] > _SHOWN:
        remark(f"… and {found['notes'] - _SHOWN} more; `--json` names them.")
    _say_left(found)
    remark("Nothing was moved.")


def _say_taken_back(found: Answer) -> None:
    click.echo(f"{_notes(found['notes'])} went to archive/undone/")
    _say_left(found)


def _notes(count: int) -> str:
    return f"{count} note{'' if count == 1 else 's'}"


def _say_left(found: Answer) -> None:
    for path in found["left"]:
        remark(f"{path}: it was changed since or can't be read, so it stays.")


def _remarks(found: Answer) -> None:
    for problem in found["problems"][:_SHOWN]:
        where = f"{problem['path']}:{problem['line']}" if problem["line"] else problem["path"]
        remark(f"{where}: {problem['what']} {problem['mend']}".strip(": "))
    if found["problem_count"] > _SHOWN:
        remark(f"… and {found['problem_count'] - _SHOWN} more; `--json` names them.")
    for aside in found["asides"][:_SHOWN]:
        remark(dim(f"left: {aside['where']}: {aside['why']}"))
    if len(found["asides"]) > _SHOWN:
        remark(dim(f"… and {len(found['asides']) - _SHOWN} more left; `--json` names them."))


@click.command()
@click.argument("form", type=click.Choice(("json", "markdown")))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--archive", is_flag=True, help="With what was put away (json).")
@click.option("--journal", is_flag=True, help="With the journal (json).")
@click.option("--force", is_flag=True, help="Take the place of an older export.")
@asking
def export(asker: Asker, form: str, target: Path, archive: bool, journal: bool, force: bool) -> None:
    """Write the vault to TARGET: a JSON Lines file that `memkit import` reads back byte for byte, or clean Markdown."""
    where = str(target.expanduser().absolute())
    answer = asker.ask("transfer.carry_out", target=where, form=form, archive=archive, journal=journal, force=force)

    def say(found: Answer) -> None:
        click.echo(found["target"])
        remark(dim(f"{count(found['notes'], 'note')}, {found['size'] / 1e6:.1f} MB"))
        for problem in found["problems"]:
            remark(f"{problem['path']}: {problem['what']} {problem['mend']}")

    asker.show(answer, say)
