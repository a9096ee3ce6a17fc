"""Bring a data set into the plain form: `python -m tests.bench.quality.load locomo IN OUTDIR`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.quality import form, locomo, madial, precision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOADERS: dict[str, Callable[[Path], Iterator[form.Material]]] = {
    "locomo": locomo.turns,
    "locomo-session": locomo.sessions,
    "locomo-observations": locomo.observations,
    "madial": madial.load,
    "precisionmembench": precision.load,
}


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=LOADERS)
    parser.add_argument("source", type=Path, help="LoCoMo: the JSON file; the others: the folder of their files")
    parser.add_argument("folder", type=Path, help="where one JSON Lines file a vault is put")
    chosen = parser.parse_args()
    for material in LOADERS[chosen.set](chosen.source):
        file = form.write(chosen.folder, material)
        print(f"{file}: {len(material.memories)} memories, {len(material.questions)} questions")


if __name__ == "__main__":
    main()
