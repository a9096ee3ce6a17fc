"""How each route gets its answer: what is given, turned into operations by name, and the result into our `shown`.

Law: nothing is decided here; a failure is the KitError that the operation raised.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from kit import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kit.errors import KitError

Answer = Any  # what JSON can carry; `shown` checks it


class Call(NamedTuple):
    """One request, checked."""

    ask: Callable[..., Answer]
    """`ask("operation", **params)`"""
    given: Any
    """the checked parameters or body, one of `given`"""
    etag: str = ""
    """the state of a note that the caller has seen; '' for any"""


def entry(row: Mapping[str, Any]) -> dict[str, Any]:
    """Show a memory under the names such entries have had."""
    created, updated = _moment(row["created"] or row["updated"]), _moment(row["updated"])
    listed = _moment(row["at"])
    found = {
        "id": row["id"], "layer": row["layer"], "text": row["text"], "category": row["category"],
        "source": row["source"], "importance": row["importance"], "tags": row["tags"],
        "ts": _millis(created), "updatedAt": _millis(updated), "sessionId": row["topic"],
        "kind": row["kind"], "path": row["path"], "etag": row["etag"], "at": _millis(listed),
        "day": f"{listed:%Y-%m-%d}",
    }  # fmt: skip
    found |= {
        name: row[name] for name in ("status", "project", "scene", "feedback", "pinned", "key", "value", "confidence")
    }
    if row["layer"] != "transient":
        found["hits"] = row["hits"]
    if row["layer"] == "episodic":
        found |= {"sessionTitle": row["title"], "messageCount": row["turns"]}
    return found


def _moment(said: str) -> datetime:
    return datetime.fromisoformat(said)


def _millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def _asked(given: Any) -> dict[str, Any]:  # noqa: ANN401 - one of `given`
    """List the parameters that say something."""
    return {
        name: value for name, value in given.model_dump(exclude_none=True).items() if value != "" or name == "query"
    }


# -- reading


def stats(call: Call) -> Answer:
    """Count what there is."""
    found = call.ask("desk.counts")
    layers = {name: found["layers"].get(name, 0) for name in ("transient", "episodic", "semantic")}
    return {
        **layers, "total": sum(layers.values()), "kinds": found["kinds"], "months": found["months"],
        "problems": found["problems"], "generation": found["generation"], "vault": found["vault"],
    }  # fmt: skip


def listed(call: Call) -> Answer:
    """List memories."""
    return _page(call.ask("desk.page", **_asked(call.given)))


def facts(call: Call) -> Answer:
    """List what is lastingly known."""
    return _page(call.ask("desk.page", kind="fact", **_asked(call.given)))


def _page(found: Answer) -> Answer:
    rows = [entry(row) for row in found["memories"]]
    return {"count": len(rows), "total": found["total"], "entries": rows, "next": found["next"]}


def search(call: Call) -> Answer:
    """Search as one types."""
    found = call.ask("desk.find", **_asked(call.given))
    rows = [{**entry(one["memory"]), "score": one["score"], "reasons": one["reasons"]} for one in found["found"]]
    return {
        "query": found["query"], "readAs": found["read_as"], "count": len(rows), "results": rows,
        "remarks": found["remarks"],
    }  # fmt: skip


def explain(call: Call) -> Answer:
    """Say what an agent would be told for a prompt."""
    found = call.ask("explain", query=call.given.query, limit=call.given.limit)
    recall, delivery = found["recall"], found["delivery"]
    hits = [
        {**{name: hit[name] for name in ("id", "kind", "path", "score", "reasons")}, "says": says}
        for hit, says in zip(recall["hits"], found["says"], strict=True)
    ]
    return {
        "query": recall["query"], "route": recall["route"], "context": delivery["text"], "tokens": delivery["tokens"],
        "told": delivery["ids"], "results": hits, "missing": recall["missing"], "remarks": recall["remarks"],
    }  # fmt: skip


def note(call: Call) -> Answer:
    """Read one note."""
    return call.ask("desk.note", ref=call.given.ref)


def tags(call: Call) -> Answer:
    """List the tag pool."""
    asked = call.given.query.casefold()
    rows = [row for row in call.ask("tags") if any(asked in name.casefold() for name in (row["name"], *row["aliases"]))]
    return {"total": len(rows), "tags": rows[call.given.offset :][: call.given.limit]}


def tag(call: Call) -> Answer:
    """Show one tag."""
    return call.ask("pool.show", name=call.given.name)


def graph(call: Call) -> Answer:
    """Draw the tag pool."""
    return call.ask("desk.graph", **_asked(call.given))


def scenes(call: Call) -> Answer:
    """List the scenes."""
    return {"scenes": call.ask("scenes")}


def journal(call: Call) -> Answer:
    """Turn the pages of the journal."""
    given = call.given
    return call.ask(
        "desk.journal", what=given.what, note_id=given.note, acts="only" if given.acts else "", cursor=given.cursor,
        limit=given.limit,
    )  # fmt: skip


def told(call: Call) -> Answer:
    """Say what was put into which prompt."""
    found = call.ask("desk.told", **_asked(call.given))
    rows = [{**one, "memories": [entry(row) for row in one["memories"]]} for one in found["told"]]
    return {"told": rows, "next": found["next"]}


def problems(call: Call) -> Answer:
    """List what is to be mended."""
    return {"problems": call.ask("doctor" if call.given.deep else "desk.problems")}


def health(call: Call) -> Answer:
    """Say whether all is well."""
    status = call.ask("status")
    busy = status.get("building") or status.get("scan_owed")
    return {"ok": not busy, "version": __version__, "vault": status["vault"], "status": status}


# -- acting


def add(call: Call) -> Answer:
    """Keep a memory."""
    made = call.ask("desk.add", **_asked(call.given))
    return _kept(call, made, made["did"])


def update(call: Call) -> Answer:
    """Change a memory."""
    patch = call.given.patch.model_dump(exclude_none=True)
    made = call.ask("desk.edit", note_id=call.given.id, etag=call.etag, **patch)
    return _kept(call, made, "changed" if made["act"] else "unchanged")


def _kept(call: Call, made: Answer, did: str) -> Answer:
    row = call.ask("desk.memory", note_id=made["id"])
    return {"entry": entry(row), "did": did, "act": made["act"], "refused": made["refused"]}


def remove(call: Call) -> Answer:
    """Put a memory away."""
    gone = call.ask("desk.put_away", note_id=call.given.id, reason=call.given.reason)
    return {"removed": gone["moved"], "acts": [gone["act"]]}


def clear(call: Call) -> Answer:
    """Put a layer away, some memories at a time, so that others are answered in between."""
    removed, acts = 0, []
    while True:
        gone = call.ask("desk.clear", layer=call.given.layer)
        removed += gone["moved"]
        acts += [gone["act"]] if gone["act"] else []
        if not gone["left"] or not gone["moved"]:
            return {"removed": removed, "acts": acts}


def judge(call: Call) -> Answer:
    """Say what a person thinks of a memory."""
    call.ask("feedback", note_id=call.given.id, verdict=call.given.verdict, reason=call.given.reason)
    row = call.ask("desk.memory", note_id=call.given.id)
    return {"entry": entry(row), "did": call.given.verdict or "none", "act": "", "refused": []}


def restore(call: Call) -> Answer:
    """Take a memory out of the archive."""
    call.ask("restore", note_id=call.given.id)
    row = call.ask("desk.memory", note_id=call.given.id)
    return {"entry": entry(row), "did": "restored", "act": "", "refused": []}


def relate(call: Call) -> Answer:
    """Relate two tags."""
    return _done(call.ask("pool.relate", one=call.given.one, other=call.given.other, level=call.given.level), "relate")


def set_status(call: Call) -> Answer:
    """Have a tag recall, or not."""
    if call.given.status == "active":
        return _done(call.ask("pool.activate", name=call.given.name), "status")
    return _done(call.ask("pool.deprecate", name=call.given.name, why=call.given.reason), "status")


def undo(call: Call) -> Answer:
    """Take an act back."""
    return _done(call.ask("pool.undo", act_id=call.given.act), "undo")


def _done(done: Answer, what: str) -> Answer:
    return done or {"act": "", "what": what, "paths": []}


STATUS: dict[str, int] = {
    "BadInputError": 400, "RefusedError": 403, "NotFoundError": 404, "ConflictError": 409, "BadNoteError": 422,
    "NoVaultError": 503, "UnavailableError": 503, "ConfigError": 503,
}  # fmt: skip
"""The HTTP status of each class of error; of a class that is none of these, that of its parent."""


def status_of(error: KitError, *, if_match: bool) -> int:
    """Choose the HTTP status of an error."""
    found = next((STATUS[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in STATUS), 500)
    return 412 if found == 409 and if_match else found  # noqa: PLR2004 - the state the caller has seen is gone
