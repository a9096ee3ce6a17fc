"""The one table of routes: what is served, what each takes and gives, and who answers it.

Law: the server and the description of the API are both made from this table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kit import __version__
from kit.web import answers, given, shown
from kit.web import answers as a
from kit.web import given as g
from kit.web import shown as s
from kit.web.rows import adapter, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel


class Route(NamedTuple):
    """One thing that can be asked over HTTP."""

    method: str
    path: str
    says: str
    given: type[BaseModel]
    """query parameters of a GET, JSON body of a POST"""
    gives: Any
    """a model, or a row of the kit's"""
    answer: Callable[[answers.Call], answers.Answer]


TABLE = (
    Route("GET", "/api/memory/stats", "Count what there is.", g.Nothing, s.Stats, a.stats),
    Route("GET", "/api/memory/list", "List memories, newest first.", g.ListAsked, s.Page, a.listed),
    Route("GET", "/api/memory/search", "Search as you type, with why.", g.SearchAsked, s.Search, a.search),
    Route("POST", "/api/memory/add", "Keep a memory.", g.Add, s.Kept, a.add),
    Route("POST", "/api/memory/update", "Change a memory.", g.Update, s.Kept, a.update),
    Route("POST", "/api/memory/remove", "Put a memory away.", g.Remove, s.PutAway, a.remove),
    Route("POST", "/api/memory/clear", "Put a layer away.", g.Clear, s.PutAway, a.clear),
    Route("POST", "/api/memory/feedback", "Say what you think of a memory.", g.Judge, s.Kept, a.judge),
    Route("POST", "/api/memory/restore", "Take a memory out again.", g.Restore, s.Kept, a.restore),
    Route("GET", "/api/explain", "What an agent would be told, and why.", g.ExplainAsked, s.Explained, a.explain),
    Route("GET", "/api/facts", "What is lastingly known.", g.FactsAsked, s.Page, a.facts),
    Route("GET", "/api/note", "One note with its links.", g.NoteAsked, s.Note, a.note),
    Route("GET", "/api/tags", "The tag pool.", g.TagsAsked, s.Tags, a.tags),
    Route("GET", "/api/tag", "One tag.", g.TagAsked, s.TagShown, a.tag),
    Route("POST", "/api/tag/relate", "Relate two tags.", g.Relate, s.Done, a.relate),
    Route("POST", "/api/tag/status", "Have a tag recall, or not.", g.SetStatus, s.Done, a.set_status),
    Route("GET", "/api/graph", "The tag pool as a picture.", g.GraphAsked, s.Graph, a.graph),
    Route("GET", "/api/scenes", "The scenes.", g.Nothing, s.Scenes, a.scenes),
    Route("GET", "/api/journal", "The journal.", g.JournalAsked, s.Journal, a.journal),
    Route("GET", "/api/told", "What was put into which prompt.", g.ToldAsked, s.Prompts, a.told),
    Route("GET", "/api/problems", "What is to be mended.", g.ProblemsAsked, s.Problems, a.problems),
    Route("POST", "/api/undo", "Take an act back.", g.Undo, s.Done, a.undo),
    Route("GET", "/api/health", "Whether all is well.", g.Nothing, s.Health, a.health),
)  # fmt: skip

_FAILURES = {
    "400": "what was given is off", "401": "the token is missing or wrong", "403": "it is refused",
    "404": "there is no such thing", "409": "it does not fit the state of the vault", "412": "somebody was faster",
    "413": "too much at once", "415": "the body is no JSON", "422": "the note can't be read",
    "503": "the vault or the daemon does not answer",
}  # fmt: skip
_SCHEMAS = "#/components/schemas/"


def describe() -> dict[str, object]:
    """Describe the API (OpenAPI 3.1)."""
    schemas: dict[str, object] = {}
    _add(schemas, shown.Failure, "serialization")
    paths = {route.path: {route.method.lower(): _operation(route, schemas)} for route in TABLE}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "memory kit", "version": __version__,
            "description": "The memory of people who live with coding agents. On this machine only; every request "
            "carries the token that `memkit web` printed, as a bearer token or in the page's cookie.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }  # fmt: skip


def _operation(route: Route, schemas: dict[str, object]) -> dict[str, object]:
    _add(schemas, route.gives, "serialization")
    told: dict[str, object] = {
        "operationId": route.path.removeprefix("/api/").replace("/", "_"),
        "summary": route.says,
        "responses": {"200": {**_content("what was asked for", route.gives), "headers": _etag(route)}}
        | {code: _content(why, shown.Failure) for code, why in _FAILURES.items()},
    }
    if route.method == "POST":
        _add(schemas, route.given, "validation")
        told["requestBody"] = {"required": True, **_content("", route.given)}
        if route.given is given.Update:
            told["parameters"] = [{
                "name": "If-Match", "in": "header", "schema": {"type": "string", "maxLength": 200},
                "description": "the `etag` of the memory as you have seen it; somebody's newer edit is then kept (412)",
            }]  # fmt: skip
    else:
        asked = route.given.model_json_schema(ref_template=_SCHEMAS + "{model}")
        told["parameters"] = [
            {"name": name, "in": "query", "required": name in asked.get("required", []), "schema": schema}
            for name, schema in asked.get("properties", {}).items()
        ]
        told["responses"] = {**_responses(told), "304": {"description": "as you have it: `If-None-Match`"}}
    return told


def _responses(told: dict[str, object]) -> dict[str, object]:
    found = told["responses"]
    return found if isinstance(found, dict) else {}


def _etag(route: Route) -> dict[str, object]:
    return {"ETag": {"schema": {"type": "string"}}} if route.method == "GET" else {}


def _content(why: str, shape: Any) -> dict[str, object]:  # noqa: ANN401 - as `Route.gives`
    content = {"content": {"application/json": {"schema": {"$ref": _SCHEMAS + name_of(shape)}}}}
    return {"description": why, **content} if why else dict(content)


def _add(
    schemas: dict[str, object],
    shape: Any,  # noqa: ANN401 - as above
    mode: Literal["validation", "serialization"],
) -> None:
    found = adapter(shape).json_schema(ref_template=_SCHEMAS + "{model}", mode=mode)
    schemas |= found.pop("$defs", {})
    schemas[name_of(shape)] = found
