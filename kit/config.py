"""One table of settings: name, type, default, one sentence; and where their values come from.

Law: the vault's `memkit.toml`, then the person's own file, then `MEMKIT_*`, each stronger than the one
before. All problems of a file are told at once, with their lines.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kit import places
from kit.errors import ConfigError, NoVaultError, Problem
from kit.vault.layout import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

Value = str | int | float | bool


class Setting(NamedTuple):
    """One row of the table."""

    name: str
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float = math.inf


TABLE = (
    Setting("id", "", "The vault's own id, made by `memkit init`; names its derived folder."),
    Setting("recall.profile", "default", "How hits are scored.", ("default", "wangdefa", "layered")),
    Setting("recall.limit", 8, "How many hits a recall returns at most.", least=1, most=200),
    Setting("recall.threshold", 0.12, "Hits below this score are not returned; `layered` has 0.08.", most=1),
    Setting("recall.hook_limit", 5, "Hits a hook injects at most; further tags named may add 3.", least=1, most=200),
    Setting("recall.hook_threshold", 0.08, "Hits below this score are not injected by a hook.", most=1),
    Setting("recall.co_tag_rounds", 3, "Rounds of inference through the tags of the cards found."),
    Setting("recall.text_ms", 20, "Milliseconds the full text may take for one recall."),
    Setting("deliver.tokens", 1200, "Tokens of an injected text at medium depth; half at shallow, twice at deep."),
    Setting("deliver.bytes", 8000, "Size limit of an injected text, in UTF-8 bytes."),
    Setting("hooks.all_projects", False, "Whether a prompt is told memories of other projects, too."),
    Setting("hooks.start_tokens", 300, "Tokens of the standing preferences a session begins with; 0: none."),
    Setting("index.plain_notes", False, "Whether your own notes (without `kind`) are found by recall and search too."),
    Setting("index.engine", "auto", "Full-text engine.", ("auto", "whoosh", "sqlite", "tantivy", "none")),
    Setting("govern.tag_share", 0.2, "A word on more than this share of all cards is too generic for a tag.", most=1),
    Setting("govern.redact", True, "Whether secrets are taken out before anything is written."),
    Setting("tiers.transient", 300, "Passing turns kept; what is over goes to the archive, lightest first. 0: all."),
    Setting("tiers.episodic", 500, "Cards and summaries a project keeps when cleaned; schedules need it set. 0: all."),
    Setting("tiers.semantic", 800, "Facts kept when cleaned; schedules need it set. 0: all."),
    Setting("tiers.summary_turns", 2, "Lasting turns from which on a session is summed up by itself; 0: never."),
    Setting("tiers.silent_hours", 6.0, "Hours of silence after which an open session is summed up.", least=1),
    Setting(
        "clean.mode", "manual", "When little-used cards go to the archive.", ("manual", "daily", "weekly", "monthly")
    ),
    Setting("clean.at", "03:00", "The time of day of a scheduled cleaning."),
    Setting("clean.weekday", 1, "The day of a weekly cleaning, 1 (Monday) to 7.", least=1, most=7),
    Setting("clean.day", 1, "The day of a monthly cleaning; the last one where a month is shorter.", least=1, most=31),
    Setting("llm.provider", "", "What learns beside the rules; empty: rules alone.", ("", "openai", "command")),
    Setting("llm.base_url", "", "An OpenAI-compatible endpoint, as http://localhost:11434/v1; empty: OpenAI's own."),
    Setting("llm.model", "", "The model, as the endpoint calls it."),
    Setting("llm.key_env", "", "The environment variable that holds the key; the key itself is never stored."),
    Setting("llm.command", "", "For `command`: a program that reads a prompt and writes an answer, as `claude -p`."),
    Setting("llm.timeout_s", 60.0, "Seconds the model may take for one finished turn.", least=1, most=3600),
    Setting("llm.monthly_tokens", 0, "Tokens the model may use a month in all vaults; then rules do it. 0: any."),
    Setting("llm.at_once", 2, "Turns the model is asked about at the same time.", least=1, most=16),
    Setting("llm.at_prompt", False, "Whether the model is asked about each prompt, too, before anything is recalled."),
    Setting("llm.prompt_s", 1.5, "Seconds a prompt waits for the model at most; then rules decide.", most=10),
    Setting("llm.vault_prompts", False, "Whether a vault's own templates/prompts are used; only where you trust them."),
    Setting("daemon.idle_minutes", 120, "The daemon stops after so long without a request; 0: never."),
    Setting("daemon.start", True, "Whether commands start the daemon; hooks go by MEMKIT_DAEMON_START alone."),
)  # fmt: skip

OWN = "llm."
"""Settings that only the person's own file and environment may hold: a vault that is shared must not command them."""
_ID = re.compile(r"""^id[ \t]*=[ \t]*["']([\w-]+)["'][ \t]*$""", re.MULTILINE)
"""A vault's id, also in a file that is no TOML: what is derived must not be made anew elsewhere for a typo."""
_ON, _OFF = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})
_BY_NAME = {setting.name: setting for setting in TABLE}


class Config:
    """Values of all settings for one vault, each with the place it came from."""

    def __init__(
        self, values: Mapping[str, Value], origins: Mapping[str, str], problems: tuple[Problem, ...] = ()
    ) -> None:
        self._values = values
        self.origins = origins
        self.problems = problems
        """What has a fault, and counts for nothing."""

    def text(self, name: str) -> str:
        """Read a setting that is a text."""
        return str(self._values[name])

    def number(self, name: str) -> float:
        """Read a setting that is a number."""
        return float(self._values[name])

    def count(self, name: str) -> int:
        """Read a setting that is a whole number."""
        return int(self._values[name])

    def flag(self, name: str) -> bool:
        """Read a setting that is true or false."""
        return bool(self._values[name])

    def section(self, name: str) -> dict[str, Value]:
        """Gather the settings `name.…`, without that name."""
        return {row.name.partition(".")[2]: self._values[row.name] for row in TABLE if row.name.startswith(f"{name}.")}

    def rows(self) -> list[tuple[str, Value, str, str]]:
        """List name, value, origin and meaning of every setting."""
        return [(row.name, self._values[row.name], self.origins[row.name], row.meaning) for row in TABLE]


def find_vault(given: str | None = None, start: Path | None = None) -> Path:
    """Find the vault: as given, `MEMKIT_VAULT`, the nearest parent with `memkit.toml`, the person's own.

    Raise NoVaultError with what to do.
    """
    named = given or os.environ.get("MEMKIT_VAULT")
    if named:
        root = Path(named).expanduser()
        if not root.is_dir():
            raise NoVaultError(f"There is no folder {root}.", f"Make a vault there: memkit init {root}")
        if not (root / SETTINGS).is_file() and not (root / "cards").is_dir():
            raise NoVaultError(f"{root} is no vault: it has no {SETTINGS}.", f"Make it one: memkit init {root}")
        return root.resolve()
    for folder in _upwards(start):
        if (folder / SETTINGS).is_file():
            return folder
    pointer = places.config_base() / "vault"
    if pointer.is_file():
        root = Path(pointer.read_text(encoding="utf-8").strip()).expanduser()
        if root.is_dir():
            return root.resolve()
        raise NoVaultError(f"Your vault {root} is not there.", "Mount or restore it, or name another with --vault.")
    raise NoVaultError("No vault is here.", "Make one with `memkit init ~/memory`, or name one with --vault.")


def _upwards(start: Path | None) -> tuple[Path, ...]:
    """List a folder and its parents; none for a working folder that was deleted meanwhile."""
    try:
        here = (start or Path.cwd()).resolve()
    except OSError:
        return ()
    return (here, *here.parents)


def load(root: Path) -> Config:
    """Gather the settings of a vault; raise ConfigError with every fault found."""
    found = read(root)
    if found.problems:
        raise ConfigError(list(found.problems))
    return found


def read(root: Path) -> Config:
    """Gather the settings of a vault; where one has a fault, what is weaker holds: at last its default."""
    values: dict[str, Value] = {row.name: row.default for row in TABLE}
    origins = dict.fromkeys(values, "default")
    problems: list[Problem] = []
    for file in (root / SETTINGS, places.config_base() / "config.toml"):
        for name, value in _read(file, problems).items():
            values[name], origins[name] = value, str(file)
    for row in TABLE:
        variable = "MEMKIT_" + row.name.upper().replace(".", "_")
        given = os.environ.get(variable)
        if given is not None and row.name != "id":
            parsed = _convert(row, _literal(row, given), Problem(variable, 0, ""), problems)
            if parsed is not None:
                values[row.name], origins[row.name] = parsed, variable
    return Config(values, origins, tuple(problems))


class Live:
    """The settings of a vault while its files may be edited: faulty ones change nothing, and are told."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files = (root / SETTINGS, places.config_base() / "config.toml")
        self._read = self._stamps()
        self.first = read(root)
        self.problems = self.first.problems

    def is_edited(self) -> bool:
        """Tell whether a file is another than the one that was read; costs two looks at the disk."""
        now = self._stamps()
        return now != self._read and not (self._read[0] and not now[0])  # a vault that is away keeps its settings

    def renewed(self) -> Config | None:
        """Read files that were edited; None when none was, or one has faults, which then stand in `problems`."""
        if not self.is_edited():
            return None
        self._read = self._stamps()
        found = read(self._root)
        self.problems = found.problems
        return None if found.problems else found

    def _stamps(self) -> tuple[tuple[int, int, int] | None, ...]:
        return tuple(_stamp(file) for file in self._files)


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _switch(given: str) -> object:
    """Read a flag as people write it into an environment; what is none stays the text it is."""
    said = given.strip().casefold()
    return said in _ON if said in _ON | _OFF else given


def _literal(row: Setting, given: str) -> object:
    if isinstance(row.default, (str, bool)):
        return given if isinstance(row.default, str) else _switch(given)
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given


def _read(file: Path, problems: list[Problem]) -> dict[str, Value]:
    try:
        source = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        problems.append(Problem(str(file), 0, f"The settings can't be read ({error})."))
        return {}
    try:
        tables = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        problems.append(Problem(str(file), int(line.group(1)) if line else 0, f"This is no TOML: {error}."))
        named = _ID.search(source) if file.name == SETTINGS else None
        return {"id": named[1]} if named else {}
    found: dict[str, Value] = {}
    for name, value in _flatten(tables, ""):
        at = Problem(str(file), _line_of(source, name), "")
        row = _BY_NAME.get(name)
        if row is None:
            problems.append(at._replace(what=f"There is no setting '{name}'.", mend=_meant(name)))
            continue
        if name == "id" and file.name != SETTINGS:
            problems.append(at._replace(what="A vault's id stands in its own memkit.toml.", mend="Take it out here."))
            continue
        if name.startswith(OWN) and file.name == SETTINGS:
            own = places.config_base() / "config.toml"
            what = f"'{name}' can't stand in a vault, which travels: it runs programs and uses your keys."
            problems.append(at._replace(what=what, mend=f"Put it into {own}."))
            continue
        parsed = _convert(row, value, at, problems)
        if parsed is not None:
            found[name] = parsed
    return found


def _flatten(table: Mapping[str, object], prefix: str) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += _flatten(value, f"{prefix}{name}.")
        else:
            found.append((prefix + name, value))
    return found


def _meant(name: str) -> str:
    near = difflib.get_close_matches(name, _BY_NAME, 1, 0.7)
    return f"Did you mean '{near[0]}'?" if near else "`memkit config` lists them."


def _line_of(source: str, name: str) -> int:
    """Find the line that sets a name, in whichever way TOML allows: dotted, in its table, in an inline table."""
    table = ""
    for number, line in enumerate(source.splitlines(), 1):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        if header:
            table = _dotted(header[1]) + "."
        key = re.match(r"\s*([^=#\[]+?)\s*=", line)
        set_here = table + _dotted(key[1]) if key else ""
        if set_here and f"{name}.".startswith(f"{set_here}."):
            return number
    return 0


def _dotted(key: str) -> str:
    return re.sub(r"[\s\"']", "", key)


def _convert(row: Setting, value: object, at: Problem, problems: list[Problem]) -> Value | None:
    if isinstance(row.default, bool):
        good = isinstance(value, bool)
    elif isinstance(row.default, int):
        good = isinstance(value, int) and not isinstance(value, bool)
    elif isinstance(row.default, float):
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
    else:
        good = isinstance(value, str)
    if not good or not isinstance(value, (str, int, float, bool)):
        wanted = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[type(row.default)]
        problems.append(at._replace(what=f"'{row.name}' must be {wanted}, not {value!r}."))
        return None
    if row.choices and value not in row.choices:
        problems.append(at._replace(what=f"'{row.name}' must be one of {', '.join(row.choices)}, not {value!r}."))
        return None
    if not isinstance(value, (str, bool)) and not row.least <= value <= row.most:
        most = f" and at most {row.most:g}" if row.most < math.inf else ""
        problems.append(at._replace(what=f"'{row.name}' must be at least {row.least:g}{most}, not {value!r}."))
        return None
    return value
