"""The command a harness calls; fails open: on any trouble it is silent and exits 0."""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import click

from kit import __version__, config
from kit.daemon.client import Client, daemon_command
from kit.errors import UnavailableError

if TYPE_CHECKING:
    from pathlib import Path

START_S, ANSWER_S = 10.0, 5.0
"""How long a daemon may take to start, and to answer."""


@click.command()
@click.argument("harness")
@click.argument("event")
@click.option("--vault", metavar="FOLDER", help="The vault to ask.")
@click.pass_context
def hook(ctx: click.Context, harness: str, event: str, vault: str | None) -> None:
    """Answer a harness: payload on stdin, its reply on stdout."""
    given = ctx.find_root().obj or {}
    try:
        _answer(vault or given.get("vault"), harness, event)
    except Exception as error:  # noqa: BLE001 - a hook fails open, whatever goes wrong
        from kit import courier  # noqa: PLC0415 - only when something went wrong

        courier.note(f"{harness} {event}: {type(error).__name__}: {error}")


def _answer(vault: str | None, harness: str, event: str) -> None:
    root = config.find_vault(vault)
    payload = sys.stdin.buffer.read()
    if config.read(root).flag("daemon.start"):
        try:
            _print(_through_the_daemon(root, harness, event, payload))
        except (UnavailableError, OSError, ValueError, EOFError):
            pass
        else:
            return
    _answer_here(root, harness, event, payload)


def _through_the_daemon(root: Path, harness: str, event: str, payload: bytes) -> bytes:
    from kit import courier, whereabouts  # noqa: PLC0415 - what harnesses' hooks run

    Client(root, version=__version__, spawn=daemon_command(root)).ask("ping", timeout=START_S)
    end = time.monotonic() + ANSWER_S
    sock = courier.connect(whereabouts.runtime_path(str(root)), end)
    if sock is None:
        raise UnavailableError("The daemon went away.")
    with closing(sock):
        return courier.exchange(sock, courier.frame_of(harness, event, payload), end)


def _answer_here(root: Path, harness: str, event: str, payload: bytes) -> None:
    from kit.app import Kit  # noqa: PLC0415 - only without a daemon
    from kit.sessions import Sessions  # noqa: PLC0415

    with Kit(root) as kit:
        sessions = Sessions(kit)
        sessions.wait_for_answer(harness, event, payload, os.environ)
        sessions.listen(harness, event, payload, os.environ)
        reply = sessions.handle(harness, event, payload, os.environ)
        try:
            _print(reply.out)
        finally:  # a harness that no longer listens has still said something worth keeping
            reply.after()


def _print(out: bytes) -> None:
    sys.stdout.buffer.write(out)
    sys.stdout.buffer.flush()
