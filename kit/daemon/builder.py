"""Building an index from nothing in a child process, so that answers go on and the other core does the work.

Law: the child writes a folder of its own; what it made is taken over whole, or thrown away.
"""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from kit.daemon.crew import Crew, serve
from kit.places import child_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kit import reconcile
    from kit.daemon import scribe
    from kit.vault.store import Store

_AHEAD = 96
"""Pieces that may wait for whoever takes them up: some 10 MB."""
_LAST_WORDS = 4096
"""Bytes at the end of what a child says that are read when it failed."""


class Build:
    """A child that builds one thing for a vault: its `index`, or its full text (`words`); tells when it has ended."""

    def __init__(self, what: str, root: Path, folder: Path, ended: Callable[[], None] = lambda: None) -> None:
        self._ended, self._has_ended = ended, threading.Event()
        self.folder = folder / f"build-{what}"
        self.counts = (0, 0)
        self.failed = ""
        shutil.rmtree(self.folder, ignore_errors=True)
        # A file, not a pipe: a full pipe would hold up a child that warns a lot.
        self._warnings = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the reader
        self._child = subprocess.Popen(  # noqa: S603 - this very program
            _command(what, root, self.folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._warnings,
            text=True,
            env=child_environment(),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def progress(self) -> str:
        """Say how far it is."""
        done, total = self.counts
        return f"{done} of {total} notes" if total else "the notes are being listed"

    def is_done(self) -> bool:
        """Tell whether the child has ended; `failed` says why if it went wrong."""
        return self._has_ended.is_set()

    def stop(self) -> None:
        """End the child; what it has is thrown away."""
        self._child.kill()
        self._reader.join(5.0)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self) -> None:
        try:
            self._listen()
        finally:
            self._has_ended.set()
            self._ended()

    def _listen(self) -> None:
        out = self._child.stdout
        assert out  # noqa: S101 - piped above
        with out, self._warnings:
            for line in out:
                with contextlib.suppress(ValueError):
                    done, total = map(int, line.split())
                    self.counts = (done, total)
            if self._child.wait():
                self._warnings.seek(max(0, self._warnings.seek(0, os.SEEK_END) - _LAST_WORDS))
                words = self._warnings.read().decode(errors="replace").split("\n")
                last = next((word.strip() for word in reversed(words) if word.strip()), "")
                self.failed = last or f"it ended with {self._child.returncode}"


def reading(store: Store) -> Crew[reconcile.Piece, Mapping[str, reconcile.Read]]:
    """Have notes read by a child as well, which gets ready at once."""
    from kit import reconcile  # noqa: PLC0415 - loaded only where something is built

    return Crew(_command("reads", store.root), lambda piece: reconcile.read_all(store, piece), _AHEAD)


def _command(what: str, *given: object) -> list[str]:
    """Say how this program is run for a part of the work."""
    return [sys.executable, "-P", "-m", "kit.daemon.builder", what, *map(str, given)]


def _index(root: Path, folder: Path) -> None:
    from kit import reconcile  # noqa: PLC0415 - only in the child
    from kit.index.reflection import Index  # noqa: PLC0415 - only in the child

    store = _store(root)
    crew, index = reading(store), Index(folder)
    index.build_fast()
    try:
        reconcile.scan(store, index, _tell, crew.each)
    finally:
        crew.stop()
        index.close()


def _words(root: Path, folder: Path) -> None:
    crew: Crew[Sequence[int], scribe.Counts] = Crew(
        _command("counts", root), lambda piece: scribe.read(kit, piece), _AHEAD
    )
    from kit.app import Kit  # noqa: PLC0415 - only in the child, and while another one gets ready
    from kit.daemon import scribe  # noqa: PLC0415 - the same
    from kit.reconcile import Report  # noqa: PLC0415 - the same

    try:
        with Kit(root, freshen=Report) as kit:
            scribe.write(kit, folder, _tell, crew.each)
    finally:
        crew.stop()


def _counts(root: Path, _: Path) -> None:
    from kit.app import Kit  # noqa: PLC0415 - only in the child
    from kit.daemon import scribe  # noqa: PLC0415 - only in the child
    from kit.reconcile import Report  # noqa: PLC0415 - only in the child

    with Kit(root, freshen=Report) as kit:
        serve(lambda piece: scribe.read(kit, piece))


def _reads(root: Path, _: Path) -> None:
    from kit import reconcile  # noqa: PLC0415 - only in the child

    store = _store(root)
    serve(lambda piece: reconcile.read_all(store, piece))


def _store(root: Path) -> Store:
    from kit import config  # noqa: PLC0415 - only in the child
    from kit.vault.store import Store  # noqa: PLC0415 - only in the child

    return Store(root, plain_notes=config.read(root).flag("index.plain_notes"))


def _tell(done: int, total: int) -> None:
    print(done, total, flush=True)  # noqa: T201 - to the parent


def main(what: str, root: str, folder: str = "") -> None:
    """Build, and print `done total` as it goes; or do pieces of a work for another process."""
    gc.disable()  # a short life of values without circles: there is nothing to collect
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for any takes a tenth of a second
    acts = {"index": _index, "words": _words, "reads": _reads, "counts": _counts}
    acts[what](Path(root), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
