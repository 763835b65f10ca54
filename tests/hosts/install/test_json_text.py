"""Somebody else's JSON: what is not ours keeps every byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.hosts.install import json_text

BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // a comment\n", "/* b */", ' /* {[,\n"]} */ '])
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("// no comment")
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Write a value as nobody would: blanks and comments anywhere, perhaps a comma too many."""

    def blank() -> str:
        return draw(BLANKS)

    if not isinstance(value, (dict, list)) or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    rows = []
    for key in value:
        each = value[key] if isinstance(value, dict) else key
        named = f"{json.dumps(key)}{blank()}:{blank()}" if isinstance(value, dict) else ""
        rows.append(f"{blank()}{named}{draw(written(each))}{blank()}")
    extra: bool = draw(st.booleans())
    comma = "," if rows and extra else ""
    inside = ",".join(rows) + comma + blank()
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Return a text that is an object, and what it says."""
    value = draw(st.dictionaries(st.text(max_size=4), VALUES, max_size=4))
    text = draw(written(value))
    bom = draw(st.sampled_from(["", "\ufeff"]))
    return f"{bom}{draw(BLANKS)}{text}{draw(BLANKS)}", value


@given(documents())
def test_comments_trailing_commas_and_a_mark_do_not_change_what_a_text_says(
    document: tuple[str, dict[str, Any]],
) -> None:
    text, value = document
    assert json_text.parse(text).value == value


@given(documents(), VALUES)
def test_a_member_that_is_put_and_cut_leaves_the_text_as_it_was(
    document: tuple[str, dict[str, Any]], new: Any
) -> None:
    text, value = document
    after = json_text.put(text, ("a new key",), new)
    assert json_text.parse(after).value == {**value, "a new key": new}
    back = json_text.cut(after, ("a new key",))
    assert json_text.parse(back).value == value
    if value:  # of an empty object only the blanks between its braces may go
        assert back == text


@given(documents(), VALUES, st.data())
def test_an_element_is_added_behind_the_others_of_any_array_and_cut_again(
    document: tuple[str, dict[str, Any]], new: Any, data: st.DataObject
) -> None:
    text, value = document
    arrays = [key for key, each in value.items() if isinstance(each, list)]
    key = data.draw(st.sampled_from(arrays)) if arrays else "a new key"
    after = json_text.append(text, (key,), new)
    there = value.get(key, [])
    assert json_text.parse(after).value == {**value, key: [*there, new]}
    back = json_text.cut(after, (key, len(there)))
    assert json_text.parse(back).value == {**value, key: there}
    if there:
        assert back == text


@given(documents(), st.data())
def test_whatever_is_cut_nothing_else_is(document: tuple[str, dict[str, Any]], data: st.DataObject) -> None:
    text, value = document
    if not value:
        return
    key = data.draw(st.sampled_from(sorted(value)))
    left = {name: each for name, each in value.items() if name != key}
    assert json_text.parse(json_text.cut(text, (key,))).value == left


def test_indentation_line_ends_and_comments_are_those_of_the_file() -> None:
    text = '{\r\n\t"a": 1, // one\r\n\t"b": [\r\n\t\t1 /* last */\r\n\t]\r\n}\r\n'
    after = json_text.append(json_text.put(text, ("c", "d"), {"e": True}), ("b",), 2)
    assert after == (
        '{\r\n\t"a": 1, // one\r\n\t"b": [\r\n\t\t1, /* last */\r\n\t\t2\r\n\t],\r\n'
        '\t"c": {\r\n\t\t"d": {\r\n\t\t\t"e": true\r\n\t\t}\r\n\t}\r\n}\r\n'
    )


def test_what_stands_on_one_line_stays_on_one_line() -> None:
    assert json_text.put('{"a": [1]}', ("b",), {"c": [2]}) == '{"a": [1], "b": {"c": [2]}}'
    assert json_text.append('{"a": [1,]}', ("a",), 2) == '{"a": [1, 2,]}'


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, "a comma or '}' is expected"),
        ('{"a": }', 1, "a value is expected, not '}'"),
        ('{\n"a": 1', 2, "a comma or '}' is expected"),
        ("{'a': 1}", 1, "a key in double quotes is expected"),
        ("{} {}", 1, "there is text after the end of the value"),
        ("/* {}", 1, "a comment is not closed"),
        ("[" * 1000, 1, "values are nested more than 200 levels deep"),
    ],
)
def test_a_text_that_is_broken_is_refused_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(json_text.BrokenError) as caught:
        json_text.put(text, ("x",), 1)
    assert (caught.value.line, caught.value.what) == (line, what)


def test_a_value_of_another_kind_is_not_replaced() -> None:
    with pytest.raises(json_text.BrokenError, match="line 2: hooks is not an object"):
        json_text.put('{\n"hooks": []}', ("hooks", "Stop"), 1)
    with pytest.raises(json_text.BrokenError, match=r"hooks\.Stop is not an array"):
        json_text.append('{"hooks": {"Stop": 1}}', ("hooks", "Stop"), 1)
