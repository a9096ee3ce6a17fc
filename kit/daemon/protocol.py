r"""What goes over the socket: JSON requests and replies, one a line, and the frame of a hook.

Law: pure bytes to values and back. Whatever comes in is a value or a `BadInputError`; an error goes over
and comes out as the same class with the same exit code.

Request   {"v": version, "id": n, "op": name, "params": {...}, "progress": true?}
Progress  {"id": n, "progress": [what, done, total]}, any number of them if asked for, before the reply
Reply     {"id": n, "ok": true, "result": ...}
Failure   {"id": n, "ok": false, "error": {"class", "what", "mend", "exit_code", "problems"?}}
Mismatch  {"id": n, "ok": false, "restart": true, "version": the daemon's}
Hook      HOOK <harness> <event> <payload length> <env length>\n, then NAME=value pairs joined by NUL,
          then the payload; reply: OK <length>\n and the harness's bytes, or NO\n when nothing was kept.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from kit import errors
from kit.errors import BadInputError, BadNoteError, ConfigError, KitError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

LINE_LIMIT = 8 * 1024 * 1024
"""Bytes of a request line."""
FRAME_LIMIT = 32 * 1024 * 1024
"""Bytes of a hook's payload and of its environment."""
HOOK_WORD = b"HOOK "
REFUSAL = b"NO\n"

_HOOK_LINE = re.compile(rb"HOOK ([a-z0-9_-]{1,40}) ([a-z0-9_-]{1,40}) ([0-9]{1,9}) ([0-9]{1,9})")
_CLASSES: dict[str, type[KitError]] = {
    name: value for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, KitError)
}
_BY_CODE: dict[int, type[KitError]] = {value.exit_code: value for value in _CLASSES.values()}


class Request(NamedTuple):
    """One question to the daemon."""

    version: str
    id: int
    op: str
    params: dict[str, object]
    progress: bool = False
    zone: int | None = None
    """seconds by which the asker's clock is ahead of UTC"""


class HookCall(NamedTuple):
    """What a hook brought: the harness's own bytes, untouched, and a few words of its environment."""

    harness: str
    event: str
    payload: bytes
    env: dict[str, str]


class HookHeader(NamedTuple):
    """The first line of a hook's frame."""

    harness: str
    event: str
    payload_length: int
    env_length: int


def encode(message: Mapping[str, object]) -> bytes:
    """Write a message as one line; raises TypeError or ValueError for what JSON can't say."""
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def decode(line: bytes) -> dict[str, object]:
    """Read one line as a JSON object."""
    try:
        message = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"The line is no JSON: {error}.", "Send one JSON object a line.") from error
    if not isinstance(message, dict):
        raise BadInputError("The line is JSON but no object.", "Send one JSON object a line.")
    return message


def encode_request(request: Request) -> bytes:
    """Write a request as one line."""
    message: dict[str, object] = {
        "v": request.version,
        "id": request.id,
        "op": request.op,
        "params": request.params,
    }
    message |= {"progress": True} if request.progress else {}
    return encode(message if request.zone is None else message | {"zone": request.zone})


def parse_request(line: bytes) -> Request:
    """Read a request line."""
    message = decode(line)
    version, number, op = message.get("v"), message.get("id", 0), message.get("op")
    params = message.get("params", {})
    if not isinstance(version, str) or not isinstance(op, str):
        raise BadInputError("The request names no version or no operation.", 'It needs "v" and "op".')
    if not isinstance(number, int) or not isinstance(params, dict):
        raise BadInputError(f"The request for `{op}` is off.", '"id" is a whole number and "params" an object.')
    zone = message.get("zone")
    zone = zone if isinstance(zone, int) and not isinstance(zone, bool) else None
    return Request(version, number, op, params, message.get("progress") is True, zone)


def describe(error: Exception, op: str) -> dict[str, object]:
    """Turn an error into what goes over the wire; one that is no KitError is a fault of the kit itself."""
    if not isinstance(error, KitError):
        what = f"`{op}` failed in the daemon: {type(error).__name__}: {error}"
        return {"class": "KitError", "what": what, "mend": "The daemon's log says where.", "exit_code": 1}
    told: dict[str, object] = {
        "class": type(error).__name__,
        "what": error.what,
        "mend": error.mend,
        "exit_code": error.exit_code,
    }
    if isinstance(error, BadNoteError):
        told["problems"] = [list(error.problem)]
    elif isinstance(error, ConfigError):
        told["problems"] = [list(problem) for problem in error.problems]
    return told


def restore(told: object) -> KitError:
    """Make the error again that `describe` wrote down; an unknown class is judged by its exit code."""
    if not isinstance(told, dict):
        return KitError("The daemon reported an error without saying which.")
    code, name = told.get("exit_code"), str(told.get("class"))
    what, mend = str(told.get("what", "")), str(told.get("mend", ""))
    kind = _CLASSES.get(name) or _BY_CODE.get(code if isinstance(code, int) else 1, KitError)
    problems = _problems(told.get("problems")) or [Problem("", 0, what, mend)]
    if issubclass(kind, BadNoteError):
        return kind(problems[0])
    if issubclass(kind, ConfigError):
        return kind(problems)
    return kind(what, mend)


def _problems(rows: object) -> list[Problem]:
    found: list[Problem] = []
    for row in rows if isinstance(rows, list) else []:
        match row:
            case [str() as path, int() as line, str() as what, str() as mend]:
                found.append(Problem(path, line, what, mend))
    return found


def parse_hook_line(line: bytes) -> HookHeader:
    """Read the first line of a hook's frame, without its newline."""
    found = _HOOK_LINE.fullmatch(line)
    if not found:
        raise BadInputError("A hook's frame begins with a line that can't be read.")
    header = HookHeader(found[1].decode(), found[2].decode(), int(found[3]), int(found[4]))
    if header.payload_length + header.env_length > FRAME_LIMIT:
        raise BadInputError(f"A hook's frame is larger than {FRAME_LIMIT} bytes.")
    return header


def hook_call(header: HookHeader, body: bytes) -> HookCall:
    """Split the bytes behind a hook's first line."""
    if len(body) != header.payload_length + header.env_length:
        raise BadInputError("A hook's frame is cut short or too long.")
    pairs = body[: header.env_length].decode("utf-8", "replace").split("\0")
    env = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return HookCall(header.harness, header.event, body[header.env_length :], env)


def parse_hook_frame(data: bytes) -> HookCall:
    """Read a whole frame, as it lies in the spool."""
    line, _, body = data.partition(b"\n")
    return hook_call(parse_hook_line(line), body)


def hook_frame(call: HookCall) -> bytes:
    """Write a hook's call as it came, for the spool."""
    env = "\0".join(f"{name}={value}" for name, value in call.env.items()).encode("utf-8", "replace")
    head = f"HOOK {call.harness} {call.event} {len(call.payload)} {len(env)}\n"
    return head.encode() + env + call.payload


def hook_reply(reply: bytes) -> bytes:
    """Frame the bytes for a harness, so that a hook never prints half an answer."""
    return b"OK %d\n" % len(reply) + reply
