"""The seal on an engine's folder: what it finds, at once and in threads."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kit.index import seal
from kit.index.fulltext import Doc
from kit.index.reflection import Index
from kit.index.sqlite import Sqlite

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {"one": 1000, "two": 64, "empty": 0, "three": 129}


@pytest.fixture(params=["at once", "in threads"])
def folder(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(seal, "_PIECE", 64)
    if request.param == "in threads":
        monkeypatch.setattr(seal, "_AT_ONCE", 0)
    for name, size in SIZES.items():
        (tmp_path / name).write_bytes(bytes(at % 251 for at in range(size)))
    seal.put(tmp_path)
    return tmp_path


def looked_at(folder: Path) -> bool | None:
    check = seal.Check(folder)
    whole = check.result()
    check.close()
    return whole


def glanced_at(file: Path, query: str) -> str:
    """Ask another process, which opens the file and closes it."""
    code = f"import contextlib, sqlite3\nwith contextlib.closing(sqlite3.connect({str(file)!r})) as db: "
    asked = [sys.executable, "-c", f"{code}print(db.execute({query!r}).fetchone()[0])"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def test_an_index_that_was_looked_over_is_still_seen_as_open_by_others(tmp_path: Path) -> None:
    with_seal = Index(tmp_path)
    generation = with_seal.generation
    with_seal.seal()
    assert (tmp_path / "index.seal").is_file()
    index = Index(tmp_path)
    index.check()
    file, query = tmp_path / "index.sqlite3", "SELECT value FROM meta WHERE name = 'generation'"
    for _ in range(3):  # each look closes the file; the one before must not have taken it for the last one
        with index.changing():
            generation = index._next
        assert glanced_at(file, query) == str(generation)
    index.close()
    assert glanced_at(file, query) == str(generation)


def test_an_index_that_differs_from_its_seal_is_told(tmp_path: Path) -> None:
    Index(tmp_path).seal()
    (tmp_path / "index.seal").write_text((tmp_path / "index.seal").read_text("ascii") + "1", "ascii")
    index = Index(tmp_path)
    with pytest.raises(sqlite3.DatabaseError, match="differs from its seal"):
        index.check()
    index.check()
    index.close()


def test_a_full_text_that_is_looked_over_is_still_seen_as_open_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seal, "_AT_ONCE", 0)
    made = Sqlite(tmp_path)
    made.apply([Doc(1, {"user": "one"})], (), "0")
    made.close()
    check = seal.Check(tmp_path)
    engine = Sqlite(tmp_path)
    assert check.result() is True
    for number in range(2, 5):
        engine.apply([Doc(number, {"user": "more"})], (), str(number))
        assert glanced_at(tmp_path / "fulltext.sqlite3", "SELECT count FROM state") == str(number)
    engine.close()
    check.close()
    assert glanced_at(tmp_path / "fulltext.sqlite3", "SELECT count FROM state") == "4"


def test_what_was_sealed_is_whole(folder: Path) -> None:
    assert looked_at(folder) is True
    assert seal.is_whole(folder)


@pytest.mark.parametrize(("name", "at"), [("one", 0), ("one", 500), ("one", 999), ("two", 63), ("three", 128)])
def test_a_flipped_byte_is_found_wherever_it_lies(folder: Path, name: str, at: int) -> None:
    raw = bytearray((folder / name).read_bytes())
    raw[at] ^= 1
    (folder / name).write_bytes(raw)
    assert looked_at(folder) is False


def test_a_file_that_is_shorter_longer_or_gone_is_found(folder: Path) -> None:
    whole = (folder / "one").read_bytes()
    for raw in (whole[:-1], whole + b"x", whole[:64], b""):
        (folder / "one").write_bytes(raw)
        assert looked_at(folder) is False
    (folder / "one").unlink()
    assert looked_at(folder) is False


def test_a_seal_that_makes_no_sense_is_damage_and_none_at_all_is_not(folder: Path) -> None:
    for written in ("", "[]", '{"one": 5}', '{"one": []}', '{"one": [1000]}', '{"one": ["x"]}', "{}x"):
        (folder / "seal.json").write_text(written)
        assert looked_at(folder) is False, written
    seal.take_off(folder)
    assert looked_at(folder) is True
