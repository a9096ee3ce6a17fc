"""The MCP server over streamable HTTP: the SDK's client gets in, a web page that was lured there does not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from kit.cli import run
from kit.mcp import key
from tests.daemon.conftest import until
from tests.mcp.conftest import REPOSITORY, call, play

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from mcp import Client

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "0"}},
}  # fmt: skip


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _serves(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def served(vault: Path) -> Iterator[int]:
    """Serve a vault over HTTP; give the port."""
    port = _free_port()
    line = [sys.executable, "-m", "kit", "--vault", str(vault), "mcp", "--http", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(line, cwd=vault, env=environment, stderr=subprocess.PIPE) as server:
        try:
            until(lambda: _serves(port) or server.poll() is not None, 60)
            assert server.poll() is None, server.stderr and server.stderr.read()
            yield port
        finally:
            server.terminate()
            server.communicate(timeout=60)


@asynccontextmanager
async def let_in(port: int) -> AsyncIterator[Any]:
    """Connect as a client that was told the token."""
    async with (
        create_mcp_http_client({"Authorization": f"Bearer {key.token()}"}) as told,
        streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=told) as streams,
    ):
        yield streams


def status(port: int, **headers: str) -> int:
    """Knock as a browser would; tell the status."""
    given = {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {key.token()}", **headers,
    }  # fmt: skip
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/mcp",
        json.dumps(HELLO).encode(),
        {name.replace("_", "-"): v for name, v in given.items()},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_a_client_is_served_and_strangers_are_refused(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with served(vault) as port:

        async def scene(client: Client) -> None:
            assert len((await client.list_tools()).tools) == 9
            kept = await call(client, "memory_remember", text="Reports go in tables", category="preference")
            assert kept["did"] == "new"
            found = await call(client, "memory_recall", query="reports in tables")
            assert [one["id"] for one in found["results"]] == [kept["id"]]

        play(let_in(port), scene)
        assert status(port, Authorization="") == 401
        assert status(port, Authorization="Bearer wrong") == 401
        assert status(port) == 200
        assert status(port, Origin=f"http://127.0.0.1:{port}") == 200
        assert status(port, Host="memory.example") == 421
        assert status(port, Host=f"memory.example:{port}") == 421
        assert status(port, Origin="http://memory.example") == 403
        assert status(port, Origin="null") == 403
        assert status(port, Content_Type="text/plain") == 400
    assert not _serves(port)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "memory.example", "::"])  # noqa: S104 - it must be refused
def test_it_listens_to_no_other_machine(vault: Path, host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--vault", str(vault), "mcp", "--http", "--host", host, "--port", str(_free_port())]) == 7
    assert "other machines" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_the_token_stays_and_is_the_persons_alone(home: Path) -> None:
    assert home.is_dir()
    first = key.token()
    assert (key.token(), key.file().stat().st_mode & 0o777) == (first, 0o600)
    key.file().unlink()
    assert key.token() != first
