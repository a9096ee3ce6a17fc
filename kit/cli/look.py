"""Commands that look in; grep-friendly, nothing is changed."""

from __future__ import annotations

import click

from kit.cli.ask import Answer, Asker, asking, count, counts, dim, echo_pairs, echo_rows, remark

_FOUND_PROBLEMS = 1


@click.command()
@click.option("--dimension", default="", help="Only tag, person, place, project, scene, topic …")
@asking
def book(asker: Asker, dimension: str) -> None:
    """Print the password book: dimension, term, code, uses, cards."""

    def say(rows: Answer) -> None:
        echo_rows(
            ("dimension", "term", "code", "uses", "cards"),
            [(r["dimension"], r["term"], r["code"], str(r["uses"]), " ".join(r["cards"])) for r in rows],
        )

    asker.show(asker.ask("book", dimension=dimension), say)


@click.command()
@click.argument("query")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True)
@asking
def search(asker: Asker, query: str, limit: int) -> None:
    """Search by words: all that is given must hold, in any order.

    \b
    nginx "a phrase" wild*   words; a phrase to the letter; any ending
    -friday                  leave out what says friday (`--` before it if it comes first)
    tag:x person:y kind:fact only what bears it; also title, summary, overview, user, agent, fact, body, place,
                             project, topic, scene
    date:2026-08..2026-09    only of that time; also before:2026-08-19 and after:2026
    """  # noqa: D301 - click's mark for lines to be kept as they are

    def say(rows: Answer) -> None:
        for row in rows:
            click.echo(f"{row['path']}: {row['snippet']}")
        if not rows:
            remark("Nothing matches.")

    asker.show(asker.ask("search", query=query, limit=limit), say)


@click.command()
@click.argument("note_id")
@asking
def show(asker: Asker, note_id: str) -> None:
    """Print a note by its id, path or link: its text, what was said in its turn, and where its links lead."""

    def say(found: Answer) -> None:
        remark(dim(found["path"]))
        click.echo(found["raw"].rstrip("\n"))
        for who, words in found["said"].items():
            if words:
                click.echo(f"\n## {who.capitalize()}\n\n{words}")
        for sign, links in (("→", found["links"]), ("←", found["backlinks"])):
            for link in links:
                click.echo(dim(f"{sign} {link['path'] or link['target']}{'' if link['path'] else ' (leads nowhere)'}"))

    asker.show(asker.ask("desk.note", ref=note_id), say)


@click.command()
@click.argument("note_id", default="")
@asking
def features(asker: Asker, note_id: str) -> None:
    """Print the feature stats: card id, path, its terms."""

    def say(rows: Answer) -> None:
        echo_rows(
            ("id", "path", "terms"),
            [(r["id"], r["path"], " ".join(term.replace(" ", "_") for term in r["terms"])) for r in rows],
        )

    asker.show(asker.ask("features", note_id=note_id), say)


@click.command()
@asking
def facts(asker: Asker) -> None:
    """Print each fact: id, category, confidence, key, what it says."""

    def say(rows: Answer) -> None:
        echo_rows(
            ("id", "category", "sure", "key", "says"),
            [(r["id"], r["category"], f"{r['confidence']:.2f}", r["key"], r["says"]) for r in rows],
        )

    asker.show(asker.ask("facts"), say)


@click.command()
@asking
def status(asker: Asker) -> None:
    """Say what is in the vault, and whether it is in step."""
    asker.show(asker.ask("status"), lambda found: echo_pairs(_state(found)))


def _state(found: Answer) -> list[tuple[str, str]]:
    """Say the state of a vault in words."""
    mend = f"{count(found['problems'], 'problem')}; `memkit doctor` lists them" if found["problems"] else "nothing"
    waits = found["learning_waits"]
    pairs = [
        ("vault", str(found["vault"])),
        ("derived data", str(found["derived"])),
        ("notes", counts(found["notes"], empty="none yet")),
        ("cards", ", ".join(f"{number} {name}" for name, number in found["cards"].items()) or "none yet"),
        ("tags", str(found["tags"])),
        ("to mend", mend),
        ("learning", f"{count(waits, 'turn waits', 'turns wait')} to be learned from" if waits else "nothing waits"),
    ]
    if "model" in found:
        pairs.append(
            ("model", f"{found['model']}; tokens: {found['model_tokens']}; last error: {found['model_error']}")
        )
    return [*pairs, *_daemon_state(found)] if "engine" in found else [*pairs, ("daemon", "none runs")]


def _daemon_state(found: Answer) -> list[tuple[str, str]]:
    """Say in words how the daemon is."""
    behind, building = found["words_behind"], found["words_building"]
    words = f"{count(behind, 'note')} to come" if behind else "in step"
    step = f"being built: {found['building']}" if found["building"] else "in step"
    step = "a look through all files is still to come" if found["scan_owed"] and not found["building"] else step
    waiting, failed = found["spool_waiting"], found["spool_failed"]
    pairs = [
        ("index", step),
        ("full text", f"{found['engine']}; {f'being built: {building}' if building else words}"),
        ("daemon", f"runs, {found['memory_mb']} MB; watches {found['watching']}"),
    ]
    if waiting or failed:
        pairs.append(("from hooks", f"{waiting} waiting to be taken in, {failed} could not be (see `memkit doctor`)"))
    return pairs


@click.command()
@asking
def doctor(asker: Asker) -> None:
    """List what you should mend, with path, line and the mend."""
    problems = asker.ask("doctor")

    def say(rows: Answer) -> None:
        for row in rows:
            where = f"{row['path']}:{row['line']}" if row["line"] else row["path"]
            click.echo(f"{where}: {row['what']} {row['mend']}".rstrip())
        remark(f"{count(len(rows), 'problem')}." if rows else "All is well.")

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
        names = ("at", "who", "what", "note", "why")
        echo_rows(names, [tuple(str(row.get(name, "")) for name in names) for row in rows], strip=True)
        if not rows:
            remark(f"Nothing is told of '{note_id}'." if note_id else dim("The journal is empty."))

    asker.show(asker.ask("log", note_id=note_id, limit=limit), say)
