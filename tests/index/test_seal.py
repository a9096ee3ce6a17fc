"""The seal on an engine's folder: what it finds, at once and in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.index import seal

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


def test_what_was_sealed_is_whole(folder: Path) -> None:
    assert seal.Check(folder).result() is True
    assert seal.is_whole(folder)


@pytest.mark.parametrize(("name", "at"), [("one", 0), ("one", 500), ("one", 999), ("two", 63), ("three", 128)])
def test_a_flipped_byte_is_found_wherever_it_lies(folder: Path, name: str, at: int) -> None:
    raw = bytearray((folder / name).read_bytes())
    raw[at] ^= 1
    (folder / name).write_bytes(raw)
    assert seal.Check(folder).result() is False


def test_a_file_that_is_shorter_longer_or_gone_is_found(folder: Path) -> None:
    whole = (folder / "one").read_bytes()
    for raw in (whole[:-1], whole + b"x", whole[:64], b""):
        (folder / "one").write_bytes(raw)
        assert seal.Check(folder).result() is False
    (folder / "one").unlink()
    assert seal.Check(folder).result() is False


def test_a_seal_that_makes_no_sense_is_damage_and_none_at_all_is_not(folder: Path) -> None:
    for written in ("", "[]", '{"one": 5}', '{"one": []}', '{"one": [1000]}', '{"one": ["x"]}', "{}x"):
        (folder / "seal.json").write_text(written)
        assert seal.Check(folder).result() is False, written
    seal.take_off(folder)
    assert seal.Check(folder).result() is True
