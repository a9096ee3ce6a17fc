from __future__ import annotations

import math
import multiprocessing
import random
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from kit.errors import BadInputError, UnavailableError
from kit.index import search as searching
from kit.index.bm25 import FIELDS, TERM_BUDGET, Curve
from kit.index.engines import build, choose, destroy, open_engine
from kit.index.fulltext import Doc, FullText, FullTextBrokenError
from kit.index.overlay import Layered
from kit.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WEIGHTS = dict.fromkeys(FIELDS, 1.0)
CARDS = [
    Doc(1, {"title": "Deploying with c++ and node.js", "user": "how do I deploy the server?"}),
    Doc(2, {"user": "标签池怎么合并", "agent": "用密码簿查标签，再合并"}),
    Doc(3, {"summary": "c# is not c++", "facts": "prefers tabs", "body": "ｆｕｌｌ width café"}),
    Doc(40_000, {"agent": "deploy deploy deploy to the server in Tokyo", "overview": "東京サーバー"}),
]


def ask(engine: FullText | Layered, text: str, k: int = 10, **more: object) -> list[int]:
    asked = [(term, 1.0) for term in terms(text)]
    options = {"weights": WEIGHTS, "budget_s": 5.0} | more
    return [num for num, _ in engine.search(asked, k, **options).hits]  # type: ignore[arg-type]


def made_up(count: int, seed: int = 1) -> list[Doc]:
    draw = random.Random(seed)  # noqa: S311 - made-up text, no secret
    words = [f"w{rank}" for rank in range(60)]
    shares = [1 / (rank + 1) for rank in range(60)]
    return [
        Doc(
            num,
            {
                name: " ".join(draw.choices(words, shares, k=draw.randint(1, 30)))
                for name in draw.sample(["title", "user", "agent"], 2)
            },
        )
        for num in range(count)
    ]


class Contract:
    name: ClassVar[str]

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path / self.name

    @pytest.fixture
    def engine(self, folder: Path) -> Iterator[FullText]:
        engine = open_engine(self.name, folder)
        yield engine
        engine.close()

    def test_finds_words_in_any_form_and_any_script(self, engine: FullText) -> None:
        engine.apply(CARDS, ())
        assert ask(engine, "deployed") == [40_000, 1] or ask(engine, "deployed") == [1, 40_000]
        assert sorted(ask(engine, "c++")) == [1, 3]
        assert ask(engine, "c#") == [3]
        assert ask(engine, "node.js") == [1]
        assert ask(engine, "标签") == [2]
        assert ask(engine, "東京") == [40_000]
        assert ask(engine, "full CAFÉ") == [3]
        assert ask(engine, "nowhere") == []
        assert ask(engine, "") == []

    def test_scores_each_field_apart_and_weighs_it(self, engine: FullText) -> None:
        engine.apply([Doc(1, {"user": "apple", "agent": "apple"}), Doc(2, {"agent": "apple"})], ())
        found = engine.search([("appl", 1.0)], 5, weights=WEIGHTS, budget_s=5)
        parts = found.parts([1, 2])
        assert [num for num, _ in found.hits] == [1, 2]
        assert set(parts[1]) == {"user", "agent"}
        assert parts[1]["agent"] == pytest.approx(parts[2]["agent"], rel=0.02)
        silent = engine.search([("appl", 1.0)], 5, weights={"user": 2.0}, budget_s=5)
        assert [num for num, _ in silent.hits] == [1]
        assert silent.parts([1])[1] == {"user": pytest.approx(2 * parts[1]["user"], rel=0.02)}

    def test_replaces_and_deletes(self, engine: FullText) -> None:
        engine.apply(CARDS, ())
        engine.apply([Doc(1, {"title": "purple elephants"})], [2, 3, 999])
        assert engine.count() == 2
        assert ask(engine, "node.js c++ 标签") == []
        assert ask(engine, "elephant") == [1]
        assert [engine.has(num) for num in (1, 2, 40_000)] == [True, False, True]
        engine.apply((), [1, 40_000])
        assert engine.count() == 0
        assert set(engine.statistics().totals) == {0}

    def test_the_last_of_several_versions_in_a_batch_wins(self, engine: FullText) -> None:
        engine.apply([Doc(1, {"title": "old"}), Doc(1, {"title": "newest"})], ())
        assert (engine.count(), ask(engine, "newest"), ask(engine, "old")) == (1, [1], [])

    def test_remembers_its_stamp_and_notes(self, engine: FullText, folder: Path) -> None:
        assert engine.get_stamp() == ""
        engine.apply(CARDS, (), "7")
        engine.apply((), [3])
        assert engine.get_stamp() == "7"
        engine.set_stamp("8")
        engine.close()
        engine.close()
        again = open_engine(self.name, folder)
        assert (again.get_stamp(), again.count(), ask(again, "node.js")) == ("8", 3, [1])
        again.close()

    def test_asks_what_is_allowed_before_the_cut(self, engine: FullText) -> None:
        engine.apply([Doc(num, {"user": "pear " * (30 - num // 3)}) for num in range(60)], ())
        found = ask(engine, "pear", 5, allowed=lambda num: num >= 50)
        assert len(found) == 5
        assert min(found) >= 50

    def test_keeps_the_rarest_terms(self, engine: FullText) -> None:
        engine.apply([Doc(num, {"user": " ".join(f"w{at}" for at in range(num, 40))}) for num in range(40)], ())
        found = engine.search([(f"w{at}", 1.0) for at in range(40)] + [("absent", 1.0)], 3, weights=WEIGHTS, budget_s=5)
        assert found.used_terms == tuple(f"w{at}" for at in range(TERM_BUDGET))
        assert found.hits[0][0] == 0
        assert engine.doc_freq("w3") == 4
        assert engine.doc_freq("absent") == 0

    def test_of_too_many_terms_those_that_are_asked_for_most_stay(self, engine: FullText) -> None:
        rare = [f"r{at}" for at in range(TERM_BUDGET + 8)]
        others = [Doc(num, {"user": "pear" if num < 4 else "plum"}) for num in range(1, 40)]
        engine.apply([Doc(0, {"user": " ".join(rare)}), *others], ())
        asked = [*((word, 1.0) for word in rare), ("pear", 3.0)]
        found = engine.search(asked, 5, weights=WEIGHTS, budget_s=5)
        assert found.used_terms[-1] == "pear", "the commonest comes last"
        assert len(found.used_terms) == TERM_BUDGET

    def test_tells_what_each_word_adds(self, engine: FullText) -> None:
        engine.apply(made_up(30), ())
        found = engine.search([("w1", 1.0), ("w2", 2.0)], 5, weights=WEIGHTS, budget_s=5)
        told = found.words([num for num, _ in found.hits])
        assert found.hits
        assert set().union(*told.values()) <= {"w1", "w2"}
        for num, score in found.hits:
            assert sum(told[num].values()) == pytest.approx(score, rel=1e-3)
        assert found.words([]) == {}

    def test_says_when_its_time_was_up(self, engine: FullText) -> None:
        engine.apply(made_up(30), ())
        found = engine.search([("w1", 1.0), ("w2", 1.0)], 3, weights=WEIGHTS, budget_s=0.0)
        assert found.late
        assert not engine.search([("w1", 1.0)], 3, weights=WEIGHTS, budget_s=5.0).late

    def test_refuses_nothing_it_cannot_index(self, engine: FullText) -> None:
        engine.apply([Doc(5, {"title": "", "unknown": "x", "user": "the \x00 … 😀 \ud800"[:-1]}), Doc(0, {})], ())
        assert engine.count() == 2

    def test_many_small_changes_keep_it_right(self, engine: FullText) -> None:
        rounds = 12
        for at in range(rounds):
            engine.apply([Doc(at, {"user": f"round w{at}"}), Doc(at // 2, {"user": f"again w{at}"})], ())
        assert engine.count() == rounds
        assert sorted(ask(engine, "round", 50)) == list(range(rounds // 2, rounds))

    def test_a_word_of_a_note_that_is_saved_again_and_again_stays_rare(self, engine: FullText) -> None:
        engine.apply([Doc(num, {"user": f"common {num}"}) for num in range(2, 50)], [], "0")
        for round_ in range(12):
            engine.apply([Doc(1, {"user": f"common quagga {round_}"})], [], str(round_))
            assert engine.doc_freqs(["quagga", "common"])["quagga"] == 1
        assert 49 <= engine.doc_freq("common") < 62
        engine.apply([], [1], "gone")
        assert engine.doc_freqs(["quagga"]) == {}

    def test_damage_to_a_closed_folder_is_seen(self, folder: Path) -> None:
        engine = open_engine(self.name, folder)
        engine.apply(CARDS, (), "1")
        right = ask(engine, "deploy c++ 标签")
        engine.close()
        draw = random.Random(3)  # noqa: S311 - made-up text, no secret
        files = [path.relative_to(folder) for path in sorted(folder.iterdir()) if path.stat().st_size]
        for at in range(16):
            hurt = folder.with_name(f"hurt{at}")
            shutil.copytree(folder, hurt)
            _hurt(hurt / files[at % len(files)], draw)
            assert self._answer(hurt) in (right, "broken")

    def test_a_broken_index_says_where_and_what_to_do(self, engine: FullText, folder: Path) -> None:
        engine.set_stamp("1")
        engine.close()
        (folder / "seal.json").write_text("{}x")
        with pytest.raises(FullTextBrokenError, match="memkit reindex") as broken:
            open_engine(self.name, folder)
        assert str(folder) in str(broken.value)

    def test_damage_without_a_seal_never_crashes(self, folder: Path) -> None:
        engine = open_engine(self.name, folder)
        engine.apply(CARDS, (), "1")
        engine.close()
        (folder / "seal.json").unlink()
        draw = random.Random(4)  # noqa: S311 - made-up text, no secret
        files = [path.relative_to(folder) for path in sorted(folder.iterdir()) if path.stat().st_size]
        for at in range(16):
            hurt = folder.with_name(f"hurt{at}")
            shutil.copytree(folder, hurt)
            _hurt(hurt / files[at % len(files)], draw)
            self._answer(hurt)

    def _answer(self, folder: Path) -> list[int] | str:
        try:
            engine = open_engine(self.name, folder)
        except FullTextBrokenError:
            return "broken"
        try:
            return ask(engine, "deploy c++ 标签")
        except FullTextBrokenError:
            return "broken"
        finally:
            engine.close()

    def test_a_killed_process_leaves_the_old_or_the_new_state(self, folder: Path) -> None:
        script = (
            "import sys; from pathlib import Path\n"
            "from kit.index.engines import open_engine; from kit.index.fulltext import Doc\n"
            f"engine = open_engine({self.name!r}, Path({str(folder)!r}))\n"
            "for at in range(10_000):\n"
            "    engine.apply([Doc(num, {'user': f'version w{at}'}) for num in range(20)], (), str(at))\n"
            "    print(at, flush=True)\n"
        )
        root = Path(__file__).resolve().parents[2]
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root) as child:
            assert child.stdout is not None
            said = [int(child.stdout.readline()) for _ in range(4)][-1]
            child.kill()
        engine = open_engine(self.name, folder)
        stamp = engine.get_stamp()
        assert int(stamp) >= said
        assert engine.count() == 20
        assert sorted(ask(engine, f"w{stamp}", 50)) == list(range(20))
        engine.apply([Doc(0, {"user": "alive"})], ())
        assert ask(engine, "alive") == [0]
        engine.close()

    def test_another_process_builds_what_is_swapped_in(self, tmp_path: Path, folder: Path) -> None:
        docs = made_up(90)
        grown = open_engine(self.name, folder)
        grown.apply(docs, (), "7")
        fresh = tmp_path / "fresh"
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            pool.submit(build, self.name, fresh, docs, "7").result()
        with pytest.raises(BadInputError, match="not empty"):
            build(self.name, fresh, docs, "7")
        swapped = fresh.rename(tmp_path / "swapped")
        engine = open_engine(self.name, swapped)
        for each in (engine, grown):
            each.apply([Doc(7, {"user": "w1 newest"}), Doc(200, {"agent": "w2"})], [8])
        assert (engine.get_stamp(), engine.count(), engine.has(8)) == ("7", 90, False)
        assert engine.statistics() == grown.statistics()
        for asked in ("w1", "w2 w30 newest", "w3 w4 w5 w6 w7 w8"):
            assert sorted(ask(engine, asked, 99)) == sorted(ask(grown, asked, 99)) != []
        engine.close()
        grown.close()

    def test_building_tells_how_far_it_is(self, engine: FullText) -> None:
        told: list[int] = []
        engine.build(iter(made_up(30)), "3", told.append)
        assert (told[-1], engine.count(), engine.get_stamp()) == (30, 30, "3")

    def test_numbers_may_come_in_any_order(self, engine: FullText, tmp_path: Path) -> None:
        draw = random.Random(6)  # noqa: S311 - made-up text, no secret
        latest: dict[int, Doc] = {}
        for _ in range(12):
            docs = [doc._replace(num=draw.randrange(3000)) for doc in made_up(15, draw.randrange(99))]
            gone = draw.sample(sorted(latest), min(len(latest), 4))
            engine.apply(docs, gone)
            latest = {num: doc for num, doc in latest.items() if num not in gone} | {doc.num: doc for doc in docs}
        fresh = open_engine(self.name, tmp_path / "fresh")
        fresh.build([latest[num] for num in sorted(latest)], "1")
        assert engine.statistics() == fresh.statistics()
        for word in ("w0", "w5", "w20", "w40", "w59"):
            assert sorted(ask(engine, word, 999)) == sorted(ask(fresh, word, 999))
        fresh.close()

    def test_destroy_leaves_nothing(self, engine: FullText, folder: Path) -> None:
        engine.apply(CARDS, ())
        engine.close()
        destroy(folder)
        assert not folder.exists()

    def test_the_overlay_is_found_at_once(self, engine: FullText) -> None:
        layered: FullText = Layered(engine)
        assert isinstance(layered, Layered)
        layered.apply(CARDS, ())
        layered.flush()
        layered.apply([Doc(1, {"title": "renamed"}), Doc(9, {"user": "deploy plums"})], [40_000], "2")
        assert (engine.count(), layered.get_stamp()) == (4, "")
        assert (layered.count(), layered.pending) == (4, 3)
        assert ask(layered, "deploy") == [9]
        assert ask(layered, "renamed") == [1]
        assert ask(layered, "node.js tokyo") == []
        assert ask(layered, "标签") == [2]
        assert [layered.has(num) for num in (1, 9, 40_000, 2)] == [True, True, False, True]
        layered.flush()
        assert (engine.count(), engine.get_stamp(), layered.pending) == (4, "2", 0)
        assert ask(layered, "deploy") == [9]

    def test_the_overlay_can_be_committed_bit_by_bit(self, engine: FullText) -> None:
        layered = Layered(engine)
        layered.apply(CARDS, [77], "1")
        layered.flush(3)
        assert (engine.count(), engine.get_stamp(), layered.pending, layered.count()) == (3, "", 1, 4)
        assert sorted(ask(layered, "deploy c++ 标签")) == [1, 2, 3, 40_000]
        layered.flush(3)
        assert (engine.count(), engine.get_stamp(), layered.pending) == (4, "1", 0)

    def test_the_overlay_scores_as_the_engine_does(self, engine: FullText) -> None:
        layered = Layered(engine)
        layered.apply(made_up(60), ())
        layered.flush()
        twin = made_up(60)[7]
        layered.apply([twin._replace(num=100)], ())
        weights = {"user": 1.0, "agent": 1.0, "title": 1.0}
        asked = [(term, 1.0) for term in set(terms(" ".join(twin.fields.values())))]
        found = dict(layered.search(asked, 100, weights=weights, budget_s=5).hits)
        self._compare(found[100], found[7])

    def _compare(self, new: float, old: float) -> None:
        assert new == pytest.approx(old, rel=0.1)


class OwnScoring(Contract):
    """For engines that lend their postings to the kit's arithmetic."""

    @pytest.mark.parametrize("look_back", [3, 500])
    @pytest.mark.parametrize("allowed", [None, lambda num: num % 3 > 0])
    def test_finds_what_reading_everything_finds(
        self,
        engine: FullText,
        monkeypatch: pytest.MonkeyPatch,
        look_back: int,
        allowed: Callable[[int], bool] | None,
    ) -> None:
        monkeypatch.setattr(searching, "_LOOK_BACK", look_back)
        docs = made_up(150)
        engine.apply(docs, ())
        draw = random.Random(5)  # noqa: S311 - made-up text, no secret
        weights = {"title": 2.0, "user": 1.0, "agent": 0.5}
        for _ in range(12):
            asked = [(f"w{draw.randrange(60)}", draw.choice([0.5, 1.0])) for _ in range(draw.randint(1, 8))]
            found = engine.search(asked, 5, weights=weights, budget_s=5, allowed=allowed)
            truth = _by_reading(docs, asked, weights, allowed)
            got = [score for _, score in found.hits]
            assert got == pytest.approx(sorted(truth.values(), reverse=True)[:5], rel=0.03)
            parts = found.parts([num for num, _ in found.hits])
            for num, score in found.hits:
                assert score == pytest.approx(truth[num], rel=0.03)
                assert sum(parts[num].values()) == pytest.approx(score)

    def test_what_is_asked_again_is_found_alike_until_something_changes(self, engine: FullText) -> None:
        docs = made_up(150)
        engine.apply(docs, ())
        asked = [(f"w{at}", 1.0) for at in (3, 17, 40)]
        first, *more = (engine.search(asked, 20, weights=WEIGHTS, budget_s=5) for _ in range(4))
        for again in more:
            assert again.hits == first.hits
            nums = [num for num, _ in first.hits]
            assert again.words(nums) == first.words(nums)
        best = first.hits[0][0]
        engine.apply([Doc(900, {"user": "w40 w17 w3"})], [best])
        found = [num for num, _ in engine.search(asked, 200, weights=WEIGHTS, budget_s=5).hits]
        assert 900 in found
        assert best not in found

    def test_common_words_only_lift_what_rarer_ones_found(
        self, engine: FullText, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(searching, "_LOOK_BACK", 3)
        monkeypatch.setattr(searching, "_FILL", 40)
        monkeypatch.setattr(searching, "_CANDIDATES", 20)
        docs = made_up(150)
        engine.apply(docs, ())
        asked = [(f"w{at}", 1.0) for at in range(12)]
        found = engine.search(asked, 5, weights=WEIGHTS, budget_s=5)
        truth = _by_reading(docs, asked, dict.fromkeys(("title", "user", "agent"), 1.0), None)
        assert not found.late
        assert len(found.used_terms) == 12
        for num, score in found.hits:
            assert score == pytest.approx(truth[num], rel=0.03)
        best = sorted(truth, key=truth.__getitem__, reverse=True)[:20]
        assert {num for num, _ in found.hits} <= set(best)

    def test_the_curve_can_be_set(self, tmp_path: Path) -> None:
        scores = []
        for b in (0.0, 1.0):
            engine = open_engine(self.name, tmp_path / f"b{b}", {"user": Curve(1.2, b)})
            engine.apply([Doc(1, {"user": "fig " + "filler " * 99}), Doc(2, {"user": "fig"})], ())
            hits = dict(engine.search([("fig", 1.0)], 2, weights=WEIGHTS, budget_s=5).hits)
            scores.append(hits[2] / hits[1])
            engine.close()
        assert scores[0] == pytest.approx(1.0)
        assert scores[1] > 1.5


class TestWhoosh(OwnScoring):
    name = "whoosh"


class TestSqlite(OwnScoring):
    name = "sqlite"


@pytest.mark.skipif(find_spec("tantivy") is None, reason="the extra `fast` is not installed")
class TestTantivy(Contract):
    name = "tantivy"

    def _compare(self, new: float, old: float) -> None:
        assert 0.5 < new / old < 2.0  # its knobs are fixed, so scores only come near


def _hurt(path: Path, draw: random.Random) -> None:
    data = bytearray(path.read_bytes())
    if draw.random() < 0.4:
        path.write_bytes(data[: draw.randrange(len(data))])
        return
    for _ in range(draw.choice([1, 64])):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)


def _by_reading(
    docs: list[Doc],
    asked: list[tuple[str, float]],
    weights: dict[str, float],
    allowed: Callable[[int], bool] | None,
) -> dict[int, float]:
    words = {doc.num: {name: terms(text) for name, text in doc.fields.items()} for doc in docs}
    sizes = {name: [len(each[name]) for each in words.values() if each.get(name)] for name in weights}
    means = {name: max(1.0, sum(found) / max(1, len(found))) for name, found in sizes.items()}
    curve = Curve()
    scores: dict[int, float] = {}
    for term, asked_weight in asked:
        df = sum(any(term in text for text in each.values()) for each in words.values())
        rarity = math.log(1 + (len(docs) - df + 0.5) / (df + 0.5))
        for num, each in words.items():
            if allowed is not None and not allowed(num):
                continue
            for name, text in each.items():
                if tf := text.count(term):
                    norm = curve.k1 * (1 - curve.b + curve.b * len(text) / means[name])
                    gain = asked_weight * rarity * weights[name] * tf * (curve.k1 + 1) / (tf + norm)
                    scores[num] = scores.get(num, 0.0) + gain
    return scores


def test_the_engine_fits_the_vault() -> None:
    assert choose(10) == "whoosh"
    assert choose(20_000) == "sqlite"
    assert choose(80_000) == ("tantivy" if find_spec("tantivy") else "sqlite")
    assert choose(10, "sqlite") == "sqlite"
    with pytest.raises(BadInputError, match="Take one of: auto, whoosh, sqlite, tantivy"):
        choose(10, "lucene")


def test_an_engine_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.index.engines.find_spec", lambda _: None)
    assert choose(80_000) == "sqlite"
    with pytest.raises(UnavailableError, match="pip install"):
        choose(10, "tantivy")
