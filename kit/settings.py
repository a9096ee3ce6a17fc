"""One table of settings: name, type, default, one sentence; and what of a file or a variable is a value of one.

Law: all problems of a file are told at once, with their lines.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from typing import TYPE_CHECKING, NamedTuple

from kit import places
from kit.errors import Problem
from kit.vault.layout import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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


def read_variable(row: Setting, variable: str, given: str, problems: list[Problem]) -> Value | None:
    """Read a setting from an environment variable; None where it has a fault, which is added to `problems`."""
    return _convert(row, _literal(row, given), Problem(variable, 0, ""), problems)


def read_file(file: Path, problems: list[Problem]) -> dict[str, Value]:
    """Read the settings that a file gives; faults are added to `problems` and give nothing."""
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
