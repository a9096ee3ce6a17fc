"""What can go wrong, as sentences with an exit code.

Law: every error says what happened, where, and what to do next; nothing here does any I/O.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple


class Problem(NamedTuple):
    """Something in the vault that a person should mend; the rest of the vault goes on working."""

    path: str
    """The note, relative to the vault's root."""
    line: int
    """1-based; 0 when the whole file is meant."""
    what: str
    mend: str = ""

    def __str__(self) -> str:
        """Say the problem on one line, the way compilers do."""
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"{where}: {self.what}" + (f" {self.mend}" if self.mend else "")


class KitError(Exception):
    """An error a person can read; the command line prints it and exits with its code."""

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, mend: str = "") -> None:
        super().__init__(f"{what} {mend}".strip())
        self.what = what
        self.mend = mend


class BadInputError(KitError):
    """The words of a call are off."""

    exit_code = 2


class NotFoundError(KitError):
    """What was named does not exist."""

    exit_code = 3


class ConflictError(KitError):
    """A file changed while it was being edited, or already exists."""

    exit_code = 4


class BadNoteError(KitError):
    """A note can't be read; it is reported and never rewritten."""

    exit_code = 5

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class NoVaultError(KitError):
    """There is no vault where one was looked for."""

    exit_code = 6


class RefusedError(KitError):
    """A law forbids it: a path outside the vault, an irreversible act without a person."""

    exit_code = 7


class UnavailableError(KitError):
    """Something that is needed does not answer: the daemon, a lock, a disk."""

    exit_code = 8


class UnusableError(KitError):
    """A language model answered, and nothing of it can be used."""

    exit_code = 10


class ConfigError(KitError):
    """A settings file has faults; all of them are told at once."""

    exit_code = 9

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems
