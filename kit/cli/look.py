"""Commands that look in; grep-friendly, nothing is changed."""

from __future__ import annotations

import click

from kit.cli.ask import Answer, Asker, asking, bold, dim, remark

_FOUND_PROBLEMS = 1


@click.command()
@click.option("--dimension", default="", help="Only tag, person, place, project, scene, topic …")
@asking
def book(asker: Asker, dimension: str) -> None:
    """Print the password book: dimension, term, code, uses, cards."""

    def say(rows: Answer) -> None:
        for row in rows:
            click.echo(
                "\t".join((row["dimension"], row["term"], row["code"], str(row["uses"]), " ".join(row["cards"])))
            )

    asker.show(asker.ask("book", dimension=dimension), say)


@click.command()
@click.argument("query")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True)
@asking
def search(asker: Asker, query: str, limit: int) -> None:
    """Search by words: `"a phrase" word wild* -not tag:x person:y kind:fact date:2026-08..2026-09`."""

    def say(rows: Answer) -> None:
        for row in rows:
            click.echo(f"{row['path']}: {row['snippet']}")
        if not rows:
            remark("Nothing matches.")

    asker.show(asker.ask("search", query=query, limit=limit), say)


@click.command()
@click.argument("note_id", default="")
@asking
def features(asker: Asker, note_id: str) -> None:
    """Print the feature stats: card id, path, its terms."""

    def say(rows: Answer) -> None:
        for row in rows:
            click.echo("\t".join((row["id"], row["path"], " ".join(term.replace(" ", "_") for term in row["terms"]))))

    asker.show(asker.ask("features", note_id=note_id), say)


@click.command()
@asking
def facts(asker: Asker) -> None:
    """Print each fact: id, category, confidence, key, what it says."""

    def say(rows: Answer) -> None:
        for row in rows:
            click.echo("\t".join((row["id"], row["category"], f"{row['confidence']:.2f}", row["key"], row["says"])))

    asker.show(asker.ask("facts"), say)


@click.command()
@asking
def status(asker: Asker) -> None:
    """Say what is in the vault, and whether it is in step."""

    def say(found: Answer) -> None:
        for name, value in found.items():
            shown = ", ".join(f"{kind} {count}" for kind, count in value.items()) if isinstance(value, dict) else value
            click.echo(f"{bold(name)}\t{shown}")

    asker.show(asker.ask("status"), say)


@click.command()
@asking
def doctor(asker: Asker) -> None:
    """List what you should mend, with path, line and the mend."""
    problems = asker.ask("doctor")

    def say(rows: Answer) -> None:
        for row in rows:
            where = f"{row['path']}:{row['line']}" if row["line"] else row["path"]
            click.echo(f"{where}: {row['what']} {row['mend']}".rstrip())
        remark(f"{len(rows)} problem{'s' if len(rows) != 1 else ''}." if rows else "All is well.")

    asker.show(problems, say)
    if problems:
        raise click.exceptions.Exit(_FOUND_PROBLEMS)


@click.command()
@click.argument("note_id", default="")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True)
@asking
def log(asker: Asker, note_id: str, limit: int) -> None:
    """Print the journal, newest first: when, who, what, note, why."""

    def say(rows: Answer) -> None:
        for row in rows:
            parts = (str(row.get(name, "")) for name in ("at", "who", "what", "note", "why"))
            click.echo("\t".join(parts).rstrip())
        if not rows:
            remark(dim("The journal is empty."))

    asker.show(asker.ask("log", note_id=note_id, limit=limit), say)
