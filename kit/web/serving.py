"""Serving the page and its API to this machine: an address, a token, until it is stopped.

Law: loopback only; the token lies in a private folder, readable by its owner alone, for as long as this runs.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import uvicorn

from kit import places
from kit.errors import BadInputError, UnavailableError
from kit.web import guard, site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kit.asker import Asker

PORT = 7437
TRIED = 20
"""Ports tried from the usual one on, when none is named."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
KEPT = "web.json"
"""Where the address and token of the newest start are kept, in the vault's runtime folder."""


class Address(NamedTuple):
    """Where the page is."""

    url: str
    token: str

    @property
    def entrance(self) -> str:
        """Say the address that lets a browser in; what stands behind `#` never leaves the browser."""
        return f"{self.url}#token={self.token}"


def serve(asker: Asker, host: str, port: int | None, opened: Callable[[str, str, str], None]) -> None:
    """Serve until stopped; `opened` is told address, token and entrance once it answers.

    Raise UnavailableError for a port that can't be had, BadInputError for an address others can reach.
    """
    with _listening(host, port) as listener:
        key = guard.new_key(listener.getsockname()[1])
        shown = f"[{host}]" if ":" in host else host
        address = Address(f"http://{shown}:{key.port}/", key.token)
        config = uvicorn.Config(
            site.build(asker.ask, key), http="h11", ws="none", lifespan="off", log_level="warning",
            access_log=False, server_header=False, timeout_graceful_shutdown=3,
        )  # fmt: skip
        signal.signal(signal.SIGTERM, _leave)  # what uvicorn hands on when it has ended
        with _kept(asker.root, address):
            _Server(config, lambda: opened(address.url, address.token, address.entrance)).run(sockets=[listener])


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, opened: Callable[[], None]) -> None:
        super().__init__(config)
        self._opened = opened

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._opened()


@contextmanager
def _listening(host: str, port: int | None) -> Iterator[socket.socket]:
    if host not in LOOPBACK:
        raise BadInputError(f"{host} is no address of this machine alone.", f"Use one of {', '.join(LOOPBACK)}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tried in (port,) if port is not None else (*range(PORT, PORT + TRIED), 0):
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio lets it dawdle
        with listener:
            if os.name != "nt":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((host, tried))
                listener.listen(128)
            except OSError as error:
                if port is None and error.errno == errno.EADDRINUSE:
                    continue
                raise UnavailableError(
                    f"Port {tried} can't be had: {error.strerror}.", "Name another: --port 0."
                ) from None
            yield listener
            return


@contextmanager
def _kept(root: Path, address: Address) -> Iterator[None]:
    """Keep address and token where only this user can read them, and take them away again unless another start has."""
    file = places.runtime_folder(root) / KEPT
    raw = json.dumps({"url": address.url, "token": address.token, "pid": os.getpid()}).encode()
    new = file.with_suffix(f".{os.getpid()}")
    with suppress(FileNotFoundError):
        new.unlink()
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(raw)
    new.replace(file)
    try:
        yield
    finally:
        with suppress(OSError):
            if file.read_bytes() == raw:
                file.unlink()
