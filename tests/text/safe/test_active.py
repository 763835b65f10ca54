"""In the block nothing is left that a renderer fetches, runs or hides; ordinary links and code stay."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.safe.hygiene import for_block
from tests.shared import LONG, rows, seconds

ORDINARY = rows("text/safe/ordinary")


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_links_types_titles_placeholders_and_code_stay_as_they_are(text: str) -> None:
    assert for_block(text) == text


@pytest.mark.parametrize(("text", "shown"), rows("text/safe/active"))
def test_what_is_active_is_named_instead(text: str, shown: str) -> None:
    assert for_block(text) == shown
    assert for_block(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "a ` b\n`<img src=x>`",
        "- ```\n  code\n  ```\n<img src=x>",
        "- a\n  ```\n<img src=x>\n",
        "> ```\n<img src=x>\n",
        "https://h.example/a`<img src=x>`",
        "\\`<img src=x>`",
        "`` a `<img src=x>`",
    ],
)
def test_what_only_some_renderers_take_for_code_is_defused(text: str) -> None:
    assert "<img" not in for_block(text)


def test_a_tag_in_which_code_would_not_be_code_loses_its_bracket() -> None:
    assert for_block('<x title="`"> <img src=x> `') == '&lt;x title="`"> <img src=x> `'
    assert for_block("<div>\n`<img src=x>`\n</div>") == "&lt;div>\n`<img src=x>`\n&lt;/div>"
    assert for_block("<x>\n`<img src=x>`") == "&lt;x>\n`<img src=x>`"


ACTIVE = re.compile(
    r"!\[[^\]]*\]\(|\]\(\s*(?:javascript|data|vbscript|vscode|file):|\]\([^)\s`]*\?q|<!--|<(?:img|script|svg|a)\b",
    re.IGNORECASE,
)
PIECES = st.lists(st.sampled_from(rows("text/safe/active_pieces")), max_size=20).map("".join)


@given(PIECES)
def test_nothing_active_is_left_of_any_text_without_code(text: str) -> None:
    shown = for_block(text)
    assert not ACTIVE.search(shown)
    assert for_block(shown) == shown


@given(PIECES)
def test_a_fenced_block_stays_as_it_is(text: str) -> None:
    fenced = f"```\n{text}\n```"
    assert for_block(fenced).replace("&lt;", "<") == fenced


@given(st.text(alphabet="abc XYZ.,;!?'\"()*_#+-/|\n\t0123456789é日"))
def test_prose_without_brackets_stays_as_it_is(text: str) -> None:
    assert for_block(text) == text


def test_time_is_linear_in_the_length_of_hostile_text() -> None:
    for unit in rows("text/safe/slow"):
        for size in (65_536, 262_144) if LONG else (65_536,):
            text, limit = unit * (size // len(unit)), 0.4 * size / 65_536
            assert seconds(lambda text=text: for_block.__wrapped__(text), limit) < limit, unit  # type: ignore[misc]
