"""Made-up vaults are the same every time, and made of notes the kit would write."""

from pathlib import Path
from typing import TYPE_CHECKING

from kit.vault import note
from tests.bench.synthetic import World, build

if TYPE_CHECKING:
    from kit.vault.amend import Value


def test_one_seed_gives_the_same_files_and_another_gives_others() -> None:
    assert list(World(40, 3).files()) == list(World(40, 3).files())
    assert list(World(40, 3).files()) != list(World(40, 4).files())


def test_notes_are_written_as_the_kit_writes_them() -> None:
    for path, raw in World(60, 5).files():
        found = note.parse(raw, path, fallback_name="")
        assert found is not None
        parsed = note.read(raw, path)
        front: dict[str, Value | None] = {}
        for key, value in parsed.front.items():
            assert isinstance(value, (str, int, list))
            front[key] = value
        again = note.render(front, parsed.body)
        # a time read back is text, which the kit would quote
        assert again.replace(b'"', b"") == raw.replace(b'"', b"")


def test_a_built_vault_holds_every_card_under_its_own_name(tmp_path: Path) -> None:
    build(tmp_path / "vault", 100, events=False)
    assert len(list((tmp_path / "vault" / "cards").rglob("*.md"))) == 100
