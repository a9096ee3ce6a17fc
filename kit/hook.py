"""What a harness runs: `python -I -S hook.py <harness> <event>`.

Law: it loads `courier.py`, which stands beside it with its own, and nothing else; where that can't be done it is
silent. Python keeps compiled what is imported, but compiles a script each time it is run, which took longer than all
the rest.
"""

import sys


def main() -> None:
    """Carry one event to the daemon, and its answer back."""
    sys.path.insert(0, __file__.replace("\\", "/").rpartition("/")[0] or ".")
    try:
        import courier  # type: ignore[import-not-found]  # noqa: PLC0415 - found by the line above
    except BaseException:
        return
    finally:
        del sys.path[0]
    courier.main()


if __name__ == "__main__":
    main()
