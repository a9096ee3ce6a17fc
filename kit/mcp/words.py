"""What the server tells a model of its use: the same rules that `memkit hooks install --rules` lays.

Law: one source. Where the rules name a command, the server names the tool that does the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kit import shipped

if TYPE_CHECKING:
    from pydantic import ValidationError

_TOOLS = (
    ('`memkit recall "<their words>" --context`', "the tool `memory_recall` with their words"),
    ('`memkit remember "<sentence>" --category <category>`', "the tool `memory_remember`"),
    ('`memkit commit --summary "<sentences>"`', "the tool `memory_commit`"),
    ('`--fact "preference: <sentence>"`', "in `facts`, with its category"),
    ('`memkit forget "<its name>"`', "the tool `memory_forget`"),
    ("`--project <name>`", "`project`"),
)
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)

_FAULTS = {
    "missing": "is missing",
    "string_too_short": "must not be empty",
    "string_too_long": "is longer than {max_length:,} characters; nothing was kept of it",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be one of {expected}",
    "extra_forbidden": "is not known here",
    "string_type": "must be text",
    "list_type": "must be a list",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "model_type": "must be an object",
}


def instructions() -> str:
    """Write the rules of use for a client of this server."""
    said = (shipped.folder("hooks") / "rules" / "memkit.md").read_text(encoding="utf-8")
    said = _COMMENT.sub("", said)
    for command, tool in _TOOLS:
        said = said.replace(command, tool)
    return said.strip()


def faults(error: ValidationError) -> str:
    """Say in sentences what is wrong with a tool's arguments."""
    said = []
    for fault in error.errors(include_url=False, include_input=False):
        name = ".".join(map(str, fault["loc"]))
        what = _FAULTS.get(fault["type"], "is not what it should be").format(**fault.get("ctx", {}))
        said.append(f"`{name}` {what}.")
    return " ".join(dict.fromkeys(said))
