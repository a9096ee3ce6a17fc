"""Tiers: what is asked of one of them, what each may hold, and what becomes of sessions that fall silent."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from kit import chosen
from kit.app import Kit
from kit.errors import BadInputError
from kit.model.notes import Card
from tests.govern.pooled import NOW, card, save
from tests.govern.test_summaries import live
from tests.small_vault import front

if TYPE_CHECKING:
    from pathlib import Path


def there(vault: Path, folder: str = "cards") -> set[str]:
    return {file.stem for file in (vault / folder).rglob("*.md")}


def fact(vault: Path, name: str, days: float, **keys: object) -> None:
    at = (NOW - timedelta(days=days)).isoformat()
    values = {"id": name, "kind": "fact", "created": at, "updated": at, **keys}
    save(vault / f"facts/{name}.md", front(values, f"About {name}."))


def opened(vault: Path, settings: str) -> Kit:
    file = vault / "memkit.toml"
    file.write_text(f"{file.read_text('utf-8')}\n{settings}\n", "utf-8")
    return Kit(vault, clock=lambda: NOW)


def test_what_is_over_a_cap_goes_lightest_first_and_comes_back(vault: Path) -> None:
    for name, days, keys in (
        ("new", 1, {}), ("older", 10, {}), ("oldest", 25, {}), ("weighty", 12, {"importance": 5}),
        ("rejected", 0, {"feedback": "rejected"}), ("pinned", 29, {"pinned": "true"}),
        ("confirmed", 28, {"feedback": "confirmed"}), ("pending", 29, {"status": "pending"}),
    ):  # fmt: skip
        card(vault, name, "flume", days=days, **keys)
    card(vault, "elsewhere", "flume", days=29, project="other")
    with opened(vault, "[tiers]\nepisodic = 5") as kit:
        planned = kit.tiers.trim(dry_run=True)
        assert [one.id for one in planned.leaving] == ["rejected", "oldest", "older"]
        assert planned.leaving[0].why == "over the 5 of the episodic tier"
        assert "rejected" in there(vault)
        done = kit.tiers.trim()
        assert done.done
        assert there(vault) == {"new", "weighty", "pinned", "confirmed", "pending", "elsewhere"}
        assert there(vault, "archive") == {"rejected", "oldest", "older"}
        assert kit.tiers.trim().leaving == ()
        kit.pool.undo(done.done.act)
        assert len(there(vault)) == 9


def test_cleaning_keeps_the_caps_too_and_each_tier_has_its_own(vault: Path) -> None:
    for number in range(4):
        card(vault, f"e{number}", "flume", days=number)
        card(vault, f"t{number}", "flume", days=number, layer="transient")
        fact(vault, f"f{number}", number)
    with opened(vault, "[tiers]\ntransient = 1\nepisodic = 2\nsemantic = 3") as kit:
        assert kit.tiers.trim(layer="transient", who="maintain").leaving
        assert there(vault) == {"e0", "e1", "e2", "e3", "t0"}
        cleaned = kit.pool.clean()
        assert [one.id for one in cleaned.leaving] == ["e3", "e2", "f3"]
        assert there(vault) == {"e0", "e1", "t0"}
        assert there(vault, "facts") == {"f0", "f1", "f2"}
        stats = kit.tiers.stats()
        assert (stats.transient, stats.episodic, stats.semantic, stats.total) == (1, 2, 3, 6)
        assert stats.caps == {"transient": 1, "episodic": 2, "semantic": 3}


def test_a_cap_of_nought_keeps_all(vault: Path) -> None:
    for number in range(3):
        card(vault, f"e{number}", "flume", days=number)
    with opened(vault, "[tiers]\nepisodic = 0") as kit:
        assert kit.tiers.trim().leaving == ()


def test_a_question_to_one_tier_or_category_is_answered_from_it_alone(kit: Kit) -> None:
    kit.tiers.remember("Reports go in tables", category="preference")
    kit.tiers.remember("Reports are audited by Mei", category="business")
    kit.tiers.remember("We moved reports to the replica", layer="episodic", session="s1")
    kit.tiers.remember("reports look odd today", layer="transient", session="s1")
    kit.read_words()

    def found(layer: str = "", category: str = "", session: str = "") -> set[str]:
        answer = kit.tiers.recall("reports", layer=layer, category=category, session=session)
        return {one.text for one in answer.results}

    assert found(layer="semantic") == {"Reports go in tables", "Reports are audited by Mei"}
    assert found(category="preference") == {"Reports go in tables"}
    assert found(layer="episodic") == {"We moved reports to the replica"}
    assert found(layer="transient") == {"Reports look odd today"}
    assert "Reports look odd today" not in found()
    assert "Reports look odd today" in found(session="s1")
    for layer, category in (("deep", ""), ("", "mood"), ("episodic", "style")):
        with pytest.raises(BadInputError):
            kit.tiers.recall("reports", layer=layer, category=category)
    with pytest.raises(BadInputError):
        kit.tiers.recall("reports", limit=21)


def test_a_passing_remark_is_cut_and_teaches_nothing(kit: Kit) -> None:
    kept = kit.tiers.remember("I prefer long words. " * 40, layer="transient")
    found = kit.load(kept.path)
    assert isinstance(found, Card)
    assert (found.layer, found.learn) == ("transient", "")
    assert len(kit.full_text(kept.id).user) <= 300
    assert kit.pool.waiting() == 0


def test_a_session_that_fell_silent_is_summed_up_once(kit: Kit) -> None:
    live(kit, session="silent")
    with kit.at(kit.now() + timedelta(hours=7)):
        live(kit, session="running")
        for asked in ("a thread of mine", "and more of it"):
            kit.complete(kit.frame(asked, topic="by hand").id, "It is decided, because I say so.")
        assert kit.tiers.close_silent(9) == 1
        assert [entry.path for entry in kit.index.catalog.of_kind("summary")]
        assert kit.tiers.close_silent(9) == 0
    assert kit.tiers.stats().sessions == 1
    with kit.at(kit.now() + timedelta(days=30)):
        assert kit.tiers.close_silent(9) == 0  # what was there long before is left as it is


def test_summing_up_by_itself_can_be_switched_off(vault: Path) -> None:
    with opened(vault, "[tiers]\nsummary_turns = 0") as kit:
        live(kit)
        assert kit.tiers.close("s1") is None


@pytest.mark.parametrize(("profile", "least"), [("default", 0.12), ("layered", 0.08)])
def test_a_profile_brings_its_own_threshold_unless_the_person_sets_one(vault: Path, profile: str, least: float) -> None:
    with opened(vault, f'[recall]\nprofile = "{profile}"') as kit:
        assert chosen.threshold(kit.config) == least
    with opened(vault, "threshold = 0.3") as kit:
        assert chosen.threshold(kit.config) == 0.3


def test_the_layered_profile_works_through_the_real_recall(vault: Path) -> None:
    card(vault, "passing", "", days=1, layer="transient", says="quokkas eat leaves")
    card(vault, "turn", "", days=1, says="quokkas eat grass")
    fact(vault, "lasting", 1)
    (vault / "facts/lasting.md").write_bytes(
        (vault / "facts/lasting.md").read_bytes().replace(b"About lasting.", b"quokkas eat bark")
    )
    with opened(vault, '[recall]\nprofile = "layered"') as kit:
        found = kit.recall("what do quokkas eat")
        assert [hit.id for hit in found.hits] == ["lasting", "turn", "passing"]
        scores = [hit.score for hit in found.hits]
        assert [score / scores[1] for score in scores] == pytest.approx([1.15, 1.0, 0.55])
        assert kit.explain("which quokkas eat bark").delivery.ids == ("lasting",)


def test_a_schedule_puts_nothing_away_for_a_cap_that_nobody_has_set(vault: Path) -> None:
    for number in range(505):
        card(vault, f"c{number}", "flume", days=1)
    with opened(vault, "") as kit:
        assert kit.pool.clean(who="maintain").leaving == ()
        assert len(kit.pool.clean(dry_run=True).leaving) == 5
    with opened(vault, "[tiers]\nepisodic = 503") as kit:
        assert len(kit.pool.clean(who="maintain").leaving) == 2


def test_a_fact_that_is_off_keeps_a_session_from_being_summed_up_by_half(kit: Kit) -> None:
    with pytest.raises(BadInputError, match="from 1 to 5"):
        kit.tiers.commit("We chose the replica", facts=[{"text": "Reports go in tables", "importance": 9}])
    assert there(kit.root, "summaries") == set()
