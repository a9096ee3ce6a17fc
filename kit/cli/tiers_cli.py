"""The command that sums a session up."""

from __future__ import annotations

from typing import get_args

import click

from kit.cli.ask import Answer, Asker, asking, dim, remark, text_argument


@click.command()
@click.option("--summary", required=True, help="One or two sentences; `-` reads standard input.")
@click.option("--title", default="", help="What a person would call it.")
@click.option(
    "--fact", "facts", multiple=True, help="What lasts, as `preference: Reports go in tables`; may be repeated."
)
@click.option("--session", default="", help="The session; else the one that an agent runs now.")
@click.option("--project", default="", help="The project it is about.")
@asking
def commit(asker: Asker, summary: str, facts: tuple[str, ...], **params: object) -> None:
    """Sum a session up, and keep what lasts of it."""
    answer = asker.ask("tiers.commit", summary=text_argument(summary), facts=[_fact(fact) for fact in facts], **params)

    def say(done: Answer) -> None:
        click.echo(done["summary"]["path"])
        remark(dim(f"{done['summary']['did']}; {done['summary']['turns']} turns"))
        for fact in done["facts"]:
            click.echo(fact["path"])

    asker.show(answer, say)


def _fact(said: str) -> dict[str, str]:
    """Take a category off the front of a fact, if one stands there."""
    from kit.model.notes import Category  # noqa: PLC0415 - the one table of categories; not for those who only ask

    first, colon, rest = said.partition(":")
    known = first.strip().casefold() in get_args(Category)
    return {"text": rest.strip(), "category": first.strip().casefold()} if colon and known else {"text": said}
