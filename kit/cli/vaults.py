"""Commands for a whole vault."""

from __future__ import annotations

from pathlib import Path

import click

from kit import config
from kit.cli.ask import Answer, Asker, asking, bold, dim, remark


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--no-default", is_flag=True, help="Do not make it the vault that is used when none is named.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def init(folder: Path, no_default: bool, as_json: bool) -> None:
    """Make a vault: settings, folders, seed scenes and tags, what git and Obsidian want."""
    from kit.govern.lay import lay  # noqa: PLC0415 - only this command needs it
    from kit.operations import plain  # noqa: PLC0415

    laid = lay(folder.expanduser())
    pointer = config.user_folder() / "vault"
    if not no_default and not pointer.exists():
        pointer.parent.mkdir(parents=True, exist_ok=True)
        pointer.write_text(f"{laid.root}\n", encoding="utf-8")
    asker = Asker(laid.root, as_json=as_json)

    def say(_: Answer) -> None:
        click.echo(laid.root)
        remark(dim(f"{len(laid.made)} files made." if laid.made else "It was complete; nothing was changed."))
        remark(f'Next: memkit --vault {laid.root} frame "what you say to your agent"')

    asker.show(plain(laid), say)


@click.command()
@asking
def reindex(asker: Asker) -> None:
    """Throw the derived indexes away and make them anew from the files."""
    from kit.app import Kit  # noqa: PLC0415 - runs in this process on purpose
    from kit.operations import plain  # noqa: PLC0415

    with Kit(asker.root) as kit:
        report = kit.rebuild(_progress)
    asker.show(plain(report), lambda found: click.echo(f"{found['seen']} notes, {found['problems']} problems"))


def _progress(done: int, total: int) -> None:
    click.echo(f"\r{done} of {total} notes", nl=done == total, err=True)


@click.command("config")
@asking
def config_(asker: Asker) -> None:
    """Print every setting: name, value, where it comes from, what it means."""

    def say(rows: Answer) -> None:
        for name, value, origin, meaning in rows:
            click.echo(f"{bold(name)}\t{value}\t{dim(origin)}\t{meaning}")

    asker.show(asker.ask("settings"), say)


@click.command()
@click.option("--keep", metavar="FOLDER", type=click.Path(path_type=Path), help="Leave the vault there to look at.")
@click.option("--json", "as_json", is_flag=True, help="Print the steps as JSON.")
def demo(keep: Path | None, as_json: bool) -> None:
    """Tell the whole story on a copy of the example vault, step by step."""
    from kit.cli.story import tell  # noqa: PLC0415 - only this command needs it

    tell(keep, as_json=as_json)
