"""Laying down a new vault: settings, folders, seed scenes and tags, and the files git and Obsidian want.

Law: nothing that is there is overwritten; doing it again completes what is missing.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

from kit import shipped
from kit.errors import BadInputError, ConflictError, UnavailableError
from kit.vault import layout
from kit.vault.store import Store

if TYPE_CHECKING:
    from pathlib import Path

_DOTTED = {"gitignore": ".gitignore", "gitattributes": ".gitattributes", "obsidian": ".obsidian"}
_SETTINGS = """\
# Settings of this memory. `memkit config` lists them all with their meaning.
id = "{id}"
"""


class Laid(NamedTuple):
    """A vault that was laid down."""

    root: str
    made: tuple[str, ...]
    """the files that were made, relative to the root"""


def lay(root: Path) -> Laid:
    """Make a vault in a folder, or complete one."""
    if root.exists() and not root.is_dir():
        raise BadInputError(f"{root} is a file.", "Name a folder for the vault.")
    try:
        root.mkdir(parents=True, exist_ok=True)
        for folder in layout.FOLDERS:
            (root / folder).mkdir(exist_ok=True)
    except OSError as error:
        raise UnavailableError(
            f"The folder {root} can't be made ({error.strerror}).", "Choose another place."
        ) from None
    store = Store(root.resolve())
    made: list[str] = []
    seeds = shipped.folder("templates") / "vault"
    with store.batch():
        _add(store, made, layout.SETTINGS, _SETTINGS.format(id=_vault_id()).encode())
        for file in sorted(seeds.rglob("*")):
            if file.is_file():
                first, *rest = file.relative_to(seeds).parts
                _add(store, made, "/".join((_DOTTED.get(first, first), *rest)), file.read_bytes())
    return Laid(str(store.root), tuple(made))


def _vault_id() -> str:
    return "".join(secrets.choice(layout.BASE32) for _ in range(8))


def _add(store: Store, made: list[str], path: str, raw: bytes) -> None:
    try:
        store.create(path, raw)
    except ConflictError:
        return
    made.append(path)
