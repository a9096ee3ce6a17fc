"""The desk of a vault, in this process: what is cheap, what is safe, what can be taken back."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from kit import shipped
from kit.app import Kit
from kit.errors import BadInputError, ConflictError, NotFoundError
from kit.operations import call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kit]:
    monkeypatch.setenv("MEMKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MEMKIT_CONFIG", str(tmp_path / "config"))
    shutil.copytree(shipped.folder("vault-example"), tmp_path / "vault")
    with Kit(tmp_path / "vault", clock=lambda: NOW) as found:
        found.read_words()
        yield found


def snapshot(kit: Kit) -> dict[str, bytes]:
    """Read every note, but not the journal."""
    return {
        file.relative_to(kit.root).as_posix(): file.read_bytes()
        for file in kit.root.rglob("*.md")
        if "archive/undone" not in file.as_posix()
    }


def test_looking_writes_nothing(kit: Kit) -> None:
    kit.sync()
    before = {file: file.read_bytes() for file in kit.root.rglob("*") if file.is_file()}
    kit.desk.page(tag="postgres", limit=5)
    kit.desk.find("how did we set the nginx timeout")
    kit.desk.note("Welcome")
    kit.desk.graph(centre="tag-pool")
    kit.desk.journal()
    kit.desk.told()
    kit.desk.counts()
    kit.desk.problems()
    assert {file: file.read_bytes() for file in kit.root.rglob("*") if file.is_file()} == before


def test_faults_of_the_settings_stand_among_the_problems_wherever_those_are_counted(kit: Kit) -> None:
    settings = kit.root / "memkit.toml"
    good, before = settings.read_text(encoding="utf-8"), kit.desk.counts().problems
    settings.write_text(f"{good}\n[recall]\nlimit = 'many'\n", encoding="utf-8")
    kit.heed()
    [fault] = [one for one in kit.desk.problems() if one.path == str(settings)]
    assert "recall.limit" in fault.what
    assert kit.desk.counts().problems == kit.status()["problems"] == before + 1
    settings.write_text(good, encoding="utf-8")
    kit.heed()
    assert not [one for one in kit.desk.problems() if one.path == str(settings)]
    assert kit.desk.counts().problems == before


def test_an_edit_changes_only_the_lines_it_must_and_undo_gives_every_byte_back(kit: Kit) -> None:
    one = kit.desk.page(kind="fact").memories[0]
    before = snapshot(kit)
    made = kit.desk.edit(one.id, text="Said anew.", importance=1, etag=one.etag)
    after = snapshot(kit)
    assert {path for path in after if after[path] != before.get(path)} == {one.path}
    old, new = before[one.path].decode().splitlines(), after[one.path].decode().splitlines()
    gone = [line.partition(":")[0] for line in old if line not in new]
    assert set(gone) <= {"importance", "updated", "value", one.text.partition(":")[0]}
    kit.pool.undo(made.act)
    assert snapshot(kit) == before


def test_an_edit_on_an_old_state_is_refused(kit: Kit) -> None:
    one = kit.desk.page(kind="fact").memories[0]
    file = kit.root / one.path
    file.write_text(file.read_text(encoding="utf-8") + "\nMine.\n", encoding="utf-8")
    with pytest.raises(ConflictError):
        kit.desk.edit(one.id, text="Theirs.", etag=one.etag)
    assert "Theirs." not in file.read_text(encoding="utf-8")


def test_a_value_that_the_new_sentence_no_longer_says_goes_with_the_old_one(kit: Kit) -> None:
    one = next(one for one in kit.desk.page(kind="fact").memories if one.key == "harbor database version")
    assert one.value == "PostgreSQL 16.3"
    kit.desk.edit(one.id, text="Harbor runs on PostgreSQL 16.3 and nothing else.")
    assert kit.desk.memory(one.id).value == "PostgreSQL 16.3"
    kit.desk.edit(one.id, text="Harbor runs on PostgreSQL 17.")
    assert kit.desk.memory(one.id).value == ""


def test_tags_too_general_are_refused_with_the_reason_and_new_ones_get_a_note(kit: Kit) -> None:
    one = kit.desk.page(kind="fact").memories[0]
    made = kit.desk.edit(one.id, tags=[*one.tags, "thing", "lantern-festival"])
    assert len(made.refused) == 1
    assert "thing" in made.refused[0]
    assert kit.desk.memory(one.id).tags == (*one.tags, "lantern-festival")
    assert kit.pool.show("lantern-festival").cards == (one.id,)


def test_of_a_summary_the_text_can_be_changed_and_nothing_else(kit: Kit) -> None:
    one = kit.desk.page(kind="summary").memories[0]
    kit.desk.edit(one.id, text="It went well in the end.")
    assert kit.desk.memory(one.id).text == "It went well in the end."
    with pytest.raises(BadInputError):
        kit.desk.edit(one.id, importance=5)


def test_a_card_is_put_away_with_its_parts_and_comes_back_whole(kit: Kit) -> None:
    one = kit.desk.page(kind="card", month="2026-08").memories[0]
    before = snapshot(kit)
    gone = kit.desk.put_away(one.id, "no longer true")
    assert not [path for path in snapshot(kit) if one.id in path and not path.startswith("archive/")]
    with pytest.raises(NotFoundError):
        kit.desk.memory(one.id)
    kit.pool.undo(gone.act)
    assert snapshot(kit) == before


def test_clearing_goes_bit_by_bit_the_oldest_first_and_each_bit_comes_back(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kit.desk.desk.CLEARED_AT_ONCE", 5)
    before, all_ = snapshot(kit), [one.id for one in kit.desk.page(layer="semantic", limit=500).memories]
    acts = []
    while True:
        gone = kit.desk.clear("semantic")
        acts.append(gone.act)
        if not gone.left:
            break
        assert [one.id for one in kit.desk.page(layer="semantic", limit=500).memories] == all_[: gone.left]
    assert len(acts) == 3
    for act in reversed(acts):
        kit.pool.undo(act)
    assert snapshot(kit) == before


def test_what_is_written_down_can_be_taken_back(kit: Kit) -> None:
    made = kit.desk.add("The kettle is descaled in March.", layer="episodic", tags=["kettle"])
    assert kit.desk.memory(made.id).text == "The kettle is descaled in March."
    assert [hit.id for hit in kit.recall("what about the kettle?").hits] == [made.id]
    kit.pool.undo(made.act)
    with pytest.raises(NotFoundError):
        kit.desk.memory(made.id)


def test_a_fact_that_was_known_is_confirmed_not_doubled(kit: Kit) -> None:
    one = next(one for one in kit.desk.page(kind="fact").memories if not one.project)
    assert kit.desk.add(one.text).did == "confirmed"
    assert kit.desk.memory(one.id).hits == one.hits + 1


def test_an_edit_in_a_file_is_what_the_next_look_shows(kit: Kit) -> None:
    one = kit.desk.page(kind="fact").memories[0]
    file = kit.root / one.path
    file.write_text(file.read_text(encoding="utf-8").replace(one.text, "Changed in an editor."), encoding="utf-8")
    assert kit.desk.memory(one.id).text == "Changed in an editor."


def test_a_page_goes_on_where_it_was_though_its_last_memory_is_gone(kit: Kit) -> None:
    whole = [one.id for one in kit.desk.page(limit=500).memories]
    first = kit.desk.page(limit=10)
    kit.desk.put_away(first.memories[-1].id)
    assert [one.id for one in kit.desk.page(limit=10, cursor=first.next).memories] == whole[10:20]


def test_the_journal_s_pages_stay_in_place_while_lines_are_added(kit: Kit) -> None:
    whole = [line.cursor for line in kit.desk.journal(limit=500).lines]
    first = kit.desk.journal(limit=3)
    kit.desk.add("A new line comes into the journal.", layer="transient")
    assert [line.cursor for line in kit.desk.journal(cursor=first.next, limit=3).lines] == whole[3:6]


def test_a_torn_line_of_the_journal_is_passed_over(kit: Kit) -> None:
    count = len(kit.desk.journal(limit=500).lines)
    with (kit.root / "journal" / "2026-11.jsonl").open("ab") as file:
        file.write(b'{"at":"2026-11-30T12:00:00+00:00","who":"per')
    assert len(kit.desk.journal(limit=500).lines) == count


@pytest.mark.parametrize("limit", [0, -1, 501])
def test_a_page_without_bounds_is_refused(kit: Kit, limit: int) -> None:
    with pytest.raises(BadInputError):
        kit.desk.page(limit=limit)


def test_every_operation_of_the_desk_gives_what_json_can_carry(kit: Kit) -> None:
    one = kit.desk.page().memories[0]
    for name, params in (
        ("page", {}), ("memory", {"note_id": one.id}), ("note", {"ref": one.id}), ("counts", {}), ("problems", {}),
        ("graph", {}), ("find", {"query": "nginx"}), ("journal", {}), ("told", {}),
    ):  # fmt: skip
        assert call(kit, f"desk.{name}", params) is not None
