"""Markdown by lines and headings: appending, repeats, sections, and what a prompt shows of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.memory.document import SECTIONS, TEMPLATE
from memolith.text import fences, known_lines, markdown
from tests.ledger import proves
from tests.shared import rows, seconds

LINES = st.lists(st.sampled_from(rows("text/markdown_lines")), max_size=12)
DOCUMENTS = st.builds(
    lambda lines, newline, end: newline.join(lines) + end,
    LINES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n"]),
)


@pytest.mark.parametrize(("old", "new", "result"), rows("text/appended"))
def test_appended_text_begins_and_ends_on_its_own_line(old: str, new: str, result: str) -> None:
    assert markdown.append(old, new) == result


@given(st.text(), st.text())
def test_appending_never_changes_what_was_there(old: str, new: str) -> None:
    result = markdown.append(old, new)
    assert result.startswith(old)
    assert result.endswith("\n")


@proves("S0.24")
@pytest.mark.parametrize(("old", "new", "kept", "skipped"), rows("text/known_lines"))
def test_known_lines_are_dropped_by_what_they_say(old: str, new: str, kept: str, skipped: int) -> None:
    assert known_lines.drop(old, new) == (kept, skipped)


@given(DOCUMENTS, DOCUMENTS)
def test_dropping_known_lines_twice_drops_nothing_more(old: str, new: str) -> None:
    kept, skipped = known_lines.drop(old, new)
    assert known_lines.drop(old, kept) == (kept, 0)
    assert kept.count("\n") + skipped >= new.count("\n")


def test_sections_have_a_title_a_date_and_a_place() -> None:
    text = "# T\n## A\n<!-- updated 2026-11-15 -->\nx\n## B ##\n<!-- hint -->\n\n"
    one, two = markdown.parts(text)
    assert (one.title, one.updated, one.blank) == ("A", "2026-11-15", False)
    assert (two.title, two.updated, two.blank) == ("B", "", True)
    assert text[one.start : one.end] == "## A\n<!-- updated 2026-11-15 -->\nx\n"


@pytest.mark.parametrize(
    "fence",
    ["```\n## no\n```\n", "~~~ sh\n## no\n~~~\n", "````\n```\n## no\n```\n````\n", "~~~\n```\n## no\n~~~\n"],
)
def test_headings_in_code_fences_are_text(fence: str) -> None:
    assert [part.title for part in markdown.parts(f"## A\n{fence}## B\n")] == ["A", "B"]


def test_a_code_span_is_no_fence() -> None:
    assert [part.title for part in markdown.parts("## A\n```x``` y\n## B\n")] == ["A", "B"]
    assert fences.open_fence("```x``` y") == ""
    assert fences.open_fence("a\n````sh\n```\n") == "````"


def test_an_indented_fence_is_code_and_neither_opens_nor_closes() -> None:
    assert [part.title for part in markdown.parts("## A\n    ```\n## B\n")] == ["A", "B"]
    assert [part.title for part in markdown.parts("## A\n```\n    ```\n## no\n```\n## B\n")] == ["A", "B"]
    assert [part.title for part in markdown.parts("## A\n   ```\n## no\n   ```\n## B\n")] == ["A", "B"]
    assert fences.open_fence("    ```\n") == ""
    assert fences.open_fence("\t```\n") == ""


def test_only_a_line_feed_ends_a_line() -> None:
    assert markdown.parts("a\u2028## b\n\x0c## c\n") == []


def _unhashed(text: str) -> str:
    """Return a document without the hashes in its dates."""
    return re.sub(r", [0-9a-f]{8} -->", " -->", text)


def test_a_section_is_replaced_and_nothing_else() -> None:
    text = "# T\r\n\r\n##  about ME\r\nold\r\n\r\n## B\r\nkeep\r\n"
    assert _unhashed(markdown.set_part(text, "About Me", "new\nlines\n", "2026-11-15")) == (
        "# T\r\n\r\n##  about ME\r\n<!-- updated 2026-11-15 -->\r\nnew\r\nlines\r\n\r\n## B\r\nkeep\r\n"
    )


@proves("S4.19")
def test_a_section_ends_at_a_heading_of_a_higher_level() -> None:
    text = "## A\na\n\n# Other top\nimportant\n"
    assert _unhashed(markdown.set_part(text, "A", "new", "2026-11-15")) == (
        "## A\n<!-- updated 2026-11-15 -->\nnew\n\n# Other top\nimportant\n"
    )
    fenced = "## A\n```sh\n# install\n```\nmore\n"
    assert markdown.parts(fenced)[0].end == len(fenced)


@pytest.mark.parametrize("title", ["C#", "## C#", "F ##", "a\n b"])
def test_a_new_section_is_found_again(title: str) -> None:
    once = markdown.set_part("x", title, "one", "2026-11-15")
    twice = markdown.set_part(once, title, "two", "2026-11-16")
    assert _unhashed(twice) == _unhashed(once).replace("one", "two").replace("15", "16")


@given(DOCUMENTS, st.sampled_from(["A", "b", "C#", "New"]), LINES)
def test_other_sections_keep_their_bytes(text: str, title: str, lines: list[str]) -> None:
    body = "\n".join(line for line in lines if not line.startswith("#"))
    part = markdown.find_part(text, title)
    result = markdown.set_part(text, title, body, "2026-11-15")
    if part is None:
        assert result.startswith(text)
        return
    assert result.startswith(text[: part.start])
    assert result.endswith(text[part.end :])
    titles = [each.title for each in markdown.parts(text)]
    assert [each.title for each in markdown.parts(result)] == titles


@pytest.mark.parametrize("text", [TEMPLATE, TEMPLATE.replace("\n", "\r\n"), "", "\n\n"])
def test_an_untouched_template_shows_nothing(text: str) -> None:
    assert markdown.presentable(text).strip() == ""


def test_only_sections_that_say_something_are_shown_with_their_date() -> None:
    text = markdown.set_part(TEMPLATE, "About Me", "I am Ada.", "2026-11-15")
    assert markdown.presentable(text) == "# Memory\n\n## About Me (updated 2026-11-15)\nI am Ada."


def test_a_comment_takes_its_own_lines_with_it() -> None:
    assert markdown.strip_comments("a\n  <!-- x\n\ny -->\nb\n") == "a\nb\n"
    assert markdown.strip_comments("<!-- x --> b\n") == " b\n"
    assert markdown.strip_comments("a\r\n<!-- x -->\r\nb\r\n") == "a\r\nb\r\n"
    assert markdown.strip_comments("a <!-- open\n") == "a <!-- open\n"
    assert markdown.strip_comments("<!-- a --> <!-- b -->\nc") == "c"


@pytest.mark.parametrize("text", rows("text/no_comments"))
def test_what_may_not_be_a_comment_stays_visible(text: str) -> None:
    assert markdown.strip_comments(text) == text


def test_a_comment_that_was_left_open_does_not_reach_into_the_next_one() -> None:
    assert markdown.strip_comments("<!-- open\nfact\n<!-- hint -->\nb\n") == "<!-- open\nfact\nb\n"


def test_the_text_below_an_open_date_is_shown() -> None:
    assert "fact" in markdown.presentable("## A\n<!-- updated 2026-11-15\nfact\n")


def test_the_headings_of_the_template_are_known() -> None:
    assert {title.casefold() for title, _ in SECTIONS} == markdown.TEMPLATE_SECTIONS
    assert TEMPLATE.startswith(markdown.TEMPLATE_TITLE + "\n")


@pytest.mark.parametrize(("text", "shown"), rows("text/presentable"))
def test_a_heading_is_only_hidden_if_it_says_nothing(text: str, shown: str) -> None:
    assert markdown.presentable(text) == shown


@pytest.mark.parametrize("unit", rows("text/slow_documents"))
def test_hostile_documents_are_not_slow(unit: str) -> None:
    text = "## a\n" + unit * (65_536 // len(unit))
    assert seconds(lambda: markdown.presentable.__wrapped__(text), 0.25) < 0.25


def test_what_is_open_in_a_scratchpad_is_all_that_is_not_ticked() -> None:
    text = "# Todo\n- [ ] a\n- [x] b\n  * [ ] c  \n- d\n\n<!-- e -->\nWaiting for f.\n* [X] g\n"
    assert markdown.open_items(text) == "- [ ] a\n  * [ ] c\n- d\nWaiting for f."


@proves("S1.14")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n \n  a\t b\u3000c \nd", "a b c"),
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 100 + "…"),
        ("x" * 99 + " yy", "x" * 99 + "…"),
        ("", ""),
        (" \n", ""),
    ],
)
def test_the_first_line_is_collapsed_and_cut(text: str, line: str) -> None:
    assert markdown.first_line(text) == line


@proves("S1.14")
@given(st.text())
def test_a_first_line_is_one_line_of_at_most_100_characters(text: str) -> None:
    line = markdown.first_line(text)
    assert len(line.removesuffix("…")) <= 100 or (len(line) == 100 and line in text)
    assert len(line.splitlines()) <= 1
    assert bool(line) == bool(text.strip())


def test_the_title_of_a_document_is_its_first_heading() -> None:
    assert markdown.heading_title("```\n# no\n```\n# Yes \n# Later\n") == "Yes"
    assert markdown.heading_title("## No\n") == ""


@proves("S4.19")
@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("# Machine\n- 8 GB\n\n# Style\n- short\n", "# Machine\n{}\n# Style\n- short\n"),
        (
            "Machine\n-------\n- 8 GB\n\nStyle\n=====\n- short\n",
            "Machine\n-------\n{}\nStyle\n=====\n- short\n",
        ),
        ("intro\n\n  ## Machine\n- 8 GB\n", "intro\n\n  ## Machine\n{}"),
    ],
)
def test_a_section_is_found_in_every_spelling_of_its_heading(text: str, replaced: str) -> None:
    done = markdown.set_part(text, "machine", "- 16 GB", "2026-11-15")
    assert _unhashed(done) == replaced.format("<!-- updated 2026-11-15 -->\n- 16 GB\n")
    shown = replaced.format("- 16 GB\n").replace("Machine\n", "Machine (updated 2026-11-15)\n").strip()
    assert markdown.presentable(done) == shown


@proves("S4.19")
@pytest.mark.parametrize(
    "text",
    [
        "# Memory\n- 8 GB\n\n## Style\n",  # the title of the page
        "- Machine\n---\n- 8 GB\n",
        "one line\nMachine\n---\n",
        "    # Machine\n",
        "```\n# Machine\n# Style\n```\n",
        "Machine\n--\n",
        "#Machine\n",
    ],
)
def test_what_is_no_heading_of_a_section_is_none(text: str) -> None:
    assert {part.title for part in markdown.parts(text)} <= {"Style"}
