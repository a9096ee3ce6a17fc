"""Where each kind of note lies, what it is called, and how ids are made.

Law: identity is the id in the front matter; a path is only where a note was put first. Pure.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kit import text

if TYPE_CHECKING:
    from collections.abc import Callable

SETTINGS = "memkit.toml"
JOURNAL = "journal"
ARCHIVE = "archive"
FOLDERS = ("cards", "events", "overviews", "summaries", "facts", "tags", "scenes", JOURNAL, ARCHIVE)
BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(now: datetime, random: Callable[[int], int] = secrets.randbelow) -> str:
    """Make an id: the UTC second and four random base-32 characters, `20260819-063022-k3f9`."""
    tail = "".join(BASE32[random(32)] for _ in range(4))
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{tail}"


def card_path(note_id: str, created: datetime, prompt: str) -> str:
    """Place a card by the person's local month, readable by its prompt's first words."""
    words = text.slug(prompt)
    return f"cards/{created:%Y-%m}/{note_id}{' ' + words if words else ''}.md"


def event_path(card_id: str, created: datetime) -> str:
    """Place the raw exchange of a card by the person's local day."""
    return f"events/{created:%Y-%m-%d}/{card_id}.md"


def overview_path(card_id: str, created: datetime) -> str:
    """Place the overview of a card by the person's local month."""
    return f"overviews/{created:%Y-%m}/{card_id}.md"


def named_path(folder: str, name: str, parent: str = "") -> str:
    """Place a note that is named by what it is: a tag, a fact, a scene, a summary."""
    return (
        "/".join(part for part in (folder, text.file_name(parent) if parent else "", text.file_name(name)) if part)
        + ".md"
    )


def journal_path(now: datetime) -> str:
    """Place a journal line by month."""
    return f"{JOURNAL}/{now:%Y-%m}.jsonl"


def archived_path(path: str) -> str:
    """Tell where a note goes when it is cleaned away."""
    return f"{ARCHIVE}/{path}"


def restored_path(path: str) -> str:
    """Tell where an archived note came from; what an undone act had made lies below `archive/undone/`."""
    return path.removeprefix(f"{ARCHIVE}/").removeprefix("undone/")


def is_note(path: str) -> bool:
    """Tell whether a path may hold a note that is indexed: archive and templates do not."""
    return not path.startswith((f"{ARCHIVE}/", "templates/"))
