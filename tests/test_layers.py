"""The import table: each room, and the rooms it may know. Imports go downwards only."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

KIT = Path(__file__).resolve().parent.parent / "kit"

BASE = {"errors", "text", "shipped", "places", "lock"}
TABLE: dict[str, set[str]] = {
    "errors": set(),
    "shipped": set(),
    "places": {"errors"},
    "lock": set(),
    "porter2": set(),
    "text": {"porter2", "shipped"},
    "kin": {"text", "shipped"},
    "model": BASE,
    "vault": BASE | {"model"},
    "index": BASE | {"model", "kin"},
    "llm": BASE | {"model"},
    "ready": {"places", "__version__"},
    "perceive": BASE | {"model", "llm", "ready"},
    "digest": BASE | {"model"},
    "deliver": BASE | {"model"},
    "harness": BASE | {"model"},
    "distil": BASE | {"model", "vault", "index"},
    "reconcile": BASE | {"model", "vault", "index", "distil"},
    "recall": BASE | {"model", "index"},
    "witness": BASE | {"model", "kin", "vault", "index", "digest", "recall"},
    "govern": BASE | {"model", "vault", "index", "digest", "reconcile"},
    "search": BASE | {"model", "index", "witness"},
    "survey": BASE | {"model", "vault", "index", "reconcile", "harness", "govern"},
    "passages": BASE | {"model", "vault", "deliver", "govern"},
    "briefing": BASE | {"model", "digest", "deliver", "recall", "govern", "passages"},
    "learn": BASE | {"model", "vault", "index", "digest", "llm", "govern"},
    "learning": BASE | {"model", "llm", "govern", "learn"},
    "maintain": BASE | {"model", "vault", "index", "govern"},
    "tiers": BASE | {"model", "vault", "deliver", "govern", "passages", "maintain"},
    "evolve": BASE | {"model", "index", "digest", "govern"},
    "governance": BASE | {"model", "vault", "index", "recall", "govern", "learn", "maintain", "evolve"},
    "inquiry": BASE | {"model", "index", "llm", "perceive", "recall"},
    "step": BASE | {"vault", "index", "reconcile", "governance"},
    "desk": BASE | {"model", "vault", "index", "govern", "witness"},
    "transfer": BASE | {"model", "vault", "index", "digest", "harness", "govern", "__version__"},
    "settings": BASE | {"vault"},
    "config": BASE | {"vault", "settings"},
    "chosen": BASE | {"config", "maintain", "recall", "tiers"},
    "app": BASE
    | {"model", "vault", "index", "perceive", "deliver", "reconcile", "recall", "witness", "search", "survey"}
    | {"llm", "learning"}
    | {
        "govern",
        "passages",
        "briefing",
        "maintain",
        "governance",
        "step",
        "inquiry",
        "desk",
        "settings",
        "config",
        "chosen",
        "tiers",
        "transfer",
    },
    "operations": BASE | {"model", "app"},
    "standing": BASE | {"model", "vault", "deliver", "app", "index"},
    "sessions": BASE | {"model", "vault", "perceive", "deliver", "harness", "app", "standing"},
    "installing": BASE,
    # -- over the socket
    "daemon.protocol": BASE,
    "daemon.channel": BASE | {"daemon.protocol"},
    "daemon.spool": BASE | {"daemon.protocol"},
    "daemon.conversation": BASE | {"daemon.protocol", "daemon.channel"},
    "daemon.ending": BASE | {"daemon.channel"},
    "daemon.client": BASE | {"daemon.protocol", "daemon.channel", "daemon.ending"},
    "daemon.replay": BASE | {"daemon.spool", "daemon.conversation"},
    "daemon.server": BASE
    | {"daemon.protocol", "daemon.channel", "daemon.spool", "daemon.conversation", "daemon.replay"},
    "daemon.crew": BASE,
    "daemon.scribe": BASE | {"index", "witness", "app"},
    "daemon.builder": BASE | {"vault", "index", "reconcile", "config", "app", "daemon.crew", "daemon.scribe"},
    "daemon.owner": set(),
    "daemon.reader": BASE | {"app", "daemon.owner", "daemon.builder"},
    "daemon.chores": BASE | {"app", "daemon.owner"},
    "daemon.learner": BASE | {"app"},
    "daemon.trouble": BASE | {"app", "daemon.owner"},
    "daemon.memory": set(),
    "daemon.ahead": BASE | {"vault", "reconcile", "daemon.builder", "daemon.crew"},
    "daemon.tracker": BASE
    | {"vault", "reconcile", "app"}
    | {"daemon.ahead", "daemon.builder", "daemon.conversation", "daemon.memory", "daemon.owner", "daemon.reader"}
    | {"daemon.trouble"},
    "daemon.keeper": BASE
    | {"vault", "app", "operations", "sessions"}
    | {"daemon.chores", "daemon.conversation", "daemon.learner", "daemon.memory", "daemon.owner", "daemon.protocol"}
    | {"daemon.reader", "daemon.spool", "daemon.tracker", "daemon.trouble"},
    # -- the edge; what runs in this process is imported inside functions
    "asker": BASE | {"config", "daemon.client"},
    "cli": BASE | {"config", "asker", "daemon.client", "installing"},
    "mcp": BASE | {"config", "model", "asker"},  # loaded by `memkit mcp` alone
    "web": BASE | {"model", "asker"},  # loaded by `memkit web` alone
    "cli.story": BASE | {"app", "operations", "cli", "model"},  # loaded by `memkit demo` alone
    "hook": set(),  # a script; it finds `courier` beside it by itself
    "courier": {"whereabouts"},
    "whereabouts": set(),
    "undelivered": set(),
    "__init__": {"app"},  # for the type checker; at run time on first use
}
INSIDE_FUNCTIONS = {
    "asker": {"app", "operations"},
    "cli": {
        "app",
        "operations",
        "sessions",
        "govern",
        "daemon.keeper",
        "daemon.server",
        "model",
        "cli.story",
        "courier",
        "whereabouts",
    }
    | {"mcp", "web"},
    "courier": {"undelivered"},
    "__main__": {"cli"},
}
"""Imports that a function may make when it is called: they must not cost those who do not need them."""
ALONE = {
    "watchdog": {"vault.ear"},
    "frontmatter": {"vault.front"},
    "tantivy": {"index.tantivy"},
    "openai": {"llm.endpoint"},
    "click": {"cli", "cli.story"},
    "starlette": {"web"},
    "uvicorn": {"web", "mcp"},
    "mcp": {"mcp"},
    "mcp_types": {"mcp"},
}
"""Third-party libraries that only one place may know."""


def room_of(module: str) -> str:
    """Name the room of a module below `kit`: two names deep in `daemon`, one elsewhere."""
    parts = module.split(".")
    deep = parts[0] == "daemon" or module == "cli.story"
    return ".".join(parts[:2]) if deep and len(parts) > 1 else parts[0]


def imports(tree: ast.Module) -> list[tuple[str, bool]]:
    """List imported modules, each with whether the import runs when the module is loaded."""
    found: list[tuple[str, bool]] = []

    def walk(node: ast.AST, *, loads: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend((name.name, loads) for name in child.names)
            elif isinstance(child, ast.ImportFrom) and child.module:
                names = (
                    [f"{child.module}.{name.name}" for name in child.names] if child.module == "kit" else [child.module]
                )
                if child.module == "kit.daemon":
                    names = [f"{child.module}.{name.name}" for name in child.names]
                found.extend((name, loads) for name in names)
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            walk(child, loads=loads and not inside)

    walk(tree, loads=True)
    return found


FILES = sorted(KIT.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(KIT)) for file in FILES])
def test_a_room_knows_only_what_lies_below_it(file: Path) -> None:
    module = ".".join(file.relative_to(KIT).with_suffix("").parts).removesuffix(".__init__")
    room = room_of(module)
    allowed = TABLE.get(room, set())
    for name, loads in imports(ast.parse(file.read_text(encoding="utf-8"))):
        if name == "kit" or not name.startswith("kit."):
            continue
        target = room_of(name.removeprefix("kit."))
        if target in {room, "__version__"}:
            continue
        later = set() if loads else INSIDE_FUNCTIONS.get(room, set())
        assert target in allowed | later, f"{module} imports {name}"


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(KIT)) for file in FILES])
def test_a_library_is_known_in_one_place(file: Path) -> None:
    module = ".".join(file.relative_to(KIT).with_suffix("").parts)
    for name, _ in imports(ast.parse(file.read_text(encoding="utf-8"))):
        places = ALONE.get(name.split(".")[0])
        if places is not None:
            assert module in places or room_of(module) in places, f"{module} imports {name}"


def test_every_room_is_in_the_table() -> None:
    rooms = {room_of(".".join(file.relative_to(KIT).with_suffix("").parts)) for file in FILES}
    assert rooms - set(TABLE) <= {"__main__", "daemon.__init__"}


def test_only_the_room_that_governs_writes() -> None:
    """Nobody else asks the store to create, replace, update, move or append."""
    acts = {"create", "replace", "update", "move"}
    for file in FILES:
        module = ".".join(file.relative_to(KIT).with_suffix("").parts)
        if module.startswith(("govern.", "vault.")):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in acts:
                owner = ast.unparse(node.value)
                assert not owner.endswith("store"), f"{module}:{node.lineno} calls {owner}.{node.attr}"
            if isinstance(node, ast.Attribute) and node.attr == "add":
                owner = ast.unparse(node.value)
                assert not owner.endswith("journal"), f"{module}:{node.lineno} writes the journal"


def test_the_table_has_no_circle() -> None:
    seen: set[str] = set()

    def visit(room: str, path: tuple[str, ...]) -> None:
        assert room not in path, " → ".join((*path, room))
        if room in seen:
            return
        for below in TABLE.get(room, set()):
            visit(below, (*path, room))
        seen.add(room)

    for room in TABLE:
        visit(room, ())


def test_importing_the_package_loads_nothing() -> None:
    import subprocess  # noqa: PLC0415 - only here

    code = "import sys; import kit; print(sorted(name for name in sys.modules if name.startswith('kit.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=KIT.parent)
    assert done.stdout.strip() == "[]"
