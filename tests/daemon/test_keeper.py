"""The daemon as people meet it: whatever was on disk before a question was asked is in its answer."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kit.daemon.client import Client, daemon_command
from kit.daemon.protocol import HookCall, hook_frame
from kit.errors import KitError
from tests.daemon.conftest import Home, until
from tests.daemon.house import House, card, living

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROMPT = {"session_id": "s1", "hook_event_name": "UserPromptSubmit"}
LETTERS = [first + second for first in "bcdfghjk" for second in "lmnpqrst"]
"""Numbers in letters: the digits behind a word are a word of their own."""
IDLE = """
import sys
from pathlib import Path
from kit import places
from kit.daemon.keeper import Keeper
from kit.daemon.server import Server
keeper = Keeper(Path(sys.argv[1]))
won = Server(
    keeper, places.runtime_folder(keeper.kit.root), version="1", idle_s=2.0, gone=keeper.gone,
    started=keeper.start, ended=keeper.stop,
).serve()
keeper.stop()
print("served" if won else "lost")
"""
ROUNDS = int(os.environ.get("MEMKIT_ROUNDS", "300"))


@pytest.fixture
def house(home: Home) -> Iterator[House]:
    with living(home.root) as made:
        yield made


class Hands:
    """Everything people and programs do to files, one note at a time; knows what must be found afterwards."""

    def __init__(self, house: House, outside: Path) -> None:
        self.house, self.outside = house, outside
        self.draw = random.Random(7)  # noqa: S311 - no secret
        self.there: dict[str, str] = {}
        self.count = 0
        outside.mkdir(exist_ok=True)

    def word(self) -> str:
        self.count += 1
        return f"zyx{self.count}"

    def some(self) -> str:
        return self.draw.choice(sorted(self.there)) if self.there else self.make()

    def place(self) -> str:
        return f"cards/2026-{self.draw.randint(1, 12):02}/n{self.count}.md"

    def make(self) -> str:
        word = self.word()
        path = self.place()
        self.house.write(path, card(f"id-{word}", word))
        self.there[path] = word
        return path

    def edit_in_place(self) -> None:
        path = self.some()
        name = self.identity(path)
        self.there[path] = self.word()
        (self.house.root / path).write_bytes(card(name, self.there[path]))

    def identity(self, path: str) -> str:
        return (self.house.root / path).read_text(encoding="utf-8").split('id: "')[1].split('"')[0]

    def replace(self) -> None:
        path = self.some()
        draft = self.house.root / f"{path}.tmp"
        draft.write_bytes(card(self.identity(path), self.word()))
        draft.replace(self.house.root / path)
        self.there[path] = f"zyx{self.count}"

    def rename(self) -> None:
        path = self.some()
        self.word()
        new = self.place()
        (self.house.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.house.root / path).rename(self.house.root / new)
        self.there[new] = self.there.pop(path)

    def delete(self) -> None:
        path = self.some()
        (self.house.root / path).unlink()
        del self.there[path]

    def move_out(self) -> None:
        path = self.some()
        (self.house.root / path).rename(self.outside / f"{self.count}.md")
        del self.there[path]

    def move_in(self) -> None:
        word = self.word()
        (self.outside / "in.md").write_bytes(card(f"id-{word}", word))
        path = f"cards/in{word}.md"
        (self.outside / "in.md").rename(self.house.root / path)
        self.there[path] = word

    def move_a_folder_in(self) -> None:
        word = self.word()
        folder = self.outside / f"d{word}" / "deep" / "er"
        folder.mkdir(parents=True)
        (folder / "n.md").write_bytes(card(f"id-{word}", word))
        (self.outside / f"d{word}").rename(self.house.root / f"d{word}")
        self.there[f"d{word}/deep/er/n.md"] = word

    def move_a_folder(self) -> None:
        path = self.some()
        folder = path.rpartition("/")[0].split("/")
        old = "/".join(folder[:2]) if folder[0] == "cards" and len(folder) > 1 else folder[0]
        if old == "cards":
            self.rename()
            return
        self.word()
        new = f"moved{self.count}"
        (self.house.root / old).rename(self.house.root / new)
        for each in [each for each in self.there if each.startswith(f"{old}/")]:
            self.there[f"{new}/{each.removeprefix(f'{old}/')}"] = self.there.pop(each)

    def make_in_new_folders(self) -> None:
        word = self.word()
        path = f"fresh{word}/a/b/c/n.md"
        self.house.write(path, card(f"id-{word}", word))
        self.there[path] = word

    def twice_in_a_hurry(self) -> None:
        """Save, and save again with a text of the same length within the clock's grain."""
        path = self.some()
        name, first, second = self.identity(path), self.word(), self.word()
        file = self.house.root / path
        file.write_bytes(card(name, first.rjust(9, "q")))
        file.write_bytes(card(name, second.rjust(9, "q")))
        self.there[path] = second.rjust(9, "q")

    def acts(self) -> list[Callable[[], object]]:
        return [
            self.make, self.edit_in_place, self.replace, self.rename, self.delete, self.move_out, self.move_in,
            self.move_a_folder_in, self.move_a_folder, self.make_in_new_folders, self.twice_in_a_hurry,
        ]  # fmt: skip


def test_every_change_is_seen_by_the_very_next_question(house: House) -> None:
    hands = Hands(house, house.root.parent / "outside")
    for _ in range(8):
        hands.make()
    house.ask("status")
    for turn in range(ROUNDS):
        before = dict(hands.there)
        act = hands.acts()[turn % len(hands.acts())] if turn % 3 else hands.draw.choice(hands.acts())
        act()
        changed = [path for path in {*before, *hands.there} if before.get(path) != hands.there.get(path)]
        for path in changed[:3]:
            word = hands.there.get(path) or before[path]
            expected = [place for place, held in hands.there.items() if held == word]
            assert house.found(word) == expected, f"round {turn}, {act.__name__}: {path}"
    assert house.ask("status")["notes"]["card"] == len(hands.there)
    assert not house.troubles()


def test_words_of_the_body_are_found_at_once_and_gone_at_once(house: House) -> None:
    for turn in range(40):
        house.write("cards/a.md", card("a", "tag", says=f"The wombat{turn} sleeps."))
        assert house.found(f"where is the wombat{turn}") == ["cards/a.md"]
        assert f"wombat{turn - 1}" not in str(house.ask("explain", query=f"wombat{turn - 1}")["says"])


def test_a_checkout_is_seen_by_the_next_question(house: House) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=ann", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=house.root, check=True, capture_output=True)

    git("init", "-b", "main")
    for branch in ("main", "other"):
        if branch == "other":
            git("checkout", "-b", branch)
        for n in range(60):
            house.write(f"cards/n{n}.md", card(f"n{n}", f"{branch}word", f"{branch}{LETTERS[n]}"))
        git("add", ".")
        git("commit", "-m", branch)
    for turn in range(12):
        branch, gone = ("main", "other") if turn % 2 == 0 else ("other", "main")
        git("checkout", branch)
        n = turn * 5
        assert house.found(f"{branch}{LETTERS[n]}") == [f"cards/n{n}.md"]
        assert house.found(f"{gone}{LETTERS[n]}") == []


@pytest.mark.parametrize("without", ["the settings file", "a watcher"])
def test_where_nothing_can_be_known_from_events_a_small_vault_is_looked_through(home: Home, without: str) -> None:
    with living(home.root) as house:
        if without == "a watcher":
            limit = "/proc/sys/user/max_inotify_watches"
            code = (
                f"open({limit!r}, 'w').write('2'); import runpy, sys; sys.argv[0] = 'kit'; "
                "runpy.run_module('kit', run_name='__main__')"
            )
            inside = ["unshare", "--user", "--map-root-user"]
            if not shutil.which("unshare") or subprocess.run([*inside, "true"], check=False).returncode:
                pytest.skip("user namespaces are forbidden here")
            command = [*inside, *daemon_python(), "-c", code, "daemon", "run", "--vault", str(house.root)]
            with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": here()}) as process:
                until(house.pid, 60)
                look_again_and_again(house)
                assert "scanned every" in house.ask("status")["watching"]
                process.terminate()
        else:
            (house.root / "memkit.toml").unlink()
            look_again_and_again(house)


def look_again_and_again(house: House) -> None:
    for turn in range(15):
        house.write("cards/a.md", card("a", f"tag{turn}"))
        assert house.found(f"tag{turn}") == ["cards/a.md"]
        assert house.found(f"tag{turn - 1}") == []


def daemon_python() -> list[str]:
    return [sys.executable, "-P"]


def here() -> str:
    return str(Path(__file__).parents[2])


def test_what_was_written_through_the_daemon_is_found_by_its_words_at_once(house: House) -> None:
    for number in range(5):
        house.ask("sink", user=f"what about matter {number}?", agent=f"It went to the quartzite{number} drawer.")
        found = house.ask("recall", query=f"where is the quartzite{number}", threshold=0.0)
        assert found["remarks"] == []
        assert any(reason["factor"] == "text" for reason in found["hits"][0]["reasons"])


def test_without_an_engine_features_answer_and_nothing_is_said_of_words(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMKIT_INDEX_ENGINE", "none")
    with living(home.root) as house:
        house.write("cards/a.md", card("a", "harbour", says="A wombat."))
        answer = house.ask("recall", query="harbour")
        assert [hit["path"] for hit in answer["hits"]] == ["cards/a.md"]
        assert not answer.get("remarks")
        assert house.found("wombat") == []


def test_while_words_are_behind_the_answer_says_so(house: House) -> None:
    house.ask("status")
    for n in range(150):
        house.write(f"cards/n{n}.md", card(f"n{n}", f"tag{n}"))
    assert "not in the full text yet" in str(house.ask("recall", query="tag149").get("remarks"))
    until(house.settled, 60)
    assert not house.ask("recall", query="tag149").get("remarks")


def test_a_vault_that_is_away_is_told_and_nothing_is_forgotten(house: House) -> None:
    house.write("cards/a.md", card("a", "harbour"))
    assert house.found("harbour") == ["cards/a.md"]
    away = house.root.parent / "away"
    for turn in range(4):
        house.root.rename(away)
        if turn % 2:
            house.root.mkdir()  # an empty mount point
        with pytest.raises(KitError, match=r"vault|folder"):
            house.found("harbour")
        if turn % 2:
            house.root.rmdir()
        away.rename(house.root)
        assert house.found("harbour") == ["cards/a.md"]
    assert house.ask("status")["notes"]["card"] == 1


def test_of_two_daemons_one_serves_and_it_stops_when_idle(house: House) -> None:
    command = [*daemon_python(), "-c", IDLE, str(house.root)]
    environment = os.environ | {"PYTHONPATH": here()}
    with (
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as one,
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as two,
    ):
        said = {one.communicate(timeout=60)[0].strip(), two.communicate(timeout=60)[0].strip()}
    assert said == {b"served", b"lost"}
    assert not house.pid()


def test_a_client_of_another_version_ends_the_daemon(house: House) -> None:
    house.ask("status")
    first = house.pid()
    with pytest.raises(KitError, match="of version"):
        Client(house.root, version="0.0.0", spawn=daemon_command(house.root)).ask("status", timeout=60)
    assert house.pid() != first
    assert house.ask("status")


def test_without_its_address_file_the_daemon_is_found_all_the_same(house: House) -> None:
    house.ask("status")
    first = house.pid()
    (house.runtime / "daemon.json").unlink()
    house.write("cards/a.md", card("a", "harbour"))
    assert house.client().ask("recall", {"query": "harbour"})
    house.client().stop(30)
    until(lambda: not house.pid() or house.pid() != first)


@pytest.mark.skipif(os.name == "nt", reason="it needs a Unix socket")
def test_what_came_too_late_for_a_hook_is_told_another_time(house: House) -> None:
    house.ask("remember", says="The quokka report goes in tables", tags=["quokka"])
    asked = json.dumps(PROMPT | {"prompt_id": "t1", "prompt": "how do I want the quokka report?"}).encode()
    with socket.socket(socket.AF_UNIX) as hook:
        hook.connect(str(house.runtime / "socket"))
        hook.shutdown(socket.SHUT_RD)  # its time was up
        hook.sendall(hook_frame(HookCall("claude", "prompt", asked, {})))
        until(lambda: len(house.cards()) == 1)
    assert house.ask("desk.told")["told"] == []
    assert b"quokka report goes in tables" in house.prompt("what was it with the quokka report?", "t2").stdout
    until(lambda: len(house.cards()) == 2)
    assert house.prompt("and once more, the quokka report?", "t3").stdout == b""
