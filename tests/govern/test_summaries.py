"""The summary note of a session: written once, kept in step, never over the words of a person."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from kit.errors import BadInputError
from kit.model.notes import Summary
from kit.vault import note

if TYPE_CHECKING:
    from kit.app import Kit
    from kit.tiers import Commit

TURNS = (
    (
        "Why do report exports end in a 504?",
        "nginx waits 60 seconds, because that is its default. The export takes 71.",
    ),
    ("What should the timeout be?", "Set proxy_read_timeout of nginx to 75 seconds, for that location only."),
    ("And gunicorn?", "Set the gunicorn timeout to 72 seconds, because it must end before nginx does."),
)


def live(kit: Kit, *turns: tuple[str, str], session: str = "s1") -> list[str]:
    """Have turns as a harness has them; return the cards."""
    made = []
    for asked, answer in turns or TURNS:
        card = kit.frame(asked, topic=session, project="harbor", harness="claude", people=["Mei"], who="hook").id
        kit.complete(card, answer, who="hook")
        made.append(card)
    return made


def held(kit: Kit, path: str) -> Summary:
    found = kit.load(path)
    assert isinstance(found, Summary)
    return found


def says(kit: Kit, path: str) -> str:
    return note.first_paragraph(kit.load(path).body)


def commit(kit: Kit, said: str, title: str = "") -> Commit:
    return kit.tiers.commit(said, session="s1", title=title)


def test_a_commit_tells_what_it_was_about_and_where_to_find_it(kit: Kit) -> None:
    cards = live(kit)
    done = commit(kit, "The timeouts nest now.", title="Harbor timeouts").summary
    assert (done.path, done.session, done.turns, done.did) == ("summaries/Harbor timeouts.md", "s1", 3, "new")
    found = held(kit, done.path)
    assert (found.topic, found.title, found.project, found.turns) == ("s1", "Harbor timeouts", "harbor", 3)
    assert [card.split("/")[-1][:20] for card in found.cards] == cards
    assert found.period == "2026-11-30"
    assert found.entities == ("Mei",)
    assert 1 <= len(found.tags) <= 4
    assert set(found.tags) <= set(found.keywords)
    assert says(kit, done.path) == "The timeouts nest now."
    (line,) = [entry for entry in kit.journal.entries() if entry["what"] == "commit"]
    assert (line["session"], line["id"], line["who"]) == ("s1", done.id, "person")


def test_said_again_the_new_words_stand_first_and_the_old_ones_below(kit: Kit) -> None:
    live(kit)
    first = commit(kit, "The timeouts nest now.").summary
    assert commit(kit, "The timeouts nest now.").summary.did == "unchanged"
    again = commit(kit, "Reports are background jobs now.", title="Jobs").summary
    assert (again.id, again.did, again.path) == (first.id, "updated", first.path)
    body = kit.load(first.path).body
    assert body.index("background jobs") < body.index("## Earlier") < body.index("timeouts nest")
    assert held(kit, first.path).title == "Jobs"


def test_a_session_nobody_summed_up_is_told_in_its_cards_own_words(kit: Kit) -> None:
    cards = live(kit)
    done = kit.tiers.close("s1")
    assert done
    assert done.did == "new"
    told = says(kit, done.path)
    for card in cards:
        entry = kit.index.catalog.with_id(card)[0]
        assert says(kit, entry.path).rstrip(".") in told
    assert kit.tiers.close("s1") == done._replace(did="unchanged")


def test_the_rules_go_on_with_their_own_summary_and_leave_any_other_alone(kit: Kit) -> None:
    live(kit)
    done = kit.tiers.close("s1")
    assert done
    live(kit, ("Which database do reports use?", "Use the replica for reports, because the primary is too busy."))
    again = kit.tiers.close("s1")
    assert again
    assert (again.id, again.did, again.turns) == (done.id, "updated", 4)
    assert "replica" in says(kit, done.path)
    assert "## Earlier" not in kit.load(done.path).body
    commit(kit, "An agent's words.")
    live(kit, ("And the cache?", "Use Redis as the cache, because it is there already."))
    assert kit.tiers.close("s1") is None
    assert says(kit, done.path) == "An agent's words."


def test_what_is_forgotten_or_rejected_goes_out_of_the_summary_and_comes_back_with_it(kit: Kit) -> None:
    first, _, last = live(kit)
    done = kit.tiers.close("s1")
    assert done
    whole = says(kit, done.path)
    sentence = says(kit, kit.index.catalog.with_id(last)[0].path).rstrip(".")
    kit.feedback(last, "rejected")
    assert sentence not in (kit.root / done.path).read_text("utf-8")
    assert len(held(kit, done.path).cards) == 2
    kit.feedback(last, "")
    assert says(kit, done.path) == whole
    kit.forget(last)
    assert sentence not in (kit.root / done.path).read_text("utf-8")
    assert all(sentence not in said for said in kit.explain("the gunicorn timeout of 72 seconds").says)
    kit.restore(last)
    assert says(kit, done.path) == whole
    commit(kit, "An agent's words.")
    kit.forget(first)
    assert says(kit, done.path) == "An agent's words."


def test_a_card_that_is_edited_is_edited_in_the_summary_that_rules_wrote(kit: Kit) -> None:
    _, asked, last = live(kit)
    done = kit.tiers.close("s1")
    assert done
    kit.sync()
    for card, says_now in (
        (asked, "The timeout is 90 seconds."),
        (last, "Gunicorn ends after 85 seconds."),
        (last, "And 80."),
    ):
        file = kit.root / kit.index.catalog.with_id(card)[0].path
        file.write_bytes(note.set_summary(file.read_bytes(), says_now))
        kit.sync()
        assert says_now in says(kit, done.path)
    assert "75" not in says(kit, done.path)
    assert "85" not in says(kit, done.path)
    commit(kit, "An agent's words.")
    file.write_bytes(note.set_summary(file.read_bytes(), "Or 70."))
    kit.sync()
    assert says(kit, done.path) == "An agent's words."


def test_a_summary_that_is_left_without_cards_goes_with_the_last(kit: Kit) -> None:
    cards = live(kit)
    done = kit.tiers.close("s1")
    assert done
    away = [kit.forget(card).paths for card in cards]
    assert away[-1][-1] == f"archive/{done.path}"
    assert not any(done.path in path for paths in away[:-1] for path in paths)
    assert kit.pool.undo().paths[0].startswith("cards/"), "what the person put away comes back, not what followed"
    kit.restore(away[-1][-1])
    assert (kit.root / done.path).exists()


def test_a_summary_that_a_person_edited_or_removed_stays_so(kit: Kit) -> None:
    live(kit)
    done = kit.tiers.close("s1")
    assert done
    file = kit.root / done.path
    file.write_bytes(note.set_summary(file.read_bytes(), "As I remember it."))
    kit.sync()
    live(kit, ("And the cache?", "Use Redis as the cache, because it is there already."))
    assert kit.tiers.close("s1") is None
    assert says(kit, done.path) == "As I remember it."
    commit(kit, "What the agent thinks.")
    assert "As I remember it." in kit.load(done.path).body
    file.unlink()
    kit.sync()
    assert kit.tiers.close("s1") is None
    assert not list((kit.root / "summaries").glob("*.md"))
    assert commit(kit, "Asked for again.").summary.did == "new"


def test_a_summary_that_was_removed_stays_so_whatever_zone_the_person_is_in_by_then(kit: Kit) -> None:
    east, west = timezone(timedelta(hours=8)), timezone(timedelta(hours=-5))
    begun = datetime(2026, 11, 30, 8, tzinfo=east)
    with kit.at(begun):
        live(kit)
    with kit.at((begun + timedelta(hours=1)).astimezone(west)):
        done = kit.tiers.close("s1")
        assert done
        (kit.root / done.path).unlink()
        kit.sync()
        assert kit.tiers.close("s1") is None


@pytest.mark.parametrize(
    "turns",
    [
        (TURNS[0],),
        (TURNS[0], ("thanks", "You are welcome."), ("continue", "Done.")),
    ],
)
def test_a_session_with_a_single_lasting_turn_has_its_card_and_needs_no_summary(
    kit: Kit, turns: tuple[tuple[str, str], ...]
) -> None:
    live(kit, *turns)
    assert kit.tiers.close("s1") is None
    assert kit.tiers.close("") is None
    assert kit.tiers.close("never heard of") is None


def test_the_session_that_runs_now_in_the_project_is_the_one_that_is_meant(kit: Kit) -> None:
    live(kit, session="s1")
    live(kit, session="s2")
    kit.frame("a thread of my own", topic="thread")
    assert kit.tiers.commit("What it came to.", project="harbor").summary.session == "s2"
    lone = kit.tiers.commit("Of no session.", project="elsewhere").summary
    assert (lone.session, lone.turns, lone.did) == ("Of no session", 0, "new")
    with kit.at(kit.now() + timedelta(hours=4)):
        assert kit.tiers.commit("Much later.", project="harbor").summary.session == "Much later"


def test_a_session_that_has_ended_is_not_the_one_that_is_meant(kit: Kit) -> None:
    live(kit, session="s1")
    kit.note_event("end", "s1")
    first = kit.tiers.commit("What I did myself.", title="s1", project="harbor").summary
    assert (first.session, first.turns, first.did) == ("s1 2", 0, "new")
    second = kit.tiers.commit("x", project="harbor").summary
    assert (second.id != first.id, second.did) == (True, "new")
    assert says(kit, first.path) == "What I did myself."
    assert not held(kit, first.path).cards
    live(kit, TURNS[0], session="s1")  # taken up again
    assert kit.tiers.commit("What it came to.", folder="/projects/harbor").summary.session == "s1"


def test_where_no_project_is_named_no_session_of_a_project_is_meant(kit: Kit) -> None:
    live(kit, session="s1")
    assert kit.tiers.commit("At home.").summary.session == "At home"


def test_facts_of_a_session_are_kept_and_faulty_ones_told_before_anything_is_written(kit: Kit) -> None:
    live(kit)
    facts: list[dict[str, object]] = [{"text": "Exports take 71 s", "category": "business"}, {"text": "I like tabs"}]
    done = kit.tiers.commit("It came to this.", session="s1", facts=facts)
    assert [fact.did for fact in done.facts] == ["new", "new"]
    for wrong in (
        {},
        {"text": " "},
        {"text": "x", "category": "mood"},
        {"text": "x", "importance": True},
        {"txt": "x"},
    ):
        with pytest.raises(BadInputError):
            kit.tiers.commit("Never written.", session="s9", facts=[wrong])
    with pytest.raises(BadInputError):
        kit.tiers.commit("  ", session="s9")
    assert len(list((kit.root / "summaries").glob("*.md"))) == 1


def test_a_secret_reaches_no_summary(kit: Kit) -> None:
    secret = "sk-ant-api03-" + "Ab3dE6gH" * 6  # looks like a key, is none
    live(kit)
    done = commit(kit, f"The key is {secret} now.", title=f"Key {secret}").summary
    for file in kit.root.rglob("*"):
        assert not file.is_file() or secret not in file.read_text("utf-8", "replace")
    assert done.did == "new"


def test_a_summary_is_found_by_its_words_tags_and_project_and_lets_its_card_speak_first(kit: Kit) -> None:
    live(kit)
    done = commit(kit, "Timeouts were put into one order, from PostgreSQL outwards.", title="Timeout order").summary
    kit.read_words()
    assert done.id in [hit.id for hit in kit.recall("PostgreSQL outwards order").hits]
    tag = held(kit, done.path).tags[0]
    assert done.id in [hit.id for hit in kit.recall("anything", tags=[tag]).hits]
    assert [one.id for one in kit.search('"from PostgreSQL outwards"')] == [done.id]
    assert done.id not in [hit.id for hit in kit.recall("PostgreSQL outwards order", project="other").hits]
    told = kit.explain("What should the nginx timeout of report exports be?").delivery.ids
    assert told
    assert done.id not in told


MIXED = (
    ("Which medicine may I not take?", "You are allergic to penicillin, because of what happened in Lisbon."),
    ("Raise the timeout of nginx", "I raised proxy_read_timeout to 75 s in nginx.conf, because uploads are slow."),
    ("When is the defence?", "The defence is on Thursday"),
    ("论文什么时候交？", "论文在五月二日交，因为学院要先审。"),
    ("Which router do we have?", "The router is an AX86U"),
    ("妈妈的生日是哪天？", "妈妈的生日是十一月九日。"),
)


def test_a_session_of_many_matters_is_not_named_by_one_of_them_alone(kit: Kit) -> None:
    live(kit, *MIXED)
    done = kit.tiers.close("s1")
    assert done
    assert done.title.endswith(("and 5 more", "等 6 件事"))
    told = says(kit, done.path)
    assert "Thursday. " in told, "a blank stands between a Latin sentence and a Chinese one"
    assert "AX86U. " in told


def test_a_session_of_one_matter_is_named_by_the_turn_that_shares_most_with_the_others(kit: Kit) -> None:
    live(
        kit,
        ("Hello, what is new in zplover?", "Version 3 of zplover is out, because of the parser."),
        *((f"How does the zlathe of zplover turn at step {n}?", f"The zlathe turns {n} times.") for n in (4, 5, 6)),
    )
    done = kit.tiers.close("s1")
    assert done
    assert "more" not in done.title
    assert "zlathe" in done.title


@pytest.mark.parametrize("length", range(30, 100, 7))
def test_no_title_ends_within_a_word(kit: Kit, length: int) -> None:
    words = "Alert rules are owned by Wang; dashboards live in the infrastructure repository under proxy_read_timeout"[
        :length
    ]
    whole = words[: words.rfind(" ")]
    done = commit(kit, f"{whole}.").summary
    shown = done.title.rstrip("…")
    assert whole.startswith(shown)
    assert whole[len(shown) : len(shown) + 1] in ("", " ", ";")
