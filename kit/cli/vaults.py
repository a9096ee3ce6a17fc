"""Commands for a whole vault."""

from __future__ import annotations

from pathlib import Path

import click

from kit import places
from kit.cli.ask import Answer, Asker, asking, count, dim, echo_rows, remark
from kit.errors import ConflictError

_SETTINGS = "memkit.toml"


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--no-default", is_flag=True, help="Do not make it the vault that is used when none is named.")
@click.option("--force", is_flag=True, help="Make it even inside another vault.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def init(ctx: click.Context, folder: Path | None, no_default: bool, force: bool, as_json: bool) -> None:
    """Make a vault in FOLDER, or here.

    Settings, folders, seed scenes and tags, and what git and Obsidian want; nothing that is there is overwritten.
    """
    from kit.govern.lay import lay  # noqa: PLC0415 - only this command needs it
    from kit.operations import plain  # noqa: PLC0415

    given = ctx.find_root().obj or {}
    root = (folder or Path(given.get("vault") or ".")).expanduser()
    if not force:
        _refuse_inside(root.resolve())
    laid = lay(root)
    if not no_default:
        _make_default(laid.root)
    asker = Asker(laid.root, as_json=as_json or bool(given.get("json")))

    def say(_: Answer) -> None:
        click.echo(laid.root)
        remark(dim(f"{count(len(laid.made), 'file')} made." if laid.made else "It was complete; nothing was changed."))
        by_hand = asker.line('frame "what you say to your agent"')
        if "--vault" in by_hand:
            remark(f"Next: {by_hand}")
            return
        remark("Next: memkit hooks install --all, which lets your coding agents remember in it by themselves.")
        remark(dim(f"By hand: {by_hand}"))

    asker.show(plain(laid), say)


def _refuse_inside(root: Path) -> None:
    """Refuse a new vault whose notes another vault would take for its own."""
    outer = next((folder for folder in root.parents if (folder / _SETTINGS).is_file()), None)
    if outer and not (root / _SETTINGS).exists():
        raise ConflictError(
            f"{root} lies inside the vault {outer}.",
            "Name a folder outside of it, or make a vault in a vault with --force.",
        )


def _make_default(root: str) -> None:
    """Make a vault the one that is used when none is named, unless there is one that still exists."""
    pointer = places.pointer_file()
    if pointer.is_file() and Path(pointer.read_text(encoding="utf-8").strip()).expanduser().is_dir():
        return
    try:
        pointer.parent.mkdir(parents=True, exist_ok=True)
        pointer.write_text(f"{root}\n", encoding="utf-8")
    except OSError as error:
        remark(f"It is not your default vault: {pointer} can't be written ({error.strerror}).")


@click.command()
@asking
def reindex(asker: Asker) -> None:
    """Make the derived indexes anew from the files."""
    answer = asker.ask("reindex")
    asker.show(
        answer, lambda found: click.echo(f"{count(found['seen'], 'note')}, {count(found['problems'], 'problem')}")
    )


def _as_toml(value: object) -> str:
    """Write a value as it stands in a file of settings, but for the quotes of a text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@click.command("config")
@asking
def config_(asker: Asker) -> None:
    """Print each setting: name, value, origin, meaning; and which files hold them."""
    files = [
        ("file.own", places.config_base() / "config.toml", "Your own settings, for all vaults; they win."),
        ("file.vault", asker.root / _SETTINGS, "The settings that travel with the vault."),
    ]
    stand = [(name, str(file), "there" if file.is_file() else "not made yet", what) for name, file, what in files]

    def say(rows: Answer) -> None:
        told = [(name, _as_toml(value), *rest) for name, value, *rest in rows]
        echo_rows(("name", "value", "origin", "meaning"), told)
        for _, file, state, what in stand:
            remark(f"{file} ({state}): {what}")

    rows = asker.ask("settings")
    asker.show([*rows, *stand] if asker.as_json else rows, say)


@click.command()
@click.option("--keep", metavar="FOLDER", type=click.Path(path_type=Path), help="Leave the vault there to look at.")
@click.option("--json", "as_json", is_flag=True, help="Print the steps as JSON.")
@click.pass_context
def demo(ctx: click.Context, keep: Path | None, as_json: bool) -> None:
    """Tell the whole story on a copy of the example vault."""
    from kit.cli.story import tell  # noqa: PLC0415 - only this command needs it

    if keep and (keep.is_file() or (keep.is_dir() and any(keep.iterdir()))):
        raise ConflictError(f"{keep} is not empty.", "Name a new folder, so that nothing of yours is overwritten.")
    given = ctx.find_root().obj or {}
    tell(keep, as_json=as_json or bool(given.get("json")))
