"""Commands for the daemon; nobody needs them: the first command or hook starts it, and it ends by itself."""

from __future__ import annotations

import gc
import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

import click

from kit import __version__, places
from kit.cli.ask import Answer, Asker, Group, asking, count, echo_pairs, remark
from kit.daemon.client import NoDaemonError, SilentDaemonError
from kit.errors import ConflictError, UnavailableError

LOG_BYTES, LOG_FILES = 1_000_000, 3


@click.group(cls=Group)
@click.pass_context
def daemon(ctx: click.Context) -> None:
    """Run, start, stop or look at the daemon."""
    if ctx.invoked_subcommand != "run":  # which hooks start
        places.check_named()


@daemon.command()
@click.option("--verbose", is_flag=True, help="Show live what happens.")
@asking
def run(asker: Asker, verbose: bool) -> None:
    """Serve the vault in this process, until stopped or idle."""
    _start_lightly()
    from kit.daemon.keeper import Keeper  # noqa: PLC0415 - only this command serves
    from kit.daemon.server import Server  # noqa: PLC0415

    root = asker.root
    keeper = Keeper(root)

    def started() -> None:
        if verbose:
            remark(f"Serving {root}, process {os.getpid()}; Ctrl-C ends it.")
        keeper.start()

    _log_to(keeper.kit.folder, verbose=verbose)
    server = Server(
        keeper, places.runtime_folder(root), version=__version__,
        idle_s=lambda: keeper.kit.config.number("daemon.idle_minutes") * 60 or float("inf"), gone=keeper.gone,
        spooled=places.spool_folder(root), started=started, ended=keeper.stop,
    )  # fmt: skip
    try:
        if not server.serve():
            raise ConflictError("Another daemon serves this vault.", "`memkit daemon stop` ends it.")
    finally:
        keeper.stop()
    if server.interrupted:
        raise click.Abort


@daemon.command()
@asking
def start(asker: Asker) -> None:
    """Start the daemon, if it does not run."""
    try:
        answer = asker.client().ask("ping", timeout=30.0)
    except NoDaemonError as error:
        raise asker.lack() or error from None
    asker.show(answer, lambda told: click.echo(f"pid {told['pid']}"))


@daemon.command()
@asking
def stop(asker: Asker) -> None:
    """Stop the daemon."""
    stopped = asker.client(spawn=False).stop()
    asker.show({"stopped": stopped}, lambda _: remark("Stopped." if stopped else "No daemon ran."))


@daemon.command()
@asking
def status(asker: Asker) -> None:
    """Say whether the daemon runs, and how it is."""
    try:
        answer: Answer = asker.client(spawn=False).ask("load", timeout=5.0)
    except NoDaemonError:
        answer = {"running": False}
    except SilentDaemonError as error:
        answer = {"running": True, "answers": False, "pid": error.pid}
    else:
        answer = {"running": True, **answer}

    asker.show(answer, lambda told: echo_pairs(_state(told)))
    if not answer["running"]:
        raise click.exceptions.Exit(1)
    if not answer.get("answers", True):
        raise click.exceptions.Exit(UnavailableError.exit_code)


def _state(told: Answer) -> list[tuple[str, str]]:
    """Say in words how the daemon is."""
    if not told["running"]:
        return [("daemon", "none runs; the next command or hook starts it")]
    if not told.get("answers", True):
        return [("daemon", f"process {told['pid']} gives no sign of life; `memkit daemon stop` ends it")]
    waiting, failed = told["spool_waiting"], told["spool_failed"]
    hooks = [f"{waiting} waiting to be taken in"] if waiting else []
    hooks += [f"{failed} could not be (see `memkit doctor`)"] if failed else []
    return [
        ("daemon", f"runs for {_span(told['uptime_s'])}, process {told['pid']}"),
        ("version", str(told["version"])),
        ("load", f"{count(told['requests'], 'request')} so far, {count(told['connections'], 'connection')} open"),
        ("from hooks", ", ".join(hooks) or "nothing waits"),
    ]


def _span(seconds: float) -> str:
    """Say how long something has lasted, by its two largest units."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    units = {"d": days, "h": hours, "min": minutes, "s": rest}
    parts = [f"{number} {unit}" for unit, number in units.items() if number]
    return " ".join(parts[:2]) or "less than a second"


def _start_lightly() -> None:
    """Leave out what a start need not wait for; the keeper turns the collector on again."""
    gc.disable()  # it would look through all that is loaded, again and again, and find nothing
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for any takes a tenth of a second


class _Log(RotatingFileHandler):
    """A log that is begun anew when someone has cleaned its folder away."""

    def emit(self, record: logging.LogRecord) -> None:
        if self.stream and not Path(self.baseFilename).exists():
            self.close()
            Path(self.baseFilename).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        super().emit(record)


def _log_to(folder: Path, *, verbose: bool) -> None:
    """Log to the derived folder, a megabyte a file; and to the terminal when asked."""
    handlers: list[logging.Handler] = [
        _Log(folder / "daemon.log", maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
    ]
    if verbose:
        handlers.append(logging.StreamHandler())
        logging.getLogger("kit.daemon").setLevel(logging.DEBUG)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", handlers=handlers)
