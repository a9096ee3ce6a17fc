"""What a hook does where no daemon answers: it puts down what must last, starts a daemon, and writes what is wrong.

Law: as `courier.py`, which loads it only then; a word that is spooled is on the disk when this returns.
"""

# pathlib would double the start-up time:
# ruff: noqa: PTH100, PTH103, PTH104, PTH110, PTH116, PTH120

import os
import sys
import time

LOG_LIMIT = 256 * 1024
START_PAUSE_S = 5.0
"""A daemon that was started this short a time ago is not started again."""


def spool(base: str, name: str, frame: bytes) -> None:
    """Put a frame on disk, durably, for the next daemon; `name` is the spool's in the cache folder."""
    folder = f"{base}/{name}"
    os.makedirs(base, 0o700, exist_ok=True)
    os.makedirs(folder, 0o700, exist_ok=True)
    path = f"{folder}/{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        while frame:
            frame = frame[os.write(file, frame) :]
        os.fsync(file)
    finally:
        os.close(file)
    os.rename(path, path + ".bin")
    if hasattr(os, "O_DIRECTORY"):
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(file)
        os.close(file)


def make(folder: str) -> None:
    """Make a private folder, unless it is there."""
    os.makedirs(folder, 0o700, exist_ok=True)


def start(root: str, folder: str) -> None:
    """Start the daemon detached, unless one was started a moment ago; two at once sort it out themselves."""
    mark = folder + "/start.lock"
    try:
        if 0 <= time.time() - os.stat(mark).st_mtime < START_PAUSE_S:
            return
    except OSError:
        pass
    os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(mark)
    python = os.environ.get("MEMKIT_PYTHON") or sys.executable
    command = [python, "-P", "-m", "kit", "daemon", "run", "--vault", root]
    env = dict(os.environ)
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.exists(home + "/pyproject.toml"):  # a checkout that may not be installed
        env["PYTHONPATH"] = os.pathsep.join(filter(None, (home, env.get("PYTHONPATH"))))
    if sys.platform == "win32":
        import subprocess  # noqa: PLC0415 - heavy, and only needed here

        null = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603 - our own command, no shell
            command, env=env, stdin=null, stdout=null, stderr=null, creationflags=subprocess.DETACHED_PROCESS
        )
        return
    os.chdir("/")
    for number in range(3, 64):  # what the harness left open must not live as long as the daemon
        try:
            os.set_inheritable(number, False)
        except OSError:
            continue
    null_files = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(python, command, env, file_actions=null_files, setsid=True)


def note(base: str, line: str) -> None:
    """Add a line to the log in the cache folder."""
    os.makedirs(base, 0o700, exist_ok=True)
    path = base + "/hook.log"
    mode = os.O_APPEND
    if os.path.exists(path) and os.stat(path).st_size > LOG_LIMIT:
        mode = os.O_TRUNC
    text = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {' '.join(line.split())[:500]}\n"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | mode, 0o600)
    os.write(file, text.encode("utf-8", "replace"))
    os.close(file)
