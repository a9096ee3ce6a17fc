"""Writing an export to the disk: whole or not at all, outside the vault, over nothing that is not an older export.

Law: the vault is only read.
"""

from __future__ import annotations

import os
import secrets
import shutil
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import BadInputError, ConflictError, Problem, UnavailableError
from kit.transfer import book, own

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from kit.govern.hand import Hand

FORMS = ("json", "markdown")
LISTED = ".memkit-export"
"""The file of a folder that names all others that were written, each with its digest."""
_OF_SYSTEMS = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Files that a system lays into any folder it has shown."""


class Left(NamedTuple):
    """What an export wrote."""

    target: str
    form: str
    notes: int
    files: int
    size: int
    """bytes"""
    problems: tuple[Problem, ...] = ()


def leave(
    hand: Hand, target: Path, form: str, now: datetime, vault: str, owner: AbstractContextManager[object], *,
    archive: bool, journal: bool, force: bool,
) -> Left:  # fmt: skip
    """Write an export; `force` lets it take the place of an older one. `owner` is held for a page at a time."""
    if form not in FORMS:
        raise BadInputError(f"'{form}' is no form of export.", f"Known: {', '.join(FORMS)}.")
    if not target.is_absolute():
        raise BadInputError(f"{target} is no whole path.", "Begin it at the root.")
    place = target.parent.resolve() / target.name
    if place == hand.store.root or hand.store.root in place.parents:
        raise BadInputError(f"{target} lies in the vault itself.", "Export to somewhere else.")
    if form == "markdown" and (archive or journal):
        raise BadInputError("Clean Markdown holds what is remembered now.", "Archive and journal go with `json`.")
    if not place.parent.is_dir():
        raise BadInputError(f"There is no folder {target.parent}.", "Make it first, or export to another place.")
    _refuse_taken(place, form, force=force)
    temp = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        if form == "json":
            told = _json(temp, own.lines(hand.store.root, vault, now, archive=archive, journal=journal))
        else:
            told = _folder(temp, _in_turn(book.pages(hand, now), owner))
        if place.is_dir():
            old = place.with_name(f".{place.name}.{secrets.token_hex(4)}.old")
            place.rename(old)
            try:
                temp.rename(place)
            except OSError:
                old.rename(place)
                raise
            shutil.rmtree(old)
        else:
            temp.replace(place)
    except OSError as error:
        raise UnavailableError(f"{target} can't be written: {error.strerror}.", "Choose another place.") from error
    finally:
        shutil.rmtree(temp, ignore_errors=True)
        temp.unlink(missing_ok=True)
    return told._replace(target=str(place), form=form)


def _in_turn(pages: Iterator[book.Step], owner: AbstractContextManager[object]) -> Iterator[book.Step]:
    """Let others use the indexes between two pages."""
    while True:
        with owner:
            page = next(pages, book.END)
        if page == book.END:
            return
        yield page


def _refuse_taken(place: Path, form: str, *, force: bool) -> None:
    if not os.path.lexists(place) or (form == "markdown" and place.is_dir() and not any(place.iterdir())):
        return
    ours = own.fits(place) if form == "json" else (place / LISTED).is_file() and not place.is_symlink()
    if not ours:
        raise ConflictError(f"{place} is there already, and is no export of the kit.", "Name another place.")
    if not force:
        raise ConflictError(f"{place} is there already.", "Give --force to have the new export take its place.")
    if form == "markdown" and (foreign := _foreign(place)):
        raise ConflictError(f"{foreign} is not what the export wrote.", "Move what is yours away first.")


def _foreign(folder: Path) -> Path | None:
    """Find a file in an older export that somebody has added or changed."""
    listed = (folder / LISTED).read_text("utf-8").split("\n")  # a name may hold other line ends
    known = {path: digest for digest, _, path in (line.partition(" ") for line in listed if line)}
    for file in sorted(each for each in folder.rglob("*") if not each.is_dir() or each.is_symlink()):
        path = file.relative_to(folder).as_posix()
        if path == LISTED or file.name in _OF_SYSTEMS:
            continue
        if file.is_symlink() or known.get(path) != _digest(file.read_bytes()):
            return file
    return None


def _digest(raw: bytes) -> str:
    return blake2b(raw, digest_size=16).hexdigest()


def _json(temp: Path, lines: Iterator[str | Problem]) -> Left:
    problems: list[Problem] = []
    notes = -1  # the header is no note
    with temp.open("x", encoding="utf-8", newline="\n", errors="surrogatepass") as file:
        for line in lines:
            if isinstance(line, Problem):
                problems.append(line)
            else:
                file.write(line + "\n")
                notes += 1
        file.flush()
        os.fsync(file.fileno())
        size = file.tell()
    return Left("", "", notes, 1, size, tuple(problems))


def _folder(temp: Path, pages: Iterator[book.Step]) -> Left:
    problems: list[Problem] = []
    listed: list[str] = []
    files = size = 0
    for page in pages:
        if page is None:
            continue
        if isinstance(page, Problem):
            problems.append(page)
            continue
        path, content = page
        raw = content.encode("utf-8", "replace")
        file = temp / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
        listed.append(f"{_digest(raw)} {path}\n")
        files, size = files + 1, size + len(raw)
    (temp / LISTED).write_text("".join(listed), "utf-8", newline="\n")
    return Left("", "", files, files, size, tuple(problems))
