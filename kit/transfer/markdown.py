"""A folder of plain Markdown, as an Obsidian vault: each note becomes a card that says what the note says.

Its text stays whole, its tags and times and its name too, so that links by name go on leading to it. A folder that
is a vault of the kit already is taken file by file, as it is.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING

from kit import text
from kit.errors import BadNoteError, Problem
from kit.model.notes import KINDS, Card
from kit.transfer.pieces import Aside, Turn, Verbatim
from kit.transfer.reading import moment, saved_at
from kit.vault import layout, note, plain, walk

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kit.transfer.pieces import Reading
    from kit.vault.note import Parsed, Value

_LARGEST = 2 * 1024 * 1024
_DAY = re.compile(r"(?<!\d)(\d{4})[-.年]?(\d{2})[-.月]?(\d{2})(?!\d)")
_CREATED = ("created", "date", "date created", "created_at", "创建时间", "日期")
_UPDATED = ("updated", "modified", "date modified", "updated_at", "更新时间")
_ATTACHED = re.compile(
    r"!\[\[([^\[\]|#\n]{1,300}\.(?!md\b)\w{2,5})(?:[|#][^\[\]\n]*)?\]\]|!\[[^\[\]]*\]\((?!\w+:)([^()\n]{1,300})\)"
)
_OURS = frozenset(Card.model_fields) - {"tags", "people", "places", "importance", "project", "topic"}


def is_vault(source: Path) -> bool:
    """Tell whether a folder is a vault of the kit."""
    return source.is_dir() and ((source / layout.SETTINGS).is_file() or (source / "cards").is_dir())


def fits(source: Path) -> bool:
    """Tell whether a source is a Markdown note, or a folder with some."""
    if source.is_file():
        return source.suffix.lower() == ".md"
    return any(True for _ in walk.walk(source))


def read_vault(source: Path, *, archive: bool = True) -> Reading:
    """Take every note of a vault as it is."""
    seen = walk.walk(source)
    for path, stat in seen:
        if not archive and not layout.is_note(path):
            continue
        try:
            raw = (source / path).read_bytes()
        except OSError as error:
            yield Problem(path, 0, f"It can't be read ({error.strerror}).", "It was skipped.")
            continue
        yield verbatim(path, raw, stat.mtime_ns)
    yield from (*seen.errors, *seen.skipped)


def verbatim(path: str, raw: bytes, mtime_ns: int) -> Verbatim:
    """Make a piece of a file as it is."""
    note_id = kind = ""
    try:
        found = note.parse(raw, path, fallback_name=path.rsplit("/", 1)[-1].removesuffix(".md"))
        note_id, kind = (found.id, found.kind) if found else ("", "")
    except BadNoteError:
        pass  # carried all the same: what can't be read is the person's to mend
    return Verbatim(f"file:{path}", path, raw, note_id, kind, mtime_ns)


def read(source: Path) -> Reading:
    """Read the notes of a folder, or one note; hidden files are left alone."""
    if source.is_file():
        yield from _note(source, source.name, source.parent.name)
        return
    seen = walk.walk(source)
    for path, _ in seen:
        yield from _note(source / path, path, source.name)
    yield from (*seen.errors, *seen.skipped)


def _note(file: Path, path: str, root: str) -> Reading:
    try:
        raw = file.read_bytes() if file.stat().st_size <= _LARGEST else b""
        if not raw.strip():
            yield Aside(path, "it is empty" if not file.stat().st_size else "it is larger than 2 MB")
            return
        found = note.read(raw, path)
    except OSError as error:
        yield Problem(path, 0, f"It can't be read ({error.strerror}).", "It was skipped.")
        return
    except BadNoteError as error:
        yield error.problem
        return
    if found.front.get("kind") in KINDS and found.front.get("id"):
        yield verbatim(path, raw, file.stat().st_mtime_ns)
        return
    if not found.body.strip():
        yield Aside(path, "it has no text")
        return
    yield _card(found, file, path, root)
    attached = [one or other for one, other in _ATTACHED.findall(found.body)]
    if attached:
        yield Aside(path, f"its attachments stay where they are: {', '.join(dict.fromkeys(attached))[:200]}")


def _card(found: Parsed, file: Path, path: str, root: str) -> Turn:
    front = {str(key): value for key, value in found.front.items()}
    at = _time(front, _CREATED) or _day_in(file.stem) or saved_at(file)
    title = plain.title_of(front, found.body, file.stem)
    says = plain.says(front, found.body) or title
    keys: dict[str, Value | None] = {
        "completed": _time(front, _UPDATED) or at,
        "tags": plain.tags_of(front, found.body) or None,
        "title": title if title != file.stem else None,
    }
    for key, value in front.items():
        if key.casefold() not in {"tags", "tag", "description", "title", *_CREATED, *_UPDATED} and _is_plain(value):
            keys[f"note_{key}" if key in _OURS else key] = value  # type: ignore[assignment]  # checked by _is_plain
    return Turn(
        f"markdown:{root}/{path}", at, says=text.first_sentence(says), body=found.body.strip("\n"), ended=None,
        keys=keys, name=file.stem,
    )  # fmt: skip


def _time(front: Mapping[str, object], names: tuple[str, ...]) -> datetime | None:
    folded = {key.casefold(): value for key, value in front.items()}
    return next((at for name in names if (at := moment(_plain_time(folded.get(name))))), None)


def _plain_time(value: object) -> object:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    return value


def _day_in(name: str) -> datetime | None:
    """Read the day off the name of a daily note."""
    day = _DAY.search(name)
    return moment("-".join(day.groups())) if day else None


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, str) for each in value)
    return isinstance(value, (str, int, float, bool)) and value != ""
