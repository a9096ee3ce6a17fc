"""The MCP server: tools and resources put together, and how it is spoken to.

Law: on stdio nothing but the protocol goes to stdout. Over HTTP it listens on loopback alone, and a request that
names no token or another host, or comes from another origin, is refused, whatever a browser was made to believe.
"""

import ipaddress
import logging
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from kit import __version__
from kit.asker import Asker
from kit.errors import RefusedError
from kit.mcp import key, resources, words
from kit.mcp.turns import Turns

PATH = "/mcp"
LARGEST = 4_000_000
"""Bytes of a request."""

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_AGAIN = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_TOOLS = (
    ("memory_recall", "Recall", _READS), ("memory_remember", "Remember", _ADDS),
    ("memory_commit", "Sum up the session", _ADDS), ("memory_stats", "Memory statistics", _READS),
    ("memory_feedback", "Judge a memory", _AGAIN), ("memory_forget", "Put a memory away", _ADDS),
    ("memory_explain", "Explain a recall", _READS), ("process_message", "Take a message in", _ADDS),
    ("save_memory", "Keep a turn", _AGAIN),
)  # fmt: skip


class Server(MCPServer):
    """The SDK's server, which says what is wrong with a tool's arguments in sentences."""

    turns: Turns

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what its arguments lack is told without the words of the library that checks them."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{name}: {words.faults(error.__cause__)}") from None
            raise


def make(asker: Asker, *, project: str = "", session: str = Turns.session) -> Server:
    """Put a server together; `session` stands for messages that name none."""
    server = Server(
        "memkit", title="Memory kit", instructions=words.instructions(), version=__version__, log_level="WARNING"
    )
    tools = Turns(asker, project)
    tools.session = session
    server.turns = tools
    for name, title, annotations in _TOOLS:
        server.add_tool(getattr(tools, name), title=title, annotations=annotations)
    resources.add(server, asker)
    return server


def serve_stdio(server: Server) -> None:
    """Speak over standard input and output until the client hangs up, which ends its sessions."""
    anyio.run(server.run_stdio_async)
    server.turns.end()


def serve_http(server: MCPServer, host: str, port: int, token: str) -> None:
    """Speak streamable HTTP on loopback until interrupted, to who names the token; refuse any other address."""
    if host != "localhost" and not _is_loopback(host):
        raise RefusedError(
            f"{host} can be reached from other machines, and a memory is nobody else's.",
            "Leave --host out, or put a tunnel of your own in front.",
        )
    shown = f"[{host}]" if ":" in host else host
    names = {shown, "127.0.0.1", "localhost", "[::1]"}
    security = TransportSecuritySettings(
        allowed_hosts=[f"{name}:{port}" for name in names], allowed_origins=[f"http://{name}:{port}" for name in names]
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, host=host, transport_security=security, max_request_body_size=LARGEST
    )
    import uvicorn  # noqa: PLC0415 - slow to load, and only HTTP needs it

    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    uvicorn.run(key.Door(app, token), host=host, port=port, log_level="warning", access_log=False)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
