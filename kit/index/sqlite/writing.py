"""Writing into the tables of the SQLite engine: what a change of notes does to words and blocks of postings.

Law: within one transaction, which its caller begins and ends; after it the state is read again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from kit.index.blocks import ENTRY_BITS, SPAN_BITS, Change, changed, cut, pack, pack_one, unpack
from kit.index.bm25 import Counted
from kit.index.sqlite.tables import BLOCK_BITS, ask_many

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from kit.index.fulltext import Doc
    from kit.index.sqlite.tables import State

_BATCH_BITS = SPAN_BITS + 1  # of numbers whose notes are gathered before they are written, so that no block comes twice


class Writing:
    """One change being written."""

    def __init__(self, db: sqlite3.Connection, state: State) -> None:
        self._db, self._known = db, state.known
        self._fresh_word, self._fresh_num = state.fresh_word, state.fresh_num

    def fill(self, docs: Iterable[Doc], stamp: str, progress: Callable[[int], object] | None) -> None:
        """Take notes into tables that are empty, by their numbers; every word is held in memory."""
        change, done = Change(), 0
        ids: defaultdict[str, int] = defaultdict(count().__next__)
        for _, batch in groupby(docs, lambda doc: doc.num >> _BATCH_BITS):
            counted = {doc.num: doc.counted() for doc in batch}
            self._add(change, counted, counted)
            self._write_blocks(change, ids)
            change.come.clear()
            self._fresh_num = max(self._fresh_num, max(counted) + 1)
            done += len(counted)
            if progress:
                progress(done)
        # by their bytes, as the table has them; texts that are not all Latin compare more slowly
        self._put_words((term, ids[term], change.df[term]) for term in sorted(ids, key=str.encode))
        self._fresh_word = len(ids)
        self._put_state(change, stamp)

    def write(self, counted: Mapping[int, Counted], deletes: Collection[int], stamp: str) -> None:
        """Take notes in, in place of what they were, and others out."""
        db, change = self._db, Change()
        out = [num for num in {*counted, *deletes} if num < self._fresh_num]
        was = dict(self._noted(out))
        for num, old in was.items():
            if num in counted:
                change.replace(num, old, counted[num])
            else:
                change.remove(num, old)
        db.executemany("DELETE FROM notes WHERE num = ?", ((num,) for num in was.keys() - counted.keys()))
        self._add(change, counted, counted.keys() - was.keys())
        self._write_blocks(change, self._number_words(change))
        if counted:
            self._fresh_num = max(self._fresh_num, max(counted) + 1)
        self._put_state(change, stamp)

    def _add(self, change: Change, counted: Mapping[int, Counted], fresh: Collection[int]) -> None:
        """Keep what notes are; those that are `fresh` become part of the change."""
        for num in sorted(fresh):
            change.add(num, counted[num])
        self._db.executemany(
            "INSERT OR REPLACE INTO notes (num, lengths, words, codes) VALUES (?, ?, ?, ?)",
            ((num, pack(each.lengths), *each.packed()) for num, each in sorted(counted.items())),
        )

    def _put_state(self, change: Change, stamp: str) -> None:
        totals = [old + by for old, by in zip(self._known.totals, change.totals, strict=True)]
        self._db.execute(
            "UPDATE state SET stamp = ?, count = ?, totals = ?, fresh_word = ?, fresh_num = ?",
            (stamp, self._known.notes + change.count, json.dumps(totals), self._fresh_word, self._fresh_num),
        )

    def _noted(self, nums: Sequence[int]) -> Iterator[tuple[int, Counted]]:
        """Read what notes were when they were last taken in."""
        rows = ask_many(self._db, "SELECT num, lengths, codes, words FROM notes WHERE num IN", nums)
        for num, lengths, codes, words in rows:
            yield num, Counted.unpacked(words, codes, tuple(unpack(lengths)))

    def _number_words(self, change: Change) -> dict[str, int]:
        """Give every word its number and bring the count of its notes up to date."""
        changes, terms = change.df, sorted(change.words())
        rows = ask_many(self._db, "SELECT term, id, df FROM words WHERE term IN", terms)
        known = {term: (word, df) for term, word, df in rows}
        ids: dict[str, int] = {}
        for term in terms:
            if term in known:
                word, df = known[term]
            else:
                word, df = self._fresh_word, 0
                self._fresh_word += 1
            ids[term] = word
            known[term] = word, df + changes[term]
        self._put_words((term, *known[term]) for term in terms if changes[term])
        lost = ((term,) for term in terms if known[term][1] <= 0)
        self._db.executemany("DELETE FROM words WHERE term = ?", lost)
        return ids

    def _put_words(self, rows: Iterable[tuple[str, int, int]]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO words VALUES (?, ?, ?)", rows)

    def _write_blocks(self, change: Change, ids: Mapping[str, int]) -> None:
        db, shared = self._db, -(-self._fresh_num >> SPAN_BITS)
        come: dict[int, list[int]] = {}
        gone: dict[int, list[int]] = {}

        def fresh() -> Iterator[tuple[int, bytes]]:
            """Give the blocks that nothing was in, and so needs no reading; keep the others for later."""
            numbered = zip(map(ids.__getitem__, change.come), change.come.values(), strict=True)
            for word, coming in sorted(numbered, key=itemgetter(0)):
                first = word << BLOCK_BITS
                if len(coming) == 1 and coming[0] >> ENTRY_BITS >= shared:  # most words of a first build
                    yield first | coming[0] >> ENTRY_BITS, pack_one(coming[0])
                    continue
                for block, entries in cut(coming):
                    if block >= shared:
                        yield first | block, pack(entries)
                    else:
                        come[first | block] = entries

        db.executemany("INSERT INTO postings VALUES (?, ?)", fresh())
        for term, leaving in change.gone.items():
            first = ids[term] << BLOCK_BITS
            for block, entries in cut(leaving):
                gone[first | block] = entries
        places = sorted({*gone, *come})
        found = dict(ask_many(self._db, "SELECT at, entries FROM postings WHERE at IN", places))
        rows: list[tuple[int, bytes]] = []
        for at in places:
            old = unpack(found.get(at, b""))
            new = changed(old, gone.get(at, ()), come.get(at, ()))
            if new != old:  # most words of an edited note stay as they were
                rows.append((at, new.tobytes()))
        db.executemany("INSERT OR REPLACE INTO postings VALUES (?, ?)", (row for row in rows if row[1]))
        db.executemany("DELETE FROM postings WHERE at = ?", ((at,) for at, entries in rows if not entries))
