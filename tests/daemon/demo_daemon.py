"""A daemon with a demo handler, run as `demo_daemon.py ROOT VERSION [tcp] [spool]`."""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from kit import places
from kit.daemon.server import Handler, Later, Server
from kit.errors import BadNoteError, ConfigError, ConflictError, Problem, UnavailableError


class Demo(Handler):
    """Answers a few operations and remembers what it saw in files of its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_busy = False
        self.refused = 0
        self.on_raw: Callable[[], None] = lambda: None
        self.began = threading.Event()
        self.go_on = threading.Event()

    def call(self, op: str, params: dict[str, object], progress: Callable[[str, int, int], None] | None) -> object:
        if op == "wait":
            self.began.set()
            return self.go_on.wait(20)
        if op == "count" and progress:
            for done in range(3):
                progress("notes", done + 1, 3)
        if op == "crash":
            raise RuntimeError("a bug")
        if op == "odd":
            return object()
        if op == "conflict":
            raise ConflictError("The note changed.", "Read it again.")
        if op == "bad-note":
            raise BadNoteError(Problem("cards/a.md", 3, "No id.", "Add one."))
        if op == "config":
            raise ConfigError([Problem("memkit.toml", n, "Off.") for n in (1, 2)])
        if op == "die":
            os._exit(9)
        return {"op": op, "params": params, "pid": os.getpid()}

    def after(self, op: str, result: object) -> None:
        if op == "crash-after":
            raise RuntimeError("a bug")
        with (self.folder / "after").open("a") as file:
            file.write(f"{op} {result}\n")

    def raw(self, harness: str, event: str, payload: bytes, env: Mapping[str, str]) -> bytes | Later:
        if event == "crash":
            raise RuntimeError("a bug")
        if event == "away" and not (self.folder / "back").exists():
            self.refused += 1
            raise UnavailableError("Another program is writing to this vault.")
        self.on_raw()
        told = [f"{key}={env[key]}" for key in sorted(env)]
        line = b" ".join([harness.encode(), event.encode(), payload, *(pair.encode() for pair in told)])
        with (self.folder / "raw").open("ab") as file:
            file.write(line + b"\n")
        if event == "later":
            return Later(line, lambda: self.after(event, "later"))
        return line

    def busy(self) -> bool:
        return self.is_busy


def main() -> None:
    root, version, flags = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with (root / "starts").open("a") as file:
        file.write(f"{os.getpid()}\n")
    server = Server(
        Demo(root),
        places.runtime_folder(root),
        version=version,
        idle_s=60,
        gone=lambda: not root.exists(),
        spooled=places.spool_folder(root) if "spool" in flags else None,
        tcp="tcp" in flags,
        tick_s=0.05,
    )
    won = server.serve()
    if root.exists():
        with (root / "ends").open("a") as file:
            file.write(f"{os.getpid()} {won}\n")


if __name__ == "__main__":
    main()
