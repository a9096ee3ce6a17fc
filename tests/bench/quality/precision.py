"""PrecisionMemBench: beliefs with aliases and scopes; which come back for a prompt, and nothing else.

Only its tier of relevant beliefs is asked. What it shows always (beliefs pinned in the scope, universal ones, open
questions) is in the vault and may come back as well: it says nothing of a search. A scope is a project; several
scopes are all projects; another person's beliefs are another vault. Replaced beliefs are remembered and replaced;
resolved ones have ended. Cases whose budget leaves no place beside the pinned ones are dropped.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.bench.quality.form import Material, Memory, Question

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_UNIVERSAL = "user:universal"
_KEPT_FOR = "test-user"


def load(folder: Path) -> Iterator[Material]:
    """Read the beliefs and the cases; one vault for each person who is asked about."""
    beliefs = json.loads((folder / "beliefs.seed.json").read_text(encoding="utf-8"))
    cases = [case for case in json.loads((folder / "retrieval.cases.json").read_text(encoding="utf-8")) if _asks(case)]
    for user in sorted({case.get("userId", _KEPT_FOR) for case in cases}):
        own = [belief for belief in beliefs if belief["user_id"] == user]
        yield Material(
            f"precisionmembench-{user}",
            tuple(_memory(belief) for belief in own),
            tuple(_question(case, own) for case in cases if case.get("userId", _KEPT_FOR) == user),
        )


def _asks(case: dict[str, Any]) -> bool:
    """Tell whether a case says which relevant beliefs come back, and leaves room for any."""
    least = 3  # two beliefs are pinned in the scope these cases ask in
    tier = case["expect"].get("relevantBeliefs", {})
    return "shouldOnlyInclude" in tier and case.get("budget", {}).get("maxBeliefs", least) >= least


def _project(scopes: list[str]) -> str:
    """Name the project of a scope: the universal one is none of them."""
    return next(iter(scopes)).partition(":")[2] if len(scopes) == 1 and scopes[0] != _UNIVERSAL else ""


def _memory(belief: dict[str, Any]) -> Memory:
    ended = belief["resolved_at"]
    return Memory(
        belief["_id"], datetime.fromisoformat(belief["created_at"]), belief["content"], kind="fact",
        project=_project(belief["scope"]), tags=(belief["canonical_name"].replace("_", " "),),
        aliases=tuple(dict.fromkeys(belief["aliases"])), superseded_by=belief["superseded_by"] or "",
        until=datetime.fromisoformat(ended) if ended else None,
    )  # fmt: skip


def _question(case: dict[str, Any], own: list[dict[str, Any]]) -> Question:
    scopes = [scope for scope in case["scope"] if any(scope in belief["scope"] for belief in own)] or case["scope"]
    expected = tuple(case["expect"]["relevantBeliefs"]["shouldOnlyInclude"])
    return Question(
        case["caseId"], case["query"], expected, time=datetime.fromisoformat("2026-10-15T12:00:00+00:00"),
        project=_project(scopes) or ("universal" if scopes == [_UNIVERSAL] else ""), category=case["category"],
        allowed=tuple(belief["_id"] for belief in own if _always_shown(belief, scopes)),
    )  # fmt: skip


def _always_shown(belief: dict[str, Any], scopes: list[str]) -> bool:
    if belief["resolved_at"] or belief["superseded_by"]:
        return False
    here = bool({_UNIVERSAL, *scopes}.intersection(belief["scope"]))
    return here and bool(belief["pinned"] or _UNIVERSAL in belief["scope"] or belief["type"] == "open_question")
