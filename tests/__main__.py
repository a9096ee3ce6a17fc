"""`python -m tests`: everything that must hold, in one command. Checks change no file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("mypy",),
    ("pytest",),
)


def main() -> int:
    """Run each check, then say which failed; further arguments go to pytest."""
    failed = []
    for check in CHECKS:
        words = [*check, *sys.argv[1:]] if check == ("pytest",) else list(check)
        sys.stdout.write(f"── {' '.join(words)}\n")
        sys.stdout.flush()
        if subprocess.run([sys.executable, "-m", *words], cwd=ROOT, env=os.environ, check=False).returncode:
            failed.append(check[0])
    if failed:
        sys.stdout.write(f"Failed: {', '.join(failed)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
