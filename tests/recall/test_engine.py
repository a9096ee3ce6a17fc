"""Recall on real vaults: what may be shown is found, in the right order, for reasons that add up."""

from __future__ import annotations

import hashlib
import math
import random
import shutil
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit.perceive import moments
from kit.recall import match
from kit.recall.query import Proofs
from kit.recall.score import PROFILES, Sought
from tests.small_vault import NOW, Vault, state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.model.hits import Hit, Recall


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = Vault(tmp_path)
    yield made
    made.index.close()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """5,000 cards on one tag; an old one among them has a second tag."""
    made = Vault(tmp_path_factory.mktemp("crowd"))
    for number in range(5000):
        made.card("python", days=number / 50, says=f"Thought number {number}.")
    made.card("python packaging", days=400, id="old", says="Wheels hold no sources.")
    made.scan()
    yield made
    made.index.close()
    shutil.rmtree(made.home)


def recomputed(hit: Hit) -> float:
    """Score a hit by nothing but its reasons."""
    strength = sum(one.value for one in hit.reasons if one.kind == "+" and one.factor != "scene")
    text = math.prod(1 - one.value for one in hit.reasons if one.kind == "∪")
    product = math.prod(one.value for one in hit.reasons if one.kind == "×")
    scene = sum(one.value for one in hit.reasons if one.factor == "scene")
    return min(1.0, (1 - (1 - strength) * text) * product + scene)


def add_up(recall: Recall) -> bool:
    return all(abs(recomputed(hit) - hit.score) < 1e-6 and 0 < hit.score <= 1 for hit in recall.hits)


def factors(hit: Hit) -> set[str]:
    return {reason.factor for reason in hit.reasons}


# -- filter before cut


def test_hundreds_that_may_not_be_shown_never_hide_one_that_may(vault: Vault) -> None:
    for number in range(150):
        vault.card("python", status="pending", importance=5, says=f"Pending {number}.")
        vault.card("python", feedback="rejected", importance=5, says=f"Rejected {number}.")
        vault.card("python", project="other", importance=5, says=f"Other {number}.")
        vault.card("python", layer="transient", topic="s2", importance=5, says=f"Passing {number}.")
    wanted = vault.card("python", project="mine", days=900, importance=1, says="The one.")
    vault.scan()
    assert vault.ids("python", project="mine", limit=1) == [wanted]
    assert vault.ids("python", project="mine", limit=50) == [wanted]


def test_hundreds_that_say_the_same_never_hide_one_that_does_not(vault: Vault) -> None:
    for _ in range(200):
        vault.card("python", says="Done.", importance=5)
    wanted = vault.card("python", days=300, says="Something else.")
    vault.scan()
    found = vault.ask("python", limit=3)
    assert len(found.hits) == 2
    assert found.hits[1].id == wanted
    assert 1 <= sum(reason.factor == "duplicate" for reason in found.hits[0].reasons) <= 5
    assert add_up(found)


@pytest.mark.parametrize("status", ["pending", "interrupted", "failed"])
def test_only_completed_cards_are_recalled(vault: Vault, status: str) -> None:
    vault.card("python", status=status)
    vault.scan()
    assert vault.ids("python") == []


def test_the_archive_is_not_recalled(vault: Vault) -> None:
    vault.card("python", path="archive/cards/c.md")
    vault.scan()
    assert vault.ids("python") == []


def test_what_the_session_has_seen_does_not_come_back(vault: Vault) -> None:
    seen, new = vault.card("python"), vault.card("python")
    vault.scan()
    assert vault.ids("python", exclude=frozenset({seen})) == [new]


def test_a_project_sees_its_own_and_what_belongs_to_none(vault: Vault) -> None:
    mine, free, _ = vault.card("x", project="Kit"), vault.card("x"), vault.card("x", project="else")
    vault.scan()
    assert set(vault.ids("x", project="kit")) == {mine, free}
    assert len(vault.ids("x")) == 3


def test_passing_remarks_stay_in_their_session(vault: Vault) -> None:
    remark = vault.card("x", layer="transient", topic="s1")
    vault.scan()
    assert vault.ids("x", topic="s1") == [remark]
    assert vault.ids("x", topic="s2") == vault.ids("x") == []


def test_a_fact_holds_until_its_day(vault: Vault) -> None:
    fact = vault.fact("We deploy on Fridays.", "deploy", valid_until=(NOW + timedelta(days=1)).isoformat())
    vault.scan()
    assert vault.ids("deploy") == [fact]
    assert vault.ids("deploy", now=NOW + timedelta(days=2)) == []


# -- the crowd


def test_an_old_card_with_a_second_asked_tag_comes_first(crowd: Vault) -> None:
    found = crowd.ask("python packaging", threshold=0.0)
    assert found.hits[0].id == "old"
    assert len(found.hits) == 8
    assert add_up(found)


def test_every_card_is_reachable(crowd: Vault) -> None:
    found = crowd.ask("python", limit=6000, threshold=0.0)
    assert len({hit.id for hit in found.hits}) == 5001
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_smaller_limit_is_the_head_of_a_larger_one(crowd: Vault) -> None:
    long = crowd.ids("python", limit=200)
    for limit in (0, 1, 7, 8, 50):
        assert crowd.ids("python", limit=limit) == long[:limit]


def test_among_equals_the_newer_one_is_first(crowd: Vault) -> None:
    hits = crowd.ask("python", limit=100).hits
    days = [hit.created for hit in hits if hit.created]
    assert len(days) == 100
    assert days == sorted(days, reverse=True)


# -- direct above indirect


WORDS = ("alpha", "beta", "gamma", "delta", "epsilon")
RELATIONS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(["synonym", "related", "loose"]), st.sampled_from(WORDS)),
    max_size=10,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RELATIONS, st.integers(1, 3))
def test_an_indirect_card_never_reaches_a_direct_one(
    tmp_path_factory: pytest.TempPathFactory, relations: list[tuple[str, str, str]], each: int
) -> None:
    vault = Vault(tmp_path_factory.mktemp("pool"))
    for word in WORDS:
        links = {
            level: [f"[[{to}]]" for one, at, to in relations if (one, at) == (word, level)]
            for level in ("synonym", "related", "loose")
        }
        vault.tag(word, path=f"tags/{word}.md", **links)
        for number in range(each):
            vault.card(word, id=f"{word}{number}", says=f"{word} {number}.")
    vault.scan()
    found = vault.ask("alpha", limit=100, threshold=0.0)
    direct = {hit.id: hit.score for hit in found.hits if "direct" in factors(hit)}
    assert set(direct) == {f"alpha{number}" for number in range(each)}
    others = [hit.score for hit in found.hits if hit.id not in direct]
    assert max(others, default=0.0) < min(direct.values())
    assert add_up(found)
    vault.index.close()


def test_synonyms_reach_three_hops_related_one_loose_none(vault: Vault) -> None:
    for number in range(5):
        vault.tag(f"s{number}", synonym=[f"[[s{number + 1}]]"] if number < 4 else [])
        vault.card(f"s{number}", id=f"s{number}")
    vault.tag("r0", related=["[[r1]]"], loose=["[[l]]"])
    vault.tag("r1", related=["[[r2]]"])
    vault.tag("r2")
    vault.tag("l")
    for word in ("r0", "r1", "r2", "l"):
        vault.card(word, id=word)
    vault.scan()
    assert vault.ids("s0") == ["s0", "s1", "s2", "s3"]
    assert vault.ids("r0") == ["r0", "r1"]


def test_expansion_never_dilutes(vault: Vault) -> None:
    vault.card("python", id="direct")
    for number in range(20):
        vault.card(f"rel{number}")
        vault.tag(f"rel{number}")
    vault.tag("python")
    vault.scan()
    before = vault.ask("python").hits[0]
    vault.tag("python", synonym=[f"[[rel{number}]]" for number in range(20)], aliases=["snake", "py"])
    vault.scan()
    after = vault.ask("python").hits[0]
    assert (after.id, after.score) == (before.id, before.score)
    assert after.score == pytest.approx(vault.ask("python py snake").hits[0].score), "three names ask for one thing"


def test_forms_of_one_word_ask_for_one_thing(vault: Vault) -> None:
    for word in ("test", "tests", "testing"):
        vault.card(word, id=word)
    vault.scan()
    found = vault.ask("I tested it", threshold=0.0)
    assert {hit.id for hit in found.hits} == {"test", "tests", "testing"}
    assert all(hit.score > 0.9 * 0.93 * match.PICKED * PROFILES["default"].tags for hit in found.hits)


# -- co-tags


def test_co_tags_only_fill_what_is_left_and_never_reach_a_direct_hit(vault: Vault) -> None:
    vault.card("python ruff", id="direct", days=900, importance=1)
    for number in range(10):
        vault.card("ruff", importance=5, feedback="confirmed", days=0, id=f"by{number}")
    vault.scan()
    found = vault.ask("python", threshold=0.0, limit=6)
    assert found.hits[0].id == "direct"
    assert len(found.hits) == 6
    assert all(factors(hit) >= {"co-tag"} and hit.score < found.hits[0].score for hit in found.hits[1:])
    assert add_up(found)
    assert vault.ids("python", threshold=0.0, limit=1) == ["direct"]
    assert vault.ids("python", threshold=0.0, co_tag_rounds=0) == ["direct"]


def test_a_co_tag_never_overtakes_however_old_the_direct_hit(vault: Vault) -> None:
    vault.card("python ruff", id="direct", days=200)
    vault.card("ruff", id="new", days=0, feedback="confirmed")
    for number in range(30):
        vault.card(f"t{number}")
    vault.scan()
    found = vault.ask("python", threshold=0.0, weights=PROFILES["wangdefa"])
    assert [hit.id for hit in found.hits] == ["direct", "new"]
    assert found.hits[1].score < found.hits[0].score
    assert add_up(found)


def test_a_co_tag_can_not_show_what_may_not_be_shown(vault: Vault) -> None:
    vault.card("python ruff", id="direct")
    vault.card("ruff", status="pending")
    vault.card("ruff", feedback="rejected")
    vault.card("ruff", project="other")
    vault.scan()
    assert vault.ids("python", threshold=0.0, project="mine") == ["direct"]


def test_a_co_tag_does_not_repeat_what_a_hit_says(vault: Vault) -> None:
    vault.card("python ruff", id="direct", says="Ruff is quick.")
    vault.card("ruff", says="Ruff is quick.")
    vault.scan()
    assert vault.ids("python", threshold=0.0) == ["direct"]


def test_without_a_direct_hit_there_is_no_indirect_one(vault: Vault) -> None:
    vault.card("ruff", scene="work")
    vault.scan()
    assert vault.ids("python", threshold=0.0, scene="work") == []


# -- names


def test_a_merged_tag_leads_to_the_cards_of_both(vault: Vault) -> None:
    old, new = vault.card("js"), vault.card("JavaScript")
    vault.tag("js", status="merged", merged_to="[[JavaScript]]")
    vault.tag("JavaScript")
    vault.scan()
    assert set(vault.ids("js")) == set(vault.ids("JavaScript")) == {old, new}
    assert factors(vault.ask("js").hits[0]) >= {"merged"}


def test_a_deprecated_tag_finds_nothing(vault: Vault) -> None:
    vault.card("stuff")
    vault.tag("stuff", status="deprecated")
    vault.scan()
    assert vault.ids("stuff") == []
    assert vault.ask("", tags=("stuff",)).missing == ("stuff",)


def test_what_is_asked_for_and_not_known_is_told(vault: Vault) -> None:
    vault.card("python")
    vault.scan()
    found = vault.ask("whatever", tags=("python", "cobol", "fortran"))
    assert len(found.hits) == 1
    assert found.missing == ("cobol", "fortran")
    assert vault.ask("x", codes=("=nobody",)).missing == ("nobody",)


def test_a_tag_without_a_meaning_is_told(vault: Vault) -> None:
    vault.card("python")
    vault.tag("python")
    vault.tag("rust", definitions=["a language"], dimensions=["content"])
    vault.scan()
    assert vault.ask("python rust").malformed == ("tags/python.md",)


def test_chinese_without_blanks(vault: Vault) -> None:
    pool, _ = vault.card("标签池", says="合并要先演练。"), vault.card("标签", says="两到四个。")
    vault.scan()
    assert vault.ids("怎么合并标签池比较好") == [pool]


def test_people_places_and_projects_are_ways_too(vault: Vault) -> None:
    ann = vault.card(people=["Ann"])
    bonn = vault.card(places=["Bonn"])
    kit = vault.card(project="kit")
    vault.scan()
    assert set(vault.ids("Ann in Bonn on kit")) == {ann, bonn, kit}


def test_an_edited_card_is_recalled_by_its_new_tag_at_once(vault: Vault) -> None:
    vault.card("python", id="a", path="cards/a.md")
    vault.scan()
    assert vault.ids("python") == ["a"]
    vault.card("rust", id="a", path="cards/a.md")
    vault.scan()
    assert (vault.ids("python"), vault.ids("rust")) == ([], ["a"])


# -- scenes, text, arithmetic


def test_a_scene_raises_what_has_evidence(vault: Vault) -> None:
    vault.card("python", id="here", scene="work", days=30)
    vault.card("python", id="there", days=20)
    vault.card("rust", scene="work")
    vault.scan()
    assert vault.ids("python") == ["there", "here"]
    assert vault.ids("python", scene="work", threshold=0.0) == ["here", "there"]


def test_the_text_is_a_second_witness(vault: Vault) -> None:
    vault.card("python", id="both")
    vault.card("python", id="tag", days=0)
    vault.card("rust", id="text")
    vault.scan()
    numbers = {entry.id: entry.num for entry in vault.index.catalog.of_kind("card")}
    proofs = {numbers["both"]: 0.9, numbers["text"]: 0.8}
    found = vault.ask("python rust", gains=proofs, tags=("python", "cobol"), threshold=0.0)
    assert [hit.id for hit in found.hits if "text" not in factors(hit)] == ["tag"]
    scores = {hit.id: hit.score for hit in found.hits}
    assert scores["both"] > scores["tag"]
    assert add_up(found)
    alone = vault.ask("nothing", gains=proofs)
    assert [hit.id for hit in alone.hits] == ["both", "text"]
    assert alone.hits[0].score < 0.7
    assert add_up(alone)


def test_words_no_tag_covers_are_part_of_what_is_asked(vault: Vault) -> None:
    vault.card("python", id="tag")
    for number in range(20):
        vault.card(f"t{number}")
    vault.scan()
    rarity = {"python": 1.0, "wheel": 1.0, "cach": 1.0}
    alone = vault.ask("python", witness=lambda *_: Proofs(rarity={"python": 1.0}))
    among = vault.ask("python wheel cache", witness=lambda *_: Proofs(rarity=rarity), threshold=0.0)
    assert among.hits[0].score < alone.hits[0].score / 2
    assert add_up(among)
    plain = vault.ask("python wheel cache", witness=lambda *_: Proofs(rarity=rarity), weights=PROFILES["wangdefa"])
    assert plain.hits[0].score > 0.9, "that system asks for its tags alone"


def test_the_turns_beside_a_card_speak_for_it_and_say_so(vault: Vault) -> None:
    for number in range(7):
        vault.card(id=f"t{number}", topic="talk", days=10 - number)
    vault.card(id="elsewhere", topic="other", days=7)
    vault.scan()
    numbers = {entry.id: entry.num for entry in vault.index.catalog.of_kind("card")}
    proofs = {numbers["t3"]: 1.0, numbers["elsewhere"]: 0.1}
    found = vault.ask("anything", witness=lambda *_: Proofs(proofs), threshold=0.0)
    scores = {hit.id: hit.score for hit in found.hits}
    assert set(scores) == {"t1", "t2", "t3", "t4", "t5", "elsewhere"}, "two turns on either side"
    assert scores["t3"] > max(scores["t2"], scores["t4"]) > max(scores["t1"], scores["t5"]) > 0
    assert all(factors(hit) >= {"near", "topic"} for hit in found.hits if hit.id in ("t2", "t4"))
    assert add_up(found)


def test_of_two_cards_with_the_same_words_the_one_that_tells_a_time_answers_when(vault: Vault) -> None:
    plain = vault.card(days=1, says="We moved the gateway to the new rack.")
    dated = vault.card(days=2, says="We moved the gateway to the new rack last Friday.")
    vault.scan()
    both = {entry.num: 1.0 for entry in vault.index.catalog.of_kind("card")}
    asked = partial(vault.ask, witness=lambda *_: Proofs(both), threshold=0.0)
    found = asked("when did the gateway move?", sought=Sought("a time", moments.tells_when))
    assert [hit.id for hit in found.hits] == [dated, plain]
    assert [hit.id for hit in found.hits if "sort" in factors(hit)] == [dated]
    assert add_up(found)
    assert [hit.id for hit in asked("where is the gateway?").hits] == [plain, dated]


def test_the_turn_after_a_question_that_fits_stands_above_the_one_before_it(vault: Vault) -> None:
    before = vault.card(topic="talk", days=3, says="Nothing new here.")
    asks = vault.card(topic="talk", days=2, says="Which licence do wheels carry?")
    answers = vault.card(topic="talk", days=1, says="The one of their sources.")
    vault.scan()
    number = {entry.id: entry.num for entry in vault.index.catalog.of_kind("card")}[asks]
    found = vault.ask("anything", witness=lambda *_: Proofs({number: 1.0}), threshold=0.0)
    assert {hit.id for hit in found.hits[:2]} == {asks, answers}
    assert found.hits[2].id == before
    assert [hit.id for hit in found.hits if "answer" in factors(hit)] == [answers]
    assert add_up(found)


def test_turns_that_say_together_what_is_asked_stand_above_turns_that_repeat_each_other(vault: Vault) -> None:
    one, other = vault.card(topic="wheels", days=9), vault.card(topic="wheels", days=8)
    same, again = vault.card(topic="caches", days=7), vault.card(topic="caches", days=6)
    vault.scan()
    numbers = {entry.id: entry.num for entry in vault.index.catalog.of_kind("card")}
    words = {one: {"wheel": 0.5}, other: {"cache": 0.5}, same: {"cache": 0.5}, again: {"cache": 0.5}}
    by_number = {numbers[name]: said for name, said in words.items()}
    gains = dict.fromkeys(by_number, 0.5)
    heard = Proofs(gains, words=lambda nums: {num: by_number[num] for num in nums})
    found = vault.ask("anything", witness=lambda *_: heard, threshold=0.0)
    assert {hit.id for hit in found.hits[:2]} == {one, other}, "though they are older"
    assert {hit.id for hit in found.hits if "lent" in factors(hit)} == {one, other}
    assert add_up(found)


def test_a_turn_beside_a_hit_is_shown_only_if_it_may_be(vault: Vault) -> None:
    vault.card(id="before", topic="talk", days=3, feedback="rejected")
    hit = vault.card(id="hit", topic="talk", days=2)
    vault.card(id="after", topic="talk", days=1, status="pending")
    vault.scan()
    number = {entry.id: entry.num for entry in vault.index.catalog.of_kind("card")}[hit]
    found = vault.ask("anything", witness=lambda *_: Proofs({number: 1.0}), threshold=0.0)
    assert [each.id for each in found.hits] == [hit]


def test_a_topic_that_grows_is_seen_at_once(vault: Vault) -> None:
    first = vault.card(id="first", topic="talk", days=2)
    vault.scan()
    (number,) = (entry.num for entry in vault.index.catalog.of_kind("card"))

    def witness(*_: object) -> Proofs:
        return Proofs({number: 1.0})

    assert vault.ids("anything", witness=witness, threshold=0.0) == [first]
    second = vault.card(id="second", topic="talk", days=1)
    vault.scan()
    assert vault.ids("anything", witness=witness, threshold=0.0) == [first, second]


def test_a_person_is_no_word_of_the_question(vault: Vault) -> None:
    vault.card(people=["Ann"])
    vault.scan()
    heard: list[object] = []

    def witness(question: str, persons: object, *_: object) -> Proofs:
        heard.extend((question, persons))
        return Proofs()

    vault.ask("What did Ann paint?", witness=witness)
    assert heard == ["What did Ann paint?", frozenset({"ann"})]


def test_what_friends_call_a_person_stays_a_word_of_the_question(vault: Vault) -> None:
    vault.card(people=["李晓梅"])
    vault.scan()
    heard: list[object] = []

    def witness(_: str, persons: object, *__: object) -> Proofs:
        heard.append(persons)
        return Proofs()

    vault.ask("李晓梅的电话是多少？", witness=witness)
    assert heard == [frozenset({"李", "晓", "梅", "李晓"})]


@pytest.mark.parametrize(("fact", "said"), [("I like tea.", "I like tea"), ("我喜欢喝茶", "我喜欢喝茶。")])
def test_a_fact_and_the_card_it_comes_from_are_told_once(vault: Vault, fact: str, said: str) -> None:
    kept = vault.fact(fact, "tea")
    vault.card("tea", says=said)
    vault.scan()
    assert vault.ids("tea") == [kept]


def test_scores_stay_within_one(vault: Vault) -> None:
    vault.fact("Always ruff.", "python", importance=5, feedback="confirmed", scenes=["work"], days=0)
    vault.scan()
    (number,) = (entry.num for entry in vault.index.catalog.of_kind("fact"))
    found = vault.ask("python", scene="work", gains={number: 9.0})
    assert found.hits[0].score == 1.0
    assert add_up(found)


def test_the_wangdefa_profile_is_its_formula(vault: Vault) -> None:
    vault.card("python packaging", days=10, id="two", feedback="confirmed", scene="work")
    vault.card("python", days=3, id="one", importance=5)
    vault.scan()
    found = vault.ask("python packaging", weights=PROFILES["wangdefa"], threshold=0.0, scene="work", co_tag_rounds=0)
    scores = {hit.id: hit.score for hit in found.hits}
    assert scores["two"] == pytest.approx(math.exp(-0.5) * 1.15 + 0.1)
    assert scores["one"] == pytest.approx(0.5 * math.exp(-0.15))
    assert add_up(found)


@pytest.mark.parametrize(
    "created", ["0001-01-01", "9999-12-31", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"]
)
def test_a_card_of_any_age_can_be_recalled(vault: Vault, created: str) -> None:
    vault.card("python", created=created)
    vault.scan()
    assert len(vault.ids("python")) == 1
    assert vault.ask("python", now=datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=8)))).hits


@pytest.mark.parametrize("limit", [0, -3])
def test_asking_for_nothing_gives_nothing(vault: Vault, limit: int) -> None:
    vault.card("python")
    vault.scan()
    assert vault.ids("python", limit=limit) == []


def test_an_empty_vault_and_an_empty_question(vault: Vault) -> None:
    vault.scan()
    assert vault.ids("python") == vault.ids("") == []
    vault.card("python")
    vault.scan()
    assert vault.ids("") == vault.ids("   \n") == []


# -- reads only


SAID = [
    "python",
    "标签池",
    "js",
    "unheard",
    "of",
    "тест",
    "🐘",
    "Ann",
    "the",
    "C++",
    "code review",
    "未知的词",
    "merged",
    "\x00",
]


def bytes_of(vault: Vault) -> str:
    mark = hashlib.sha256()
    for file in sorted(vault.root.rglob("*")):
        mark.update(f"{file.relative_to(vault.root)} {file.stat().st_mtime_ns}".encode())
        mark.update(file.read_bytes() if file.is_file() else b"")
    for line in vault.index._db.iterdump():
        mark.update(line.encode())
    return mark.hexdigest()


def test_recalling_changes_no_byte_of_the_vault_and_no_row_of_the_index(vault: Vault) -> None:
    for number, tags in enumerate(["python 标签池", "js", "C++ python", "code-review", "js 标签池"] * 4):
        vault.card(tags, people=["Ann"], says=f"Says {number}.", scene="work")
    vault.tag("JavaScript", aliases=["ecma"], synonym=["[[python]]"])
    vault.tag("js", status="merged", merged_to="[[JavaScript]]")
    vault.tag("python", related=["[[C++]]"])
    vault.fact("Ann likes tests.", "python", key="tests")
    vault.scan()
    before, held, changes = bytes_of(vault), state(vault.index), vault.index._db.total_changes
    rng = random.Random(7)  # noqa: S311 - a test wants the same words each time
    for _ in range(300):
        words = " ".join(rng.choices(SAID, k=rng.randint(0, 6)))
        named = tuple(rng.choices(SAID, k=2)) if rng.random() < 0.5 else None
        assert add_up(vault.ask(words, tags=named, codes=("=unheard",), limit=5, threshold=0.0, scene="work"))
    assert bytes_of(vault) == before
    assert state(vault.index) == held, "nor does memory hold more"
    assert vault.index._db.total_changes == changes


def test_a_name_that_two_tags_claim_leads_to_the_cards_of_both(vault: Vault) -> None:
    vault.tag("error handling", source="system")
    vault.tag("tuples", aliases=["error handling", "exceptions"], source="person")
    ours, theirs = vault.card("tuples"), vault.card("error-handling")
    vault.scan()
    assert vault.ids("how is error handling done?", threshold=0.0, co_tag_rounds=0) == [theirs, ours]


def test_a_tag_that_somebody_chose_says_that_it_was_called_by_its_name_and_one_of_the_rules_does_not(
    vault: Vault,
) -> None:
    vault.tag("redis", aliases=["cache server"], source="agent")
    vault.tag("photo", source="rules")
    vault.card("redis")
    vault.card("photo")
    vault.card("loose")
    vault.scan()
    assert "named" in factors(vault.ask("which cache server?").hits[0])
    for word in ("photo", "loose"):
        assert "named" not in factors(vault.ask(f"which {word}?").hits[0])


def test_a_name_inside_a_longer_one_leads_on_but_less_than_the_longer_one(vault: Vault) -> None:
    vault.tag("auth redis", source="person")
    vault.tag("redis", source="person")
    longer, inside = vault.card("auth-redis"), vault.card("redis")
    vault.scan()
    assert vault.ids("auth redis failures", threshold=0.0, co_tag_rounds=0) == [longer, inside]
    assert vault.ids("redis failures", threshold=0.0, co_tag_rounds=0)[0] == inside
