"""How a hook is carried: the harness's bytes go to the daemon, the daemon's bytes come back.

Law: it fails open and light. Whatever happens, it exits 0 within its deadline, prints a whole answer or nothing,
and writes its troubles to a log. It imports nothing of the kit and runs under `python -I -S`.

`hook.py <harness> <event>` loads it. The paths are those of `kit/places.py`, the frame that of `protocol.py`. What is
needed only where no daemon answers stands in `undelivered.py`.
"""

import _signal  # type: ignore[import-not-found]  # the built-in half of `signal`, without enum
import _socket
import _thread
import sys
import time

if __package__:
    from kit import whereabouts as at
else:
    import whereabouts as at  # type: ignore[import-not-found,no-redef]

system = at.system
TYPE_CHECKING = False  # `typing` takes longer to load than this file
if TYPE_CHECKING:
    from types import ModuleType

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
PASSED_ON = (
    "CLAUDECODE",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_ENTRYPOINT",
    "COPILOT_CLI",
    "CURSOR_VERSION",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
)
USAGE = b"memkit-hook <harness> <event>: for coding agents, which call it with an event on standard input.\n"
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")


def main() -> None:
    """Run the hook and exit 0."""
    try:
        if sys.argv[1:] == ["--help"]:  # a person, not a harness
            system.write(1, USAGE)
        else:
            run(sys.argv[1:])
    except BaseException as error:
        note(f"{' '.join(sys.argv[1:3])}: {type(error).__name__}: {error}")
    system._exit(0)  # no clean-up of the interpreter: it takes time and may print


def run(argv: list[str]) -> None:
    """Bring the bytes of one event to the daemon and print its answer."""
    env = at.environment()
    if not is_off(env.get("MEMKIT_OFF", "")) or env.get("MEMKIT_HOOK_DEPTH", "") not in {"", "0"}:
        return
    harness, event = argv
    if not all(name and name.replace("-", "").replace("_", "").isalnum() and name.isascii() for name in argv):
        raise ValueError("the harness or the event is no plain word")
    wait_s = deadline(event)
    end = time.monotonic() + wait_s
    limit(wait_s + SLACK_S)
    open_standard_streams()
    payload = read_payload()
    root = at.find_vault()
    if not root or not payload.strip():
        return
    folder = at.runtime_path(root)
    end += more_time(folder, event, wait_s)
    frame = frame_of(harness.lower(), event.lower(), payload)
    sock = connect(folder, end)
    if sock is None:
        # To disk first: the daemon that is started now looks there once it listens.
        if event in LASTING:
            spool(root, frame)
        told = env.get("MEMKIT_DAEMON_START", "")
        if not told.strip() or not is_off(told):
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
        answer = answer[system.write(1, answer) :]


def is_off(said: str) -> bool:
    """Tell whether a switch is off, as it is where nothing is said."""
    return said.strip().casefold() in {"", "0", "false", "no", "off"}


def deadline(event: str) -> float:
    """Say how many seconds an event may take."""
    told = at.environment().get("MEMKIT_HOOK_DEADLINE_MS", "")
    return int(told) / 1000 if told.isdecimal() else DEADLINES_S.get(event, DEADLINE_S)


def more_time(folder: str, event: str, wait_s: float) -> float:
    """Grant a prompt more seconds where the daemon asks a model about it; the daemon is told how many there are."""
    if event != "prompt" or at.environment().get("MEMKIT_HOOK_DEADLINE_MS"):
        return 0.0
    try:
        told = min(int(at.read_file(folder + "/prompt-ms", 16)), PATIENCE_MS)
    except (OSError, ValueError):
        return 0.0
    more_s = max(0.0, told / 1000 - wait_s)
    at.environment()["MEMKIT_HOOK_DEADLINE_MS"] = str(round((wait_s + more_s) * 1000))
    limit(wait_s + more_s + SLACK_S)
    return more_s


def limit(seconds: float) -> None:
    """End the process silently after a time, even when it hangs in a read or on a disk."""
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, lambda *_: system._exit(0))
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
    else:
        LIMIT[0] = time.monotonic() + seconds
        _thread.start_new_thread(end_after, ())


def end_after() -> None:
    """End the process silently when its time is up, which may have been put off; for systems without a timer."""
    while (rest := LIMIT[0] - time.monotonic()) > 0:
        time.sleep(rest)
    system._exit(0)


def open_standard_streams() -> None:
    """Fill closed standard streams, lest the socket become number 1 and be printed to."""
    nothing = "nul" if sys.platform == "win32" else "/dev/null"
    opened = system.open(nothing, system.O_RDWR)
    while opened < 3:  # noqa: PLR2004 - stdin, stdout, stderr
        opened = system.open(nothing, system.O_RDWR)


def read_payload() -> bytes:
    """Read all of stdin; a harness must not be left with a broken pipe."""
    pieces, size = [], 0
    while piece := system.read(0, 1 << 16):
        size += len(piece)
        if size > PAYLOAD_LIMIT:
            raise ValueError("the payload is too large")
        pieces.append(piece)
    return b"".join(pieces)


def frame_of(harness: str, event: str, payload: bytes) -> bytes:
    """Write the frame: a line, the environment, the payload."""
    # A harness sets the working folder of a hook, but seldom its PWD.
    kept = {name: value for name, value in at.environment().items() if passed_on(name) and len(value) < 4096}  # noqa: PLR2004 - no name or path is longer
    try:
        kept["PWD"] = system.getcwd()
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
        if hasattr(_socket, "AF_UNIX") and at.exists(folder + "/socket"):
            check_private(folder)
            sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            sock.settimeout(left(end))
            sock.connect(folder + "/socket")
            return sock
        words = at.read_file(folder + "/daemon.json").decode().split('"')  # written by the kit: no value holds one
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
    if hasattr(system, "getuid"):
        found = system.lstat(folder)
        if found.st_uid != system.getuid() or found.st_mode & at.KIND != at.FOLDER or found.st_mode & 0o077:
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


# -- where no daemon answers


def spool(root: str, frame: bytes) -> None:
    """Put a frame on disk, durably, for the next daemon."""
    undelivered().spool(at.cache_base(), f"spool-{at.vault_key(root)}", frame)


def start(root: str, folder: str) -> None:
    """Start the daemon, unless one was started a moment ago."""
    undelivered().make(folder)
    check_private(folder)
    undelivered().start(root, folder)


def note(line: str) -> None:
    """Add a line to the log in the cache folder, if that can be done."""
    try:
        undelivered().note(at.cache_base(), line)
    except BaseException:
        pass


def undelivered() -> "ModuleType":
    """Load what is needed only here."""
    if __package__:
        from kit import undelivered as loaded  # noqa: PLC0415 - as below
    else:
        sys.path.insert(0, __file__.replace("\\", "/").rpartition("/")[0] or ".")
        try:
            import undelivered as loaded  # type: ignore[import-not-found,no-redef]  # noqa: PLC0415 - found by the line above, and seldom needed
        finally:
            del sys.path[0]
    return loaded
