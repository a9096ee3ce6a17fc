"""What is in a vault, laid out in rows: book, features, tags, scenes, facts, problems, status.

Law: reads only; every row can be grepped.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from kit import places
from kit.errors import BadNoteError, NotFoundError, Problem
from kit.govern import links
from kit.harness import registry
from kit.index.pool import IMPLICIT
from kit.model.notes import Fact
from kit.model.rows import SceneRow, TagRow
from kit.vault import layout, note

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.govern.hand import Hand
    from kit.index.catalog import Entry
    from kit.index.reflection import Index
    from kit.reconcile import Report
    from kit.vault import journal

_HEAD = 200
"""Bytes of a hook's call that are read to learn whose it is; its first line is shorter."""


class BookRow(NamedTuple):
    """One line of the password book."""

    dimension: str
    term: str
    code: str
    uses: int
    cards: tuple[str, ...]


class FeatureRow(NamedTuple):
    """One line of the feature stats."""

    id: str
    path: str
    terms: tuple[str, ...]


class FactRow(NamedTuple):
    """One fact."""

    id: str
    category: str
    confidence: float
    key: str
    says: str
    path: str


def book(index: Index, dimension: str = "") -> list[BookRow]:
    """List each term and the ids of the cards that bear it."""
    ids = {entry.num: entry.id for entry in index.catalog.entries().values()}
    found: dict[str, list[str]] = {}
    for term, num in index.postings.rows():
        found.setdefault(term, []).append(ids.get(num, ""))
    rows = []
    for term, cards in found.items():
        side, _, key = term.partition(":")
        if not dimension or side == dimension:
            code = index.pool.code_of(key) if side == "tag" else term
            rows.append(BookRow(side, key, code, len(cards), tuple(sorted(cards))))
    return rows


def features(index: Index, only: Entry | None = None) -> list[FeatureRow]:
    """List each card or fact and the terms it bears, by path."""
    entries = [only] if only else index.catalog.entries().values()
    known = index.features.rows()
    rows = [
        FeatureRow(entry.id, entry.path, tuple(index.postings.terms_of(entry.num)))
        for entry in entries
        if entry.num in known
    ]
    return sorted(rows, key=lambda row: row.path)


def tags(index: Index) -> list[TagRow]:
    """List the tags, and the words on cards that no tag note claims, as unexamined."""
    rows: list[TagRow] = []
    for held in index.pool.tags():
        cards = {num for key in index.pool.keys(held.code) for num in index.postings.cards(f"tag:{key}")}
        tag = held.tag
        rows.append(TagRow(held.code, tag.name, tag.status, len(cards), tag.aliases, held.path))
    for term, count in index.postings.frequencies().items():
        side, _, key = term.partition(":")
        if side == "tag" and index.pool.claimant(key) is None:
            rows.append(TagRow(f"{IMPLICIT}{key}", key, "unexamined", count, (), ""))
    return sorted(rows, key=lambda row: (row.path == "", row.name))


def scenes(index: Index) -> list[SceneRow]:
    """List the scenes with how many cards stand in each."""
    rows = []
    for held in index.pool.scenes():
        main, _, sub = held.path.removeprefix("scenes/").removesuffix(".md").partition("/")
        term = f"scene:{main}/{sub}" if sub else f"scene:{main}"
        rows.append(SceneRow(main, sub, index.postings.df(term.replace("-", " ")), held.scene.aliases))
    return rows


def in_scene(index: Index, scene: str, scene_sub: str = "") -> list[FeatureRow]:
    """List the cards that stand in a scene, by path."""
    term = f"scene:{scene}/{scene_sub}" if scene_sub else f"scene:{scene}"
    entries = [index.catalog.numbered(num) for num in index.postings.cards(term)]
    rows = [FeatureRow(one.id, one.path, tuple(index.postings.terms_of(one.num))) for one in entries if one]
    return sorted(rows, key=lambda row: row.path)


def facts(hand: Hand) -> list[FactRow]:
    """List the facts by category and key."""
    rows = []
    for entry in hand.index.catalog.of_kind("fact"):
        try:
            found = hand.load(entry.path)
        except (BadNoteError, NotFoundError):
            continue
        if isinstance(found, Fact):
            says = note.first_paragraph(found.body)
            rows.append(FactRow(found.id, found.category, found.confidence, found.key, says, entry.path))
    return sorted(rows, key=lambda row: (row.category, row.key, row.path))


def problems(hand: Hand) -> list[Problem]:
    """List what a person should mend: what reconcile found, and links to notes that are not there."""
    found = {*hand.index.catalog.problems(), *hand.index.pool.problems(), *_dead_links(hand), *_set_aside(hand)}
    return sorted({*found, *_read_only(hand.store.root)})


def _read_only(root: Path) -> Iterator[Problem]:
    """Tell of folders that notes can't be written to."""
    for folder in (root, root / "cards", root / "events"):
        if folder.is_dir() and not os.access(folder, os.W_OK):
            what = "Nothing can be written here: recall goes on, but what is said now gets no card until that changes."
            yield Problem(str(folder), 0, what, "Mount it for writing, or give yourself the right to write there.")
            return


def _set_aside(hand: Hand) -> Iterator[Problem]:
    """Tell of prompts and answers that waited while no daemon ran and then could not be taken in."""
    folder = places.spool_folder(hand.store.root) / "failed"
    files = list(folder.glob("*.bin"))
    strangers = Counter(name for name in map(_client, files) if name and name not in registry.ADAPTERS)
    known = ", ".join(registry.ADAPTERS)
    for name, count in sorted(strangers.items()):
        what = f"{count} of the prompts and answers that hooks left here came from '{name}', which is no client's name."
        mend = f"Name it in the hook's command as one of {known}; delete the files here to be rid of them."
        yield Problem(str(folder), 0, what, mend)
    if count := len(files) - strangers.total():
        what = f"{count} of the prompts and answers that hooks left here could not be taken in (see the daemon's log)."
        mend = f"Move them back into {folder.parent} to have it tried again, or delete them here to be rid of them."
        yield Problem(str(folder), 0, what, mend)


def _client(spooled: Path) -> str:
    """Read which client a hook's call came from; '' where that can't be told."""
    try:
        with spooled.open("rb") as file:
            words = file.readline(_HEAD).decode("ascii").split()
    except (OSError, UnicodeDecodeError):
        return ""
    return words[1] if len(words) > 1 and words[0] == "HOOK" else ""


def _dead_links(hand: Hand) -> Iterator[Problem]:
    for entry, key, held in links.held(hand):
        for link in held:
            if link and hand.linked(link) is None and not _is_archived(hand, link):
                what = f"`{key}` links to '{link}', which is not there."
                yield Problem(entry.path, _line_of(hand, entry.path, link), what, "Mend or remove the link.")


def _is_archived(hand: Hand, link: str) -> bool:
    """Tell whether a link leads to what was put away: it says where something came from, and stays right."""
    return (hand.store.root / layout.archived_path(f"{link}.md")).is_file()


def _line_of(hand: Hand, path: str, link: str) -> int:
    lines = hand.store.read(path)[0].decode(errors="replace").splitlines()
    return next((number for number, line in enumerate(lines, 1) if link in line), 0)


def status(index: Index, root: Path, report: Report, faults: int = 0) -> dict[str, object]:
    """Say what is there, where the derived state lies, and how the last comparison went; `faults`: of settings."""
    return {
        "vault": str(root),
        "derived": str(index.folder),
        "notes": {kind or "plain": count for kind, count in index.catalog.counts().items()},
        "cards": index.features.statuses(),
        "tags": index.pool.count(),
        "problems": report.problems + len(index.pool.problems()) + faults + len(list(_read_only(root))),
        "changed": report.changed,
        "scan_ms": round(report.seconds * 1000, 1),
    }


def log(entries: journal.Journal, limit: int, note_id: str, what: str = "", who: str = "") -> list[journal.Entry]:
    """List the journal's newest entries, newest first, of one note, one act or one writer when asked."""
    found: list[journal.Entry] = []
    for entry in entries.entries(newest_first=True):
        if len(found) == limit:
            break
        if entry.get("what") == "done" or (note_id and note_id not in (entry.get("id"), entry.get("note"))):
            continue
        if (not what or entry.get("what") == what) and (not who or entry.get("who") == who):
            found.append(entry)
    return found
