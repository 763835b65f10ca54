"""Head and body of a file: nothing is lost, and a changed field changes its own line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.frontmatter import compose, set_fields, split
from memolith.text.yaml import YamlError

HEADED = st.builds(
    lambda lines, newline: newline.join(lines),
    st.lists(
        st.sampled_from(["---", "--- ", "...", "a: 1", "b: [x]", "# c", "a: &x", "", "text", "  d: e"]),
        max_size=8,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
TEXTS = HEADED | st.text()


def test_head_fields_and_body_are_told_apart() -> None:
    parsed = split("---\nname: x\ntags: [a]\n---\n# Body\n---\n")
    assert (parsed.head, parsed.body) == ("---\nname: x\ntags: [a]\n---\n", "# Body\n---\n")
    assert parsed.fields == {"name": "x", "tags": ["a"]}
    assert (parsed.get("name"), parsed.get("tags"), parsed.get("none")) == ("x", "", "")
    assert parsed.problem is None


@pytest.mark.parametrize("text", ["", "plain", "# a\n---\nb: c\n---\n", "----\na: b\n---\n", "---"])
def test_text_without_a_head_is_all_body(text: str) -> None:
    parsed = split(text)
    assert (parsed.head, parsed.body, parsed.problem) == ("", text, None)


def test_a_broken_head_is_reported_and_the_body_is_intact() -> None:
    parsed = split("---\nname: x\nbad: &a b\n---\nbody\n")
    assert parsed.body == "body\n"
    assert parsed.fields == {}
    assert parsed.problem
    assert parsed.problem.startswith("frontmatter line 3: ")


def test_a_head_that_does_not_end_is_reported_and_all_is_body() -> None:
    parsed = split("---\nname: x\nbody\n")
    assert (parsed.head, parsed.body) == ("", "---\nname: x\nbody\n")
    assert parsed.problem == "the frontmatter has no closing --- line"


@pytest.mark.parametrize("text", ["---\na: &x\n---\nbody", "---\na: b\n"])
def test_a_broken_head_is_never_rewritten(text: str) -> None:
    with pytest.raises(YamlError):
        set_fields(text, {"name": "x"})


def test_foreign_keys_order_and_comments_stay() -> None:
    text = "---\nzeta: 1 # why\n# mine\nname: old\ntags: [ a,b ]\n---\n\nbody\n"
    assert set_fields(text, {"name": "new", "type": "user"}) == (
        "---\nzeta: 1 # why\n# mine\nname: new\ntags: [ a,b ]\ntype: user\n---\n\nbody\n"
    )


def test_line_endings_stay() -> None:
    text = "---\r\nname: old\r\n---\r\nbody\n"
    assert set_fields(text, {"name": "new"}) == "---\r\nname: new\r\n---\r\nbody\n"
    assert set_fields("---\r\n---\r\n", {"a": "b"}) == "---\r\na: b\r\n---\r\n"
    assert set_fields("body\r\n", {"a": "b"}) == "---\r\na: b\r\n---\r\nbody\r\n"


def test_a_key_with_a_dot_is_one_key() -> None:
    assert split(set_fields("---\na: 1\n---\n", {"b.c": "2"})).fields == {"a": "1", "b.c": "2"}


def test_fields_that_are_set_already_change_nothing() -> None:
    text = '---\nname:   "x"\n---\nbody'
    assert set_fields(text, {"name": "x"}) == text


@given(TEXTS)
def test_head_and_body_together_are_the_text(text: str) -> None:
    parsed = split(text)
    assert parsed.head + parsed.body == text


@given(TEXTS, st.dictionaries(st.text(max_size=20), st.text(max_size=60), min_size=1, max_size=3))
def test_set_fields_are_read_back_and_the_rest_stays(text: str, changes: dict[str, str]) -> None:
    before = split(text)
    try:
        result = set_fields(text, changes)
    except YamlError:
        assert before.problem
        return
    after = split(result)
    assert after.fields == {**before.fields, **changes}
    assert after.body == (before.body if before.head else text)


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=60), max_size=3), st.text())
def test_a_composed_file_is_read_back(fields: dict[str, str], body: str) -> None:
    parsed = split(compose(dict(fields), body))
    assert (parsed.fields, parsed.body, parsed.problem) == (fields, body, None)
