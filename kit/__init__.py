"""Memory for coding agents, as plain Markdown files.

Law: importing the package costs nothing; `Kit` is loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kit.app import Kit

__version__ = "0.1.0"
__all__ = ["Kit", "__version__"]


def __getattr__(name: str) -> object:
    """Load `Kit` on first use (PEP 562), so that the hook and `--version` stay light."""
    if name == "Kit":
        from kit.app import Kit  # noqa: PLC0415 - the point of this function

        return Kit
    raise AttributeError(name)
