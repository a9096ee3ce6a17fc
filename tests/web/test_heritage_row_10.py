"""The seven routes that people's programs know, one test each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.web.conftest import part

if TYPE_CHECKING:
    from tests.web.conftest import Site

SHAPE = {"id", "layer", "text", "category", "source", "importance", "tags", "ts", "updatedAt", "sessionId"}
HARBOR = "Harbor has been on PostgreSQL 16.3"


def entries(site: Site, **asked: object) -> list[dict[str, Any]]:
    found = site.get("memory/list", **asked)["entries"]
    assert isinstance(found, list)
    return found


def test_row_10_stats_counts_every_tier(site: Site) -> None:
    told = site.get("memory/stats")
    assert told["semantic"] == 13
    assert told["episodic"] > 30
    assert told["total"] == told["transient"] + told["episodic"] + told["semantic"]
    assert told["months"]["2026-08"] > 5


def test_row_10_list_filters_by_layer_and_category_and_keeps_to_the_limit(site: Site) -> None:
    habits = entries(site, layer="semantic", category="habit", limit=3)
    assert 0 < len(habits) <= 3
    assert all(one["layer"] == "semantic" and one["category"] == "habit" for one in habits)
    for one in habits:
        assert one.keys() >= SHAPE | {"hits"}
        assert 1e12 < one["ts"] <= one["updatedAt"]
    episodic = entries(site, layer="episodic", limit=200)
    assert all(one.keys() >= SHAPE | {"sessionTitle", "messageCount"} for one in episodic)
    assert next(one for one in episodic if one["text"].startswith(HARBOR))["sessionTitle"] == (
        "Harbor from PostgreSQL 14 to 16"
    )
    transient = entries(site, layer="transient")
    assert transient
    assert not any("hits" in one for one in transient)


def test_row_10_search_finds_with_the_degree_of_each_match_and_why(site: Site) -> None:
    told = site.get("memory/search", query="postgresql version", layer="semantic", limit=5)
    assert 0 < told["count"] == len(told["results"]) <= 5
    best = told["results"][0]
    assert best.keys() >= SHAPE | {"score", "reasons"}
    assert best["text"].startswith("Harbor runs on PostgreSQL 16.3")
    assert 0 < best["score"] <= 1
    assert {"factor", "value", "kind", "note"} == best["reasons"][0].keys()
    assert all(one["layer"] == "semantic" for one in told["results"])


def test_row_10_add_keeps_a_memory_in_each_tier(site: Site) -> None:
    says = "Ada writes release notes on Thursday mornings."
    fact = site.post("memory/add", layer="semantic", text=says, category="habit", importance=4, tags=["changelog"])
    wanted = {
        "layer": "semantic", "text": says, "category": "habit", "importance": 4, "tags": ["changelog"],
        "source": "person",
    }  # fmt: skip
    assert part(fact["entry"], wanted) == wanted
    assert says in site.read(fact["entry"]["path"])
    card = site.post("memory/add", layer="episodic", text="The ferry to Lamma leaves from pier four.")
    assert site.read(card["entry"]["path"]).endswith("\nThe ferry to Lamma leaves from pier four.\n")
    passing = site.post("memory/add", layer="transient", text="Lunch was late today.")
    assert passing["entry"]["layer"] == "transient"
    assert site.get("memory/search", query="ferry to Lamma")["results"][0]["id"] == card["entry"]["id"]


def test_row_10_update_changes_text_category_importance_and_tags(site: Site) -> None:
    one = site.get("memory/search", query="Saturday bread", layer="semantic")["results"][0]
    patch = {"text": "Bread is baked on Sundays.", "category": "preference", "importance": 2, "tags": ["sourdough"]}
    changed = site.post("memory/update", id=one["id"], patch=patch)
    assert part(changed["entry"], patch) == patch
    file = site.read(one["path"])
    assert "Bread is baked on Sundays." in file
    assert "category: preference" in file
    site.post("undo", act=changed["act"])
    assert one["text"] in site.read(one["path"])


def test_row_10_remove_archives_and_undo_brings_back(site: Site) -> None:
    one = entries(site, kind="card", month="2026-07")[0]
    gone = site.post("memory/remove", id=one["id"])
    assert gone["removed"] == 1
    assert not (site.root / one["path"]).exists()
    assert (site.root / "archive" / one["path"]).is_file()
    assert site.ask("GET", f"/api/note?ref={one['id']}").status == 404
    site.post("undo", act=gone["acts"][0])
    assert (site.root / one["path"]).is_file()
    assert site.get("note", ref=one["id"])["said"]["user"]


def test_row_10_clear_archives_a_tier_and_undo_brings_it_back(site: Site) -> None:
    before = site.get("memory/stats")
    gone = site.post("memory/clear", layer="semantic")
    assert gone["removed"] == before["semantic"]
    assert site.get("memory/stats")["semantic"] == 0
    assert site.get("memory/stats")["episodic"] == before["episodic"]
    for act in reversed(gone["acts"]):
        site.post("undo", act=act)
    assert site.get("memory/stats")["semantic"] == before["semantic"]


def test_row_10_clear_takes_all_tiers_at_once(site: Site) -> None:
    gone = site.post("memory/clear", layer="all")
    assert site.get("memory/stats")["total"] == 0
    for act in reversed(gone["acts"]):
        site.post("undo", act=act)
    assert site.get("memory/stats")["total"] == gone["removed"]
