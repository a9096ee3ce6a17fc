"""`memkit import`, run as a person runs it: looked at first, run twice, killed in the middle, taken back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kit.app import Kit
from tests.transfer import foreign

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def memkit(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., subprocess.CompletedProcess[str]]:
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    monkeypatch.setenv("PYTHONUTF8", "1")

    def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "kit", "--vault", str(vault), *map(str, args)]
        return subprocess.run(line, capture_output=True, text=True, encoding="utf-8", check=False, timeout=100)

    return run


def hashes(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): blake2b(file.read_bytes()).hexdigest() for file in files}


def notes(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*.md")}


def many(folder: Path, count: int) -> Path:
    """Write a memory of many cards."""
    base = folder / "memory"
    for number in range(count):
        stamp = f"202608{number // 1440 % 28 + 1:02}_{number // 60 % 24:02}{number % 60:02}00"
        at = f"2026-08-{number // 1440 % 28 + 1:02}T{number // 60 % 24:02}:{number % 60:02}:00+00:00"
        tags = [f"word{number % 7}", f"topic{number % 11}"]
        row = foreign.card(stamp, at, f"Sentence number {number}", tags)
        foreign.put(base / "cognitive" / "records" / f"认知_{stamp}.json", row)
        path, event = foreign.event(stamp, at, f"Question {number}?", f"Answer {number}.", at[:10])
        foreign.put(base / path, event)
    like = [{"key": "editor", "value": "vim", "confidence": 0.9, "scene": "工作"}]
    row = foreign.card("20260829_000000", "2026-08-29T00:00:00+00:00", "The last one", ["word1"], likes=like)
    foreign.put(base / "cognitive" / "records" / "认知_20260829_000000.json", row)
    return folder


def test_a_dry_run_says_what_would_be_written_and_writes_nothing(
    memkit: Callable[..., subprocess.CompletedProcess[str]], vault: Path, tmp_path: Path
) -> None:
    source, before = foreign.wangdefa(tmp_path / "w"), hashes(vault)
    done = memkit("import", source, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "would write\t5 cards, 4 events, 1 fact, 1 overview, 2 scenes, 1 summary, 5 tags" in done.stdout
    assert "facts/评审顺序：先看测试.md\t评审顺序：先看测试" in done.stdout
    assert "cognitive/records/认知_20260804_000000.json:1: This is no JSON" in done.stderr
    assert hashes(vault) == before
    told = json.loads(memkit("import", source, "--dry-run", "--json").stdout)
    did = json.loads(memkit("import", source, "--json").stdout)
    assert did["written"] == told["new"]


def test_run_twice_is_run_once(
    memkit: Callable[..., subprocess.CompletedProcess[str]], vault: Path, tmp_path: Path
) -> None:
    source = foreign.wangdefa(tmp_path / "w")
    assert "written\t5 cards" in memkit("import", source).stdout
    before = hashes(vault)
    again = memkit("import", source)
    assert "written\tnothing\nknown already\t5 cards, 1 fact, 3 scenes, 1 summary, 5 tags" in again.stdout
    assert hashes(vault) == before


def test_killed_in_the_middle_and_run_again_is_as_if_once(
    memkit: Callable[..., subprocess.CompletedProcess[str]], vault: Path, tmp_path: Path, laid: Path
) -> None:
    source = many(tmp_path / "w", 400)
    line = [sys.executable, "-m", "kit", "--vault", str(vault), "import", str(source)]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        while child.poll() is None and len(list(vault.glob("cards/*/*.md"))) < 100:
            pass
        os.kill(child.pid, signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    assert len(list(vault.glob("cards/*/*.md"))) < 401
    done = memkit("import", source)
    assert done.returncode == 0, done.stderr
    whole = tmp_path / "whole"
    subprocess.run(["cp", "-r", str(laid), str(whole)], check=True)
    with Kit(whole) as kit:
        assert kit.transfer.bring(str(source), seconds=100).finished
    assert notes(vault) == notes(whole)
    with Kit(vault) as kit:
        assert kit.doctor() == []


def test_an_import_is_taken_back_but_for_what_you_changed(
    memkit: Callable[..., subprocess.CompletedProcess[str]], vault: Path, tmp_path: Path
) -> None:
    before = notes(vault)
    source = foreign.layered(tmp_path / "l")
    memkit("import", source)
    mine = vault / "facts" / "Reports go in tables.md"
    mine.write_text(mine.read_text(encoding="utf-8") + "\nMine.\n", encoding="utf-8")
    refused = memkit("undo")
    assert "memkit import --undo" in refused.stderr
    done = memkit("import", "--undo")
    assert done.returncode == 0, done.stderr
    assert "it was changed since" in done.stderr
    after = {path: raw for path, raw in notes(vault).items() if not path.startswith("archive/")}
    assert after.pop("facts/Reports go in tables.md").endswith(b"Mine.\n")
    assert after == before
    assert "written\t1 card, 1 event, 1 fact, 1 summary" in memkit("import", source).stdout


def test_taking_an_import_back_is_only_shown_when_that_is_asked(
    memkit: Callable[..., subprocess.CompletedProcess[str]], vault: Path, tmp_path: Path
) -> None:
    memkit("import", foreign.layered(tmp_path / "l"))
    before = hashes(vault)
    told = memkit("import", "--undo", "--dry-run")
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("5 notes would go to archive/undone/\n")
    assert "facts/Reports go in tables.md" in told.stdout
    assert "Nothing was moved." in told.stderr
    assert hashes(vault) == before
    assert "5 notes went to archive/undone/" in memkit("import", "--undo").stdout


def test_a_dry_run_says_how_many_more_there_are_and_what_only_names_a_secret_is_left(
    memkit: Callable[..., subprocess.CompletedProcess[str]], vault: Path, tmp_path: Path
) -> None:
    key = "sk-ant-api03-" + "Ab3dE6gH" * 6  # looks like a key, is none
    rules = [f"Rule {name} always holds for reports" for name in ("one", "two", "three", "four")]
    source = tmp_path / "CLAUDE.md"
    source.write_text("# Rules\n\n" + "".join(f"- {rule}\n" for rule in (*rules, f"API key is {key}")), "utf-8")
    told = memkit("import", source, "--dry-run")
    assert "would write\t4 facts" in told.stdout
    assert "… and 1 fact more." in told.stderr
    assert "CLAUDE.md:7: All it says is a secret" in told.stderr
    done = memkit("import", source)
    assert "All it says is a secret" in done.stderr
    assert not any("redacted" in raw.decode() for raw in notes(vault / "facts").values())


def test_what_you_deleted_is_not_brought_again(
    memkit: Callable[..., subprocess.CompletedProcess[str]], vault: Path, tmp_path: Path
) -> None:
    source = foreign.layered(tmp_path / "l")
    memkit("import", source)
    (vault / "facts" / "Reports go in tables.md").unlink()
    assert "written\tnothing" in memkit("import", source).stdout


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("import",), 2, "There is nothing to import"),
        (("import", "nowhere"), 3, "There is nothing at"),
        (("import", "."), 2, "holds nothing that is known"),
    ],
)
def test_what_can_not_be_imported_is_said_in_a_sentence(
    memkit: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
    code: int,
    says: str,
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    done = memkit(*args)
    assert (done.returncode, says in done.stderr) == (code, True), done.stderr
