"""How a command gets its answer, and how answers are shown."""

from __future__ import annotations

import json
import sys
from functools import update_wrapper
from typing import TYPE_CHECKING

import click

from kit import asker

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = asker.Answer


class Asker(asker.Asker):
    """One vault to ask, and how its answers are shown."""

    def __init__(self, vault: str | None, *, as_json: bool) -> None:
        super().__init__(vault, remark=lambda said: remark(dim(said)), progress=_progress)
        self.as_json = as_json

    def show(self, answer: Answer, say: Callable[[Answer], None]) -> None:
        """Print an answer: as JSON, or as the command says it."""
        if self.as_json:
            click.echo(json.dumps(answer, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
        else:
            say(answer)


def asking(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command its `asker`, and the two options every command has."""

    def wrapped(ctx: click.Context, /, as_json: bool, vault: str | None, **params: object) -> None:
        given = ctx.find_root().obj or {}
        asker = Asker(vault or given.get("vault"), as_json=as_json or bool(given.get("json")))
        command(asker, **params)

    with_context = update_wrapper(click.pass_context(wrapped), command)
    for option in (
        click.option("--vault", metavar="FOLDER", help="The vault to ask."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    ):
        with_context = option(with_context)
    return with_context


def _progress(what: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{what}: {done} of {total or '?'}  ", nl=bool(total) and done >= total, err=True)


def text_argument(value: str) -> str:
    """Take an argument as it is, or standard input for `-`."""
    return sys.stdin.buffer.read().decode(errors="replace") if value == "-" else value


def remark(said: str) -> None:
    """Say something beside the data."""
    click.echo(said, err=True)


def dim(said: str) -> str:
    """Write something of less weight."""
    return click.style(said, dim=True)


def bold(said: str) -> str:
    """Write something of more weight."""
    return click.style(said, bold=True)
