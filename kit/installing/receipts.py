"""What the files were before we came, so that they can be given back byte for byte.

Law: kept in the person's own settings folder, readable by nobody else: a client's settings may hold secrets.
Each file as it was lies there under a plain name, for a person to copy back by hand.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kit.installing.plan import Kept

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RECEIPT = "receipt.json"


class Receipt(NamedTuple):
    """All that is known of one install."""

    files: Mapping[Path, Kept] = {}
    folders: tuple[Path, ...] = ()
    """Folders that were made for it, outermost first."""


def name_of(client: str, project: Path | None) -> str:
    """Name the receipt of a client, or of a client in one project."""
    return f"{client}-{sha256(str(project).encode()).hexdigest()[:8]}" if project else client


def read(config: Path, name: str) -> Receipt:
    """Read a receipt; one that is missing or can't be read is an empty one."""
    folder = config / "receipts" / name
    try:
        told = json.loads((folder / RECEIPT).read_text(encoding="utf-8"))
        files: dict[Path, Kept] = {}
        for row in told["files"]:
            kept = row["kept"]
            before = (folder / Path(kept).name).read_bytes() if kept else None
            files[Path(row["path"])] = Kept(before, row["after"])
        return Receipt(files, tuple(Path(made) for made in told["folders"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Receipt()


def written(config: Path, name: str, receipt: Receipt) -> list[tuple[Path, bytes]]:
    """List the files that hold a receipt, the receipt itself last."""
    folder = config / "receipts" / name
    rows: list[dict[str, str]] = []
    found: list[tuple[Path, bytes]] = []
    for number, (path, kept) in enumerate(sorted(receipt.files.items())):
        file = f"{number}-{path.name}.before" if kept.before is not None else ""
        rows.append({"path": str(path), "kept": file, "after": kept.after})
        if kept.before is not None:
            found.append((folder / file, kept.before))
    told = {"files": rows, "folders": [str(made) for made in receipt.folders]}
    return [*found, (folder / RECEIPT, json.dumps(told, ensure_ascii=False, indent=2).encode() + b"\n")]


def files(config: Path, name: str) -> Sequence[Path]:
    """List the files of a receipt, to take them away."""
    folder = config / "receipts" / name
    return sorted(folder.iterdir()) if folder.is_dir() else []
