"""What a person thinks of a memory, and what they put away and take out again."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from kit.errors import BadInputError, ConflictError, KitError, NotFoundError

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit
    from kit.model.notes import Feedback

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LONG = " ".join(f"Oil the pawl of the ratchet in hall {number}, because it is dry." for number in range(14))


def turn(kit: Kit, prompt: str = "the ratchet slips", answer: str = LONG) -> str:
    framed = kit.frame(prompt, tags=["ratchet", "pawl"])
    kit.complete(framed.id, answer)
    return framed.id


def reasons(kit: Kit, note_id: str) -> list[str]:
    hits = kit.recall("", tags=["ratchet"], threshold=0.0, now=NOW).hits
    return [str(reason) for hit in hits if hit.id == note_id for reason in hit.reasons]


def markdown(root: Path) -> dict[str, bytes]:
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*.md")}


def test_a_confirmed_card_scores_higher_and_says_why(kit: Kit) -> None:
    done = turn(kit)
    judged = kit.feedback(done, "confirmed", "it helped")
    assert (judged.before, judged.after) == ("", "confirmed")
    assert "×1.15 feedback: confirmed by the person" in reasons(kit, done)
    assert "feedback: confirmed\nfeedback_reason: it helped\n" in (kit.root / judged.path).read_text("utf-8")
    entry = kit.log(1)[0]
    assert (entry["what"], entry["before"], entry["after"], entry["why"]) == (
        "feedback",
        "none",
        "confirmed",
        "it helped",
    )


def test_a_rejected_card_is_gone_until_the_verdict_is_taken_back(kit: Kit) -> None:
    done = turn(kit)
    raw = (kit.root / kit.feedback(done, "rejected").path).read_bytes()
    assert reasons(kit, done) == []
    judged = kit.feedback(done, "")
    assert (judged.before, judged.after) == ("rejected", "")
    assert reasons(kit, done)
    assert b"feedback" in raw
    assert b"feedback" not in (kit.root / judged.path).read_bytes()


@pytest.mark.parametrize("verdict", ["partial", "ignored"])
def test_a_verdict_in_between_changes_no_score(kit: Kit, verdict: Feedback) -> None:
    done = turn(kit)
    before = reasons(kit, done)
    kit.feedback(done, verdict)
    assert reasons(kit, done) == before


def test_a_copy_of_a_card_is_put_away_without_the_parts_of_the_first(kit: Kit) -> None:
    done = turn(kit)
    path = kit.index.catalog.with_id(done)[0].path
    copy = path.replace(".md", " 1.md")
    (kit.root / copy).write_bytes((kit.root / path).read_bytes())
    assert kit.forget(copy).paths == (f"archive/{copy}",)
    assert kit.full_text(done).agent == LONG
    assert len(kit.forget(path).paths) == 3


def test_a_fact_can_be_judged_and_a_scene_can_not(kit: Kit) -> None:
    fact = kit.remember("The ratchet stands in hall four", tags=["ratchet"])
    assert fact is not None
    kit.feedback(fact.id, "rejected")
    assert reasons(kit, fact.id) == []
    with pytest.raises(BadInputError, match="feedback goes to cards and facts"):
        kit.feedback(next(kit.index.catalog.of_kind("scene")).id, "confirmed")
    with pytest.raises(NotFoundError, match="No note has the id 'nobody'"):
        kit.feedback("nobody", "confirmed")


def test_what_is_put_away_comes_back_byte_for_byte_and_recalls_as_before(kit: Kit, vault: Path) -> None:
    done = turn(kit)
    before, recalled = markdown(vault), kit.explain("the ratchet", route="deep", now=NOW)
    away = kit.forget(done, "too old")
    assert len(away.paths) == 3
    assert all(path.startswith("archive/") and (vault / path).is_file() for path in away.paths)
    assert reasons(kit, done) == []
    assert kit.doctor() == []
    back = kit.restore(done)
    assert set(back.paths) == {path.removeprefix("archive/") for path in away.paths}
    assert markdown(vault) == before
    assert kit.explain("the ratchet", route="deep", now=NOW) == recalled
    assert [entry["what"] for entry in kit.log(2)] == ["restore", "forget"]


def test_what_a_fact_was_learned_from_may_be_put_away(kit: Kit) -> None:
    done = turn(kit)
    path = kit.index.catalog.with_id(done)[0].path
    kit.remember("The ratchet stands in hall four", source=path)
    kit.forget(done)
    assert kit.doctor() == []


def test_a_moved_event_goes_with_its_card(kit: Kit, vault: Path) -> None:
    done = turn(kit)
    path = kit.index.catalog.with_id(f"{done}-e")[0].path
    (vault / path).rename(vault / "raw.md")
    assert "archive/raw.md" in kit.forget(done).paths
    assert "raw.md" in kit.restore(done).paths


def test_nothing_moves_when_the_place_is_taken(kit: Kit, vault: Path) -> None:
    done = turn(kit)
    away = kit.forget(done)
    taken = vault / away.paths[0].removeprefix("archive/")
    taken.write_text("mine\n", encoding="utf-8")
    before = markdown(vault)
    with pytest.raises(ConflictError, match="already exists"):
        kit.restore(done)
    assert markdown(vault) == before


def test_a_broken_note_in_the_archive_keeps_no_other_there(kit: Kit, vault: Path) -> None:
    done = turn(kit)
    kit.forget(done)
    (vault / "archive" / "cards" / "broken.md").write_text(f"---\nid: [{done}\n---\n", encoding="utf-8")
    assert len(kit.restore(done).paths) == 3


def test_what_was_put_away_by_its_name_comes_back_by_it(kit: Kit, vault: Path) -> None:
    kit.remember("Reports go in tables", category="preference")
    kit.remember("Why reports go in tables: Reports go in tables since May", category="fact")
    before = markdown(vault)
    kit.forget("Reports go in tables")
    assert kit.restore("Reports go in tables").paths == ("facts/Reports go in tables.md",)
    assert markdown(vault) == before


def test_what_is_not_in_the_archive_can_not_be_restored(kit: Kit) -> None:
    done = turn(kit)
    with pytest.raises(NotFoundError, match="archive holds no note"):
        kit.restore(done)


def test_a_move_that_a_power_cut_left_half_done_is_finished(kit: Kit, vault: Path) -> None:
    done = turn(kit)
    before = markdown(vault)
    for path in [path for path in before if done in path]:
        (vault / "archive" / path).parent.mkdir(parents=True)
        os.link(vault / path, vault / "archive" / path)
    away = kit.forget(done).paths
    assert all(not (vault / path.removeprefix("archive/")).exists() for path in away)
    os.link(vault / away[0], vault / away[0].removeprefix("archive/"))
    kit.sync()
    kit.restore(done)
    assert markdown(vault) == before


def test_all_parts_stay_when_one_can_not_be_put_away(kit: Kit, vault: Path) -> None:
    done = turn(kit)
    (vault / "archive" / "cards").write_text("in the way\n", encoding="utf-8")
    before = markdown(vault)
    with pytest.raises(KitError):
        kit.forget(done)
    assert markdown(vault) == before
    assert kit.doctor() == []


def test_a_fact_may_be_forgotten_said_again_and_forgotten_again(kit: Kit) -> None:
    ids = []
    for _ in range(3):
        kept = kit.remember("Reports go in tables")
        assert kept is not None
        ids.append(kept.id)
        assert kit.forget(kept.id).paths[0].startswith("archive/facts/Reports go in tables")
    assert len(set(ids)) == 3
    assert kit.restore(ids[1]).id == ids[1]
    assert [entry.id for entry in kit.index.catalog.of_kind("fact")] == [ids[1]]


def test_what_an_undone_act_had_made_comes_back_to_its_place(kit: Kit, vault: Path) -> None:
    (vault / "archive" / "undone" / "tags").mkdir(parents=True)
    note = b"---\nid: t1\nkind: tag\nname: pawl\n---\n"
    (vault / "archive" / "undone" / "tags" / "pawl.md").write_bytes(note)
    (vault / "archive" / "undone" / "tags" / "pawl 1a2b3c.md").write_bytes(note)
    assert kit.restore("t1").paths == ("tags/pawl.md",)


def test_nothing_odd_in_the_archive_keeps_a_note_there(kit: Kit, vault: Path, tmp_path: Path) -> None:
    done = turn(kit)
    away = kit.forget(done).paths
    archive = vault / "archive"
    (archive / "a folder.md").mkdir()
    (tmp_path / "outside.md").write_bytes((vault / away[0]).read_bytes())
    (archive / "away.md").symlink_to(tmp_path / "outside.md")
    (archive / "double.md").symlink_to(vault / away[0])
    (archive / "nowhere.md").symlink_to("nothing")
    (archive / "round.md").symlink_to("round.md")
    (archive / "latin.md").write_bytes(f"---\nid: {done}\nkind: card\n---\n".encode() + b"\xe9\n")
    assert len(kit.restore(done).paths) == 3
