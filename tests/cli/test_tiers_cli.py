"""The commands for tiers and MCP: what they print, and how they say that something is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.cli.conftest import PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_session_is_summed_up_with_what_lasts_of_it(call: Run, vault: Path) -> None:
    card = call("frame", "Why do exports end in a 504?", "--topic", "s1").stdout.strip()
    call("complete", card, "--answer", "nginx waits 60 seconds, because that is its default.")
    ran = call(
        "commit", "--summary", "The timeouts nest now.", "--title", "Timeouts", "--session", "s1",
        "--fact", "business: Exports take 71 seconds", "--fact", "fact: ratio: three to one",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[:2] == ["summaries/Timeouts.md", "facts/Exports take 71 seconds.md"]
    assert "category: business" in (vault / "facts/Exports take 71 seconds.md").read_text("utf-8")
    assert "ratio: three to one" in "".join(file.read_text("utf-8") for file in (vault / "facts").glob("*.md"))
    again = json.loads(call("--json", "commit", "--summary", "Done.", "--session", "s1").stdout)
    assert (again["summary"]["did"], again["summary"]["turns"]) == ("updated", 1)


def test_a_fact_of_an_unknown_category_or_of_one_word_is_refused(call: Run, vault: Path) -> None:
    for fact, said in (("nonsense: abc", "'nonsense' is no category"), ("bad", "'bad' is too short to be a fact")):
        ran = call("commit", "--summary", "Done.", "--fact", fact)
        assert (ran.returncode, said in ran.stderr) == (2, True), ran.stderr
    assert "preference, habit" in call("commit", "--summary", "Done.", "--fact", "nonsense: abc").stderr
    assert list((vault / "summaries").glob("*.md")) == []
    ran = call("commit", "--summary", "Done.", "--fact", "See https://x.example/a", "--fact", "爱喝茶")
    assert ran.returncode == 0, ran.stderr


def test_recall_asks_one_tier_or_category(call: Run) -> None:
    call("remember", "Quokka reports go in tables", "--category", "preference")
    assert "tables" in call("recall", "quokka reports", "--layer", "semantic").stdout
    assert "tables" in call("recall", "quokka reports", "--category", "preference").stdout
    assert call("recall", "quokka reports", "--layer", "episodic").stdout == ""
    assert call("recall", "quokka reports", "--category", "style").stdout == ""


def test_without_its_extra_mcp_says_how_to_get_it(vault: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from kit.cli import run; sys.exit(run(sys.argv[1:]))"
    line = [sys.executable, "-c", code, "--vault", str(vault), "mcp"]
    ran = subprocess.run(line, capture_output=True, text=True, cwd=PROJECT, check=False, timeout=60)
    assert ran.returncode == 8
    assert "pip install 'memory-kit[mcp]'" in ran.stderr
    assert ran.stdout == ""


def test_settings_of_an_unknown_client_are_refused_with_those_that_are_known(call: Run) -> None:
    ran = call("mcp", "--print-config", "emacs")
    assert ran.returncode == 2
    assert "claude, codex" in ran.stderr
