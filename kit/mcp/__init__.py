"""The memory as an MCP server: tools and resources over the one asker, for clients that speak that protocol."""
