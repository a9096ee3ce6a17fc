"""The SQLite engine: packed postings in a table, a block of them for each word and 1,024 notes.

Law: one file, one transaction for each change; this room alone knows the tables. (FTS5's own `bm25()` reads every
posting of every word and gives no score by field, so the postings are the kit's own.)
"""

from kit.index.sqlite.engine import Sqlite, copy

__all__ = ["Sqlite", "copy"]
