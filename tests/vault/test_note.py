"""Notes as bytes: what is read, what is refused, and that an edit touches nothing else."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from kit.errors import BadNoteError
from kit.model.notes import Card, Fact, Scene, Tag
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Mapping

CARD = b"""---
# made by hand
id: 20260819-063022-k3f9
kind: card
status: pending # soon
topic: "Re: memory"
created: 2026-08-19T06:30:22+08:00
genre: 'prose'
tags:
  - cache # the first
  # about the next
  - "C++"
people: [Ann, Bo]
importance: 3
mood: good

---
One sentence.

## Mine
"""


def front(text: str) -> bytes:
    return f"---\n{text}---\nbody\n".encode()


def changed(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    """Tell which lines went and which came."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return old, new


def refused(raw: bytes) -> str:
    with pytest.raises(BadNoteError) as caught:
        note.parse(raw, "a.md", fallback_name="a")
    return str(caught.value)


# --- splitting ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "text", "body"),
    [
        (b"---\nid: x\n---\nbody", b"id: x\n", b"body"),
        (b"\xef\xbb\xbf---\r\nid: x\r\n---\r\nbody\r\n", b"id: x\r\n", b"body\r\n"),
        (b"---\r\nid: x\n---\nbody\r\n", b"id: x\n", b"body\r\n"),
        (b"---\nid: x\n---", b"id: x\n", b""),
        (b"---\n---\nbody", b"", b"body"),
        (b"body\n---\nid: x\n---\n", b"", b"body\n---\nid: x\n---\n"),
        (b"\n---\nid: x\n---\n", b"", b"\n---\nid: x\n---\n"),
        (b"----\nid: x\n----\n", b"", b"----\nid: x\n----\n"),
        (b"---\nid: x\n", b"", b"---\nid: x\n"),
        (b"", b"", b""),
    ],
)
def test_a_file_is_cut_at_its_first_two_rules(raw: bytes, text: bytes, body: bytes) -> None:
    parts = note.split(raw)
    assert (parts.front, parts.body) == (text, body)
    assert b"".join(parts) == raw


# --- reading -----------------------------------------------------------------------------------------------


def test_what_would_not_print_back_the_same_stays_text() -> None:
    found = note.read(
        front(
            "day: 2026-08-19\nat: 2026-08-19T06:30:22\ntime: 12:30\nyes: no\non: off\noctal: 0123\n"
            "version: 1.10\nbig: 12345678901234567890\nhex: 0x1F\nhalf: 0.5\ncount: -7\nflag: true\nnone: ~\nempty:\n"
            "quoted: '3'\n"
        ),
        "a.md",
    )
    assert found.front == {
        "day": "2026-08-19", "at": "2026-08-19T06:30:22", "time": "12:30", "yes": "no", "on": "off",
        "octal": "0123", "version": "1.10", "big": "12345678901234567890", "hex": "0x1F", "half": 0.5,
        "count": -7, "flag": True, "none": None, "empty": None, "quoted": "3",
    }  # fmt: skip
    assert found.body == "body\n"


def test_every_key_knows_its_line_in_the_file() -> None:
    raw = "\ufeff---\r\n# remark\r\nid: x\r\ntags:\r\n  - a\r\n\r\nkind: card\r\n---\r\n".encode()
    assert note.read(raw, "a.md").lines == {"id": 3, "tags": 4, "kind": 7}


def test_a_letterhead_between_two_rules_is_body() -> None:
    for text in ("Dear Ann\n", "- a\n- b\n", "Dear Ann\n\twe: met: here\n", "\n**Bold** text: x: y\n"[1:]):
        raw = front(text)
        assert note.read(raw, "a.md") == ({}, raw.decode(), {})
        assert note.parse(raw, "a.md", fallback_name="a") is None


def test_empty_files_and_plain_notes_have_no_front_matter() -> None:
    assert note.read(b"", "a.md") == ({}, "", {})
    assert note.read(b"\xef\xbb\xbf# Title\n", "a.md") == ({}, "# Title\n", {})
    assert note.read(b"---\n---\nbody", "a.md") == ({}, "body", {})
    assert note.read(b"---\njust a rule, never closed\n", "a.md").front == {}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("tags:\n\t- a\n", 3, "tab"),
        ("title: Re: x\nid: a\n", 2, "holds a colon and is not quoted"),
        ("id: a\ntitle: 'never closed\nkind: card\n", 3, "never closed"),
        ('id: a\nkind: card\nscene: "work\ntopic: x\nevent: "[[events/a]]"\n', 4, "never closed"),
        ("id: a\nkind: card\nscene: 'work\ntopic: 'x'\n", 4, "never closed"),
        ('id: a\nkind: card\ntags:\n  - "work\n  - "play"\n', 5, "never closed"),
        ('id: a\nkind: card\nmood: "over\n  two lines"\nscene: "work\ntopic: "x"\n', 6, "never closed"),
        ("id: a\ntags: [a, b\nkind: card\n", 3, "bracket"),
        ("id: a\ntitle:\u00a0x\nkind: card\n", 3, "no-break space"),
        ("id: a\ntitle: {{title}}\n", 3, "braces"),
        ("id: a\ntitle: @ann\n", 3, "`@`"),
        ("id: a\ntitle: *x\n", 3, "`*`"),
        ("id: a\nkind: card\nid: b\n", 4, "`id` is given twice"),
        ("a: &x [1]\nb: *x\n", 2, "alias"),
        ("a: &x one\nb: *x\n", 2, "alias"),
        ("base: &b {x: 1}\n<<: *b\n", 3, "Merge keys"),
        ("id: a\nx: !!python/object:os.system y\n", 3, "tag"),
        ("id: a\nx: !!binary aGk=\n", 3, "tag"),
        ("id: a\nx: b\x01\n", 3, "control character"),
        ("id: a\n<<<<<<< HEAD\ntopic: x\n=======\ntopic: y\n>>>>>>> theirs\n", 3, "merge"),
        ("<<<<<<< HEAD\nid: x\n=======\nid: y\n>>>>>>> theirs\n", 2, "merge"),
        ("a: " + "[" * 30 + "]" * 30 + "\n", 2, "nested too deep"),
        ("a: " + "[" * 9000 + "\n", 2, "nested too deep"),
        ('a: "\\q"\n', 2, "backslash"),
        ("id: a\n...\nkind: card\n", 4, "ends"),
        ("kind card\nid: x\n", 3, "does not read as"),
        ("id: a\n'': x\n", 3, "no key"),
    ],
)
def test_a_fault_is_told_with_its_line_and_what_mends_it(text: str, line: int, words: str) -> None:
    with pytest.raises(BadNoteError) as caught:
        note.read(front(text), "cards/a.md")
    problem = caught.value.problem
    assert (problem.path, problem.line) == ("cards/a.md", line)
    assert words in problem.what
    assert problem.mend


def test_files_that_are_no_text_are_told_with_their_line() -> None:
    assert refused(b"---\nid: x\n---\nok\ncaf\xe9\n").startswith("a.md:5: The file is not UTF-8.")
    assert refused("---\nid: é\n---\n".encode("latin-1")).startswith("a.md:2: ")
    assert refused(b"---\nid: x\n---\na\0b\n").startswith("a.md:4: The file holds a NUL byte")
    assert refused("kind: card".encode("utf-16")).startswith("a.md:1: ")


def test_front_matter_that_is_never_closed_is_told() -> None:
    assert refused(b"---\nid: x\nkind: card\n\ntext\n").startswith("a.md:1: The front matter is never closed.")


def test_bombs_and_huge_front_matter_are_refused_at_once() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "alias" in refused(front(bomb))
    assert refused(front("id: x\n" * 1_700_000)).startswith("a.md:1: The front matter is longer than 64 KiB.")
    letter = front("text\n" * 20_000)
    assert note.read(letter, "a.md").body == letter.decode()


def test_without_libyaml_the_same_is_read_and_refused() -> None:
    program = (
        "import yaml; del yaml.CSafeLoader\n"
        "from kit.errors import BadNoteError\n"
        "from kit.vault import note\n"
        "import sys\n"
        "raw = sys.stdin.buffer.read()\n"
        "print(note.read(raw, 'a.md').front)\n"
        "print(note.edit(raw, {'status': 'completed', 'tags': ['a']}, 'a.md'))\n"
        "try: note.read(b'---\\na: ' + b'[' * 9000 + b'\\n---\\n', 'a.md')\n"
        "except BadNoteError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], input=CARD, capture_output=True, check=True)
    expected = [
        str(note.read(CARD, "a.md").front),
        str(note.edit(CARD, {"status": "completed", "tags": ["a"]}, "a.md")),
        refused(front("a: " + "[" * 9000 + "\n")),
    ]
    assert ran.stdout.decode().splitlines() == expected


# --- kinds -------------------------------------------------------------------------------------------------


def test_a_card_becomes_a_card() -> None:
    card = note.parse(CARD, "cards/a.md", fallback_name="a")
    assert isinstance(card, Card)
    assert card.created == datetime(2026, 8, 19, 6, 30, 22, tzinfo=timezone(timedelta(hours=8)))
    assert (card.tags, card.people) == (("cache", "C++"), ("Ann", "Bo"))
    assert card.body.startswith("One sentence.")
    assert (card.model_extra or {})["mood"] == "good"


def test_a_tag_or_scene_without_a_name_has_its_files() -> None:
    for text, kind in (("name:\n", Tag), ("", Tag), ("", Scene)):
        found = note.parse(front(f"id: x\nkind: {kind.__name__.lower()}\n{text}"), "a.md", fallback_name="缓存")
        assert isinstance(found, (Tag, Scene))
        assert found.name == "缓存"


def test_a_name_that_looks_like_a_number_stays_as_written() -> None:
    tag = note.parse(front("id: x\nkind: tag\nname: 3.10\naliases: [007, 1e3]\n"), "a.md", fallback_name="a")
    assert isinstance(tag, Tag)
    assert (tag.name, tag.aliases) == ("3.10", ("007", "1e3"))
    fact = note.parse(front("id: x\nkind: fact\nconfidence: 0.50\nhits: 7\n"), "a.md", fallback_name="a")
    assert isinstance(fact, Fact)
    assert (fact.confidence, fact.hits) == (0.5, 7)


def test_a_note_without_kind_is_the_persons() -> None:
    assert note.parse(front("title: mine\nkind:\n"), "a.md", fallback_name="a") is None


def test_an_unknown_kind_names_the_known_ones() -> None:
    assert refused(front("id: x\nkind: recipe\n")) == (
        "a.md:3: `recipe` is no kind of note. Known: card, event, overview, summary, fact, tag, scene."
    )


def test_all_wrong_keys_are_named_at_the_line_of_the_first() -> None:
    text = "kind: card\nimportance: 9\nstatus: done\ncreated: soon\npinned: perhaps\ntags: {a: b}\nid: ''\n"
    told = refused(front(text))
    assert told.startswith("a.md:3: `importance` is 9, but must be at most 5. `status` is 'done', but must be one of")
    for words in ("`completed`", "'soon' is no date", "`pinned`", "true or false", "a list of texts", "`id` is empty"):
        assert words in told
    assert refused(front("kind: card\n")).startswith("a.md:1: `id` is missing.")


# --- editing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "went", "came"),
    [
        ({"status": "completed"}, ["status: pending # soon"], ["status: completed # soon"]),
        ({"topic": 'a "b"'}, ['topic: "Re: memory"'], ['topic: "a \\"b\\""']),
        ({"genre": "it's"}, ["genre: 'prose'"], ["genre: 'it''s'"]),
        ({"importance": 5}, ["importance: 3"], ["importance: 5"]),
        ({"importance": None}, ["importance: 3"], []),
        ({"people": ["Ann", "Bo", "Li, Wei"]}, ["people: [Ann, Bo]"], ['people: [Ann, Bo, "Li, Wei"]']),
        ({"people": []}, ["people: [Ann, Bo]"], ["people: []"]),
        ({"tags": ["cache", "C++", "go"]}, [], ['  - "go"']),
        ({"tags": ["cache"]}, ['  - "C++"'], []),
        ({"status": ["a"]}, ["status: pending # soon"], ["status: # soon", "  - a"]),
        ({"created": datetime(2026, 8, 20, tzinfo=UTC)},
         ["created: 2026-08-19T06:30:22+08:00"], ["created: 2026-08-20T00:00:00+00:00"]),
        ({"feedback": "no", "event": "[[events/x]]", "places": ["12:30", "here"]}, [],
         ['feedback: "no"', 'event: "[[events/x]]"', "places:", '  - "12:30"', "  - here"]),
    ],
)  # fmt: skip
def test_only_the_lines_of_a_changed_key_change(
    changes: Mapping[str, note.Value | None], went: list[str], came: list[str]
) -> None:
    for raw in (CARD, CARD.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + CARD, CARD.rstrip(b"\n")):
        newline = "\r\n" if b"\r\n" in raw else "\n"
        old, new = changed(raw, note.edit(raw, changes, "a.md"))
        assert [line.decode() for line in old] == [line + newline for line in went]
        assert [line.decode() for line in new] == [line + newline for line in came]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"status": "pending", "importance": 3, "tags": ("cache", "C++"), "people": ["Ann", "Bo"]},
        {"created": datetime(2026, 8, 18, 22, 30, 22, tzinfo=UTC)},
        {"never": None},
    ],
)
def test_what_already_means_the_same_is_left_as_it_is(changes: Mapping[str, note.Value | None]) -> None:
    assert note.edit(CARD, changes, "a.md") == CARD


def test_an_empty_property_and_other_spellings_of_a_number_are_left() -> None:
    raw = front("topic:\ntags:\nconfidence: 0.50\nname: 2026\n")
    same: dict[str, note.Value | None] = {"topic": "", "tags": [], "confidence": 0.5, "name": "2026"}
    assert note.edit(raw, same, "a.md") == raw
    assert note.edit(raw, {"name": True, "confidence": 0.6}, "a.md") == front(
        "topic:\ntags:\nconfidence: 0.6\nname: true\n"
    )


def test_an_empty_property_is_filled_in_place() -> None:
    raw = front("topic: \ntags:   # words\nkind: card\n")
    assert note.edit(raw, {"topic": "x", "tags": ["a"]}, "a.md") == front(
        "topic: x\ntags:   # words\n  - a\nkind: card\n"
    )


def test_the_indent_of_lists_and_of_keys_is_kept() -> None:
    assert note.edit(front("tags:\n- a\n- b\n"), {"tags": ["b", "c"]}, "a.md") == front("tags:\n- b\n- c\n")
    assert note.edit(front("tags:\n    -  a\n"), {"tags": ["c"]}, "a.md") == front("tags:\n    - c\n")
    assert note.edit(front("  id: x\n  b: 1\n"), {"c": "d", "b": 2}, "a.md") == front("  id: x\n  b: 2\n  c: d\n")


def test_values_of_many_lines_are_replaced_whole() -> None:
    raw = front("a: | # kept\n  one\n\n  # text\n\n# remark\nb: >-\n  two\nc: [x,\n  y] # z\nd:\n  e: 1\n")
    assert note.edit(raw, {"a": "1", "b": "two\nlines", "c": "f", "d": "g"}, "a.md") == front(
        'a: "1" # kept\n\n# remark\nb: "two\\nlines"\nc: f # z\nd: g\n'
    )
    assert note.edit(raw, {"a": None, "d": None}, "a.md") == front("\n# remark\nb: >-\n  two\nc: [x,\n  y] # z\n")


def test_a_comment_above_an_item_outlives_the_item() -> None:
    assert b"# about the next" in note.edit(CARD, {"tags": ["cache"]}, "a.md")


def test_a_note_without_front_matter_gets_one_and_keeps_every_byte() -> None:
    for raw in (b"", b"text", b"\xef\xbb\xbftext\r\nmore", front("Dear Ann\n"), b"---\n---\nbody"):
        bom = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
        out = note.edit(raw, {"id": "x", "tags": ["a"]}, "a.md")
        assert out.startswith(bom)
        assert out.endswith(b"body" if raw == b"---\n---\nbody" else raw[len(bom) :])
        assert note.read(out, "a.md").front == {"id": "x", "tags": ["a"]}
        assert (b"\r\n" in out.partition(b"text")[0]) == (b"\r\n" in raw)


def test_what_can_not_be_edited_safely_is_left_alone() -> None:
    with pytest.raises(BadNoteError, match=r"a\.md:2: `a` can't be changed .* left alone"):
        note.edit(front("{a: 1, b: 2}\n"), {"a": 2}, "a.md")
    with pytest.raises(BadNoteError, match="given twice"):
        note.edit(front("a: 1\na: 2\n"), {"a": 3}, "a.md")


# --- body and new notes --------------------------------------------------------------------------------------


def test_a_summary_replaces_the_first_line_only() -> None:
    assert note.set_summary(CARD, "Now\n done.") == CARD.replace(b"One sentence.", b"Now done.")
    assert note.set_summary(CARD, " ") == CARD
    windows = CARD.replace(b"\n", b"\r\n")
    assert note.set_summary(windows, "X.") == windows.replace(b"One sentence.", b"X.")


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("", "S.\n"),
        ("\n\n", "\n\nS.\n"),
        ("Old", "S."),
        ("Old\nmy own line\n", "S.\n\nmy own line\n"),
        ("Old\n- my item\n", "S.\n- my item\n"),
        ("## Head\n", "S.\n\n## Head\n"),
        ("Head\n===\n", "S.\n\nHead\n===\n"),
        ("```\ncode\n```\n", "S.\n\n```\ncode\n```\n"),
        ("\n#tag is text\n\nrest", "\nS.\n\nrest"),
    ],
)
def test_what_stands_below_a_summary_stays(body: str, after: str) -> None:
    head = "---\nid: x\n---\n"
    out = note.set_summary(f"{head}{body}".encode(), "S.").decode()
    assert out == head + after
    assert note.first_paragraph(note.read(out.encode(), "a.md").body) == "S."


def test_a_summary_needs_a_line_below_the_rule() -> None:
    assert note.set_summary(b"---\nid: x\n---", "S.") == b"---\nid: x\n---\nS.\n"


def test_the_first_paragraph_is_one_line() -> None:
    assert note.first_paragraph("\n\nOne\ntwo\n- item\n") == "One two"
    assert note.first_paragraph("## Head\ntext") == ""
    assert note.first_paragraph("") == ""


def test_a_body_is_replaced_below_the_same_front_matter() -> None:
    assert note.set_body(CARD, "new") == CARD.partition(b"One")[0] + b"new"
    assert note.set_body(b"text", "\0new \ud800") == "\ufffdnew \ufffd".encode()


def test_a_new_note_has_its_keys_in_order_and_ends_with_a_newline() -> None:
    made = note.render(
        {"id": "x", "kind": "card", "error": None, "created": datetime(2026, 8, 19, 6, 30, 22, 5, UTC),
         "tags": ["C＃", "2026", "a: b"], "people": [], "pinned": False, "confidence": 0.7, "topic": "on"},
        "One.\r\n\n---\nrest",
    )  # fmt: skip
    assert (
        made
        == (
            "---\nid: x\nkind: card\ncreated: 2026-08-19T06:30:22+00:00\ntags:\n  - C＃\n"
            '  - "2026"\n  - "a: b"\npeople: []\npinned: false\nconfidence: 0.7\ntopic: "on"\n---\n'
            "One.\n\n---\nrest\n"
        ).encode()
    )
