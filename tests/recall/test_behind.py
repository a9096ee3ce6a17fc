"""What recall says while the indexes are known to be behind the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import reconcile
from kit.app import Kit

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_deleted_meanwhile_is_not_recalled(vault: Path) -> None:
    with Kit(vault, freshen=reconcile.Report) as kit:
        kit.remember("The spare key lies under the mat", tags=["keys"])
        (path,) = (hit.path for hit in kit.recall("", tags=["keys"]).hits)
        (vault / path).unlink()
        kit.behind = "Many notes have changed and are still being read."
        found = kit.recall("", tags=["keys"])
        assert (found.hits, found.remarks[0]) == ((), kit.behind)
