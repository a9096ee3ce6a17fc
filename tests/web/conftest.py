"""A copy of the example vault, served by a real `memkit web` in a process of its own."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import pytest

from kit import __version__, shipped
from kit.daemon.client import Client
from kit.errors import KitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Answer(NamedTuple):
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - what JSON can carry
        return json.loads(self.raw)


class Site(NamedTuple):
    """A served vault."""

    root: Path
    port: int
    token: str
    entrance: str

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None,
        *, token: bool = True,
    ) -> Answer:  # fmt: skip
        """Send one request, as a program does that knows the token."""
        sent = {"Authorization": f"Bearer {self.token}"} if token else {}
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if raw is not None:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, raw, {**sent, **(headers or {})})
            found = connection.getresponse()
            return Answer(found.status, {name.lower(): value for name, value in found.getheaders()}, found.read())
        finally:
            connection.close()

    def get(self, path: str, **params: object) -> Any:  # noqa: ANN401 - what JSON can carry
        """Read, and see to it that it worked."""
        answer = self.ask("GET", f"/api/{path}?{urlencode(params)}" if params else f"/api/{path}")
        assert answer.status == 200, answer.raw
        return answer.json

    def post(self, path: str, **body: object) -> Any:  # noqa: ANN401 - what JSON can carry
        """Act, and see to it that it worked."""
        answer = self.ask("POST", f"/api/{path}", body)
        assert answer.status == 200, answer.raw
        return answer.json

    def read(self, path: str) -> str:
        """Read a file of the vault."""
        return (self.root / path).read_text(encoding="utf-8")


def part(found: Mapping[str, Any], wanted: Mapping[str, object]) -> dict[str, object]:
    """Take of an answer what a test speaks of."""
    return {name: found[name] for name in wanted}


@contextmanager
def served(*options: str, **settings: str) -> Iterator[Site]:
    """Serve a copy of the example vault; its daemon ends with it."""
    base = Path(tempfile.mkdtemp(prefix="mk")).resolve()  # short: a socket's path has room for 100 bytes
    root = base / "vault"
    shutil.copytree(shipped.folder("vault-example"), root)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("MEMKIT_", "XDG_"))]:
            patch.delenv(name)
        for name in ("run", "cache", "config"):
            patch.setenv({"run": "MEMKIT_RUNTIME"}.get(name, f"MEMKIT_{name.upper()}"), str(base / name))
        patch.setenv("MEMKIT_RECALL_TEXT_MS", "2000")  # a busy machine finds what a quiet one does
        for name, value in settings.items():
            patch.setenv(name, value)
        command = [sys.executable, "-P", "-m", "kit", "--vault", str(root), "--json", "web", "--port", "0", *options]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            yield Site(root, int(told["url"].rstrip("/").rpartition(":")[2]), told["token"], told["entrance"])
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stdout is not None
            process.stdout.close()
            try:
                Client(root, version=__version__, spawn=None).stop(30)
            except KitError:
                pass
            finally:
                shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with served() as found:
        yield found
