"""The second list of faults of the system this one descends from: lost data, races, robustness."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from kit import text
from kit.digest import summary
from kit.errors import BadInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.app import Kit

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANSWER = "Set the proxy read timeout of nginx to 75 seconds, because the export takes 71."


def ids(kit: Kit, *tags: str) -> list[str]:
    return [hit.id for hit in kit.recall("", tags=tags, threshold=0.0, limit=20, now=NOW).hits]


def notes(root: Path, folder: str) -> dict[str, bytes]:
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in (root / folder).rglob("*.md")}


def turn(kit: Kit, prompt: str, answer: str, *tags: str) -> str:
    framed = kit.frame(prompt, tags=tags)
    kit.complete(framed.id, answer)
    return framed.id


def test_turns_of_one_second_never_share_a_file(kit: Kit, vault: Path) -> None:
    """Fault 9.2-19: ids were whole seconds, so a second turn overwrote the first."""
    framed = [kit.frame(f"prompt number {number}", now=NOW) for number in range(12)]
    assert len({each.id for each in framed}) == 12
    assert len(notes(vault, "events")) == 12
    assert {kit.body(f"{each.id}-e").split("\n")[2] for each in framed} == {f"prompt number {n}" for n in range(12)}


def test_the_hour_that_a_clock_change_repeats_gives_ids_in_their_order(kit: Kit) -> None:
    """Fault 9.2-19: local time in an id comes twice in autumn."""
    summer, winter = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))
    first = kit.frame("before", now=datetime(2026, 10, 25, 2, 30, tzinfo=summer))
    second = kit.frame("an hour later", now=datetime(2026, 10, 25, 2, 30, tzinfo=winter))
    assert (first.id[:15], second.id[:15]) == ("20261025-003000", "20261025-013000")


@pytest.mark.parametrize("status", ["completed", "interrupted", "failed"])
def test_whatever_breaks_after_the_answer_it_is_kept_and_can_be_finished(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """Fault 9.2-20: when the model failed, the reply was lost and the card stayed pending for ever."""

    def fail(*_: object) -> bool:
        raise RuntimeError("no model here")

    framed = kit.frame("why do exports end in a 504?")
    with monkeypatch.context() as patched:
        patched.setattr("kit.govern.finish.finish", fail)
        with pytest.raises(RuntimeError):
            kit.complete(framed.id, ANSWER, status=status)  # type: ignore[arg-type]
    assert ANSWER in kit.body(f"{framed.id}-e")
    assert kit.complete(framed.id, ANSWER, status=status).status == status  # type: ignore[arg-type]
    assert kit.doctor() == []


def test_completing_again_makes_no_second_overview_or_event(kit: Kit, vault: Path) -> None:
    """Fault 9.2-21: each repeat wrote a new overview and orphaned the old one."""
    long = " ".join(f"{ANSWER[:-1]}, as measured in run {number} of the load test." for number in range(9))
    framed = kit.frame("why do exports end in a 504?")
    kit.complete(framed.id, long)
    before = notes(vault, "overviews")
    assert len(before) == 1
    kit.complete(framed.id, long)
    assert notes(vault, "overviews") == before
    other = long.replace("75", "90")
    kit.complete(framed.id, other)
    after = notes(vault, "overviews")
    assert after.keys() == before.keys()
    assert after != before
    assert summary.overview("why do exports end in a 504?", other) in next(iter(after.values())).decode()
    assert len(notes(vault, "events")) == 1


def test_several_programs_write_at_once_and_nothing_is_lost(kit: Kit, vault: Path) -> None:
    """Fault 9.2-28: files were overwritten in place, temporary names clashed, nothing was locked."""
    program = (
        "import sys\nfrom kit.app import Kit\nkit = Kit(sys.argv[1])\n"
        "for number in range(3):\n"
        "    done = kit.frame(f'program {sys.argv[2]} asks {number}', tags=['ratchet', 'flume'])\n"
        "    kit.complete(done.id, f'answer {number} to program {sys.argv[2]}')\n"
        "    kit.remember(f'Machine {sys.argv[2]} stands in hall {sys.argv[2]}')\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", program, str(vault), str(each)]) for each in range(4)]
    assert [process.wait(timeout=90) for process in started] == [0, 0, 0, 0]
    status = kit.status()
    assert status["cards"] == {"completed": 12}
    assert isinstance(status["notes"], dict)
    assert status["notes"]["fact"] == 4
    assert len(ids(kit, "ratchet")) == 12
    assert sum(row.name == "ratchet" for row in kit.tags()) == 1
    assert list(vault.rglob(".~*")) == []
    assert kit.doctor() == []
    book = kit.book()
    kit.reindex()
    assert kit.book() == book


def test_what_is_put_away_leaves_nothing_dangling_and_comes_back_as_it_was(kit: Kit) -> None:
    """Fault 9.2-31: archived cards stayed in the password book."""
    gone = turn(kit, "the ratchet slips", "Oil the pawl of the ratchet.", "ratchet", "pawl")
    kept = turn(kit, "the ratchet sings", "File the teeth of the ratchet.", "ratchet")
    before, book, features = kit.recall("ratchet", now=NOW), kit.book(), kit.features()
    kit.forget(gone)
    assert ids(kit, "ratchet") == [kept]
    assert not any(gone in row.cards for row in kit.book())
    assert gone not in {row.id for row in kit.features()}
    assert kit.doctor() == []
    kit.restore(gone)
    assert (kit.recall("ratchet", now=NOW), kit.book(), kit.features()) == (before, book, features)
    assert kit.doctor() == []


@pytest.mark.parametrize("name", ["../../outside", "/etc/passwd", "..", "cards/../../outside", "a\0b", ""])
def test_no_id_leads_out_of_the_vault(kit: Kit, vault: Path, name: str) -> None:
    """Fault 9.2-35: ids and topics went into paths unchecked."""
    (vault.parent / "outside.md").write_text("---\nid: x\nkind: card\n---\nmine\n", encoding="utf-8")
    for act in (kit.complete, kit.forget, kit.restore, kit.features if name else kit.forget):
        with pytest.raises(NotFoundError):
            act(name)
    framed = kit.frame("a prompt", topic=name, project=name, harness=name, turn=name)
    assert (vault / framed.path).is_file()
    with suppress(BadInputError):  # what is no scene is refused
        framed = kit.frame("a prompt", scene=f"{name}/{name}")
        assert (vault / framed.path).is_file()
    assert {file.name for file in vault.parent.iterdir()} == {"vault", "cache", "outside.md"}


def test_a_link_out_of_the_vault_is_not_followed(kit: Kit, vault: Path) -> None:
    """Fault 9.2-35: a pointer in a card could name any file."""
    outside = vault.parent / "outside.md"
    outside.write_text("---\nid: x\nkind: event\n---\n## User\n\nmine\n", encoding="utf-8")
    framed = kit.frame("a prompt")
    file = vault / framed.path
    file.write_text(
        file.read_text("utf-8").replace('event: "[[events/', 'event: "[[../outside]]" # [[events/'), "utf-8"
    )
    before = outside.read_bytes()
    done = kit.complete(framed.id, "an answer")
    assert outside.read_bytes() == before
    assert done.event.startswith("events/")


def test_rules_make_no_tags_of_clauses_or_of_words_that_say_nothing(kit: Kit) -> None:
    """Fault 9.2-38: whole Chinese clauses became tags, without end."""
    framed = kit.frame("我们昨天讨论了一下导出报告的时候为什么总是会超时，然后决定把网关的读取时间调大一些")
    done = kit.complete(framed.id, "好的，已经把网关的读取超时改成七十五秒，因为导出报告需要七十一秒。")
    assert 2 <= len(done.tags) <= 4
    assert all(len(word) <= 8 for word in done.tags)
    assert not {text.key(word) for word in done.tags} & {"我们", "昨天", "时候", "然后", "一下", "东西"}
    given = kit.frame("a prompt", tags=["thing", "我们昨天讨论了一下导出报告的时候", "flume"])
    assert len(given.refused) == 2


def test_chinese_sentences_without_blanks_are_compared_by_what_they_say(kit: Kit) -> None:
    """Fault 9.2-41: unsegmented sentences were never alike."""
    first = kit.remember("报告用表格")
    again = kit.remember("报告请放在表格里")
    assert first is not None
    assert again is not None
    assert (again.id, again.did) == (first.id, "confirmed")


def test_a_hit_names_its_note(kit: Kit) -> None:
    """Fault 9.2-41: the ids of results lacked the card."""
    done = turn(kit, "the ratchet slips", "Oil the pawl of the ratchet.", "ratchet")
    hit = kit.recall("ratchet").hits[0]
    assert (hit.id, hit.kind) == (done, "card")
    assert (kit.root / hit.path).is_file()


def test_confidence_never_passes_its_limit(kit: Kit) -> None:
    """Fault 9.2-42: confidence went above 100 %."""
    for _ in range(9):
        kit.remember("Reports go in tables", confidence=1.0)
    assert [row.confidence for row in kit.facts()] == [0.95]


def test_a_preference_of_one_scene_is_no_preference_of_all(kit: Kit) -> None:
    """Fault 9.2-42: an empty scene let the preferences of every scene through as if they fitted."""
    kit.remember("Keep replies about cooking short", scenes=["life"], tags=["flume"])
    asked = kit.recall("", tags=["flume"], scene="life", now=NOW).hits[0]
    other = kit.recall("", tags=["flume"], now=NOW).hits[0]
    assert [reason.factor for reason in asked.reasons].count("scene") == 1
    assert "scene" not in {reason.factor for reason in other.reasons}


_SCANNED: list[str] = []
_WATCHING: list[bool] = []


def _audit(event: str, _: tuple[object, ...]) -> None:
    if _WATCHING and event in ("os.scandir", "os.listdir"):
        _SCANNED.append(event)


sys.addaudithook(_audit)


@contextmanager
def scans() -> Iterator[list[str]]:
    """Count the folders that Python lists."""
    _SCANNED.clear()
    _WATCHING.append(True)
    yield _SCANNED
    _WATCHING.clear()


def test_a_note_is_found_by_index_without_listing_a_folder(kit: Kit, vault: Path) -> None:
    """Fault 9.2-46: looking an event up listed every day's folder."""
    done = [turn(kit, f"the ratchet slips in hall {n}", f"Oil pawl {n}.", "ratchet") for n in range(3)]
    with scans() as found:
        list(vault.iterdir())
        assert len(found) == 1
    with scans() as found:
        for each in done:
            path = kit.index.catalog.with_id(each)[0].path
            assert "Oil pawl" in kit.body(kit.load(path).event)  # type: ignore[attr-defined]
        assert found == []
    plan = kit.index.catalog._db.execute("EXPLAIN QUERY PLAN SELECT * FROM notes WHERE id = 'x'").fetchall()
    assert "USING INDEX" in str(plan)
