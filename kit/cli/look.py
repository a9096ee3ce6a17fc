"""Commands that look in; grep-friendly, nothing is changed."""

from __future__ import annotations

import re

import click

from kit.cli.ask import (
    CATEGORY,
    Answer,
    Asker,
    asking,
    count,
    counts,
    dim,
    echo_pairs,
    echo_rows,
    meant,
    refuse_unknown,
    remark,
)  # fmt: skip
from kit.errors import NotFoundError

_FOUND_PROBLEMS = 1
_KIND = re.compile(r"(?<![^\s-])kind:(\w+)")
_KINDS = frozenset({"card", "fact", "summary", "note"})


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

    rows = asker.ask("book")
    if dimension and dimension not in (known := {row["dimension"] for row in rows}):
        refuse_unknown("dimension", dimension, known)
    asker.show([row for row in rows if dimension in ("", row["dimension"])], say)


@click.command()
@click.argument("query")
@click.option("-n", "-k", "--limit", type=click.IntRange(1), default=20, show_default=True)
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
            odd = set(_KIND.findall(query.casefold())) - _KINDS
            for word in sorted(odd):
                remark(f"kind:{word} is none: {', '.join(sorted(_KINDS))}.{meant(word, _KINDS)}")

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
@click.option("--category", type=CATEGORY, help="Only facts of this category.")
@asking
def facts(asker: Asker, category: str | None) -> None:
    """Print each fact: id, category, confidence, key, what it says."""

    def say(rows: Answer) -> None:
        echo_rows(
            ("id", "category", "sure", "key", "says"),
            [(r["id"], r["category"], f"{r['confidence']:.2f}", r["key"], r["says"]) for r in rows],
        )

    rows = asker.ask("facts")
    asker.show([row for row in rows if category in (None, row["category"])], say)


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
    words += f" ({found['words_trouble']})" if found["words_trouble"] else ""
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
@click.option("--relink", is_flag=True, help="Have links to notes that you renamed say their new names.")
@asking
def doctor(asker: Asker, relink: bool) -> None:
    """List what you should mend, with path, line and the mend."""
    if relink:
        asker.show(asker.ask("pool.relink"), asker.say_done)
        return
    problems = asker.ask("doctor")

    def say(rows: Answer) -> None:
        for row in rows:
            where = f"{row['path']}:{row['line']}" if row["line"] else row["path"]
            click.echo(f"{where}: {row['what']} {row['mend']}".rstrip())
        remark(f"{count(len(rows), 'problem')}." if rows else "All is well.")
        if not asker.faults and (stale := asker.ask("pool.relink", dry_run=True)):
            names = "names notes as they were" if len(stale) == 1 else "name notes as they were"
            remark(
                f"{count(len(stale), 'note')} {names} called before: the kit finds them all the same, Obsidian does "
                f"not. `{asker.line('doctor --relink')}` writes the new names."
            )

    asker.show(problems, say)
    if problems:
        raise click.exceptions.Exit(_FOUND_PROBLEMS)


@click.command()
@click.argument("note_id", default="")
@click.option("-n", "-k", "--limit", type=click.IntRange(1), default=20, show_default=True)
@click.option("--what", default="", help="Only this act: remember, merge, forget, undo …")
@click.option(
    "--who", "by", type=click.Choice(["person", "hook", "learn", "maintain", "recall"]), help="Only what they did."
)
@asking
def log(asker: Asker, note_id: str, limit: int, **params: str | None) -> None:
    """Print the journal, newest first: when, who, what, note, why, and the name `memkit undo` takes an act by."""

    def say(rows: Answer) -> None:
        names = ("at", "who", "what", "note", "why", "act")
        told = [{**row, "act": row["act"] if row.get("changes") else ""} for row in rows]
        echo_rows(names, [tuple(str(row.get(name, "")) for name in names) for row in told], strip=True)
        if not rows:
            told_of = "of this" if any(params.values()) else f"of '{note_id}'"
            remark(f"Nothing is told {told_of}." if note_id or any(params.values()) else dim("The journal is empty."))

    rows = asker.ask("log", note_id=note_id, limit=limit, **params)
    if note_id and not rows and not any(params.values()):
        raise NotFoundError(f"Nothing is told of '{note_id}'.", "Give an id or a path; `memkit recall` shows them.")
    asker.show(rows, say)
