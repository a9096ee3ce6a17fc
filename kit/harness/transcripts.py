"""The turns of a session, read from the lines of the client's own transcript.

Law: pure on lines; a row that is broken, unknown or half written is noise. Transcripts tell what hooks
don't: whether a turn was interrupted, and the whole answer of a turn in which the agent spoke more than
once.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from kit.harness.event import inner, key_of, mend, own_words, rows, word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Row = Mapping[str, object]

_INTERRUPTED = "[Request interrupted by user"
_MACHINE = (
    "<task-notification>",
    "<command-",
    "<local-command-",
    "<environment_context>",
    "<user_instructions>",
)


class TranscriptTurn(NamedTuple):
    """One turn as the client wrote it down."""

    turn: str
    """The client's key, the same as in its hooks; empty for clients without one."""
    text: str
    """What the person said; several messages are joined by an empty line."""
    answer: str
    """What the agent said, over all messages and blocks of the turn."""
    interrupted: bool = False
    ended: bool = False
    """The agent's last message was a last one: no tool call, no abort, no error."""
    time: datetime | None = None


class _Turns:
    """Turns being gathered, in order."""

    def __init__(self) -> None:
        self.found: list[TranscriptTurn] = []

    def at(self, key: str) -> int:
        """Find the turn with this key, or the newest when there is none."""
        places = [place for place, turn in enumerate(self.found) if key and turn.turn == key]
        return places[-1] if places else len(self.found) - 1

    def ask(self, key: str, text: str, row: Row) -> None:
        """Add the person's words; a key seen before means that they steer a running turn."""
        said = "" if text.startswith(_MACHINE) else text
        place = self.at(key)
        if key and self.found and self.found[place].turn == key:
            turn = self.found[place]
            self.found[place] = turn._replace(text=_joined(turn.text, said), ended=False)
        else:
            self.found.append(TranscriptTurn(key, said, "", time=_time(row)))

    def say(self, text: str, *, ended: bool, key: str = "") -> None:
        """Add the agent's words to a turn."""
        if self.found:
            place = self.at(key)
            turn = self.found[place]
            self.found[place] = turn._replace(answer=_joined(turn.answer, text), ended=ended)

    def mark(self, key: str = "", **marks: bool) -> None:
        """Set flags of a turn."""
        if self.found:
            place = self.at(key)
            self.found[place] = self.found[place]._replace(**marks)  # type: ignore[arg-type] # flags only


def turns(client: str, lines: Iterable[str]) -> list[TranscriptTurn]:
    """Read a transcript of `claude`, `codex`, `gemini`, `qwen`, `copilot` or `pi`; others have none."""
    gather = _READERS.get(client)
    into = _Turns()
    if gather is not None:
        gather(into, _rows(lines))
    return into.found


def _rows(lines: Iterable[str]) -> Iterator[dict[str, object]]:
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _joined(*texts: str) -> str:
    return "\n\n".join(text.strip() for text in texts if text.strip())


def _time(row: Row) -> datetime | None:
    try:
        found = datetime.fromisoformat(word(row, "timestamp"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _text(holder: Row, key: str = "content", kinds: tuple[str, ...] = ("text",)) -> str:
    """Join the texts of a message's content: a text, or a list of blocks."""
    blocks = [word(block, "text") for block in rows(holder, key) if block.get("type", "text") in kinds]
    return _joined(word(holder, key), *blocks)


def _claude(into: _Turns, found: Iterable[Row]) -> None:
    for row in found:
        message = inner(row, "message")
        if row.get("isSidechain") is True or row.get("isMeta") is True or row.get("isApiErrorMessage") is True:
            continue
        text = _text(message)
        key = key_of(row.get("promptId"))
        if row.get("type") == "user" and text.startswith(_INTERRUPTED):
            into.mark(key, interrupted=True, ended=False)
        elif row.get("type") == "user" and text:
            into.ask(key, text, row)
        elif row.get("type") == "assistant":
            into.say(text, ended=message.get("stop_reason") == "end_turn")


def _codex(into: _Turns, found: Iterable[Row]) -> None:
    running = ""
    for row in found:
        told = inner(row, "payload")
        meta = inner(told, "internal_chat_message_metadata_passthrough")
        running = key_of(told.get("turn_id")) or running
        key = key_of(meta.get("turn_id")) or running
        match told.get("type"), told.get("role"):
            case "message", "user":
                kinds = meta.get("content_item_kinds")
                text = _text(told, kinds=("input_text",))
                if (
                    text
                    and not text.startswith("<turn_aborted>")
                    and (not isinstance(kinds, list) or "user.text" in kinds)
                ):
                    into.ask(key, text, row)
            case "message", "assistant":
                into.say(_text(told, kinds=("output_text",)), ended=False, key=key)
            case "turn_aborted", _:
                into.mark(key, interrupted=True, ended=False)
            case "task_complete", _:
                into.mark(key, ended=True)


def _gemini(into: _Turns, found: Iterable[Row]) -> None:
    latest: dict[str, Row] = {}  # a row may be written again with the same id: the last one holds, in the first's place
    for row in found:
        if key := key_of(row.get("id")):
            latest[key] = row
    for row in latest.values():
        shown = "displayContent" if "displayContent" in row else "content"
        if row.get("type") == "user" and (text := own_words("gemini", _text(row, shown))):
            into.ask("", text, row)
        elif row.get("type") == "gemini":
            into.say(_text(row), ended=not row.get("toolCalls"))


def _qwen(into: _Turns, found: Iterable[Row]) -> None:
    for row in found:
        told, message = inner(row, "systemPayload"), inner(row, "message")
        parts = rows(message, "parts")
        if row.get("type") == "user" and row.get("provenance", "real_user") == "real_user":
            first = word(parts[0], "text") if parts else ""
            into.ask("", own_words("qwen", word(told, "displayText") or first), row)
        elif row.get("type") == "assistant":
            into.say(_text(message, "parts"), ended=not any("functionCall" in part for part in parts))
        elif into.found and not into.found[-1].turn:
            # No row of a prompt has the turn's key; the telemetry that follows it does.
            key = key_of(inner(told, "uiEvent").get("prompt_id"))
            into.found[-1] = into.found[-1]._replace(turn=key)


def _copilot(into: _Turns, found: Iterable[Row]) -> None:
    for row in found:
        data = inner(row, "data")
        if row.get("type") == "user.message":
            into.ask("", word(data, "content").strip(), row)
        elif row.get("type") == "assistant.message":
            into.say(word(data, "content"), ended=not data.get("toolRequests"))


def _pi(into: _Turns, found: Iterable[Row]) -> None:
    for row in found:
        message = inner(row, "message")
        if message.get("role") == "user":
            into.ask("", mend(_text(message)), row)
        elif message.get("role") == "assistant":
            stop = message.get("stopReason")
            into.say(_text(message), ended=stop == "stop")
            if stop == "aborted":
                into.mark(interrupted=True)


_READERS: Mapping[str, Callable[[_Turns, Iterable[Row]], None]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "qwen": _qwen,
    "copilot": _copilot,
    "pi": _pi,
}
