"""A model that is none: it answers coding agents on 127.0.0.1 as it was told, and keeps what they sent.

Law: standard library only; it ends by itself after `LIFETIME_S`, whatever becomes of the test.
"""

from __future__ import annotations

import gzip
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlsplit

from tests.clients import model_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

LIFETIME_S = 900.0
_CHUNKED = "chunked"


class Answer(NamedTuple):
    """What the model says, and how long it thinks before each word; or the tool it calls, in Anthropic's protocol."""

    text: str
    pause_s: float = 0.0
    call: model_wire.Call | None = None

    def pieces(self) -> list[str]:
        """Cut the text into what is sent at a time: all of it, or word by word."""
        return [f"{word} " for word in self.text.split()] if self.pause_s else [self.text]


class Asked(NamedTuple):
    """One request to the model."""

    wire: str
    body: dict[str, Any]
    newest: str
    """The words of the last message with the role of a user."""

    @property
    def text(self) -> str:
        """Everything in it."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def main(self) -> bool:
        """Tell whether it is a turn, and not a side call for a title or a summary: those offer no tools."""
        return bool(self.body.get("tools"))


class ModelServer:
    """The server: `with ModelServer("the answer") as model: … model.url … model.asked`.

    `script` holds answers for special prompts: the first whose key is in the newest words of the user is given.
    """

    def __init__(self, answer: str, script: Mapping[str, Answer] | None = None) -> None:
        self.answer = answer
        self.script = dict(script or {})
        self.asked: list[Asked] = []
        self.others: list[str] = []
        """Requests that were no question to a model: method and path."""
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._timer = threading.Timer(LIFETIME_S, self._server.shutdown)
        self._timer.daemon = True

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, asked: Asked) -> Answer:
        """Keep a request and choose its answer."""
        self.asked.append(asked)
        for phrase, answer in self.script.items():
            if phrase in asked.newest:
                return answer
        return Answer(self.answer)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: ModelServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that is interrupted hangs up."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.close_connection = True
        self._read()
        path = urlsplit(self.path).path.rstrip("/")
        self.server.model.others.append(f"{self.command} {path}")
        model = {"id": "fake-model", "object": "model", "type": "model", "display_name": "fake", "owned_by": "tests"}
        self._send({"object": "list", "data": [model], "models": [], "has_more": False})

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.close_connection = True
        raw, path = self._read(), urlsplit(self.path).path.rstrip("/")
        wire = model_wire.wire_of(path)
        if wire is None:
            self.server.model.others.append(f"POST {path}")
            self._send({"input_tokens": 10, "totalTokens": 10} if path.lower().endswith("tokens") else {})
            return
        body = json.loads(raw)
        answer = self.server.model.reply(Asked(wire.name, body, model_wire.newest(wire, body)))
        name = str(body.get("model", "fake-model"))
        if body.get("stream") or ":stream" in path:
            self._stream(wire, name, answer)
        else:
            self._send(wire.whole(name, answer.text))

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == _CHUNKED:
            raw = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw

    def _send(self, value: object) -> None:
        raw = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _stream(self, wire: model_wire.Wire, name: str, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        events = model_wire.calling(name, answer.call) if answer.call else wire.stream(name, answer.pieces())
        for event, value in events:
            head = f"event: {event}\n" if event else ""
            data = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            self.wfile.write(f"{head}data: {data}\n\n".encode())
            self.wfile.flush()
            time.sleep(answer.pause_s)
