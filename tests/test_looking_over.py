"""Questions while a large full text is still looked over for damage."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from kit.app import Kit
from kit.index import seal
from kit.witness import witness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO


@pytest.fixture
def held(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Have each look at a sealed file wait until it is told to go on, as on a disk that hangs."""
    go, look = threading.Event(), seal._sum
    monkeypatch.setenv("MEMKIT_INDEX_ENGINE", "sqlite")
    with Kit(vault) as kit:
        card = kit.frame("Where does the ferry to Uig leave?")
        kit.complete(card.id, "From Tarbert.")
        kit.witness.open()
        kit.witness.take()

    def wait(file: BinaryIO, start: int) -> int:
        go.wait()
        return look(file, start)

    monkeypatch.setattr(seal, "_AT_ONCE", -1)
    monkeypatch.setattr(seal, "_sum", wait)
    monkeypatch.setattr(witness, "LOOKED_OVER_S", 0.01)
    monkeypatch.setattr(witness, "PATIENT_S", 0.01)
    yield go
    go.set()


def test_a_look_that_does_not_end_holds_nobody_up(vault: Path, held: threading.Event) -> None:
    with Kit(vault) as kit:
        kit.witness.open()
        assert "looked over" in str(kit.recall("ferry to Uig"))
        assert len(kit.search("ferry")) == 1
        held.set()
        kit.witness._check.result()  # type: ignore[union-attr]
        assert "looked over" not in str(kit.recall("ferry to Uig"))


def test_what_turns_out_damaged_answers_nothing_and_is_made_anew(vault: Path, held: threading.Event) -> None:
    with Kit(vault) as kit:
        file = kit.witness._folder("sqlite") / "fulltext.sqlite3"
        raw = bytearray(file.read_bytes())
        raw[-1] ^= 1
        file.write_bytes(raw)
        kit.witness.open()
        assert "looked over" in str(kit.recall("ferry to Uig"))
        held.set()
        kit.witness._check.result()  # type: ignore[union-attr]
        assert len(kit.search("ferry")) == 1
        assert kit.witness.behind == 1
        assert kit.witness.take() == 0
        assert "not in the full text" not in str(kit.recall("ferry to Uig"))
