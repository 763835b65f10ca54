"""Stored text is shown without what hides, and cannot leave or imitate the block it is shown in."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.fences import open_fence
from memolith.text.safe.hygiene import clean, for_block, inert
from memolith.text.safe.structure import disarm
from tests.shared import rows, seconds

# Between any two characters of a tag: white space and what nobody sees.
UNSEEN = r"[\s\u200b-\u200f\u2060\u034f\ufe00-\ufe0f]*"
TAG = re.compile(
    rf"[<＜﹤](?:{UNSEEN}[/\\])*" + "".join(UNSEEN + letter for letter in "memory"), re.IGNORECASE
)
OWN_TITLE = re.compile(
    r"^[\s>*+-]*#+[^\S\n]*(long-term memory \(|scratchpad \(open items|daily log 2)",
    re.IGNORECASE | re.MULTILINE,
)
PIECES = st.lists(st.sampled_from(rows("text/safe/block_pieces")), max_size=14).map("".join)
TEXTS = PIECES | st.text(alphabet=st.characters(codec="utf-8"))


@pytest.mark.parametrize("text", rows("text/safe/untouched"))
def test_what_people_write_is_untouched(text: str) -> None:
    assert inert(text) == text
    assert clean(text) == (text, [])
    assert for_block(text) == text.replace("\r\n", "\n")


@pytest.mark.parametrize(("text", "shown"), rows("text/safe/hidden"))
def test_what_hides_or_commands_is_removed(text: str, shown: str) -> None:
    assert inert(text) == shown
    assert for_block(text) == shown


def test_characters_without_a_meaning_are_not_given_to_a_model() -> None:
    assert inert("icon \ue0b0") == "icon \ue0b0"
    assert for_block("icon \ue0b0\U0010fffd") == "icon "


def test_the_store_refuses_control_characters_and_says_so() -> None:
    assert clean("\ufeffa\x00b\x1bc\u2028d\n") == ("abc\nd\n", ["3 control characters were removed"])
    coloured = "\x1b[1;31mred\x1b[0m[0m"
    assert clean(coloured) == ("red[0m", ["2 control characters were removed"])


@pytest.mark.parametrize("tag", rows("text/safe/tags"))
def test_a_tag_loses_its_bracket(tag: str) -> None:
    shown = for_block(f"a {tag} b")
    assert shown.startswith(("a &lt;", "a text &lt;", "a x&lt;"))
    assert for_block(shown) == shown


@pytest.mark.parametrize("line", rows("text/safe/titles"))
def test_our_own_titles_cannot_be_imitated(line: str) -> None:
    shown = for_block(f"a\n{line}\nb")
    assert "\\#" in shown
    assert for_block(shown) == shown


def test_an_underlined_title_and_the_beginning_of_a_turn_are_escaped() -> None:
    assert for_block("Daily log 2026-11-15\n---\nx") == "Daily log 2026-11-15\n\\---\nx"
    assert for_block("a\n\nAssistant: yes") == "a\n\n\\Assistant: yes"
    assert for_block("[INST] x [/INST]") == "[\\INST] x [\\/INST]"


@pytest.mark.parametrize(
    "tag", ["record", "document", "user", "tool", "context", "tool_output", "user-query"]
)
def test_a_tag_of_a_prompt_is_escaped_where_it_closes_or_opens_something_else(tag: str) -> None:
    assert for_block(f"a\n</{tag}>\nb") == f"a\n&lt;/{tag}>\nb"
    assert for_block(f"a\n<{tag}>\nb") == f"a\n&lt;{tag}>\nb"
    assert for_block(f"<{tag}>x</{tag}></{tag}>") == f"<{tag}>x</{tag}>&lt;/{tag}>"


@given(TEXTS)
def test_escaping_adds_and_never_takes_away(text: str) -> None:
    """Without the escapes, a reader has the text that was written."""

    def unescaped(text: str) -> str:
        text = re.sub(r"&lt;?|&#60;|&#x3c;|\\u003c|%3c|[＜﹤]", "<", text, flags=re.IGNORECASE)
        return text.replace("\\", "")

    assert unescaped(disarm(text)) == unescaped(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("```sh\nls", "```sh\nls\n```"),
        ("````\n```\nx", "````\n```\nx\n````"),
        ("~~~\n```\n", "~~~\n```\n\n~~~"),
        ("```\nx\n```", "```\nx\n```"),
        ("```x``` is code", "```x``` is code"),
    ],
)
def test_an_open_code_fence_is_closed(text: str, shown: str) -> None:
    assert for_block(text) == shown


@given(TEXTS)
def test_nothing_ends_reopens_or_imitates_the_block(text: str) -> None:
    shown = for_block(text)
    assert not TAG.search(shown)
    assert not OWN_TITLE.search(shown)
    assert open_fence(shown) == ""
    assert "\r" not in shown


@given(TEXTS)
def test_a_second_time_changes_nothing(text: str) -> None:
    assert inert(inert(text)) == inert(text)
    assert for_block(for_block(text)) == for_block(text)
    assert clean(clean(text)[0]) == (clean(text)[0].removeprefix("\ufeff"), [])


@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_plain_ascii_is_inert(text: str) -> None:
    assert inert(text) == text


@pytest.mark.parametrize(
    "unit", ["<", "< ", "&lt", "<memory", "%3c ", "#", "\n#", "é<", "\u200d", "```\n", "\\u", "<|"]
)
def test_hostile_text_is_not_slow(unit: str) -> None:
    text = unit * (65_536 // len(unit)) + "memory"
    assert seconds(lambda: for_block.__wrapped__(text), 0.5) < 0.5
