"""Our handlers in a file that holds the person's own hooks: put in, found again, taken out.

Law: pure; ours come last, so that a client that knows hooks by their position (Codex) keeps trusting the others.
A known handler is replaced where it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit.installing import commands, document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

HOOKS = "hooks"
FLAT = frozenset({"cursor"})
"""Clients whose events hold handlers; elsewhere they hold groups of handlers."""
VERSIONED = frozenset({"cursor"})


class Place(NamedTuple):
    """Where one of our handlers stands: the containers around it with their numbers in them, outermost first."""

    event: str
    at: int
    steps: tuple[tuple[int, int], ...]
    """Start of a list or object, and the number of the part in it."""
    group: int = -1
    """The number of its group, or of the handler itself where there are no groups."""
    handler: int = 0


def put_in(text: str, client: str, handlers: Mapping[str, commands.Handler], path: Path) -> str:
    """Have the file hold exactly these handlers of ours, each event's last."""
    check(text, client, path)
    if client in VERSIONED and document.member(text, document.root(text), "version", path) is None:
        text = document.append(text, document.root(text), 1, "version")
    if document.member(text, document.root(text), HOOKS, path) is None:
        whole = {event: [_wrapped(client, handler)] for event, handler in handlers.items()}
        return document.append(text, document.root(text), whole, HOOKS)
    for event in _events(text, path):
        if event not in handlers:
            text = _take_out(text, client, path, event, keep=0)
    for event, handler in handlers.items():
        text = _put_event(text, client, event, handler, path)
    return text


def take_out(text: str, client: str, path: Path) -> str:
    """Remove our handlers, and the groups, events and `hooks` that they alone filled."""
    check(text, client, path)
    for event in _events(text, path):
        text = _take_out(text, client, path, event, keep=0)
    return text


def ours(text: str, client: str, path: Path) -> list[tuple[str, int, int, object]]:
    """List our handlers: event, number of the group, number in the group, the handler itself."""
    check(text, client, path)
    return [(it.event, it.group, it.handler, document.value(text, it.at)) for it in _places(text, client, path)]


def check(text: str, client: str, path: Path) -> None:
    """Refuse a file whose hooks have an odd shape: a client may drop the whole file for it."""
    held = document.member(text, document.root(text), HOOKS, path)
    if held is None:
        return
    if text[held.value] != "{":
        document.refuse(path, f"'{HOOKS}' is no object.")
    seen: set[str | None] = set()
    for event in document.parts(text, held.value):
        if event.key in seen:
            document.refuse(path, f"'{event.key}' stands twice under '{HOOKS}'.")
        seen.add(event.key)
        entries = document.value(text, event.value)
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            document.refuse(path, f"'{HOOKS}.{event.key}' is no list of objects.")
        if client in FLAT:
            continue
        for entry in entries:
            held_by = entry.get(HOOKS)
            if not isinstance(held_by, list) or not all(isinstance(handler, dict) for handler in held_by):
                document.refuse(path, f"A group under '{HOOKS}.{event.key}' has no list '{HOOKS}' of objects.")


def _wrapped(client: str, handler: commands.Handler) -> object:
    return handler if client in FLAT else {HOOKS: [handler]}


def _events(text: str, path: Path) -> list[str]:
    held = document.member(text, document.root(text), HOOKS, path)
    return [part.key or "" for part in document.parts(text, held.value)] if held else []


def _places(text: str, client: str, path: Path, only: str | None = None) -> Iterator[Place]:
    top = document.root(text)
    for number, part in enumerate(document.parts(text, top)):
        if part.key != HOOKS:
            continue
        for nth, event in enumerate(document.parts(text, part.value)):
            if only in (None, event.key):
                steps = ((top, number), (part.value, nth))
                yield from _places_of(text, client, path, Place(event.key or "", event.value, steps))


def _places_of(text: str, client: str, path: Path, event: Place) -> Iterator[Place]:
    for number, entry in enumerate(document.parts(text, event.at)):
        steps = (*event.steps, (event.at, number))
        if client in FLAT:
            found = [Place(event.event, entry.value, steps, number)]
        else:
            group = document.member(text, entry.value, HOOKS, path)
            inner = group.value if group else entry.value
            nth = next((n for n, part in enumerate(document.parts(text, entry.value)) if part.key == HOOKS), 0)
            found = [
                Place(event.event, handler.value, (*steps, (entry.value, nth), (inner, place)), number, place)
                for place, handler in enumerate(document.parts(text, inner))
            ]
        for place in found:
            handler = document.value(text, place.at)
            if isinstance(handler, dict) and commands.is_ours(handler.get("command"), client):
                yield place


def _put_event(text: str, client: str, event: str, handler: commands.Handler, path: Path) -> str:
    text = _take_out(text, client, path, event, keep=1)
    found = next(_places(text, client, path, event), None)
    if found:
        same = document.value(text, found.at) == handler
        return text if same else document.put(text, found.at, handler)
    held = document.member(text, document.root(text), HOOKS, path)
    if held is None:
        return document.append(text, document.root(text), {event: [_wrapped(client, handler)]}, HOOKS)
    at = document.member(text, held.value, event, path)
    if at is None:
        return document.append(text, held.value, [_wrapped(client, handler)], event)
    return document.append(text, at.value, _wrapped(client, handler))


def _take_out(text: str, client: str, path: Path, event: str, *, keep: int) -> str:
    """Remove our handlers of an event from the last on, until so many are left."""
    while len(found := list(_places(text, client, path, event))) > keep:
        text = _without(text, found[-1])
    return text


def _without(text: str, place: Place) -> str:
    """Remove one handler, and outwards whatever it alone filled; `hooks` in a group is the group's whole point."""
    *outer, (at, number) = place.steps
    while len(document.parts(text, at)) == 1 and outer:
        at, number = outer.pop()
        if text[at] == "{" and outer and text[outer[-1][0]] == "[":
            at, number = outer.pop()  # a group goes with its handlers, whatever matcher it has
    return document.remove(text, at, number)
