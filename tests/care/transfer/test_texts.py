"""Texts that come in: documents merge without loss, names are allowed ones, links lead to the same notes."""

from hypothesis import given
from hypothesis import strategies as st

from memolith.care.transfer.texts import merged, note_name, relinked
from memolith.store import layout

LINES = st.sampled_from(
    ["- a", "- b", "", "## A", "## B", "# T", "### s", "text", "<!-- c -->", "```\ncode\n```"]
)
TEXTS = st.lists(LINES, max_size=9).map("\n".join)


@given(TEXTS, TEXTS)
def test_every_line_of_both_is_in_the_result_and_again_changes_nothing(old: str, new: str) -> None:
    done = merged(old, new)
    assert set(new.split("\n")) - {""} <= set(done.split("\n"))
    lines = iter(done.split("\n"))
    assert all(line in lines for line in old.rstrip("\n").split("\n") if line), (
        "what was there stays, in order"
    )
    assert merged(done, new) == done


@given(st.text(max_size=130))
def test_any_file_name_becomes_an_allowed_name_that_stays(stem: str) -> None:
    name = note_name(stem)
    assert layout.note_name(name) == name
    assert note_name(name) == name


@given(st.text(st.sampled_from("[]()|#`a.md \n!\\"), max_size=40))
def test_links_to_nothing_known_stay_as_they_are(text: str) -> None:
    assert relinked(text, "x/y.md", {}) == text


def test_links_keep_what_they_show_also_in_a_table() -> None:
    names = {"old": "new", "sub/other": "other-2"}
    text = "| [[old\\|shown]] | [[Old#H\\|h]] | ![[old]] |"
    text += " [x](sub/other.md#top) [y](<sub/other.md>) [z](https://a.md) |"
    assert relinked(text, "y.md", names) == (
        "| [[new\\|shown]] | [[new#H\\|h]] | ![[new|old]] |"
        " [x](other-2.md#top) [y](other-2.md) [z](https://a.md) |"
    )


@given(st.text(st.sampled_from("[]()|#`a.md \n!\\"), max_size=40))
def test_mapping_links_again_changes_nothing(text: str) -> None:
    once = relinked(text, "y.md", {"a": "b"})
    assert relinked(once, "y.md", {"a": "b"}) == once
