"""What the server tells a model of its use: the same rules that `memkit hooks install --rules` lays.

Law: one source. Where the rules name a command, the server names the tool that does the same.
"""

from __future__ import annotations

import re

from kit import shipped

_TOOLS = (
    ('`memkit recall "<their words>" --context`', "the tool `memory_recall` with their words"),
    ('`memkit remember "<sentence>" --category <category>`', "the tool `memory_remember`"),
    ('`memkit commit --summary "<sentences>"`', "the tool `memory_commit`"),
    ('`--fact "preference: <sentence>"`', "in `facts`, with its category"),
    ('`memkit forget "<its name>"`', "the tool `memory_forget`"),
    ("`--project <name>`", "`project`"),
)
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)


def instructions() -> str:
    """Write the rules of use for a client of this server."""
    said = (shipped.folder("hooks") / "rules" / "memkit.md").read_text(encoding="utf-8")
    said = _COMMENT.sub("", said)
    for command, tool in _TOOLS:
        said = said.replace(command, tool)
    return said.strip()
