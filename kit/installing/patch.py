"""Our row in `cordis.patch.yml` of DeepSeek Harness, between two marks.

Law: pure; the person's rows and comments stay as they are, and a file that is no plain list of rows is refused.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import yaml

from kit.installing import document

if TYPE_CHECKING:
    from pathlib import Path

OPEN = "# >>> memkit: `memkit hooks uninstall dsh` takes this out"
CLOSE = "# <<< memkit"
_BLOCK = re.compile(
    rf"^[ \t]*# >>> memkit\b[^\n]*\n.*?^[ \t]*{re.escape(CLOSE)}[^\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)


def put_in(raw: bytes | None, plugin: Path, file: Path) -> bytes:
    """Add the row that mounts a plugin at the end, or bring the one that is there up to date."""
    text = _decoded(raw, file)
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _BLOCK.search(text)
    bare = text if found is None else text[: found.start()] + text[found.end() :]
    indent, rows, hollow = _rows(bare, file)
    name = json.dumps(plugin.as_uri() if plugin.drive else str(plugin), ensure_ascii=False)
    lines = (OPEN, "- insert:", "    - id: memkit", f"      name: {name}", CLOSE)
    block = "".join(f"{indent}{line}{newline}" for line in lines)
    if found:
        text = text[: found.start()] + block + text[found.end() :]
    else:
        text = text[: hollow[0]] + text[hollow[1] :].lstrip("\r\n")
        gap = newline if text and not text.endswith("\n") else ""
        text = f"{text}{gap}{block}"
    if _rows(text, file)[1] != rows + 1:
        document.refuse(file, "A row can't be added at the end of this YAML.")
    return text.encode()


def take_out(raw: bytes | None) -> bytes | None:
    """Remove our row; an empty list stays where nothing else is left."""
    if raw is None:
        return None
    text = raw.decode("utf-8", "surrogateescape")
    bare = _BLOCK.sub("", text)
    if bare == text:
        return raw
    left = [line for line in bare.removeprefix(document.BOM).splitlines() if line.strip()]
    if all(line.lstrip().startswith("#") for line in left):
        bare += "[]\n"
    return bare.encode("utf-8", "surrogateescape")


def _decoded(raw: bytes | None, file: Path) -> str:
    try:
        return (raw or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        document.refuse(file, f"This is no UTF-8 (byte {error.start}).")


def _rows(text: str, file: Path) -> tuple[str, int, tuple[int, int]]:
    """Tell how the list is indented, how many rows it has, and where an empty `[]` stands."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        document.refuse(file, f"Line {mark.line + 1 if mark else 0} is no YAML.")
    if node is None:
        return "", 0, (len(text), len(text))
    if not isinstance(node, yaml.SequenceNode) or (node.flow_style and node.value):
        document.refuse(file, "This is no list with a row a line.")
    if not node.value:
        return "", 0, (node.start_mark.index, node.end_mark.index)
    return " " * node.start_mark.column, len(node.value), (len(text), len(text))
