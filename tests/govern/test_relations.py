"""Relations of tags: both notes say the same, the machine only strengthens, a person's edit in either note counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit.app import Kit
from kit.errors import BadInputError, NotFoundError, RefusedError
from kit.vault.lock import VaultLock
from tests.govern.pooled import LEVELS, card, edit, hits, notes, relations, save, tag, to

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.model.notes import Level
    from kit.vault.journal import Who


@pytest.fixture
def pooled(vault: Path) -> Path:
    """Three tags that do not relate, each with a card."""
    for name in ("rollout", "shipping", "release"):
        tag(vault, name)
        card(vault, f"about-{name}", name)
    return vault


def ties(kit: Kit) -> dict[tuple[str, str], str]:
    """Relations of the tags of these tests, not of the seeds."""
    return {pair: level for pair, level in relations(kit).items() if pair[0] in ("rollout", "shipping", "release")}


def way(kit: Kit, asked: str, found: str) -> str:
    return hits(kit, asked)[f"about-{found}"].reasons[0].factor


@pytest.mark.parametrize("level", LEVELS)
def test_a_relation_stands_on_both_notes(kit: Kit, pooled: Path, level: Level) -> None:
    done = kit.pool.relate("rollout", "shipping", level)
    assert done
    assert done.paths == ("tags/rollout.md", "tags/shipping.md")
    assert ties(kit) == {("rollout", "shipping"): level, ("shipping", "rollout"): level}
    assert f'{level}:\n  - "[[tags/shipping]]"\n' in (pooled / "tags/rollout.md").read_text("utf-8")
    assert kit.pool.relate("shipping", "rollout", level) is None
    assert kit.pool.relations("rollout") == [("shipping", level)]


@pytest.mark.usefixtures("pooled")
@pytest.mark.parametrize("who", ["learn", "maintain"])
def test_the_machine_strengthens_and_never_weakens(kit: Kit, who: Who) -> None:
    assert kit.pool.relate("rollout", "shipping", "related", who=who)
    assert kit.pool.relate("rollout", "shipping", "loose", who=who) is None
    assert kit.pool.relate("shipping", "rollout", "synonym", who=who)
    assert kit.pool.relate("rollout", "shipping", "related", who=who) is None
    assert set(ties(kit).values()) == {"synonym"}
    assert kit.pool.relate("rollout", "shipping", "loose"), "a person may"
    assert ties(kit) == {("rollout", "shipping"): "loose", ("shipping", "rollout"): "loose"}


def test_a_tag_relates_to_no_tag_that_is_not_there_and_not_to_itself(kit: Kit, pooled: Path) -> None:
    edit(pooled / "tags/rollout.md", "dimensions:", 'aliases: ["zhoisting"]\ndimensions:')
    before = notes(pooled)
    with pytest.raises(NotFoundError, match="no tag 'quasiflange'"):
        kit.pool.relate("rollout", "quasiflange")
    with pytest.raises(BadInputError, match="are one tag"):
        kit.pool.relate("rollout", "zhoisting")
    with pytest.raises(BadInputError, match="no level"):
        kit.pool.relate("rollout", "shipping", "twin")  # type: ignore[arg-type]  # what JSON may bring
    assert notes(pooled) == before


def test_relating_touches_no_status_and_follows_merges(kit: Kit, pooled: Path) -> None:
    tag(pooled, "old", status="merged", merged_to="[[tags/release]]")
    tag(pooled, "lost", status="merged", merged_to="[[tags/nowhere]]")
    tag(pooled, "dead", status="deprecated")
    tag(pooled, "fresh", status="unexamined")
    kit.pool.relate("rollout", "old", "synonym")
    kit.pool.relate("dead", "fresh", "related")
    assert ties(kit) == {("rollout", "release"): "synonym", ("release", "rollout"): "synonym"}
    statuses = {row.name: row.status for row in kit.tags()}
    assert (statuses["old"], statuses["dead"], statuses["fresh"]) == ("merged", "deprecated", "unexamined")
    with pytest.raises(RefusedError, match="no tag that recalls"):
        kit.pool.relate("rollout", "lost")


# --- a person's hand


@pytest.mark.parametrize(("asked", "found"), [("rollout", "shipping"), ("shipping", "rollout")])
def test_a_relation_on_one_note_alone_is_followed_from_both_sides(
    kit: Kit, pooled: Path, asked: str, found: str
) -> None:
    kit.sync()
    with VaultLock(kit.folder / "vault.lock"):  # nobody can write the other note now
        edit(pooled / "tags/rollout.md", "dimensions:", 'synonym: ["[[tags/shipping]]"]\ndimensions:')
        assert way(kit, asked, found) == "synonym"
        assert ("shipping", "rollout") not in ties(kit)


@pytest.mark.parametrize(("here", "there"), [("rollout", "shipping"), ("shipping", "rollout")])
def test_what_a_person_adds_weakens_or_removes_in_either_note_the_other_follows(
    kit: Kit, pooled: Path, here: str, there: str
) -> None:
    kit.sync()
    file = pooled / f"tags/{here}.md"
    edit(file, "dimensions:", f'synonym: ["[[tags/{there}]]"] # mine\ndimensions:')
    mine = file.read_bytes()
    assert way(kit, there, here) == "synonym"
    assert ties(kit) == {(here, there): "synonym", (there, here): "synonym"}
    edit(file, "synonym:", "loose:")
    assert f"about-{there}" not in hits(kit, here)
    assert ties(kit) == {(here, there): "loose", (there, here): "loose"}
    edit(file, "loose:", "related:")
    assert way(kit, here, there) == "related"
    edit(file, f'related: ["[[tags/{there}]]"] # mine\n', "")
    assert f"about-{there}" not in hits(kit, here)
    assert f"about-{here}" not in hits(kit, there)
    assert ties(kit) == {}
    assert b"# mine" in mine


def test_the_machine_may_strengthen_again_what_a_person_weakened_and_undo_takes_it_back(kit: Kit, pooled: Path) -> None:
    kit.pool.relate("rollout", "shipping", "synonym")
    edit(pooled / "tags/shipping.md", "synonym:", "loose:")
    kit.sync()
    assert set(ties(kit).values()) == {"loose"}
    done = kit.log(1)[0]
    assert (done["what"], done["who"], done["note"]) == ("mirror", "maintain", "tags/shipping.md")


def test_a_new_tag_note_that_names_another_is_followed(kit: Kit, pooled: Path) -> None:
    kit.sync()
    tag(pooled, "deploying", related=to("rollout"))
    kit.sync()
    assert ties(kit)["rollout", "deploying"] == "related"


def test_a_note_that_is_being_edited_is_written_later_and_the_edit_counts_at_once(kit: Kit, pooled: Path) -> None:
    kit.pool.relate("rollout", "shipping", "synonym")
    shipping = pooled / "tags/shipping.md"
    edit(pooled / "tags/rollout.md", 'synonym:\n  - "[[tags/shipping]]"\n', "")
    raw = shipping.read_bytes()
    save(shipping, raw, ago=0)
    assert "about-shipping" not in hits(kit, "rollout")
    assert "about-rollout" not in hits(kit, "shipping")
    assert shipping.read_bytes() == raw, "the person has just saved it"
    with Kit(pooled) as later:  # the debt outlives the process
        assert later.pool.owed()
        assert "about-rollout" not in hits(later, "shipping")
        save(shipping, raw)
        later.pool.activate("release")
        assert not later.pool.owed()
    assert b"rollout" not in shipping.read_bytes().partition(b"synonym")[2]
    assert ties(kit) == {}


def test_a_note_that_cannot_be_read_keeps_no_recall_from_its_answer(kit: Kit, pooled: Path) -> None:
    kit.pool.relate("rollout", "shipping", "synonym")
    shipping = pooled / "tags/shipping.md"
    good = shipping.read_bytes()
    save(shipping, b"---\nid: [broken\n---\n")
    edit(pooled / "tags/rollout.md", "synonym:", "related:")
    assert way(kit, "rollout", "shipping") == "related"
    save(shipping, good)
    kit.pool.activate("release")
    assert ties(kit) == {("rollout", "shipping"): "related", ("shipping", "rollout"): "related"}


@pytest.mark.usefixtures("pooled")
def test_what_the_kit_wrote_itself_is_no_edit_of_a_person(kit: Kit) -> None:
    kit.pool.relate("rollout", "shipping", "synonym")
    kit.pool.merge("rollout", "release")
    kit.pool.undo()
    assert not kit.pool.owed()
    kit.sync()
    assert [entry["what"] for entry in kit.log(20)] == ["undo", "merge", "relate"]


def test_a_removed_relation_stays_removed_when_the_index_is_made_anew(kit: Kit, pooled: Path) -> None:
    kit.pool.relate("rollout", "shipping", "synonym")
    edit(pooled / "tags/rollout.md", 'synonym:\n  - "[[tags/shipping]]"\n', "")
    kit.sync()
    kit.reindex()
    assert ties(kit) == {}


def test_relations_that_stand_on_one_side_only_are_completed(kit: Kit, pooled: Path) -> None:
    tag(pooled, "shipping", related=to("rollout"))
    tag(pooled, "release", loose=to("shipping"))
    kit.reindex()
    kit.pool.evolve()
    assert ties(kit)["rollout", "shipping"] == "related"
    assert ties(kit)["shipping", "release"] == "loose"


# --- any order of acts


NAMES = ("rollout", "shipping", "release")
PAIR = st.permutations(NAMES).map(lambda names: tuple(names[:2]))
ACTS = st.lists(st.tuples(PAIR, st.sampled_from(LEVELS), st.sampled_from(["learn", "maintain"])), max_size=8)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("shared") / "vault"
    (root / "tags").mkdir(parents=True)
    (root / "memkit.toml").write_text('id = "shared00"\n')
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMKIT_CACHE", str(root.parent / "cache"))
        patched.setenv("MEMKIT_CONFIG", str(root.parent / "config"))
        yield root


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=ACTS)
def test_relations_stay_symmetric_and_only_rise_whatever_the_machine_does(shared: Path, acts: list[Any]) -> None:
    for name in NAMES:
        tag(shared, name)
    with Kit(shared) as kit:
        kit.sync()
        before: dict[tuple[str, str], str] = {}
        for (one, other), level, who in acts:
            kit.pool.relate(one, other, level, who=who)
            after = ties(kit)
            assert all(after[there, here] == its for (here, there), its in after.items())
            assert all(LEVELS.index(after[pair]) <= LEVELS.index(its) for pair, its in before.items())
            assert LEVELS.index(after[one, other]) <= LEVELS.index(level)
            before = after


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=st.lists(st.tuples(PAIR, st.sampled_from([*LEVELS, ""])), max_size=6))
def test_after_any_edits_by_hand_both_notes_say_what_was_written_last(shared: Path, edits: list[Any]) -> None:
    for name in NAMES:
        tag(shared, name)
    with Kit(shared) as kit:
        kit.sync()
        wanted: dict[frozenset[str], str] = {}
        for (here, there), level in edits:
            wanted[frozenset((here, there))] = level
            links: dict[str, Any] = {each: [] for each in LEVELS}
            for pair, its in wanted.items():
                if here in pair and its:
                    links[its] += to(*(pair - {here}))
            tag(shared, here, **links)
            found = ties(kit)
            assert {frozenset(pair): its for pair, its in found.items()} == {
                pair: its for pair, its in wanted.items() if its
            }
            assert all(found[there, here] == its for (here, there), its in found.items())
