"""Searching by words, for people: phrases, fields, wildcards, dates; with the place that matched.

Law: the full text only proposes; what is shown was matched on the note itself. Reads only.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import BadInputError, KitError
from kit.index import query as queries
from kit.model.notes import Card

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kit.index.reflection import Index
    from kit.model.notes import Note
    from kit.witness import Witness

PROPOSALS = 400
"""Cards looked at when the full text proposes; a search for a common word shows its best ones."""
UNFINISHED = ("pending", "interrupted", "failed")
"""Cards that the full text has none of, since they are never recalled; people find them, the newest ones."""


class Sighting(NamedTuple):
    """A note that matches a search."""

    id: str
    kind: str
    path: str
    created: str
    field: str
    """where the snippet comes from"""
    snippet: str


def search(index: Index, witness: Witness, load: Callable[[str], Note], asked: str, limit: int) -> list[Sighting]:
    """Find the cards and facts that match every clause of a search, best first, else newest first."""
    query = _with_aliases(index, queries.parse(asked))
    if not query.clauses:
        raise BadInputError("There is nothing to search for.", "Give words: memkit search nginx timeout")
    found: list[Sighting] = []
    for num in _candidates(index, witness, query):
        sighting = _look(index, witness, load, query, num)
        if sighting:
            found.append(sighting)
        if len(found) == limit:
            break
    if not found and (unknown := queries.unknown_field(asked)):
        raise BadInputError(
            f"Nothing matches, and there is no field '{unknown}'.", f"Fields: {', '.join(queries.NAMED)}."
        )
    return found


def _with_aliases(index: Index, query: queries.Query) -> queries.Query:
    """Have a tag that is asked for stand for all words that count as it: aliases, and tags merged into it."""

    def widened(clause: queries.Clause) -> queries.Clause:
        held = index.pool.linked(clause.text) if clause.field == "tags" else None
        return clause._replace(also=tuple(sorted(index.pool.keys(held.code)))) if held else clause

    return queries.Query(tuple(widened(clause) for clause in query.clauses))


def _candidates(index: Index, witness: Witness, query: queries.Query) -> Iterator[int]:
    proposed = witness.propose(query.terms(), PROPOSALS)
    if proposed is None:
        rows = index.features.rows()
        yield from sorted(rows, key=lambda num: -rows[num].created)
        return
    yield from proposed
    yield from index.features.with_status(*UNFINISHED, most=PROPOSALS)


def _look(
    index: Index, witness: Witness, load: Callable[[str], Note], query: queries.Query, num: int
) -> Sighting | None:
    entry, row = index.catalog.numbered(num), index.features.rows().get(num)
    if entry is None or row is None:
        return None
    try:
        found = load(entry.path)
    except KitError:
        return None
    fields = dict(witness.fields(found)) | _names(found)
    day = datetime.fromtimestamp(row.created).astimezone().date()
    if not queries.match(query, fields, day):
        return None
    field, snippet = _best(fields, query)
    return Sighting(entry.id, row.kind, entry.path, day.isoformat(), field, snippet)


def _names(found: Note) -> dict[str, str]:
    """Give the fields that hold names, one a line."""
    names = {key: "\n".join(getattr(found, key, ())) for key in ("tags", "people", "places")}
    names["kind"] = found.kind
    if isinstance(found, Card):
        scene = [found.scene, found.scene_sub, f"{found.scene}/{found.scene_sub}"] if found.scene else []
        names |= {"project": found.project, "topic": found.topic, "scene": "\n".join(scene)}
    return names


def _best(fields: dict[str, str], query: queries.Query) -> tuple[str, str]:
    for field in ("summary", "facts", "user", "agent", "overview", "body", "tags"):
        snippet = queries.snippet(fields.get(field, ""), query)
        if "**" in snippet:
            return field, snippet
    return "summary", " ".join(fields.get("summary", "").split())
