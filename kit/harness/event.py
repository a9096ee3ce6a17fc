"""What a harness tells us, as one value, and the pure rules that hold for every client.

Law: nothing here raises on what a client sends and nothing does I/O; whatever is not a person's own words
becomes an `ignore` that says why.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from kit.model.hits import FENCE_CLOSE, FENCE_OPEN

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["prompt", "answer", "start", "end", "interrupt", "failure", "compact", "ignore"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ACTS = KINDS[:-1]
"""The short names of events that the command line uses: `memkit hook <client> <one of these>`."""

SLASH = "a slash command, not words to remember"
NO_SESSION = "the payload names no session"
CHILD = "a sub-agent's, not the person's"
_ECHO = "our own recalled notes came back as a prompt"
_MACHINE = "written by the client, not by the person"

LARGEST = 8_000_000
"""Characters of one prompt or answer; pastes of 500 KB are real, this is not."""
_LONGEST_ID = 512

_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*(?:\s|$)")  # `/greet Bob`, but not `/etc/hosts is odd`
_MACHINE_OPENINGS = ("<task-notification>", "<command-name>", "<command-message>", "<local-command-")
_HOOK_CONTEXT = re.compile(r"(?:\s*<hook_context>.*?</hook_context>)+", re.DOTALL)
_FILES = "--- Content from referenced files ---"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)++)"', re.DOTALL)


class HookEvent(NamedTuple):
    """One thing that happened in a client, in our words."""

    kind: Kind
    harness: str
    session: str = ""
    turn: str = ""
    """The client's key of the turn; empty where the client has none."""
    text: str = ""
    """What the person typed, without what clients and other hooks put around it. On an answer: the prompt
    it belongs to, where the client says it."""
    answer: str = ""
    cwd: str = ""
    transcript: str = ""
    source: str = ""
    """Why a session started, ended, or was compacted."""
    error: str = ""
    why: str = ""
    """For `ignore`: the reason, one phrase for the log."""
    stop_active: bool = False
    """The client goes on because a Stop hook asked for it: more answers of this turn follow."""

    def forgets(self) -> bool:
        """Tell whether the client's context no longer holds what was injected into this session before."""
        return self.kind == "compact" or (self.kind == "start" and self.source == "clear")


class Limit(NamedTuple):
    """How much text a client takes whole; beyond it the client cuts, spills to a file, or drops.

    A text of no more UTF-8 bytes than `size` is within it, whatever the unit.
    """

    size: int
    unit: Literal["utf8", "utf16"] = "utf8"

    def of(self, text: str) -> int:
        """Measure a text in this limit's unit."""
        return len(text.encode("utf-8")) if self.unit == "utf8" else len(text.encode("utf-16-le")) // 2


SAFE = Limit(8_000)
"""What every client measured takes whole."""


def parse(raw: bytes) -> dict[str, object]:
    """Read a payload's bytes; anything but a JSON object is an empty payload."""
    try:
        found = json.loads(raw.decode("utf-8-sig", errors="replace"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def mend(text: str) -> str:
    """Replace lone surrogates, which no file can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def word(payload: Mapping[str, object], key: str) -> str:
    """Take a text out of a payload; anything else there is an empty text."""
    found = payload.get(key)
    return mend(found) if isinstance(found, str) else ""


def inner(payload: Mapping[str, object], key: str) -> dict[str, object]:
    """Take an object out of a payload; anything else there is an empty object."""
    found = payload.get(key)
    return found if isinstance(found, dict) else {}


def rows(payload: Mapping[str, object], key: str) -> list[dict[str, object]]:
    """Take the objects of a list out of a payload."""
    found = payload.get(key)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def said_in(message: Mapping[str, object], key: str = "content") -> str:
    """Join the texts of a message: a list of blocks, or plain text under `key` or `text`."""
    texts = [word(part, "text") for part in rows(message, key) if part.get("type") == "text"]
    return "\n\n".join(filter(None, texts)) or word(message, key) or word(message, "text")


def key_of(value: object) -> str:
    """Take an id; one that is no short printable text or number is no id."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**18 else ""
    return value if isinstance(value, str) and len(value) <= _LONGEST_ID and value.isprintable() else ""


def bow_out(env: Mapping[str, str]) -> str:
    """Say why the kit must stay out of this call altogether, or nothing."""
    if env.get("MEMKIT_OFF", "").strip().casefold() not in {"", "0", "false", "no", "off"}:
        return "MEMKIT_OFF is set"
    if env.get("MEMKIT_HOOK_DEPTH", "").strip() not in {"", "0"}:
        return "a client that a hook of ours started (MEMKIT_HOOK_DEPTH)"
    return ""


def begin(
    harness: str,
    event: str,
    env: Mapping[str, str],
    events: Mapping[str, str],
    *,
    said: object,
    session: object,
) -> HookEvent:
    """Open the event the command line announced, or an `ignore` with the reason.

    `said` is the event's name in the payload (None where the client sends none), `session` the raw id.
    """
    kind: Kind = next((kind for kind in KINDS if kind == event and kind in events), "ignore")
    seen = HookEvent(kind, harness, session=key_of(session) if isinstance(session, str) else "")
    if why := bow_out(env):
        return ignored(seen, why)
    if kind == "ignore":
        return ignored(seen, f"{harness} has no event {event[:40]!r} that is used here")
    if said is not None and said != events[kind]:
        return ignored(seen, f"the payload is no {events[kind]}")
    return seen if seen.session else ignored(seen, NO_SESSION)


def ignored(seen: HookEvent, why: str) -> HookEvent:
    """Turn an event into one that leads to nothing; session and turn stay, text and answer don't."""
    return seen._replace(kind="ignore", why=why, text="", answer="", error="", source="")


def heard(seen: HookEvent, said: str) -> HookEvent:
    """Finish a prompt event with the person's own words, or ignore it when there are none."""
    if seen.kind != "prompt":
        return seen
    text = own_words(seen.harness, said)
    why = not_a_person(text)
    return ignored(seen, why) if why else seen._replace(text=text)


def answered(seen: HookEvent, said: object, prompt: str = "") -> HookEvent:
    """Finish an answer event; a client may send null where the answer lies in its transcript only."""
    if seen.kind != "answer":
        return seen
    if not (said is None or isinstance(said, str)):
        return ignored(seen, "the answer is no text")
    if said and len(said) > LARGEST:
        return ignored(seen, "the answer is too large to be one")
    return seen._replace(answer=mend(said or "").strip(), text=own_words(seen.harness, prompt))


def own_words(harness: str, said: str) -> str:
    """Strip what this client adds to a prompt: another hook's context, the text of `@file`s, quotes."""
    text = said
    if harness in {"gemini", "qwen"}:
        found = _HOOK_CONTEXT.match(text)
        text = text[found.end() if found else 0 :].partition(_FILES)[0]
    if harness == "opencode" and (quoted := _QUOTED.fullmatch(text.strip())):
        text = quoted[1].replace('\\"', '"')
    return text.strip()


def not_a_person(text: str) -> str:
    """Say why a prompt is not a person's words, or nothing."""
    if not text:
        return "the prompt is empty"
    if len(text) > LARGEST:
        return "the prompt is too large to be one"
    if text.startswith(FENCE_OPEN):
        return _ECHO
    if text.startswith(_MACHINE_OPENINGS):
        return _MACHINE
    return SLASH if _COMMAND.match(text) else ""


def fit(context: str, limit: Limit) -> str:
    """Shorten a context to a limit by leaving out whole lines before the last one, which closes our fence."""
    if limit.of(context) <= limit.size:
        return context
    *lines, last = context.rstrip("\n").split("\n")
    room = limit.size - limit.of(last)
    kept: list[str] = []
    for line in lines:
        room -= limit.of(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, last]) if kept else ""


def plain(context: str, limit: Limit) -> bytes:
    """Render plain text; it never begins like JSON, which some clients would try to parse."""
    text = mend(context)
    if text.lstrip().startswith(("[", "{")):
        text = f"{FENCE_OPEN}\n{text}\n{FENCE_CLOSE}"
    return fit(text, limit).encode("utf-8") if text.strip() else b""


def jsonic(value: Mapping[str, object]) -> bytes:
    """Render a reply as compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def hook_output(event: str, context: str, events: Mapping[str, str], limit: Limit) -> bytes:
    """Render the reply that Claude Code defined and others took over, for events that carry context."""
    text = fit(mend(context), limit)
    if event not in {"prompt", "start"} or event not in events or not text.strip():
        return b""
    return jsonic({"hookSpecificOutput": {"hookEventName": events[event], "additionalContext": text}})
