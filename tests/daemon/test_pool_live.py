"""The tag pool with a daemon beside the person's editor: relations edited by hand, acts cut short, tags examined."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.daemon.conftest import Home, until
from tests.daemon.house import House, living
from tests.govern.pooled import card, edit, tag, to

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="daemons are ended by signals here")


@pytest.fixture
def house(home: Home) -> Iterator[House]:
    with living(home.root) as made:
        tag(made.root, "zpawl", synonym=to("zcatch"))
        tag(made.root, "zcatch", synonym=to("zpawl"))
        card(made.root, "about-catch", "zcatch")
        yield made


def found(house: House) -> set[str]:
    return {hit["id"] for hit in house.ask("recall", query="", tags=["zpawl"], threshold=0.0)["hits"]}


def test_a_relation_edited_by_hand_counts_at_once_and_the_other_note_follows(house: House) -> None:
    assert found(house) == {"about-catch"}
    edit(house.root / "tags/zpawl.md", 'synonym:\n  - "[[tags/zcatch]]"\n', "")
    assert found(house) == set()
    until(lambda: "zpawl]]" not in (house.root / "tags/zcatch.md").read_text("utf-8"))
    edit(house.root / "tags/zcatch.md", "dimensions:", 'related: ["[[tags/zpawl]]"]\ndimensions:')
    assert found(house) == {"about-catch"}
    until(lambda: "zcatch]]" in (house.root / "tags/zpawl.md").read_text("utf-8"))
    assert house.troubles() == []


def test_a_note_that_is_being_edited_follows_without_a_question(house: House) -> None:
    assert found(house) == {"about-catch"}
    other = house.root / "tags/zcatch.md"
    edit(other, "what zcatch is", "mine", ago=0)
    edit(house.root / "tags/zpawl.md", "synonym:", "related:", ago=0)
    until(lambda: "related:" in other.read_text("utf-8"))
    assert "mine" in other.read_text("utf-8")


def test_an_act_that_was_cut_short_is_finished_when_the_daemon_starts(house: House) -> None:
    house.ask("pool.merge", name="zpawl", into="zcatch")
    merged = (house.root / "tags/zpawl.md").read_bytes()
    act = house.ask("pool.undo")
    house.kill()
    journal = max((house.root / "journal").glob("*.jsonl"))
    lines = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    undone = [line for line in lines if line.get("act") == act["act"]]
    kept = [line for line in lines if line not in undone]
    # as if the daemon had died after the plan of the merge and the first of its files
    begun = [line for line in kept if line["what"] == "merge"]
    journal.write_text("".join(json.dumps(line) + "\n" for line in begun), "utf-8")
    (house.root / "tags/zpawl.md").write_bytes(merged)
    assert {row["name"]: row["status"] for row in house.ask("tags")}["zpawl"] == "merged"
    until(lambda: "zpawl]]" not in (house.root / "tags/zcatch.md").read_text("utf-8"))
    assert house.ask("doctor") == []
