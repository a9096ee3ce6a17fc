"""Notes of every odd style: what an edit does not name, it does not touch."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from kit.errors import BadNoteError, Problem
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
WORDS = st.sampled_from(
    ["x", "é b", "中文", "🐘", "a-b_c", "one/two", "no one", "c++", "e.g. x", "v1.10", "a:b", "it's"]
)
QUOTED = st.sampled_from(
    ["", "a: b", "#x", "it's", "2026", "no", "[[a|b]]", "C:\\d", "— “x”", "- a", "中：文 # no", "\xa0x"]
)
MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001 - hypothesis wants naive bounds
    lambda moment: moment.replace(microsecond=0)
)
SAVED: st.SearchStrategy[note.Value] = st.one_of(
    TEXTS,
    st.sampled_from(["", "no", "2026-08-19", "[[a]]", "a: b", "#x", "0123", "~", "---", "- a", "{{t}}", "'", '"']),
    st.booleans(),
    st.integers(-(10**17), 10**17),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(TEXTS, max_size=4),
    MOMENTS,
)
KEYS = ("id", "kind", "tags", "status", "标签", "on", "due date")


class Entry(NamedTuple):
    """One key as a person might have written it."""

    lines: list[str]
    value: object


@st.composite
def entries(draw: st.DrawFn, key: str) -> Entry:
    pad = draw(st.sampled_from(["", " ", "\t"]))
    remark = draw(st.sampled_from(["", "  # remark", " # it's: [odd"]))
    word = draw(WORDS)
    words = draw(st.lists(WORDS, min_size=1, max_size=4, unique=True))
    indent = draw(st.sampled_from(["", "  ", "    "]))
    text = draw(QUOTED)
    some = ", ".join(json.dumps(item, ensure_ascii=False) for item in words)
    name = draw(st.sampled_from([key, f'"{key}"', f"{key} "]))
    forms = [
        Entry([f"{name}: {pad}{word}{remark}"], word),
        Entry([f"{name}: {json.dumps(text, ensure_ascii=False)}{remark}"], text),
        Entry([f"{name}: '{text.replace(chr(39), chr(39) * 2)}'{remark}"], text),
        Entry([f"{name}:{pad}{remark}"], None),
        Entry([f"{name}: 2026-08-19{remark}"], "2026-08-19"),
        Entry([f"{name}: 7{remark}"], 7),
        Entry([f"{name}: true{remark}"], True),
        Entry([f"{name}: [{some}]{remark}"], words),
        Entry([f"{name}: ["] + [f'  "{item}",' for item in words] + [f"  ]{remark}"], words),
        Entry([f"{name}:{remark}", f"{indent}# inner"] + [f"{indent}- {item}{remark}" for item in words], words),
        Entry([f"{name}:{remark}"] + [f'{indent}- "{item}"' for item in words], words),
        Entry([f"{name}: |{remark}"] + [f"  {item}" for item in words], "".join(f"{item}\n" for item in words)),
        Entry([f"{name}: >-{remark}", f"    {word}", "", "    # text"], f"{word}\n# text"),
        Entry([f"{name}:", f"  {word}", f"  {word}{remark}"], f"{word} {word}"),
        Entry([f'{name}: "{word}', f'  {word}"{remark}'], f"{word} {word}"),
        Entry([f"{name}:{remark}", f"  inner: {word}", "  deep:", "    - 1"], {"inner": word, "deep": [1]}),
    ]
    return draw(st.sampled_from(forms))


class Hostile(NamedTuple):
    """A note, with what stands before, in and after each key's own lines."""

    raw: bytes
    values: dict[str, object]
    spans: dict[str, tuple[int, int]]
    front_end: int
    newline: str


@st.composite
def notes(draw: st.DrawFn) -> Hostile:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    raw = draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + f"---{newline}".encode()
    values: dict[str, object] = {}
    spans = {}
    between = st.sampled_from([[], [""], ["# remark: x"], [" # inner remark", ""]])
    for key in draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=5)):
        raw += "".join(line + newline for line in draw(between)).encode()
        entry = draw(entries(key))
        start = len(raw)
        raw += "".join(line + newline for line in entry.lines).encode()
        values[key], spans[key] = entry.value, (start, len(raw))
    raw += "".join(line + newline for line in draw(between)).encode()
    front_end = len(raw)
    closing = draw(st.sampled_from([f"---{newline}", "---\n"]))
    body = draw(st.sampled_from(["", "One sentence.", "\nOne.\n\n## Mine\r\n- a\n", "---\nx: y\n---\n", "中文。\n> b"]))
    return Hostile(raw + (closing + body).encode(), values, spans, front_end, newline)


def attempt(act: Callable[[], note.Parsed]) -> note.Parsed | Problem:
    try:
        return act()
    except BadNoteError as error:
        return error.problem


def meant(value: note.Value) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def same(found: object, wanted: note.Value) -> bool:
    """Tell whether a value means another: what an edit may leave as it was."""
    if found is None:
        return wanted in ("", [])
    if isinstance(wanted, datetime):
        return isinstance(found, str) and datetime.fromisoformat(found).astimezone(UTC) == wanted
    if isinstance(wanted, bool) or isinstance(found, bool):
        return found is wanted
    if isinstance(wanted, (int, float)) != isinstance(found, (int, float)):
        return str(found) == str(wanted) or found == str(meant(wanted)) or float(str(found)) == wanted
    return found == meant(wanted)


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"---\n", b"\xef\xbb\xbf---\r\n"]),
    st.sampled_from([b"", b"\n---\nx"]),
)
def test_parts_join_to_the_file_and_no_bytes_crash_the_reader(raw: bytes, before: bytes, after: bytes) -> None:
    whole = before + raw + after
    assert b"".join(note.split(whole)) == whole
    assert note.edit(whole, {}, "a.md") == whole
    found = attempt(lambda: note.read(whole, "a.md"))
    if isinstance(found, Problem):
        assert 1 <= found.line <= whole.count(b"\n") + 1
    else:
        assert whole.decode().endswith(found.body)


@given(st.text(" \t\n:-#'\"[]{}|>&*!%@`ab1?,<~\xa0\u2028", max_size=60), SAVED)
@settings(max_examples=100)
def test_text_that_is_almost_yaml_is_edited_rightly_or_left(text: str, value: note.Value) -> None:
    raw = f"---\na: 1\n{text}\n---\nbody".encode()
    before = attempt(lambda: note.read(raw, "a.md"))
    after = attempt(lambda: note.read(note.edit(raw, {"a": value, "b": "x"}, "a.md"), "a.md"))
    if isinstance(before, Problem) or isinstance(after, Problem):
        assert isinstance(after, Problem)
        return
    kept = {key: had for key, had in before.front.items() if key not in {"a", "b"}}
    assert {key: had for key, had in after.front.items() if key not in {"a", "b"}} == kept
    assert after.body.endswith(before.body)
    assert after.front["b"] == "x"


@given(notes())
@settings(max_examples=100)
def test_odd_styles_are_read_as_they_are_meant(hostile: Hostile) -> None:
    found = note.read(hostile.raw, "a.md")
    assert found.front == hostile.values
    for key, (start, _) in hostile.spans.items():
        assert found.lines[key] == hostile.raw.count(b"\n", 0, start) + 1


@given(notes(), st.sampled_from(KEYS), st.none() | SAVED)
@settings(max_examples=100)
def test_an_edit_touches_only_the_lines_of_its_key(hostile: Hostile, key: str, value: note.Value | None) -> None:
    raw = hostile.raw
    out = note.edit(raw, {key: value}, "a.md")
    start, end = hostile.spans.get(key, (hostile.front_end, hostile.front_end))
    after = raw[end:]
    assert out.startswith(raw[:start])
    assert out.endswith(after)
    own = out[start : len(out) - len(after)].decode()
    assert own.count("\n") == own.count(hostile.newline)
    found = note.read(out, "a.md").front
    rest = {name: had for name, had in hostile.values.items() if name != key}
    assert {name: had for name, had in found.items() if name != key} == rest
    if value is None:
        assert key not in found
    else:
        assert same(found[key], value)
        assert note.edit(out, {key: value}, "a.md") == out


@given(notes(), st.sampled_from(KEYS), SAVED)
def test_an_edit_and_back_leaves_all_other_bytes(hostile: Hostile, key: str, value: note.Value) -> None:
    if key not in hostile.spans:
        once = note.edit(hostile.raw, {key: value}, "a.md")
        assert note.edit(once, {key: None}, "a.md") == hostile.raw
        return
    old = hostile.values[key]
    if isinstance(old, dict):
        return
    assert old is None or isinstance(old, (str, int, bool, list))
    start, end = hostile.spans[key]
    back = note.edit(note.edit(hostile.raw, {key: value}, "a.md"), {key: "" if old is None else old}, "a.md")
    assert back.startswith(hostile.raw[:start])
    assert back.endswith(hostile.raw[end:])
    found = note.read(back, "a.md").front[key]
    assert found == ("" if old is None and found is not None else old)


@given(notes(), TEXTS)
def test_a_summary_leaves_the_front_matter_and_all_below(hostile: Hostile, sentence: str) -> None:
    raw = hostile.raw
    parts, after = note.split(raw), note.split(note.set_summary(raw, sentence))
    assert after[:4] == parts[:4]
    rest = parts.body.lstrip().partition(b"\n")[2]
    assert after.body.endswith(rest)
    line = " ".join(sentence.replace("\0", "\ufffd").split())
    if line and "\ufeff" not in line and not line.startswith("\\"):
        assert note.first_paragraph(after.body.decode()) == line


@given(st.dictionaries(st.sampled_from(KEYS) | WORDS, st.none() | SAVED, max_size=6), TEXTS)
def test_a_new_note_reads_back_as_it_was_given(front: dict[str, note.Value | None], body: str) -> None:
    raw = note.render(front, body)
    found = note.read(raw, "a.md")
    assert found.front == {key: meant(value) for key, value in front.items() if value is not None}
    assert list(found.front) == [key for key, value in front.items() if value is not None]
    assert found.body.rstrip("\n") == body.replace("\r\n", "\n").replace("\0", "\ufffd").rstrip("\n")
    assert raw.endswith(b"\n")
