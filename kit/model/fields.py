"""The types of front matter values: what a person may write, and the one value it means.

Law: reading is generous (a plain date, a comma list, a number where text is due), the value is one.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import BeforeValidator

from kit.errors import BadInputError

LONGEST = 1_000_000
"""Characters of one text that an operation takes: some 200,000 words, more than any prompt or answer."""
WIKILINK = re.compile(r"!?\[\[([^\[\]|#^]+)(?:[#^][^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")


def check_importance(importance: int) -> None:
    """Raise BadInputError for an importance that is not 1 to 5."""
    if not 1 <= importance <= 5:  # noqa: PLR2004 - the scale
        raise BadInputError(f"Importance goes from 1 to 5, not {importance}.")


def _text(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list) and len(value) == 1:
        return _text(value[0])
    return value.strip() if isinstance(value, str) else value


def _items(value: object) -> object:
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        value = re.split(r"[,，、]", value)
    if isinstance(value, (int, float)):
        value = [value]
    if not isinstance(value, (list, tuple)):
        return value
    flat: list[object] = []
    for item in value:
        # `[[Note]]` without quotes is a list in a list to YAML
        flat += [f"[[{inner}]]" for inner in item] if isinstance(item, list) else [_text(item)]
    if not all(isinstance(item, str) for item in flat):
        return value
    return tuple(dict.fromkeys(word.strip() for word in flat if isinstance(word, str) and word.strip()))


def _tags(value: object) -> object:
    found = _items(value)
    if isinstance(found, tuple):
        return tuple(dict.fromkeys(word.lstrip("#") for word in found if word.strip("#")))
    return found


def link_target(value: str) -> str:
    """Take the target out of a wikilink: `[[a/b#part|shown]]` is `a/b`; other text is returned as it is."""
    found = WIKILINK.fullmatch(value.strip())
    return (found.group(1) if found else value).strip().removesuffix(".md")


def link(target: str) -> str:
    """Write a wikilink to a note, given without its `.md`."""
    return f"[[{target.removesuffix('.md')}]]"


def _links(value: object) -> object:
    found = _items(value)
    return tuple(link_target(item) for item in found) if isinstance(found, tuple) else found


def _link(value: object) -> object:
    if isinstance(value, list):
        found = _items(value)
        value = found[0] if isinstance(found, tuple) and found else value
    value = _text(value)
    return link_target(value) if isinstance(value, str) else value


def parse_instant(value: object) -> datetime | None:
    """Read a time: an instant with offset, or a plain date or local time in the person's zone.

    Raise ValueError for anything else.
    """
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        found = value
    elif isinstance(value, date):
        found = datetime(value.year, value.month, value.day).astimezone()
    elif isinstance(value, str):
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            raise ValueError(f"'{value}' is no date (write 2026-08-19 or 2026-08-19T06:30:22+08:00)") from None
    else:
        raise ValueError(f"'{value}' is no date")  # noqa: TRY004 - pydantic reports ValueErrors
    try:
        return found if found.tzinfo else found.astimezone()
    except (OverflowError, OSError, ValueError):  # years 1 and 9999 have no local zone everywhere
        return found.replace(tzinfo=UTC)


Text = Annotated[str, BeforeValidator(_text)]
Items = Annotated[tuple[str, ...], BeforeValidator(_items)]
Tags = Annotated[tuple[str, ...], BeforeValidator(_tags)]
Link = Annotated[str, BeforeValidator(_link)]
"""The target of a wikilink, without brackets and `.md`."""
Links = Annotated[tuple[str, ...], BeforeValidator(_links)]
Instant = Annotated[datetime | None, BeforeValidator(parse_instant)]
