"""A model behind any program that reads a prompt and writes an answer: `claude -p`, `llm`, `ollama run …`.

Law: the program's own hooks do nothing while it runs for us, and it runs in an empty folder, so that no project's
instructions reach it. No shell is involved.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

from kit.errors import BadInputError, UnusableError
from kit.llm.port import ModelError, Prompt, Reply, Settings

GUARD = {"MEMKIT_OFF": "1", "MEMKIT_HOOK_DEPTH": "1"}
"""What tells our hooks, run by the program, that it is us who asks."""
_MOST = 1_000_000
"""Bytes of an answer."""
_LOOK_S = 0.2


class Command:
    """One program."""

    def __init__(self, settings: Settings) -> None:
        try:
            self._words = shlex.split(settings.command)
        except ValueError as error:
            raise BadInputError(f"llm.command can't be read: {error}.", "Quote it as in a shell.") from None
        if not self._words:
            raise BadInputError("No command is set.", 'Set llm.command in your config.toml, e.g. "claude -p".')

    def ask(self, prompt: Prompt, within_s: float) -> Reply:
        """Run the program once, the whole prompt on its stdin."""
        name = self._words[0]
        folder = tempfile.TemporaryDirectory(prefix="memkit-", ignore_cleanup_errors=True)
        # Files, no pipes: a pipe ends only when the last process does that the program has left behind.
        with folder, tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
            asked.write(prompt.whole.encode("utf-8", "replace"))
            asked.seek(0)
            try:
                process = subprocess.Popen(  # noqa: S603 - the person's own command, no shell
                    self._words, stdin=asked, stdout=said, stderr=subprocess.DEVNULL, cwd=folder.name,
                    env=os.environ | GUARD, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise BadInputError(f"'{name}' can't be run: {error.strerror}.", "Look at llm.command.") from None
            try:
                in_time = _wait(process, said.fileno(), within_s)
            finally:
                _end(process)
            if not in_time:
                mend = "Raise llm.timeout_s if it is slow."
                raise ModelError(f"'{name}' did not answer in {within_s:g} s.", mend, sent=True)
            said.seek(0)
            out = said.read(_MOST)
        if process.returncode:
            raise ModelError(f"'{name}' ended with {process.returncode}.", f"Try it by hand: echo hello | {name} …")
        if not out.strip():
            raise UnusableError(f"'{name}' wrote nothing.", f"Try it by hand: echo hello | {name} …")
        return Reply(out.decode("utf-8", "replace"), 0)

    def close(self) -> None:
        """Nothing is held."""


def _wait(process: subprocess.Popen[bytes], said: int, within_s: float) -> bool:
    """Wait for a program; False when it takes too long, or can't stop writing."""
    end = time.monotonic() + within_s
    while (left := end - time.monotonic()) > 0 and os.fstat(said).st_size <= _MOST:
        with suppress(subprocess.TimeoutExpired):
            process.wait(min(left, _LOOK_S))
            return True
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that still runs, and all it has started."""
    if process.poll() is None:
        with suppress(OSError):  # it has ended this moment
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
    process.wait()
