"""Where the derived data and the daemon's socket of a vault lie on this machine.

Law: never inside the vault, never readable by anyone else. A hook run in a bare environment must find the
same places as a shell, so a relative or foreign folder named in the environment is passed over; where a person reads
what is said, one of ours is refused.
`kit/whereabouts.py` repeats these paths for hooks (it imports nothing of the kit); a test holds the two equal.
"""

from __future__ import annotations

import os
import stat
import sys
from contextvars import ContextVar
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from kit.errors import BadInputError, RefusedError, UnavailableError

if TYPE_CHECKING:
    from datetime import tzinfo

SOCKET = "socket"
"""Name of the socket in the runtime folder."""
_LONGEST_PATH = 4096
"""Characters of a `.git` file that are read."""
LONGEST_ADDRESS = 100
"""Bytes of a socket's path; macOS takes 103, Linux 107."""
PRIVATE = 0o700
ZONE: ContextVar[tzinfo | None] = ContextVar("zone", default=None)
"""The zone of whoever asks, where a process serves people of other zones than its own; None: its own."""


class NoFolderError(UnavailableError):
    """A folder of ours on this machine can't be made or used."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(
            f"The folder {folder} {why}.",
            "See to it that it can, or have MEMKIT_CACHE (for a socket MEMKIT_RUNTIME) name a folder of yours.",
        )


def vault_key(root: Path) -> str:
    """Hash the real path of a vault to 16 hex digits."""
    real = os.path.normcase(os.path.realpath(root))
    return blake2b(os.fsencode(real), digest_size=8).hexdigest()


def cache_base() -> Path:
    """Name the folder of everything derived: `$MEMKIT_CACHE`, else `memkit` in the platform's cache."""
    if named := _absolute("MEMKIT_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = _absolute("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = _absolute("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "memkit"


def config_base() -> Path:
    """Name the folder of the person's settings: `$MEMKIT_CONFIG`, else `memkit` in the platform's config folder."""
    if named := _absolute("MEMKIT_CONFIG"):
        return Path(named)
    if sys.platform == "win32":
        base = _absolute("APPDATA") or "~/AppData/Roaming"
    elif sys.platform == "darwin":
        base = "~/Library/Application Support"
    else:
        base = _absolute("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "memkit"


def check_named() -> None:
    """Refuse folders of ours in the environment that `_absolute` passes over, or that can't be folders.

    For whoever reads what is refused: a hook and the daemon it starts go on with the usual places.
    """
    for name in ("MEMKIT_CACHE", "MEMKIT_CONFIG", "MEMKIT_RUNTIME"):
        value = os.environ.get(name, "")
        if value and not _absolute(name):
            raise BadInputError(
                f"{name} is '{value}', which is no absolute path.", "Write it out in full, from the root."
            )
        if value and _is_file(Path(value)):
            raise BadInputError(f"{name} is '{value}', which is a file.", "Give the folder, or leave the variable out.")


def _is_file(path: Path) -> bool:
    """Tell whether a path is, or lies below, what is there and is no folder."""
    try:
        return not stat.S_ISDIR(path.stat().st_mode)
    except NotADirectoryError:
        return True
    except OSError:
        return False


def pointer_file() -> Path:
    """Name the file whose one line is the path of the person's default vault."""
    return config_base() / "vault"


def cache_folder(vault_id: str, root: Path) -> Path:
    """Make the private folder for what is derived from one vault at one place.

    A copy of a vault has the same id and another path, hence both in the name.
    """
    if not vault_id or not all(char.isalnum() or char in "-_" for char in vault_id):
        raise BadInputError(
            f"The vault id {vault_id!r} can't be part of a folder's name.",
            "Use letters, digits, - and _ only.",
        )
    folder = private_folder(cache_base() / f"{vault_id}-{vault_key(root)[:8]}")
    if not os.access(folder, os.W_OK):  # of a disk that was mounted read-only since, too
        raise NoFolderError(folder, "can't be written to")
    return folder


def spool_folder(root: Path) -> Path:
    """Name the folder where hooks leave what no daemon took; it may not exist."""
    return cache_base() / f"spool-{vault_key(root)}"


def runtime_folder(root: Path) -> Path:
    """Make the private folder of a vault's socket, lock and `daemon.json`."""
    folder = runtime_path(root)
    if sys.platform != "win32" and len(os.fsencode(folder / SOCKET)) > LONGEST_ADDRESS:
        raise BadInputError(
            f"The folder {folder} is too long for a socket ({LONGEST_ADDRESS} bytes).",
            "Set MEMKIT_RUNTIME to a shorter path.",
        )
    return private_folder(folder)


def runtime_path(root: Path) -> Path:
    """Name the runtime folder without making it.

    `/run/user/<uid>` counts even when `XDG_RUNTIME_DIR` is not set, and `TMPDIR` does not count: else a
    shell, a hook and a cron job would each start a daemon of their own for one vault.
    """
    key = vault_key(root)
    if named := _absolute("MEMKIT_RUNTIME"):
        return Path(named) / f"memkit-{key}"
    if sys.platform == "win32":
        return cache_base() / f"run-{key}"
    uid = os.getuid()
    for base in (_absolute("XDG_RUNTIME_DIR"), f"/run/user/{uid}"):
        folder = f"{base}/memkit-{key}"
        if base and _owner(base) == uid and len(os.fsencode(f"{folder}/{SOCKET}")) <= LONGEST_ADDRESS:
            return Path(folder)
    return Path(f"/tmp/memkit-{uid}-{key}")  # noqa: S108 - owner and mode are checked before it is used


def private_folder(folder: Path) -> Path:
    """Make a folder that only this user can enter; refuse one that someone else owns or can enter."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        folder.mkdir(exist_ok=True, mode=PRIVATE)
        found = folder.lstat()
    except OSError as error:
        raise NoFolderError(folder, f"can't be made: {error.strerror}") from error
    if sys.platform == "win32":
        return folder
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise RefusedError(
            f"The folder {folder} is not private: another user owns it or can enter it.",
            "Look who made it, then remove it or set its mode to 0700.",
        )
    return folder


def _absolute(name: str) -> str:
    value = os.environ.get(name, "")
    return value if Path(value).is_absolute() else ""


def _owner(folder: str) -> int:
    try:
        found = os.stat(folder)  # noqa: PTH116 - the hook repeats these lines without pathlib
    except OSError:
        return -1
    return found.st_uid if stat.S_ISDIR(found.st_mode) else -1


def child_environment() -> dict[str, str]:
    """Make the environment of a child of ours, which must find this package but look into no current folder."""
    here = str(Path(__file__).resolve().parent.parent)
    paths = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH", ""))))
    return os.environ | {"PYTHONPATH": paths}


def project_of(cwd: str) -> str:
    """Name the project of a working folder: its git repository, whatever the worktree; else the folder."""
    if not cwd:
        return ""
    here = Path(cwd)
    for folder in (here, *here.parents):
        if folder == Path.home():  # a repository of dot-files holds no projects
            break
        mark = folder / ".git"
        try:
            if mark.is_dir():
                return folder.name
            if mark.is_file():
                return _repository(mark) or folder.name
        except OSError:
            return ""
    return "" if here == Path.home() or here == here.parent else here.name


def _repository(mark: Path) -> str:
    """Follow a worktree's `.git` file (`gitdir: /repo/.git/worktrees/x`) to its repository."""
    with mark.open(encoding="utf-8", errors="replace") as file:
        target = file.read(_LONGEST_PATH).partition("gitdir:")[2].strip()
    try:
        parts = (mark.parent / target).resolve().parts if target else ()
    except (OSError, RuntimeError, ValueError):  # no path at all, or links in a circle
        return ""
    if len(parts) < 4 or parts[-2] != "worktrees":  # noqa: PLR2004 - a submodule is a repository of its own
        return ""
    return parts[-4] if parts[-3] in (".git", ".bare") else parts[-3].removesuffix(".git")
