"""Who may ask over HTTP: a program that knows the person's token, which lies where only they can read it.

Law: loopback is shared by all who use a machine, a memory is not. The token stays the same from start to start, since
it stands in clients' settings; who deletes its file gets a new one.
"""

import hmac
import os
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from kit import places
from kit.errors import UnavailableError

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Any, Send], Awaitable[None]]

FILE = "mcp-token"
_SHORTEST = 32


def file() -> Path:
    """Say where the token lies."""
    return places.config_base() / FILE


def token() -> str:
    """Read the person's token, made at the first time; raise UnavailableError when that can't be done."""
    place = file()
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=places.PRIVATE)
        with suppress(FileExistsError):
            new = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(new, "w", encoding="ascii") as out:
                out.write(secrets.token_urlsafe(32) + "\n")
        found = place.read_text("ascii", errors="replace").strip()
    except OSError as error:
        raise UnavailableError(f"{place} can't be used: {error.strerror}.", "Look at its permissions.") from error
    if len(found) < _SHORTEST:
        raise UnavailableError(f"{place} holds no token.", "Delete it: the next start makes a new one.")
    return found


class Door:
    """Lets in who names the token."""

    def __init__(self, app: App, key: str) -> None:
        self._app, self._key = app, key.encode()

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:  # noqa: ANN401 - handed on as it is
        """Look at one request."""
        if scope["type"] == "http" and not self._fits(scope["headers"]):
            headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b"The token is missing or wrong.\n"})
            return
        await self._app(scope, receive, send)

    def _fits(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        given = [value for name, value in headers if name == b"authorization"]
        scheme, _, key = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        return scheme.lower() == b"bearer" and hmac.compare_digest(key.strip(), self._key)
