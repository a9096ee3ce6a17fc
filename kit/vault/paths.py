"""Paths of the vault: which are allowed, and where they really are on the disk.

Law: no path leaves the vault, by `..`, by being absolute, or through a link; none enters `.git`.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from kit.errors import RefusedError

TEMP = re.compile(r"\.~[0-9a-f]{16}\.tmp")
"""The name of a temporary file of the kit; its dot hides it from Obsidian and from the watcher."""

_LONGEST = 255
_NOWHERE = frozenset({"", ".", ".."})
"""Names that lead nowhere, or up; an absolute path begins with the empty one."""
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")
# Windows, Android and Obsidian's Sync can't have these, so the kit never makes them
_ILLEGAL = re.compile(r"[<>:\"|?*\ud800-\udfff]|[ .]\Z|\A ")
_HALF = re.compile(r"[\ud800-\udfff]")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")


def check(path: str) -> list[str]:
    """Cut a relative POSIX path into its names; raise RefusedError when it could leave the vault."""
    names = path.split("/")
    if os.path.splitdrive(path)[0] or not _NOWHERE.isdisjoint(names):
        raise RefusedError(f"`{path}` is no path inside the vault.", "Give it relative to the vault's root.")
    for name in names:
        if _UNSAFE.search(name) or _too_long(name):
            raise RefusedError(f"`{path!r}` holds a name that can't be used.", "Rename the file.")
        if name[0] == "." and name.casefold() == ".git":
            raise RefusedError(f"`{path}` belongs to git.", "The kit keeps out of it.")
    return names


def check_new(path: str) -> list[str]:
    """Cut a path that is to be made into its names, NFC; raise RefusedError when some system can't have it."""
    names = check(unicodedata.normalize("NFC", path))
    for name in names:
        if _ILLEGAL.search(name) or _RESERVED.fullmatch(name) or TEMP.fullmatch(name):
            raise RefusedError(f"`{name}` is no file name that every system allows.", "Choose another name.")
    return names


def check_theirs(path: str) -> list[str]:
    """Cut a path with names that a person chose into these, as they are spelt; raise RefusedError when it can't be had.

    A name that only other systems can't have is theirs to choose.
    """
    if os.name == "nt" or _HALF.search(path):
        return check_new(path)
    return check(path)


def straight(root: Path, path: str) -> str | None:
    """Find a path that is spelt on the disk exactly so, with no link on its way; None when it takes a closer look."""
    check(path)
    full = f"{root}/{path}"
    return full if os.path.lexists(full) and _is_straight(str(root), full) else None


def locate(root: Path, path: str) -> Path:
    """Find a path as it is spelt on the disk: exactly so, or in another Unicode form."""
    names = check(path)
    full = root / path
    if os.path.lexists(full):
        return full
    here = root
    for name in names:
        exact = here / name
        here = exact if os.path.lexists(exact) else here / (_same_form(here, name) or name)
    return here


def inside(root: Path, full: Path, path: str) -> Path:
    """Follow every link; raise RefusedError when the end is outside the vault. `root` is already real."""
    if _is_straight(str(root), str(full)):
        return full
    real = Path(os.path.realpath(full))
    if not real.is_relative_to(root):
        raise RefusedError(f"`{path}` leads out of the vault through a link.", "Put the file itself there.")
    if any(name.casefold() == ".git" for name in real.relative_to(root).parts):
        raise RefusedError(f"`{path}` belongs to git.", "The kit keeps out of it.")
    return real


def _is_straight(base: str, end: str) -> bool:
    """Tell whether no link lies between the root and the end: then there is nothing to follow."""
    if os.name != "posix" or not end.startswith(f"{base}/"):  # Windows has junctions, which are no links to Python
        return False
    at = len(base)
    while (at := end.find("/", at + 1)) > 0:
        if os.path.islink(end[:at]):  # noqa: PTH114 - each note of a vault comes here; a Path takes four times as long
            return False
    return not os.path.islink(end)  # noqa: PTH114 - the same


def _too_long(name: str) -> bool:
    if name.isascii():
        return len(name) > _LONGEST
    try:
        return len(os.fsencode(name)) > _LONGEST
    except UnicodeEncodeError:  # half of a surrogate pair: no file can be called that
        return True


def twin(folder: Path, name: str) -> str:
    """Find what has the same name on systems that fold case and Unicode forms; empty when nothing has."""
    wanted = folded(name)
    return next((found for found in _names(folder) if folded(found) == wanted), "")


def names_in(folder: Path, *, cased: bool = False) -> set[str]:
    """Gather the names in a folder, each as `same` has it."""
    return {same(found, cased=cased) for found in _names(folder)}


def _same_form(folder: Path, name: str) -> str:
    wanted = unicodedata.normalize("NFC", name)
    return next((found for found in _names(folder) if unicodedata.normalize("NFC", found) == wanted), "")


def same(name: str, *, cased: bool = False) -> str:
    """Fold a name to what systems that fold Unicode forms, and case unless `cased`, take it for."""
    return unicodedata.normalize("NFC", name) if cased else folded(name)


def folded(name: str) -> str:
    """Fold a name to what systems that fold case and Unicode forms take it for."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _names(folder: Path) -> list[str]:
    try:
        return [found.name for found in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
