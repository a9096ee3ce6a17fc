"""A codec for Whoosh that keeps the kit's packed entries beside each word, where Whoosh would keep postings.

Law: a word's value is the number of its notes and its entries, `number << 16 | code`, sorted. Whoosh's own way
writes, compresses and pickles a block for every word, which takes ten times as long.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from whoosh import fields, formats
from whoosh.codec.whoosh3 import W3Codec, W3FieldWriter, W3TermsReader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

KEYS, WORDS = "key", "words"
_REMEMBERED = 8192
_DF = struct.Struct("<I")
_FIELD = struct.Struct("!H")


class PackedFormat(formats.Format):  # type: ignore[misc]  # Whoosh has no types
    """Names what the two fields hold; it is never asked, since nothing goes through Whoosh's analysis."""


class PackedField(fields.FieldType):  # type: ignore[misc]  # Whoosh has no types
    """A field of this codec."""

    def __init__(self) -> None:
        super().__init__(PackedFormat(), None)


class Segment:
    """What is written next: keys with the number of their document, words with their entries."""

    def __init__(self) -> None:
        self.keys: dict[bytes, int] = {}
        self.words: defaultdict[str, array[int]] = defaultdict(_entries)

    def add(self, num: int, terms: list[str], codes: list[int]) -> None:
        """Take in a note's postings."""
        words, high = self.words, num << 16
        for term, code in zip(terms, codes, strict=True):
            words[term].append(high | code)

    def take_over(self, terms: PackedTerms, gone: Collection[int]) -> None:
        """Take in the words of an older segment, without some notes."""
        for word, entries in terms.items():
            kept = without(entries, gone)
            if kept:
                self.words[word].extend(kept)

    def values(self) -> Iterator[tuple[bytes, bytes]]:
        """Give words and values in the order of the file."""
        for word in sorted(self.words):
            entries = self.words[word]
            if len(entries) == 1:
                yield word.encode(), _ONE + entries.tobytes()
            else:
                df = len({entry >> 16 for entry in entries})
                yield word.encode(), _DF.pack(df) + array("Q", sorted(entries)).tobytes()


_ONE = _DF.pack(1)


def _entries() -> array[int]:
    return array("Q")


def without(entries: array[int], gone: Collection[int]) -> array[int]:
    """Leave out the entries of notes that are gone; entries are sorted."""
    if not gone:
        return entries
    if 4 * len(gone) > len(entries):
        return array("Q", [entry for entry in entries if entry >> 16 not in gone])
    kept = entries[:]
    for num in gone:
        start = bisect_left(kept, num << 16)
        end = bisect_left(kept, num + 1 << 16, start)
        if end > start:
            del kept[start:end]
    return kept


class _FieldWriter(W3FieldWriter):  # type: ignore[misc]  # Whoosh has no types
    """Writes a `Segment` when Whoosh would write its pool, which stays empty."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)
        self.waiting = Segment()

    def add_postings(self, *_: object) -> None:
        """Write what waits."""
        self._fieldmap.update({KEYS: 0, WORDS: 1})
        first, second = _FIELD.pack(0), _FIELD.pack(1)
        add = self._tindex.add
        for key, docnum in sorted(self.waiting.keys.items()):
            add(first + key, _DF.pack(docnum))
        for word, value in self.waiting.values():
            add(second + word, value)


class PackedTerms(W3TermsReader):  # type: ignore[misc]  # Whoosh has no types
    """Reads what `_FieldWriter` wrote."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)
        # A question asks twice for each word, and questions have words in common; looking one up takes 20 µs.
        self._value = lru_cache(maxsize=_REMEMBERED)(self._look_up)

    def _look_up(self, field: str, word: bytes) -> tuple[int, int] | None:
        try:
            at, length = self._range_for_key(field, word)
        except KeyError:
            return None
        return int(at), int(length)

    def number(self, field: str, word: bytes) -> int | None:
        """Tell a key's document, or a word's count of notes."""
        found = self._value(field, word)
        return int(_DF.unpack(self._dbfile.get(found[0], _DF.size))[0]) if found else None

    def entries(self, word: bytes) -> array[int]:
        """Read a word's entries."""
        found = self._value(WORDS, word)
        entries = array("Q")
        if found:
            entries.frombytes(self._dbfile.get(found[0] + _DF.size, found[1] - _DF.size))
        return entries

    def items(self) -> Iterator[tuple[str, array[int]]]:
        """Read every word's entries."""
        for key, value in self._tindex.items_from(_FIELD.pack(1)):
            entries = array("Q")
            entries.frombytes(value[_DF.size :])
            yield key[_FIELD.size :].decode(), entries


class PackedCodec(W3Codec):  # type: ignore[misc]  # Whoosh has no types
    """Whoosh's codec with the kit's values, and without the lengths of fields, which would cost a `stat` each."""

    length_stats = False

    def field_writer(self, storage: Any, segment: Any) -> Any:  # noqa: ANN401 - Whoosh has no types
        """Give the writer of words."""
        return _FieldWriter(self, storage, segment)

    def terms_reader(self, storage: Any, segment: Any) -> Any:  # noqa: ANN401 - Whoosh has no types
        """Give the reader of words."""
        name = segment.make_filename(self.TERMS_EXT)
        file = storage.open_file(name)
        return PackedTerms(self, file, storage.file_length(name), segment.open_file(storage, self.POSTS_EXT))
