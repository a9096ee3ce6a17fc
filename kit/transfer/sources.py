"""The sources that can be read, and how each is known."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from kit.errors import BadInputError, NotFoundError
from kit.transfer import clients, layered, markdown, own, wangdefa

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kit.transfer.pieces import Reading


class Source(NamedTuple):
    """One kind of source."""

    name: str
    fits: Callable[[Path], bool]
    read: Callable[[Path], Reading]


_OF_CLIENTS = [Source(name, partial(clients.fits, name), partial(clients.read, name)) for name in clients.CLIENTS]
SOURCES = {
    source.name: source
    for source in (
        Source("json", own.fits, own.read),
        Source("wangdefa", wangdefa.fits, wangdefa.read),
        Source("layered", layered.fits, layered.read),
        Source("vault", markdown.is_vault, markdown.read_vault),
        *_OF_CLIENTS,
        Source("markdown", markdown.fits, markdown.read),
    )
}
"""By name, in the order in which a source is tried."""


def choose(kind: str, path: Path) -> Source:
    """Find the reader of a source: the one named, or the first that knows it; raise with what can be read."""
    if not path.exists():
        raise NotFoundError(f"There is nothing at {path}.", "Name the folder or file to import.")
    if kind != "auto":
        if kind not in SOURCES:
            raise BadInputError(f"'{kind}' is no source.", f"Known: auto, {', '.join(SOURCES)}.")
        return SOURCES[kind]
    found = next((source for source in SOURCES.values() if source.fits(path)), None)
    if found is None:
        raise BadInputError(f"{path} holds nothing that is known.", f"Say what it is: --from {', '.join(SOURCES)}.")
    return found
