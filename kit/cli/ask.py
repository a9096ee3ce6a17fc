"""How a command gets its answer, and how answers are shown."""

from __future__ import annotations

import difflib
import json
import os
import shlex
import shutil
import sys
import unicodedata
from contextlib import suppress
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from kit import asker, config, places, text
from kit.errors import BadInputError, NoVaultError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Answer = asker.Answer
_NARROWEST = 12
"""Columns that the last cell of a row keeps on however narrow a terminal."""
CATEGORY = click.Choice(["preference", "habit", "style", "business", "fact", "other"])


class Asker(asker.Asker):
    """One vault to ask, and how its answers are shown."""

    def __init__(self, vault: str | None, *, as_json: bool) -> None:
        super().__init__(vault, remark=lambda said: remark(dim(said)), progress=_progress)
        self.as_json = as_json

    def ask(self, operation: str, **params: object) -> Answer:
        """Run an operation, unless a word of the line is no text: a memory of question marks is none.

        Of notes that are shown on a terminal, nothing comes there that moves or hides what stands on it.
        """
        for value in params.values():
            for said in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(said, str) and not is_text(said):
                    shown = said.encode("utf-8", "replace").decode()
                    raise BadInputError(f"What you gave is no text in UTF-8: {shown:.60}", "Convert it first.")
        answer = super().ask(operation, **params)
        return answer if self.as_json or not sys.stdout.isatty() else _seen(answer)

    def line(self, words: str) -> str:
        """Write a command for the person to give, with the vault where it is not the one used when none is named."""
        try:
            is_usual = config.find_vault() == self.root
        except NoVaultError:
            is_usual = False
        return f"memkit {words}" if is_usual else f"memkit --vault {shlex.quote(str(self.root))} {words}"

    def as_a_hook(self) -> dict[str, object]:
        """Name what a hook in this folder asks with, which finds less than what a person who asks is shown."""
        settings = config.load(self.root)
        return {
            "unasked": True, "project": places.project_of(str(Path.cwd())),
            "limit": settings.count("recall.hook_limit"), "threshold": settings.number("recall.hook_threshold"),
        }  # fmt: skip

    def show(self, answer: Answer, say: Callable[[Answer], None]) -> None:
        """Print an answer: as JSON, or as the command says it."""
        if self.as_json:
            click.echo(json.dumps(answer, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
        else:
            say(answer)

    def say_done(self, done: Answer) -> None:
        """Say what an act of governance did, and how it is taken back."""
        if done is None:
            remark("It is so already; nothing was changed.")
            return
        for path in done["paths"]:
            click.echo(path)
        for why in done["skipped"]:
            remark(f"Passed over, {why}")
        back = f": `{self.line('undo')} {done['act']}` takes it back." if done["act"] else "."
        remark(dim(f"{done['what']}{back}"))


def _seen(answer: Answer) -> Answer:
    if isinstance(answer, str):
        return text.seen(answer)
    if isinstance(answer, dict):
        return {name: _seen(value) for name, value in answer.items()}
    return [_seen(each) for each in answer] if isinstance(answer, list) else answer


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


def is_text(said: str) -> bool:
    """Tell whether an argument was UTF-8: what was none comes with halves of surrogate pairs."""
    return not any("\ud800" <= char <= "\udfff" for char in said)


def text_argument(value: str) -> str:
    """Take an argument as it is, or standard input for `-`."""
    if value != "-":
        return value
    raw = sys.stdin.buffer.read()
    try:
        said = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError("Standard input is no text in UTF-8.", "Pipe text in; convert it first.") from error
    if "\0" in said:
        raise BadInputError("Standard input is no text: it holds zero bytes.", "Pipe text in, encoded as UTF-8.")
    return said


def echo_rows(header: Sequence[str], rows: Iterable[Sequence[str]], *, strip: bool = False) -> None:
    """Print rows: with tabs between where they are piped on, else in columns under a header."""
    if not sys.stdout.isatty():
        for row in rows:
            line = "\t".join(row)
            click.echo(line.rstrip() if strip else line)
        return
    held = [tuple(row) for row in rows]
    if held:
        widths = [max(map(_width, column)) for column in zip(header, *held, strict=True)]
        room = max(_NARROWEST, shutil.get_terminal_size().columns - sum(widths[:-1]) - 2 * len(widths[:-1]))
        click.echo(bold(_line(header, widths)))
        for row in held:
            click.echo(_line((*row[:-1], _cut(row[-1], room)), [*widths[:-1], min(room, widths[-1])]))


def echo_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Print what is said of one thing, names in a column."""
    widths = [max((_width(name) for name, _ in pairs), default=0)]
    for name, value in pairs:
        echo_after(_line((name, ""), [*widths, 0], strip=False), value, bold)


def echo_after(head: str, said: str, weight: Callable[[str], str] = str) -> None:
    """Print a text after its head; on a terminal it is broken between words and goes on below itself."""
    room = max(_NARROWEST, shutil.get_terminal_size().columns - _width(head))
    first, *more = _wrapped(said, room) if sys.stdout.isatty() else [said]
    click.echo(f"{weight(head)}{first}".rstrip())
    for line in more:
        click.echo(" " * _width(head) + line)


def _wrapped(said: str, room: int) -> list[str]:
    """Break a text between words into lines of so many columns; a word that is longer stays whole."""
    lines = [""]
    for word in said.split(" "):
        if lines[-1] and _width(lines[-1]) + 1 + _width(word) > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def shortened(said: str) -> str:
    """Cut a text that fills more than two lines of a terminal; what is piped on stays whole."""
    return _cut(said, 2 * shutil.get_terminal_size().columns) if sys.stdout.isatty() else said


def _cut(said: str, room: int) -> str:
    """Cut a text to so many columns."""
    if _width(said) <= room:
        return said
    used = 0
    for at, char in enumerate(said):
        used += _width(char)
        if used > room - 1:
            return said[:at].rstrip() + "…"
    return said


def _line(cells: Sequence[str], widths: Sequence[int], *, strip: bool = True) -> str:
    line = "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True))
    return line.rstrip() if strip else line


def _width(said: str) -> int:
    """Count the columns a text takes on a terminal: a Chinese character takes two, a combining mark none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in said
    )


def count(number: int, one: str, many: str = "") -> str:
    """Say how many there are: `1 note`, `2 notes`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


_MANY = {"summary": "summaries"}


def counts(found: dict[str, int], *, empty: str = "nothing") -> str:
    """Say how many there are of each kind of note."""
    said = (
        count(number, "plain note" if kind == "plain" else kind, _MANY.get(kind, "")) for kind, number in found.items()
    )
    return ", ".join(said) or empty


def meant(word: str, known: Iterable[str]) -> str:
    """Guess what a word that is none was to be; '' where nothing is near."""
    near = difflib.get_close_matches(word.casefold(), list(known), 1, 0.6)
    return f" Did you mean '{near[0]}'?" if near else ""


def refuse_unknown(what: str, word: str, known: Iterable[str]) -> NoReturn:
    """Refuse a word that is not among the known ones."""
    raise BadInputError(f"There is no {what} '{word}'.{meant(word, known)}", f"Known: {', '.join(sorted(known))}.")


class Group(click.Group):
    """A group of commands that knows what a misspelt one was to be."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:  # fmt: skip
        """Find the command, or say which one is near."""
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            ctx.fail(f"No such command '{args[0]}'.{meant(args[0], known)}")
        return super().resolve_command(ctx, args)


def remark(said: str) -> None:
    """Say something beside the data; where nobody listens, the data counts all the same."""
    with suppress(OSError):
        click.echo(said, err=True)


def remark_refused(written: Answer) -> None:
    """Say what was not taken as it was given: tags, and secrets."""
    for why in written.get("refused", ()):
        remark(f"Not taken as a tag: {why}")
    if kinds := written["redacted"]:
        remark(f"A secret was taken out before anything was written: {', '.join(kinds)} (`govern.redact`).")


def dim(said: str) -> str:
    """Write something of less weight."""
    return said if _is_plain() else click.style(said, dim=True)


def bold(said: str) -> str:
    """Write something of more weight."""
    return said if _is_plain() else click.style(said, bold=True)


def _is_plain() -> bool:
    """Tell whether the person or the terminal wants no escapes at all (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
