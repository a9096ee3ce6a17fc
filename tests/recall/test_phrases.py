"""Words that stand together in a long conversation as they do in the question: found on real notes, and said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.recall.score import PROFILES
from kit.witness.phrases import pairs_of, weigh

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit

FILLER = " ".join(f"We spoke of thing {number} for a good while, and then of another." for number in range(40))


def talk(kit: Kit, says: str, filler: str = FILLER) -> str:
    card = kit.frame(f"{filler[:900]}\n{says}\n{filler[900:]}", topic=says[:8]).id
    kit.complete(card, "I see.")
    return card


def stands(question: str, said: str) -> bool:
    asked = question.split("|")
    pairs = pairs_of(asked, dict.fromkeys(asked, 1), [said])
    return bool(pairs) and all(pair.stands_in(said) for pair in pairs)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("support|group", "i went to a support group yesterday"),
        ("support|group", "the groups that we all support"),
        ("berri|pie", "berries in a pie"),
        ("rate|limit", "rate-limited"),
        ("缓存|存命", "缓存命中"),
        ("缓存|命中", "缓存的命中率"),
        ("redis|缓存", "redis 缓存"),
    ],
)
def test_words_stand_together_with_only_words_between_that_say_nothing(question: str, said: str) -> None:
    assert stands(question, said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("support|group", "the support of one brave group"),
        ("support|group", "support came. later on the other side of town a group met"),
        ("art|show", "the start shows"),
        ("art|show", "an artist shows"),
        ("缓存|命中", "缓存了三天之后命中"),
    ],
)
def test_words_apart_or_inside_others_do_not(question: str, said: str) -> None:
    assert not stands(question, said)


@pytest.mark.parametrize("line", ["Melanie: hello", "**Melanie**: hello"])
def test_who_speaks_makes_no_pair(line: str) -> None:
    known = {"camp": 3, "melani": 40, "juli": 2}
    said = f"{line}\n".lower() * 4
    assert [(one.first, one.second) for one in pairs_of(known, known, [f"\n{said}"])] == [("camp", "juli")]
    assert len(pairs_of(known, known, ["melanie went camping"])) == 2


def test_what_few_texts_have_weighs_more() -> None:
    pairs = pairs_of(["support", "group", "tent"], {"support": 5, "group": 5, "tent": 5}, [])
    texts = dict.fromkeys(range(8), "a support group") | {0: "a support group, a group tent"}
    found = weigh(pairs, texts, 10.0)
    assert found[0].said == ("support group", "group tent")
    assert found[0].gain > 3 * found[1].gain > 0


def test_of_long_talks_with_the_same_words_the_one_that_has_them_together_is_first_and_says_so(kit: Kit) -> None:
    apart = [
        talk(kit, f"The lantern is red, number {number}. Much later we came to the festival of the year.")
        for number in range(4)
    ]
    wanted = talk(kit, "That is when the lantern festival began. It was red, and the year was long.")
    apart += [
        talk(kit, f"A festival came first, number {number}. In the end somebody had bought one lantern of the year.")
        for number in range(4)
    ]
    kit.witness.open()
    kit.witness.take()
    found = kit.recall("How was the lantern festival?", limit=20, threshold=0.0)
    assert found.hits[0].id == wanted
    why = {reason.factor: reason.note for reason in found.hits[0].reasons}
    assert why["phrase"] == "'lantern festiv' together in a long text"
    assert all(reason.factor != "phrase" for hit in found.hits if hit.id in apart for reason in hit.reasons)


def test_a_long_talk_is_never_taken_for_a_mere_question(kit: Kit) -> None:
    talk(kit, "The lantern festival began.", f"Hello! Did the lantern festival begin well? {FILLER}")
    short = kit.frame("Was there a lantern festival?", topic="short").id
    kit.complete(short, "")
    kit.witness.open()
    kit.witness.take()
    asks = {
        hit.id: any(reason.factor == "asks" for reason in hit.reasons)
        for hit in kit.recall("the lantern festival", limit=20, threshold=0.0).hits
    }
    assert asks[short]
    assert sum(asks.values()) == 1


def test_a_long_talk_that_was_edited_is_read_anew(kit: Kit, vault: Path) -> None:
    card = talk(kit, "That is when the lantern festival began.")
    kit.witness.open()
    kit.witness.take()

    def together() -> bool:
        hits = kit.recall("How was the lantern festival?", threshold=0.0).hits
        return any(reason.factor == "phrase" for hit in hits if hit.id == card for reason in hit.reasons)

    assert together()
    (event,) = vault.glob(f"events/*/{card}.md")
    event.write_text(event.read_text(encoding="utf-8").replace("lantern festival", "lantern and the big festival"))
    kit.sync()
    kit.witness.take()
    assert not together()


def test_systems_that_only_count_features_do_not_hear_it() -> None:
    assert PROFILES["wangdefa"].phrase == 0.0
