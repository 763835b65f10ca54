"""The time that a question names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.words import times
from tests.shared import rows

TODAY = "2026-11-15"  # a Sunday


@pytest.mark.parametrize(("question", "inside", "outside"), rows("text/words/spans"))
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
