"""What both sides said comes back as it was, whatever it holds, also out of a note on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.vault import exchange, note
from kit.vault.store import Store

if TYPE_CHECKING:
    from pathlib import Path

TRAPS = [
    "", "\n", "\n\n", " ", "\r", "\r\n", "a\r\nb", "a\rb", "a\n", "\na", "a ", " a", "\ta\t", "## User", "## Agent",
    "## User\n\n## Agent\n", "x\n## Agent  \ny", "## Users", "## Agents", "### User",
    "````text\nx\n````", "```\ncode\n```",
    "`````", "a\n````\n## Agent\n", "---", "---\nid: x\n---\n", "\u2028## Agent\u2028", "\x0b## Agent",
    "\x85## User\x85", "\ufeff## User", "中文\n## Agent\n回答", "````text\n", "\n````\n", "\x00", "# User",
    "~~~\n## Agent\n~~~", "a\n\n\n",
]  # fmt: skip
PIECES = st.sampled_from([*TRAPS, "\n", "text", "````", "`"])
ANY = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.lists(PIECES, max_size=6).map("".join),
    st.sampled_from(TRAPS),
)


def writable(words: str) -> str:
    """Tell what a note makes of a text: a zero byte is the one character it can't hold."""
    return words.replace("\0", "\ufffd")


@given(ANY, ANY)
def test_both_sides_come_back_whatever_they_hold(user: str, agent: str) -> None:
    assert exchange.read(exchange.render(user, agent)) == (user, agent)


@given(ANY.map(writable), ANY.map(writable))
def test_they_come_back_out_of_a_note(user: str, agent: str) -> None:
    body = exchange.render(user, agent).encode()
    raw = b"---\nid: a\nkind: event\n---\n" + body
    found = note.parse(raw, "events/a.md", fallback_name="a")
    assert found is not None
    assert exchange.read(found.body) == (user, agent)


@pytest.mark.parametrize("user", TRAPS)
def test_they_come_back_from_the_disk(tmp_path: Path, user: str) -> None:
    store = Store(tmp_path)
    store.create("events/a.md", note.render({"id": "a", "kind": "event"}, ""))
    store.update("events/a.md", lambda raw: note.set_body(raw, exchange.render(user, user)))
    found = note.parse(store.read("events/a.md")[0], "events/a.md", fallback_name="a")
    assert found is not None
    assert exchange.read(found.body) == (writable(user), writable(user))


@pytest.mark.parametrize("user", TRAPS)
def test_they_come_back_when_a_person_changes_the_front_matter(user: str) -> None:
    raw = note.set_body(note.render({"id": "a", "kind": "event"}, ""), exchange.render(user, "yes"))
    changed = note.edit(raw, {"tags": ["x"], "status": "failed"}, "events/a.md")
    found = note.parse(changed, "events/a.md", fallback_name="a")
    assert found is not None
    assert exchange.read(found.body) == (writable(user), "yes")


def test_an_ordinary_exchange_reads_like_a_note_of_two_sections() -> None:
    assert exchange.render("Why?", "Because.") == "## User\n\nWhy?\n\n## Agent\n\nBecause.\n"


def test_a_question_without_an_answer_has_no_second_section() -> None:
    assert exchange.render("Why?", "") == "## User\n\nWhy?\n"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40))
def test_git_may_turn_the_line_ends(user: str) -> None:
    body = exchange.render(user, "Because.\n\nReally.")
    assert exchange.read(body.replace("\n", "\r\n")) == (user, "Because.\n\nReally.")


@pytest.mark.parametrize("user", TRAPS)
def test_an_editor_may_cut_the_last_line_end(user: str) -> None:
    assert exchange.read(exchange.render("x", user).removesuffix("\n")) == ("x", user)


@pytest.mark.parametrize("body", ["hello", "## Users guide\nPress any key.", "# A title\n\ntext", "User:\nx"])
def test_a_body_without_sections_is_what_the_person_said(body: str) -> None:
    assert exchange.read(f"\n{body}\n") == (body, "")


WRITTEN = "I mean the *other* one."


@pytest.mark.parametrize("agent", ["Because.", "Because\n## User\nof it.", " indented", "````text\nx\n````"])
@pytest.mark.parametrize("user", ["Why?", "Why\n## Agent\nthis?", "Why? ", "````text\nx\n````\n"])
def test_no_line_that_a_person_adds_is_lost_wherever_they_write_it(user: str, agent: str) -> None:
    lines = exchange.render(user, agent).split("\n")
    middle = len(exchange.render(user, "").split("\n"))
    for place in range(1, len(lines) + 1):
        read = exchange.read("\n".join([*lines[:place], WRITTEN, *lines[place:]]))
        assert WRITTEN in (read.user if place < middle else read.agent) or place == middle
        assert exchange.read(exchange.render(*read)) == read
        words = {line for line in (*user.split("\n"), *agent.split("\n")) if line.strip()}
        assert words <= {*read.user.split("\n"), *read.agent.split("\n")}


def test_what_a_person_writes_behind_a_fence_belongs_to_its_section() -> None:
    body = exchange.render("Why\n## Agent\nthis?", "Because\n## User\nof it.")
    noted = body.replace("````\n\n## Agent", f"````\n\n{WRITTEN}\n\n## Agent") + "\nSee the log.\n"
    assert exchange.read(noted) == (f"Why\n## Agent\nthis?\n\n{WRITTEN}", "Because\n## User\nof it.\n\nSee the log.")


@pytest.mark.parametrize("heading", ["## User", "## Agent", "## Notes"])
def test_a_section_a_person_adds_is_kept_with_the_answer(heading: str) -> None:
    read = exchange.read(exchange.render("Why?", "Because.") + f"\n{heading}\n\n{WRITTEN}\n")
    assert read == ("Why?", f"Because.\n\n{heading}\n\n{WRITTEN}")


def test_a_second_question_a_person_adds_is_kept_with_the_first() -> None:
    assert exchange.read("## User\n\nWhy?\n\n## User\n\nReally?\n\n## Agent\n\nYes.\n") == (
        "Why?\n\n## User\n\nReally?",
        "Yes.",
    )
