"""The settings of one vault, and where it lies.

Law: the vault's `memkit.toml`, then the person's own file, then `MEMKIT_*`, each stronger than the one before.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from kit import places
from kit.errors import ConfigError, NoVaultError
from kit.settings import TABLE, read_file, read_variable
from kit.vault.layout import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kit.errors import Problem
    from kit.settings import Value


class Config:
    """Values of all settings for one vault, each with the place it came from."""

    def __init__(
        self, values: Mapping[str, Value], origins: Mapping[str, str], problems: tuple[Problem, ...] = ()
    ) -> None:
        self._values = values
        self.origins = origins
        self.problems = problems
        """What has a fault, and counts for nothing."""

    def text(self, name: str) -> str:
        """Read a setting that is a text."""
        return str(self._values[name])

    def number(self, name: str) -> float:
        """Read a setting that is a number."""
        return float(self._values[name])

    def count(self, name: str) -> int:
        """Read a setting that is a whole number."""
        return int(self._values[name])

    def flag(self, name: str) -> bool:
        """Read a setting that is true or false."""
        return bool(self._values[name])

    def section(self, name: str) -> dict[str, Value]:
        """Gather the settings `name.…`, without that name."""
        return {row.name.partition(".")[2]: self._values[row.name] for row in TABLE if row.name.startswith(f"{name}.")}

    def rows(self) -> list[tuple[str, Value, str, str]]:
        """List name, value, origin and meaning of every setting."""
        return [(row.name, self._values[row.name], self.origins[row.name], row.meaning) for row in TABLE]


def find_vault(given: str | None = None, start: Path | None = None) -> Path:
    """Find the vault: as given, `MEMKIT_VAULT`, the nearest parent with `memkit.toml`, the person's own.

    Raise NoVaultError with what to do.
    """
    named = given or os.environ.get("MEMKIT_VAULT")
    if named:
        root = Path(named).expanduser()
        if not root.is_dir():
            raise NoVaultError(f"There is no folder {root}.", f"Make a vault there: memkit init {root}")
        if not (root / SETTINGS).is_file() and not (root / "cards").is_dir():
            raise NoVaultError(f"{root} is no vault: it has no {SETTINGS}.", f"Make it one: memkit init {root}")
        return root.resolve()
    for folder in _upwards(start):
        if (folder / SETTINGS).is_file():
            return folder
    pointer = places.config_base() / "vault"
    if pointer.is_file():
        root = Path(pointer.read_text(encoding="utf-8").strip()).expanduser()
        if root.is_dir():
            return root.resolve()
        raise NoVaultError(f"Your vault {root} is not there.", "Mount or restore it, or name another with --vault.")
    raise NoVaultError("No vault is here.", "Make one with `memkit init ~/memory`, or name one with --vault.")


def _upwards(start: Path | None) -> tuple[Path, ...]:
    """List a folder and its parents; none for a working folder that was deleted meanwhile."""
    try:
        here = (start or Path.cwd()).resolve()
    except OSError:
        return ()
    return (here, *here.parents)


def load(root: Path) -> Config:
    """Gather the settings of a vault; raise ConfigError with every fault found."""
    found = read(root)
    if found.problems:
        raise ConfigError(list(found.problems))
    return found


def read(root: Path) -> Config:
    """Gather the settings of a vault; where one has a fault, what is weaker holds: at last its default."""
    values: dict[str, Value] = {row.name: row.default for row in TABLE}
    origins = dict.fromkeys(values, "default")
    problems: list[Problem] = []
    for file in (root / SETTINGS, places.config_base() / "config.toml"):
        for name, value in read_file(file, problems).items():
            values[name], origins[name] = value, str(file)
    for row in TABLE:
        variable = "MEMKIT_" + row.name.upper().replace(".", "_")
        given = os.environ.get(variable)
        if given is not None and row.name != "id":
            parsed = read_variable(row, variable, given, problems)
            if parsed is not None:
                values[row.name], origins[row.name] = parsed, variable
    return Config(values, origins, tuple(problems))


class Live:
    """The settings of a vault while its files may be edited: faulty ones change nothing, and are told."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files = (root / SETTINGS, places.config_base() / "config.toml")
        self._read = self._stamps()
        self.first = read(root)
        self.problems = self.first.problems

    def is_edited(self) -> bool:
        """Tell whether a file is another than the one that was read; costs two looks at the disk."""
        now = self._stamps()
        return now != self._read and not (self._read[0] and not now[0])  # a vault that is away keeps its settings

    def renewed(self) -> Config | None:
        """Read files that were edited; None when none was, or one has faults, which then stand in `problems`."""
        if not self.is_edited():
            return None
        self._read = self._stamps()
        found = read(self._root)
        self.problems = found.problems
        return None if found.problems else found

    def _stamps(self) -> tuple[tuple[int, int, int] | None, ...]:
        return tuple(_stamp(file) for file in self._files)


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
