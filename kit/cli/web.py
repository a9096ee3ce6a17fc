"""`memkit web`: the page on which a person looks after their memory."""

from __future__ import annotations

import json
import webbrowser
from contextlib import suppress

import click

from kit.cli.ask import Asker, asking, dim, remark
from kit.errors import UnavailableError


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="The port; 0: any that is free.  [default: 7437, or next]")
@click.option("--host", default="127.0.0.1", show_default=True, help="An address of this machine alone.")
@click.option("--open", "opens", is_flag=True, help="Open it in your browser.")
@asking
def web(asker: Asker, port: int | None, host: str, opens: bool) -> None:
    """Serve the page and its API on this machine; what it prints lets you in."""
    try:
        from kit.web import serving  # noqa: PLC0415 - only this command needs a web server
    except ImportError as error:
        if error.name not in {"starlette", "uvicorn"}:
            raise
        missing = "The page needs a web server that is not installed."
        raise UnavailableError(missing, "Install it: pip install 'memory-kit[web]'") from error

    def opened(url: str, token: str, entrance: str) -> None:
        if asker.as_json:
            click.echo(json.dumps({"url": url, "entrance": entrance, "token": token}))
        else:
            click.echo(entrance)
            remark(dim("Ctrl-C ends it. Whoever has this address can read and change this memory."))
        if opens:
            webbrowser.open(entrance)

    asker.root  # noqa: B018 - no vault is told before anything is served
    with suppress(KeyboardInterrupt):  # the way to end it
        serving.serve(asker, host, port, opened)
