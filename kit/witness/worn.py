"""Words worn by asking: each turn that asked the same holds all words of a question, and makes them seem common.

Law: reads only. Only questions are asked again for an answer; a command that is given each day stays common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import digest, text
from kit.index import bm25

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kit.index.catalog import Catalog

GLANCE = 4
"""Best notes that are looked at for a turn that asked the same; where there is one, all are."""


def unworn(
    catalog: Catalog, question: str, best: Sequence[int], words: Mapping[str, float], known: Mapping[str, int],
    notes: int,
) -> float:  # fmt: skip
    """Weigh the words of a question, in rare words, as if nobody had asked it before.

    `best` are the notes found, best first; `known` says in how many of all `notes` each word stands.
    """
    ending = f" {text.slug(question)}.md"  # as `vault.layout` names a card by its prompt
    before = _ending(catalog, ending, best[:GLANCE])
    if before:
        before = _ending(catalog, ending, best) if digest.prose.is_question(question) else 0
    kept, total = notes - before, 0.0
    for word, weight in words.items():
        df = known.get(word, 0)
        total += weight * bm25.idf(kept, max(min(df, 1), df - before))  # one is left, where it is only asked for
    return total / bm25.idf(max(1, kept), 1)


def _ending(catalog: Catalog, ending: str, nums: Collection[int]) -> int:
    return sum(path.endswith(ending) for _, path in catalog.places(nums).values())
