"""The page in a real browser, as a person uses it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.web.conftest import Site

playwright = pytest.importorskip("playwright.sync_api")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
]
PATIENCE_MS = 30_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()


class Person:
    """Somebody at the page; whatever the page did wrong is gathered."""

    def __init__(self, context: Any, site: Site) -> None:  # noqa: ANN401 - playwright's own
        self.wrong: list[str] = []
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", lambda said: self._heard(said.type, said.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda asked: self._asked(asked.url, site))
        self.page.goto(site.entrance)
        self.see("main h1")

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.wrong.append(text)

    def _asked(self, url: str, site: Site) -> None:
        if not url.startswith((f"http://127.0.0.1:{site.port}/", "data:")):
            self.wrong.append(f"asked {url}")

    def see(self, selector: str) -> Any:  # noqa: ANN401 - playwright's own
        found = self.page.locator(selector).first
        found.wait_for()
        return found

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.id || document.activeElement.className"))


@pytest.fixture(scope="module")
def visitor(browser: Any, site: Site) -> Iterator[Person]:  # noqa: ANN401 - playwright's own
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 860})
    yield Person(context, site)
    context.close()


@pytest.fixture
def person(visitor: Person, site: Site) -> Iterator[Person]:
    """The same person, back at the first view."""
    visitor.page.goto(f"http://127.0.0.1:{site.port}/#/")
    visitor.see("article.row")
    yield visitor
    wrong, visitor.wrong = visitor.wrong, []
    assert wrong == []


def test_the_token_leaves_the_address_and_the_first_view_shows_memories(person: Person, site: Site) -> None:
    person.see("article.row")
    assert site.token not in person.page.url
    assert not person.page.evaluate("document.cookie")
    person.page.reload()
    person.see("article.row")


def test_searching_as_one_types_shows_why(person: Person) -> None:
    person.page.keyboard.press("/")
    person.page.keyboard.type("postg")
    person.see("main mark")
    assert "PostgreSQL" in person.see("article.row .says").inner_text()
    first = person.see("article.row .factor")
    assert "postgresql" in first.inner_text()
    assert first.locator(".bar i").bounding_box()["width"] > 20
    person.page.keyboard.press("Escape")
    person.see("section.day")


def test_one_sees_what_an_agent_would_be_told(person: Person) -> None:
    person.page.locator("#query").fill("how did we set the nginx timeout?")
    person.see("details.part summary").click()
    assert "recalled notes" in person.see("pre.injected").inner_text()


def test_editing_a_fact_changes_its_file_and_undo_takes_it_back(person: Person, site: Site) -> None:
    one = site.get("facts", category="habit")["entries"][0]
    before = site.read(one["path"])
    person.page.goto(f"http://127.0.0.1:{site.port}/#/known")
    box = person.see(f'[data-id="{one["id"]}"]')
    box.get_by_role("button", name="Edit").click()
    box.locator("textarea").fill("Changed on the page by hand.")
    box.get_by_role("button", name="Save").click()
    person.see(".toast button")
    assert "Changed on the page by hand." in site.read(one["path"])
    person.page.locator(".toast button").click()
    person.see('.toast:has-text("Taken back")')
    assert "Changed on the page by hand." not in person.see(f'[data-id="{one["id"]}"]').inner_text()
    assert site.read(one["path"]) == before


def test_an_edit_on_an_old_state_is_not_made_and_the_text_is_kept(person: Person, site: Site) -> None:
    one = site.get("facts", category="style")["entries"][0]
    person.page.goto(f"http://127.0.0.1:{site.port}/#/known")
    box = person.see(f'[data-id="{one["id"]}"]')
    box.get_by_role("button", name="Edit").click()
    file = site.root / one["path"]
    file.write_text(file.read_text(encoding="utf-8") + "\nTyped in an editor meanwhile.\n", encoding="utf-8")
    box.locator("textarea").fill("My own text.")
    with person.page.expect_response(lambda answer: answer.status == 412):
        box.get_by_role("button", name="Save").click()
    assert "meanwhile" in box.locator(".note-bad").inner_text()
    assert box.locator("textarea").input_value() == "My own text."
    assert "My own text." not in site.read(one["path"])
    person.wrong = [said for said in person.wrong if "412" not in said]  # the browser's own remark on that answer


def test_a_second_try_changes_only_what_was_changed_on_the_page(person: Person, site: Site) -> None:
    one = site.get("facts", category="business")["entries"][0]
    person.page.goto(f"http://127.0.0.1:{site.port}/#/known")
    box = person.see(f'[data-id="{one["id"]}"]')
    box.get_by_role("button", name="Edit").click()
    file = site.root / one["path"]
    said = file.read_text(encoding="utf-8")
    file.write_text(said.replace("tags:\n", "tags:\n  - typed-meanwhile\n"), encoding="utf-8")
    box.locator("textarea").fill("My own text.")
    with person.page.expect_response(lambda answer: answer.status == 412):
        box.get_by_role("button", name="Save").click()
    box.locator(f'.note-bad:has-text("{one["text"][:20]}")').wait_for()
    box.get_by_role("button", name="Save").click()
    person.see(".toast button")
    assert "typed-meanwhile" in site.read(one["path"])
    assert "My own text." in site.read(one["path"])
    person.wrong = [said for said in person.wrong if "412" not in said]


def test_of_a_summary_its_text_is_edited_not_its_title(person: Person, site: Site) -> None:
    one = site.get("memory/list", kind="summary")["entries"][0]
    person.page.goto(f"http://127.0.0.1:{site.port}/#/note/{one['id']}")
    person.see(".paper").get_by_role("button", name="Edit").click()
    field = person.see(".paper textarea")
    assert field.input_value() == one["text"] != one["sessionTitle"]
    field.fill(f"{one['text']} And it held.")
    person.see(".paper").get_by_role("button", name="Save").click()
    person.see(".toast button").click()
    person.see('.toast:has-text("Taken back")')


def test_putting_away_can_be_undone_on_the_page(person: Person, site: Site) -> None:
    one = site.get("facts", category="preference")["entries"][0]
    person.page.goto(f"http://127.0.0.1:{site.port}/#/known")
    person.see(f'[data-id="{one["id"]}"]').get_by_role("button", name="Put away").click()
    person.see(".toast button").click()
    person.see(f'[data-id="{one["id"]}"]')
    assert (site.root / one["path"]).is_file()


def test_a_note_is_rendered_and_its_links_lead_on(person: Person) -> None:
    person.page.goto(f"{person.page.url.partition('#')[0]}#/note/Welcome")
    person.see('.prose a:has-text("Code style")').click()
    assert "Ada wants concise code" in person.see(".paper h1").inner_text()
    assert person.see('a[href^="obsidian://open?path="]').is_visible()
    assert person.see('a[href^="vscode://file/"]').is_visible()
    assert person.page.locator('.linklist a:has-text("Welcome")').count() == 1


def test_text_in_a_note_never_becomes_markup(person: Person, site: Site) -> None:
    bad = (
        '<img src=x onerror="document.title=1">\n\n<script>document.title=1</script>\n\n'
        "[click](javascript:document.title=1) ![x](data:text/html,<script>alert(1)</script>) [[<b>x</b>]]\n\n"
        "| a | b |\n|---|---|\n| <i>x</i> | `<u>` |\n\n- [x] done\n- [ ] open\n\n"
        + "> " * 400
        + "deep\n\n"
        + "*" * 3000
    )
    (site.root / "Bad.md").write_text(bad, encoding="utf-8")
    person.page.goto(f"{person.page.url.partition('#')[0]}#/note/Bad")
    prose = person.see(".prose")
    assert "<img src=x" in prose.inner_text()
    assert prose.locator("img, script, iframe, i, b, u").count() == 0
    assert prose.locator('a[href^="javascript"], a[href^="data"]').count() == 0
    assert prose.locator("table td").count() == 2
    assert prose.locator("input[type=checkbox]").count() == 2


def test_tags_are_drawn_and_can_be_related(person: Person, site: Site) -> None:
    person.page.goto(f"{person.page.url.partition('#')[0]}#/tags/sourdough")
    assert person.see(".canvas svg g").is_visible()
    for level in ("synonym", "related", "loose"):
        assert person.page.locator(f".canvas line.{level}").count() > 0
    person.see('.aside input[name="other"]').fill("kyoto")
    person.page.locator('.aside select[name="level"]').select_option("loose")
    person.page.locator('.aside button[type="submit"]').click()
    person.see('.aside a.chip:has-text("kyoto")')
    assert "kyoto" in site.get("tag", name="sourdough")["loose"]
    person.see(".toast button").click()
    person.see('.toast:has-text("Taken back")')
    assert "kyoto" not in site.get("tag", name="sourdough")["loose"]


def test_what_was_told_what_changed_and_what_is_wrong_are_shown(person: Person, site: Site) -> None:
    root = person.page.url.partition("#")[0]
    person.page.goto(f"{root}#/told")
    assert "Rate limiting design" in person.see("#main:has(.quote)").inner_text()
    act = site.post("memory/update", id=site.get("facts")["entries"][0]["id"], patch={"importance": 2})["act"]
    person.page.goto(f"{root}#/changes")
    line = person.see(f'[data-act="{act}"]')
    line.get_by_role("button", name="Take back").click()
    person.see(f'[data-act="{act}"].undone')
    person.page.goto(f"{root}#/problems")
    person.see("main .empty, main article")


def test_all_can_be_reached_by_keyboard(person: Person) -> None:
    keys = person.page.keyboard
    person.page.reload()  # where one is on the page begins anew
    person.see("article.row")
    keys.press("Tab")
    assert person.focused() == "skip"
    assert person.page.locator(".skip").bounding_box()["y"] >= 0
    keys.press("Enter")
    assert person.focused() == "main"
    keys.press("/")
    assert person.focused() == "query"
    keys.type("nginx timeout")
    person.see("main mark")
    keys.press("ArrowDown")
    assert "timeout" in str(person.page.evaluate("document.activeElement.textContent")).lower()
    keys.press("ArrowDown")
    keys.press("ArrowUp")
    keys.press("Enter")
    person.see(".paper h1")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    for _ in range(14):
        keys.press("Tab")
        if person.page.evaluate("document.activeElement !== document.body"):
            assert person.page.evaluate(outline) != "none"


def test_it_speaks_chinese_and_turns_dark_and_remembers_both(browser: Any, site: Site) -> None:  # noqa: ANN401 - playwright's own
    context = browser.new_context(locale="zh-CN", color_scheme="dark")
    person = Person(context, site)
    assert person.see("main h1").inner_text() == "记忆"
    assert person.page.evaluate("document.documentElement.lang") == "zh-CN"
    assert person.page.evaluate("document.documentElement.dataset.theme") == "dark"
    person.page.locator("#language").click()
    person.page.locator("#theme").click()
    person.page.reload()
    person.page.locator('main h1:has-text("Memories")').wait_for()
    assert person.page.evaluate("document.documentElement.dataset.theme") == "light"
    assert person.wrong == []
    context.close()


def test_nothing_is_wider_than_a_phone(browser: Any, site: Site) -> None:  # noqa: ANN401 - playwright's own
    context = browser.new_context(
        locale="en-GB", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    person = Person(context, site)
    for view in ("", "known", "tags/postgresql", "told", "changes", "problems", "note/Welcome", "search/nginx"):
        person.page.goto(f"http://127.0.0.1:{site.port}/#/{view}")
        person.see("main article, main .empty, main .pool")
        assert person.page.evaluate("document.documentElement.scrollWidth") <= 390, view
    assert person.wrong == []
    context.close()


def test_without_the_token_the_page_says_where_to_get_in(browser: Any, site: Site) -> None:  # noqa: ANN401 - playwright's own
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{site.port}/")
    page.locator("main code").wait_for()
    assert page.locator("main code").inner_text() == "memkit web"
    context.close()
