"""Commands that remember and recall."""

from __future__ import annotations

import shlex

import click

from kit import text
from kit.cli.ask import (
    CATEGORY,
    Answer,
    Asker,
    asking,
    bold,
    dim,
    echo_after,
    remark,
    remark_refused,
    shortened,
    text_argument,
)
from kit.errors import BadInputError

_STATUS = click.Choice(["completed", "interrupted", "failed"])
_VERDICT = click.Choice(["confirmed", "rejected", "partial", "ignored", "none"])
_LAYER = click.Choice(["transient", "episodic", "semantic"])
_NOTHING = "Nothing useful is remembered for this."
_ROUTE = click.Choice(["shallow", "medium", "deep"])


@click.command()
@click.argument("prompt")
@click.option("--tag", "tags", multiple=True, help="A word it is found by; may be repeated.")
@click.option("--scene", default="", help="As `work` or `work/code-review`.")
@click.option("--topic", "--session", default="", help="The session or thread it belongs to.")
@click.option("--project", default="", help="The project it is about.")
@click.option("--person", "people", multiple=True, help="Who it is about; may be repeated.")
@click.option("--place", "places", multiple=True, help="Where it was; may be repeated.")
@click.option("--importance", type=click.IntRange(1, 5), default=3, show_default=True)
@click.option("--now", metavar="TIME", help="When it was said, if not now.")
@asking
def frame(asker: Asker, prompt: str, scene: str, **params: object) -> None:
    """Write the pending card of a prompt; `-` reads standard input."""
    said = text_argument(prompt)
    if said.strip() and not any(char.isalnum() for char in said):
        raise BadInputError(f"{said.strip()[:40]!r} holds no letter and no digit.", "Give a prompt with words in it.")
    answer = asker.ask("frame", prompt=said, scene=scene, **params)
    asker.show(answer, _say_written)
    if scene and not _is_scene(asker, scene):
        remark(f"'{scene}' is no scene yet; this makes it one: {asker.line('scenes add')} {shlex.quote(scene)}")


def _is_scene(asker: Asker, name: str) -> bool:
    known = (f"{row['scene']}/{row['scene_sub']}".strip("/") for row in asker.ask("scenes"))
    return any(text.key(each) == text.key(name) for each in known)


@click.command()
@click.argument("card")
@click.option("--answer", default="", help="What the agent answered; `-` reads standard input.")
@click.option("--status", type=_STATUS, default="completed", show_default=True)
@click.option("--error", default="", help="What went wrong.")
@click.option("--now", metavar="TIME", help="When it was answered, if not now.")
@asking
def complete(asker: Asker, card: str, answer: str, status: str, **params: object) -> None:
    """Finish a card with the answer; the same again changes nothing, another answer replaces it (`memkit log`)."""
    said = text_argument(answer)
    if status == "completed" and not said.strip():
        is_done = asker.ask("desk.note", ref=card)["said"]["agent"]
        what = "The card has its answer; none was given to replace it." if is_done else "There is no answer."
        raise BadInputError(what, "Give one with --answer, or say how it ended with --status.")
    done = asker.ask("complete", card=card, answer=said, status=status, **params)
    asker.show(done, lambda told: _say_completed(told, asker, said))


@click.command()
@click.argument("query")
@click.option("--tag", "tags", multiple=True, help="Ask by this tag as well; may be repeated.")
@click.option("--scene", default="", help="As `work` or `work/code-review`.")
@click.option("--project", help="Only this project's memories and those of none.")
@click.option("--topic", "--session", default="", help="The running session.")
@click.option("--layer", type=_LAYER, help="Only this tier.")
@click.option("--category", type=CATEGORY, help="Only facts of this category.")
@click.option("-k", "-n", "--limit", type=click.IntRange(1, 200), help="How many hits at most.")
@click.option("--threshold", type=click.FloatRange(0, 1), help="The score a hit must reach.")
@click.option("--explain", is_flag=True, help="Say each factor of each score, and what was missing.")
@click.option("--context", "as_context", is_flag=True, help="Print the text a hook in this folder would inject.")
@click.option("--route", type=_ROUTE, help="How deep the text goes; else as the prompt needs.")
@click.option("--now", metavar="TIME", help="The time to ask at, if not now.")
@asking
def recall(asker: Asker, query: str, tags: tuple[str, ...], explain: bool, as_context: bool, **params: object) -> None:
    """Recall what is useful for a question."""
    said = text_argument(query)
    if not (said.strip() or tags or params["scene"]):
        raise BadInputError("There is nothing to recall for.", 'Give words: memkit recall "which port does nginx use?"')
    if as_context and not tags:
        params = asker.as_a_hook() | {name: value for name, value in params.items() if value is not None}
    answer = asker.ask("explain", query=said, tags=list(tags) or None, **params)
    if as_context:
        asker.show(answer["delivery"], lambda found: click.echo(found["text"], nl=False))
        if not answer["delivery"]["text"]:
            found = answer["recall"]["hits"]
            remark("Nothing would be injected: nothing found is founded well enough." if found else _NOTHING)
        for lack in answer["recall"]["remarks"]:
            remark(lack)
    else:
        asker.show(answer, lambda found: _say_recall(found, explain=explain))


@click.command()
@click.argument("says")
@click.option("--category", type=CATEGORY)
@click.option("--key", default="", help="What it is about; a key has one value.")
@click.option("--value", default="", help="What holds.")
@click.option("--tag", "tags", multiple=True, help="A word it is found by; may be repeated.")
@click.option("--scene", "scenes", multiple=True, help="A scene it holds in; may be repeated.")
@click.option("--project", default="", help="The project it holds for.")
@click.option("--importance", type=click.IntRange(1, 5), default=3, show_default=True)
@click.option("--now", metavar="TIME", help="When it was said, if not now.")
@asking
def remember(asker: Asker, says: str, **params: object) -> None:
    """Keep a lasting fact or preference."""
    answer = asker.ask("remember", says=text_argument(says), **params)
    asker.show(answer, _say_remembered)


@click.command()
@click.argument("note_id")
@click.argument("verdict", type=_VERDICT)
@click.option("--reason", default="", help="Why.")
@asking
def feedback(asker: Asker, note_id: str, verdict: str, reason: str) -> None:
    """Say what you think of a memory; `none` takes it back."""
    answer = asker.ask("feedback", note_id=note_id, verdict="" if verdict == "none" else verdict, reason=reason)

    def say(done: Answer) -> None:
        click.echo(f"{done['path']}: {done['before'] or 'none'} → {verdict}")
        remark_refused(done)

    asker.show(answer, say)


@click.command()
@click.argument("note_id")
@click.option("--reason", default="", help="Why.")
@asking
def forget(asker: Asker, note_id: str, reason: str) -> None:
    """Put a memory into the archive; `restore` brings it back."""
    asker.show(asker.ask("forget", note_id=note_id, reason=reason), _say_moved)


@click.command()
@click.argument("note_id")
@asking
def restore(asker: Asker, note_id: str) -> None:
    """Take a memory out of the archive."""
    asker.show(asker.ask("restore", note_id=note_id), _say_moved)


def _say_written(card: Answer) -> None:
    click.echo(card["id"])
    remark(dim(f"{card['status']}: {card['path']}"))
    remark_refused(card)


def _say_completed(card: Answer, asker: Asker, said: str) -> None:
    click.echo(card["path"])
    if not card["changed"]:
        how = "completed with this answer" if said else card["status"]
        remark(dim(f"It was {how} before; nothing changed."))
        return
    remark(f"{bold(card['status'])}: {card['summary']}")
    if card["replaced"]:
        log = f"`{asker.line('log')} {card['id']} --json`"
        remark(f"The earlier answer was replaced; {log} still shows it, word for word.")
    if card["kept"]:
        remark(f"The answer it had stays as it was, in {card['event']}.")
    if card["tags"]:
        remark(dim(f"tags: {', '.join(card['tags'])}"))
    remark_refused(card)


def _say_remembered(fact: Answer) -> None:
    if fact is None:
        remark("Too unsure to be kept.")
        return
    click.echo(fact["path"])
    remark(dim({"new": "kept", "confirmed": "known already; surer now"}.get(fact["did"], fact["did"])))
    remark_refused(fact)


def _say_moved(done: Answer) -> None:
    for path in done["paths"]:
        click.echo(path)
    remark_refused(done)


def _say_recall(found: Answer, *, explain: bool) -> None:
    recall = found["recall"]
    for number, (hit, says) in enumerate(zip(recall["hits"], found["says"], strict=True), 1):
        day = (hit["created"] or "")[:10]
        click.echo(f"{number}. {bold(shortened(says))}  {hit['score']:.2f}")
        click.echo(dim(f"   {hit['path']}  {day}"))
        if explain:
            for reason in hit["reasons"]:
                head = f"     {reason['kind']}{reason['value']:.2f}  {reason['factor']:<10} "
                echo_after(head, reason["note"])
    if not recall["hits"]:
        remark(_NOTHING)
    if recall["missing"]:
        remark(f"Not known: {', '.join(recall['missing'])}.")
    for said in recall["remarks"]:
        remark(said)
    if explain:
        _say_perception(recall["perception"], recall["codes"])


def _say_perception(seen: Answer, codes: Answer) -> None:
    remark(dim(f"understood as: {', '.join(codes) or 'nothing that is known'}"))
    for why in seen["reasons"]:
        remark(dim(f"perceived: {why}"))
