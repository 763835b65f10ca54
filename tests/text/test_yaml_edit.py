"""Setting a list in a YAML file: what else is in the file stays, comments too."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.yaml import YamlError, parse
from memolith.text.yaml_edit import set_list
from tests.shared import rows
from tests.text.test_yaml import PIECES


@pytest.mark.parametrize(("text", "values", "result"), rows("text/yaml_list"))
def test_one_list_changes_and_nothing_else(text: str, values: list[str], result: str) -> None:
    assert set_list(text, "k", values) == result


@given(
    st.lists(PIECES, max_size=16).map("".join),
    st.lists(st.text("abc", min_size=1, max_size=3), max_size=3, unique=True),
)
def test_whatever_is_in_the_file_it_is_read_back_or_refused(text: str, values: list[str]) -> None:
    with contextlib.suppress(YamlError):
        before = parse(text)
        after = parse(set_list(text, "k", values))
        assert sorted(map(str, after.pop("k", []))) == sorted(values)
        before.pop("k", None)
        assert after == before
