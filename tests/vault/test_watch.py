"""The watcher on real folders: what it says, and when it keeps silent."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from watchdog.events import (
    DirModifiedEvent,
    FileClosedEvent,
    FileClosedNoWriteEvent,
    FileModifiedEvent,
    FileOpenedEvent,
    FileSystemEvent,
)

from kit.vault.ear import _Handler
from kit.vault.kernel import eventless
from kit.vault.walk import RootGone, ignored
from kit.vault.watch import Batch, Watcher


def collect(watcher: Watcher, until: str = "sentinel.md", seconds: int = 20) -> list[Batch]:
    """Write a last note and gather what is said until it was named, or scanned."""
    (watcher.root / until).write_text("x", encoding="utf-8")
    batches = []
    for _ in range(seconds):
        batch = watcher.wait(1.0)
        if batch is not None:
            batches.append(batch)
            if until in batch.paths or (batch.scan and not watcher.pending()):
                return batches
    pytest.fail(f"{until} was never named; so far {batches}")


def test_a_saved_note_is_named_and_the_wait_ends_by_itself(tmp_path: Path) -> None:
    with Watcher(tmp_path) as watcher:
        assert watcher.health() == []
        (batch,) = collect(watcher)
        assert batch.paths == {"sentinel.md"}
        assert not batch.scan
        assert watcher.wait(0.0) is None


def test_reading_the_vault_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    note = tmp_path / "cards" / "a.md"
    note.write_text("x", encoding="utf-8")
    with Watcher(tmp_path) as watcher:
        for _ in range(50):
            note.read_text(encoding="utf-8")
            list((tmp_path / "cards").iterdir())
        assert [b.paths for b in collect(watcher)] == [{"sentinel.md"}]


def test_what_is_ignored_says_nothing(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "cards").mkdir()
    with Watcher(tmp_path) as watcher:
        (tmp_path / ".obsidian" / "workspace.json").write_text("{}", encoding="utf-8")
        (tmp_path / ".obsidian" / "a.md").write_text("x", encoding="utf-8")
        (tmp_path / ".trash").mkdir()
        for name in (".a.md.swp", "4913", "a.md~", ".#a.md", "image.png", "a.tmp"):
            (tmp_path / "cards" / name).write_text("x", encoding="utf-8")
        batches = collect(watcher)
        assert [b.paths for b in batches] == [{"sentinel.md"}]
        assert batches[0].folders == frozenset()


def test_a_caller_can_ignore_more(tmp_path: Path) -> None:
    (tmp_path / "Templates").mkdir()
    with Watcher(tmp_path, ignore=lambda path: ignored(path) or path.startswith("Templates/")) as watcher:
        (tmp_path / "Templates" / "t.md").write_text("x", encoding="utf-8")
        (tmp_path / "Templates" / "more").mkdir()
        (batch,) = collect(watcher)
        assert batch.paths == {"sentinel.md"}
        assert not batch.folders


def test_a_flush_takes_what_is_pending_and_waits_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "memkit.toml").write_text("", encoding="utf-8")
    with Watcher(tmp_path, quiet=600.0, longest=600.0) as watcher:
        (tmp_path / "a.md").write_text("x", encoding="utf-8")
        (tmp_path / "b.md").write_text("x", encoding="utf-8")
        # One save is several events: only behind a barrier is none of them still on its way.
        if not watcher.barrier(20.0):
            pytest.skip("no barrier on this system")
        assert watcher.pending() == 2
        assert watcher.flush(["b.md", "c.md"]).paths == {"b.md"}
        assert watcher.flush().paths == {"a.md"}
        assert not watcher.flush()
        assert watcher.pending() == 0


def test_a_linked_root_is_watched_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "vault").symlink_to(tmp_path / "real", target_is_directory=True)
    with Watcher(tmp_path / "vault") as watcher:
        assert [b.paths for b in collect(watcher)] == [{"sentinel.md"}]


def test_a_linked_root_that_leads_elsewhere_is_scanned_and_watched_there(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(name, encoding="utf-8")
    link = tmp_path / "vault"
    link.symlink_to(tmp_path / "one", target_is_directory=True)
    with Watcher(link) as watcher:
        link.unlink()
        link.symlink_to(tmp_path / "two", target_is_directory=True)
        batch = watcher.wait(10.0)
        assert batch is not None
        assert batch.scan
        assert [b.paths for b in collect(watcher)] == [{"sentinel.md"}]


def test_a_deleted_root_says_nothing_until_it_is_back(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    (root / "cards").mkdir(parents=True)
    for n in range(20):
        (root / "cards" / f"{n}.md").write_text("x", encoding="utf-8")
    with Watcher(root) as watcher:
        shutil.rmtree(root)
        assert watcher.wait(1.0) is None
        assert watcher.root_gone
        assert not watcher.flush()
        assert "away" in watcher.health()[0]
        root.mkdir()
        assert watcher.wait(0.1) is None
        assert watcher.root_gone
        (root / "b.md").write_text("x", encoding="utf-8")
        batch = watcher.wait(10.0)
        assert batch is not None
        assert batch.scan
        assert not watcher.root_gone
        assert watcher.health() == []
        assert [b.paths for b in collect(watcher)] == [{"sentinel.md"}]


def test_a_root_replaced_at_once_is_scanned_and_watched(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("x", encoding="utf-8")
    with Watcher(root) as watcher:
        shutil.rmtree(root)
        root.mkdir()
        (root / "b.md").write_text("x", encoding="utf-8")
        batch = watcher.wait(10.0)
        assert batch == Batch(scan=True, first=batch.first if batch else 0.0)
        assert [b.paths for b in collect(watcher)] == [{"sentinel.md"}]


def test_a_root_moved_away_is_noticed_without_any_event(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("x", encoding="utf-8")
    with Watcher(root) as watcher:
        root.rename(tmp_path / "elsewhere")
        assert watcher.wait(0.1) is None
        assert watcher.root_gone
        (tmp_path / "elsewhere").rename(root)
        batch = watcher.wait(10.0)
        assert batch is not None
        assert batch.scan


def test_there_is_no_watching_without_a_root(tmp_path: Path) -> None:
    with pytest.raises(RootGone):
        Watcher(tmp_path / "gone").start()


def test_stopping_wakes_who_waits(tmp_path: Path) -> None:
    watcher = Watcher(tmp_path)
    watcher.start()
    said: list[Batch | None] = []
    waiter = threading.Thread(target=lambda: said.append(watcher.wait(60.0)))
    waiter.start()
    watcher.stop()
    waiter.join(10.0)
    assert said == [None]
    watcher.start()
    assert [b.paths for b in collect(watcher)] == [{"sentinel.md"}]
    watcher.stop()


def test_an_overflow_of_the_kernels_queue_leads_to_a_scan(tmp_path: Path) -> None:
    with Watcher(tmp_path) as watcher:
        logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed; events were lost")
        batch = watcher.wait(10.0)
        assert batch is not None
        assert batch.scan
        assert "max_queued_events" in watcher.health()[0]


def test_folders_made_and_renamed_in_a_hurry_are_all_watched_in_the_end(tmp_path: Path) -> None:
    with Watcher(tmp_path) as watcher:
        for n in range(100):
            (tmp_path / f"d{n}" / "e" / "f").mkdir(parents=True)
            (tmp_path / f"d{n}").rename(tmp_path / f"r{n}")
        while watcher.wait(0.7) is not None or watcher.pending() or watcher.watched != 301:
            pass
        assert watcher.health() == []
        (tmp_path / "r99" / "e" / "f" / "a.md").write_text("x", encoding="utf-8")
        said = collect(watcher)
        assert any(batch.scan or "r99/e/f/a.md" in batch.paths for batch in said)


def test_a_flood_of_events_is_taken_for_an_overflow_even_if_none_of_them_matters(tmp_path: Path) -> None:
    (tmp_path / ".cache").mkdir()
    with Watcher(tmp_path) as watcher:
        for n in range(4_000):
            (tmp_path / ".cache" / str(n)).write_text("x", encoding="utf-8")
        batch = watcher.wait(20.0)
        assert batch is not None
        assert batch.scan


def test_polling_asks_for_scans(tmp_path: Path) -> None:
    with Watcher(tmp_path, polling=True, poll_every=0.05) as watcher:
        assert watcher.polling
        for _ in range(2):
            batch = watcher.wait(10.0)
            assert batch is not None
            assert batch.scan
        assert watcher.flush().scan
        assert watcher.flush(["a.md"]).paths == {"a.md"}
        assert "scanned every 0.05 s" in watcher.health()[0]


@pytest.mark.parametrize(
    ("real", "kind"),
    [
        ("/home/ann/vault", None),
        ("/mnt/c/Users/ann/vault", "9p"),
        ("/mnt/c", "9p"),
        ("/mnt/cards", None),
        ("/net/my vault/notes", "nfs4"),
        ("/cloud/x", "fuse.rclone"),
        ("/cloud/x/local/y", None),
        ("/twice/x", "cifs"),
    ],
)
def test_the_file_system_a_vault_lies_on_is_found(real: str, kind: str | None) -> None:
    mounts = (
        "/dev/sda / ext4 rw 0 0\nC:\\134 /mnt/c 9p rw 0 0\nhost:/x /net/my\\040vault nfs4 rw 0 0\n"
        "r: /cloud fuse.rclone rw 0 0\ntmp /cloud/x/local tmpfs rw 0 0\n"
        "a /twice ext4 rw 0 0\nb /twice cifs rw 0 0\n\nodd\n"
    )
    assert eventless(real, mounts) == kind


def test_both_ways_to_say_modified_are_heard_and_reading_is_not() -> None:
    heard: list[tuple[str, ...]] = []
    nudges: list[int] = []
    handler = _Handler("/v", "/v/memkit.toml", lambda paths, _is_dir: heard.append(paths), lambda: nudges.append(1))
    attrib = FileSystemEvent("/v/b.md")
    attrib.event_type = "attrib"
    for event in (
        FileModifiedEvent("/v/a.md"),
        attrib,
        DirModifiedEvent("/v"),
        FileOpenedEvent("/v/c.md"),
        FileClosedNoWriteEvent("/v/c.md"),
        FileClosedEvent("/v/memkit.toml"),
    ):
        handler.dispatch(event)
    assert heard == [("/v/a.md",), ("/v/b.md",)]
    assert nudges == [1]


LIMITED = """
import sys, warnings
from pathlib import Path
Path("/proc/sys/user/max_inotify_watches").write_text("20")
from kit.vault.watch import Watcher
root = Path(sys.argv[1])
for n in range(40):
    (root / str(n)).mkdir()
watcher = Watcher(root, poll_every=0.05)
watcher.start()
batch = watcher.wait(10.0)
print(watcher.polling, batch.scan, watcher.watched, watcher.health())
watcher.stop()
"""


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("unshare"), reason="needs a user namespace")
def test_folders_beyond_the_watch_limit_are_polled_and_told(tmp_path: Path) -> None:
    inside = ["unshare", "--user", "--map-root-user"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("user namespaces are forbidden here")
    here = str(Path(__file__).parents[2])
    command = [*inside, sys.executable, "-W", "error", "-c", LIMITED, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": here}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.startswith("True True "), done.stderr
    assert "max_user_watches" in done.stdout or "can't be watched" in done.stdout
    assert "of 41 folders" in done.stdout or "can't be watched" in done.stdout
