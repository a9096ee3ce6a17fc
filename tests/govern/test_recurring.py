"""What recurs becomes lasting, what changes is superseded, and a verdict shows in the next recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.model.notes import Card

if TYPE_CHECKING:
    from kit.app import Kit

ASKED = ("Which port has the gateway?", "On which port do I find our gateway again?", "The gateway: which port?")
PORT = "The gateway listens on port 9090."


def turn(kit: Kit, prompt: str, answer: str, *tags: str, topic: str = "s1") -> str:
    framed = kit.frame(prompt, topic=topic, tags=tags)
    kit.complete(framed.id, answer)
    while kit.pool.learn_next():
        pass
    return framed.id


def test_what_three_cards_say_is_promoted_and_names_them(kit: Kit) -> None:
    cards = []
    for number, asked in enumerate(ASKED, 1):
        cards.append(turn(kit, asked, PORT, "zgateway", "zport", topic=f"s{number}"))
        assert len(kit.facts()) == (number == 3)
    fact = kit.facts()[0]
    assert "9090" in fact.says
    assert fact.confidence == 0.8
    note = (kit.root / fact.path).read_text("utf-8")
    assert all(card in note for card in cards)
    turn(kit, "Where is the gateway, which port?", PORT, "zgateway", "zport", topic="s4")
    assert len(kit.facts()) == 1


def test_questions_rejected_answers_and_other_numbers_promote_nothing(kit: Kit) -> None:
    first = turn(kit, ASKED[0], PORT, "zgateway", "zport", topic="s1")
    kit.feedback(first, "rejected")
    turn(kit, ASKED[1], PORT, "zgateway", "zport", topic="s2")
    turn(kit, ASKED[2], PORT, "zgateway", "zport", topic="s3")
    turn(kit, ASKED[2], "The gateway listens on port 8080.", "zgateway", "zport", topic="s4")
    assert kit.facts() == []


@pytest.mark.parametrize(
    "answer",
    [
        "I do not know anything about the gateway.",
        "Sorry, nothing is known about the gateway.",
        "I answer in short.",
        "我不知道网关的端口。",
        "我会用中文回答网关的问题。",
    ],
)
def test_what_an_agent_says_of_itself_is_no_knowledge(kit: Kit, answer: str) -> None:
    for number, asked in enumerate((*ASKED, ASKED[0]), 1):
        turn(kit, asked, answer, "zgateway", "zport", topic=f"s{number}")
    assert kit.facts() == []


def test_what_a_person_says_of_themselves_thrice_is_promoted(kit: Kit) -> None:
    for number in range(3):
        turn(kit, "my gateway listens on port 9090", "Noted.", "zgateway", "zport", topic=f"s{number}")
    assert any("9090" in fact.says for fact in kit.facts())


def test_a_correction_supersedes_says_so_and_takes_the_old_words_along(kit: Kit) -> None:
    turn(kit, "Remember: meetings are on Mondays in the aquarium room.", "Noted.", topic="s1")
    kit.remember("Remember: the standup is at nine", tags=["zritual"])
    kit.remember("Remember: the standup is at ten")
    facts = {fact.key: fact for fact in kit.facts()}
    note = (kit.root / facts["standup time"].path).read_text("utf-8")
    assert "The standup is at ten" in note or "the standup is at ten" in note
    assert "## Earlier" in note
    assert "standup is at nine" in note.partition("## Earlier")[2]
    assert "zritual" in note


def test_the_words_that_rules_took_from_a_superseded_sentence_go(kit: Kit) -> None:
    kit.remember("The wiki runs on Confluence", key="wiki")
    kit.remember("The wiki runs on Outline", key="wiki")
    fact = kit.load(kit.facts()[0].path)
    tags = getattr(fact, "tags", ())
    assert "outline" in {tag.lower() for tag in tags}
    assert "confluence" not in {tag.lower() for tag in tags}


def test_tabs_not_spaces_supersedes_what_was_kept(kit: Kit) -> None:
    turn(kit, "I always indent with spaces.", "Noted.", "zindent", topic="s1")
    turn(kit, "No, tabs, not spaces.", "Tabs it is.", "zindent", topic="s2")
    facts = [fact for fact in kit.facts() if fact.key == "indentation"]
    assert len(facts) == 1
    note = (kit.root / facts[0].path).read_text("utf-8")
    assert "tabs" in facts[0].says.lower()
    assert "spaces" in note.partition("## Earlier")[2]


def test_the_next_message_raises_or_drops_a_card_and_recall_says_why(kit: Kit) -> None:
    good = turn(kit, "How do we oil the zpawl?", "Oil the zpawl with linseed.", "zpawl", "zoil", topic="s1")
    bad = turn(kit, "How do we clean the zpawl?", "Clean the zpawl with vinegar.", "zpawl", "zclean", topic="s2")
    before = {hit.id: hit.score for hit in kit.recall("zpawl").hits}
    assert {good, bad} <= set(before)
    turn(kit, "Perfect, that works well. Now the flume.", "The flume is next.", "zflume", topic="s1")
    turn(kit, "No, that is wrong: vinegar eats the brass.", "Right, brass needs soap.", "zbrass", topic="s2")
    found = {hit.id: hit for hit in kit.recall("zpawl").hits}
    assert bad not in found
    reasons = {reason.factor: reason for reason in found[good].reasons}
    assert (reasons["feedback"].value, reasons["feedback"].kind) == (1.15, "×")
    card = kit.load(found[good].path)
    assert isinstance(card, Card)
    assert (card.feedback, bool(card.feedback_reason)) == ("confirmed", True)


def test_one_turn_with_its_fact_and_its_summary_makes_no_word_recur(kit: Kit) -> None:
    turn(kit, "I live in Zberlin.", "Noted, Zberlin it is.", topic="s1")
    assert [fact.says for fact in kit.facts()] == ["I live in Zberlin."]
    kit.tiers.close("s1")
    assert not list((kit.root / "tags").glob("*erlin*"))
    turn(kit, "Which trams run in Zberlin at night?", "In Zberlin the metro trams M1 to M17 run all night.", topic="s2")
    assert list((kit.root / "tags").glob("*erlin*")), "the second turn that is about it makes it recur"


def test_a_word_of_two_facts_that_no_turn_told_recurs(kit: Kit) -> None:
    kit.remember("The zgateway listens on port 9090")
    assert not list((kit.root / "tags").glob("*zgateway*"))
    kit.remember("The zgateway is owned by the platform group")
    assert list((kit.root / "tags").glob("*zgateway*"))
