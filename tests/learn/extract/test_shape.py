"""What a model is shown of a session."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import Mem
from memolith.learn.extract.shown import shown as parts
from memolith.text.budget import estimate_tokens
from memolith.text.safe.structure import CLOSE, OPEN
from tests.learn.talk import session
from tests.ledger import proves

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def shown(*turns: tuple[str, str], tokens: int = 100_000) -> list[dict[str, Any]]:
    (text,) = parts(session(*turns), tokens, tokens) or ["[]"]
    items: list[dict[str, Any]] = json.loads(text)
    return items


@proves("S2.31")
def test_speech_and_results_of_shell_eval_read_and_search_tools_are_kept_and_others_dropped() -> None:
    items = shown(
        ("system", "The workspace is /app."),
        ("user", "list the files"),
        ("Bash ok", "$ ls\nMakefile"),
        ("python ok", "1 + 1\n2"),
        ("read_file ok", "src/a.py\nx = 1"),
        ("Grep ok", "x\nsrc/a.py:1"),
        ("WebFetch ok", "https://example.org\nbuy now"),
        ("mcp__tracker__get ok", "ticket 1"),
        ("Edit ok", "src/a.py changed"),
        ("curious_tool ok", "?"),
        ("Glob ok", "*\nMakefile"),
        ("BashOutput ok", "1\nbuy now"),
        ("assistant", "There is a Makefile."),
        ("bash ok", "$ curl https://example.org\nbuy now"),
    )
    assert [item["turn"] for item in items] == [1, 2, 3, 4, 5, 6, 13]
    assert items[2] == {"turn": 3, "role": "tool", "tool": "Bash", "outcome": "ok", "text": "$ ls\nMakefile"}


@proves("S2.31")
def test_a_result_has_at_most_32000_characters() -> None:
    long = "$ make\n" + "line of output\n" * 5000
    text = shown(("bash ok", long))[0]["text"]
    assert len(text) <= 32_000
    assert text.startswith("$ make\n")
    assert text.endswith("line of output")
    assert "characters left out" in text


@proves("S2.32")
def test_all_that_the_user_said_is_shown_before_anything_else() -> None:
    said = [f"Rule {number}: the port of service{number} is {number}443." for number in range(80)]
    turns = [turn for text in said for turn in (("user", text), ("assistant", "Fine. " * 300))]
    (text,) = parts(session(*turns), 4000, 4000)
    items = json.loads(text)
    assert estimate_tokens(text) <= 4000
    assert [item["text"] for item in items if item["role"] == "user"] == said
    numbers = [item["turn"] for item in items]
    assert numbers == sorted(numbers)


@proves("S2.32")
def test_what_stands_beside_a_failure_comes_before_the_rest() -> None:
    dull = [("bash ok", f"$ ls {number}\n" + "file\n" * 300) for number in range(30)]
    turns = [
        ("user", "build it"),
        *dull,
        ("bash error", "$ make\nld: library not found for -lpq"),
        ("bash ok", "$ brew install libpq && make\nbuilt"),
        *dull,
    ]
    texts = [item["text"] for item in shown(*turns, tokens=1500)]
    assert "$ make\nld: library not found for -lpq" in texts
    assert "$ brew install libpq && make\nbuilt" in texts


@proves("S2.32")
def test_what_stands_beside_a_correction_comes_before_other_answers() -> None:
    dull = [("user", "Go on."), ("assistant", "Fine. " * 100)]
    said = [
        ("assistant", "I install it with npm."),
        ("user", "No, use pnpm, not npm."),
        ("assistant", "Right."),
    ]
    texts = [item["text"] for item in shown(*dull * 10, *said, *dull * 50, tokens=4000)]
    assert [text for _, text in said if text not in texts] == []


@proves("S2.32")
def test_long_messages_of_the_user_are_cut_so_that_all_have_room() -> None:
    turns = [("user", f"begin{number} " + "x " * 4000 + f"end{number}") for number in range(10)]
    texts = [item["text"] for item in shown(*turns, tokens=2000)]
    assert [text.split()[0] for text in texts] == [f"begin{number}" for number in range(10)]
    assert [text.split()[-1] for text in texts] == [f"end{number}" for number in range(10)]
    assert all("characters left out" in text for text in texts)


@proves("S2.84")
def test_what_does_not_fit_into_one_request_goes_into_several_in_the_order_of_the_session() -> None:
    turns = [("user", f"turn {number}: " + "words " * 40) for number in range(1, 51)]
    lists = parts(session(*turns), 4000, 1000)
    assert 4 <= len(lists) <= 5
    assert all(estimate_tokens(text) <= 1000 for text in lists)
    assert [item["turn"] for text in lists for item in json.loads(text)] == list(range(1, 51))


@proves("S2.31")
def test_a_refused_call_is_shown_with_the_users_words() -> None:
    text = "$ git push\nNo. To tell you how to proceed, the user said:\nask me before you push"
    assert shown(("Bash denied", text)) == [
        {"turn": 1, "role": "user", "refuses": "Bash: $ git push", "text": "ask me before you push"}
    ]


@given(st.lists(st.text(max_size=400), max_size=12), st.integers(30, 300))
def test_whatever_is_said_the_limit_holds_and_the_result_is_json(texts: list[str], tokens: int) -> None:
    lists = parts(session(*(("user", each) for each in texts)), tokens, tokens)
    assert all(isinstance(json.loads(text), list) for text in lists)
    assert sum(map(estimate_tokens, lists)) <= tokens


@proves("S2.33")
def test_secrets_do_not_leave_with_the_session() -> None:
    one = session(("user", f"the token is {TOKEN}"), ("bash ok", f"$ env\nGH_TOKEN={TOKEN}"))
    (text,) = parts(one, 4000, 4000)
    assert TOKEN not in text
    assert text.count("[secret:") == 2


@proves("S2.70")
@pytest.mark.parametrize(
    "text",
    [
        f"{OPEN}\n## Long-term memory (MEMORY.md)\n- ECHO\n{CLOSE}",
        "<system-reminder>\nhook said: <memory>ECHO</memory>\n</system-reminder>",
        "# AGENTS.md instructions for /app\n\n<INSTRUCTIONS>\nECHO\n</INSTRUCTIONS>",
        "<user_instructions>\nECHO\n</user_instructions>",
        "<environment_context>ECHO</environment_context>",
        "Base directory for this skill: /skills/x\n\nECHO",
        "This session is being continued from a previous conversation that ran out of context. ECHO",
        "<memory note='cut off in the middle'>\nECHO",
        "<command-message>init is analyzing</command-message><command-contents>ECHO</command-contents>",
    ],
)
def test_what_a_host_puts_into_a_turn_is_not_shown(text: str) -> None:
    assert "ECHO" not in json.dumps(shown(("user", text), ("user", "fix the login")))


@proves("S2.70")
@pytest.mark.parametrize(
    ("who", "text"),
    [
        ("system developer", "ECHO"),
        ("assistant reasoning", "ECHO"),
        ("system compaction", "ECHO"),
        ("Read ok", "/app/CLAUDE.md\nECHO"),
        ("bash ok", "$ cat docs/AGENTS.md\nECHO"),
        ("Read ok", "skills/deploy/SKILL.md\nECHO"),
        ("bash ok", "$ memolith recall login\nECHO"),
        ("memory_search ok", "ECHO"),
    ],
)
def test_instructions_thoughts_and_memory_read_back_are_not_shown(who: str, text: str) -> None:
    assert shown((who, text), ("user", "fix the login")) == [
        {"turn": 2, "role": "user", "text": "fix the login"}
    ]


def test_a_developer_message_is_still_known_as_one_after_storing(mem: Mem) -> None:
    from memolith.memory.sessions import read_turns

    turns = list(
        read_turns(['{"role": "developer", "text": "be nice"}', '{"role": "user", "text": "hi"}'], "x")
    )
    one = session(("user", "x"))
    mem.sessions.add(type(one)(**{**{key: getattr(one, key) for key in one.__slots__}, "turns": turns}))
    (text,) = parts(mem.sessions.get("s1"), 100, 100)
    assert [item["turn"] for item in json.loads(text)] == [2]


def test_the_own_words_beside_a_block_stay() -> None:
    items = shown(("user", f"{OPEN}\n- ECHO\n{CLOSE}\nfix the <b>login</b>"))
    assert items[0]["text"] == "fix the <b>login</b>"
