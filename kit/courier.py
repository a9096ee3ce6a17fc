"""How a hook is carried: the harness's bytes go to the daemon, the daemon's bytes come back.

Law: it fails open and light. Whatever happens, it exits 0 within its deadline, prints a whole answer or nothing,
and writes its troubles to a log. It imports nothing of the kit and runs under `python -I -S`.

`hook.py <harness> <event>` loads it. The paths are those of `kit/places.py`, the frame that of `protocol.py`.
"""

# pathlib would double the start-up time:
# ruff: noqa: PTH100, PTH103, PTH104, PTH109, PTH110, PTH111, PTH116, PTH117, PTH118, PTH120, PTH123

import _signal  # type: ignore[import-not-found]  # the built-in half of `signal`, without enum
import _socket
import _thread
import os
import stat
import sys
import time
from _blake2 import blake2b

LASTING = ("prompt", "answer")
"""Events whose payload must not be lost: they wait on disk when there is no daemon."""
DEADLINES_S = {"prompt": 0.3}
DEADLINE_S = 2.0
PATIENCE_MS = 10_000
"""The longest a prompt may take, whatever the daemon asks for."""
SLACK_S = 1.0
"""What may go on beyond the deadline: writing to the spool. After it the process ends, come what may."""
LIMIT = [0.0]
"""When the process ends, come what may, on systems without a timer."""
PAYLOAD_LIMIT = 30 * 1024 * 1024
REPLY_LIMIT = 256 * 1024
LOG_LIMIT = 256 * 1024
START_PAUSE_S = 5.0
"""A daemon that was started this short a time ago is not started again."""
PASSED_ON = (
    "CLAUDECODE",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_ENTRYPOINT",
    "COPILOT_CLI",
    "CURSOR_VERSION",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
)
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")


def main() -> None:
    """Run the hook and exit 0."""
    try:
        run(sys.argv[1:])
    except BaseException as error:
        note(f"{' '.join(sys.argv[1:3])}: {type(error).__name__}: {error}")
    os._exit(0)  # no clean-up of the interpreter: it takes time and may print


def run(argv: list[str]) -> None:
    """Bring the bytes of one event to the daemon and print its answer."""
    env = os.environ
    off = env.get("MEMKIT_OFF", "").strip().casefold() not in {"", "0", "false", "no", "off"}
    if off or env.get("MEMKIT_HOOK_DEPTH", "") not in {"", "0"}:
        return
    harness, event = argv
    if not all(name and name.replace("-", "").replace("_", "").isalnum() and name.isascii() for name in argv):
        raise ValueError("the harness or the event is no plain word")
    wait_s = deadline(event)
    end = time.monotonic() + wait_s
    limit(wait_s + SLACK_S)
    open_standard_streams()
    payload = read_payload()
    root = find_vault()
    if not root or not payload.strip():
        return
    folder = runtime_path(root)
    end += more_time(folder, event, wait_s)
    frame = frame_of(harness.lower(), event.lower(), payload)
    sock = connect(folder, end)
    if sock is None:
        # To disk first: the daemon that is started now looks there once it listens.
        if event in LASTING:
            spool(root, frame)
        if os.environ.get("MEMKIT_DAEMON_START", "").strip().casefold() not in {"0", "false", "no", "off"}:
            start(root, folder)
        return
    try:
        answer = exchange(sock, frame, end)
    except BaseException as error:
        # A slow daemon has the prompt and will keep it. An answer goes to disk in any case: completing twice
        # is the same as completing once.
        if event in LASTING and (event == "answer" or not isinstance(error, TimeoutError)):
            spool(root, frame)
        raise
    while answer:
        answer = answer[os.write(1, answer) :]


def deadline(event: str) -> float:
    """Say how many seconds an event may take."""
    told = os.environ.get("MEMKIT_HOOK_DEADLINE_MS", "")
    return int(told) / 1000 if told.isdecimal() else DEADLINES_S.get(event, DEADLINE_S)


def more_time(folder: str, event: str, wait_s: float) -> float:
    """Grant a prompt more seconds where the daemon asks a model about it; the daemon is told how many there are."""
    if event != "prompt" or os.environ.get("MEMKIT_HOOK_DEADLINE_MS"):
        return 0.0
    try:
        with open(folder + "/prompt-ms", encoding="ascii") as file:
            told = min(int(file.read(16)), PATIENCE_MS)
    except (OSError, ValueError):
        return 0.0
    more_s = max(0.0, told / 1000 - wait_s)
    os.environ["MEMKIT_HOOK_DEADLINE_MS"] = str(round((wait_s + more_s) * 1000))
    limit(wait_s + more_s + SLACK_S)
    return more_s


def limit(seconds: float) -> None:
    """End the process silently after a time, even when it hangs in a read or on a disk."""
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
    else:
        LIMIT[0] = time.monotonic() + seconds
        _thread.start_new_thread(end_after, ())


def end_after() -> None:
    """End the process silently when its time is up, which may have been put off; for systems without a timer."""
    while (rest := LIMIT[0] - time.monotonic()) > 0:
        time.sleep(rest)
    os._exit(0)


def open_standard_streams() -> None:
    """Fill closed standard streams, lest the socket become number 1 and be printed to."""
    opened = os.open(os.devnull, os.O_RDWR)
    while opened < 3:  # noqa: PLR2004 - stdin, stdout, stderr
        opened = os.open(os.devnull, os.O_RDWR)


def read_payload() -> bytes:
    """Read all of stdin; a harness must not be left with a broken pipe."""
    pieces, size = [], 0
    while piece := os.read(0, 1 << 16):
        size += len(piece)
        if size > PAYLOAD_LIMIT:
            raise ValueError("the payload is too large")
        pieces.append(piece)
    return b"".join(pieces)


def find_vault() -> str:
    """Find the vault: `MEMKIT_VAULT`, the nearest parent with `memkit.toml`, the person's pointer file."""
    if named := os.environ.get("MEMKIT_VAULT"):
        return os.path.realpath(os.path.expanduser(named))
    try:
        here = os.getcwd()
        while not os.path.exists(os.path.join(here, "memkit.toml")):
            here, before = os.path.dirname(here), here
            if here == before:
                raise FileNotFoundError
    except OSError:
        try:
            with open(config_base() + "/vault", encoding="utf-8") as pointer:
                named = pointer.readline().strip()
        except OSError:
            return ""
        return os.path.realpath(os.path.expanduser(named)) if named else ""
    return os.path.realpath(here)


def frame_of(harness: str, event: str, payload: bytes) -> bytes:
    """Write the frame: a line, the environment, the payload."""
    # A harness sets the working folder of a hook, but seldom its PWD.
    kept = {name: value for name, value in os.environ.items() if passed_on(name) and len(value) < 4096}  # noqa: PLR2004 - no name or path is longer
    try:
        kept["PWD"] = os.getcwd()
    except OSError:
        kept.pop("PWD", None)
    kept["MEMKIT_ZONE"] = str(time.localtime().tm_gmtoff)
    pairs = "\0".join(f"{name}={value}" for name, value in kept.items())
    env = pairs.encode("utf-8", "surrogateescape")
    return b"HOOK %s %s %d %d\n" % (harness.encode(), event.encode(), len(payload), len(env)) + env + payload


def passed_on(name: str) -> bool:
    """Tell whether the daemon is told a variable; never a key or token."""
    return (name in PASSED_ON or name.startswith(("CODEX_", "MEMKIT_"))) and not any(word in name for word in SECRET)


def connect(folder: str, end: float) -> _socket.socket | None:
    """Connect to the daemon; None when none serves."""
    try:
        if hasattr(_socket, "AF_UNIX") and os.path.exists(folder + "/socket"):
            check_private(folder)
            sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            sock.settimeout(left(end))
            sock.connect(folder + "/socket")
            return sock
        with open(folder + "/daemon.json", encoding="utf-8") as file:
            words = file.read().split('"')  # written by the kit: no value holds a quotation mark
        host, port = words[words.index("address") + 2].split(":")
        token = words[words.index("token") + 2]
        sock = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        sock.settimeout(left(end))
        sock.connect((host, int(port)))
        sock.sendall(token.encode() + b"\n")
    except PermissionError:
        raise
    except (OSError, ValueError):
        return None
    return sock


def check_private(folder: str) -> None:
    """Refuse a folder that someone else made or can enter: what is said there is private."""
    if hasattr(os, "getuid"):
        found = os.lstat(folder)
        if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077:
            raise PermissionError(f"{folder} is not private")


def exchange(sock: _socket.socket, frame: bytes, end: float) -> bytes:
    """Send the frame and read the whole answer; an answer that is not whole is an error."""
    sock.settimeout(left(end))
    try:
        sock.sendall(frame)
    except TimeoutError as error:
        raise ConnectionError("the daemon did not take it all") from error
    got = b""
    while True:
        head, newline, body = got.partition(b"\n")
        if newline:
            size = int(head[3:]) if head.startswith(b"OK ") else -1
            if not 0 <= size <= REPLY_LIMIT or len(body) > size:
                raise ValueError("the daemon refused, or its answer is no answer")
            if len(body) == size:
                return body
        elif len(got) > 64:  # noqa: PLR2004 - more than any first line
            raise ValueError("the daemon's answer is no answer")
        sock.settimeout(left(end))
        piece = sock.recv(1 << 16)
        if not piece:
            raise EOFError("the daemon broke off")
        got += piece


def left(end: float) -> float:
    """Say how many seconds are left; 0 would mean not to wait at all, which is another thing."""
    return max(end - time.monotonic(), 0.001)


def spool(root: str, frame: bytes) -> None:
    """Put a frame on disk, durably, for the next daemon."""
    folder = cache_base() + "/spool-" + vault_key(root)
    os.makedirs(cache_base(), 0o700, exist_ok=True)
    os.makedirs(folder, 0o700, exist_ok=True)
    name = f"{folder}/{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}"
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        while frame:
            frame = frame[os.write(file, frame) :]
        os.fsync(file)
    finally:
        os.close(file)
    os.rename(name, name + ".bin")
    if hasattr(os, "O_DIRECTORY"):
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(file)
        os.close(file)


def start(root: str, folder: str) -> None:
    """Start the daemon detached, unless one was started a moment ago; two at once sort it out themselves."""
    os.makedirs(folder, 0o700, exist_ok=True)
    check_private(folder)
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


def vault_key(root: str) -> str:
    """Hash the real path of a vault to 16 hex digits."""
    real = os.path.normcase(os.path.realpath(root))
    return blake2b(os.fsencode(real), digest_size=8).hexdigest()


def absolute(name: str) -> str:
    """Read a folder from the environment; a relative one counts as none."""
    value = os.environ.get(name, "")
    return value if os.path.isabs(value) else ""


def cache_base() -> str:
    """Name the folder of everything derived."""
    if named := absolute("MEMKIT_CACHE"):
        return named
    if sys.platform == "win32":
        base = absolute("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = absolute("XDG_CACHE_HOME") or "~/.cache"
    return os.path.join(os.path.expanduser(base), "memkit")


def config_base() -> str:
    """Name the folder of the person's settings."""
    if named := absolute("MEMKIT_CONFIG"):
        return named
    if sys.platform == "win32":
        base = absolute("APPDATA") or "~/AppData/Roaming"
    elif sys.platform == "darwin":
        base = "~/Library/Application Support"
    else:
        base = absolute("XDG_CONFIG_HOME") or "~/.config"
    return os.path.join(os.path.expanduser(base), "memkit")


def runtime_path(root: str) -> str:
    """Name the folder of a vault's socket."""
    key = vault_key(root)
    if named := absolute("MEMKIT_RUNTIME"):
        return os.path.join(named, f"memkit-{key}")
    if sys.platform == "win32":
        return os.path.join(cache_base(), f"run-{key}")
    uid = os.getuid()
    for base in (absolute("XDG_RUNTIME_DIR"), f"/run/user/{uid}"):
        folder = f"{base}/memkit-{key}"
        if base and owner(base) == uid and len(os.fsencode(folder + "/socket")) <= 100:  # noqa: PLR2004 - sun_path
            return folder
    return f"/tmp/memkit-{uid}-{key}"  # noqa: S108 - owner and mode are checked before it is used


def owner(folder: str) -> int:
    """Say who owns a folder; -1 when it is none."""
    try:
        found = os.stat(folder)
    except OSError:
        return -1
    return found.st_uid if stat.S_ISDIR(found.st_mode) else -1


def note(line: str) -> None:
    """Add a line to the log in the cache folder, if that can be done."""
    try:
        os.makedirs(cache_base(), 0o700, exist_ok=True)
        path = cache_base() + "/hook.log"
        mode = os.O_APPEND
        if os.path.exists(path) and os.stat(path).st_size > LOG_LIMIT:
            mode = os.O_TRUNC
        text = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {' '.join(line.split())[:500]}\n"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | mode, 0o600)
        os.write(file, text.encode("utf-8", "replace"))
        os.close(file)
    except BaseException:
        pass
