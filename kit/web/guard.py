"""Who may ask: this machine's own pages and programs that know the token, nobody else.

Law: every request is looked at before anything reads it. A page of another site reaches neither our answers (no CORS,
checked Origin), nor us by a name of its own that leads to this machine (checked Host: DNS rebinding).
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 256 * 1024
"""Bytes of a request's body."""
OPEN = ("/api/session",)
"""Routes below /api/ that need no token: the one where a token becomes a cookie."""
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


class Key(NamedTuple):
    """The secret of one start, and the addresses it holds for."""

    token: str
    port: int

    @property
    def hosts(self) -> tuple[str, ...]:
        """List what a request to us may call us."""
        return tuple(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def cookie(self) -> str:
        """Name the cookie; cookies are shared by all ports of a machine, so it names its port."""
        return f"memkit-{self.port}"

    def fits(self, given: str) -> bool:
        """Compare a token, in the same time whatever is wrong with it."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


def new_key(port: int) -> Key:
    """Make the key of a start."""
    return Key(secrets.token_urlsafe(32), port)


class Guard:
    """Refuses what may not ask, and tells browsers what our pages may do."""

    def __init__(self, app: ASGIApp, key: Key) -> None:
        self._app, self._key = app, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at one request."""
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refused = self._refusal(scope)
        await (refused or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers, path = Headers(scope=scope), scope["path"]
        if headers.get("host", "") not in self._key.hosts or len(headers.getlist("host")) != 1:
            return failure(421, "This address is not one of ours.", f"Use http://{self._key.hosts[0]}/.")
        origin = headers.get("origin")
        same = origin is None or origin in [f"http://{host}" for host in self._key.hosts]
        foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        navigates = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        if not same or (foreign and not (navigates and not path.startswith("/api/"))):
            return failure(403, "Another page may not ask here.", "Open the page that `memkit web` printed.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > BODY_LIMIT:
            return failure(413, f"The request is larger than {BODY_LIMIT // 1024} KiB.", "Send less at a time.")
        if path.startswith("/api/") and path not in OPEN and not self._knows(headers):
            answer = failure(401, "The token is missing or wrong.", "Open the address that `memkit web` printed.")
            answer.headers["www-authenticate"] = "Bearer"
            return answer
        return None

    def _knows(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._key.fits(given.strip())
        try:
            held = SimpleCookie(headers.get("cookie", "")).get(self._key.cookie)
        except CookieError:
            return False
        return held is not None and self._key.fits(held.value)


def failure(status: int, error: str, mend: str = "") -> JSONResponse:
    """Write an error as a sentence."""
    return JSONResponse({"error": error, "mend": mend}, status)
