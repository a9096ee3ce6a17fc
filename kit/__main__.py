"""`memkit` and `python -m kit`: the hook's fast way out, then the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    from kit.cli import run  # noqa: PLC0415 - click is loaded only when it is needed

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
