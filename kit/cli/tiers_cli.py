"""The command that sums a session up."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from kit.cli.ask import Answer, Asker, asking, count, dim, remark, remark_refused, text_argument
from kit.errors import BadInputError


@click.command()
@click.option("--summary", help="One or two sentences, or `-` for standard input; without it rules sum up.")
@click.option("--title", default="", help="What a person would call it.")
@click.option(
    "--fact", "facts", multiple=True, help="What lasts, as `preference: Reports go in tables`; may be repeated."
)
@click.option("--session", "--topic", default="", help="The session; else the one that is open now in this project.")
@click.option("--project", default="", help="The project it is about; else that of the session.")
@asking
def commit(asker: Asker, summary: str | None, facts: tuple[str, ...], **params: object) -> None:
    """Sum a session up, and keep what lasts of it."""
    told = [_fact(fact) for fact in facts]
    said = summary if summary is None else text_argument(summary)
    answer = asker.ask("tiers.commit", summary=said, facts=told, folder=str(Path.cwd()), **params)

    def say(done: Answer) -> None:
        click.echo(done["summary"]["path"])
        remark(dim(f"{done['summary']['did']}; {count(done['summary']['turns'], 'turn')}"))
        remark_refused(done["summary"])
        for fact in done["facts"]:
            click.echo(fact["path"])
            remark_refused(fact)

    asker.show(answer, say)


def _fact(said: str) -> dict[str, str]:
    """Take a category off the front of a fact, if one stands there; refuse a word there that is none."""
    from kit.model.notes import Category  # noqa: PLC0415 - the one table of categories; not for those who only ask

    first, colon, rest = said.partition(":")
    word, categories = first.strip().casefold(), get_args(Category)
    if colon and word in categories:
        return {"text": rest.strip(), "category": word}
    if colon and word.isascii() and word.isalpha() and rest.startswith(" "):
        raise BadInputError(
            f"'{word}' is no category of a fact.",
            f'Known: {", ".join(categories)}. If it belongs to the sentence: --fact "fact: {said}"',
        )
    return {"text": said}
