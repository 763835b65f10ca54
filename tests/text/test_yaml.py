"""The small YAML: what it accepts means the same to PyYAML, and a change touches one line."""

import contextlib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memolith.text import yaml as miniyaml
from memolith.text.yaml import YamlError, dump, parse
from memolith.text.yaml_edit import set_path
from tests.ledger import proves
from tests.shared import rows, seconds

AWKWARD = rows("text/awkward_values")
TEXT = st.text(max_size=60) | st.sampled_from(AWKWARD)
SCALARS = st.one_of(TEXT, st.lists(TEXT, max_size=4))
# Pieces of which YAML is made, so that a good part of what comes out is accepted.
PIECES = st.sampled_from(rows("text/yaml_pieces"))
YAMLISH = st.builds(
    lambda start, pieces, end: start + "".join(pieces) + end,
    st.sampled_from(["", "k: ", "k:\n", "k:\n  "]),
    st.lists(PIECES, max_size=12),
    st.sampled_from(["", "\n"]),
)


def reference(text: str) -> Any:
    return yaml.load(text, Loader=yaml.BaseLoader) or {}  # noqa: S506 - BaseLoader builds text only


def test_maps_lists_and_scalars_are_read() -> None:
    text = "a: 1\nb:\n  c: 'it''s'  # why\n  d: \"x\\n\"\ne: [p, 'q, r']\nf:\n- s\n- t # u\ng:\n"
    assert parse(text) == {
        "a": "1",
        "b": {"c": "it's", "d": "x\n"},
        "e": ["p", "q, r"],
        "f": ["s", "t"],
        "g": "",
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: |\n  b\n\n   c \n", "b\n\n c \n"),
        ("a: |-\n  b\n\n\n", "b"),
        ("a: |\n  b", "b"),
        ("a: |\n", ""),
        ("a: >\n  b\n  c\n\n\n  d\n", "b c\n\nd\n"),
        ("a: >-\n\n  b\n", "\nb"),
    ],
)
def test_block_text_keeps_what_yaml_keeps(text: str, value: str) -> None:
    assert parse(text) == reference(text) == {"a": value}


@pytest.mark.parametrize(("text", "line"), rows("text/yaml_refused"))
def test_anything_else_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(YamlError) as caught:
        parse(text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {line}: ")


def test_a_billion_laughs_and_deep_nesting_are_refused() -> None:
    with pytest.raises(YamlError):
        parse("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n")
    deep = "".join(f"{' ' * n}k:\n" for n in range(30))
    with pytest.raises(YamlError, match="line 22: nested deeper than 20"):
        parse(deep)
    with pytest.raises(YamlError, match="longer than"):
        parse("a: " + "x" * miniyaml.MAX_BYTES)


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_a_value() -> None:
    assert parse("\ufeffa: 1\r\nb:\r\n  - c\r\n") == {"a": "1", "b": ["c"]}


def test_no_break_spaces_are_text() -> None:
    assert parse("a: \xa0b\u3000\n") == reference("a: \xa0b\u3000\n") == {"a": "\xa0b\u3000"}


@given(YAMLISH | st.text(alphabet=st.characters(codec="utf-8")))
def test_what_is_accepted_means_the_same_to_pyyaml(text: str) -> None:
    try:
        tree = parse(text)
    except YamlError:
        return
    assert tree == reference(text)


def accepted(text: str) -> bool:
    with contextlib.suppress(YamlError):
        return bool(parse(text))
    return False


@given(st.text(alphabet=st.characters()) | YAMLISH)
def test_any_text_gives_a_map_or_a_yaml_error(text: str) -> None:
    line = 1
    try:
        assert isinstance(parse(text), dict)
    except YamlError as error:
        line = error.line
    assert 1 <= line <= text.count("\n") + 1


@pytest.mark.parametrize("unit", rows("text/yaml_slow"))
def test_no_text_is_slow(unit: str) -> None:
    for start in ("", "k: ", "k: [", "k: '", 'k: "', "k: |\n  ", "k:\n"):
        text = (start + unit * miniyaml.MAX_BYTES)[: miniyaml.MAX_BYTES]
        assert seconds(lambda text=text: accepted(text), 0.05) < 0.05  # type: ignore[misc]


@proves("S1.12")
@given(st.dictionaries(TEXT, SCALARS, max_size=5))
def test_what_is_dumped_is_read_back_by_both_parsers(fields: dict[str, Any]) -> None:
    text = dump(fields)
    assert parse(text) == fields
    assert reference(text) == fields


@pytest.mark.parametrize("value", AWKWARD)
def test_other_yaml_parsers_take_a_dumped_value_for_text(value: str) -> None:
    assert yaml.safe_load(dump({"name": value})) == {"name": value}


def test_groups_and_lists_of_lists_are_dumped_as_such() -> None:
    tree: dict[str, Any] = {"a": {"b": "c", "d": ["e", ["f"], {"g": "h"}]}, "i": []}
    assert parse(dump(tree)) == reference(dump(tree)) == tree


def test_setting_a_value_leaves_every_other_line() -> None:
    text = "# mine\nb: 1  # keep\n\ninject:\n    # which\n    daily: calendar # why\n\nz: [1,  2]\n\n"
    assert set_path(text, ["inject", "daily"], "recent") == text.replace("calendar #", "recent  #")
    assert set_path(text, ["b"], "x: y") == text.replace("b: 1  #", 'b: "x: y"  #')
    assert set_path(text, ["inject", "new"], "1") == text.replace("# why\n", '# why\n    new: "1"\n')
    assert set_path(text, ["c", "d"], "e") == text.removesuffix("\n") + "c:\n  d: e\n\n"


@pytest.mark.parametrize(("text", "dotted", "result"), rows("text/yaml_set"))
def test_setting_a_value_changes_its_own_lines_only(text: str, dotted: str, result: str) -> None:
    assert set_path(text, dotted.split("."), "v") == result


@pytest.mark.parametrize(("text", "dotted"), [("a: 1\n", "a.b"), ("a:\n- 1\n", "a.b"), ("b: |\n  x", "a")])
def test_a_value_that_would_change_its_neighbours_is_not_set(text: str, dotted: str) -> None:
    with pytest.raises(YamlError):
        set_path(text, dotted.split("."), "v")


@given(YAMLISH, st.sampled_from([["a"], ["k"], ["k2"], ["k", "a"], ["new", "x.y"]]), TEXT)
def test_after_setting_a_value_the_tree_differs_there_only(text: str, names: list[str], value: str) -> None:
    try:
        tree: Any = parse(text)
        result = set_path(text, names, value)
    except YamlError:
        return
    here = tree
    for name in names[:-1]:
        if not isinstance(here.get(name), dict):
            here[name] = {}
        here = here[name]
    here[names[-1]] = value
    assert parse(result) == tree


@given(st.dictionaries(TEXT, TEXT, min_size=2, max_size=5), TEXT, st.sampled_from(["\n", "\r\n"]))
def test_all_other_lines_are_byte_for_byte_the_same(fields: dict[str, str], value: str, newline: str) -> None:
    key = next(iter(fields))
    lines = ["# first", *dump(dict(fields)).splitlines(), "  # last", ""]
    result = set_path(newline.join(lines), [key], value).split(newline)
    assert len(result) == len(lines)
    assert [line for at, line in enumerate(result) if at != 1] == [
        line for at, line in enumerate(lines) if at != 1
    ]
