"""The one hand that writes a client's files: whole or not at all, through links, and only what was planned.

Law: a file is replaced only while it holds the bytes the plan was made from; its mode stays.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from kit.errors import ConflictError, RefusedError, UnavailableError
from kit.installing import receipts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kit.installing.house import House
    from kit.installing.plan import Plan, Run

RUN_S = 90.0
"""The longest a client's own command may take."""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


def read(path: Path) -> bytes | None:
    """Read a file, through links; None when there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RefusedError(f"{path} can't be read: {error.strerror}.", "Nothing was changed.") from error


def carry_out(plan: Plan, house: House, say: Callable[[str], None]) -> None:
    """Do what a plan says, and `say` what may take long.

    Raise ConflictError before anything is written when a file is not what the plan saw.
    """
    for change in plan.changes:
        if read(change.path) != change.before:
            raise ConflictError(f"{change.path} was changed meanwhile.", "Nothing was written. Try again.")
    if plan.undoes:
        _run_all(plan.runs, house, say)
    old = receipts.read(house.config, plan.receipt)
    made = list(old.folders)
    if plan.keeps:  # before the files themselves: without it there is no way back
        _keep(plan, house, old, made)
    for change in plan.changes:
        if read(change.path) != change.before:  # while a client's own command ran
            raise ConflictError(f"{change.path} was changed meanwhile.", "It stays as it is now. Try again.")
        if change.after is None:
            _remove(change.path)
        else:
            made += _write(change.path, change.after)
    if plan.keeps:
        _keep(plan, house, old, made)
    else:
        _forget(plan, house, made)
    if not plan.undoes:
        _run_all(plan.runs, house, say)


def _keep(plan: Plan, house: House, old: receipts.Receipt, made: list[Path]) -> None:
    receipt = receipts.Receipt({**old.files, **dict(plan.keeps)}, tuple(dict.fromkeys(made)))
    for path, raw in receipts.written(house.config, plan.receipt, receipt):
        path.parent.parent.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
        path.parent.mkdir(exist_ok=True, mode=PRIVATE_FOLDER)
        _write(path, raw, PRIVATE_FILE)


def _forget(plan: Plan, house: House, made: list[Path]) -> None:
    """Take away the receipt of what is no longer there, and folders that were made for it and are empty."""
    for path in receipts.files(house.config, plan.receipt):
        path.unlink()
    own = house.config / "receipts"
    emptied = [*made, own.parent / "hooks", *_below(house.laid(plan.client)), own, own / plan.receipt, house.config]
    for folder in sorted(emptied, key=lambda folder: len(folder.parts), reverse=True):
        with contextlib.suppress(OSError):  # it is not empty, or not there
            folder.rmdir()


def _below(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield folder
        yield from (path for path in folder.rglob("*") if path.is_dir())


def _write(path: Path, raw: bytes, mode: int | None = None) -> list[Path]:
    """Write a file by way of another one beside it; return the folders that had to be made, outermost first."""
    target = Path(os.path.realpath(path))
    made = [folder for folder in reversed(target.parents) if not folder.exists()]
    beside = target.parent / f".{target.name}.memkit-{os.getpid()}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if mode is None and target.exists():
            mode = target.stat().st_mode & 0o7777
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode or 0o666)
        with os.fdopen(file, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            beside.chmod(mode)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise RefusedError(f"{target} can't be written: {error.strerror}.", "It stays as it was.") from error
    return made


def _remove(path: Path) -> None:
    try:
        Path(os.path.realpath(path)).unlink(missing_ok=True)
    except OSError as error:
        raise RefusedError(f"{path} can't be removed: {error.strerror}.", "Remove it yourself.") from error


def _run_all(runs: tuple[Run, ...], house: House, say: Callable[[str], None]) -> None:
    for run in runs:
        with_what = "".join(f" with {name}={value}" for name, value in run.variables)
        say(f"Running `{run}`{with_what}; it may take up to {RUN_S:.0f} s.")
        code, said = _run(run, house)
        if code is None:
            asked = " It seems to ask whether it may trust a folder." if "trust" in said.casefold() else ""
            what = f"`{run}` did not end within {RUN_S:.0f} s and was stopped.{asked}"
            raise UnavailableError(f"{what} Its last words: {said or 'none'}", "Run it yourself, at a terminal.")
        if code:
            raise UnavailableError(f"`{run}` ended with {code}: {said}", "Run it yourself.")


def _run(run: Run, house: House) -> tuple[int | None, str]:
    """Run a client's command; return its exit code, None where it had to be stopped, and its last words."""
    with tempfile.TemporaryFile() as heard:  # a pipe would be held open by whatever it has started itself
        try:
            begun = subprocess.Popen(  # noqa: S603 - the client's own program, no shell
                run.words, stdin=subprocess.DEVNULL, stdout=heard, stderr=subprocess.STDOUT, cwd=run.folder,
                env={**dict(run.variables), **house.env}, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise UnavailableError(f"`{run}` did not run: {error}.", "Run it yourself.") from error
        try:
            code: int | None = begun.wait(RUN_S)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if begun.poll() is None:
                _end(begun)
        heard.seek(0)
        lines = _ESCAPES.sub("", heard.read().decode("utf-8", "replace")).split("\n")
    return code, " ".join([line.strip() for line in lines if line.strip()][-3:])


def _end(begun: subprocess.Popen[bytes]) -> None:
    """End a command with all that it has started."""
    if sys.platform == "win32":
        begun.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(begun.pid, signal.SIGKILL)
    begun.wait()
