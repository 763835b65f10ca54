"""Somebody else's TOML: a table of ours comes and goes, everything else keeps every byte."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.hosts.install import entries, toml_text
from memolith.hosts.install.agents import Entry
from memolith.hosts.install.json_text import BrokenError

PATH = ("mcp_servers", "memolith")
TABLE: dict[str, object] = {
    "command": '/opt/a "b"/memolith',
    "args": ["mcp"],
    "n": 10,
    "on": True,
    "env": {"A": "b"},
}
OURS = Entry(how="set", path=PATH, value=TABLE)
# Each is whole in itself, so that any of them in any order are a document.
LINES = [
    "# a comment [mcp_servers.memolith]",
    "",
    "  ",
    "[table{n}] # [x]",
    "[mcp_servers.other{n}]",
    "[[list]]",
    'key{n} = "a # b"',
    "key{n} = '[mcp_servers.memolith]'",
    'key{n} = """\n[mcp_servers.memolith]\ncommand = "x"\n"""',
    "key{n} = [\n  1, # ]\n  [2],\n]",
    "key{n} = {{ a = [1], b = '}}' }}",
]


@st.composite
def documents(draw: st.DrawFn) -> str:
    chosen = draw(st.lists(st.sampled_from(LINES), max_size=8))
    text = "\n".join(line.format(n=number) for number, line in enumerate(chosen))
    text += draw(st.sampled_from(["", "\n", "\n\n", "\n# end"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(documents())
def test_a_table_that_is_put_and_cut_leaves_the_text_as_it_was(text: str) -> None:
    after = toml_text.put(text, PATH, TABLE)
    expected = toml_text.parse(text)
    expected.setdefault("mcp_servers", {})["memolith"] = TABLE
    assert toml_text.parse(after) == expected
    assert toml_text.cut(after, PATH) == text


@given(documents(), documents())
def test_what_others_write_behind_it_stays(before: str, more: str) -> None:
    newline = "\r\n" if "\r\n" in before else "\n"
    after = toml_text.put(before, PATH, TABLE)
    after += "" if after.endswith("\n") else newline
    theirs = newline + "[theirs]" + newline + "# mine" + newline
    expected = toml_text.parse(before) | {"theirs": {}}
    left = toml_text.cut(after + theirs, PATH)
    assert toml_text.parse(left) == expected
    assert left.endswith(theirs)
    assert not more or toml_text.cut(more, PATH) == more


def test_tables_below_it_go_too_and_a_comment_behind_it_stays() -> None:
    ours = "[mcp_servers.memolith]\ncommand = 'x'\n\n[mcp_servers.memolith.env]\nA = 'b'\n"
    text = f"a = 1\n\n{ours}\n# mine\n[b]\n"
    assert toml_text.cut(text, PATH) == "a = 1\n\n# mine\n[b]\n"


def test_an_older_table_of_ours_is_replaced_wherever_it_is() -> None:
    text = '[mcp_servers.memolith]\ncommand = "/gone/memolith"\n[b]\nc = 1\n'
    after = entries.merged(text, "toml", [OURS])
    assert tomllib.loads(after) == {"mcp_servers": {"memolith": TABLE}, "b": {"c": 1}}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a = 1\nb = \n", "line 2"),
        ("mcp_servers = { x = { command = 'y' } }\n", "mcp_servers"),
        ("[mcp_servers]\nmemolith = { command = 'memolith' }\n", "remove it by hand"),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, what: str) -> None:
    with pytest.raises(BrokenError, match=what):
        entries.merged(text, "toml", [OURS])


def test_a_text_that_is_nested_too_deeply_is_told() -> None:
    """Found by `prove fuzz`: a RecursionError came out."""
    with pytest.raises(BrokenError, match="nested too deeply"):
        toml_text.parse("a = " + "[" * 5000)
