"""How a program on the person's side gets an answer: from the daemon, which starts if need be, else here.

Law: the one road of every surface (command line, MCP, web); what it asks for are operations by name, and it knows no
file and no index.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kit import __version__, config, places
from kit.daemon.client import Client, NoDaemonError, SilentDaemonError, daemon_command
from kit.errors import ConfigError, UnavailableError
from kit.places import NoFolderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kit.errors import Problem

ASK_S = 120.0
GREET_S, WRITING_S = 3.0, 12.0
"""How long a daemon may take to greet before what only reads is done without it; and how long what writes goes on."""
LOOKING = ("doctor", "status", "settings", "log")
"""Operations that are answered also while the settings have faults: by them a person sees what to mend."""
_ALONE = threading.Lock()
"""A server asks from many threads; what is done in this process is done one by one, as a daemon would."""
Answer = Any  # what JSON can carry; who asks knows the shape of the answer


def _here(moment: str) -> str:
    """Give a time without an offset the one of this machine's zone: who answers may live in another."""
    with suppress(ValueError, OverflowError, OSError):
        found = datetime.fromisoformat(moment.strip())
        return moment if found.tzinfo else found.astimezone().isoformat()
    return moment


class Asker:
    """One vault to ask; `remark` is told when no daemon could be started, `progress` how far long work is."""

    def __init__(
        self,
        vault: str | Path | None,
        *,
        remark: Callable[[str], None] = lambda _: None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self._vault = str(vault) if vault else None
        self._remark = remark
        self._progress = progress
        self._live: tuple[Path, config.Live, Client] | None = None
        self._starts = True
        self.faults: tuple[Problem, ...] = ()
        """What is wrong in the settings, once something was asked."""

    @property
    def root(self) -> Path:
        """Find the vault's folder."""
        return config.find_vault(self._vault)

    def ask(self, operation: str, **params: object) -> Answer:
        """Run an operation; parameters that are None are left out. Raises the KitError that it raised."""
        given = {name: value for name, value in params.items() if value is not None}
        if isinstance(now := given.get("now"), str):
            given["now"] = _here(now)
        client = self._standing()
        if self.faults and operation not in LOOKING:
            raise ConfigError(list(self.faults))
        if operation != "doctor":
            for fault in self.faults:
                self._remark(str(fault))
        if self._starts:
            try:
                return self._ask_daemon(client, operation, given)
            except NoDaemonError as error:
                if not self.lack():  # of which there is more to say
                    self._remark(f"{error.what} Doing it without.")
            except SilentDaemonError as error:
                self._remark(f"{error.what} Doing it without.")
        return self._ask_here(operation, given)

    def _ask_daemon(self, client: Client, operation: str, given: dict[str, object]) -> Answer:
        """Ask the daemon; SilentDaemonError for what only reads, which can be done without one that hangs."""
        end = time.monotonic() + WRITING_S
        while True:
            try:
                return client.ask(operation, given, timeout=ASK_S, progress=self._progress)
            except SilentDaemonError as error:
                from kit.operations import READING  # noqa: PLC0415 - what a daemon answers needs none of the rooms

                if operation in READING:
                    raise
                if time.monotonic() > end:
                    raise UnavailableError(error.what, error.mend) from error

    def _standing(self) -> Client:
        """Hand out the client that stays, having seen whether the settings want a daemon now."""
        root = self.root
        if self._live is None or self._live[0] != root:
            self._live = root, config.Live(root), self.client()
            self._starts, self.faults = self._live[1].first.flag("daemon.start"), self._live[1].problems
        elif found := self._live[1].renewed():
            self._starts, self.faults = found.flag("daemon.start"), ()
        return self._live[2]

    def client(self, *, spawn: bool = True) -> Client:
        """Make a client of this vault's daemon; `spawn` lets it start one."""
        return Client(
            self.root, version=__version__, spawn=daemon_command(self.root) if spawn else None, patience_s=GREET_S
        )

    def lack(self) -> NoFolderError | None:
        """Say why nothing derived can be kept on this machine, without which there is no daemon; None where it can."""
        try:
            places.cache_folder(config.Live(self.root).first.text("id") or "vault", self.root)
        except NoFolderError as error:
            return error
        return None

    def _ask_here(self, operation: str, params: dict[str, object]) -> Answer:
        from kit.operations import READING, call  # noqa: PLC0415 - only what runs in this process pays for the rooms

        with _ALONE, self._open(reads=operation in READING) as kit:
            kit.read_words()
            return call(kit, operation, params)

    @contextmanager
    def _open(self, *, reads: bool) -> Iterator[Any]:
        """Open the vault; who only reads has indexes for this once, where none can be kept."""
        from tempfile import TemporaryDirectory  # noqa: PLC0415 - as above

        from kit.app import Kit  # noqa: PLC0415 - as above

        if not (lack := self.lack()):
            with Kit(self.root) as kit:
                yield kit
            return
        if not reads:
            raise lack
        with ExitStack() as held:
            try:
                folder = held.enter_context(TemporaryDirectory(prefix="memkit-", ignore_cleanup_errors=True))
            except OSError:
                raise lack from None
            self._remark(f"{lack.what} All notes are read for this one answer. {lack.mend}")
            yield held.enter_context(Kit(self.root, folder=Path(folder)))
