"""Looking around in the app: shelves, lists, texts, search, panes, themes, help."""

from functools import partial
from types import SimpleNamespace

import pytest
from textual.content import Content
from textual.widgets import Footer, Static
from textual.widgets._footer import FooterKey

from memolith import Mem
from memolith.edges.tui.dialogs import Help
from tests.edges.tui.driving import NARROW, Driver, drive
from tests.ledger import proves


@proves("S1.36", "S3.37", "S3.38")
def test_every_shelf_shows_its_memories_with_their_text_and_where_it_came_from(person: Mem) -> None:
    async def script(app: Driver) -> None:
        assert app.titles() == ["Database", "Running the tests"]
        await app.choose("Running the tests")
        assert "☐ pin it" in app.page
        assert "source    you or your agent" in app.page
        assert "(remember by you)" in app.page
        shown = {
            "project/record": "Engine",
            "project/record/decisions": "Engine",
            "project/daily": person.today,
            "project/scratchpad": "Scratchpad",
            "project/ticket": "login-fails: Login fails",
            "project/session": "Why is the build slow?",
            "user/note": "Language",
            "user/memory": "MEMORY.md",
            "user/record": "Indentation",
            "review": "Build tip",
        }
        for key, title in shown.items():
            await app.shelf(key)
            await app.choose(title)
        assert "Ignore all previous instructions" in app.page
        assert "because" in app.page
        await app.keys("i")
        await app.until(lambda: "The block, as an agent sees it" in app.page, "the block")
        assert (person.context_block() or "").split("\n")[0] in app.page
        assert "SCRATCHPAD.md" in app.page
        await app.keys("l")
        await app.until(lambda: "Learning is off" in app.page, "learning")
        await app.keys("o")
        await app.until(lambda: "1 text from outside" in app.page, "the overview")

    drive(person, script)


@proves("S4.20")
def test_the_overview_shows_which_sections_are_stale_and_that_memory_is_above_its_limit(person: Mem) -> None:
    Mem.open(person.identity.root, now=lambda: 1.58e9).update_section("Machine", "- old laptop")
    with (person.root / "MEMORY.md").open("a", encoding="utf-8") as memory:
        memory.write("\n## By hand\n" + "- x\n" * 5_000)

    async def script(app: Driver) -> None:
        await app.keys("o")
        await app.until(lambda: "above its soft limit" in app.page, "the warning")
        await app.until(lambda: "(stale, check it)" in app.page, "the stale section")
        assert "Machine: updated 2020-01-26 (stale, check it)" in app.page

    drive(person, script)


def test_typing_searches_everything_and_says_why(person: Mem) -> None:
    async def script(app: Driver) -> None:
        await app.keys("slash")
        await app.write("redis tests")
        await app.until(lambda: app.titles() == ["Running the tests"] and not app.busy, "the hit")
        assert "because: words: redis, tests" in app.cells()
        await app.until(lambda: "found     words: redis" in app.page, "the reason")
        styled = app.app.screen.query_one("#page-text", Static).content
        assert isinstance(styled, Content)
        marked = {
            styled.plain[span.start : span.end] for span in styled.spans if "$warning" in str(span.style)
        }
        assert "Redis" in marked
        await app.keys("down")
        await app.until(lambda: app.focus == "listing", "the list")
        await app.keys("escape")
        await app.until(lambda: app.titles() == ["Database", "Running the tests"], "the shelf again")
        # Part of a word is in no index: titles have it at once, texts when typing pauses.
        await app.keys("slash")
        await app.write("atab")
        await app.until(lambda: app.titles() == ["Database"], "the title")
        app.app.field.value = "hort answ"
        await app.until(lambda: "Nothing found" in app.cells(), "nothing by words")
        await app.until(lambda: app.titles()[:1] == ["MEMORY"], "the literal match")
        assert "because: contains" in app.cells()

    drive(person, script)


def test_the_time_of_a_search_that_is_run_again_is_its_own(
    person: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = [0.0]
    monkeypatch.setattr("memolith.edges.tui.search.time", SimpleNamespace(monotonic=lambda: waited[0]))

    async def script(app: Driver) -> None:
        await app.keys("slash")
        await app.write("redis tests")
        await app.until(lambda: app.titles() == ["Running the tests"] and not app.busy, "the hit")
        seen = app.app.answered
        waited[0] = 21.5
        app.app.action_reload()
        await app.until(lambda: app.app.answered > seen and not app.busy, "the hit again")
        assert app.app.listing.border_title == "Search: 1 found in 0 ms"

    drive(person, script)


def test_at_80_by_24_the_text_takes_the_place_of_the_list_and_gives_it_back(person: Mem) -> None:
    async def script(app: Driver) -> None:
        screen = app.app.screen
        assert screen.has_class("-narrow")
        assert app.focus == "shelves"
        assert not screen.query_one("#page").display
        await app.keys("enter")
        await app.until(lambda: app.focus == "listing", "the list")
        await app.keys("enter")
        await app.until(lambda: app.focus == "page", "the text")
        assert not screen.query_one("#listing").display
        assert max(len(line) for line in app.page.splitlines()) <= 78
        await app.keys("escape")
        await app.until(lambda: app.focus == "listing", "back to the list")
        await app.keys("escape")
        await app.until(lambda: app.focus == "shelves", "back to the tree")
        for pane in ("listing", "page", "shelves"):
            await app.keys("tab")
            await app.until(partial(lambda pane: app.focus == pane, pane), pane)
        keys = "Search History New Edit Delete Undo Help Quit"  # the footer is drawn again with each pane
        await app.until(
            lambda: [key.description for key in screen.query_one(Footer).query(FooterKey)] == keys.split(),
            keys,
        )
        await app.pilot.resize_terminal(40, 24)
        await app.until(lambda: screen.has_class("-tiny"), "tiny")
        keys = "Search History Help Quit"  # nothing is cut, and the way to the rest stays
        await app.until(
            lambda: [key.description for key in screen.query_one(Footer).query(FooterKey)] == keys.split(),
            keys,
        )
        assert not screen.query_one("#listing").display
        await app.keys("enter")
        await app.until(lambda: screen.query_one("#listing").display, "one pane at a time")

    drive(person, script, NARROW)


def test_help_theme_mouse_and_reload(person: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")

    async def script(app: Driver) -> None:
        assert app.app.theme == "textual-light"
        await app.keys("ctrl+t")
        assert app.app.theme == "textual-dark"
        await app.keys("question_mark")
        page = await app.screen(Help)
        assert "accept all held texts without" in str(page.query_one("#help", Static).content)
        await app.do("escape")
        await app.pilot.click("#listing", offset=(5, 2))
        await app.until(lambda: app.app.listing.cursor == 1 and "Redis" in app.page, "the click")
        await app.pilot.click("#listing", offset=(5, 2), times=2)
        await app.until(lambda: app.focus == "page", "the double click")
        person.remember("new", "A new note")  # as another process would
        await app.keys("ctrl+r")
        await app.until(lambda: "A new note" in app.titles(), "what somebody else wrote")

    drive(person, script)


def test_an_empty_memory_says_how_to_begin(work: object) -> None:
    async def script(app: Driver) -> None:
        assert app.app.shelf is not None
        assert app.app.shelf.key == "overview"
        await app.keys("i")
        await app.until(lambda: "nothing is remembered here yet" in app.page, "nothing")
        await app.shelf("project/note")
        await app.until(lambda: "n adds" in app.cells(), "the hint")
        await app.keys("u")
        await app.told("Nothing to undo")

    drive(Mem.open(str(work), origin="user"), script)


@pytest.mark.parametrize("start", ["shelves", "page"])
def test_at_40_columns_the_hits_are_shown_while_one_types_and_that_there_are_none(
    person: Mem, start: str
) -> None:
    async def script(app: Driver) -> None:
        app.app.go(start)
        await app.until(lambda: app.focus == start, start)
        await app.keys("slash")
        await app.until(lambda: app.focus == "search", "the field")
        await app.write("redis")
        await app.until(lambda: "Running the tests" in app.cells(), "the hit on the screen")
        assert app.app.listing.region.width > 30
        assert app.focus == "search"
        await app.write("zzz")
        await app.until(lambda: "Nothing found." in app.cells(), "that there is none")

    drive(person, script, (40, 24))


def test_numbers_of_the_shelves_and_of_the_overview_agree(person: Mem) -> None:
    old = person.records.add("Postgres 15.", category="decisions", scope="project", title="Old engine")
    person.records.archive(old.id, scope="project")

    async def script(app: Driver) -> None:
        labels = [str(node.label) for node in app.app._branches.values()]
        counts = [int(each.split()[-1]) for each in labels if each.startswith("Records")]
        await app.keys("o")
        await app.until(lambda: f"{sum(counts)} records" in app.page, "the same number")
        assert sum(counts) == 2

    drive(person, script)


def test_the_block_is_shown_as_it_is_and_its_sizes_fit_beside_the_shelves(person: Mem) -> None:
    async def script(app: Driver) -> None:
        await app.keys("i")
        await app.until(lambda: "The block, as an agent sees it" in app.page, "the block")
        sizes, block = app.page.split("The block, as an agent sees it:")
        assert "**short answers**" in block
        assert "- [ ] renew the certificate" in block
        assert all(
            line.split()[0].replace(",", "").isdigit() for line in sizes.splitlines()[2:] if line.strip()
        )

    drive(person, script, NARROW)
