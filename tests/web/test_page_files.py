"""The page's files: readable colours, words in both languages, nothing from elsewhere, nothing parsed as markup."""

from __future__ import annotations

import re

import pytest

from kit.web import site

CSS = (site.PAGE / "style.css").read_text(encoding="utf-8")
SCRIPTS = {file.name: file.read_text(encoding="utf-8") for file in sorted((site.PAGE / "js").glob("*.js"))}
TEXT_ON = {
    "ink": ("paper", "sheet", "well", "tint"), "soft": ("paper", "sheet", "well"), "faint": ("paper", "sheet", "well"),
    "accent": ("paper", "sheet", "well", "tint"), "on-accent": ("accent",), "warm": ("paper", "sheet", "well"),
    "bad": ("paper", "sheet", "bad-tint"), "times-up": ("well",), "paper": ("ink",),
}  # fmt: skip
"""Which colours are written on which."""
DRAWN_ON = {
    "edge": ("paper", "sheet"), "plus": ("track", "sheet"), "times-up": ("track", "sheet"),
    "times-down": ("track", "sheet"), "synonym": ("sheet",), "related": ("sheet",), "loose": ("sheet",),
    "accent": ("paper", "sheet"),
}  # fmt: skip
"""Which colours lines, bars and edges have, and on which they lie."""


def colours(theme: str) -> dict[str, str]:
    light, dark = re.findall(r":root(?:\[data-theme=\"dark\"\])? \{(.*?)\n\}", CSS, re.DOTALL)[:2]
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light))
    return found | (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", dark)) if theme == "dark" else {})


def luminance(colour: str) -> float:
    """Compute relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_has_a_contrast_of_at_least_4_5_and_every_line_of_3(theme: str) -> None:
    known = colours(theme)
    for least, pairs in ((4.5, TEXT_ON), (3.0, DRAWN_ON)):
        for front, backs in pairs.items():
            for back in backs:
                assert contrast(known[front], known[back]) >= least, f"{theme}: --{front} on --{back}"


def test_colours_are_named_in_one_place() -> None:
    rest = CSS.split("* { box-sizing", 1)[1]
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", rest) == []


def test_every_word_is_there_in_both_languages_and_used() -> None:
    words = SCRIPTS["words.js"]
    english, chinese = re.split(r"\n  zh: \{", words.split("\n};", 1)[0])
    keys = [set(re.findall(r"(?<![\w\"“])([a-z][A-Za-z0-9]*): \"", part)) for part in (english, chinese)]
    assert len(keys[0]) > 100
    assert keys[0] == keys[1]
    code = "\n".join(SCRIPTS.values()) + (site.PAGE / "index.html").read_text(encoding="utf-8")
    asked = set(re.findall(r"\bt\(\"(\w+)\"", code)) | set(re.findall(r"data-word=\"(\w+)\"", code))
    assert asked <= keys[0]


def test_nothing_is_parsed_as_markup_or_code() -> None:
    for name, code in SCRIPTS.items():
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "DOMParser",
        ):
            assert word not in code, f"{name}: {word}"


def test_nothing_comes_from_elsewhere() -> None:
    for file in site.PAGE.rglob("*"):
        if file.is_file():
            text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"(?:src|href|url|from|import|fetch)\W{1,3}(?:https?:)?//\w", text), file.name


def test_every_module_that_is_imported_is_there() -> None:
    for code in SCRIPTS.values():
        for name in re.findall(r"from \"\./([\w.]+)\"", code):
            assert name in SCRIPTS


def test_the_layout_of_tags_is_small() -> None:
    assert len(SCRIPTS["force.js"].splitlines()) <= 150
