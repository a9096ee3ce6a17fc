"""From a client and what its files hold now to a plan: what would be written, told and run.

Law: nothing is written here. What is planned twice is planned once: a second install is an empty plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit.errors import BadInputError
from kit.installing import codex, commands, document, laid, merging, patch, receipts
from kit.installing.plan import Change, Kept, Plan, Run, changed, digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kit.installing.house import House

    Read = Callable[[Path], bytes | None]

MERGED = ("claude", "codex", "cursor")
EXTENDED = ("gemini", "qwen")
TOLD = (*EXTENDED, "openclaw")
"""Clients that take up themselves what is laid for them."""
PROJECT = ("claude",)
TRUST = (("GEMINI_CLI_TRUST_WORKSPACE", "true"),)
"""Else Gemini CLI asks whether it may trust the folder of what is installed, and waits for ever where nobody answers.

It holds for that one run, which is in our own folder: nothing else is trusted by it, and nothing is written down.
"""
YOURS = ".yours"
"""What is added to the name of a file of ours that the person has changed, when ours is taken out."""


class Wish(NamedTuple):
    """What is asked for."""

    client: str
    project: bool = False
    rules: bool = False


class _Desk(NamedTuple):
    """What planning looks at."""

    house: House
    wish: Wish
    read: Read
    receipt: receipts.Receipt
    name: str

    def plan(self, *changes: Change, **more: object) -> Plan:
        return Plan(self.wish.client, changed(*changes), receipt=self.name, **more)  # type: ignore[arg-type] # fields


def install(house: House, wish: Wish, read: Read) -> Plan:
    """Plan to put the hooks into a client; raise RefusedError for a file that is odd."""
    desk = _desk(house, wish, read)
    if wish.client in MERGED:
        return _merge(desk)
    if wish.client == "dsh":
        return _patch(desk)
    return _lay(desk)


def uninstall(house: House, wish: Wish, read: Read) -> Plan:
    """Plan to take the hooks out, and leave every file as it was before or as the person has made it since."""
    desk = _desk(house, wish, read)
    told: tuple[str, ...] = ()
    if wish.client in MERGED:
        file = merged_file(house, wish)
        told = _shifting(desk, file)
        changes = [_taken_out(desk, file), *_removed(desk, _rules_only(desk))]
    elif wish.client == "dsh":
        file = patch_file(house)
        raw = desk.read(file)
        changes = [Change(file, raw, _unpatched(desk, file, raw))]
        changes += _removed(desk, [*laid_files(house, wish.client), *_rules_only(desk)])
    else:
        changes = _removed(desk, [*laid_files(house, wish.client), *_rules_only(desk)])
    runs, more = _runs_out(desk)
    return desk.plan(*changes, runs=runs, undoes=True, remarks=(*told, *more))


def merged_file(house: House, wish: Wish) -> Path:
    """Name the file of the person's own that the hooks are merged into."""
    if wish.client == "claude" and wish.project:
        return house.here / ".claude" / "settings.local.json"
    return house.base(wish.client) / ("settings.json" if wish.client == "claude" else "hooks.json")


def rules_file(house: House, wish: Wish) -> Path:
    """Name the file of the rules of use."""
    if wish.client in EXTENDED:
        return house.laid(wish.client) / "memkit.md"
    if wish.client == "claude":
        return (house.here / ".claude" if wish.project else house.base("claude")) / "rules" / "memkit.md"
    if wish.client == "openclaw":
        return house.laid("openclaw") / "memkit.md"
    return house.base(wish.client) / "memkit.md"


def patch_file(house: House) -> Path:
    """Name the file of plugins that holds for all profiles of DeepSeek Harness."""
    return house.base("dsh") / "cordis.patch.yml"


def extension_folder(house: House, client: str) -> Path:
    """Name where Gemini CLI or Qwen Code puts an extension it has installed."""
    return house.base(client) / "extensions" / "memkit"


def _desk(house: House, wish: Wish, read: Read) -> _Desk:
    house.client(wish.client)
    if wish.project and wish.client not in PROJECT:
        raise BadInputError(
            f"{wish.client} has no settings of a project that stay out of git.",
            "Leave out --project: the hooks go into your own settings and work in every project.",
        )
    name = receipts.name_of(wish.client, house.here if wish.project else None)
    return _Desk(house, wish, read, receipts.read(house.config, name), name)


# -- clients whose own file the hooks are merged into


def _merge(desk: _Desk) -> Plan:
    house, client = desk.house, desk.wish.client
    file = merged_file(house, desk.wish)
    raw = desk.read(file)
    text = document.read(raw, file)
    written = merging.put_in(text, client, commands.wanted(client, house.program), file)
    after = raw if written == text else written.encode()
    rules, told = _rules(desk)
    keeps = ((file, Kept(_before(desk, file, raw), digest(after))), *_keeps(rules))
    return desk.plan(Change(file, raw, after), *rules, keeps=keeps, remarks=(*told, *_about(desk)))


def _taken_out(desk: _Desk, file: Path) -> Change:
    raw = desk.read(file)
    return Change(file, raw, _before(desk, file, raw))


def _before(desk: _Desk, file: Path, raw: bytes | None) -> bytes | None:
    """Tell what a file is without us: its bytes from before we came, or those with what the person changed since."""
    kept = desk.receipt.files.get(file)
    if kept and digest(raw) == kept.after:
        return kept.before
    text = document.read(raw, file)
    bare = merging.take_out(text, desk.wish.client, file)
    if bare == text:
        return raw
    was_ours = kept is not None and kept.before is None
    return None if was_ours and document.value(bare, document.root(bare)) in ({}, {"version": 1}) else bare.encode()


def _shifting(desk: _Desk, file: Path) -> tuple[str, ...]:
    raw = desk.read(file)
    if desk.wish.client != "codex" or raw is None or not codex.moves_others(document.read(raw, file), file):
        return ()
    return ("Hooks of yours that stood behind these have moved up; Codex will ask you to trust them again.",)


def _about(desk: _Desk) -> tuple[str, ...]:
    house, client, file = desk.house, desk.wish.client, merged_file(desk.house, desk.wish)
    if client == "codex":
        return (
            f"Codex runs no hook you have not looked at. {codex.REVIEW}",
            "Until then the hooks are silent; `memkit hooks status` says whether they are trusted.",
            *codex.remarks(desk.read(config := house.base("codex") / "config.toml"), config),
        )
    if client == "cursor":
        return ("Cursor is untested: its hooks are written from its documents.",)
    if client == "claude" and not desk.wish.project:
        return ("It holds at once, in open sessions too.",)
    if client == "claude":
        rules = rules_file(house, desk.wish)
        ours = (file, rules) if desk.wish.rules or rules in desk.receipt.files else (file,)
        names = [path.relative_to(house.here).as_posix() for path in ours if (house.here / ".git").is_dir()]
        hide = [f"So that git leaves it out: echo {name} >> .git/info/exclude" for name in names]
        return (f"It holds in {house.here} for you alone.", *hide)
    return ()


# -- clients that get files of ours


def _lay(desk: _Desk) -> Plan:
    rules, told = _rules(desk)
    brought = desk.wish.client in EXTENDED and bool(rules)
    files = laid.files(desk.house, desk.wish.client, rules=brought)
    changes = [change for path, raw in files for change in _dropped(desk, path, raw)]
    changes += [] if brought else rules
    runs, more = _runs_in(desk, dict(files))
    return desk.plan(*changes, runs=runs, keeps=_keeps(changes), remarks=(*told, *more))


def _dropped(desk: _Desk, path: Path, raw: bytes) -> list[Change]:
    """Lay one file of ours; a file of another's by that name is not overwritten."""
    found = desk.read(path)
    if found is None or found == raw:
        return [Change(path, found, raw)]
    if not _is_ours(desk, path, found):
        document.refuse(path, "There is a file of this name that is not the kit's.")
    return [Change(path, found, raw), *_spared(desk, path, found)]


def _removed(desk: _Desk, files: list[Path]) -> list[Change]:
    found: list[Change] = []
    for path in files:
        raw = desk.read(path)
        if raw is not None and _is_ours(desk, path, raw):
            found += [Change(path, raw, None), *_spared(desk, path, raw)]
    return found


def _is_ours(desk: _Desk, path: Path, raw: bytes) -> bool:
    known = path in desk.receipt.files or desk.house.laid(desk.wish.client) in path.parents
    return known or laid.is_ours(raw, desk.wish.client)


def _spared(desk: _Desk, path: Path, raw: bytes) -> list[Change]:
    """Keep what the person has written into a file of ours under another name."""
    kept = desk.receipt.files.get(path)
    if kept is None or digest(raw) == kept.after:
        return []
    yours, number = path.with_name(path.name + YOURS), 1
    while (found := desk.read(yours)) not in {None, raw}:  # that is theirs, too
        number += 1
        yours = path.with_name(f"{path.name}.{number}{YOURS}")
    return [Change(yours, found, raw)]


def laid_files(house: House, client: str) -> list[Path]:
    """Name the files that are laid for a client, the rules of an extension among them."""
    return [path for path, _ in laid.files(house, client, rules=True)]


def _runs_in(desk: _Desk, files: dict[Path, bytes]) -> tuple[tuple[Run, ...], tuple[str, ...]]:
    house, client = desk.house, desk.wish.client
    if client == "openclaw":
        return (), laid.openclaw_steps(house)
    if client not in EXTENDED:
        return (), ("It holds from the next start of the client on.",)
    folder, target = house.laid(client), extension_folder(house, client)
    if all(desk.read(target / path.relative_to(folder)) == raw for path, raw in files.items()):
        return (), ()
    program = house.executable(client)
    words = (program or client, "extensions", "install", str(folder), "--consent")
    if not program:
        return (), (f"{client} is not on your PATH. Where it is, run: {Run(words)}",)
    older = desk.read(target / f"{client}-extension.json") is not None
    run = Run(words, TRUST, folder) if client == "gemini" else Run(words)
    return (*([Run((program, "extensions", "uninstall", "memkit"))] if older else []), run), ()


def _runs_out(desk: _Desk) -> tuple[tuple[Run, ...], tuple[str, ...]]:
    house, client = desk.house, desk.wish.client
    if client == "openclaw" and desk.read(house.laid(client) / "package.json") is not None:
        out = Run(("openclaw", "plugins", "uninstall", "memkit", "--force"))
        return (), ("Take out of openclaw.json what you have put in, or run:", str(out))
    if client not in EXTENDED or desk.read(extension_folder(house, client) / f"{client}-extension.json") is None:
        return (), ()
    program = house.executable(client)
    run = Run((program or client, "extensions", "uninstall", "memkit"))
    return ((run,), ()) if program else ((), (f"{client} is not on your PATH. Where it is, run: {run}",))


# -- DeepSeek Harness: a file of ours, and a row in a file of the person's


def _patch(desk: _Desk) -> Plan:
    file = patch_file(desk.house)
    raw = desk.read(file)
    files = laid.files(desk.house, "dsh", rules=False)
    after = patch.put_in(raw, files[0][0], file)
    rules, told = _rules(desk)
    changes = [change for path, content in files for change in _dropped(desk, path, content)]
    keeps = ((file, Kept(_unpatched(desk, file, raw), digest(after))), *_keeps([*changes, *rules]))
    more = ("It holds in all profiles, from the next start of dsh on.",)
    return desk.plan(*changes, Change(file, raw, after), *rules, keeps=keeps, remarks=(*told, *more))


def _unpatched(desk: _Desk, file: Path, raw: bytes | None) -> bytes | None:
    """Tell what the file is without our row, as `_before` does."""
    kept = desk.receipt.files.get(file)
    if kept and digest(raw) == kept.after:
        return kept.before
    bare = patch.take_out(raw)
    gone = kept is not None and kept.before is None and bare is not None and not bare.strip(b"[] \r\n")
    return None if gone else bare


# -- rules of use


def _rules(desk: _Desk) -> tuple[list[Change], tuple[str, ...]]:
    """Lay the rules, if they are wished for or lie there already."""
    path = rules_file(desk.house, desk.wish)
    raw = (desk.house.shipped / "rules" / "memkit.md").read_bytes()
    found = desk.read(path)
    if not desk.wish.rules and (found is None or path not in desk.receipt.files):
        return [], ()
    told = () if found == raw else laid.told_of_rules(desk.wish.client, path)
    return _dropped(desk, path, raw), told


def _rules_only(desk: _Desk) -> list[Path]:
    return [] if desk.wish.client in EXTENDED else [rules_file(desk.house, desk.wish)]


def _keeps(changes: list[Change]) -> tuple[tuple[Path, Kept], ...]:
    """Take down what was laid; what was spared for the person is theirs from now on."""
    return tuple((it.path, Kept(None, digest(it.after))) for it in changes if it.path.suffix != YOURS)
