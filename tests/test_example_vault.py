"""What ships as notes: the example vault and the files `init` lays down."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeVar, get_args

import pytest
import yaml

from kit import shipped, text
from kit.model.fields import WIKILINK, link_target
from kit.model.notes import (
    KINDS,
    Card,
    CardStatus,
    Event,
    Fact,
    Note,
    Overview,
    Scene,
    Summary,
    Tag,
    TagStatus,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLE = shipped.folder("vault-example")
VAULT = shipped.folder("templates") / "vault"
BOTH = pytest.mark.parametrize("root", [EXAMPLE, VAULT], ids=["vault-example", "templates-vault"])

N = TypeVar("N", bound=Note)
LEVELS = ("synonym", "related", "loose")
ID = re.compile(r"\d{8}-\d{6}-[0-9a-hjkmnp-tv-z]{4}(-[eo])?|seed-(tag|scene)-[a-z0-9-]+")
FORBIDDEN = re.compile(r'[\x00-\x1f"#%*:<>?\\^|\[\]]|[ .]$')
LEGAL_TAG = re.compile(r"(?=.*[^\d/])[\w/-]+")


def split(content: str) -> tuple[dict[str, object], str]:
    found = re.match(r"---\n(.*?)^---\n(.*)\Z", content, re.DOTALL | re.MULTILINE)
    if not found:
        return {}, content
    return yaml.safe_load(found[1]), found[2]


def files(root: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(root.rglob("*.md")):
        yield file.relative_to(root).as_posix(), file.read_bytes().decode()


@cache
def notes(root: Path) -> dict[str, Note]:
    found = {}
    for path, content in files(root):
        front, body = split(content)
        if "kind" in front:
            found[path] = KINDS[str(front["kind"])].model_validate({**front, "body": body})
    return found


def of_kind(root: Path, kind: type[N]) -> dict[str, N]:
    return {path: note for path, note in notes(root).items() if isinstance(note, kind)}


def first_paragraph(note: Note) -> str:
    return note.body.strip().split("\n\n")[0]


def generic_words() -> set[str]:
    return {text.key(word) for name in ("generic.en", "generic.zh") for word in shipped.word_list(name)}


@BOTH
def test_every_note_is_of_its_folder_and_has_only_known_keys(root: Path) -> None:
    for path, note in notes(root).items():
        assert path.startswith(f"{note.FOLDER}/"), path
        assert not note.model_extra, (path, note.model_extra)


@BOTH
def test_front_matter_follows_the_model_and_leaves_empty_keys_out(root: Path) -> None:
    for path, content in files(root):
        front, _ = split(content)
        if front:
            order = list(KINDS[str(front["kind"])].model_fields)
            assert list(front) == sorted(front, key=order.index), path
            assert all(value not in ("", None, []) for value in front.values()), path


@BOTH
def test_files_are_utf8_with_unix_lines_and_a_final_newline(root: Path) -> None:
    for path, content in files(root):
        assert "\r" not in content, path
        assert content.endswith("\n"), path
        assert not content.endswith("\n\n"), path


@BOTH
def test_lists_are_blocks_and_links_are_quoted(root: Path) -> None:
    for path, content in files(root):
        head = content.split("\n---\n")[0] if content.startswith("---") else ""
        assert not re.search(r"^\w+: \[", head, re.MULTILINE), path
        for line in head.splitlines():
            assert "[[" not in line or re.search(r'"\[\[[^\]]+\]\]"$', line), (path, line)


@BOTH
def test_ids_are_unique_and_well_formed(root: Path) -> None:
    ids = Counter(note.id for note in notes(root).values())
    assert [name for name, times in ids.items() if times > 1] == []
    assert [name for name in ids if not ID.fullmatch(name)] == []


@BOTH
def test_every_link_leads_to_a_file(root: Path) -> None:
    known = {path.removesuffix(".md") for path, _ in files(root)}
    broken = [
        (path, found[0])
        for path, content in files(root)
        for found in WIKILINK.finditer(content)
        if link_target(found[0]) not in known
    ]
    assert broken == []


@BOTH
def test_file_names_suit_every_system_and_every_wikilink(root: Path) -> None:
    paths = [file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()]
    for path in paths:
        for part in PurePosixPath(path).parts:
            assert not FORBIDDEN.search(part), path
            assert len(part.encode()) < 200, path
        name = PurePosixPath(path).stem
        assert path.startswith(".") or text.file_name(name) == name, path
    assert len({text.fold(path) for path in paths}) == len(paths)


@BOTH
def test_relations_stand_on_both_notes_at_one_level(root: Path) -> None:
    tags = {path.removesuffix(".md"): tag for path, tag in of_kind(root, Tag).items()}
    for path, tag in tags.items():
        others = [other for level in LEVELS for other in getattr(tag, level)]
        assert len(others) == len(set(others)), path
        assert path not in others
        for level in LEVELS:
            for other in getattr(tag, level):
                assert path in getattr(tags[other], level), (path, level, other)


@BOTH
def test_no_two_tags_claim_one_name_or_alias(root: Path) -> None:
    claims: dict[str, set[str]] = {}
    for path, tag in of_kind(root, Tag).items():
        for word in (tag.name, tag.code, *tag.aliases):
            claims.setdefault(text.key(word), set()).add(path)
    assert {word: paths for word, paths in claims.items() if len(paths) > 1} == {}


@BOTH
def test_no_two_scenes_claim_one_word(root: Path) -> None:
    claims: dict[str, set[str]] = {}
    for path, scene in of_kind(root, Scene).items():
        for word in (scene.name, scene.code, *scene.aliases):
            claims.setdefault(text.key(word), set()).add(path)
    assert {word: paths for word, paths in claims.items() if len(paths) > 1} == {}


@BOTH
def test_tags_are_legal_in_obsidian_and_not_generic(root: Path) -> None:
    generic = generic_words()
    for path, tag in of_kind(root, Tag).items():
        assert LEGAL_TAG.fullmatch(tag.name), path
        assert text.tag_word(tag.name) == tag.name, path
        assert text.key(tag.name) not in generic, path
        assert PurePosixPath(path).stem == tag.name


@BOTH
def test_active_tags_say_what_they_mean(root: Path) -> None:
    for path, tag in of_kind(root, Tag).items():
        if tag.status == "active":
            assert tag.definitions, path
            assert tag.dimensions, path
            assert any(text.is_cjk(alias) for alias in (tag.name, *tag.aliases)), path
            assert any(alias.isascii() for alias in (tag.name, *tag.aliases)), path


@BOTH
def test_sub_scenes_lie_in_the_folder_of_their_parent(root: Path) -> None:
    scenes = of_kind(root, Scene)
    assert {path for path, scene in scenes.items() if not scene.parent} == {
        f"scenes/{name}.md" for name in ("work", "life", "study", "play")
    }
    for path, scene in scenes.items():
        assert scene.body.strip(), path
        assert PurePosixPath(path).stem == scene.code
        if scene.parent:
            assert path == f"{scene.parent}/{scene.code}.md"


@BOTH
def test_obsidian_knows_one_type_for_each_key(root: Path) -> None:
    folder = root / ("obsidian" if root == VAULT else ".obsidian")
    types = json.loads((folder / "types.json").read_text(encoding="utf-8"))["types"]
    assert types["tags"] == "tags"
    assert types["aliases"] == "aliases"
    for note in notes(root).values():
        for key, value in note.model_dump(mode="json", exclude_defaults=True).items():
            expected = {
                list: ("multitext", "tags", "aliases"),
                bool: ("checkbox",),
                int: ("number",),
                float: ("number",),
            }
            assert types[key] in expected.get(type(value), ("text",)), key


@BOTH
def test_the_dashboard_is_yaml_and_asks_for_known_keys(root: Path) -> None:
    base = yaml.safe_load((root / "Dashboard.base").read_text(encoding="utf-8"))
    known = {key for kind in KINDS.values() for key in kind.model_fields} | {"file.name"}
    assert [key for view in base["views"] for key in view["order"] if key not in known] == []


def test_the_example_covers_every_status_level_and_verdict() -> None:
    cards = of_kind(EXAMPLE, Card).values()
    tags = of_kind(EXAMPLE, Tag).values()
    assert {card.status for card in cards} == set(get_args(CardStatus))
    assert {tag.status for tag in tags} == set(get_args(TagStatus))
    assert Counter(card.feedback for card in cards if card.feedback) == {"confirmed": 3, "rejected": 1}
    assert all(card.feedback_reason for card in cards if card.feedback)
    assert sum(card.pinned for card in cards) == 1
    assert {level for level in LEVELS if any(getattr(tag, level) for tag in tags)} == set(LEVELS)
    assert all(tag.merged_to for tag in tags if tag.status == "merged")


def test_cards_carry_a_short_summary_and_two_to_four_known_tags() -> None:
    names = {tag.name for tag in of_kind(EXAMPLE, Tag).values()}
    scenes = {path.removesuffix(".md") for path in of_kind(EXAMPLE, Scene)}
    for path, card in of_kind(EXAMPLE, Card).items():
        assert 1 <= len(card.tags) <= 4, path
        assert set(card.tags) <= names, path
        assert f"scenes/{card.scene}/{card.scene_sub}" in scenes, path
        if card.status != "pending":
            assert 0 < len(first_paragraph(card)) <= 200, path


def test_cards_events_overviews_and_summaries_know_each_other() -> None:
    events, overviews = of_kind(EXAMPLE, Event), of_kind(EXAMPLE, Overview)
    summaries = of_kind(EXAMPLE, Summary)
    for path, card in of_kind(EXAMPLE, Card).items():
        name = path.removesuffix(".md")
        assert name in summaries[f"{card.summary}.md"].cards
        assert bool(card.event) == (card.status != "pending"), path
        if card.event:
            event = events[f"{card.event}.md"]
            assert (event.card, event.id, event.status) == (name, f"{card.id}-e", card.status)
            assert event.tags == card.tags
        if card.overview:
            overview = overviews[f"{card.overview}.md"]
            assert (overview.card, overview.id) == (name, f"{card.id}-o")
    assert sum(summary.turns for summary in summaries.values()) == len(of_kind(EXAMPLE, Card))


def test_files_lie_where_the_persons_calendar_puts_them() -> None:
    events = of_kind(EXAMPLE, Event)
    for path, card in of_kind(EXAMPLE, Card).items():
        assert isinstance(card.created, datetime)
        assert path.startswith(f"cards/{card.created:%Y-%m}/{card.id}")
        if card.event:
            assert card.event == f"events/{card.created:%Y-%m-%d}/{card.id}"
            user = events[f"{card.event}.md"].body.split("## Agent")[0].removeprefix("## User").strip()
            assert path.endswith(f"{card.id} {text.slug(user)}.md")


def test_events_hold_what_both_sides_said() -> None:
    for path, event in of_kind(EXAMPLE, Event).items():
        assert re.fullmatch(r"## User\n\n.+\n\n## Agent\n\n.+", event.body, re.DOTALL), path


def test_overviews_keep_to_their_length() -> None:
    for path, overview in of_kind(EXAMPLE, Overview).items():
        low, high = (80, 200) if text.is_cjk(overview.body) else (60, 150)
        assert low <= overview.words <= high, path


def test_facts_know_their_sources_scenes_and_past() -> None:
    subs = {scene.code for scene in of_kind(EXAMPLE, Scene).values()}
    names = {tag.name for tag in of_kind(EXAMPLE, Tag).values()}
    facts = of_kind(EXAMPLE, Fact)
    for path, fact in facts.items():
        assert fact.sources, path
        assert fact.key, path
        assert set(fact.scenes) <= subs, path
        assert set(fact.tags) <= names, path
        assert 0.5 <= fact.confidence <= 0.95, path
    assert len({text.key(fact.key) for fact in facts.values()}) == len(facts)
    assert any("## Earlier" in fact.body for fact in facts.values())


def test_the_journal_tells_of_notes_that_are_there() -> None:
    lines = (EXAMPLE / "journal/2026-11.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    times = [datetime.fromisoformat(entry["at"]) for entry in entries]
    assert times == sorted(times)
    for entry in entries:
        assert entry["who"] in {"hook", "person", "learn", "recall", "maintain"}
        assert (EXAMPLE / entry["note"]).is_file(), entry


def test_the_example_has_one_plain_note_in_both_languages() -> None:
    plain = [path for path, content in files(EXAMPLE) if "kind" not in split(content)[0]]
    assert plain == ["Welcome.md"]
    welcome = (EXAMPLE / "Welcome.md").read_text(encoding="utf-8")
    assert "# Welcome" in welcome
    assert "# 欢迎" in welcome


def test_the_example_is_laid_out_as_init_does_it() -> None:
    for name in ("gitignore", "gitattributes", "obsidian/app.json", "obsidian/types.json"):
        assert (EXAMPLE / f".{name}").read_bytes() == (VAULT / name).read_bytes()
    for path in of_kind(VAULT, Scene):
        assert (EXAMPLE / path).read_bytes() == (VAULT / path).read_bytes()


def test_seeds_are_reproducible() -> None:
    for path, note in notes(VAULT).items():
        assert note.created is None, path
        assert note.id == f"seed-{path.split('/')[0].removesuffix('s')}-{PurePosixPath(path).stem}"
    assert {tag.source for tag in of_kind(VAULT, Tag).values()} == {"system"}


def test_things_of_one_family_are_tags_of_their_own_and_both_sides_say_so() -> None:
    """An alias means the same thing: whoever asks for Vue is not answered with React."""
    tags = {tag.name: tag for tag in of_kind(VAULT, Tag).values()}
    families = {
        "frontend": ("react", "vue", "css"),
        "database": ("postgresql", "mysql", "sqlite", "redis", "sql"),
        "shell": ("bash", "zsh"),
        "unit-testing": ("pytest", "jest"),
        "formatting": ("prettier", "black", "ruff"),
        "dependencies": ("pip", "npm"),
        "authentication": ("oauth", "jwt", "authorization"),
    }
    for family, names in families.items():
        assert {f"[[tags/{name}]]" for name in names} <= {f"[[{link}]]" for link in map(bare, tags[family].related)}
    for tag in tags.values():
        for link in map(bare, tag.related):
            assert f"tags/{tag.name}" in map(bare, tags[link.removeprefix("tags/")].related), (tag.name, link)


def bare(link: str) -> str:
    return link.strip("[]")
