"""Commands for learning from finished turns, and for the model that may help with it."""

from __future__ import annotations

import sys
import time

import click

from kit.cli.ask import Answer, Asker, Group, asking, bold, count, dim, remark
from kit.errors import BadInputError, BadNoteError, ConflictError, KitError, UnusableError

TRIES = 3
"""So often a model is asked about one turn by hand; then rules learn from it."""
QUIET_S = 2.1
"""After so long a note that was saved counts as quiet."""


@click.command("learn")
@click.argument("cards", nargs=-1)
@click.option(
    "--all", "everything", is_flag=True, help="Learn from every finished turn again; it changes only what is better."
)
@click.option("--since", default="", metavar="DATE", help="Learn from the turns since a date (2026-11-30, 2026-11).")
@asking
def learn_(asker: Asker, cards: tuple[str, ...], everything: bool, since: str) -> None:
    """Take up what finished turns teach now: those that wait, or those named by id."""
    if (bool(cards) + everything + bool(since)) > 1:
        raise BadInputError("--all, --since and ids exclude each other.", "Give one of them.")
    queue = asker.ask("learning.queue", everything=everything, since=since, ids=cards)
    learned: list[Answer] = []
    left, trouble = _learn_all(asker, queue, learned)
    if left and isinstance(trouble, ConflictError):  # saved a moment ago: by whoever completed it, most likely
        time.sleep(QUIET_S)
        left, trouble = _learn_all(asker, left, learned)
    asker.show(learned, lambda rows: _say_learned(rows, len(queue)))
    if trouble:
        remark("1 turn waits still." if len(left) == 1 else f"{len(left)} turns wait still.")
        if not asker.as_json:
            raise trouble
        remark(str(trouble))  # what was learned is on stdout already, and two answers there would be no JSON
        raise click.exceptions.Exit(trouble.exit_code)


def _learn_all(asker: Asker, queue: list[str], learned: list[Answer]) -> tuple[list[str], KitError | None]:
    """Learn from one card after another; return those that are left, and what was the trouble with the last."""
    left: list[str] = []
    trouble: KitError | None = None
    for at, card in enumerate(queue):
        _progress(at + 1, len(queue), card)
        try:
            found = asker.ask("learning.one", card=card, tries=TRIES)
        except (ConflictError, BadNoteError, UnusableError) as error:  # this one's own; the others go on
            left, trouble = [*left, card], error
            if not isinstance(error, ConflictError):
                remark(f"{card}: {error}")
            continue
        except KitError as error:
            return [*left, *queue[at:]], error
        if found is not None:
            learned.append(found)
    return left, trouble


def _progress(at: int, total: int, card: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\rlearning: {at} of {total}  {card}  ", nl=at >= total, err=True)


def _say_learned(rows: Answer, asked: int) -> None:
    for row in rows:
        said = [count(len(row["facts"]), "fact")] if row["facts"] else []
        said += ["what you thought of the answer before"] if row["judged"] else []
        said += [f"{count(len(row['aligned']), 'note')} completed"] if row["aligned"] else []
        said += [f"{count(len(row['dropped']), 'thing')} left out"] if row["dropped"] else []
        remark(dim(f"{row['card']} by {row['by']}: {', '.join(said) or 'nothing new'}"))
        for path in row["facts"]:
            click.echo(path)
    if not asked:
        remark("No turn waits to be learned from.")


@click.group(cls=Group)
def llm() -> None:
    """Look at the language model, if you have configured one."""


@llm.command("test")
@asking
def try_model(asker: Asker) -> None:
    """Ask the model one small question, and say what works."""
    answer = asker.ask("learning.test")

    def say(told: Answer) -> None:
        for sentence in told["says"]:
            click.echo(sentence)
        cap = f" of {told['cap']}" if told["cap"] else ""
        click.echo(f"{bold('tokens this month')}\t{told['used_this_month']}{cap}")
        click.echo(f"{bold('asked about prompts')}\t{'yes' if told['at_prompt'] else 'no'}")

    asker.show(answer, say)
    if not answer["json"]:
        raise click.exceptions.Exit(UnusableError.exit_code)
