"""What coding agents remember by themselves: their memory files, and the transcripts of their sessions.

Of a transcript only the person's words and the agent's answers are read; sub-agents, tools and what clients put in
are left out. What a person plainly states in one becomes a fact, as old as it is.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.digest import statements as digest
from kit.errors import Problem
from kit.harness.event import inner, not_a_person, own_words, word
from kit.harness.transcripts import turns
from kit.places import project_of
from kit.transfer.likes import Like, sayings
from kit.transfer.memory_file import statements
from kit.transfer.pieces import Aside, Saying, Turn, mark
from kit.transfer.reading import saved_at, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from kit.transfer.pieces import Reading
    from kit.vault.note import Value


class Client(NamedTuple):
    """Where a client keeps what it remembers."""

    home: str
    memories: tuple[str, ...]
    """names of its memory files"""
    sessions: tuple[str, ...]
    """patterns of its transcripts, below its home"""
    notes: tuple[str, ...] = ()
    """patterns of notes it writes by itself, below its home"""


CLIENTS = {
    "claude": Client(
        ".claude", ("CLAUDE.md", "CLAUDE.local.md", "MEMORY.md"), ("projects/*/*.jsonl",), ("projects/*/memory/*.md",)
    ),
    "codex": Client(
        ".codex", ("AGENTS.md", "AGENTS.override.md"),
        ("sessions/**/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl"), ("memories/*.md",),
    ),
    "gemini": Client(".gemini", ("GEMINI.md",), ("tmp/*/chats/*.jsonl",)),
    "qwen": Client(".qwen", ("QWEN.md",), ("projects/*/chats/*.jsonl",)),
    "copilot": Client(".copilot", ("AGENTS.md", "copilot-instructions.md"), ("session-state/*/events.jsonl",)),
    "pi": Client(".pi", ("AGENTS.md",), ("agent/sessions/*/*.jsonl",)),
}  # fmt: skip
_SESSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_FIRST_LINES = 40
"""Lines of a transcript that are looked at for the folder and the session it belongs to."""
_FRONT = re.compile(r"---\s*\n(.*?)\n---\s*\n", re.DOTALL)
_STATED = 0.8


def fits(name: str, source: Path) -> bool:
    """Tell whether a source is something this client wrote."""
    client = CLIENTS[name]
    if source.is_file():
        return source.name in client.memories or (source.suffix == ".jsonl" and bool(_turns_in(name, source)))
    return bool(_memories(client, source) or _sessions(client, source))


def read(name: str, source: Path) -> Reading:
    """Read memory files, then the sessions by time, then what was stated in them."""
    client = CLIENTS[name]
    if source.is_file() and source.suffix != ".jsonl":
        yield from _memory(name, source, source.name, _project(source.parent, client))
        return
    for file in _memories(client, source) if source.is_dir() else ():
        where = file.relative_to(source).as_posix() if file.is_relative_to(source) else file.name
        yield from _memory(name, file, where, _project_of_note(name, file, client))
    likes: list[Like] = []
    files = [source] if source.is_file() else _sessions(client, source)
    for file in sorted(files, key=lambda each: (saved_at(each), each.name)):
        where = file.relative_to(source).as_posix() if file != source else file.name
        yield from _session(name, file, where, likes)
    yield from sayings(name, likes)


def _homes(client: Client, source: Path) -> tuple[Path, ...]:
    return (source, source / client.home)


def _memories(client: Client, source: Path) -> list[Path]:
    found: dict[Path, None] = {}
    for folder in _homes(client, source):
        found.update(dict.fromkeys(folder / name for name in client.memories if (folder / name).is_file()))
        for pattern in client.notes:
            found.update(dict.fromkeys(sorted(folder.glob(pattern))))
    return list(found)


def _sessions(client: Client, source: Path) -> list[Path]:
    found: dict[Path, None] = {}
    for folder in _homes(client, source):
        for pattern in client.sessions:
            found.update(dict.fromkeys(sorted(folder.glob(pattern))))
    return list(found)


def _project(folder: Path, client: Client) -> str:
    """Name the project a memory file holds for; none for the one in the client's own home, which holds everywhere."""
    if folder.name == client.home:
        is_own = (
            any(True for pattern in client.sessions for _ in folder.glob(pattern)) or folder.parent == folder.home()
        )
        return "" if is_own else project_of(str(folder.parent))
    return project_of(str(folder))


def _project_of_note(name: str, file: Path, client: Client) -> str:
    """Name the project of a note a client wrote: the one whose transcripts lie beside it."""
    if file.name in client.memories and file.parent.name != "memory":
        return _project(file.parent, client)
    beside = sorted(file.parent.parent.glob("*.jsonl")) if name == "claude" else []
    return next((project for each in beside if (project := project_of(_origin(each)[0]))), "")


def _memory(name: str, file: Path, where: str, project: str) -> Reading:
    content = text_of(file, where)
    if isinstance(content, Problem):
        yield content
        return
    front = _FRONT.match(content)
    body = content[front.end() :] if front else content
    skipped = content[: len(content) - len(body)].count("\n")
    at, found = saved_at(file), statements(body)
    for stated in found:
        origin, section = (
            f"{name}:memory:{project}:{mark(each)}" for each in (stated.section or stated.says, stated.within)
        )
        keys: dict[str, Value | None] = {"project": project or None}
        if stated.section:
            above = f"{stated.heading}\n\n" if stated.heading else ""
            says = text.first_sentence(stated.says)
            keys |= {"harness": name, "source": f"{where}:{stated.line + skipped}"}
            yield Turn(origin, at, says=says, body=f"{above}{stated.section}", ended=at, keys=keys, own_tags=False)
        else:
            keys |= {"confidence": _STATED, "source": f"{where}:{stated.line + skipped}"}
            sources = (section,) if stated.within else ()
            yield Saying(origin, at, stated.says, keys, sources=sources, about=stated.heading)
    if not found:
        yield Aside(where, "it states nothing")


def _session(name: str, file: Path, where: str, likes: list[Like]) -> Iterator[Turn | Problem | Aside]:
    content = text_of(file, where)
    if isinstance(content, Problem):
        yield content
        return
    lines = content.split("\n")
    yield from _broken(lines, where)
    cwd, session = _origin(file)
    project, left = project_of(cwd), 0
    for place, turn in enumerate(turns(name, lines)):
        said = own_words(name, turn.text)
        if not_a_person(said):
            left += 1
            continue
        at = turn.time.astimezone().replace(microsecond=0) if turn.time else saved_at(file)
        origin = f"{name}:{session}:{turn.turn or place}"
        done = bool(turn.answer) and not turn.interrupted
        keys: dict[str, Value | None] = {
            "status": "completed" if done else "interrupted", "topic": session, "project": project or None,
            "harness": name, "turn": turn.turn or None,
        }  # fmt: skip
        yield Turn(origin, at, said, turn.answer, ended=at, keys=keys, own_tags=False, hooked=True)
        likes += _stated(said, turn.answer, at, origin, project)
    if left:
        yield Aside(where, f"{left} commands and messages of the client itself")


def _stated(said: str, answer: str, at: datetime, origin: str, project: str) -> Iterator[Like]:
    for one in digest.statements(said, answer):
        own = project if one.category == "business" else ""
        key = one.key or one.text
        yield Like(at, key, one.value, one.confidence, one.scenes, origin, one.text, one.category, own)


def _broken(lines: list[str], where: str) -> Iterator[Problem]:
    """Tell of lines that are no JSON; the last one may just be being written."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                json.loads(line)
            except (ValueError, RecursionError):
                yield Problem(where, number, "This line is no JSON.", "It was skipped.")


def _origin(file: Path) -> tuple[str, str]:
    """Tell a transcript's working folder and session, by its first lines, else by its name."""
    cwd, session = "", ""
    content = text_of(file, file.name)
    for line in (content if isinstance(content, str) else "").split("\n", _FIRST_LINES)[:_FIRST_LINES]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            places = (row, inner(row, "payload"), inner(row, "data"), inner(inner(row, "data"), "context"))
            cwd = cwd or next(filter(None, (word(each, "cwd") for each in places)), "")
            session = session or word(row, "sessionId") or word(row, "session_id")
    if not session:
        named = _SESSION.search(file.stem) or _SESSION.search(file.parent.name)
        session = named[0] if named else file.parent.name if file.stem == "events" else file.stem
    return cwd, session


def _turns_in(name: str, file: Path) -> list[object]:
    content = text_of(file, file.name)
    return list(turns(name, content.split("\n"))) if isinstance(content, str) else []
