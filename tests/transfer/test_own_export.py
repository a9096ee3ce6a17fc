"""The law of the export: imported into an empty vault it gives the same files, byte for byte, and the same index."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit.app import Kit
from kit.errors import BadInputError, ConflictError
from kit.transfer import own
from tests import small_vault

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = Path(__file__).parents[2] / "vault-example"
NAMES = st.text(st.characters(codec="utf-8", categories=("L", "Nd")), min_size=1, max_size=8).map(
    lambda name: normalize("NFC", name)  # as every name in a vault is
)
LINES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=40)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Draw a file as people have them: a note with keys of its own, a plain one, one that is broken or no UTF-8."""
    kind = draw(st.sampled_from(["card", "fact", "tag", "plain", "broken", "bytes"]))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    body = newline.join(draw(st.lists(LINES, max_size=4)))
    if kind == "plain":
        return body.encode()
    if kind == "broken":
        return f"---{newline}tags: [a{newline}---{newline}{body}".encode()
    if kind == "bytes":
        return b"---\nkind: card\n---\n\xff\xfe" + body.encode()
    name, own_key = draw(NAMES), draw(NAMES)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    keys = [f"id: id-{name}", f"kind: {kind}", f"x-{own_key}: 'its own' # and why", f"tags: [{name}]"]
    return (mark + newline.join(["---", *keys, "---", body])).encode()


def copied(source: Kit, target: Path) -> Kit:
    """Carry a vault over into an empty one."""
    file = target.with_suffix(".jsonl")
    source.transfer.carry_out(str(file), archive=True)
    (target / "cards").mkdir(parents=True)
    there = Kit(target)
    done = there.transfer.bring(str(file), seconds=60)
    assert done.finished
    assert not done.problem_count, done.problems
    return there


def notes(root: Path) -> dict[str, bytes]:
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*.md")}


def state(kit: Kit) -> small_vault.State:
    kit.sync()
    found = small_vault.state(kit.index)
    return {**found, "features": {path: row[1:] for path, row in found["features"].items()}}  # type: ignore[attr-defined]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(NAMES.map(lambda name: normalize("NFC", f"n{name.casefold()}")), files(), max_size=6))
def test_an_export_imported_is_the_vault(home: Path, drawn: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory(dir=home) as folder:
        root = Path(folder, "here")
        (root / "cards").mkdir(parents=True)
        for name, raw in drawn.items():
            (root / "cards" / f"{name}.md").write_bytes(raw)
        with Kit(root) as source, copied(source, Path(folder, "there")) as target:
            assert notes(target.root) == notes(root)
            assert state(target) == state(source)


@pytest.fixture
def example(home: Path) -> Iterator[Kit]:
    with tempfile.TemporaryDirectory(dir=home) as folder:
        root = Path(folder, "example")
        for file in EXAMPLE.rglob("*"):
            if file.is_file():
                place = root / file.relative_to(EXAMPLE)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.read_bytes())
        with Kit(root) as kit:
            yield kit


def test_the_example_vault_comes_back_whole_with_what_was_put_away(example: Kit, tmp_path: Path) -> None:
    card = next(entry.id for entry in example.index.catalog.of_kind("card")) if example.sync().seen else ""
    example.forget(card, "to see it in the archive")
    with copied(example, tmp_path / "there") as target:
        assert notes(target.root) == notes(example.root)
        assert state(target) == state(example)
        assert target.restore(card).id == card


def test_the_journal_comes_first_and_whole(example: Kit, tmp_path: Path) -> None:
    example.remember("Reports go in tables")
    example.transfer.carry_out(str(tmp_path / "all.jsonl"), journal=True)
    (tmp_path / "there" / "cards").mkdir(parents=True)
    with Kit(tmp_path / "there") as target:
        target.transfer.bring(str(tmp_path / "all.jsonl"), seconds=60)
        old = [entry for entry in example.journal.entries() if entry["what"] != "import"]
        assert list(target.journal.entries())[: len(old)] == old


def test_into_a_vault_that_is_not_empty_yours_stays(example: Kit, vault: Path, tmp_path: Path) -> None:
    example.transfer.carry_out(str(tmp_path / "all.jsonl"))
    seed = vault / "tags" / "ci.md"
    seed.write_bytes(seed.read_bytes() + b"My own words.\n")
    with Kit(vault) as kit:
        done = kit.transfer.bring(str(tmp_path / "all.jsonl"), seconds=60)
        assert [problem.what for problem in done.problems] == ["Your tags/ci.md differs and is kept."] or not any(
            problem.path != "tags/ci.md" for problem in done.problems
        )
        assert seed.read_bytes().endswith(b"My own words.\n")
        again = kit.transfer.bring(str(tmp_path / "all.jsonl"), seconds=60)
        assert again.written == {}


def test_each_line_is_json_with_the_documented_keys(example: Kit, tmp_path: Path) -> None:
    left = example.transfer.carry_out(str(tmp_path / "all.jsonl"))
    header, *rest = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (header["format"], header["schema"], header["notes"]) == (own.FORMAT, own.SCHEMA, len(rest))
    assert left.notes == len(rest)
    card = next(line for line in rest if line.get("kind") == "card")
    assert set(card) == {"path", "mtime_ns", "id", "kind", "front", "head", "body"}
    assert (example.root / card["path"]).read_text(encoding="utf-8") == card["head"] + card["body"]


def test_broken_lines_and_a_file_cut_short_are_told(example: Kit, vault: Path, tmp_path: Path) -> None:
    example.transfer.carry_out(str(tmp_path / "all.jsonl"))
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    lines[1:3] = ['{"path": "cards/a.md"}', '{"path": "../../out.md", "text": "x"}']
    (tmp_path / "all.jsonl").write_text("\n".join(lines[:-1]), encoding="utf-8")
    with Kit(vault) as kit:
        done = kit.transfer.bring(str(tmp_path / "all.jsonl"), seconds=60)
    told = "\n".join(map(str, done.problems))
    assert "all.jsonl:2: This line is no note." in told
    assert "`../../out.md` is no path inside the vault." in told
    assert "The header promises" in told
    assert not (tmp_path / "out.md").exists()


def test_nothing_is_written_over_and_nothing_into_the_vault(example: Kit, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    with pytest.raises(ConflictError, match="is no export of the kit"):
        example.transfer.carry_out(str(mine), force=True)
    with pytest.raises(BadInputError, match="lies in the vault itself"):
        example.transfer.carry_out(str(example.root / "out.jsonl"))
    example.transfer.carry_out(str(tmp_path / "all.jsonl"))
    with pytest.raises(ConflictError, match="--force"):
        example.transfer.carry_out(str(tmp_path / "all.jsonl"))
    assert example.transfer.carry_out(str(tmp_path / "all.jsonl"), force=True).files == 1


def test_a_folder_that_is_not_there_is_not_made(example: Kit, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="There is no folder"):
        example.transfer.carry_out(str(tmp_path / "nonexistent" / "x"))
    assert not (tmp_path / "nonexistent").exists()


def test_clean_markdown_has_links_that_work_and_no_ids(example: Kit, tmp_path: Path) -> None:
    import re  # noqa: PLC0415 - only here
    from urllib.parse import unquote  # noqa: PLC0415

    example.transfer.carry_out(str(tmp_path / "book"), "markdown")
    pages = list((tmp_path / "book").rglob("*.md"))
    assert len(pages) > 20
    ids = [entry.id for entry in example.index.catalog.of_kind("card")]
    links = 0
    for page in pages:
        said = page.read_text(encoding="utf-8")
        assert not [one for one in ids if one in said]
        asked = said.partition("## Asked")[0]
        assert "[[" not in asked
        for target in re.findall(r"\]\(((?!\w+:)[^)\s]+\.md)\)", asked):
            links += 1
            assert (page.parent / unquote(target)).is_file(), (page, target)
    assert links > 50
    example.transfer.carry_out(str(tmp_path / "book"), "markdown", force=True)


def test_a_folder_in_which_somebody_has_worked_is_not_replaced(example: Kit, tmp_path: Path) -> None:
    book = tmp_path / "book"
    example.transfer.carry_out(str(book), "markdown")
    (book / ".DS_Store").write_bytes(b"laid by a system")
    example.transfer.carry_out(str(book), "markdown", force=True)
    (book / "mine.md").write_text("mine", "utf-8")
    with pytest.raises(ConflictError, match=r"mine\.md is not what the export wrote"):
        example.transfer.carry_out(str(book), "markdown", force=True)
    (book / "mine.md").unlink()
    page = next((book / "facts").glob("*.md"))
    page.write_text("changed by hand", "utf-8")
    with pytest.raises(ConflictError, match="is not what the export wrote"):
        example.transfer.carry_out(str(book), "markdown", force=True)
    assert page.read_text("utf-8") == "changed by hand"


@pytest.mark.skipif(os.name == "nt", reason="such names can't be there")
def test_an_export_knows_its_own_pages_whatever_they_are_called(vault: Path, tmp_path: Path) -> None:
    with (vault / "memkit.toml").open("a", encoding="utf-8") as file:
        file.write("[index]\nplain_notes = true\n")
    for number, mark in enumerate("\u2028\u2029\x85"):
        (vault / f"{number}{mark}x.md").write_text("About tea.", "utf-8")
    with Kit(vault) as kit:
        kit.transfer.carry_out(str(tmp_path / "book"), "markdown")
        assert kit.transfer.carry_out(str(tmp_path / "book"), "markdown", force=True).files >= 3


@pytest.mark.skipif(os.name == "nt", reason="such names can't be there")
def test_names_that_other_systems_can_not_have_come_back_as_they_are_and_once(vault: Path, tmp_path: Path) -> None:
    names = {"What is this?.md", "con.md", "a|b.md", normalize("NFD", "été.md")}
    (vault / "mine").mkdir()
    for name in names:
        (vault / "mine" / name).write_text(f"about {name}", "utf-8")
    (vault / "mine" / "large.md").write_bytes(b"more than a note may have\n" * 100_000)
    with Kit(vault) as source, copied(source, tmp_path / "there") as target:
        there = {file.name for file in (target.root / "mine").iterdir()}
        assert {normalize("NFC", name) for name in there} == {normalize("NFC", name) for name in {*names, "large.md"}}
        again = target.transfer.bring(str(tmp_path / "there.jsonl"), seconds=60)
        assert again.written == {}
        back = target.transfer.take_back()
        assert (back.notes >= len(names), back.left) == (True, ("mine/large.md",))


def test_names_that_differ_in_case_alone_stay_where_the_disk_tells_them_apart(vault: Path, tmp_path: Path) -> None:
    (vault / "mine").mkdir()
    for name in ("Tea.md", "tea.md"):
        (vault / "mine" / name).write_text(f"about {name}", "utf-8")
    names = {file.name for file in (vault / "mine").iterdir()}
    with Kit(vault) as source, copied(source, tmp_path / "there") as target:
        found = {file.name: file.read_text("utf-8") for file in (target.root / "mine").iterdir()}
        assert found == {name: (vault / "mine" / name).read_text("utf-8") for name in names}
        assert target.transfer.bring(str(tmp_path / "there.jsonl"), seconds=60).written == {}


def test_a_name_that_can_not_stay_is_told_with_the_one_in_its_place(vault: Path, tmp_path: Path) -> None:
    lines = [
        {"format": "memkit-vault", "schema": 1, "notes": 2},
        *({"path": f"mine/{normalize(form, 'été')}.md", "text": f"in form {form}"} for form in ("NFC", "NFD")),
    ]  # fmt: skip
    file = tmp_path / "all.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with Kit(vault) as kit:
        done = kit.transfer.bring(str(file), seconds=60)
    assert done.written == {"plain note": 2}
    [told] = done.problems
    assert normalize("NFC", told.path) == "mine/été.md"
    assert "it is now `mine/" in told.what
    assert len(list((vault / "mine").iterdir())) == 2


def test_no_line_leads_out_of_the_vault_or_breaks_an_import(vault: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    lines = [
        {"format": "memkit-vault", "schema": 1, "notes": 0}, {"path": "../out.md", "text": "x"},
        {"path": str(out), "text": "x"}, {"path": ".git/hook.md", "text": "x"}, {"path": "a/../../out.md", "text": "x"},
        {"path": "half \ud800.md", "text": "x"}, {"path": "half.md", "text": "\ud800"},
        {"path": "mine/late.md", "mtime_ns": 10**30, "text": "of no time a file can have"},
    ]  # fmt: skip
    file = tmp_path / "all.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with Kit(vault) as kit:
        assert kit.transfer.look(str(file)).new == {"plain note": 1}
        done = kit.transfer.bring(str(file), seconds=60)
    assert (done.written, done.problem_count) == ({"plain note": 1}, 6)
    assert (vault / "mine/late.md").is_file()
    assert not out.exists()


def test_a_look_in_stretches_sees_what_a_look_at_once_sees(example: Kit, tmp_path: Path, vault: Path) -> None:
    file = tmp_path / "all.jsonl"
    example.transfer.carry_out(str(file))
    with Kit(vault) as kit:
        whole, part, stretches = kit.transfer.look(str(file)), kit.transfer.look(str(file), seconds=0), 1
        while not part.finished:
            part = kit.transfer.look(str(file), seconds=0, run=part.run)
            stretches += 1
        assert stretches > 10
        assert part._replace(run="") == whole._replace(run="")


def test_an_export_lets_others_use_the_memory_between_two_pages(example: Kit, tmp_path: Path) -> None:
    turns = []

    class Owner:
        def __enter__(self) -> None:
            turns.append("taken")

        def __exit__(self, *_: object) -> None:
            """Leave."""

    example.transfer.owner = Owner()
    files = example.transfer.carry_out(str(tmp_path / "book"), "markdown").files
    assert len(turns) > 2 * (files - 1)
