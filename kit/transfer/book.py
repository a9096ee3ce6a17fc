"""The vault as clean Markdown that any viewer shows: one page a conversation, links that work, no ids.

Law: reads only. What Obsidian alone understands (wikilinks) becomes plain links, or plain words where nothing is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import quote

from kit import text
from kit.errors import BadNoteError, KitError, Problem
from kit.model.notes import Card, Fact, Note, Plain, Summary, Tag
from kit.vault import exchange, note, plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from kit.govern.hand import Hand

INDEX = "README.md"
_LINK = re.compile(r"(!?)\[\[([^\[\]|#^]+)(?:[#^][^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_FOLDERS = {"card": "cards", "fact": "facts", "summary": "summaries", "tag": "tags", "note": "notes"}
_TITLES = {"cards": "Conversations", "facts": "Facts", "summaries": "Summaries", "tags": "Tags", "notes": "Notes"}
_SHORT = 80
_SEED = "seed"


Step: TypeAlias = "tuple[str, str] | Problem | None"
END = ("", "")
"""What no page is."""


class _Page(NamedTuple):
    """One page to be written."""

    path: str
    """where it will be"""
    source: str
    """the note's path in the vault"""
    title: str
    day: str
    kind: str
    tags: tuple[str, ...] = ()
    group: str = ""


def pages(hand: Hand, now: datetime) -> Iterator[Step]:
    """Write every page: path and content; what can't be read is told. None: a moment in which others may go on."""
    shelf = _Shelf(hand)
    yield from shelf.gather()
    for page in shelf.told():
        try:
            yield page.path, shelf.write(page)
        except (KitError, OSError) as error:
            yield Problem(page.source, 0, error.what if isinstance(error, KitError) else str(error), "It was left out.")
    yield INDEX, shelf.index(now)


class _Shelf:
    """The pages of one vault, and how links lead from one to another."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self.pages: list[_Page] = []
        self._at: dict[str, str] = {}
        """page by the path of the note it is made of"""
        self._titles: dict[str, str] = {}
        self._borne: dict[str, list[_Page]] = {}
        self._taken: set[str] = set()

    def gather(self) -> Iterator[Problem | None]:
        """Choose a place for every page."""
        for path, entry in sorted(self._hand.index.catalog.entries().items()):
            if entry.kind in ("event", "overview", "scene"):
                continue
            try:
                self._add(path, self._load(path))
                yield None
            except BadNoteError as error:
                yield error.problem
            except KitError as error:
                yield Problem(path, 0, error.what, "It was left out.")

    def told(self) -> list[_Page]:
        """Leave out the tags that came with the vault and that nothing bears; list the pages that stay."""
        borne = self._bearing()
        self.pages = [page for page in self.pages if page.group != _SEED or text.key(page.title) in borne]
        return self.pages

    def _load(self, path: str) -> Note:
        raw, _ = self._hand.store.read(path)
        name = path.rsplit("/", 1)[-1].removesuffix(".md")
        return note.parse(raw, path, fallback_name=name) or plain.read(raw, path)

    def _add(self, path: str, found: Note) -> None:
        if isinstance(found, Card) and found.status == "pending":
            return
        title = _title(found, path)
        day = f"{found.created:%Y-%m-%d}" if found.created else ""
        folder = _FOLDERS[found.kind]
        if isinstance(found, Plain):
            place = f"{folder}/{path}"
        else:
            month = f"{day[:7]}/" if isinstance(found, Card) and day else ""
            dated = f"{day} " if isinstance(found, Card) and day else ""
            place = f"{folder}/{month}{dated}{text.file_name(title[:_SHORT]) or found.kind}.md"
        stem, number = place.removesuffix(".md"), 1
        while text.fold(place) in self._taken:
            number += 1
            place = f"{stem} {number}.md"
        self._taken.add(text.fold(place))
        self._at[path], self._titles[place] = place, title
        tags = getattr(found, "tags", ())
        group = found.category if isinstance(found, Fact) else day[:7] if isinstance(found, Card) else ""
        group = _SEED if isinstance(found, Tag) and found.source == "system" else group
        self.pages.append(_Page(place, path, title, day, found.kind, tags, group))
        if isinstance(found, Card):
            for link in (found.event, found.overview):
                if part := self._hand.linked(link):
                    self._at[part.path] = place

    def write(self, page: _Page) -> str:
        """Write one page."""
        found = self._load(page.source)
        head: dict[str, str | tuple[str, ...]] = {"title": page.title, "date": page.day, "tags": page.tags}
        front = "".join(_property(key, value) for key, value in head.items() if value)
        return f"---\n{front}---\n\n# {page.title}\n\n{self._text(found, page)}".rstrip() + "\n"

    def _text(self, found: Note, page: _Page) -> str:
        body = self._linked(found.body.replace("\r\n", "\n").strip(), page.path)
        if isinstance(found, Card):
            return self._card(found, body)
        if isinstance(found, Fact):
            known = [f"*{found.category}*", f"in {', '.join(found.scenes)}" if found.scenes else "", found.project]
            sources = [self._link(source, page.path) for source in found.sources]
            learned = f"\n\nLearned from: {', '.join(filter(None, sources))}" if any(sources) else ""
            return f"{body}\n\n{' · '.join(filter(None, known))}{learned}"
        if isinstance(found, Summary):
            cards = [self._link(card, page.path) for card in found.cards]
            listed = "\n".join(f"- {each}" for each in cards if each)
            return f"{body}\n\n## Conversations\n\n{listed}" if listed else body
        if isinstance(found, Tag):
            return self._tag(found, body, page)
        return _without_title(body, page.title)

    def _card(self, card: Card, body: str) -> str:
        parts = [body]
        about = [f"{card.created:%Y-%m-%d %H:%M}" if card.created else "", card.project, card.scene, card.status]
        parts.append("*" + " · ".join(each for each in about if each and each != "completed") + "*")
        if overview := self._body(card.overview):
            parts.append(f"## Overview\n\n{overview.strip()}")
        said = exchange.read(self._body(card.event))
        if said.user:
            parts.append(f"## Asked\n\n{said.user}")
        if said.agent:
            parts.append(f"## Answered\n\n{said.agent}")
        return "\n\n".join(part for part in parts if part.strip("*"))

    def _tag(self, tag: Tag, body: str, page: _Page) -> str:
        parts = ["; ".join(tag.definitions), f"Also: {', '.join(tag.aliases)}" if tag.aliases else "", body]
        for level in ("synonym", "related", "loose"):
            links = [self._link(each, page.path) for each in getattr(tag, level)]
            parts.append(f"{level.capitalize()}: {', '.join(filter(None, links))}" if any(links) else "")
        bearing = self._bearing().get(text.key(tag.name), [])
        parts.append("\n".join(f"- {_md_link(each.title, each.path, page.path)}" for each in bearing))
        return "\n\n".join(filter(None, parts))

    def _bearing(self) -> dict[str, list[_Page]]:
        """List the pages by tag; made once."""
        if not self._borne:
            for page in self.pages:
                for word in page.tags:
                    self._borne.setdefault(text.key(word), []).append(page)
        return self._borne

    def _body(self, link: str) -> str:
        entry = self._hand.linked(link)
        try:
            return self._load(entry.path).body if entry else ""
        except KitError:
            return ""

    def _link(self, target: str, here: str) -> str:
        """Write a link to the page a note became; '' when it has none."""
        entry = self._hand.linked(target)
        place = self._at.get(entry.path) if entry else None
        return _md_link(self._titles[place], place, here) if place else ""

    def _linked(self, body: str, here: str) -> str:
        """Turn wikilinks into plain ones."""

        def plainly(found: re.Match[str]) -> str:
            shown = found[3] or found[2].rsplit("/", 1)[-1]
            entry = self._hand.linked(found[2].strip())
            place = self._at.get(entry.path) if entry else None
            return _md_link(shown, place, here) if place else shown

        return _LINK.sub(plainly, body)

    def index(self, now: datetime) -> str:
        """Write the first page: everything there is, by kind."""
        lines = [f"# Memory, {now:%Y-%m-%d}", ""]
        for folder, title in _TITLES.items():
            found = [page for page in self.pages if page.path.startswith(f"{folder}/")]
            if not found:
                continue
            lines += [f"## {title}", ""]
            newest = folder == "cards"
            found.sort(key=lambda page: (page.group, page.day, page.title), reverse=newest)
            last = ""
            for page in found:
                if page.group not in (last, _SEED):
                    last = page.group
                    lines += ["", f"### {page.group.capitalize()}", ""]
                day = f"{page.day} " if page.day and newest else ""
                lines.append(f"- {day}{_md_link(page.title, page.path, INDEX)}")
            lines.append("")
        return "\n".join(lines) + "\n"


def _title(found: Note, path: str) -> str:
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    if isinstance(found, Plain):
        return found.title
    if isinstance(found, Card) and found.id not in name:  # a note that its owner gave a name
        return str(getattr(found, "title", "") or name)
    if isinstance(found, Tag):
        return found.name or name
    if isinstance(found, Summary) and found.title:
        return found.title
    first = text.first_sentence(note.first_paragraph(found.body), _SHORT).rstrip(".。")
    return first or name


def _property(key: str, value: str | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return f"{key}:\n" + "".join(f"  - '{_quoted(each)}'\n" for each in value)
    return f"{key}: '{_quoted(value)}'\n" if key == "title" else f"{key}: {value}\n"


def _quoted(value: str) -> str:
    return value.replace("'", "''")


def _md_link(shown: str, place: str, here: str) -> str:
    """Write a relative link, with what a path may not hold in a link escaped."""
    up, target = here.split("/")[:-1], place.split("/")
    while up and len(target) > 1 and up[0] == target[0]:
        up, target = up[1:], target[1:]
    label = shown.replace("[", "\\[").replace("]", "\\]")
    return f"[{label}]({quote('/'.join(['..'] * len(up) + target))})"


def _without_title(body: str, title: str) -> str:
    first, _, rest = body.partition("\n")
    return rest.lstrip("\n") if first.lstrip("# ").strip() == title and first.startswith("#") else body
