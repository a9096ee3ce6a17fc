"""Settings: where they come from, which is stronger, and what is told of faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit import config, places, whereabouts
from kit.errors import ConfigError, NoVaultError
from kit.settings import TABLE

if TYPE_CHECKING:
    from pathlib import Path


def write(root: Path, said: str) -> Path:
    root.mkdir(exist_ok=True)
    file = root / "memkit.toml"
    file.write_bytes(said.encode())
    return file


def faults(root: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        config.load(root)
    return [str(problem).replace(f"{root}/", "") for problem in caught.value.problems]


def test_every_setting_has_a_name_a_default_and_a_sentence() -> None:
    assert len({row.name for row in TABLE}) == len(TABLE)
    assert all(row.meaning.endswith(".") for row in TABLE)
    assert all(not row.choices or row.default in row.choices for row in TABLE)


def test_without_files_every_setting_has_its_default(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMKIT_DAEMON_START")
    found = config.load(home)
    assert {(name, value, origin) for name, value, origin, _ in found.rows()} == {
        (row.name, row.default, "default") for row in TABLE
    }


def test_the_person_is_stronger_than_the_vault_and_the_environment_than_both(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = home / "vault"
    file = write(root, "[recall]\nlimit = 3\nthreshold = 0.5\nprofile = 'wangdefa'\n[deliver]\ntokens = 500\n")
    (home / "config").mkdir()
    own = home / "config" / "config.toml"
    own.write_text("recall.limit = 4\nrecall.threshold = 0\n", encoding="utf-8")
    monkeypatch.setenv("MEMKIT_RECALL_LIMIT", "5")
    monkeypatch.setenv("MEMKIT_GOVERN_REDACT", "False")
    monkeypatch.setenv("MEMKIT_LLM_MODEL", "4")
    monkeypatch.setenv("MEMKIT_LLM_COMMAND", "true")
    found = config.load(root)
    assert (found.text("llm.model"), found.text("llm.command")) == ("4", "true")
    assert (found.count("recall.limit"), found.origins["recall.limit"]) == (5, "MEMKIT_RECALL_LIMIT")
    assert (found.number("recall.threshold"), found.origins["recall.threshold"]) == (0.0, str(own))
    assert (found.text("recall.profile"), found.origins["recall.profile"]) == ("wangdefa", str(file))
    assert (found.count("deliver.tokens"), found.flag("govern.redact")) == (500, False)


@pytest.mark.parametrize(
    "said",
    [
        "recall.limit = 3\n",
        "[recall]\nlimit = 3\n",
        "recall = {limit = 3}\n",
        '"recall"."limit" = 3\n',
        "\ufeff[recall]\r\nlimit = 3\r\n",
    ],
)
def test_toml_may_be_written_as_it_likes(home: Path, said: str) -> None:
    write(home / "vault", said)
    assert config.load(home / "vault").count("recall.limit") == 3


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('recall.limit = "x"', ["memkit.toml:1: 'recall.limit' must be a whole number, not 'x'."]),
        ("[recall]\nlimit = 2.5", ["memkit.toml:2: 'recall.limit' must be a whole number, not 2.5."]),
        ("[recall]\nlimit = true", ["memkit.toml:2: 'recall.limit' must be a whole number, not True."]),
        ("[recall]\nlimit = 0", ["memkit.toml:2: 'recall.limit' must be at least 1 and at most 200, not 0."]),
        ("[recall]\nthreshold = nan", ["memkit.toml:2: 'recall.threshold' must be at least 0 and at most 1, not nan."]),
        ("[deliver]\ntokens = -1", ["memkit.toml:2: 'deliver.tokens' must be at least 0, not -1."]),
        ("\n\nrecall = {limit = 'x'}", ["memkit.toml:3: 'recall.limit' must be a whole number, not 'x'."]),
        ("[govern]\nredact = 1", ["memkit.toml:2: 'govern.redact' must be true or false, not 1."]),
        ("id = 7", ["memkit.toml:1: 'id' must be a text, not 7."]),
        (
            "# limit = 1\n[recal]\nlimit = 1",
            ["memkit.toml:3: There is no setting 'recal.limit'. Did you mean 'recall.limit'?"],
        ),
        ("colour = 'red'", ["memkit.toml:1: There is no setting 'colour'. `memkit config` lists them."]),
        (
            "[recall]\nprofile = 'odd'",
            ["memkit.toml:2: 'recall.profile' must be one of default, wangdefa, layered, not 'odd'."],
        ),
    ],
)
def test_a_fault_names_its_line_and_what_is_due(home: Path, said: str, told: list[str]) -> None:
    write(home / "vault", said + "\n")
    assert faults(home / "vault") == told


def test_all_faults_of_all_places_are_told_at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home / "vault", "[daemon]\nlimit = 1\n[recall]\nlimit = 'x'\n")
    write(home / "config", "").rename(home / "config" / "config.toml")
    (home / "config" / "config.toml").write_text("id = 'mine'\n[recall\n", encoding="utf-8")
    monkeypatch.setenv("MEMKIT_DELIVER_TOKENS", "many")
    told = faults(home / "vault")
    assert [line.split(" ")[0] for line in told] == [
        "memkit.toml:2:",
        "memkit.toml:4:",
        f"{home / 'config' / 'config.toml'}:2:",
        "MEMKIT_DELIVER_TOKENS:",
    ]


def test_an_id_in_a_persons_own_settings_would_be_that_of_every_vault(home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text("id = 'mine'\n", encoding="utf-8")
    assert "A vault's id stands in its own memkit.toml." in faults(home)[0]


def test_settings_that_are_no_text_are_a_fault(home: Path) -> None:
    (home / "memkit.toml").write_bytes(b"id = '\xff'\n")
    assert "The settings can't be read" in faults(home)[0]


# --- where the vault is


def test_a_vault_is_found_as_given_then_by_variable_then_above_then_by_pointer(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, named, above, own = (home / name for name in ("given", "named", "above", "own"))
    for root in (given, named, above, own):
        write(root, "id = 'x'\n")
    (above / "cards" / "2026-11").mkdir(parents=True)
    (home / "config").mkdir()
    (home / "config" / "vault").write_text(f"{own}\n", encoding="utf-8")
    assert config.find_vault(start=home) == own
    assert config.find_vault(start=above / "cards" / "2026-11") == above
    monkeypatch.setenv("MEMKIT_VAULT", str(named))
    assert config.find_vault(start=above) == named
    assert config.find_vault(str(given), start=above) == given


def test_a_vault_that_is_not_there_is_not_guessed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoVaultError, match="No vault is here"):
        config.find_vault(start=home)
    monkeypatch.setenv("MEMKIT_VAULT", str(home / "gone"))
    with pytest.raises(NoVaultError, match="There is no folder"):
        config.find_vault(start=home)


def test_in_a_folder_that_was_deleted_the_pointer_still_counts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = home / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(NoVaultError, match="No vault is here"):
        config.find_vault()
    places.pointer_file().parent.mkdir(parents=True)
    places.pointer_file().write_text(f"{write(home / 'own', '').parent}\n", encoding="utf-8")
    assert config.find_vault() == home / "own"


def test_hooks_and_commands_find_the_same_pointer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("own", ""):
        monkeypatch.setenv("MEMKIT_CONFIG", str(home / folder) if folder else "")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
        monkeypatch.setenv("APPDATA", str(home / "xdg"))
        pointer = places.pointer_file()
        pointer.parent.mkdir(parents=True)
        pointer.write_text(f"{home}\n", encoding="utf-8")
        assert config.find_vault(start=home.parent) == home.resolve()
        assert f"{whereabouts.config_base()}/vault" == str(pointer)


@pytest.mark.parametrize(("said", "meant"), [("0", False), ("no", False), ("OFF", False), ("1", True), ("yes", True)])
def test_flags_in_the_environment_are_read_as_people_write_them(
    vault: Path, monkeypatch: pytest.MonkeyPatch, said: str, meant: bool
) -> None:
    monkeypatch.setenv("MEMKIT_DAEMON_START", said)
    assert config.load(vault).flag("daemon.start") is meant


def test_what_is_no_flag_is_refused(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_DAEMON_START", "2")
    with pytest.raises(ConfigError, match="must be true or false"):
        config.load(vault)
