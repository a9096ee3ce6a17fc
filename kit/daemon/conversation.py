"""What is said on one connection: requests, hooks, and the words every daemon knows (ping, load, stop).

Law: whatever a client sends and whatever the handler raises, the daemon lives on and the client is told.
"""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from datetime import timedelta, timezone
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from kit import places
from kit.daemon import protocol
from kit.errors import BadInputError, KitError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from kit.daemon.channel import Channel

    Progress = Callable[[str, int, int], None]

BUILT_IN = frozenset({"ping", "load", "stop"})
"""Answered to clients of every version."""
KEEP_ALIVE_S = 300.0
GAP_S = 1.0
SEND_S = 5.0
DAY_S = 86_400
LOG = logging.getLogger("kit.daemon")


Outcome = Literal["kept", "later", "refused"]
"""What became of a hook's call: dealt with; not now, for something it needs is away or busy; never."""


def _nothing() -> None:
    """Do nothing."""


class Later(NamedTuple):
    """A reply for a hook, and what is to be done once it has been sent."""

    reply: bytes
    then: Callable[[], None]
    untold: Callable[[], None] = _nothing
    """What comes before that where nobody waited for the reply any more."""


class Handler(Protocol):
    """What a daemon serves; called from several threads at once. Inherit it for the two defaults."""

    def call(self, op: str, params: dict[str, object], progress: Progress | None) -> object:
        """Do an operation; the result must be JSON-able."""

    def raw(self, harness: str, event: str, payload: bytes, env: Mapping[str, str]) -> bytes | Later:
        """Answer a hook with the bytes its harness accepts.

        A call out of the spool has `MEMKIT_SPOOLED` (nanoseconds of Unix time) in `env`; nobody
        reads its reply.
        An exception means that nothing was kept: the hook then spools what must not be lost.
        """

    def after(self, op: str, result: object) -> None:
        """Do what can wait until the reply to `call` has been sent."""

    def busy(self) -> bool:
        """Tell whether work goes on that an idle stop would cut off."""
        return False

    def ready(self) -> bool:
        """Tell whether calls out of the spool can be dealt with now; until then they wait."""
        return True


class House(Protocol):
    """What a conversation needs of its server."""

    handler: Handler
    version: str

    def working(self) -> AbstractContextManager[None]:
        """Count as busy for a while."""

    def status(self) -> dict[str, object]:
        """Tell pid, version, uptime and load."""

    def retract(self) -> None:
        """Take the address back, so that no new client comes."""

    def stop(self) -> None:
        """End serving once running requests are done."""


def converse(channel: Channel, house: House) -> None:
    """Answer all that comes on a connection until it ends."""
    try:
        while (line := channel.read_line(protocol.LINE_LIMIT, wait_s=KEEP_ALIVE_S, gap_s=GAP_S)) is not None:
            if line.startswith(protocol.HOOK_WORD):
                _answer_hook(channel, house, line)
                return
            with house.working():
                _answer(channel, house, line)
    except BadInputError as error:
        # What follows can't be told apart any more, so the connection ends with this.
        _send(channel, protocol.encode(_failure(0, error, "?")))


@contextmanager
def _zone(ahead: int | None) -> Iterator[None]:
    """Let times be those of whoever asks: a daemon outlives journeys, and may serve many places."""
    told = places.ZONE.set(timezone(timedelta(seconds=ahead)) if ahead is not None and abs(ahead) < DAY_S else None)
    try:
        yield
    finally:
        places.ZONE.reset(told)


def run_hook(house: House, call: protocol.HookCall, reply: Callable[[bytes], bool]) -> Outcome:
    """Let the handler answer a hook, reply, then do what can wait; `reply` tells whether it was taken."""
    given = call.env.get("MEMKIT_ZONE", "")
    with _zone(int(given) if given.removeprefix("-").isdecimal() else None):
        return _run_hook(house, call, reply)


def _run_hook(house: House, call: protocol.HookCall, reply: Callable[[bytes], bool]) -> Outcome:
    LOG.debug("hook: %s %s", call.harness, call.event)
    try:
        found = house.handler.raw(call.harness, call.event, call.payload, call.env)
    except Exception as error:  # noqa: BLE001 - logged there
        reply(protocol.REFUSAL)
        return _outcome(error, f"The hook {call.harness} {call.event}")
    taken = reply(protocol.hook_reply(found.reply if isinstance(found, Later) else found))
    if isinstance(found, Later):
        try:
            if not taken:
                found.untold()
            found.then()
        except Exception as error:  # noqa: BLE001 - logged there
            return _outcome(error, f"What follows the hook {call.harness} {call.event}")
    return "kept"


def _outcome(error: Exception, what: str) -> Outcome:
    if isinstance(error, UnavailableError):
        LOG.warning("%s could not be done now: %s", what, error)
        return "later"
    LOG.error("%s failed.", what, exc_info=error)
    return "refused"


def _answer_hook(channel: Channel, house: House, line: bytes) -> None:
    header = protocol.parse_hook_line(line)
    body = channel.read_exactly(header.payload_length + header.env_length, gap_s=GAP_S)
    if body is None:
        return
    with house.working():
        run_hook(house, protocol.hook_call(header, body), lambda reply: _send(channel, reply))


def _answer(channel: Channel, house: House, line: bytes) -> None:
    try:
        request = protocol.parse_request(line)
    except BadInputError as error:
        _send(channel, protocol.encode(_failure(0, error, "?")))
        return
    if request.op in BUILT_IN:
        _answer_built_in(channel, house, request)
    elif request.version != house.version:
        told = {"id": request.id, "ok": False, "restart": True, "version": house.version}
        _send(channel, protocol.encode(told))
    else:
        _answer_call(channel, house, request)


def _answer_built_in(channel: Channel, house: House, request: protocol.Request) -> None:
    result: dict[str, object] = {"pid": os.getpid(), "version": house.version}
    if request.op == "load":
        result = house.status()
    elif request.op == "stop":
        house.retract()
    _send(channel, protocol.encode({"id": request.id, "ok": True, "result": result}))
    if request.op == "stop":
        house.stop()


def _answer_call(channel: Channel, house: House, request: protocol.Request) -> None:
    def progress(what: str, done: int, total: int) -> None:
        _send(channel, protocol.encode({"id": request.id, "progress": [what, done, total]}))

    LOG.debug("asked: %s", request.op)
    try:
        with _zone(request.zone):
            result = house.handler.call(request.op, request.params, progress if request.progress else None)
        reply = protocol.encode({"id": request.id, "ok": True, "result": result})
    except Exception as error:
        if not isinstance(error, KitError):
            LOG.exception("The operation %s failed.", request.op)
        _send(channel, protocol.encode(_failure(request.id, error, request.op)))
        return
    _send(channel, reply)
    try:
        house.handler.after(request.op, result)
    except Exception:
        LOG.exception("What follows the operation %s failed.", request.op)


def _failure(number: int, error: Exception, op: str) -> dict[str, object]:
    return {"id": number, "ok": False, "error": protocol.describe(error, op)}


def _send(channel: Channel, data: bytes) -> bool:
    # A client that left does not stop the work it asked for.
    try:
        channel.send(data, within_s=SEND_S)
    except OSError:
        LOG.info("A client left before it had its reply.")
        return False
    return True
