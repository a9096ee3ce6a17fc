"""Commands that put the hooks into coding agents, take them out, and say whether they work."""

from __future__ import annotations

import json
import os
import subprocess
import time
import uuid
from typing import TYPE_CHECKING

import click

from kit.cli.ask import Answer, Asker, Group, asking, bold, dim, echo_rows, remark
from kit.errors import BadInputError, KitError, NotFoundError, NoVaultError
from kit.installing import commands, planning, state, writing
from kit.installing.house import CLIENTS, House, this_house
from kit.installing.planning import Wish
from kit.installing.samples import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kit.installing.plan import Plan

TEST_S = 30.0

_CLIENTS = click.argument("clients", nargs=-1, metavar="[CLIENT]...")
_ALL = click.option("--all", "every", is_flag=True, help="Every client whose program is on your PATH.")
_PROJECT = click.option("--project", is_flag=True, help="For this folder's project only, and for you alone (claude).")
_DRY = click.option("--dry-run", is_flag=True, help="Print what would change as a diff, and change nothing.")


@click.group(cls=Group)
def hooks() -> None:
    """Put the hooks into your coding agents, take them out, or see whether they work."""


@hooks.command()
@_CLIENTS
@_ALL
@_PROJECT
@_DRY
@click.option("--rules", is_flag=True, help="Lay the rules of use for the model next to the hooks.")
@asking
def install(asker: Asker, clients: tuple[str, ...], every: bool, project: bool, dry_run: bool, rules: bool) -> None:
    """Put the hooks into these clients; doing it again changes nothing."""
    house = this_house()
    names = _chosen(house, clients, every=every)
    wishes = [Wish(name, project, rules) for name in names]
    _do(asker, house, wishes, planning.install, dry_run=dry_run)
    try:
        _ = asker.root
    except NoVaultError as error:
        remark(f"The hooks are silent until there is a vault. {error.mend}")


@hooks.command()
@_CLIENTS
@click.option("--all", "every", is_flag=True, help="Every client that has them.")
@_PROJECT
@_DRY
@asking
def uninstall(asker: Asker, clients: tuple[str, ...], every: bool, project: bool, dry_run: bool) -> None:
    """Take the hooks out and leave each file as it was, with your own changes since."""
    house = this_house()
    names = tuple(CLIENTS) if every and not clients else _chosen(house, clients, every=False)
    wishes = [Wish(name, project) for name in names if not (every and project) or name in planning.PROJECT]
    _do(asker, house, wishes, planning.uninstall, dry_run=dry_run, only_changes=every)


@hooks.command()
@_CLIENTS
@_PROJECT
@asking
def status(asker: Asker, clients: tuple[str, ...], project: bool) -> None:
    """Say which clients are here and which of them have the hooks."""
    house = this_house()
    names = clients or (planning.PROJECT if project else tuple(CLIENTS))
    wishes = [Wish(house.client(name).name, project) for name in names]
    states = [state.state(house, wish, writing.read) for wish in wishes]
    asker.show([found._asdict() for found in states], _say_states)


@hooks.command()
@click.argument("client")
@click.option("--prompt", default="", help="Also show what this prompt would be answered with.")
@asking
def test(asker: Asker, client: str, prompt: str) -> None:
    """Run the hook as the client does, with the start of a session: no card is written.

    It ends with 1 where the hook fails, or does not lie where the client reads it; that you have yet to trust it there
    is told.
    """
    house = this_house()
    found = _standing(house, Wish(house.client(client).name))
    asker.client().ask("ping", timeout=TEST_S)  # a hook that finds no daemon starts one and says nothing this time
    answer = {"client": client, "hooks": found.hooks, "remarks": list(found.remarks), **_tried(asker, house, client)}
    if prompt:
        answer["prompt"] = _recalled(asker, prompt)
    asker.show(answer, _say_test)
    if answer["exit_code"] or answer["errors"] or found.hooks != "installed":
        raise click.exceptions.Exit(1)


def _standing(house: House, wish: Wish) -> state.State:
    """Tell how things stand with a client; of one without hooks for all projects, how they stand in this one."""
    found = state.state(house, wish, writing.read)
    if found.hooks != "not installed" or wish.client not in planning.PROJECT:
        return found
    here = state.state(house, wish._replace(project=True), writing.read)
    return found if here.hooks == "not installed" else here


def _chosen(house: House, clients: Sequence[str], *, every: bool) -> tuple[str, ...]:
    if every and clients:
        raise BadInputError("Name clients or say --all, not both.")
    if clients:
        return tuple(dict.fromkeys(house.client(name).name for name in clients))
    if not every:
        raise BadInputError("No client is named.", f"Name some of {', '.join(CLIENTS)}, or say --all.")
    found = tuple(name for name in CLIENTS if house.executable(name))
    if not found:
        raise NotFoundError("No coding agent is on your PATH.", f"Name one: {', '.join(CLIENTS)}.")
    return found


def _do(
    asker: Asker,
    house: House,
    wishes: Sequence[Wish],
    planner: Callable[[House, Wish, planning.Read], Plan],
    *,
    dry_run: bool,
    only_changes: bool = False,
) -> None:
    """Plan and carry out for one client after the other; one client's trouble is not the other's."""
    answers: list[Answer] = []
    troubles: list[KitError] = []
    for wish in wishes:
        try:
            plan = planner(house, wish, writing.read)
            if not dry_run and (plan.undoes or not plan.is_empty()):
                writing.carry_out(plan, house, lambda said: remark(dim(said)))
        except KitError as error:
            answers.append({"client": wish.client, "error": str(error), "exit_code": error.exit_code})
            troubles.append(error)
        else:
            if not (only_changes and plan.is_empty()):
                answers.append(_told(plan, state.state(house, wish, writing.read), dry_run=dry_run))
    asker.show(answers, _say_done)
    if not answers and not asker.as_json:
        remark("No client has them.")
    if troubles:
        raise click.exceptions.Exit(troubles[0].exit_code)


def _told(plan: Plan, now: state.State, *, dry_run: bool) -> Answer:
    left = () if plan.undoes or plan.remarks else now.remarks  # what an earlier install left to the person
    return {
        "client": plan.client,
        "hooks": now.hooks,
        "dry_run": dry_run,
        "undoes": plan.undoes,
        "changed": [str(change.path) for change in plan.changes],
        "ran": [str(run) for run in plan.runs],
        "diff": [line for change in plan.changes for line in change.diff()] if dry_run else [],
        "remarks": [*plan.remarks, *left],
    }


def _say_done(answers: Answer) -> None:
    for told in answers:
        if "error" in told:
            remark(f"{bold(told['client'])}: {told['error']}")
            continue
        for line in told["diff"]:
            click.echo(line)
        if told["dry_run"]:
            for command in told["ran"]:
                click.echo(f"$ {command}")
            continue
        laid = "installed" if told["hooks"] == "installed" else "laid; the client has yet to take them up"
        did = "taken out" if told["undoes"] else laid
        there = "they were there already" if told["hooks"] == "installed" else laid
        nothing = "they were not there" if told["undoes"] else there
        remark(f"{bold(told['client'])}: {did if told['changed'] or told['ran'] else nothing}")
        for path in told["changed"]:
            click.echo(path)
        for command in told["ran"]:
            remark(dim(f"ran: {command}"))
        for line in told["remarks"]:
            remark(line)


def _say_states(states: Answer) -> None:
    rows = []
    for told in states:
        where = told["file"] if told["hooks"] != "not installed" else ""
        rows.append((told["client"], told["hooks"], where or ("" if told["program"] else "(not on your PATH)")))
    echo_rows(("client", "hooks", "where"), rows, strip=True)
    for told in states:
        for line in told["remarks"]:
            remark(dim(f"{told['client']}: {line}"))


def _tried(asker: Asker, house: House, client: str) -> Answer:
    """Run the hook once, in this folder, and time it from outside."""
    event, payload = sample(client, f"memkit-test-{uuid.uuid4()}", str(house.here))
    words = commands.to_run(client, house.program, event)
    begun = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - our own program, no shell
        words, input=json.dumps(payload).encode(), capture_output=True, check=False, timeout=TEST_S,
        env=os.environ | {"MEMKIT_VAULT": str(asker.root)},
    )  # fmt: skip
    return {
        "command": words,
        "milliseconds": round((time.perf_counter() - begun) * 1000, 1),
        "exit_code": done.returncode,
        "errors": done.stderr.decode("utf-8", "replace"),
        "injected": done.stdout.decode("utf-8", "replace"),
    }


def _recalled(asker: Asker, prompt: str) -> str:
    """Ask for what the hook would inject."""
    return str(asker.ask("explain", query=prompt, **asker.as_a_hook())["delivery"]["text"])


def _say_test(told: Answer) -> None:
    remark(f"{bold(told['client'])}: {told['hooks']}; the hook took {told['milliseconds']} ms")
    if told["exit_code"] or told["errors"]:
        remark(f"It ended with {told['exit_code']}: {told['errors']}")
    click.echo(told["injected"].rstrip("\n") or "(nothing at the start of a session)")
    if "prompt" in told:
        click.echo(told["prompt"].rstrip("\n") or "(nothing for this prompt)")
    for line in told["remarks"]:
        remark(line)
    if told["hooks"] == "not installed":
        remark(f"Put them in: memkit hooks install {told['client']}")
