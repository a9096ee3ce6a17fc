"""The memory as resources: cards, facts and tags by URI, each as the Markdown it is, and a list of each.

Law: read-only. A URI names a note by its id, or a tag by its name; nothing outside the vault can be named.
"""

import json
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from kit.asker import Asker
from kit.errors import KitError, NotFoundError

NEWEST = 50
MARKDOWN, JSON = "text/markdown", "application/json"


class Resources:
    """The resources of one vault; each method's first sentence is what a client shows of it."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    def cards(self) -> str:
        """List the newest remembered turns: id, day, tags, and what each came to."""
        rows = self._ask("desk.page", kind="card", limit=NEWEST)["memories"]
        keys = ("id", "created", "project", "tags", "text")
        return _json([{"uri": f"memory://cards/{row['id']}", **{key: row[key] for key in keys}} for row in rows])

    def facts(self) -> str:
        """List what is lastingly known of the person and their work."""
        return _json([{"uri": f"memory://facts/{row['id']}", **row} for row in self._ask("facts")])

    def tags(self) -> str:
        """List the words memories are known by, with their aliases and how many cards bear each."""
        return _json([row for row in self._ask("tags") if row["path"]])

    def card(self, id: str) -> str:  # noqa: A002 - the template's name
        """Show one remembered turn: its note, and what was said in it."""
        parts = [self._note(id, "card")]
        said = self._ask("full_text", card=id)
        parts += [f"## {side.title()}\n\n{words}" for side, words in said.items() if words]
        return "\n\n".join(part.strip() for part in parts) + "\n"

    def fact(self, id: str) -> str:  # noqa: A002 - the template's name
        """Show one lasting fact or preference, and what it replaced."""
        return self._note(id, "fact")

    def tag(self, name: str) -> str:
        """Show one tag: what it means, its other names, its relations."""
        return self._note(self._ask("pool.show", name=name)["path"], "tag")

    def _note(self, ref: str, kind: str) -> str:
        leaf = self._ask("desk.note", ref=ref)
        if leaf["kind"] != kind:
            raise ResourceNotFoundError(f"'{ref}' is a {leaf['kind'] or 'plain note'}, not a {kind}.")
        return str(leaf["raw"])

    def _ask(self, operation: str, **params: object) -> Any:  # noqa: ANN401 - what JSON can carry
        try:
            return self._asker.ask(operation, **params)
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error
        except KitError as error:
            raise ResourceError(str(error)) from error


def add(server: MCPServer, asker: Asker) -> None:
    """Give a server the resources of a vault."""
    ours = Resources(asker)
    for uri, show, title, mime in (
        ("memory://cards", ours.cards, "Newest turns", JSON),
        ("memory://facts", ours.facts, "Facts and preferences", JSON),
        ("memory://tags", ours.tags, "Tag pool", JSON),
        ("memory://cards/{id}", ours.card, "A turn", MARKDOWN),
        ("memory://facts/{id}", ours.fact, "A fact", MARKDOWN),
        ("memory://tags/{name}", ours.tag, "A tag", MARKDOWN),
    ):
        server.resource(uri, title=title, mime_type=mime)(show)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
