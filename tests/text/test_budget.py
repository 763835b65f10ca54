"""Cutting to a budget: within the limit, never through what one sees as one character."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.base.values import TRUNCATED
from memolith.text.budget import Section, allot, estimate_tokens, head, pieces, tail, utf8_len
from memolith.text.excerpt import around
from memolith.text.fences import open_fence
from memolith.text.markdown import first_line
from tests.ledger import proves
from tests.shared import rows

# Each is one character to the reader.
GRAPHEMES = rows("text/graphemes")
Measure = Callable[[str], int]
MEASURES: list[Measure] = [len, utf8_len]


def boundaries(parts: list[str]) -> set[str]:
    return {"".join(parts[:end]) for end in range(len(parts) + 1)}


@proves("S0.43")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("grapheme", GRAPHEMES)
def test_no_limit_splits_a_visible_character(grapheme: str, measure: Measure) -> None:
    parts = ["x", *[grapheme] * 4, "y"]
    text = "".join(parts)
    ends = {"".join(parts[start:]) for start in range(len(parts) + 1)}
    for limit in range(measure(text) + 2):
        assert head(text, limit, measure) in boundaries(parts)
        assert tail(text, limit, measure) in ends


@proves("S0.43")
@given(st.lists(st.sampled_from([*GRAPHEMES[:-2], "a", " "]), max_size=12), st.integers(-1, 200))
def test_a_cut_falls_between_visible_characters(parts: list[str], limit: int) -> None:
    # A visible character must not follow one that it would join.
    text = "|".join(parts)
    split = [piece for part in parts for piece in (part, "|")][:-1]
    assert head(text, limit) in boundaries(split)
    assert tail(text, limit)[::-1] in {"".join(split[start:])[::-1] for start in range(len(split) + 1)}


@proves("S0.43")
@pytest.mark.parametrize("grapheme", GRAPHEMES[:-2])
def test_lines_excerpts_and_pieces_split_no_visible_character(grapheme: str) -> None:
    for width in range(20, 40):
        parts = ["x", *[grapheme] * 50]
        text = "".join(parts)
        assert first_line(text, width).rstrip("…") in boundaries(parts)
        assert around(text, {"x"}, width)[0].rstrip("…") in boundaries(parts)
        found = pieces(text, width)
        assert "".join(found) == text
        assert {"".join(found[:end]) for end in range(len(found))} <= boundaries(parts)
        assert max(map(len, found)) <= width
    assert pieces("x" + "\u0301" * 50, 20) == ["x" + "\u0301" * 19, "\u0301" * 20, "\u0301" * 11]


@pytest.mark.parametrize("measure", MEASURES)
@given(text=st.text(alphabet=st.characters(codec="utf-8")), limit=st.integers(0, 60))
def test_a_cut_is_a_part_within_the_limit(text: str, limit: int, measure: Measure) -> None:
    first, last = head(text, limit, measure), tail(text, limit, measure)
    assert text.startswith(first)
    assert text.endswith(last)
    assert max(measure(first), measure(last)) <= limit
    assert measure(text) > limit or first == last == text


def test_a_cut_prefers_a_line_break_that_is_near() -> None:
    assert head("one two\nthree four", 9) == "one two"
    assert head("one two\r\nthree four", 10) == "one two"
    assert head("one\ntwo three four", 12) == "one\ntwo thre"
    assert tail("one two\nthree four", 11) == "three four"


def section(body: str, *, priority: int = 1, cap: int = 10_000, keep_end: bool = False) -> Section:
    return Section("title", body, "source", priority=priority, cap=cap, keep_end=keep_end)


def overhead(_: Section) -> int:
    return 7


def test_what_is_important_is_complete_and_the_order_stays() -> None:
    old, new = section("o" * 500, priority=2), section("n" * 100, priority=1)
    shown, dropped = allot([old, new], 300, overhead, len)
    assert shown == [old, new]
    assert not dropped
    assert new.body == "n" * 100
    assert old.cut
    assert old.body.endswith("o\n" + TRUNCATED)


def test_a_log_keeps_its_end() -> None:
    log = section("old\n" * 50 + "newest", keep_end=True)
    allot([log], 80, overhead, len)
    assert log.body.startswith(TRUNCATED + "\n")
    assert log.body.endswith("newest")


def test_a_section_of_which_next_to_nothing_is_left_is_dropped() -> None:
    first, second = section("a" * 90), section("b" * 90, priority=2)
    assert allot([first, second], 120, overhead, len) == ([first], [second])


def test_what_is_set_apart_for_a_section_is_not_given_to_those_before_it() -> None:
    first, second = section("a" * 2000), section("b" * 50, priority=2)
    second.floor = 100
    assert allot([first, second], 1000, overhead, len) == ([first, second], [])
    assert (first.cut, second.cut) == (True, False)


@proves("X.2")
def test_a_section_has_a_limit_of_its_own_while_others_need_the_room() -> None:
    one, other = section("a" * 500, cap=100), section("b" * 300, priority=2)
    allot([one, other], 500, overhead, len)
    assert (len(one.body) <= 500 - 300 - 2 * overhead(one), one.cut, other.cut) == (True, True, False)
    one = section("a" * 500, cap=100)
    allot([one, other], 10_000, overhead, len)
    assert not one.cut


@pytest.mark.parametrize("keep_end", [True, False])
def test_a_cut_does_not_leave_a_code_fence_open(keep_end: bool) -> None:
    body = "text\n" * 10 + "````sh\n" + "code\n" * 20 + "````\n" + "more\n" * 10
    for limit in range(44, len(body)):
        one = section(body, keep_end=keep_end)
        one.shorten(limit, len)
        assert len(one.body) <= limit
        assert open_fence(one.body) == ""


@given(
    st.lists(
        st.tuples(st.text(max_size=200), st.integers(1, 3), st.integers(0, 200), st.booleans()), max_size=6
    ),
    st.integers(0, 600),
    st.sampled_from(MEASURES),
)
def test_sections_never_exceed_the_limit(
    rows: list[tuple[str, int, int, bool]], limit: int, measure: Measure
) -> None:
    sections = [section(body, priority=p, cap=cap, keep_end=end) for body, p, cap, end in rows]
    shown, dropped = allot(sections, limit, overhead, measure)
    assert sum(measure(each.body) + overhead(each) for each in shown) <= limit
    order = sorted(sections, key=lambda each: each.priority)
    for at, each in enumerate(order):
        if each in shown and measure(each.body) > each.cap:  # only if nothing after it goes short
            assert not any(after.cut or after in dropped for after in order[at + 1 :])
    assert [each for each in sections if each in shown] == shown
    assert sorted(map(id, shown + dropped)) == sorted(map(id, sections))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("a" * 400, 100), ("中" * 100, 90), ("中" * 10 + "a" * 40, 19), ("é" * 40, 10)],
)
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_what_is_cut_is_cut_between_words_if_a_word_is_near() -> None:
    text = "tabs over spaces in every Makefile of this repository and everywhere else"
    for limit in range(44, len(text)):
        first, last = head(text, limit, len), tail(text, limit, len)
        assert f"{text} ".startswith(f"{first} ")
        assert f" {text}".endswith(f" {last}")
        assert min(len(first), len(last)) > limit * 3 // 4 - 1
