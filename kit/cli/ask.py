"""How a command gets its answer, and how answers are shown."""

from __future__ import annotations

import json
import sys
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

import click

from kit import __version__, config
from kit.daemon.client import Client, NoDaemonError, daemon_command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASK_S = 120.0
Answer = Any  # what JSON can carry; commands know the shape of their own answers


class Asker:
    """One vault to ask."""

    def __init__(self, vault: str | None, *, as_json: bool) -> None:
        self._vault = vault
        self.as_json = as_json

    @property
    def root(self) -> Path:
        """Find the vault's folder."""
        return config.find_vault(self._vault)

    def ask(self, operation: str, **params: object) -> Answer:
        """Run an operation: ask the daemon, which starts if need be; without one, do it here."""
        given = {name: value for name, value in params.items() if value is not None}
        if config.load(self.root).flag("daemon.start"):
            try:
                return self.client().ask(operation, given, timeout=ASK_S, progress=_progress)
            except NoDaemonError as error:
                remark(dim(f"{error.what} Doing it without."))
        return self._ask_here(operation, given)

    def client(self, *, spawn: bool = True) -> Client:
        """Make a client of this vault's daemon; `spawn` lets it start one."""
        return Client(self.root, version=__version__, spawn=daemon_command(self.root) if spawn else None)

    def _ask_here(self, operation: str, params: dict[str, object]) -> Answer:
        from kit.app import Kit  # noqa: PLC0415 - only what runs in this process pays for the rooms
        from kit.operations import call  # noqa: PLC0415

        with Kit(self.root) as kit:
            kit.read_words()
            return call(kit, operation, params)

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
