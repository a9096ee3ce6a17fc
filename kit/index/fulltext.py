"""The full-text port: what every engine does, which one to take, and the overlay that makes it instant.

Law: engines are derived and may break at any time; whatever goes wrong inside one comes out as
`FullTextBrokenError`, and the caller moves the folder aside and builds it again.
"""

from __future__ import annotations

import shutil
from array import array
from contextlib import contextmanager
from heapq import nlargest
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kit.errors import BadInputError, KitError, UnavailableError
from kit.index.bm25 import (
    FIELDS,
    TERM_BUDGET,
    Counted,
    Curve,
    Found,
    Statistics,
    count_terms,
    search,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "ENGINES",
    "FIELDS",
    "TERM_BUDGET",
    "Curve",
    "Doc",
    "Found",
    "FullText",
    "FullTextBrokenError",
    "Layered",
    "Overlay",
    "Statistics",
    "choose",
    "destroy",
    "guarded",
    "open_engine",
]

ENGINES = ("whoosh", "sqlite", "tantivy")
WHOOSH_LIMIT = 5_000
"""Notes up to which Whoosh keeps its commits and its questions short."""
TANTIVY_FROM = 50_000
"""Notes from which tantivy, if installed, is worth its slow commits."""


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


class FullText(Protocol):
    """A full-text engine over one folder. One thread owns it; only one process writes."""

    name: str

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int], stamp: str | None = None) -> None:
        """Change the index in one step: after a crash it is as before or as after, the stamp with it."""

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
        Only the rarest terms are looked up, and no longer than `budget_s` seconds.
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


def destroy(folder: Path) -> None:
    """Delete an engine's folder, which must be closed; nothing is lost, it is derived."""
    shutil.rmtree(folder, ignore_errors=True)


def choose(count: int, setting: str = "auto") -> str:
    """Name the engine for a vault of `count` notes: the one that is set, else by size and what is installed."""
    if setting not in ("auto", *ENGINES):
        raise BadInputError(f"There is no full-text engine {setting!r}.", f"Take one of: auto, {', '.join(ENGINES)}.")
    fast = find_spec("tantivy") is not None
    if setting == "tantivy" and not fast:
        raise UnavailableError(
            "The full-text engine tantivy is not installed.", "Install it with `pip install memory-kit[fast]`."
        )
    if setting != "auto":
        return setting
    if count <= WHOOSH_LIMIT:
        return "whoosh"
    return "tantivy" if fast and count > TANTIVY_FROM else "sqlite"


def open_engine(name: str, folder: Path, curves: Mapping[str, Curve] | None = None) -> FullText:
    """Open or create the engine `name` in a folder of its own."""
    if name == "whoosh":
        from kit.index.whoosh import Whoosh  # noqa: PLC0415 - takes 200 ms, and another engine may be chosen

        return Whoosh(folder, curves)
    if name == "tantivy":
        from kit.index.tantivy import Tantivy  # noqa: PLC0415 - an extra that may be missing

        return Tantivy(folder)
    from kit.index.sqlite import Sqlite  # noqa: PLC0415 - as above

    return Sqlite(folder, curves)


class Overlay:
    """Notes that are applied but not yet committed, as a tiny index in memory."""

    span = 1 << 62

    def __init__(self, engine: FullText) -> None:
        self._engine = engine
        self._postings: dict[str, dict[int, list[int]]] = {}
        self._counted: dict[int, Counted] = {}
        self.docs: dict[int, Doc] = {}
        self.deleted: set[int] = set()

    def hides(self, num: int) -> bool:
        """Tell whether what the engine knows of a note is out of date."""
        return num in self.docs or num in self.deleted

    def put(self, doc: Doc) -> None:
        """Take a note in, in place of its earlier version."""
        self._forget(doc.num)
        self.deleted.discard(doc.num)
        counted = count_terms(doc.fields)
        self.docs[doc.num], self._counted[doc.num] = doc, counted
        for term, codes in counted.codes.items():
            self._postings.setdefault(term, {})[doc.num] = codes

    def drop(self, num: int) -> None:
        """Take a note out."""
        self._forget(num)
        self.deleted.add(num)

    def _forget(self, num: int) -> None:
        if self.docs.pop(num, None) is None:
            return
        for term in self._counted.pop(num).codes:
            self._postings[term].pop(num, None)
            if not self._postings[term]:
                del self._postings[term]

    def statistics(self) -> Statistics:
        """Tell the engine's numbers, so that scores compare; its own while they say more."""
        known = self._engine.statistics()
        if known.notes >= len(self.docs):
            return known
        lengths = [counted.lengths for counted in self._counted.values()]
        return Statistics(len(lengths), tuple(map(sum, zip(*lengths, strict=True))))

    def doc_freqs(self, terms: Sequence[str]) -> dict[str, int]:
        """Count in the engine and here together."""
        there = self._engine.doc_freqs(terms)
        both = {term: there.get(term, 0) + len(self._postings.get(term, ())) for term in terms}
        return {term: df for term, df in both.items() if df}

    def postings(self, term: str, only: Collection[int] | None = None) -> Iterator[tuple[int, array[int]]]:
        """Read a term's only block."""
        del only  # a block of a few hundred notes is not worth choosing from
        found = self._postings.get(term)
        if found:
            yield 0, array("Q", sorted(num << 16 | code for num, codes in found.items() for code in codes))


class Layered:
    """An engine under an overlay: what is applied is found at once and committed later, many at a time."""

    def __init__(self, engine: FullText, curves: Mapping[str, Curve] | None = None) -> None:
        self.engine = engine
        self.name = engine.name
        self._curves = curves or {}
        self._overlay = Overlay(engine)

    @property
    def pending(self) -> int:
        """Changes that wait for `flush`."""
        return len(self._overlay.docs) + len(self._overlay.deleted)

    def apply(self, upserts: Sequence[Doc], deletes: Collection[int]) -> None:
        """Change what is found from now on; the engine learns of it at the next `flush`."""
        for num in deletes:
            self._overlay.drop(num)
        for doc in upserts:
            self._overlay.put(doc)

    def flush(self, stamp: str | None = None) -> None:
        """Commit what waits, with the stamp it brings the engine to."""
        if self.pending or stamp is not None:
            self.engine.apply(list(self._overlay.docs.values()), self._overlay.deleted, stamp)
            self._overlay = Overlay(self.engine)

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        *,
        weights: Mapping[str, float],
        budget_s: float,
        allowed: Callable[[int], bool] | None = None,
    ) -> Found:
        """Find the `k` best notes of both; see `FullText.search`."""
        overlay = self._overlay
        if not self.pending:
            return self.engine.search(terms, k, weights=weights, budget_s=budget_s, allowed=allowed)

        def visible(num: int) -> bool:
            return not overlay.hides(num) and (allowed is None or allowed(num))

        old = self.engine.search(terms, k, weights=weights, budget_s=budget_s, allowed=visible)
        new = search(overlay, terms, k, weights=weights, curves=self._curves, budget_s=budget_s, allowed=allowed)
        best = nlargest(k, [*old.hits, *new.hits], key=lambda hit: (sum(hit[1].values()), hit[0]))
        return Found(best, old.late or new.late, max(old.used_terms, new.used_terms, key=len))

    def has(self, num: int) -> bool:
        """Tell whether a note is found."""
        return num in self._overlay.docs or (not self._overlay.hides(num) and self.engine.has(num))

    def doc_freq(self, term: str) -> int:
        """Count the notes a term stands in."""
        return self._overlay.doc_freqs([term]).get(term, 0)

    def count(self) -> int:
        """Count the notes that are found."""
        new = sum(not self.engine.has(num) for num in self._overlay.docs)
        return self.engine.count() + new - sum(self.engine.has(num) for num in self._overlay.deleted)

    def get_stamp(self) -> str:
        """Tell the stamp of what is committed."""
        return self.engine.get_stamp()

    def close(self) -> None:
        """Commit what waits and close."""
        self.flush()
        self.engine.close()
