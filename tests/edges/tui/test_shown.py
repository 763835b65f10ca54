"""What a text may do to the terminal or to the app: nothing. And what is shown of it: everything."""

import base64
import gzip
import json
import unicodedata

import pytest
from textual.content import Content
from textual.widgets import TextArea

from memolith import Mem
from memolith.edges.tui import render
from tests.edges.tui.driving import NARROW, Driver, drive
from tests.promises.test_hostile import CORPUS

ESCAPES = "\x1b[31mred\x1b]0;title\x07 \x9b2J bell\x07 back\x08 a\u202egnp.exe\u2066 \u200b \x7f \x00"
MARKUP = "[bold]b[/bold] [@click=app.quit]quit[/] [link=https://x.example]l[/link] [red"


def controls(text: str) -> list[str]:
    return [char for char in text if unicodedata.category(char) == "Cc" and char != "\n"]


def hostile() -> list[str]:
    """Return what a terminal or a TUI must not obey, from the corpus where it is."""
    if not CORPUS.exists():
        return [ESCAPES, MARKUP]
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = [
        base64.b64decode(row["payload_b64"]).decode("utf-8", "replace")
        if "payload_b64" in row
        else row["payload"]
        for row in rows
        if row["cat"] in ("B", "H") and isinstance(row.get("payload", ""), str)
    ]
    return [ESCAPES, MARKUP, *texts]


def test_no_text_reaches_the_screen_with_a_control_character_or_as_markup() -> None:
    for text in hostile():
        for width in (20, 80):
            shown = render.wrapped(render.markdown(text, "quit"), width)
            assert controls(shown.plain) == []
            assert controls(render.for_editor(text)) in (
                [],
                ["\r"] * text.count("\r"),
                ["\t"] * text.count("\t"),
            )
            assert all(
                "click" not in str(span.style) and "link" not in str(span.style) for span in shown.spans
            )
    assert "[@click=app.quit]quit[/]" in render.wrapped(render.markdown(MARKUP), 200).plain


def test_what_hides_text_is_shown_as_a_sign_and_what_belongs_to_it_stays() -> None:
    assert render.visible("\x1b[31mred\x07") == "␛[31mred␇"
    assert render.visible("a\u202eb") == "a⟨202E⟩b"
    assert render.visible("a\rb") == "a␍\nb"
    family = "👨\u200d👩\u200d👧 नमस्\u200dते"
    assert render.visible(family) == family
    assert render.visible("one\r\ntwo") == "one\ntwo"


def test_markdown_is_rendered_and_every_line_stays_one() -> None:
    text = "# Title\n\n- [ ] **open** `code`\n- [x] done\n> said\n\n```\n[x](y)\n```\n[text](https://x.example)\n"
    lines = [line.content.plain for line in render.markdown(text)]
    assert lines == [
        "# Title",
        "",
        "☐ open code",
        "☑ done",
        "▎ said",
        "",
        "```",
        "  [x](y)",
        "```",
        "text (https://x.example)",
    ]


@pytest.mark.parametrize("width", [8, 13, 40])
def test_a_long_line_is_wrapped_below_its_beginning_and_loses_nothing(width: int) -> None:
    text = "- a list item with words, 日本語のテキスト and averyveryverylongwordthatdoesnotfit at all"
    (line,) = render.markdown(text)
    rows = line.rows(width)
    assert all(isinstance(row, Content) and row.cell_length <= width for row in rows)
    assert "".join("".join(row.plain.split()) for row in rows) == "".join(text.replace("-", "•").split())


@pytest.mark.parametrize("width", [18, 25, 34])
def test_a_path_is_taken_apart_behind_its_signs_only(width: int) -> None:
    path = "projects/blogx-37120350/notes/hugo-builds-the-blog-with-make.md"
    rows = [row.plain for row in render.line(f"file      {path}", indent=10 if width > 20 else 0).rows(width)]
    assert max(map(len, rows)) <= width
    assert "".join("".join(rows).split()) == f"file{path}"
    assert {row[-1] for row in rows[1:-1]} <= set("/-_.")


def test_the_whole_app_shows_hostile_texts_as_they_are_and_edits_them_safely(person: Mem) -> None:
    path = person.root / "projects" / person.project / "notes" / "hostile.md"
    path.write_text(f"---\nname: {MARKUP!r}\n---\n{ESCAPES}\n{MARKUP}\n", encoding="utf-8")
    person.remember("x", "[red]Title[/red] [@click=app.quit]")

    async def script(app: Driver) -> None:
        await app.until(lambda: any("(@click" in title for title in app.titles()), "titles")
        row = next(row for row in app.app.listing.rows if row.ref.endswith("hostile.md"))
        app.app.listing.cursor = list(app.app.listing.rows).index(row)
        await app.until(lambda: "␛[31mred" in app.page and "[@click=app.quit]quit[/]" in app.page, "the text")
        assert controls(app.page) == []
        assert controls(app.cells()) == []
        await app.keys("e")
        area = await app.editor()
        assert isinstance(area, TextArea)
        assert controls(area.text) == []
        await app.do("escape")
        assert ESCAPES in path.read_text(encoding="utf-8")  # looking at it changes nothing
        app.app.tell(f"told: {MARKUP} {render.visible(ESCAPES)}")
        await app.told(MARKUP)
        assert app.app.is_running

    drive(person, script, NARROW)
