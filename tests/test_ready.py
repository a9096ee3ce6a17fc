"""What is kept ready-made is what would be made, and never what has been."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kit import places, ready

if TYPE_CHECKING:
    from pathlib import Path

VALUE: object = {"words": ["a", "b"], "table": ({"a": ({}, [], [("group", "name")])}, [], [])}


class Maker:
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> object:
        self.times += 1
        return VALUE


def source(home: Path) -> Path:
    made = home / "words.toml"
    made.write_text("one", encoding="utf-8")
    places.cache_base().mkdir()
    return made


def test_a_value_is_made_once_and_then_taken_as_it_was(home: Path) -> None:
    maker, sources = Maker(), [source(home)]
    assert [ready.made("words", sources, maker) for _ in range(3)] == [VALUE] * 3
    assert maker.times == 1


def test_a_source_that_was_edited_has_it_made_anew(home: Path) -> None:
    maker, words = Maker(), source(home)
    ready.made("words", [words], maker)
    os.utime(words, ns=(1, 1))
    ready.made("words", [words], maker)
    assert maker.times == 2


def test_a_flipped_byte_has_it_made_anew_and_mended(home: Path) -> None:
    maker, sources = Maker(), [source(home)]
    ready.made("words", sources, maker)
    file = places.cache_base() / "words.ready"
    raw = bytearray(file.read_bytes())
    for at in range(0, len(raw), 7):
        file.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        assert ready.made("words", sources, maker) == VALUE
        assert ready.made("words", sources, lambda: None) == VALUE, "mended"
    for cut in (0, 3, 4, 20):
        file.write_bytes(raw[:cut])
        assert ready.made("words", sources, maker) == VALUE


def test_where_nothing_is_derived_or_nothing_can_be_written_it_is_made(home: Path) -> None:
    words = source(home)
    places.cache_base().rmdir()
    assert ready.made("words", [words], Maker()) == VALUE
    assert not places.cache_base().exists()
    places.cache_base().write_text("no folder", encoding="utf-8")
    assert ready.made("words", [words], Maker()) == VALUE
