"""The command that speaks MCP to a client, or says how to tell a client of it."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import click

from kit import places
from kit.asker import Asker
from kit.cli.ask import remark
from kit.errors import KitError, UnavailableError

PORT = 8807


@click.command()
@click.option("--vault", metavar="FOLDER", help="The vault to ask.")
@click.option("--http", is_flag=True, help="Speak streamable HTTP on this machine, in place of stdin and stdout.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: an address of this machine alone.")
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="With --http.")
@click.option("--project", help="The project of what is said here; else that of the working folder.")
@click.option("--print-config", "client", metavar="CLIENT", help="Print what a client needs in its settings.")
@click.pass_context
def mcp(
    ctx: click.Context, vault: str | None, http: bool, host: str, port: int, project: str | None, client: str | None
) -> None:
    """Serve the memory to a client that speaks MCP: tools, resources, and the rules of their use."""
    vault = vault or (ctx.find_root().obj or {}).get("vault")
    if client:
        _print_config(client, vault)
        return
    try:
        from kit.mcp import server  # noqa: PLC0415 - an extra, and slow to load
    except ModuleNotFoundError as error:
        raise UnavailableError(
            f"`memkit mcp` needs the package '{error.name}', which is not installed.", "pip install 'memory-kit[mcp]'"
        ) from None
    asker = Asker(vault, remark=remark)
    try:
        _ = asker.root
    except KitError as error:  # the client is told at each call, where its person sees it
        remark(f"memkit: {error}")
    if http:
        from kit.mcp import key  # noqa: PLC0415 - as above

        token = key.token()
        remark(f"http://{f'[{host}]' if ':' in host else host}:{port}{server.PATH}")
        remark(f"Each request needs the header `Authorization: Bearer …` with the token in {key.file()}")
        server.serve_http(server.make(asker, project=project or ""), host, port, token)
        return
    where = places.project_of(str(Path.cwd())) if project is None else project
    server.serve_stdio(server.make(asker, project=where, session=f"mcp-{secrets.token_hex(6)}"))


def _print_config(client: str, vault: str | None) -> None:
    from kit.mcp import snippets  # noqa: PLC0415 - only here

    if client not in snippets.CLIENTS:
        raise click.BadParameter(f"known are {', '.join(snippets.CLIENTS)}.", param_hint="--print-config")
    program = Path(sys.argv[0])
    line = [str(program.resolve())] if program.stem == "memkit" else [sys.executable, "-m", "kit"]
    if vault:
        line += ["--vault", str(Path(vault).expanduser().resolve())]
    found = snippets.snippet(client, [*line, "mcp"])
    click.echo(found.text, nl=False)
    remark(f"Goes into {found.where}")
