"""Where a vault, its socket and its cache lie, for a hook that must find them in no time.

Law: the places are those of `kit/places.py`; a test holds the two equal. It imports nothing of the kit, and of Python
only what is built in, unless a path is an unusual one.
"""

# pathlib would double the start-up time:
# ruff: noqa: PTH111, PTH118

import sys
from _blake2 import blake2b

if sys.platform == "win32":
    import os as system
else:
    import posix as system  # the built-in half of `os`, which takes as long to load as all the rest of a hook

__all__ = [
    "FOLDER", "KIND", "cache_base", "config_base", "environment", "exists", "find_vault", "read_file",
    "runtime_path", "system", "vault_key",
]  # fmt: skip

KIND, FOLDER, LINK = 0o170000, 0o040000, 0o120000
"""Which bits of a mode say what a file is; `stat` has names for them, and takes a while to load."""
ENV: list[dict[str, str]] = []
"""The environment, once it was read."""


def environment() -> dict[str, str]:
    """Read the environment: as `os` has it where that is loaded, else as the process was given it."""
    if loaded := sys.modules.get("os"):
        return loaded.environ  # type: ignore[no-any-return]
    if not ENV:
        ENV.append({decoded(name): decoded(value) for name, value in system.environ.items()})
    return ENV[0]


def decoded(name: bytes) -> str:
    """Read a name as Python reads those of files."""
    return name.decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def encoded(name: str) -> bytes:
    """Write a name as Python writes those of files."""
    return name.encode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def read_file(path: str, most: int = 4096) -> bytes:
    """Read the beginning of a small file."""
    file = system.open(path, system.O_RDONLY)
    try:
        return system.read(file, most)
    finally:
        system.close(file)


def find_vault() -> str:
    """Find the vault: `MEMKIT_VAULT`, the nearest parent with `memkit.toml`, the person's pointer file."""
    if named := environment().get("MEMKIT_VAULT"):
        return real(named)
    try:
        here = system.getcwd()
        while not exists(here.rstrip("/") + "/memkit.toml"):
            here, before = parent(here), here
            if here == before:
                raise FileNotFoundError
    except OSError:
        try:
            named = decoded(read_file(config_base() + "/vault")).split("\n")[0].strip()
        except OSError:
            return ""
        return real(named) if named else ""
    return real(here)


def exists(path: str) -> bool:
    """Tell whether there is something at a path."""
    try:
        system.stat(path)
    except OSError:
        return False
    return True


def parent(path: str) -> str:
    """Name the folder something lies in; a root lies in itself."""
    if sys.platform == "win32":
        return system.path.dirname(path)
    return path.rpartition("/")[0] or "/"


def real(path: str) -> str:
    """Follow the links of a path, and `~`; mostly there are none."""
    try:
        if path.startswith("/") and is_plain(path):
            return path
    except OSError:
        pass  # it may not exist
    import os  # noqa: PLC0415 - takes a while to load, and is seldom needed

    return os.path.realpath(os.path.expanduser(path))


def is_plain(path: str) -> bool:
    """Tell whether an absolute path has no link in it, and nothing that stands for another name."""
    names = path.split("/")[1:]
    if not {"", ".", ".."}.isdisjoint(names):
        return False
    here = ""
    for name in names:
        here += "/" + name
        if system.lstat(here).st_mode & KIND == LINK:
            return False
    return True


def vault_key(root: str) -> str:
    """Hash the real path of a vault to 16 hex digits."""
    path = real(root)
    if sys.platform == "win32":
        path = system.path.normcase(path)
    return blake2b(encoded(path), digest_size=8).hexdigest()


def absolute(name: str) -> str:
    """Read a folder from the environment; a relative one counts as none."""
    value = environment().get(name, "")
    if sys.platform == "win32":
        return value if system.path.isabs(value) else ""
    return value if value.startswith("/") else ""


def at_home(path: str) -> str:
    """Name a folder for ours: `~` is the person's home."""
    home = absolute("HOME").rstrip("/")
    if path.startswith("~") and (not home or sys.platform == "win32"):
        import os  # noqa: PLC0415 - as above

        return os.path.join(os.path.expanduser(path), "memkit")
    return path.replace("~", home, 1) + "/memkit" if path.startswith("~") else path.rstrip("/") + "/memkit"


def cache_base() -> str:
    """Name the folder of everything derived."""
    return base("MEMKIT_CACHE", ("LOCALAPPDATA", "~/AppData/Local"), "~/Library/Caches", ("XDG_CACHE_HOME", "~/.cache"))


def config_base() -> str:
    """Name the folder of the person's settings."""
    mac = "~/Library/Application Support"
    return base("MEMKIT_CONFIG", ("APPDATA", "~/AppData/Roaming"), mac, ("XDG_CONFIG_HOME", "~/.config"))


def base(named: str, windows: tuple[str, str], mac: str, elsewhere: tuple[str, str]) -> str:
    """Name a folder: as a variable of ours says, else where the platform has such; pairs are a variable and a path."""
    if told := absolute(named):
        return told
    if sys.platform == "darwin":
        return at_home(mac)
    name, usual = windows if sys.platform == "win32" else elsewhere
    return at_home(absolute(name) or usual)


def runtime_path(root: str) -> str:
    """Name the folder of a vault's socket."""
    key = vault_key(root)
    if named := absolute("MEMKIT_RUNTIME"):
        return f"{named.rstrip('/')}/memkit-{key}"
    if sys.platform == "win32":
        return f"{cache_base()}/run-{key}"
    uid = system.getuid()
    for place in (absolute("XDG_RUNTIME_DIR"), f"/run/user/{uid}"):
        folder = f"{place}/memkit-{key}"
        if place and owner(place) == uid and len(encoded(folder + "/socket")) <= 100:  # noqa: PLR2004 - sun_path
            return folder
    return f"/tmp/memkit-{uid}-{key}"  # noqa: S108 - owner and mode are checked before it is used


def owner(folder: str) -> int:
    """Say who owns a folder; -1 when it is none."""
    try:
        found = system.stat(folder)
    except OSError:
        return -1
    return found.st_uid if found.st_mode & KIND == FOLDER else -1
