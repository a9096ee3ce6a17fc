"""Where the coding agents lie: in the folder that `install.sh` fills, else on the path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def folder() -> Path:
    """Name the folder that `install.sh` fills."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get("MEMKIT_CLIENTS") or f"{cache}/memkit-clients").expanduser()


def find(name: str) -> str:
    """Find a program among the installed clients, else on the path; empty when there is none."""
    installed = folder() / name / "node_modules/.bin" / name
    return str(installed) if installed.exists() else shutil.which(name) or ""


def path(*, newer_node: bool) -> str:
    """Give a search path, with the installed Node before the system's."""
    newer = folder() / "node/node_modules/.bin"
    return f"{newer}{os.pathsep}{os.environ['PATH']}" if newer_node else os.environ["PATH"]
