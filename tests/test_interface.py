"""The table in kit/README.md for those who come from `IWangdefaMemory`: every row is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kit as package
from kit import operations
from kit.model.notes import Event
from tests.govern.pooled import card, edit, relations, tag, to

if TYPE_CHECKING:
    from kit.app import Kit

README = Path(package.__file__).parent / "README.md"
LONG = " ".join(
    f"Set the proxy read timeout of nginx to 75 seconds, as run {number} of the load test has shown."
    for number in range(9)
)


def rows() -> list[tuple[str, str]]:
    table = README.read_text("utf-8").partition("IWangdefaMemory`")[2]
    found = re.findall(r"^\| (`.+?|.+?) \| (.+?) \|$", table, re.MULTILINE)
    return [row for row in found if row[0] not in ("there", "---")]


def test_every_method_the_table_names_is_there(kit: Kit) -> None:
    names = {name for _, here in rows() for name in re.findall(r"`((?:pool\.)?[a-z_]+)\(", here)}
    names |= {"frame", "complete", "sink"}
    assert len(names) > 12
    for name in names:
        owner, _, method = name.rpartition(".")
        assert callable(getattr(kit.pool if owner else kit, method)), name
        assert name in operations.OPERATIONS, name


@pytest.fixture
def done(kit: Kit) -> str:
    tag(kit.root, "zpawl", synonym=to("zcatch"), aliases=["棘爪"])
    tag(kit.root, "zcatch", synonym=to("zpawl"))
    return kit.sink(
        "why does the export break behind the zpawl?", LONG, tags=["zpawl", "zexport"], scene="work/debugging",
        topic="s1",
    ).id  # fmt: skip


def test_matching_by_tags_by_text_and_by_codes(kit: Kit, done: str) -> None:
    card(kit.root, "other", "zexport", scene="life")
    assert [hit.id for hit in kit.recall("", tags=["zpawl"], limit=1).hits] == [done]
    assert [hit.id for hit in kit.recall("棘爪又坏了怎么办", limit=1).hits] == [done], "tags are inferred from the text"
    assert [hit.id for hit in kit.recall("", codes=["zcatch"], limit=1).hits] == [done]
    best = kit.recall("", codes=["zexport"], scene="work/debugging", limit=1).hits[0]
    assert best.id == done
    assert sum(reason.factor == "scene" for reason in best.reasons) == 2
    assert len(kit.recall("", tags=["zexport"], limit=2).hits) == 2
    assert kit.recall("", codes=["zgone"]).missing == ("zgone",)


def test_the_two_phases_hand_malformed_tags_over(kit: Kit) -> None:
    tag(kit.root, "zflume", definitions=[])
    framed = kit.frame("the zflume leaks", tags=["zflume"])
    assert framed.malformed == ("zflume",)
    assert kit.recall("the zflume").malformed == ("tags/zflume.md",)
    assert ("zflume", "tags/zflume.md", ("definitions",)) in kit.pool.lint()
    completed = kit.complete(framed.id, "Seal it.", alignments={"zflume": {"definition": "a channel"}})
    assert (completed.status, completed.malformed) == ("completed", ())


def test_the_event_says_of_what_type_and_status_it_is(kit: Kit, done: str) -> None:
    event = kit.load(kit.index.catalog.with_id(f"{done}-e")[0].path)
    assert isinstance(event, Event)
    assert (event.type, event.status) == ("chat", "completed")
    edit(kit.root / f"events/{event.created:%Y-%m-%d}/{done}.md", "type: chat", "type: file\nfiles: [nginx.conf]")
    kit.sync()
    again = kit.load(kit.index.catalog.with_id(f"{done}-e")[0].path)
    assert isinstance(again, Event)
    assert (again.type, again.files) == ("file", ("nginx.conf",))


def test_what_lies_behind_a_card(kit: Kit, done: str) -> None:
    assert "75 seconds" in kit.overview(done)
    assert kit.source_path("s1", done) == kit.index.catalog.with_id(f"{done}-o")[0].path
    assert (kit.source_path("s2", done), kit.source_path("s1", "gone")) == ("", "")
    assert kit.full_text(done).agent == LONG
    found = kit.deep_search("why does the export break behind the zpawl?")[0]
    assert (found.id, found.agent) == (done, LONG)
    assert kit.overview("gone") == ""
    assert kit.full_text("gone").user == ""


@pytest.mark.usefixtures("done")
def test_codes_by_name_dimension_and_definitions(kit: Kit) -> None:
    tag(kit.root, "zold", status="merged", merged_to="[[tags/zpawl]]")
    tag(kit.root, "zdead", status="deprecated")
    tag(kit.root, "标签池", code="pool", dimensions=["content", "task"], definitions=["词条集合"])
    assert [kit.pool.code(name) for name in ("zpawl", "棘爪", "zold", "zdead", "zgone")] == [
        "zpawl",
        "zpawl",
        "zpawl",
        "",
        "",
    ]
    assert kit.pool.code("标签池", dimension="task") == "pool"
    assert kit.pool.code("标签池", dimension="scene") == ""
    assert kit.pool.code("标签池", definitions=["集合"]) == "pool"
    assert kit.pool.code("标签池", definitions=["别的"]) == ""
    entry = kit.pool.entry("pool")
    assert entry is not None
    assert (entry.name, kit.pool.entry("gone")) == ("标签池", None)
    assert kit.pool.relations("zpawl") == [("zcatch", "synonym")]
    assert (kit.pool.is_malformed("pool"), kit.pool.is_malformed("gone")) == (False, False)


def test_tags_are_added_with_everything(kit: Kit) -> None:
    kit.pool.add("zhook", definitions=["a bent wire"], dimensions=["task"], aliases=["zbarb"], status="unexamined")
    entry = kit.pool.entry("zhook")
    assert entry is not None
    assert (entry.status, entry.dimensions, entry.aliases) == ("unexamined", ("task",), ("zbarb",))
    assert kit.pool.code("ZBARB") == "zhook"


@pytest.mark.usefixtures("done")
def test_evolution_and_cleaning(kit: Kit) -> None:
    said = kit.pool.carry_out(
        [
            {"action": "deprecate", "code": "zcatch"},
            {"action": "activate", "code": "zcatch"},
            {"action": "merge", "code": "zcatch"},
        ]
    )
    assert said == [
        "zcatch: deprecated",
        "zcatch: activated",
        "Only a person may merge tags: memkit tags merge zcatch …",
    ]
    assert kit.pool.clean(dry_run=True).leaving == ()
    assert kit.cleaning_is_due() is False


@pytest.mark.usefixtures("done")
def test_the_operations_carry_what_json_brings(kit: Kit) -> None:
    call = operations.call
    assert call(kit, "pool.carry_out", {"actions": [{"action": "deprecate", "code": "zcatch"}]}) == [
        "zcatch: deprecated"
    ]
    assert call(kit, "pool.align", {"tags": {"zpawl": {"definition": "again"}}}) == {"done": None, "refused": []}
    framed = kit.frame("one more zpawl")
    completed = call(
        kit, "complete", {"card": framed.id, "answer": "yes", "alignments": {"zgone": {}}, "scene": "work"}
    )
    assert isinstance(completed, dict)
    assert completed["refused"] == ["There is no tag 'zgone' to complete."]
    assert relations(kit)["zpawl", "zcatch"] == "synonym"
