"""Whether the hooks are in a client, as its files say it, and what keeps them from running.

Law: reads only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from kit.errors import RefusedError
from kit.installing import codex, document, laid, planning
from kit.installing.house import CLIENTS

if TYPE_CHECKING:
    from pathlib import Path

    from kit.installing.house import House
    from kit.installing.planning import Read, Wish

Standing = Literal["installed", "not installed", "partly", "unclear"]


class State(NamedTuple):
    """How things stand with one client."""

    client: str
    title: str
    program: str
    """The client's program on the PATH; '' when it is not there."""
    hooks: Standing
    file: str
    """Where they are, or would be."""
    remarks: tuple[str, ...] = ()


def state(house: House, wish: Wish, read: Read) -> State:
    """Tell how things stand with one client: installed is what installing again would not change."""
    client = CLIENTS[wish.client]
    found = State(client.name, client.title, house.executable(client.name), "unclear", str(_file(house, wish)))
    try:
        if planning.install(house, wish, read).is_empty():
            hooks: Standing = "installed"
        else:
            hooks = "not installed" if planning.uninstall(house, wish, read).is_empty() else "partly"
        remarks = _remarks(house, wish, read) if hooks != "not installed" else ()
    except RefusedError as error:
        return found._replace(remarks=(error.what,))
    if hooks == "installed" and remarks and client.name in planning.TOLD:
        hooks = "partly"  # laid, but the client has not taken them up
    elif hooks == "partly":
        remarks = (f"Bring them up to date: memkit hooks install {client.name}", *remarks)
    return found._replace(hooks=hooks, remarks=remarks)


def _file(house: House, wish: Wish) -> Path:
    if wish.client in planning.MERGED:
        return planning.merged_file(house, wish)
    if wish.client == "dsh":
        return planning.patch_file(house)
    return planning.laid_files(house, wish.client)[0]


def _remarks(house: House, wish: Wish, read: Read) -> tuple[str, ...]:
    match wish.client:
        case "codex":
            return _codex(house, wish, read)
        case "claude":
            file = planning.merged_file(house, wish)
            text = document.read(read(file), file)
            settings = document.value(text, document.root(text))
            off = isinstance(settings, dict) and settings.get("disableAllHooks") is True
            return (f"'disableAllHooks' in {file} keeps all hooks from running.",) if off else ()
        case "openclaw":
            told = read(house.base("openclaw") / "openclaw.json") or b""
            there = house.laid("openclaw").as_posix().encode() in told
            return () if there else ("openclaw.json does not name the plugin yet.", *laid.openclaw_steps(house))
        case "gemini" | "qwen":
            if read(planning.extension_folder(house, wish.client) / f"{wish.client}-extension.json") is None:
                folder = house.laid(wish.client)
                return (f"Not in the client yet: {wish.client} extensions install {folder} --consent",)
        case "cursor":
            return ("Cursor is untested.",)
    return ()


def _codex(house: House, wish: Wish, read: Read) -> tuple[str, ...]:
    file, config = planning.merged_file(house, wish), house.base("codex") / "config.toml"
    raw = read(config)
    missing = codex.untrusted(raw, document.read(read(file), file), file)
    told = (f"Not trusted yet: {', '.join(missing)}. {codex.REVIEW}",) if missing else ()
    return (*told, *codex.remarks(raw, config))
