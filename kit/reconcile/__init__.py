"""Files against catalog, and every difference into every index: the only road in.

Law: what a vault's files are now decides alone what the indexes become. The same calls in any order, twice,
late or after a crash end where a rebuild would end; all rooms change in one transaction.
"""

from kit.reconcile.differences import differs
from kit.reconcile.reading import RACY_NS, Piece, Read, read_all
from kit.reconcile.report import Report
from kit.reconcile.rounds import apply, portions, scan

__all__ = ["RACY_NS", "Piece", "Read", "Report", "apply", "differs", "portions", "read_all", "scan"]
