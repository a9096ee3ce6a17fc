"""The daemon when things break under it: vanished caches, flipped bytes, full disks, kills; and hooks meanwhile."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from kit import places
from kit.daemon import spool
from kit.daemon.protocol import HookCall
from kit.errors import KitError
from tests.daemon.conftest import Home, until
from tests.daemon.house import House, card, living

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KILLS = int(os.environ.get("MEMKIT_KILLS", "25"))
NOWHERE = {"MEMKIT_PYTHON": "/nonexistent/python", "MEMKIT_HOOK_DEADLINE_MS": "2000"}


@pytest.fixture
def house(home: Home) -> Iterator[House]:
    with living(home.root) as made:
        yield made


def fill(house: House, count: int = 30) -> None:
    for n in range(count):
        house.write(f"cards/n{n}.md", card(f"n{n}", f"harbour{n}", says=f"The wombat{n} sleeps in the harbour."))


def is_right(house: House, count: int = 30) -> bool:
    """Tell whether features and words answer rightly, once all words are read."""
    until(house.settled, 60)
    return all(
        house.found(query)[:1] == [f"cards/n{n}.md"]
        for n in range(0, count, 7)
        for query in (f"harbour{n}", f"where is the wombat{n}")
    )


@pytest.mark.parametrize("what", ["everything", "the index", "the words", "all but the open files' names"])
def test_a_cache_cleaned_away_under_the_daemon_heals_at_the_next_question(house: House, what: str) -> None:
    fill(house)
    assert is_right(house)
    for turn in range(2):
        victims = {
            "everything": [house.derived],
            "the index": sorted(house.derived.glob("index.sqlite3*")),
            "the words": sorted(house.derived.glob("text-*")),
            "all but the open files' names": [path for path in house.derived.iterdir() if "index" not in path.name],
        }[what]
        for victim in victims:
            shutil.rmtree(victim) if victim.is_dir() else victim.unlink()
        house.write("cards/new.md", card("new", f"fresh{turn}", says=f"A quokka{turn}."))
        assert house.found(f"fresh{turn}") == ["cards/new.md"]
        assert is_right(house)
        assert house.found(f"the quokka{turn}") == ["cards/new.md"]
    house.kill()
    assert is_right(house)


@pytest.mark.parametrize("harm", ["a flipped byte", "a truncated file", "an empty file"])
@pytest.mark.parametrize("engine", ["whoosh", "sqlite"])
def test_damaged_files_are_made_anew(home: Home, monkeypatch: pytest.MonkeyPatch, harm: str, engine: str) -> None:
    monkeypatch.setenv("MEMKIT_INDEX_ENGINE", engine)
    with living(home.root) as house:
        fill(house)
        assert is_right(house)
        draw = random.Random(harm)  # noqa: S311 - no secret
        for turn in range(3):
            house.stop()
            files = [path for path in sorted(house.derived.glob("text-*/*")) if path.stat().st_size > 8]
            file = [*files[:2], house.derived / "index.sqlite3"][turn]
            damage(file, harm, draw)
            assert is_right(house), file.name


def damage(file: Path, harm: str, draw: random.Random) -> None:
    raw = bytearray(file.read_bytes())
    if harm == "a flipped byte":
        raw[draw.randrange(len(raw))] ^= 0xFF
    else:
        raw = raw[: len(raw) // 2] if harm == "a truncated file" else bytearray()
    file.write_bytes(raw)


def test_damage_under_the_running_daemon_costs_no_answer(house: House) -> None:
    fill(house)
    assert is_right(house)
    (house.derived / "index.sqlite3").write_bytes(b"no database at all " * 5000)
    (house.derived / "index.sqlite3-wal").unlink(missing_ok=True)
    house.write("cards/new.md", card("new", "fresh"))
    assert house.found("fresh") == ["cards/new.md"]
    assert is_right(house)


@pytest.mark.parametrize("harm", ["a truncated file", "an empty file"])
@pytest.mark.parametrize("engine", ["whoosh", "sqlite"])
def test_words_cut_off_under_the_running_daemon_heal(
    home: Home, monkeypatch: pytest.MonkeyPatch, harm: str, engine: str
) -> None:
    monkeypatch.setenv("MEMKIT_INDEX_ENGINE", engine)
    with living(home.root) as house:
        fill(house)
        assert is_right(house)
        draw = random.Random(harm)  # noqa: S311 - no secret
        for file in sorted(house.derived.glob("text-*/*")):
            damage(file, harm, draw)
        house.write("cards/new.md", card("new", "fresh", says="A quokka."))
        with suppress(KitError):  # a file that is mapped and cut off ends the process; the next question starts another
            house.found("where is the wombat3")
        assert house.found("fresh") == ["cards/new.md"]
        assert is_right(house)
        assert house.found("the quokka") == ["cards/new.md"]


def test_settings_that_nobody_may_write_cost_no_answer(house: House) -> None:
    fill(house)
    settings = house.root / "memkit.toml"
    settings.chmod(0o400)
    assert house.found("harbour7") == ["cards/n7.md"]
    house.write("cards/new.md", card("new", "fresh"))
    assert house.found("fresh") == ["cards/new.md"]
    assert settings.stat().st_mode & 0o777 == 0o400
    assert is_right(house)


def test_a_full_disk_costs_news_but_no_answer_and_heals(home: Home) -> None:
    disk = places.cache_base()
    disk.mkdir(parents=True)
    if os.getuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], check=False).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        with living(home.root) as house:
            fill(house)
            assert is_right(house)
            fill_up(disk / "ballast")
            for n in range(60):
                house.write(f"cards/more{n}.md", card(f"m{n}", f"news{n}", says="x" * 3000))
            try:
                assert house.found("harbour7")[:1] == ["cards/n7.md"]
            except KitError as error:
                assert "room" in str(error)  # noqa: PT017 - either answer will do, silence will not
            (disk / "ballast").unlink()
            assert house.found("news59")[:1] == ["cards/more59.md"]
            assert is_right(house)
            house.stop()
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def fill_up(ballast: Path) -> None:
    """Take what room is left on a disk."""
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))


def test_a_daemon_killed_at_any_moment_leaves_nothing_to_repair(house: House) -> None:
    draw = random.Random(3)  # noqa: S311 - no secret
    fill(house)
    for turn in range(KILLS):
        house.write(f"cards/n{turn % 30}.md", card(f"n{turn % 30}", f"harbour{turn % 30}", says=f"A numbat{turn}."))
        house.write(f"cards/k{turn}.md", card(f"k{turn}", f"killed{turn}", says=f"A bilby{turn}."))
        if turn % 3 == 0:
            house.ask("remember", says=f"Lasting{turn} it is.", key=f"k{turn}")
        assert house.found(f"killed{turn}") == [f"cards/k{turn}.md"]
        until(lambda: draw.random() < 0.4)
        house.kill()
    assert house.found(f"killed{KILLS - 1}") == [f"cards/k{KILLS - 1}.md"]
    until(house.settled, 60)
    for turn in range(KILLS):
        assert house.found(f"the bilby{turn}")[:1] == [f"cards/k{turn}.md"]
    assert len(house.ask("facts")) == len(range(0, KILLS, 3))
    assert house.ask("doctor") == []
    assert not list(house.root.rglob(".*.tmp"))


# -- hooks


@pytest.fixture
def disk(home: Home) -> Iterator[Path]:
    """Give the vault a small disk of its own."""
    if os.getuid() or not mounted("-t", "tmpfs", "-o", "size=3m", "tmpfs", home.root):
        pytest.skip("only root may mount a small disk")
    try:
        yield home.root
    finally:
        subprocess.run(["umount", "-l", home.root], check=True)


def mounted(*args: object) -> bool:
    return not subprocess.run(["mount", *map(str, args)], check=False).returncode


@pytest.mark.parametrize("ends", ["goes on", "is stopped", "is killed"])
@pytest.mark.parametrize("trouble", ["read-only", "full"])
def test_what_a_vault_can_not_take_now_costs_no_recall_and_is_framed_later(disk: Path, trouble: str, ends: str) -> None:
    with living(disk) as house:
        house.write("cards/a.md", card("a", "harbour", says="The harbour crane is painted green."))
        until(house.settled)
        if trouble == "full":
            fill_up(disk / "ballast")
        else:
            assert mounted("-o", "remount,ro", disk)
        for n in range(3):
            env = {"session_id": f"s{n}", "prompt_id": "t1"}
            told = house.hook("prompt", {**env, "prompt": f"which colour has the harbour crane, and why, {n}?"})
            assert (told.returncode, b"painted green" in told.stdout) == (0, True), n
            house.hook("answer", {**env, "last_assistant_message": f"Green{n}, since the paint was cheap."})
        assert len(house.cards()) == 1
        if trouble == "read-only":
            assert "Nothing can be written here" in str(house.ask("doctor"))
            assert house.ask("status")["problems"] == 1
        until(lambda: len(list(places.spool_folder(disk).glob("*.*"))) >= 6)
        {"goes on": lambda: None, "is stopped": house.stop, "is killed": house.kill}[ends]()
        if trouble == "full":
            (disk / "ballast").unlink()
        else:
            assert mounted("-o", "remount,rw", disk)
        assert house.found("harbour")
        house.hook("prompt", {"session_id": "s9", "prompt_id": "t9", "prompt": "where does the ferry leave?"})
        until(lambda: len(house.cards()) == 5, 60)
        for n in range(3):
            until(lambda n=n: any(f"Green{n}" in each for each in notes(house)), 60)  # type: ignore[misc]  # a default
        assert house.ask("doctor") == []


def notes(house: House) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in house.root.rglob("*.md")]


def test_a_prompt_is_answered_its_card_written_afterwards_and_completed_by_the_answer(house: House) -> None:
    house.write("cards/a.md", card("a", "harbour", says="The harbour crane is painted green."))
    house.ask("status")
    told = house.prompt("which colour has the harbour crane, and why was it chosen?")
    assert (told.returncode, b"painted green" in told.stdout) == (0, True)
    until(lambda: len(house.cards()) == 2)
    assert any('status: "pending"' in each or "status: pending" in each for each in house.cards())
    house.answer("Green, since the paint was cheap. It was decided in the harbour office.")
    until(lambda: not any("pending" in each for each in house.cards()))
    assert len(list((house.root / "events").rglob("*.md"))) == 1


def test_a_hook_told_twice_makes_one_card(house: House) -> None:
    house.ask("status")
    for _ in range(2):
        house.prompt("which colour has the harbour crane?")
    for _ in range(2):
        house.answer("Green, as decided.")
    until(lambda: house.cards() and not any("pending" in each for each in house.cards()))
    assert len(house.cards()) == 1
    assert len(list((house.root / "events").rglob("*.md"))) == 1


def test_an_answer_that_a_killed_daemon_had_acknowledged_completes_its_card(house: House) -> None:
    house.ask("status")
    house.prompt("which colour has the harbour crane?")
    until(lambda: len(house.cards()) == 1)
    house.kill()
    said = {"session_id": "s1", "prompt_id": "t1", "hook_event_name": "Stop", "last_assistant_message": "Green."}
    call = HookCall("claude", "answer", json.dumps(said).encode(), {"PWD": str(house.root)})
    folder = places.spool_folder(house.root)
    assert spool.hold(folder, call).exists()
    assert spool.waiting(folder) == []
    house.ask("status")
    until(lambda: "pending" not in house.cards()[0])
    until(lambda: not list(folder.iterdir()))


def test_what_waited_while_no_daemon_could_run_is_taken_up_with_its_own_time(house: House) -> None:
    asked = time.time_ns()
    house.prompt("which colour has the harbour crane?", env=NOWHERE)
    house.answer("Green, as decided in the office.", env=NOWHERE)
    folder = places.spool_folder(house.root)
    files = spool.waiting(folder)
    assert len(files) == 2
    long_ago = asked - 3 * 86_400 * 10**9
    for n, file in enumerate(files):  # as if three days had passed
        file.rename(folder / f"{long_ago + n * 10**9:020d}-{file.name.partition('-')[2]}")
    house.ask("status")
    until(lambda: not spool.waiting(folder) and house.cards() and "pending" not in house.cards()[0])
    (only,) = house.cards()
    day = time.strftime("%Y-%m-%d", time.localtime(long_ago / 1e9))
    created = next(line for line in only.splitlines() if line.startswith("created:"))
    assert day in created
    assert not (folder / "failed").exists()
