"""The full-text port: what every engine does.

Law: engines are derived and may break at any time; whatever goes wrong inside one comes out as
`FullTextBrokenError`, and the caller moves the folder aside and builds it again.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from kit.errors import KitError, UnavailableError
from kit.index.bm25 import count_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kit.index.bm25 import Counted, Curve, Found, Statistics

_Item = TypeVar("_Item")


class FullTextBrokenError(UnavailableError):
    """The full-text index can't be read: move its folder aside and build it from the files."""


class Doc(NamedTuple):
    """A note as the full text sees it; the fields are raw text."""

    num: int
    """the note's number in the catalog, 0 or more"""
    fields: Mapping[str, str]
    """by name, see `FIELDS`; those that are missing are empty"""
    created: float = 0.0
    """seconds since 1970"""
    kind: str = "card"
    path: str = ""
    known: Counted | None = None
    """its terms, where they have been counted already"""

    def counted(self) -> Counted:
        """Count its terms."""
        return self.known or count_terms(self.fields)


class FullText(Protocol):
    """A full-text engine over one folder. One thread owns it; only one process writes."""

    name: str
    curves: Mapping[str, Curve]
    """the knobs of each field; `Curve()` where none is named"""

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change the index in one step: after a crash it is as before or as after, the stamp with it."""

    def build(self, docs: Iterable[Doc], stamp: str, progress: Callable[[int], object] | None = None) -> None:
        """Fill an empty index as fast as can be, without safety from crashes; see `build`."""

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        *,
        weights: Mapping[str, float],
        budget_s: float,
        allowed: Callable[[int], bool] | None = None,
    ) -> Found:
        """Find the `k` best notes for weighted terms (of `kit.text.terms`).

        A note's score is the sum over its fields of weight times BM25; `allowed` is asked before the cut.
        Only the terms that can tell most are looked up, and no longer than `budget_s` seconds.
        """

    def has(self, num: int) -> bool:
        """Tell whether a note is indexed."""

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in; updated notes may still count twice."""

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count for many terms at once; those that stand nowhere are left out."""

    def statistics(self) -> Statistics:
        """Tell how many notes there are and how long."""

    def count(self) -> int:
        """Count the notes."""

    def get_stamp(self) -> str:
        """Tell the state of the catalog this index reflects; empty when unknown."""

    def set_stamp(self, stamp: str) -> None:
        """Write the stamp alone."""

    def close(self) -> None:
        """Close every file and seal the folder; may be called twice."""


@contextmanager
def guarded(folder: Path) -> Iterator[None]:
    """Turn whatever an engine raises into `FullTextBrokenError`."""
    try:
        yield
    except KitError:
        raise
    except BaseException as error:
        # An error of Rust code is a PanicException, which is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise FullTextBrokenError(
            f"The full-text index in {folder} can't be read ({type(error).__name__}: {error}).",
            "It will be built again from the notes; `memkit reindex` does it now.",
        ) from error


def batches(stream: Iterable[_Item], size: int) -> Iterator[tuple[int, list[_Item]]]:
    """Cut a stream into batches, each with the number of notes that have come with it."""
    stream, done = iter(stream), 0
    while batch := list(islice(stream, size)):
        done += len(batch)
        yield done, batch
