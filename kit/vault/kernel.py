"""What the operating system can tell of a folder: is it still the same one, does it send events, is it watched.

Law: asking changes nothing; where the system does not tell, the answer is the one that raises no alarm.
"""

from __future__ import annotations

import contextlib
import os
import stat as modes
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# File systems whose changes may be made elsewhere: by another machine, or by the host of a virtual one.
_EVENTLESS = {"9p", "drvfs", "cifs", "smb3", "smbfs", "nfs", "nfs4", "afs", "vboxsf", "prl_fs", "virtiofs", "fuse"}


class Root(NamedTuple):
    """Which folder the vault's root is, wherever its name leads."""

    real: str
    dev: int
    ino: int

    @classmethod
    def of(cls, root: Path) -> Root | None:
        """Find the folder a root stands for; None when there is none."""
        real = os.path.realpath(root)
        try:
            found = Path(real).stat()
        except OSError:
            return None
        return cls(real, found.st_dev, found.st_ino) if modes.S_ISDIR(found.st_mode) else None

    def is_still(self, root: Path) -> bool:
        """Tell whether a root leads where it led, by as few looks at the disk as can be: questions ask each time."""
        try:
            here, there = os.stat(root), os.stat(self.real)  # noqa: PTH116 - pathlib takes as long as the look itself
        except OSError:
            return False
        mine = self.dev, self.ino
        return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino) == mine and modes.S_ISDIR(here.st_mode)

    def empty(self) -> bool:
        """Say whether nothing at all lies in it, as in the place of an unmounted disk."""
        try:
            with os.scandir(self.real) as entries:
                return next(entries, None) is None
        except OSError:
            return True


def eventless(real: str, mounts: str | None = None) -> str | None:
    """Name the type of file system a folder lies on if that sends no events, else None.

    `mounts` is text in the form of /proc/self/mounts, which is read when it is left out.
    """
    if mounts is None:
        try:
            mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return None
    best, kind = "", ""
    for line in mounts.splitlines():
        _device, at, this_kind, *_ = [*line.split(" "), "", "", ""]
        at = _unescaped(at).rstrip("/")
        # Of two mounts in one place the later one is seen.
        if (real == at or real.startswith(f"{at}/")) and len(at) >= len(best):
            best, kind = at, this_kind
    return kind if kind in _EVENTLESS or kind.startswith("fuse.") else None


def count_watched(real: str, ignore: Callable[[str], bool]) -> tuple[int, int]:
    """Count the folders this process watches, and the folders there are below and with `real`."""
    folders = list(_folder_inodes(real, ignore))
    kernel = _watched_inodes()
    if not folders or folders[0] not in kernel:
        # No inotify here, or a layered file system whose numbers can't be compared.
        return len(folders), len(folders)
    return sum(ino in kernel for ino in folders), len(folders)


def is_blind_below(real: str, folders: Iterable[str], ignore: Callable[[str], bool]) -> bool:
    """Tell whether some folder in or below these (paths in `real`) is there and not watched."""
    kernel = _watched_inodes()
    with contextlib.suppress(OSError):
        if Path(real).stat().st_ino not in kernel:
            return False
    for folder in folders:
        inner = _folder_inodes(real, ignore, folder)
        if any(ino not in kernel for ino in inner):
            return True
    return False


def _folder_inodes(real: str, ignore: Callable[[str], bool], under: str = "") -> Iterator[int]:
    """Yield the inodes, the root's first; what can't be read is left out."""
    for here, names, _ in os.walk(f"{real}/{under}" if under else real):
        with contextlib.suppress(OSError):
            yield Path(here).stat().st_ino
        within = here[len(real) + 1 :].replace(os.sep, "/")
        prefix = f"{within}/" if within else ""
        names[:] = [name for name in names if not ignore(f"{prefix}{name}/")]


def _watched_inodes() -> set[int]:
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for info in Path("/proc/self/fdinfo").iterdir():
            with contextlib.suppress(OSError):
                for line in info.read_text(encoding="ascii", errors="replace").splitlines():
                    if line.startswith("inotify "):
                        found.add(int(line.partition("ino:")[2].split()[0], 16))
    return found


def _unescaped(field: str) -> str:
    for octal, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(octal, sign)
    return field
