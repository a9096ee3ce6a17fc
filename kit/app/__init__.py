"""Kit: a vault, opened; one short method per operation. The only place that joins the rooms.

Law: every way in (command line, hook, MCP, web, Python) comes through these methods. They lie by theme in classes that
know what is opened (`opened`) and not each other; `kit` joins them.
"""

from kit.app.kit import Kit
from kit.app.recalls import Context

__all__ = ["Context", "Kit"]
