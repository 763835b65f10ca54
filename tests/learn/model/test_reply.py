"""JSON in what a model says: found, read strictly, checked."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.learn.model import schema
from memolith.learn.model.schema import ReplyError

RECORD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "category": {"type": "string", "enum": ["decisions", "incidents"]},
        "turn": {"type": "integer"},
        "note": {"type": ["string", "null"]},
        "weight": {"type": "number"},
    },
    "required": ["category", "note"],
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "minLength": 1, "maxLength": 99},
        "records": {"type": "array", "items": RECORD},
        "sure": {"type": "boolean"},
    },
    "required": ["summary"],
    "additionalProperties": False,
}
GOOD = {"summary": 'a {b} "c"', "records": [{"category": "decisions", "note": None, "turn": 3}]}
TEXT = json.dumps(GOOD)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"  \n{TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"Sure, here's what I found {{well, almost}}:\n\n{TEXT}\n\nAnything else? {{}}",
        f"First a draft: {json.dumps({'summary': 'draft'})} and now the answer: {TEXT}",
        f"<think>{{'summary': nothing}}</think>{TEXT}",
        f"{{{TEXT}",
    ],
)
def test_an_object_is_found_in_the_text_around_it(text: str) -> None:
    assert schema.understand(text, SCHEMA) == GOOD


def with_record(**changes: object) -> str:
    return json.dumps({"summary": "a", "records": [{"category": "decisions", "note": None, **changes}]})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nothing", "there is no JSON object in the reply"),
        ("[1, 2]", "there is no JSON object in the reply"),
        ('{"records": []}', "the reply lacks the key 'summary'"),
        ('{"summary": ""}', "summary has 0 characters; it must have at least 1"),
        ('{"summary": 3}', "summary must be string, not integer"),
        ('{"summary": "a", "sure": 1}', "sure must be boolean, not integer"),
        ('{"summary": "a", "records": {}}', "records must be array, not object"),
        (f'{{"summary": "{"a" * 100}"}}', "summary has 100 characters; it must have at most 99"),
        (
            with_record(category="x"),
            'records[0].category is \'x\'; it must be one of "decisions", "incidents"',
        ),
        (with_record(turn=True), "records[0].turn must be integer, not boolean"),
        (with_record(turn=1.5), "records[0].turn must be integer, not number"),
        (
            with_record(extra=1),
            "records[0] has the key 'extra', which is not one of category, turn, note, weight",
        ),
        ('{"summary": "a", "summary": "b"}', "the key 'summary' stands twice in one object"),
        ('{"summary": Infinity}', "Infinity is not JSON"),
        ('{"summary": "a\\u0000"}', "summary has a NUL or half a character in it"),
        ('{"summary": "a\\ud83d"}', "summary has a NUL or half a character in it"),
        (f'{{"summary": {"9" * 5000}}}', "the JSON is broken (a number is too long)"),
        ('{"summary": "a', "the JSON is broken (Unterminated string starting at)"),
        (f'{{"summary": "a", "records": {"[" * 40}{"]" * 40}}}', "the JSON is nested deeper than 32 levels"),
        (f'{"{" * 3}"summary": "a"', "the JSON is broken"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(ReplyError) as caught:
        schema.understand(text, SCHEMA)
    assert problem in str(caught.value)


def test_a_secret_in_a_wrong_value_is_not_repeated() -> None:
    with pytest.raises(ReplyError) as caught:
        schema.understand(with_record(category="ghp_" + "a1B2c3D4e5" * 4), SCHEMA)
    assert "a1B2" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ['{"a":' * 200_000, "{" * 1_000_000, '{"a": [' * 100_000 + "1", '{"summary": "' + "x" * 4_000_000]
)
def test_hostile_replies_are_refused_quickly(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ReplyError):
        schema.understand(text, SCHEMA)
    assert time.process_time() - started < 1


def test_a_strict_schema_requires_all_and_has_no_limits() -> None:
    made = schema.strict(SCHEMA)
    assert made["required"] == ["summary", "records", "sure"]
    assert made["properties"]["summary"] == {"type": "string"}
    item = made["properties"]["records"]["items"]
    assert item["required"] == ["category", "turn", "note", "weight"]
    assert item["properties"]["note"]["type"] == ["string", "null"]


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0{}"), max_size=30)


@given(
    before=words,
    after=words,
    summary=st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=99
    ),
)
def test_whatever_stands_around_it_the_object_comes_out_as_it_went_in(
    before: str, after: str, summary: str
) -> None:
    data = {"summary": summary}
    for text in (json.dumps(data), json.dumps(data, ensure_ascii=False)):
        assert schema.understand(f"{before}{text}{after}", SCHEMA) == data


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    with pytest.raises(ReplyError):
        schema.understand(text, SCHEMA)
