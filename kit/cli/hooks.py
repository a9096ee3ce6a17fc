"""The command a harness calls; fails open: on any trouble it is silent and exits 0."""

from __future__ import annotations

import os
import sys

import click


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
    except Exception:  # noqa: BLE001 - a hook fails open, whatever goes wrong
        _log_failure(vault or given.get("vault"))


def _answer(vault: str | None, harness: str, event: str) -> None:
    from kit.app import Kit  # noqa: PLC0415 - after the cheap ways out
    from kit.sessions import Sessions  # noqa: PLC0415

    payload = sys.stdin.buffer.read()
    with Kit(vault) as kit:
        reply = Sessions(kit).handle(harness, event, payload, os.environ)
        try:
            sys.stdout.buffer.write(reply.out)
            sys.stdout.buffer.flush()
        finally:  # a harness that no longer listens has still said something worth keeping
            reply.after()


def _log_failure(vault: str | None) -> None:
    import traceback  # noqa: PLC0415 - only when something went wrong

    from kit import config, places  # noqa: PLC0415 - the same

    try:
        root = config.find_vault(vault)
        folder = places.cache_folder("hooks", root)
        with (folder / "hook.log").open("a", encoding="utf-8") as log:
            log.write(traceback.format_exc())
    except Exception:  # noqa: BLE001, S110 - nowhere left to tell
        pass
