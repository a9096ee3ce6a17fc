"""The web application: the routes of the table, the page's files, and errors as sentences.

Law: what blocks runs in threads; what goes out has the shape that is described.
"""

from __future__ import annotations

import functools
import json
import logging
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route as Served

from kit.errors import KitError
from kit.web import given, routes
from kit.web.answers import Call, status_of
from kit.web.guard import BODY_LIMIT, Guard, failure
from kit.web.rows import adapter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel
    from starlette.requests import Request

    from kit.web.guard import Key
    from kit.web.routes import Route

LOG = logging.getLogger("kit.web")
PAGE = Path(__file__).parent / "page"
_TYPES = {
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip


class _Refused(Exception):  # noqa: N818 - it carries an answer
    """A request that is answered with a sentence."""

    def __init__(self, status: int, what: str, mend: str = "") -> None:
        super().__init__(what)
        self.answer = failure(status, what, mend)


def build(ask: Callable[..., Any], key: Key) -> Starlette:
    """Make the application over `ask("operation", **params)`."""
    served = [Served(route.path, _endpoint(route, ask), methods=[route.method]) for route in routes.TABLE]
    served.append(Served("/api/openapi.json", _described, methods=["GET"]))
    served.append(Served("/api/session", functools.partial(_session, key), methods=["POST"]))
    for file in sorted(PAGE.rglob("*")):
        if file.suffix in _TYPES:
            name = file.relative_to(PAGE).as_posix()
            served.append(Served("/" if name == "index.html" else f"/{name}", _file(file), methods=["GET"]))
    return Starlette(
        routes=served, middleware=[Middleware(Guard, key=key)],
        exception_handlers={HTTPException: _http_error, Exception: _broken},
    )  # fmt: skip


# -- routes of the table


def _endpoint(route: Route, ask: Callable[..., Any]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        etag = ""
        try:
            raw = await _body(request) if route.method == "POST" else _query(request)
            etag = _if_match(request)
            asked = _checked(route, raw)
            answer = await run_in_threadpool(route.answer, Call(ask, asked, etag))
        except _Refused as refused:
            return refused.answer
        except KitError as error:
            return failure(status_of(error, if_match=bool(etag)), error.what, error.mend)
        shape = adapter(route.gives)
        shown = shape.dump_json(shape.validate_python(answer), exclude_none=True)
        return _with_etag(request, shown) if route.method == "GET" else _json(shown)

    return endpoint


def _query(request: Request) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in found:
            raise _Refused(400, f"'{_cut(name)}' is given twice.", "Give it once.")
        found[name] = value  # percent-decoded by the framework, which leaves no halves
    return found


async def _body(request: Request) -> object:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise _Refused(415, "The body is not marked as JSON.", "Send it with Content-Type: application/json.")
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > BODY_LIMIT:
            raise _Refused(413, f"The request is larger than {BODY_LIMIT // 1024} KiB.", "Send less at a time.")
    try:
        return _without_halves(json.loads(raw.decode()))
    except (ValueError, RecursionError):
        raise _Refused(400, "The body is no JSON.", "Send one JSON object, in UTF-8.") from None


def _checked(route: Route, raw: object) -> BaseModel:
    try:
        return route.given.model_validate(raw)
    except ValidationError as error:
        told = error.errors(include_url=False, include_context=False, include_input=False)
        where = ".".join(str(part) for part in told[0]["loc"] if isinstance(part, int) or part in _names(route))
        what = f"'{where}': {told[0]['msg']}." if where else f"{told[0]['msg']}."
        raise _Refused(400, what, f"It takes: {', '.join(route.given.model_fields) or 'nothing'}.") from None


def _names(route: Route) -> set[str]:
    return {*route.given.model_fields, *given.Patch.model_fields}


def _without_halves(value: object) -> object:
    """Replace half characters, which JSON can spell and no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_halves(name): _without_halves(one) for name, one in value.items()}
    return [_without_halves(one) for one in value] if isinstance(value, list) else value


def _if_match(request: Request) -> str:
    given = request.headers.get("if-match", "").strip()
    return "" if given == "*" else given.removeprefix("W/").strip('"')


def _cut(said: str) -> str:
    return said[:60]


# -- answers


def _json(shown: bytes) -> Response:
    return Response(shown, media_type="application/json")


def _with_etag(request: Request, shown: bytes, media_type: str = "application/json") -> Response:
    tag = f'"{blake2b(shown, digest_size=12).hexdigest()}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if tag in [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(shown, headers=headers, media_type=media_type)


async def _described(request: Request) -> Response:
    return _with_etag(request, json.dumps(routes.describe(), ensure_ascii=False).encode())


async def _session(key: Key, request: Request) -> Response:
    """Take the token that was printed, and give it back as a cookie no script can read."""
    try:
        said = given.Session.model_validate(await _body(request))
    except _Refused as refused:
        return refused.answer
    except ValidationError:
        return failure(400, "There is no token.", 'Send {"token": "…"}.')
    if not key.fits(said.token):
        return failure(401, "The token is missing or wrong.", "Open the address that `memkit web` printed.")
    answer = _json(b'{"ok":true}')
    answer.set_cookie(key.cookie, key.token, httponly=True, samesite="strict", path="/")
    return answer


def _file(file: Path) -> Callable[[Request], Any]:
    raw, kind = file.read_bytes(), _TYPES[file.suffix]

    async def serve(request: Request) -> Response:
        return _with_etag(request, raw, kind)

    return serve


# -- errors


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers: Mapping[str, str] | None = getattr(error, "headers", None)
    what, mend = {
        404: ("There is nothing here.", "GET /api/openapi.json says what there is."),
        405: ("That can't be asked this way.", "GET /api/openapi.json says how."),
    }.get(status, ("The request can't be answered.", ""))
    answer = failure(status, what, mend)
    answer.headers.update(headers or {})
    return answer


async def _broken(_: Request, error: Exception) -> Response:
    LOG.error("A request failed.", exc_info=error)
    return failure(500, "Something went wrong here.", "The terminal in which `memkit web` runs says what.")
