"""Commands that govern the tag pool, the scenes, and the vault as a whole."""

from __future__ import annotations

import difflib

import click

from kit.cli.ask import Answer, Asker, Group, asking, bold, count, dim, echo_rows, remark

_LEVEL = click.Choice(["synonym", "related", "loose"])
_DIMENSION = click.Choice(["content", "task", "constraint", "scene"])


@click.group(cls=Group, invoke_without_command=True)
@click.option("--vault", metavar="FOLDER", help="The vault to ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def tags(ctx: click.Context, vault: str | None, as_json: bool) -> None:
    """Look at the tag pool and govern it."""
    given = ctx.find_root().obj
    ctx.find_root().obj = {"vault": vault or given.get("vault"), "json": as_json or given.get("json")}
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_tags)


@tags.command("list")
@asking
def list_tags(asker: Asker) -> None:
    """Print each tag: code, name, status, cards, aliases."""

    def say(rows: Answer) -> None:
        echo_rows(
            ("code", "name", "status", "cards", "aliases"),
            [(r["code"], r["name"], r["status"], str(r["cards"]), ", ".join(r["aliases"])) for r in rows],
        )

    asker.show(asker.ask("tags"), say)


@tags.command()
@click.argument("name")
@asking
def show(asker: Asker, name: str) -> None:
    """Show one tag: what it means, how it relates, which cards bear it."""

    def say(tag: Answer) -> None:
        for key, value in tag.items():
            shown = ", ".join(value) if isinstance(value, list) else value
            if shown:
                click.echo(f"{bold(key)}\t{shown}")

    asker.show(asker.ask("pool.show", name=name), say)


@tags.command()
@click.argument("name")
@click.option("--definition", "definitions", multiple=True, help="What it means; may be repeated.")
@click.option("--dimension", "dimensions", type=_DIMENSION, multiple=True, help="What it tells of.")
@click.option("--alias", "aliases", multiple=True, help="Another word for it; may be repeated.")
@asking
def add(asker: Asker, name: str, **params: object) -> None:
    """Make a tag, or add meanings and aliases to one."""
    asker.show(asker.ask("pool.add", name=name, **params), asker.say_done)


@tags.command()
@click.argument("one")
@click.argument("other")
@click.option("--level", type=_LEVEL, default="related", show_default=True)
@asking
def relate(asker: Asker, one: str, other: str, level: str) -> None:
    """Relate two tags, on both notes."""
    asker.show(asker.ask("pool.relate", one=one, other=other, level=level), asker.say_done)


@tags.command()
@click.argument("name")
@asking
def activate(asker: Asker, name: str) -> None:
    """Make an unexamined tag active."""
    asker.show(asker.ask("pool.activate", name=name), asker.say_done)


@tags.command()
@click.argument("name")
@asking
def revive(asker: Asker, name: str) -> None:
    """Make a deprecated tag active again."""
    asker.show(asker.ask("pool.activate", name=name), asker.say_done)


@tags.command()
@click.argument("name")
@click.option("--reason", "why", default="", help="Why.")
@asking
def deprecate(asker: Asker, name: str, why: str) -> None:
    """Have a tag recall nothing any more."""
    asker.show(asker.ask("pool.deprecate", name=name, why=why), asker.say_done)


@tags.command()
@click.argument("name")
@click.argument("new_name")
@asking
def rename(asker: Asker, name: str, new_name: str) -> None:
    """Give a tag another name; the old one becomes an alias, its cards follow."""
    asker.show(asker.ask("pool.rename", name=name, new_name=new_name), asker.say_done)


@tags.command()
@click.argument("name")
@click.argument("into")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@asking
def merge(asker: Asker, name: str, into: str, dry_run: bool) -> None:
    """Merge a tag into another: cards, aliases, definitions and relations move; a signpost stays."""
    answer = asker.ask("pool.merge", name=name, into=into, dry_run=dry_run)
    asker.show(answer, _say_changes if dry_run else asker.say_done)


@tags.command()
@click.argument("name")
@click.option("--into", required=True, help="The parts, with commas between.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@asking
def split(asker: Asker, name: str, into: str, dry_run: bool) -> None:
    """Split a tag into others; each card gets the parts its words speak for."""
    parts = [part.strip() for part in into.split(",") if part.strip()]
    answer = asker.ask("pool.split", name=name, parts=parts, dry_run=dry_run)
    asker.show(answer, _say_changes if dry_run else asker.say_done)


@tags.command()
@asking
def lint(asker: Asker) -> None:
    """List malformed tags and what each lacks."""

    def say(rows: Answer) -> None:
        for name, path, lacks in rows:
            click.echo(f"{path}: '{name}' lacks {' and '.join(lacks)}")
        lacking = "1 tag lacks" if len(rows) == 1 else f"{len(rows)} tags lack"
        remark(f"{lacking} something." if rows else "Every tag is complete.")

    asker.show(asker.ask("pool.lint"), say)


@tags.command()
@asking
def suggest(asker: Asker) -> None:
    """Say what could be done to the pool, with the evidence."""
    asker.show(asker.ask("pool.suggest"), _say_proposals)


@tags.command()
@click.option("--dry-run", is_flag=True, help="Only say what could be done, as `suggest` does.")
@asking
def evolve(asker: Asker, dry_run: bool) -> None:
    """Do what is certain and can be undone; say what is left to you."""
    if dry_run:
        asker.show(asker.ask("pool.suggest"), _say_proposals)
        return

    def say(found: Answer) -> None:
        for done in found["done"]:
            asker.say_done(done)
        if found["left"]:
            remark("Left to you:")
        _say_proposals(found["left"])

    asker.show(asker.ask("pool.evolve"), say)


@click.group(cls=Group, invoke_without_command=True)
@click.option("--vault", metavar="FOLDER", help="The vault to ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def scenes(ctx: click.Context, vault: str | None, as_json: bool) -> None:
    """Look at the scenes and add to them."""
    given = ctx.find_root().obj
    ctx.find_root().obj = {"vault": vault or given.get("vault"), "json": as_json or given.get("json")}
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_scenes)


@scenes.command("list")
@asking
def list_scenes(asker: Asker) -> None:
    """Print each scene: category, sub-scene, cards, aliases."""

    def say(rows: Answer) -> None:
        echo_rows(
            ("scene", "sub-scene", "cards", "aliases"),
            [(row["scene"], row["scene_sub"], str(row["cards"]), ", ".join(row["aliases"])) for row in rows],
        )

    asker.show(asker.ask("scenes"), say)


@scenes.command("add")
@click.argument("name")
@click.option("--alias", "aliases", multiple=True, help="A word that gives it away; may be repeated.")
@asking
def add_scene(asker: Asker, name: str, aliases: tuple[str, ...]) -> None:
    """Make a scene (`work`) or a sub-scene (`work/code-review`)."""
    asker.show(asker.ask("pool.add_scene", name=name, aliases=aliases), asker.say_done)


@scenes.command("show")
@click.argument("name")
@asking
def show_scene(asker: Asker, name: str) -> None:
    """Show the cards of a scene: id and path."""
    main, _, sub = name.partition("/")

    def say(rows: Answer) -> None:
        for row in rows:
            click.echo(f"{row['id']}\t{row['path']}")
        if not rows:
            remark(f"No card stands in a scene '{name}'.")

    asker.show(asker.ask("scene_cards", scene=main, scene_sub=sub), say)


@click.command()
@click.argument("act", default="")
@asking
def undo(asker: Asker, act: str) -> None:
    """Take back an act of governance: your newest, or the one named (`memkit log` names acts)."""
    asker.show(asker.ask("pool.undo", act_id=act), asker.say_done)


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say which, and why.")
@asking
def clean(asker: Asker, dry_run: bool) -> None:
    """Put memories of little weight into the archive; `restore` or `undo` brings them back."""

    def say(found: Answer) -> None:
        for memory in found["leaving"]:
            click.echo(f"{memory['weight']:.2f}\t{memory['id']}\t{memory['path']}\t{memory['why']}")
        leaving = count(len(found["leaving"]), "memory", "memories")
        remark(f"{leaving} {'would go' if dry_run else 'went'} into the archive.")
        over = sum(memory["why"].startswith("over the ") for memory in found["leaving"])
        if over:
            remark(f"{over} of them only because a tier is full: `tiers.episodic` and its like say how much one holds.")
        if found["done"]:
            remark(dim(f"`{asker.line('undo')} {found['done']['act']}` brings them all back."))

    asker.show(asker.ask("pool.clean", dry_run=dry_run), say)


def _say_changes(changes: Answer) -> None:
    for change in changes:
        click.echo(bold(change["path"]) + (f" → {change['moved']}" if change["moved"] else ""))
        for line in difflib.ndiff(change["old"].splitlines(), change["new"].splitlines()):
            if line.startswith(("- ", "+ ")):
                click.echo(f"  {line}")
    remark("Nothing was changed.")


def _say_proposals(rows: Answer) -> None:
    for row in rows:
        what = f"{row['what']} {row['tag']}" + (f" {row['other']}" if row["other"] else "")
        level = f" ({row['level']})" if row["level"] else ""
        click.echo(f"{row['evidence']:.2f}\t{what}{level}\t{row['why']}")
    if not rows:
        remark("There is nothing to propose.")
