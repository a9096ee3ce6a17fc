"""Front matter, read strictly: YAML text to plain values, with the place of every key.

Law: a scalar that would not be written back the same stays text (dates, yes/no, 0123, 12:30, 1.10);
what two readers could read in two ways (duplicate and merge keys, aliases, tags) is a fault.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from kit.vault.faults import CONFLICT, CONFLICT_FAULT, DEEP_FAULT, Fault, explain

MOST_BYTES = 64 * 1024
"""A front matter above this is refused: reading 1 MB of YAML takes half a second."""
DEEPEST = 20
"""Levels of nesting that are read; what the kit writes has two."""

_TEXT = "tag:yaml.org,2002:str"
_PLAIN = "plain"
_SCALARS: dict[str, object] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INT = re.compile(r"0|-?[1-9][0-9]{0,17}")
_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?")
_LOOKS_LIKE_KEYS = re.compile(
    r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*"  # blank lines and comments
    r"(?:<{7}|\{|\?[ \t]"  # a merge conflict, braces, a long key
    r"|(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s:#\-\"'*&!%@`>|][^\n:]*)[ \t]*:(?:\s|\Z))"
)
# What the kit writes, and most of what people write: a key with one plain or quoted value, or with a list of such
_VALUE = r'"[^"\n]*"|\w[^\n]*'
_SIMPLE = re.compile(rf"([A-Za-z_][A-Za-z0-9_]{{0,60}}):(?: ({_VALUE})|((?:\n  - (?:{_VALUE}))+)|)\n")
_ITEM = "\n  - "
# Blanks YAML folds, what it does not print, comments and escapes: then only YAML itself can say what is meant
_NOT_SIMPLE = re.compile(r"[^\S \n]|[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff#\\]| \n")
_OWN_KEYS = re.compile(r"^(?:kind|id)[ \t]*:\s", re.MULTILINE)

# libyaml reads seven times faster; where it is missing, the reader in Python gives the same nodes
_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Front(NamedTuple):
    """A front matter that was understood."""

    values: dict[str, object]
    places: dict[str, int]
    """The character at which each key begins."""
    root: MappingNode | None
    """The nodes, with their marks; None when there is no key."""


class _Loader(_Base):  # type: ignore[valid-type,misc] # which one it is depends on the machine
    """Composes nodes only; what a scalar means is decided here, not by YAML 1.1."""

    def resolve(self, kind: type[Node], value: str, implicit: object) -> str:  # noqa: ARG002 - PyYAML's signature
        """Mark what carries no tag of its own."""
        if kind is ScalarNode:
            return _PLAIN if isinstance(implicit, tuple) and implicit[0] else _TEXT
        return _TEXT


class _Handler(YAMLHandler):
    """Hands the kit's strict reading to python-frontmatter.

    It keeps the text itself: python-frontmatter strips it and makes CRLF to LF, which would shift every place.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self.front: Front | None = None

    def detect(self, text: str) -> bool:  # noqa: ARG002 - python-frontmatter's signature
        """Take every text: it is only handed what stands between the two `---`."""
        return True

    def split(self, text: str) -> tuple[str, str]:  # noqa: ARG002 - the same
        """Give the text as it is in the file."""
        return self._text, ""

    def load(self, fm: str, **_: object) -> dict[str, object]:
        """Read the text between the `---` lines."""
        self.front = load(fm)
        return self.front.values if self.front else {}


def read_front(text: str) -> Front | None:
    """Read a front matter through python-frontmatter; None when it is no mapping.

    Its `dumps` is never used: it loses comments, quotes, order and sometimes content.
    """
    handler = _Handler(text)
    frontmatter.parse(text, handler=handler)
    return handler.front


def read_values(text: str) -> Front | None:
    """Read a front matter as `read_front` does, but for its nodes; the simple ones ten times faster."""
    return _read_simple(text) or read_front(text)


def _read_simple(text: str) -> Front | None:
    """Read a front matter that is nothing but simple lines; None when YAML has to say what is meant."""
    if _NOT_SIMPLE.search(text):
        return None
    values: dict[str, object] = {}
    places: dict[str, int] = {}
    at = 0
    try:
        while at < len(text):
            found = _SIMPLE.match(text, at)
            if found is None or found[1] in values:
                return None
            key, one, many = found.groups()
            if many:
                values[key] = [_simple_value(item) for item in many.split(_ITEM)[1:]]
            else:
                values[key] = _simple_value(one) if one else None
            places[key] = at
            at = found.end()
    except ValueError:
        return None
    return Front(values, places, None) if values else None


@lru_cache(maxsize=4096)  # most values stand in many notes
def _simple_value(text: str) -> object:
    if text[0] == '"':
        return text[1:-1]
    if ": " in text or text[-1] == ":":
        raise ValueError("a mapping, or no YAML at all")
    return plain_value(text)


def looks_like_keys(text: str) -> bool:
    """Tell whether a text is meant as front matter, whether or not it can be read."""
    return bool(_LOOKS_LIKE_KEYS.match(text) or _OWN_KEYS.search(text))


def load(text: str) -> Front | None:
    """Read the text between the `---` lines; None when it is no mapping: a letterhead between two rules.

    Raise Fault when it is meant as front matter and can't be read.
    """
    try:
        return _load(text)
    except Fault:
        if looks_like_keys(text):
            raise
        return None


def _load(text: str) -> Front | None:
    if conflict := CONFLICT.search(text):
        raise Fault(conflict.start(), *CONFLICT_FAULT)
    try:
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise explain(error, text) from None
    except RecursionError:
        raise Fault(0, *DEEP_FAULT) from None
    if root is None:
        return Front({}, {}, None)
    if not isinstance(root, MappingNode):
        return None
    values = _mapping(root, set(), 0)
    return Front(values, {key.value: key.start_mark.index for key, _ in root.value}, root)


def _value(node: Node, seen: set[int], depth: int) -> object:
    place = node.start_mark.index
    if id(node) in seen:
        raise Fault(place, "The value here is used again elsewhere by an alias (`*`).", "Write it out.")
    seen.add(id(node))
    if node.tag == _PLAIN:
        return plain_value(node.value)
    if node.tag != _TEXT:
        raise Fault(place, f"The YAML tag `{node.tag}` is not read.", "Remove it, or quote the value.")
    if isinstance(node, ScalarNode):
        return node.value
    if depth > DEEPEST:
        raise Fault(place, *DEEP_FAULT)
    if isinstance(node, SequenceNode):
        return [_value(item, seen, depth + 1) for item in node.value]
    return _mapping(node, seen, depth)


def _mapping(node: Node, seen: set[int], depth: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in node.value:
        place = key.start_mark.index
        if not isinstance(key, ScalarNode):
            raise Fault(place, "A value in braces is not quoted.", 'Put it in quotes: "{{…}}".')
        name = key.value
        if not name:
            raise Fault(place, "A value has no key.", "Write `key: value`.")
        if name == "<<" and key.tag == _PLAIN:
            raise Fault(place, "Merge keys (`<<`) are not read.", "Write the keys out.")
        if key.tag not in {_PLAIN, _TEXT}:
            raise Fault(place, f"The YAML tag `{key.tag}` is not read.", "Remove it.")
        if name in found:
            raise Fault(place, f"`{name}` is given twice.", "Delete one of the two lines.")
        found[name] = _value(value, seen, depth + 1)
    return found


def plain_value(text: str) -> object:
    """Read an unquoted scalar: null, true and false, numbers that print as they are written, else text."""
    if text in _SCALARS:
        return _SCALARS[text]
    if text[0] in "-0123456789":
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text) and repr(number := float(text)) == text:
            return number
    return text
