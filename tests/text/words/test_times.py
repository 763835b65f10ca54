"""The time that a question names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.words import times

TODAY = "2026-11-15"  # a Sunday


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        ("What did we decide in March 2026?", "2026-03-31", "2026-04-01"),
        ("What happened in 2024", "2024-12-31", "2025-01-01"),
        ("what was agreed in May?", "2019-05-05", "2026-06-01"),
        ("What changed on 2026-02-03?", "2026-02-03", "2026-02-04"),
        ("who called yesterday", "2026-11-14", "2026-11-15"),
        ("the milestone of four weeks ago", "2026-10-18", "2026-11-01"),
        ("what broke a month ago", "2026-10-16", "2026-09-20"),
        ("what did I do last Friday?", "2026-11-13", "2026-11-12"),
        ("the incident of last week", "2026-11-03", "2026-10-20"),
        ("a couple of days ago", "", ""),
    ],
)
def test_a_named_time_is_found(question: str, inside: str, outside: str) -> None:
    named = times.spans(question, TODAY)
    assert times.within(inside, named) or not inside
    assert not times.within(outside, named)


@pytest.mark.parametrize(
    "question", ["How may I march on?", "which port", "", "the last one", "ago", "0 days ago"]
)
def test_most_questions_name_none(question: str) -> None:
    assert times.spans(question, TODAY) == []


@given(st.text(max_size=60), st.text(max_size=12))
def test_any_text_is_a_question(question: str, date: str) -> None:
    found = times.spans(question, TODAY)
    assert times.within(date, found) in (True, False)
    assert found or not times.within(date, found)
    assert times.spans(f"{question} 99999999999 years ago", TODAY)[: len(found)] == found
