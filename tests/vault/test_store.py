"""The store on a real disk: nothing lost, nothing overwritten, nothing outside, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kit.errors import (
    BadInputError,
    BadNoteError,
    ConflictError,
    NotFoundError,
    RefusedError,
    UnavailableError,
)
from kit.vault import disk
from kit.vault.lock import VaultLock
from kit.vault.store import Store, etag

if TYPE_CHECKING:
    from collections.abc import Iterable

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such links, modes or limits")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture
def store(root: Path) -> Store:
    return Store(root)


def files(root: Path) -> set[str]:
    return {file.relative_to(root).as_posix() for file in root.rglob("*") if not file.is_dir()}


def start(root: Path, program: str) -> subprocess.Popen[bytes]:
    """Start a program that finds the store of the vault under the name `store`."""
    head = (
        "from pathlib import Path\nfrom kit.errors import *\nfrom kit.vault.store import Store\n"
        f"store = Store(Path({str(root)!r}))\n"
    )
    return subprocess.Popen([sys.executable, "-c", head + program], stdout=subprocess.PIPE, cwd=Path.cwd())


def outputs(processes: Iterable[subprocess.Popen[bytes]]) -> list[bytes]:
    ends = [(process.communicate(timeout=60)[0], process.returncode) for process in processes]
    assert [code for _, code in ends] == [0] * len(ends)
    return [out for out, _ in ends]


# --- reading and paths -------------------------------------------------------------------------------------


def test_a_file_is_read_with_the_etag_of_its_content(store: Store, root: Path) -> None:
    (root / "a.md").write_bytes(b"text")
    assert store.read("a.md") == (b"text", etag(b"text"))
    assert len(etag(b"")) == 32
    with pytest.raises(NotFoundError, match=r"b\.md does not exist"):
        store.read("b.md")
    (root / "folder.md").mkdir()
    with pytest.raises(NotFoundError, match="no ordinary file"):
        store.read("folder.md")


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "../a.md", "a/../../b.md", "a//b.md", "./a.md", "a\\b.md", "a\0.md", "n" * 256,
        "\ud800.md", ".git/config", "x/.GIT/hooks/a",
    ],
)  # fmt: skip
def test_a_path_that_is_none_of_the_vault_is_refused(store: Store, path: str) -> None:
    (store.root.parent / "a.md").write_bytes(b"outside")
    for act in (
        lambda: store.read(path),
        lambda: store.create(path, b""),
        lambda: store.replace(path, b"", etag(b"outside")),
        lambda: store.append(path, b"", durable=False),
        lambda: store.recently_touched(path, 0.0),
    ):
        with pytest.raises(RefusedError):
            act()
    assert (store.root.parent / "a.md").read_bytes() == b"outside"
    assert files(store.root) == set()


@posix
def test_no_link_leads_out_of_the_vault(store: Store, root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"secret")
    (root / "folder").symlink_to(outside)
    (root / "a.md").symlink_to(outside / "a.md")
    (root / "new.md").symlink_to(outside / "new.md")
    for path in ("a.md", "folder/a.md"):
        with pytest.raises(RefusedError, match="through a link"):
            store.read(path)
        with pytest.raises(RefusedError, match="through a link"):
            store.replace(path, b"x", etag(b"secret"))
    with pytest.raises(RefusedError):
        store.create("folder/b.md", b"x")
    with pytest.raises(RefusedError):
        store.create("folder/deep/b.md", b"x")
    with pytest.raises(RefusedError):
        store.append("new.md", b"x", durable=True)
    with pytest.raises(ConflictError):
        store.create("new.md", b"x")
    assert files(outside) == {"a.md"}


@posix
def test_a_linked_root_is_followed_and_a_loop_is_told(tmp_path: Path, root: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    store = Store(tmp_path / "link")
    store.create("a.md", b"x")
    assert (root / "a.md").read_bytes() == b"x"
    (root / "b.md").symlink_to("b.md")
    with pytest.raises(UnavailableError, match=r"b\.md"):
        store.read("b.md")


def test_a_file_above_the_limit_is_told_and_not_read(root: Path) -> None:
    (root / "a.md").write_bytes(b"12345678")
    with pytest.raises(BadNoteError, match=r"a\.md: The file is too large to be read: 8 bytes"):
        Store(root, limit=7).read("a.md")
    assert Store(root, limit=8).read("a.md")[0] == b"12345678"


@posix
def test_a_pipe_with_a_notes_name_does_not_make_anyone_wait(store: Store, root: Path) -> None:
    os.mkfifo(root / "a.md")
    with pytest.raises(NotFoundError):
        store.read("a.md")


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS spells names its own way")
def test_a_file_is_found_in_another_unicode_form(store: Store, root: Path) -> None:
    folder, name = (unicodedata.normalize("NFD", word) for word in ("한글", "é.md"))
    (root / folder).mkdir()
    (root / folder / name).write_bytes(b"x")
    tag = store.read("한글/é.md")[1]
    store.replace("한글/é.md", b"y", tag)
    assert store.read(f"{folder}/{name}")[0] == b"y"
    with pytest.raises(ConflictError):
        store.create("한글/é.md", b"z")
    assert files(root) == {f"{folder}/{name}"}


# --- creating ----------------------------------------------------------------------------------------------


def test_a_new_file_and_its_folders_are_made_and_nothing_else(store: Store, root: Path) -> None:
    assert store.create("cards/2026-08/a.md", b"x") == "cards/2026-08/a.md"
    assert (root / "cards/2026-08/a.md").read_bytes() == b"x"
    assert files(root) == {"cards/2026-08/a.md"}


def test_what_exists_is_never_overwritten_by_a_new_file(store: Store, root: Path) -> None:
    store.create("Straße.md", b"old")
    for path in ("Straße.md", "straße.md", "STRASSE.md", unicodedata.normalize("NFD", "Straße.md")):
        with pytest.raises(ConflictError, match=r"already exists \(as `Straße\.md`\)"):
            store.create(path, b"new")
    assert (root / "Straße.md").read_bytes() == b"old"
    assert files(root) == {"Straße.md"}


def test_a_folder_in_another_spelling_is_used(store: Store, root: Path) -> None:
    (root / "Scenes").mkdir()
    assert store.create("scenes/work.md", b"x") == "Scenes/work.md"


@pytest.mark.parametrize(
    "name",
    ["a:b.md", "a?.md", 'a".md', "CON.md", "lpt1", "a.md ", "a.", " a.md", ".~0123456789abcdef.tmp", "\ud800.md"],
)
def test_a_name_some_system_can_not_have_is_never_made(store: Store, root: Path, name: str) -> None:
    (root / "a.md").write_bytes(b"x")
    with pytest.raises(RefusedError):
        store.create(f"cards/{name}", b"")
    with pytest.raises(RefusedError):
        store.move("a.md", f"cards/{name}")
    assert files(root) == {"a.md"}


@posix
def test_without_hard_links_a_new_file_still_overwrites_nothing(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    store.create("a.md", b"x")
    with pytest.raises(FileExistsError):
        disk.publish(root / "a.md", root / "a.md", b"y")
    assert store.move("a.md", "b.md") == "b.md"
    store.create("a.md", b"z")
    with pytest.raises(ConflictError):
        store.move("a.md", "b.md")
    assert [(root / name).read_bytes() for name in ("a.md", "b.md")] == [b"z", b"x"]


# --- replacing ---------------------------------------------------------------------------------------------


@posix
def test_a_replaced_file_keeps_its_mode_and_links_stay_links(store: Store, root: Path) -> None:
    store.create("cards/a.md", b"one")
    (root / "cards/a.md").chmod(0o640)
    (root / "b.md").symlink_to("cards/a.md")
    store.replace("b.md", b"two", etag(b"one"))
    assert (root / "b.md").is_symlink()
    assert (root / "cards/a.md").read_bytes() == b"two"
    assert (root / "cards/a.md").stat().st_mode & 0o777 == 0o640
    assert files(root) == {"cards/a.md", "b.md"}


@posix
def test_a_write_protected_file_is_left(store: Store, root: Path) -> None:
    store.create("a.md", b"one")
    (root / "a.md").chmod(0o444)
    with pytest.raises(RefusedError, match="write-protected"):
        store.replace("a.md", b"two", etag(b"one"))


def test_what_a_person_wrote_meanwhile_wins(store: Store, root: Path) -> None:
    store.create("a.md", b"one")
    _, tag = store.read("a.md")
    (root / "a.md").write_bytes(b"mine")
    with pytest.raises(ConflictError, match="changed meanwhile"):
        store.replace("a.md", b"two", tag)
    assert (root / "a.md").read_bytes() == b"mine"
    (root / "a.md").unlink()
    with pytest.raises(NotFoundError):
        store.replace("a.md", b"two", tag)
    assert files(root) == set()


def test_an_update_is_applied_again_to_what_a_person_wrote(store: Store, root: Path) -> None:
    store.create("a.md", b"one\n")
    seen: list[bytes] = []

    def change(raw: bytes) -> bytes:
        seen.append(raw)
        if len(seen) == 1:
            (root / "a.md").write_bytes(b"mine\n")
        return raw + b"more\n"

    assert store.update("a.md", change) == b"mine\nmore\n"
    assert seen == [b"one\n", b"mine\n"]


def test_an_update_gives_up_on_a_file_that_never_rests(store: Store, root: Path) -> None:
    store.create("a.md", b"0")

    def change(raw: bytes) -> bytes:
        (root / "a.md").write_bytes(raw + b"0")
        return raw + b"1"

    with pytest.raises(ConflictError, match="kept changing"):
        store.update("a.md", change)
    assert (root / "a.md").read_bytes() == b"0000"


def test_an_update_that_changes_nothing_writes_nothing(store: Store, root: Path) -> None:
    store.create("a.md", b"one")
    before = (root / "a.md").stat()
    assert store.update("a.md", lambda raw: raw) == b"one"
    after = (root / "a.md").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


# --- moving ------------------------------------------------------------------------------------------------


def test_a_file_moves_and_never_over_another(store: Store, root: Path) -> None:
    store.create("cards/a.md", b"a")
    assert store.move("cards/a.md", "archive/cards/a.md") == "archive/cards/a.md"
    assert files(root) == {"archive/cards/a.md"}
    store.create("cards/A.md", b"b")
    with pytest.raises(ConflictError):
        store.move("archive/cards/a.md", "cards/a.md")
    with pytest.raises(NotFoundError):
        store.move("cards/none.md", "cards/b.md")
    with pytest.raises(ConflictError):
        store.move("cards/A.md", "cards/A.md")
    assert store.move("cards/A.md", "cards/a.md") == "cards/a.md"
    assert files(root) == {"archive/cards/a.md", "cards/a.md"}


@posix
def test_a_move_that_a_power_cut_left_half_done_is_finished(store: Store, root: Path) -> None:
    store.create("cards/a.md", b"one")
    (root / "archive" / "cards").mkdir(parents=True)
    os.link(root / "cards/a.md", root / "archive/cards/a.md")
    assert store.is_half_moved("cards/a.md", "archive/cards/a.md")
    assert store.move("cards/a.md", "archive/cards/a.md") == "archive/cards/a.md"
    assert not (root / "cards/a.md").exists()
    assert store.read("archive/cards/a.md")[0] == b"one"


def test_a_file_that_has_one_name_only_is_half_moved_nowhere(store: Store, root: Path) -> None:
    store.create("cards/a.md", b"one")
    store.create("cards/b.md", b"one")
    os.link(root / "cards/a.md", root / "cards/c.md")
    for place in ("cards/a.md", "cards/b.md", "cards/d.md"):
        assert not store.is_half_moved("cards/a.md", place)
    with pytest.raises(ConflictError):
        store.move("cards/a.md", "cards/a.md")


def test_a_link_is_not_moved(store: Store, root: Path) -> None:
    store.create("a.md", b"a")
    (root / "b.md").symlink_to("a.md")
    with pytest.raises(RefusedError, match="is a link"):
        store.move("b.md", "cards/b.md")


# --- the journal's lines ------------------------------------------------------------------------------------


def test_lines_are_added_and_a_torn_one_is_closed_first(store: Store, root: Path) -> None:
    store.append("journal/2026-11.jsonl", b"one", durable=True)
    store.append("journal/2026-11.jsonl", b"two\n", durable=False)
    with (root / "journal/2026-11.jsonl").open("ab") as file:
        file.write(b'{"torn')
    store.append("journal/2026-11.jsonl", b"three", durable=True)
    assert (root / "journal/2026-11.jsonl").read_bytes() == b'one\ntwo\n{"torn\nthree\n'
    with pytest.raises(BadInputError):
        store.append("journal/2026-11.jsonl", b"four\nfive", durable=False)


# --- time and left-overs -------------------------------------------------------------------------------------


def test_a_file_someone_has_just_saved_is_known(store: Store, root: Path) -> None:
    (root / "a.md").write_bytes(b"x")
    os.utime(root / "a.md", (1000.0, 1000.0))
    assert store.recently_touched("a.md", 1001.5)
    assert not store.recently_touched("a.md", 1002.5)
    assert store.recently_touched("a.md", 1002.5, quiet=5)
    assert not store.recently_touched("a.md", 10.0)
    assert not store.recently_touched("b.md", 1000.0)


def test_what_the_store_wrote_itself_is_no_ones_saving(store: Store, root: Path) -> None:
    store.create("a.md", b"x")
    now = (root / "a.md").stat().st_mtime
    assert not store.recently_touched("a.md", now)
    assert Store(root).recently_touched("a.md", now)
    store.replace("a.md", b"y", etag(b"x"))
    assert not store.recently_touched("a.md", (root / "a.md").stat().st_mtime)
    os.utime(root / "a.md", (now + 1, now + 1))
    assert store.recently_touched("a.md", now + 1)


def test_only_old_temporary_files_of_the_kit_are_swept(store: Store, root: Path) -> None:
    (root / "cards").mkdir()
    for name, age in (
        ("cards/.~0123456789abcdef.tmp", 90000),
        (".~fedcba9876543210.tmp", 80000),
        ("cards/.~mine.tmp", 90000),
    ):
        (root / name).write_bytes(b"")
        os.utime(root / name, (1e9 - age, 1e9 - age))
    assert store.sweep(1e9) == 1
    assert files(root) == {".~fedcba9876543210.tmp", "cards/.~mine.tmp"}


@posix
def test_a_batch_waits_for_each_folder_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[str] = []
    real = disk.sync

    def sync(folder: Path) -> None:
        waited.append(folder.name)
        real(folder)

    monkeypatch.setattr(disk, "sync", sync)
    store.create("cards/a.md", b"a")
    assert waited == ["vault", "cards"]
    waited.clear()
    with store.batch(), store.batch():
        store.create("cards/b.md", b"b")
        store.create("cards/c.md", b"c")
        store.replace("cards/a.md", b"d", etag(b"a"))
        store.create("events/a.md", b"e")
        assert waited == []
    assert sorted(waited) == ["cards", "events", "vault"]
    waited.clear()

    def create_two() -> None:
        with store.batch():
            store.create("cards/e.md", b"")
            store.create("cards/a.md", b"")

    with pytest.raises(ConflictError):
        create_two()
    assert waited == ["cards"]


@posix
def test_a_full_disk_is_told_and_leaves_nothing_behind(store: Store, root: Path) -> None:
    store.create("a.md", b"one")
    program = (
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "create = lambda: store.create('b.md', b'x' * 5000)\n"
        "update = lambda: store.update('a.md', lambda raw: raw * 5000)\n"
        "for act in (create, update):\n"
        "    try: act()\n"
        "    except UnavailableError as error: print(error)\n"
    )
    told = outputs([start(root, program)])[0].decode().splitlines()
    assert [line.split(":")[0] for line in told] == ["The disk refused b.md", "The disk refused a.md"]
    assert files(root) == {"a.md"}
    assert (root / "a.md").read_bytes() == b"one"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_without_permission_is_told(store: Store, root: Path) -> None:
    (root / "cards").mkdir()
    (root / "cards").chmod(0o500)
    try:
        with pytest.raises(UnavailableError, match="permissions"):
            store.create("cards/a.md", b"x")
    finally:
        (root / "cards").chmod(0o700)


def test_a_file_where_a_folder_is_due_is_told(store: Store, root: Path) -> None:
    (root / "cards").write_bytes(b"")
    with pytest.raises(UnavailableError, match=r"cards/a\.md"):
        store.create("cards/a.md", b"x")


# --- several programs --------------------------------------------------------------------------------------


@posix
def test_programs_that_update_one_file_lose_no_update(store: Store, root: Path) -> None:
    store.create("a.md", b"")
    program = "for n in range(25): store.update('a.md', lambda raw: raw + b'{who}%d\\n' % n, tries=10000)\n"
    outputs([start(root, program.replace("{who}", who)) for who in "abc"])
    lines = (root / "a.md").read_bytes().split()
    assert sorted(lines) == sorted(b"%c%d" % (who, n) for who in b"abc" for n in range(25))
    assert files(root) == {"a.md"}


@posix
def test_of_many_programs_that_create_one_name_exactly_one_wins(root: Path) -> None:
    program = (
        "for n in range(20):\n"
        "    try: store.create(f'cards/{n}.md', b'{who}'); print(n)\n"
        "    except ConflictError: pass\n"
    )
    won = outputs([start(root, program.replace("{who}", who)) for who in "abc"])
    assert sorted(int(line) for out in won for line in out.split()) == list(range(20))
    for who, out in zip("abc", won, strict=True):
        assert all((root / f"cards/{int(n)}.md").read_text() == who for n in out.split())
    assert len(files(root)) == 20


@posix
def test_programs_that_add_lines_tear_none(root: Path) -> None:
    program = "for n in range(200): store.append('j.jsonl', b'{who}' * 300, durable=False)\n"
    outputs([start(root, program.replace("{who}", who)) for who in "abc"])
    lines = (root / "j.jsonl").read_bytes().splitlines()
    assert sorted(lines) == sorted([who * 300 for who in (b"a", b"b", b"c")] * 200)


@posix
def test_a_killed_program_leaves_a_whole_file(store: Store, root: Path) -> None:
    store.create("a.md", b"0" * 9000)
    program = (
        "n = 0\n"
        "while True:\n"
        "    n = (n + 1) % 10\n"
        "    store.update('a.md', lambda raw: b'%d' % n * 9000)\n"
        "    print(n, flush=True)\n"
    )
    for rounds in range(1, 6):
        process = start(root, program)
        assert process.stdout
        for _ in range(rounds):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
        process.stdout.close()
        raw, tag = store.read("a.md")
        assert len(raw) == 9000
        assert len(set(raw)) == 1
        store.replace("a.md", b"0" * 9000, tag)


# --- the vault's lock -----------------------------------------------------------------------------------------


def test_one_program_holds_a_vault_and_a_killed_one_lets_go(tmp_path: Path, root: Path) -> None:
    place = tmp_path / "run" / "lock"
    program = (
        "from pathlib import Path\nfrom kit.vault.lock import VaultLock\n"
        f"with VaultLock(Path({str(place)!r})):\n    print('held', flush=True)\n    input()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdin
    assert process.stdout.readline().strip() == b"held"
    with pytest.raises(UnavailableError, match="Another program"), VaultLock(place, timeout=0.0):
        pass
    process.kill()
    process.wait(timeout=30)
    process.stdout.close()
    process.stdin.close()
    for _ in range(2):
        with VaultLock(place, timeout=5.0):
            assert place.exists()
    assert files(root) == set()


def test_a_lock_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UnavailableError, match="can't be opened"), VaultLock(tmp_path / "file" / "lock"):
        pass
