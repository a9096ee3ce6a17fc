"""A chat endpoint of our own on loopback: it answers as a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Asked(NamedTuple):
    """One request."""

    frame: str
    data: str
    key: str
    body: dict[str, Any]

    def section(self, name: str) -> str:
        """Read one fenced section as a model would."""
        mark = next(line.split(" ")[0] for line in self.data.splitlines() if line.startswith("<<"))[2:]
        _, _, rest = self.data.partition(f"<<{mark} {name}\n")
        return rest.partition(f"\n{mark} {name}>>")[0]


class Refusal(NamedTuple):
    """An answer that is none."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b'{"error": {"message": "no; your key is sk-secret-0123456789abcdef"}}'


Answer = str | bytes | Refusal


class Endpoint:
    """The endpoint; `answer` says what to each request, a text being the model's words."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], Answer] = lambda _: "{}"
        self.tokens: int | None = 100
        self.hold = threading.Event()
        """Answers are held back until this is set."""
        self.hold.set()
        self.closing = threading.Event()
        self.drips_head = False
        """Headers come, a byte at a time, and no end."""
        self.drips = False
        """Blanks come and no end, until the client goes."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.02), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self.hold.set()
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(house: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        _gone = house.closing

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = {each["role"]: each["content"] for each in body["messages"]}
            asked = Asked(said["system"], said["user"], self.headers.get("Authorization", ""), body)
            house.asked.append(asked)
            answer = house.answer(asked)
            house.hold.wait(30)
            try:
                self._send(answer)
            except OSError:
                return  # the client has gone

        def _send(self, answer: Answer) -> None:
            if isinstance(answer, Refusal):
                raw, status, headers = answer.body, answer.status, answer.headers
            else:
                raw = answer if isinstance(answer, bytes) else _completion(answer, house.tokens)
                status, headers = 200, ()
            length = len(raw) + 9999 * house.drips
            while house.drips_head and not self._gone.wait(0.02):
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: " if not self.headers.get("X-Begun") else b"a")
                self.headers["X-Begun"] = "yes"
            self.send_response(status)
            for name, value in (*headers, ("Content-Type", "application/json"), ("Content-Length", str(length))):
                self.send_header(name, value)
            self.end_headers()
            while house.drips and not self._gone.wait(0.02):
                self.wfile.write(b" ")
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    return Handler


def _completion(said: str, tokens: int | None) -> bytes:
    told: dict[str, Any] = {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "fake",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
    }  # fmt: skip
    if tokens is not None:
        told["usage"] = {
            "prompt_tokens": tokens // 2,
            "completion_tokens": tokens - tokens // 2,
            "total_tokens": tokens,
        }
    return json.dumps(told).encode()


@contextmanager
def serving() -> Iterator[Endpoint]:
    """Give an endpoint, and end it."""
    made = Endpoint()
    try:
        yield made
    finally:
        made.close()


def closed_url() -> str:
    """Name an endpoint where nobody listens any more."""
    with serving() as gone:
        return gone.url
