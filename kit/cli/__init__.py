"""The command line: each command parses, asks once, prints.

Law: data on stdout, remarks on stderr, `--json` everywhere, exit codes by error class, no colour when piped.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from kit import __version__, places
from kit.cli.ask import Group
from kit.errors import KitError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COMMANDS = {
    "init": "vaults", "demo": "vaults", "reindex": "vaults", "config": "vaults",
    "frame": "turns", "complete": "turns", "recall": "turns", "remember": "turns",
    "show": "look", "search": "look", "feedback": "turns", "forget": "turns", "restore": "turns",
    "tags": "pool", "scenes": "pool", "undo": "pool", "clean": "pool",
    "learn": "learning", "llm": "learning",
    "book": "look", "features": "look", "facts": "look",
    "status": "look", "doctor": "look", "log": "look",
    "commit": "tiers_cli", "mcp": "mcp_cli",
    "hooks": "hooks_cli", "hook": "hooks", "daemon": "daemons",
    "web": "web",
    "import": "transfers", "export": "transfers",
}  # fmt: skip

_STOPPED = 130
"""As a shell says of a program that Ctrl-C ended."""
_NAMES = {"config": "config_", "learn": "learn_", "import": "import_"}


class _Lazy(Group):
    """A group that loads a command's module when the command is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        found = getattr(import_module(f"kit.cli.{module}"), _NAMES.get(cmd_name, cmd_name))
        return found if isinstance(found, click.Command) else None

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any  # noqa: ANN401 - click's signature
    ) -> click.Context:  # fmt: skip
        """Read the line, which may print help."""
        with _heard():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""
        with _heard():
            return super().invoke(ctx)


class _UnheardError(Exception):
    """Standard output takes nothing any more: it was closed, or its disk is full."""

    def __init__(self, error: OSError) -> None:
        is_shut = error.errno == errno.EBADF
        super().__init__("standard output is closed" if is_shut else error.strerror or str(error))
        self.is_closed = isinstance(error, BrokenPipeError)


@contextmanager
def _heard() -> Iterator[None]:
    """Tell trouble with the output from all other before click hides it; it ends where click itself has written."""
    try:
        yield
    except OSError as error:
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        if trace is None or trace.tb_frame.f_code is not click.echo.__code__:
            raise
        raise _UnheardError(error) from None


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="memkit")
@click.option("--vault", metavar="FOLDER", help="The vault; else MEMKIT_VAULT, the nearest one above, or your own.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def cli(ctx: click.Context, vault: str | None, as_json: bool) -> None:
    """Remember what was said, recall what is useful: a memory of plain Markdown files."""
    ctx.obj = {"vault": vault, "json": as_json}
    if ctx.invoked_subcommand not in {"hook", "daemon"}:  # they go on without a word where nobody would read it
        places.check_named()


def run(args: Sequence[str]) -> int:
    """Run a command line and return its exit code; errors become sentences on stderr, or JSON on stdout if asked."""
    _fill_streams()
    given = list(args)
    own = given[: given.index("--")] if "--" in given else given
    try:
        result = cli.main(args=given, prog_name="memkit", standalone_mode=False)
    except click.exceptions.Exit as done:
        return done.exit_code
    except _UnheardError as error:
        return _unheard(error)
    except (KitError, click.ClickException, click.Abort) as error:
        return (_tell_json if "--json" in own else _tell)(error)
    return result if isinstance(result, int) else 0


def _fill_streams() -> None:
    """Fill closed standard streams: nothing comes in, remarks are lost, and data that can't be written is an error."""
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # each write fails
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def _unheard(error: _UnheardError) -> int:
    """End without output: well where the reader has had enough, else with a sentence."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest at its end
    return 0 if error.is_closed else _tell(UnavailableError(f"The output can't be written ({error})."))


def _tell(error: KitError | click.ClickException | click.Abort) -> int:
    if isinstance(error, click.Abort):
        click.echo("memkit: stopped.", err=True)
        return _STOPPED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return error.exit_code
    if isinstance(error, click.UsageError) and error.ctx:
        click.echo(f"{error.ctx.get_usage()}\n`{error.ctx.command_path} --help` says more.\n", err=True)
    if isinstance(error, click.ClickException):
        click.echo(f"memkit: {error.format_message()}", err=True)
    else:
        click.echo(f"memkit: {error}", err=True)
    return error.exit_code


def _tell_json(error: KitError | click.ClickException | click.Abort) -> int:
    if isinstance(error, click.Abort):
        what, mend, code = "Stopped.", "", _STOPPED
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        what, mend, code = "No command is named.", "Add --help to see which there are.", error.exit_code
    elif isinstance(error, click.ClickException):
        what, mend, code = error.format_message(), "Add --help to see how it is called.", error.exit_code
    else:
        what, mend, code = error.what, error.mend, error.exit_code
    click.echo(json.dumps({"error": what, "mend": mend, "code": code}, ensure_ascii=False))
    return code
