"""An excerpt shows why a text was found, with what stands around it."""

from hypothesis import given
from hypothesis import strategies as st

from memolith.text import excerpt
from memolith.text.words import terms

REST = "and the rest of it is said here " * 12
SAID = "deploy the billing service only after the canary has been green for an hour,"


def around(text: str, query: str, width: int = excerpt.WIDTH) -> str:
    return excerpt.around(text, terms.of_query(query), width)[0]


def test_what_follows_a_word_at_the_beginning_is_shown() -> None:
    shown = around(f"{SAID} {REST}", "deploy")
    assert shown.startswith(f"{SAID} and the rest")
    assert shown.endswith("…")
    assert excerpt.WIDTH - 10 < len(shown) <= excerpt.WIDTH + 1


def test_a_word_in_the_middle_is_shown_with_a_little_before_and_more_after_it() -> None:
    shown = around(f"{REST}{SAID} {REST}", "deploy")
    assert shown.startswith("…")
    assert SAID in shown
    assert 0 < shown.index("deploy") < excerpt.WIDTH // 3
    assert shown.endswith("…")


def test_at_the_end_of_a_line_there_is_more_of_what_stands_before() -> None:
    shown = around(f"{REST}nobody may deploy", "deploy")
    assert shown.endswith("nobody may deploy")
    assert len(shown) > excerpt.WIDTH - 10


def test_the_part_with_most_of_the_words_is_chosen() -> None:
    text = f"deploy {REST} {SAID} {REST} canary {REST}"
    assert SAID in around(text, "deploy canary billing")


def test_of_a_line_without_any_of_the_words_the_beginning_is_shown() -> None:
    assert around(REST, "zebra") == REST[: excerpt.WIDTH].rpartition(" ")[0] + "…"


@given(
    st.lists(st.sampled_from(["deploy", "canary", "a", "of", "x" * 90, "", "word"]), max_size=120),
    st.integers(20, 300),
)
def test_an_excerpt_is_a_part_of_its_text_and_no_longer_than_allowed(words: list[str], width: int) -> None:
    text = " ".join(words)
    shown = around(text, "deploy canary", width)
    assert shown.removeprefix("…").removesuffix("…") in text
    assert len(shown) <= width + 2
    if "deploy" in words or "canary" in words:
        assert "deploy" in shown or "canary" in shown
