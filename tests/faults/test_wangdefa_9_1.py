"""The first list of faults of the system this one descends from: each stays mended."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from kit.digest import summary
from kit.sessions import Sessions

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit
    from kit.model.hits import Hit

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NGINX = "Set the proxy read timeout of nginx to 75 seconds, because the export takes 71."


def card(root: Path, name: str, tags: str, days: float = 0, says: str = "", more: str = "") -> None:
    """Write a completed card as a person would."""
    at = (NOW - timedelta(days=days)).isoformat()
    head = f"id: {name}\nkind: card\nstatus: completed\ncreated: {at}\ntags: [{tags}]\n{more}"
    (root / "cards" / f"{name}.md").write_text(
        f"---\n{head}---\n{says or f'What {name} is about.'}\n", encoding="utf-8"
    )


def tag(root: Path, name: str, more: str = "") -> None:
    head = f"id: tag-{name}\nkind: tag\ncode: {name}\nname: {name}\ndefinitions: [what it is]\ndimensions: [content]\n"
    (root / "tags" / f"{name}.md").write_text(f"---\n{head}{more}---\n", encoding="utf-8")


def hits(kit: Kit, *tags: str, scene: str = "") -> dict[str, Hit]:
    found = kit.recall("", tags=tags, limit=20, threshold=0.0, now=NOW, scene=scene)
    return {hit.id: hit for hit in found.hits}


def hashes(root: Path) -> dict[str, str]:
    return {file.name: sha256(file.read_bytes()).hexdigest() for file in root.rglob("*.md")}


def test_pending_frames_of_the_same_tag_take_no_place_of_a_memory(kit: Kit) -> None:
    """Fault 9.1-1: the turn's own frame was found first and pushed the memories out."""
    done = kit.frame("why does the export break?", tags=["nginx"])
    kit.complete(done.id, NGINX)
    for _ in range(2):
        kit.frame("nginx, once more", tags=["nginx"])
    found = kit.recall("what about nginx?", tags=["nginx"], limit=1)
    assert [hit.id for hit in found.hits] == [done.id]


def test_a_hook_recalls_before_it_frames(kit: Kit) -> None:
    """Fault 9.1-1, at the hook: what is injected never is the prompt itself."""
    done = kit.frame("why does the export break behind nginx?", tags=["nginx", "report-export"])
    kit.complete(done.id, NGINX)
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "what did we set for nginx?"}
    reply = Sessions(kit).handle("claude", "prompt", json.dumps(payload).encode(), {})
    assert kit.status()["cards"] == {"completed": 1}
    reply.after()
    assert done.id in reply.out.decode()
    assert kit.status()["cards"] == {"completed": 1, "pending": 1}


def test_of_equal_cards_the_newest_come_first_however_many_there_are(kit: Kit, vault: Path) -> None:
    """Fault 9.1-2: the number of tags decided, and of more than fifty cards the newest were never looked at."""
    for number in range(70):
        card(vault, f"c{number:02}", "nginx, docker, backup" if number > 60 else "nginx", days=number)
    assert list(hits(kit, "nginx"))[:5] == ["c00", "c01", "c02", "c03", "c04"]


def test_a_card_found_by_inference_stays_below_every_direct_hit(kit: Kit, vault: Path) -> None:
    """Fault 9.1-3: a card that shares no tag with the question could tie with a direct hit."""
    card(vault, "direct", "ratchet, flume", days=300)
    card(vault, "indirect", "flume, pawl")
    found = hits(kit, "ratchet")
    assert list(found) == ["direct", "indirect"]
    assert found["indirect"].reasons[0].factor == "co-tag"
    assert found["indirect"].reasons[0].value < found["direct"].reasons[0].value / 2


def test_a_synonym_of_the_question_takes_nothing_from_a_direct_hit(kit: Kit, vault: Path) -> None:
    """Fault 9.1-3: codes that expansion added raised the divisor."""
    card(vault, "direct", "rollout")
    tag(vault, "rollout")
    before = hits(kit, "rollout")["direct"].reasons[0].value
    tag(vault, "shipping")
    tag(vault, "rollout", 'synonym: ["[[tags/shipping]]"]\n')
    assert hits(kit, "rollout")["direct"].reasons[0].value == pytest.approx(before)


def test_the_scene_of_a_question_raises_cards_of_that_scene(kit: Kit, vault: Path) -> None:
    """Fault 9.1-4: the branch that weighs scenes was never reached."""
    card(vault, "other", "nginx")
    card(vault, "same", "nginx", days=1, more="scene: work\nscene_sub: code-review\n")
    found = hits(kit, "nginx", scene="work/code-review")
    assert list(found) == ["same", "other"]
    assert [reason.value for reason in found["same"].reasons if reason.factor == "scene"] == [0.1, 0.1]
    assert list(hits(kit, "nginx")) == ["other", "same"]


def test_a_new_tag_is_unexamined_recalls_at_once_and_takes_aliases(kit: Kit, vault: Path) -> None:
    """Fault 9.1-8: new tags came as active, and their synonyms were thrown away."""
    framed = kit.frame("the ratchet slips when it rains", tags=["ratchet"])
    kit.complete(framed.id, "Oil the pawl of the ratchet.")
    row = next(row for row in kit.tags() if row.name == "ratchet")
    assert (row.status, row.cards) == ("unexamined", 1)
    assert framed.id in hits(kit, "ratchet")
    note = vault / row.path
    note.write_text(note.read_text("utf-8").replace("name: ratchet\n", "name: ratchet\naliases: [棘轮]\n"), "utf-8")
    assert framed.id in {hit.id for hit in kit.recall("棘轮又滑了怎么办").hits}


def test_recalling_and_perceiving_write_no_note(kit: Kit, vault: Path) -> None:
    """Fault 9.1-9: an unknown word in a question became a tag."""
    card(vault, "one", "nginx")
    kit.sync()
    before, tags = hashes(vault), kit.tags()
    found = kit.recall("what is a quasiflange?", tags=["quasiflange", "nginx"])
    kit.explain("nginx and quasiflange", route="deep")
    kit.perceive("a quasiflange again")
    assert found.missing == ("quasiflange",)
    assert hashes(vault) == before
    assert kit.tags() == tags


def test_a_verdict_falls_on_the_card_it_is_about(kit: Kit) -> None:
    """Fault 9.1-10: "that is wrong" hid the person's correction and kept the wrong memory."""
    wrong = kit.frame("which port has the gateway?", tags=["gateway"])
    kit.complete(wrong.id, "The gateway listens on port 8080.")
    right = kit.frame("no, that is wrong: the gateway listens on 9090", tags=["gateway"])
    kit.complete(right.id, "Right, the gateway listens on port 9090.")
    kit.feedback(wrong.id, "rejected", "wrong port")
    assert list(hits(kit, "gateway")) == [right.id]


def test_a_preference_grows_over_turns_and_is_recalled_by_itself(kit: Kit) -> None:
    """Fault 9.1-11: preferences were merged with the empty list of their own card."""
    first = kit.remember("Reports go in tables", source="cards/a")
    for source in ("cards/b", "cards/c"):
        kit.remember("Put reports in tables", source=source)
    rows = kit.facts()
    assert first is not None
    assert [(row.id, row.confidence) for row in rows] == [(first.id, 0.95)]
    assert 'sources:\n  - "[[cards/a]]"\n  - "[[cards/b]]"\n  - "[[cards/c]]"' in (kit.root / rows[0].path).read_text()
    assert first.id in {hit.id for hit in kit.recall("how shall I lay out the reports?").hits}


def test_synonyms_are_followed_by_levels_three_hops_far(kit: Kit, vault: Path) -> None:
    """Fault 9.1-14: only two tags were ever expanded beyond the first hop."""
    near = [f"near{number}" for number in range(4)]
    tag(vault, "start", f"synonym: {json.dumps([f'[[tags/{name}]]' for name in near])}\n")
    for name in near:
        tag(vault, name, f'synonym: ["[[tags/{name}-on]]"]\n')
        tag(vault, f"{name}-on", f'synonym: ["[[tags/{name}-end]]"]\n')
        tag(vault, f"{name}-end", f'synonym: ["[[tags/{name}-beyond]]"]\n')
        tag(vault, f"{name}-beyond")
        card(vault, f"{name}-end-card", f"{name}-end")
        card(vault, f"{name}-beyond-card", f"{name}-beyond")
    found = hits(kit, "start")
    assert {name for name, hit in found.items() if hit.reasons[0].factor == "synonym"} == {
        f"{name}-end-card" for name in near
    }


def test_a_related_tag_that_was_merged_leads_to_its_successor(kit: Kit, vault: Path) -> None:
    """Fault 9.1-14: relations were not led on through merged tags, and followed into deprecated ones."""
    tag(vault, "start", 'related: ["[[tags/old]]", "[[tags/dead]]"]\n')
    tag(vault, "old", 'status: merged\nmerged_to: "[[tags/fresh]]"\n')
    tag(vault, "fresh")
    tag(vault, "dead", "status: deprecated\n")
    card(vault, "wanted", "fresh")
    card(vault, "unwanted", "dead")
    assert [name for name, hit in hits(kit, "start").items() if hit.reasons[0].factor == "related"] == ["wanted"]


def test_a_deprecated_tag_that_is_seen_again_breaks_no_turn_and_stays_deprecated(kit: Kit, vault: Path) -> None:
    """Fault 9.1-15: the turn failed after its card was written."""
    tag(vault, "flume", "status: deprecated\n")
    framed = kit.frame("the flume leaks", tags=["flume"])
    done = kit.complete(framed.id, "Seal the flume with pitch.")
    assert done.status == "completed"
    assert [(row.name, row.status) for row in kit.tags() if row.name == "flume"] == [("flume", "deprecated")]
    assert kit.doctor() == []


def test_names_that_look_alike_once_simplified_are_tags_of_their_own(kit: Kit) -> None:
    """Fault 9.1-15: `C` and `C++` came to one code, and the turn failed."""
    framed = kit.frame("the linker complains", tags=["C", "C++", "C#"])
    kit.complete(framed.id, "Declare it extern for both.")
    rows = [row for row in kit.tags() if row.path and row.name.startswith(("C", "c"))]
    named = [row for row in rows if row.cards == 1]
    assert len({row.code for row in named}) == len(named) == 3
    assert kit.doctor() == []


def test_rules_alone_learn_from_a_turn(kit: Kit) -> None:
    """Fault 9.1-16: learning needed a model, and even then came to nothing."""
    framed = kit.frame("Why do report exports through nginx end in a 504?")
    done = kit.complete(framed.id, f"{NGINX} Raise it for the location of the export only.")
    assert "75 seconds" in done.summary
    assert 2 <= len(done.tags) <= 4
    assert framed.id in {hit.id for hit in kit.recall("504 of the report export", tags=[done.tags[0]]).hits}


def test_an_answer_is_on_disk_before_the_rules_look_at_it(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault 9.1-16 and 9.2-20: what went wrong while learning took the answer with it."""

    def fail(*_: object) -> str:
        raise RuntimeError("the digest broke")

    framed = kit.frame("Why do exports end in a 504?")
    with monkeypatch.context() as patched:
        patched.setattr(summary, "summarise", fail)
        with pytest.raises(RuntimeError):
            kit.complete(framed.id, NGINX)
    assert NGINX in kit.body(f"{framed.id}-e")
    done = kit.complete(framed.id, NGINX)
    assert (done.status, done.changed) == ("completed", True)
    assert "75 seconds" in done.summary
    assert kit.doctor() == []


def test_a_recall_of_a_hook_leaves_a_line_in_the_journal(kit: Kit) -> None:
    """Fault 9.1-18: recalling a memory was never noted, so that nothing could settle by use."""
    done = kit.frame("why does the export break behind nginx?", tags=["nginx", "report-export"])
    kit.complete(done.id, NGINX)
    payload = {"session_id": "s7", "hook_event_name": "UserPromptSubmit", "prompt": "what did we set for nginx?"}
    Sessions(kit).handle("claude", "prompt", json.dumps(payload).encode(), {}).after()
    entry = kit.log(1)[0]
    assert (entry["who"], entry["what"], entry["session"], entry["ids"]) == ("recall", "recall", "s7", [done.id])
