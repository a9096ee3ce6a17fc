"""The rows of the table are shown with the same client that shows the MCP server."""

from __future__ import annotations

from tests.mcp.conftest import desk

__all__ = ["desk"]
