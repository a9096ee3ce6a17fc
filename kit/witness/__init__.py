"""The second witness: what the full text says for each card, kept in step with the index and asked in time.

Law: recall never waits for it beyond its budget and never fails by it: missing, late or broken, it says so in
a remark and features answer alone. What it has not taken in yet is written in the index, so a crash loses nothing.
"""

from kit.witness.witness import MADE_AT, Witness

__all__ = ["MADE_AT", "Witness"]
