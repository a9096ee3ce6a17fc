"""What else can be asked: pages, etags, notes, tags, journal; and how it is told what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.web.conftest import part

if TYPE_CHECKING:
    from tests.web.conftest import Site

CARD = "20260830-072153-cxpc"


def test_pages_together_are_the_whole_list_and_nothing_comes_twice(site: Site) -> None:
    whole = [one["id"] for one in site.get("memory/list", limit=500)["entries"]]
    paged: list[str] = []
    cursor = ""
    while True:
        page = site.get("memory/list", limit=7, cursor=cursor)
        assert page["total"] == len(whole)
        paged += [one["id"] for one in page["entries"]]
        cursor = page["next"]
        if not cursor:
            break
    assert paged == whole


def test_a_list_is_ordered_by_the_day_it_shows(site: Site) -> None:
    days = [one["day"] for one in site.get("memory/list", limit=500)["entries"]]
    assert days == sorted(days, reverse=True)


@pytest.mark.parametrize(
    ("asked", "fits"),
    [
        ({"tag": "postgres"}, lambda one: "postgresql" in one["tags"]),
        ({"scene": "work/code-review"}, lambda one: one["scene"] == "work/code-review" or one["kind"] == "fact"),
        ({"project": "harbor"}, lambda one: one["project"] == "harbor"),
        ({"month": "2026-08"}, lambda one: "2026-0" in one["day"] or "2026-1" in one["day"]),
        ({"kind": "fact"}, lambda one: one["kind"] == "fact"),
    ],
)
def test_a_list_holds_only_what_was_asked_for(site: Site, asked: dict[str, object], fits: Any) -> None:  # noqa: ANN401 - a test of one entry
    found = site.get("memory/list", **asked)["entries"]
    assert found
    assert all(fits(one) for one in found)


def test_what_has_not_changed_is_not_sent_again(site: Site) -> None:
    first = site.ask("GET", "/api/memory/list")
    again = site.ask("GET", "/api/memory/list", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.raw) == (304, b"")
    site.post("memory/add", layer="transient", text="Something new came up.")
    assert site.ask("GET", "/api/memory/list", headers={"If-None-Match": first.headers["etag"]}).status == 200


def test_a_persons_newer_edit_is_never_overwritten(site: Site) -> None:
    one = site.get("facts", category="style")["entries"][0]
    file = site.root / one["path"]
    file.write_text(file.read_text(encoding="utf-8") + "\nA line typed in an editor.\n", encoding="utf-8")
    body = {"id": one["id"], "patch": {"text": "Typed on the page."}}
    refused = site.ask("POST", "/api/memory/update", body, {"If-Match": f'"{one["etag"]}"'})
    assert refused.status == 412
    assert refused.json["mend"]
    assert "Typed on the page." not in file.read_text(encoding="utf-8")
    seen = site.get("note", ref=one["id"])["etag"]
    assert site.ask("POST", "/api/memory/update", body, {"If-Match": f'"{seen}"'}).status == 200
    assert "Typed on the page." in file.read_text(encoding="utf-8")
    assert "A line typed in an editor." in file.read_text(encoding="utf-8")


def test_an_edit_that_changes_nothing_writes_nothing(site: Site) -> None:
    one = site.get("facts")["entries"][0]
    before = (site.root / one["path"]).read_bytes()
    kept = site.post("memory/update", id=one["id"], patch={"text": one["text"], "tags": one["tags"]})
    assert (kept["did"], kept["act"]) == ("unchanged", "")
    assert (site.root / one["path"]).read_bytes() == before


def test_a_secret_typed_on_the_page_reaches_no_file(site: Site) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    kept = site.post("memory/add", text=f"The deploy token is {secret}, keep it.")
    assert secret not in site.read(kept["entry"]["path"])


def test_a_note_comes_with_its_links_and_what_leads_to_it(site: Site) -> None:
    note = site.get("note", ref=CARD)
    assert note["front"]["topic"] == "tag-pool"
    assert note["raw"].startswith("---\n")
    assert {link["kind"] for link in note["links"]} == {"event", "overview", "summary"}
    assert {"event", "overview", "summary"} <= {link["kind"] for link in note["backlinks"]}
    assert note["said"]["user"].startswith("Write the rules of tag pool management")
    assert note["file"] == str(site.root / note["path"])


def test_a_person_s_own_note_is_shown_with_its_links(site: Site) -> None:
    note = site.get("note", ref="Welcome")
    assert note["kind"] == ""
    assert "facts/Code style" in {link["target"] for link in note["links"]}
    back = site.get("note", ref="facts/Code style")["backlinks"]
    assert "Welcome.md" in {link["path"] for link in back}


def test_a_tag_s_note_names_the_cards_that_bear_it(site: Site) -> None:
    back = site.get("note", ref="tags/postgresql")["backlinks"]
    assert len([link for link in back if link["kind"] == "card"]) >= 4


def test_a_link_that_a_person_wrote_into_a_card_leads_back(site: Site) -> None:
    card = site.get("note", ref=CARD)
    file = site.root / card["path"]
    file.write_text(file.read_text(encoding="utf-8") + "\nSee [[facts/Peanut allergy]].\n", encoding="utf-8")
    assert "Peanut" in str(site.get("note", ref=CARD)["links"])


def test_tags_are_listed_shown_related_and_put_to_rest(site: Site) -> None:
    assert site.get("tags", limit=5)["total"] >= 40
    assert [tag["name"] for tag in site.get("tags", query="postgre")["tags"]] == ["postgresql"]
    assert "database-migration" in site.get("tag", name="postgres")["related"]
    done = site.post("tag/relate", one="sourdough", other="kyoto", level="loose")
    assert "kyoto" in site.get("tag", name="sourdough")["loose"]
    assert "tags/sourdough" in site.read("tags/kyoto.md")
    site.post("undo", act=done["act"])
    assert "kyoto" not in site.get("tag", name="sourdough")["loose"]
    site.post("tag/status", name="redis", status="deprecated", reason="not used here")
    assert site.get("tag", name="redis")["status"] == "deprecated"
    site.post("tag/status", name="redis", status="active")
    assert site.get("tag", name="redis")["status"] == "active"


def test_the_picture_has_three_levels_and_can_be_drawn_round_one_tag(site: Site) -> None:
    whole = site.get("graph", limit=500)
    codes = {point["code"] for point in whole["points"]}
    assert {line["level"] for line in whole["lines"]} == {"synonym", "related", "loose"}
    assert all(line["one"] in codes and line["other"] in codes for line in whole["lines"])
    near = site.get("graph", centre="tag-pool")
    assert near["points"][0]["name"] == "tag-pool"
    assert 1 < len(near["points"]) < len(whole["points"])
    assert site.get("graph", limit=3)["left_out"] == len(codes) - 3


def test_scenes_are_listed(site: Site) -> None:
    assert ("work", "code-review") in {(one["scene"], one["scene_sub"]) for one in site.get("scenes")["scenes"]}


def test_explain_gives_the_very_text_an_agent_would_be_told(site: Site) -> None:
    told = site.get("explain", query="how did we set the nginx timeout?")
    assert told["context"].startswith("--- recalled notes")
    assert told["tokens"] > 10
    assert told["told"]
    assert told["results"][0]["reasons"]
    assert site.get("explain", query="thanks, that's great!")["context"] == ""


def test_the_journal_turns_its_pages_and_names_what_can_be_taken_back(site: Site) -> None:
    one = site.get("facts")["entries"][-1]
    act = site.post("memory/update", id=one["id"], patch={"importance": 1 if one["importance"] != 1 else 2})["act"]
    newest = next(line for line in site.get("journal", acts=True)["lines"] if line["act"] == act)
    wanted = {"act": act, "what": "edit", "who": "person", "undone": False, "files": 1}
    assert part(newest, wanted) == wanted
    assert newest["changes"][0]["path"] == one["path"]
    assert "importance" in newest["changes"][0]["new"]
    site.post("undo", act=act)
    assert next(line for line in site.get("journal")["lines"] if line["act"] == act)["undone"]
    known = {line["cursor"] for line in site.get("journal", limit=500)["lines"]}  # the daemon may write more meanwhile
    seen: list[str] = []
    cursor = ""
    while True:
        page = site.get("journal", cursor=cursor, limit=3)
        seen += [line["cursor"] for line in page["lines"]]
        cursor = page["next"]
        if not cursor:
            break
    assert len(seen) == len(set(seen))
    assert known <= set(seen)
    assert all(line["note"] == one["path"] for line in site.get("journal", note=one["path"])["lines"])


def test_without_a_name_undo_takes_the_persons_newest_act_back(site: Site) -> None:
    one = site.get("facts")["entries"][0]
    site.post("memory/update", id=one["id"], patch={"text": "Changed in passing."})
    assert site.post("undo")["what"] == "undo edit"
    assert site.get("note", ref=one["id"])["title"] == one["text"]


def test_what_was_told_is_listed_with_its_prompt(site: Site) -> None:
    told = site.get("told")["told"]
    assert any("Rate limiting design" in one["text"] for line in told for one in line["memories"])


def test_a_verdict_lands_on_the_card(site: Site) -> None:
    kept = site.post("memory/feedback", id=CARD, verdict="confirmed", reason="exactly")
    assert kept["entry"]["feedback"] == "confirmed"
    assert "feedback: confirmed" in site.read(kept["entry"]["path"])


def test_a_memory_that_was_put_away_can_be_taken_out_by_its_id(site: Site) -> None:
    one = site.get("memory/list", kind="card", month="2026-06")["entries"][0]
    site.post("memory/remove", id=one["id"], reason="not now")
    back = site.post("memory/restore", id=one["id"])
    assert back["entry"]["path"] == one["path"]


def test_problems_name_the_note_the_line_and_the_mend(site: Site) -> None:
    assert site.get("problems")["problems"] == []
    bad = site.root / "facts" / "Broken.md"
    bad.write_text("---\nid: x1\nkind: fact\nimportance: many\n---\nBroken.\n", encoding="utf-8")
    dead = site.root / "facts" / "Dead.md"
    dead.write_text('---\nid: x2\nkind: fact\nsources:\n  - "[[cards/none]]"\n---\nDead link.\n', encoding="utf-8")
    quick = site.get("problems")["problems"]
    assert [(one["path"], one["line"]) for one in quick] == [("facts/Broken.md", 4)]
    assert quick[0]["mend"]
    assert "facts/Dead.md" in {one["path"] for one in site.get("problems", deep=True)["problems"]}
    bad.unlink()
    dead.unlink()


def test_health_says_whose_vault_it_is(site: Site) -> None:
    told = site.get("health")
    assert told["vault"] == str(site.root)
    assert told["version"]


def test_typing_completes_the_last_word(site: Site) -> None:
    for typed in ("rate-li", "标签", "postgr"):
        assert site.get("memory/search", query=typed)["results"], typed
    told = site.get("memory/search", query="postgr")
    assert told["readAs"] == "postgresql"
    assert told["results"][0]["reasons"]
    letters = site.get("memory/search", query="PgBounc")["results"]
    assert any("PgBouncer" in one["text"] for one in letters)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/memory/list?limit=0", None, 400),
        ("GET", "/api/memory/list?limit=ten", None, 400),
        ("GET", "/api/memory/list?limit=1&limit=2", None, 400),
        ("GET", "/api/memory/list?layer=deep", None, 400),
        ("GET", "/api/memory/list?cursor=here", None, 400),
        ("GET", "/api/memory/list?unknown=1", None, 400),
        ("GET", "/api/journal?cursor=2026-11.jsonl:x", None, 400),
        ("GET", "/api/note?ref=nothing-like-it", None, 404),
        ("GET", "/api/note?ref=../../etc/passwd", None, 404),
        ("GET", "/api/tag?name=nothing-like-it", None, 404),
        ("GET", "/api/nothing", None, 404),
        ("GET", "/nothing.js", None, 404),
        ("GET", "/../../../etc/passwd", None, 404),
        ("POST", "/api/memory/list", {}, 405),
        ("POST", "/api/memory/add", {"text": ""}, 400),
        ("POST", "/api/memory/add", {"text": "   "}, 400),
        ("POST", "/api/memory/add", {"text": "x", "importance": 6}, 400),
        ("POST", "/api/memory/add", {"text": "x", "importance": "3"}, 400),
        ("POST", "/api/memory/add", b"{", 400),
        ("POST", "/api/memory/add", b"[" * 100_000, 400),
        ("POST", "/api/memory/add", b"[" * 950 + b"]" * 950, 400),
        ("POST", "/api/memory/update", {"id": CARD, "patch": {"category": "habit"}}, 400),
        ("POST", "/api/memory/update", {"id": "tags/redis", "patch": {"text": "x"}}, 400),
        ("POST", "/api/memory/remove", {"id": "nothing-like-it"}, 404),
        ("POST", "/api/memory/clear", {"layer": "everything"}, 400),
        ("POST", "/api/tag/relate", {"one": "redis", "other": "redis"}, 400),
        ("POST", "/api/undo", {"act": "nothing"}, 404),
    ],
)
def test_what_is_off_is_told_in_a_sentence(site: Site, method: str, path: str, body: object, status: int) -> None:
    answer = site.ask(method, path, body)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json) == {"error", "mend"}
    assert len(answer.json["error"]) > 10
    assert "Traceback" not in answer.raw.decode()
