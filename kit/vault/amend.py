"""Front matter, written: the YAML text of a value, and a front matter with some keys changed.

Law: only the lines of the keys that change are touched; what stands around them stays byte for byte.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Value: TypeAlias = str | int | float | bool | datetime | list[str] | tuple[str, ...]
"""What a key of the front matter may hold; lists hold texts."""

# What YAML 1.1, YAML 1.2 or Obsidian would read as something else than text
_OTHER_TYPE = re.compile(
    r"(?i:|~|null|true|false|yes|no|on|off|y|n|<<|=)"
    r"|[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?0[xX][0-9a-fA-F_]+|[-+]?0[oO][0-7_]+|[-+]?0[bB][01_]+"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[-+]?\.(?i:inf|nan)"
    r"|[0-9]{4}-[0-9]{1,2}(?:-[0-9]{1,2}(?:(?:[Tt]|[ \t]).*)?)?"
)
_NOT_PLAIN = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@`]|\.\.\.|.*(?::(?:\s|\Z)|\s#|\[\[)", re.DOTALL)
_NOT_PLAIN_IN_FLOW = re.compile(r"[,\[\]{}:]")
# U+0085, U+2028 and U+2029 are line breaks to YAML 1.1; lone surrogates are no text
_NOT_PRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_COMMENT = re.compile(r"[ \t]+#[^\n]*")


def writable(text: str) -> str:
    """Replace what no UTF-8 file can hold: halves of surrogate pairs, which broken JSON brings along."""
    return _SURROGATE.sub("\ufffd", text)


def scalar(value: Value, quote: str = "", *, flow: bool = False) -> str:
    """Write one value on one line; `quote` is the mark the old text had, kept where it can be."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        stamp = _stamp(value)
        return f"{quote}{stamp}{quote}"
    if not isinstance(value, str):
        return repr(value)
    text = writable(value)
    if quote == "'" and not _NOT_PRINTED.search(text):
        return "'" + text.replace("'", "''") + "'"
    if not quote and _is_plain(text) and not (flow and _NOT_PLAIN_IN_FLOW.search(text)):
        return text
    escaped = re.sub(r'["\\]', lambda found: _ESCAPES[found[0]], text)
    return f'"{_NOT_PRINTED.sub(_escape, escaped)}"'


def reread(value: Value) -> object:
    """Say what reading a written value gives."""
    if isinstance(value, datetime):
        return _stamp(value)
    if isinstance(value, (list, tuple)):
        return [writable(item) for item in value]
    return writable(value) if isinstance(value, str) else value


def entry(key: str, value: Value, newline: str, indent: str = "") -> str:
    """Write a new key with its value; lists are block lists."""
    name = indent + scalar(key)
    if isinstance(value, (list, tuple)):
        return name + _block(value, f"{indent}  ", newline) + newline
    return f"{name}: {scalar(value)}{newline}"


def amend(text: str, root: MappingNode | None, changes: Mapping[str, Value | None], newline: str) -> str:
    """Change some keys of a front matter: None removes a key, a key that is not there is appended.

    `root` is the text's own nodes. The caller checks the outcome by reading it again.
    """
    pairs = {key.value: (key, value) for key, value in root.value} if root else {}
    spans = [_change(text, *pairs[key], changes[key], newline) for key in changes.keys() & pairs.keys()]
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    indent = " " * root.value[0][0].start_mark.column if root and root.value else ""
    added = [(key, value) for key, value in changes.items() if key not in pairs and value is not None]
    return text + "".join(entry(key, value, newline, indent) for key, value in added)


def _stamp(value: datetime) -> str:
    aware = value if value.tzinfo else value.astimezone()
    return aware.isoformat(timespec="seconds")


def _is_plain(text: str) -> bool:
    return not (
        text != text.strip() or _OTHER_TYPE.fullmatch(text) or _NOT_PLAIN.match(text) or _NOT_PRINTED.search(text)
    )


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _ESCAPES.get(found[0]) or (f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}")  # noqa: PLR2004 - a byte


def _block(items: Iterable[str], indent: str, newline: str, comment: str = "") -> str:
    lines = [f"{indent}- {scalar(item)}" for item in items]
    return ":" + comment + "".join(newline + line for line in lines) if lines else f": []{comment}"


def _change(text: str, key: Node, value: Node, new: Value | None, newline: str) -> tuple[int, int, str]:
    """Find what to replace, from where to where, by what."""
    end = _end(value, text)
    line_end = _line_end(text, end)
    if new is None:
        return text.rfind("\n", 0, key.start_mark.index) + 1, text.find("\n", end) + 1 or len(text), ""
    colon = text.index(":", key.end_mark.index)
    if isinstance(value, SequenceNode) and isinstance(new, (list, tuple)) and new:
        if value.flow_style and value.value:
            inner = ", ".join(scalar(item, flow=True) for item in new)
            return value.start_mark.index, value.end_mark.index, f"[{inner}]"
        if not value.flow_style and (merged := _merge_items(text, value, new, newline)):
            return merged
    comment = _comment(text, value, colon, end, line_end)
    if isinstance(new, (list, tuple)):
        column = key.start_mark.column
        indent = " " * (value.start_mark.column if _is_block_list(value) else column + 2)
        return colon, line_end, _block(new, indent, newline, comment)
    lead = text[colon + 1 : value.start_mark.index]
    lead = lead if lead and "\n" not in lead and "#" not in lead else " "
    quote = value.style if isinstance(value, ScalarNode) and value.style in {"'", '"'} else ""
    return colon + 1, line_end, lead + scalar(new, quote) + comment


def _is_block_list(node: Node) -> bool:
    return isinstance(node, SequenceNode) and not node.flow_style


def _end(node: Node, text: str) -> int:
    """Find where a value's own text ends; YAML's mark of a block is at the next thing, after the comments."""
    if isinstance(node, ScalarNode):
        start, end = node.start_mark.index, node.end_mark.index
        return start + len(text[start:end].rstrip()) if node.style in {"|", ">"} else end
    if not isinstance(node, CollectionNode) or node.flow_style or not node.value:
        return node.end_mark.index
    last = node.value[-1]
    return _end(last[1] if isinstance(node, MappingNode) else last, text)


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    found = len(text) if found < 0 else found
    return found - 1 if found > at and text[found - 1] == "\r" else found


def _comment(text: str, value: Node, colon: int, end: int, line_end: int) -> str:
    """Take the comment that stands on the line of the key, with the blanks before it."""
    is_block = not getattr(value, "flow_style", True)
    if is_block or (isinstance(value, ScalarNode) and value.style in {"|", ">"}):
        found = _COMMENT.search(text, colon + 1, _line_end(text, colon))
    else:
        found = _COMMENT.match(text, end, line_end)
    return found[0].rstrip("\r") if found else ""


def _merge_items(text: str, value: SequenceNode, new: Iterable[str], newline: str) -> tuple[int, int, str] | None:
    """Rewrite a block list item by item: items that stay keep their lines, comments and quotes.

    None when an item takes more than its own line.
    """
    begin = at = text.rfind("\n", 0, value.start_mark.index) + 1
    old: dict[str, list[str]] = {}
    loose = ""
    style = ""
    for item in value.value:
        dash = text.rfind("\n", 0, item.start_mark.index) + 1
        if not isinstance(item, ScalarNode) or not re.fullmatch(r"[ \t]*-[ \t]+", text[dash : item.start_mark.index]):
            return None
        stop = text.find("\n", item.start_mark.index) + 1 or len(text)
        if item.style in {"|", ">"} or stop < item.end_mark.index:
            return None
        old.setdefault(item.value, []).append(text[at:stop])
        style, at = item.style or "", stop
    indent = " " * value.start_mark.column
    lines: list[str] = []
    for word in new:
        kept = old.get(word)
        lines.append(kept.pop(0) if kept else f"{indent}- {scalar(word, style)}{newline}")
    for chunks in old.values():
        # a comment above an item that goes stays
        loose += "".join(chunk[: chunk.rstrip("\r\n").rfind("\n") + 1] for chunk in chunks)
    return begin, at, "".join(lines) + loose
