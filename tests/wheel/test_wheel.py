"""What a stranger installs: the built wheel, alone in a fresh environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


def test_the_wheel_carries_templates_example_and_hooks(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "kit/_shipped/templates/words/stop.en.txt",
        "kit/_shipped/templates/vault/gitignore",
        "kit/_shipped/templates/notes/card.md",
        "kit/_shipped/templates/prompts/turn.zh.md",
        "kit/_shipped/vault-example/memkit.toml",
        "kit/_shipped/vault-example/.obsidian/app.json",
        "kit/_shipped/hooks/README.md",
        "kit/courier.py",
        "kit/hook.py",
        "kit/undelivered.py",
        "kit/whereabouts.py",
        "kit/web/page/index.html",
        "kit/web/page/js/main.js",
    ):
        assert needed in names
    assert not [name for name in names if name.startswith("tests")]


@pytest.mark.timeout(300)
def test_the_installed_wheel_tells_its_story_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(place)], check=True)
    scripts = place / ("Scripts" if os.name == "nt" else "bin")
    # Its dependencies are those of the running environment; the kit itself comes from the wheel alone.
    site = subprocess.run(
        [sys.executable, "-c", "import site, sys; print([p for p in sys.path if p.endswith('site-packages')][0])"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    subprocess.run(
        [
            str(scripts / "python"),
            "-m",
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            "--force-reinstall",
            str(wheel),
        ],
        check=True,
        capture_output=True,
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env |= {
        "PYTHONPATH": _without_kit(site, tmp_path),
        "MEMKIT_CACHE": str(tmp_path / "cache"),
        "MEMKIT_RUNTIME": str(tmp_path / "run"),
        "MEMKIT_CONFIG": str(tmp_path / "config"),
    }
    done = subprocess.run(
        [str(scripts / "memkit"), "demo", "--json"], cwd=elsewhere, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    steps = json.loads(done.stdout)
    assert len(steps) >= 8
    assert any("concise code" in line.lower() for step in steps for line in step["says"])
    where = subprocess.run(
        [str(scripts / "python"), "-c", "import kit; print(kit.__file__)"],
        cwd=elsewhere, env=env, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert str(place) in where


def _without_kit(site: str, tmp_path: Path) -> str:
    """Make a folder of links to all that is installed, but the kit: an editable install must not shadow the wheel."""
    links = tmp_path / "site"
    links.mkdir()
    for entry in Path(site).iterdir():
        if "memory_kit" not in entry.name and "memory-kit" not in entry.name and entry.suffix != ".pth":
            (links / entry.name).symlink_to(entry)
    return str(links)
