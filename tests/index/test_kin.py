"""Words akin: a card is found by a word of the same family, or by the kind of thing it speaks of, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit import kin, shipped, text
from kit.index.bm25 import AKIN, count_terms
from kit.index.engines import ENGINES, open_engine
from kit.index.fulltext import Doc

if TYPE_CHECKING:
    from pathlib import Path

WEIGHTS = {"user": 1.0, "agent": 1.0}
SAID = {
    1: "My son broke his violin in Spain.", 2: "The gateway listens on port 8443.",
    3: "We keep an old instrument here.", 4: "我家的小狗会弹钢琴。",
}  # fmt: skip


def asked(question: str) -> list[tuple[str, float]]:
    words = dict.fromkeys(text.terms(question), 1.0)
    return [*words.items(), *kin.asked(words).items()]


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_finds_what_is_akin_below_what_was_said(name: str, tmp_path: Path) -> None:
    if name == "tantivy":
        pytest.importorskip("tantivy")
    engine = open_engine(name, tmp_path / name)
    engine.apply([Doc(num, {"user": said}) for num, said in SAID.items()], ())
    found = engine.search(asked("Which instrument?"), 5, weights=WEIGHTS, budget_s=60.0)
    assert [num for num, _ in found.hits] == [3, 1]
    parts = found.parts([1, 3])
    assert parts[1].keys() == {AKIN}, "told apart from the words that were said"
    assert parts[3].keys() == {"user"}
    for question, num in (("Have you children?", 1), ("a European country", 1), ("有什么宠物", 4), ("什么乐器", 4)):
        assert [each for each, _ in engine.search(asked(question), 5, weights=WEIGHTS, budget_s=60.0).hits] == [num]
    engine.close()


def test_words_akin_make_a_field_no_longer() -> None:
    assert count_terms({"user": "violin"}).lengths == count_terms({"user": "gateway"}).lengths


def test_a_word_asks_for_its_family_and_a_kind_for_what_belongs_to_it_but_not_back() -> None:
    assert not kin.asked({"violin": 1.0}), "who asks for a violin means no other instrument"
    for weight in (1.0, 2.0):
        found = kin.asked({"instrument": weight, "child": weight})
        assert set(found.values()) == {kin.KIND * weight, kin.KIN * weight}
        assert all(map(kin.is_name, found))
    assert not any(kin.is_name(term) for term in text.terms("=child :pet = : 'x'"))


@pytest.mark.parametrize("name", ["kin.en", "kin.zh"])
def test_a_family_has_several_words_and_none_twice(name: str) -> None:
    for line in shipped.word_list(name):
        found = [text.terms(word) for word in line.split()]
        assert all(len(terms) == 1 for terms in found), line
        assert len({terms[0] for terms in found}) == len(found) > 1, line


@pytest.mark.parametrize("name", ["kinds.en", "kinds.zh"])
def test_a_kind_has_a_name_and_members_that_are_words(name: str) -> None:
    for line in shipped.word_list(name):
        kinds, colon, members = line.partition(":")
        assert colon, line
        assert all(len(text.terms(word)) == 1 for word in (*kinds.split(), *members.split())), line
        assert len(members.split()) == len(set(members.split())) > 1, line


def test_irregular_forms_are_led_back_to_their_word() -> None:
    assert text.terms("children bought wolves drew") == text.terms("child buy wolf draw")
    forms = [form for line in shipped.word_list("irregular.en") for form in line.split()]
    assert len(forms) == len(set(forms)), "a form of two words would be neither"
