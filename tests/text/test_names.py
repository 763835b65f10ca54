"""An address names a place in the memory, in one way, and never one outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import InputError
from memolith.text.names import MAX_DEPTH, NAMESPACES, parse_address
from tests.shared import rows


@pytest.mark.parametrize(("url", "namespace", "parts"), rows("text/addresses"))
def test_an_address_gives_a_namespace_and_the_parts_of_a_path(
    url: str, namespace: str, parts: list[str]
) -> None:
    assert parse_address(url) == (namespace, tuple(parts))


@pytest.mark.parametrize(
    "url",
    [*rows("text/wrong_addresses"), "memory://root/" + "a/" * MAX_DEPTH + "a", "memory://root/" + "a" * 300],
)
def test_any_other_address_is_an_error(url: str) -> None:
    with pytest.raises(InputError):
        parse_address(url)


def test_an_unknown_namespace_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="one of root, project, user"):
        parse_address("memory://elsewhere/x")


PARTS = st.sampled_from(
    ["..", ".", "%2e", "%2f", "%25", "%5c", "%00", "/", "\\", "a", "notes", "é", "%C3%A9", "?", "#", ":"]
)


@given(st.lists(PARTS | st.text(max_size=3), max_size=12).map("".join))
def test_no_text_leads_out_of_the_memory(rest: str) -> None:
    try:
        namespace, parts = parse_address("memory://root/" + rest)
    except InputError:
        return
    assert namespace in NAMESPACES
    assert len(parts) <= MAX_DEPTH
    assert parts or not rest.strip("/")
    for part in parts:
        assert part == part.strip()
        assert part[0] != "."
        assert not set(part) & set("/\\\0:%")
